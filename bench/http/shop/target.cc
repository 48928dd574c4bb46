#include "bench/http/shop/target.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "bench/http/shop/refusal.h"

namespace shopmark::http {

namespace {

constexpr std::size_t kMostParameters = 32;

[[noreturn]] void refuse(std::string_view what, std::string_view why) {
  throw Refusal(400, "bad_request", std::string(what).append(" ").append(why));
}

// Of a parameter: its name is quoted when it is one of ours, so that a message stays one short
// line.
[[noreturn]] void refuse_parameter(std::string_view name, std::string_view why) {
  throw Refusal(400, "bad_parameter", std::string(name).append(": ").append(why));
}

int hexadecimal(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

// How many bytes the code point at the start has; 0 when it is none.
std::size_t code_point_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return 0;
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second > 0x9F;
  const bool too_large = first == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_large ? 0 : bytes;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = code_point_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string percent_decoded(std::string_view text, bool is_query, std::string_view what) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && is_query) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const int high = i + 2 < text.size() ? hexadecimal(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hexadecimal(text[i + 2]) : -1;
      if (high < 0 || low < 0) refuse(what, "holds a % without two hexadecimal digits");
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  if (decoded.find('\0') != std::string::npos) refuse(what, "holds a NUL");
  if (!is_utf8(decoded)) refuse(what, "is not UTF-8");
  return decoded;
}

Parameters::Parameters(std::string_view query) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view one = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (one.empty()) continue;
    if (all_.size() == kMostParameters) refuse("the query", "has too many parameters");
    const std::size_t equals = std::min(one.find('='), one.size());
    all_.emplace_back(
        percent_decoded(one.substr(0, equals), true, "the query"),
        percent_decoded(one.substr(std::min(equals + 1, one.size())), true, "the query"));
  }
}

void Parameters::allow_only(std::span<const std::string_view> names) const {
  for (const auto& parameter : all_) {
    if (std::find(names.begin(), names.end(), parameter.first) != names.end()) continue;
    std::string known;
    for (const std::string_view name : names) known.append(known.empty() ? "" : ", ").append(name);
    throw Refusal(400, "unknown_parameter",
                  "the query has a parameter that is not known here; " +
                      (known.empty() ? "there are none" : "known: " + known));
  }
}

std::optional<std::string_view> Parameters::text(std::string_view name) const {
  std::optional<std::string_view> found;
  for (const auto& [its_name, value] : all_) {
    if (its_name != name) continue;
    if (found) refuse_parameter(name, "is given twice");
    found = value;
  }
  return found;
}

std::optional<std::int64_t> Parameters::integer(std::string_view name, std::int64_t least,
                                                std::int64_t most) const {
  const std::optional<std::string_view> digits = text(name);
  if (!digits) return {};
  std::int64_t number = 0;
  const char* const end = digits->data() + digits->size();
  const auto [stopped, error] = std::from_chars(digits->data(), end, number);
  if (error != std::errc() || stopped != end || number < least || number > most) {
    refuse_parameter(name, "must be a whole number from " + std::to_string(least) + " to " +
                               std::to_string(most));
  }
  return number;
}

bool Parameters::flag(std::string_view name) const { return integer(name, 0, 1).value_or(0) == 1; }

std::int64_t Parameters::page() const {
  return integer("page", 1, std::numeric_limits<std::int64_t>::max()).value_or(1);
}

SplitTarget split_target(std::string_view target) {
  constexpr std::string_view kScheme = "http://";
  if (target.starts_with(kScheme)) {
    target.remove_prefix(std::min(target.find_first_of("/?", kScheme.size()), target.size()));
    if (target.empty()) target = "/";
  }
  if (!target.starts_with('/')) refuse("the target", "is no path");
  if (target.find('#') != std::string_view::npos) refuse("the target", "holds a #");
  SplitTarget split;
  const std::size_t question = std::min(target.find('?'), target.size());
  split.query = target.substr(std::min(question + 1, target.size()));
  std::string_view path = target.substr(1, question - 1);
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    split.segments.push_back(percent_decoded(path.substr(0, slash), false, "the path"));
    if (slash + 1 == path.size()) split.segments.emplace_back();
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return split;
}

}  // namespace shopmark::http
