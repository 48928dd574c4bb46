// Reads a JSON object member by member. Every mistake is one line that names the file and the
// member: missing, of the wrong type, out of range, unknown.

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace shopmark::drive {

class Members {
 public:
  // `json` must outlive it; `path` names it in messages: scripts[0].arrival.
  Members(const nlohmann::ordered_json& json, std::string file, std::string path);

  bool has(const char* name) const { return json_.contains(name); }
  double number(const char* name, double least, double most, std::optional<double> otherwise = {});
  std::int64_t integer(const char* name, std::int64_t least, std::int64_t most,
                       std::optional<std::int64_t> otherwise = {});
  std::string text(const char* name, std::optional<std::string> otherwise = {});
  bool boolean(const char* name, bool otherwise);
  // One of the words, separated by blanks; its place among them.
  std::size_t one_of(const char* name, std::string_view words,
                     std::optional<std::size_t> otherwise = {});
  const nlohmann::ordered_json& list(const char* name);
  Members object(const char* name);
  Members item(const char* list_name, const nlohmann::ordered_json& item, std::size_t index);
  // Refuses what nobody has asked for.
  void finish() const;

  [[noreturn]] void fail(const std::string& member, const std::string& why) const;

 private:
  const nlohmann::ordered_json* find(const char* name, bool required);
  std::string path_of(const std::string& member) const;

  const nlohmann::ordered_json& json_;
  std::string file_;
  std::string path_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace shopmark::drive
