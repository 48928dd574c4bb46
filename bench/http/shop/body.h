// A request's JSON body, member by member: whatever is missing, of another type or unknown is
// refused by its name.

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/http/handler.h"

namespace shopmark::http {

using Json = nlohmann::json;

inline constexpr int kMostJsonDepth = 32;

// A whole JSON text, nested at most kMostJsonDepth deep. Absent when it is none.
std::optional<Json> parse_json(std::string_view text);

// Whether the request says that its body is JSON in UTF-8.
bool has_json_body(const Request& request);

// The members of an object, each asked for once. All throw Refusal (400) that names the member;
// characters are counted as code points, and a text holds no control characters.
class Members {
 public:
  // Of the body of a request; Refusal 415 when that is of another type.
  static Members of_body(const Request& request);
  // Of an object that is nested in it, or of its own; `path` is for messages.
  Members(Json object, std::string path);

  bool has(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t most);
  // Not empty, at most so many characters.
  std::string text(std::string_view name, std::size_t most_characters);
  // Absent or null is none.
  std::optional<std::string> optional_text(std::string_view name, std::size_t most_characters);
  // Two upper-case letters.
  std::string country(std::string_view name);
  Members object(std::string_view name);
  // To be called last: refuses what was not asked for.
  void refuse_others() const;

 private:
  [[noreturn]] void refuse(std::string_view name, std::string_view why) const;
  const Json& required(std::string_view name);

  Json object_;
  std::string path_;  // "" or "ship_to."
  std::vector<std::string> asked_;
};

}  // namespace shopmark::http
