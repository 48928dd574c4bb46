#include "bench/load/members.h"

#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "bench/load/scenario.h"

namespace shopmark::drive {

using nlohmann::ordered_json;

Members::Members(const ordered_json& json, std::string file, std::string path)
    : json_(json), file_(std::move(file)), path_(std::move(path)) {
  if (!json.is_object()) {
    throw ScenarioError(
        absl::StrCat(file_, ": ", path_.empty() ? "it" : path_, " is not an object"));
  }
}

std::string Members::path_of(const std::string& member) const {
  return path_.empty() ? member : absl::StrCat(path_, ".", member);
}

void Members::fail(const std::string& member, const std::string& why) const {
  throw ScenarioError(absl::StrCat(file_, ": ", path_of(member), " ", why));
}

const ordered_json* Members::find(const char* name, bool required) {
  known_.insert(name);
  const auto found = json_.find(name);
  if (found != json_.end()) return &*found;
  if (required) fail(name, "is missing");
  return nullptr;
}

double Members::number(const char* name, double least, double most,
                       std::optional<double> otherwise) {
  const ordered_json* value = find(name, !otherwise);
  if (value == nullptr) return *otherwise;
  if (!value->is_number()) fail(name, "is not a number");
  const auto number = value->get<double>();
  if (!(number >= least && number <= most)) {
    fail(name, absl::StrCat("is ", number, "; it must be from ", least, " to ", most));
  }
  return number;
}

std::int64_t Members::integer(const char* name, std::int64_t least, std::int64_t most,
                              std::optional<std::int64_t> otherwise) {
  const ordered_json* value = find(name, !otherwise);
  if (value == nullptr) return *otherwise;
  if (!value->is_number_integer()) fail(name, "is not a whole number");
  const bool too_large =
      value->is_number_unsigned() && value->get<std::uint64_t>() > static_cast<std::uint64_t>(most);
  const auto number = too_large ? most : value->get<std::int64_t>();
  if (too_large || number < least || number > most) {
    fail(name, absl::StrCat("is ", value->dump(), "; it must be from ", least, " to ", most));
  }
  return number;
}

std::string Members::text(const char* name, std::optional<std::string> otherwise) {
  const ordered_json* value = find(name, !otherwise);
  if (value == nullptr) return *otherwise;
  if (!value->is_string()) fail(name, "is not text");
  return value->get<std::string>();
}

bool Members::boolean(const char* name, bool otherwise) {
  const ordered_json* value = find(name, false);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) fail(name, "is neither true nor false");
  return value->get<bool>();
}

std::size_t Members::one_of(const char* name, std::string_view words,
                            std::optional<std::size_t> otherwise) {
  const ordered_json* value = find(name, !otherwise);
  if (value == nullptr) return *otherwise;
  const std::vector<std::string> known = absl::StrSplit(std::string(words), ' ');
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (value->is_string() && value->get<std::string>() == known[i]) return i;
  }
  fail(name, absl::StrCat("is ", value->dump(-1, ' ', true),
                          "; it must be one of: ", std::string(words)));
}

const ordered_json& Members::list(const char* name) {
  const ordered_json* value = find(name, true);
  if (!value->is_array() || value->empty()) fail(name, "is not a list with something in it");
  return *value;
}

Members Members::object(const char* name) {
  const ordered_json* value = find(name, true);
  return {*value, file_, path_of(name)};
}

Members Members::item(const char* list_name, const ordered_json& item, std::size_t index) {
  return {item, file_, path_of(absl::StrCat(list_name, "[", index, "]"))};
}

void Members::finish() const {
  for (const auto& [name, value] : json_.items()) {
    (void)value;
    if (known_.count(name) == 0) fail(name, "is unknown");
  }
}

}  // namespace shopmark::drive
