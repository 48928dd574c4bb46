#include "bench/http/shop/body.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "bench/http/shop/refusal.h"

namespace shopmark::http {

namespace {

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7F;
  });
}

struct TooDeep {};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return absl::ascii_tolower(static_cast<unsigned char>(x)) ==
           absl::ascii_tolower(static_cast<unsigned char>(y));
  });
}

}  // namespace

std::optional<Json> parse_json(std::string_view text) {
  const auto check_depth = [](int depth, Json::parse_event_t, const Json&) {
    if (depth > kMostJsonDepth) throw TooDeep();
    return true;
  };
  try {
    return Json::parse(text, check_depth);
  } catch (const Json::exception&) {
    return {};
  } catch (const TooDeep&) {
    return {};
  }
}

bool has_json_body(const Request& request) {
  const std::string_view type = request.header("content-type");
  const std::size_t semicolon = std::min(type.find(';'), type.size());
  if (!equal_ignoring_case(trimmed(type.substr(0, semicolon)), "application/json")) return false;
  const std::string_view rest = trimmed(type.substr(std::min(semicolon + 1, type.size())));
  return rest.empty() || equal_ignoring_case(rest, "charset=utf-8") ||
         equal_ignoring_case(rest, "charset=\"utf-8\"");
}

Members Members::of_body(const Request& request) {
  if (!has_json_body(request)) {
    throw Refusal(415, "unsupported_media_type", "Content-Type must be application/json");
  }
  std::optional<Json> body = parse_json(request.body);
  if (!body) throw Refusal(400, "bad_json", "the body is not JSON");
  if (!body->is_object()) throw Refusal(400, "bad_json", "the body is no JSON object");
  return {*std::move(body), ""};
}

Members::Members(Json object, std::string path)
    : object_(std::move(object)), path_(std::move(path)) {}

void Members::refuse(std::string_view name, std::string_view why) const {
  throw Refusal(400, "bad_member", std::string(path_).append(name).append(": ").append(why));
}

bool Members::has(std::string_view name) const {
  const auto at = object_.find(name);
  return at != object_.end() && !at->is_null();
}

const Json& Members::required(std::string_view name) {
  asked_.emplace_back(name);
  const auto at = object_.find(name);
  if (at == object_.end()) refuse(name, "is missing");
  return *at;
}

std::int64_t Members::integer(std::string_view name, std::int64_t least, std::int64_t most) {
  const Json& value = required(name);
  const bool fits = value.is_number_integer() &&
                    !(value.is_number_unsigned() &&
                      value.get<std::uint64_t>() >
                          static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  const std::int64_t number = fits ? value.get<std::int64_t>() : 0;
  if (!fits || number < least || number > most) {
    refuse(name,
           "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return number;
}

std::string Members::text(std::string_view name, std::size_t most_characters) {
  const Json& value = required(name);
  if (!value.is_string()) refuse(name, "must be a text");
  const auto& text = value.get_ref<const std::string&>();
  if (text.empty()) refuse(name, "must not be empty");
  if (characters(text) > most_characters) {
    refuse(name, "must have at most " + std::to_string(most_characters) + " characters");
  }
  if (has_control_character(text)) refuse(name, "must have no control characters");
  return text;
}

std::optional<std::string> Members::optional_text(std::string_view name,
                                                  std::size_t most_characters) {
  asked_.emplace_back(name);
  if (!has(name)) return {};
  return text(name, most_characters);
}

std::string Members::country(std::string_view name) {
  std::string code = text(name, 2);
  if (code.size() != 2 || !absl::ascii_isupper(static_cast<unsigned char>(code[0])) ||
      !absl::ascii_isupper(static_cast<unsigned char>(code[1]))) {
    refuse(name, "must be a country's two upper-case letters");
  }
  return code;
}

Members Members::object(std::string_view name) {
  const Json& value = required(name);
  if (!value.is_object()) refuse(name, "must be an object");
  return {value, path_ + std::string(name) + "."};
}

void Members::refuse_others() const {
  for (const auto& member : object_.items()) {
    if (std::find(asked_.begin(), asked_.end(), member.key()) != asked_.end()) continue;
    std::string known;
    for (const std::string& name : asked_) {
      if (known.find(name) != std::string::npos) continue;
      known.append(known.empty() ? "" : ", ").append(path_).append(name);
    }
    throw Refusal(400, "unknown_member", "a member is not known here; known: " + known);
  }
}

}  // namespace shopmark::http
