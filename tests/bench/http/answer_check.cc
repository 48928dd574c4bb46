#include "tests/bench/http/answer_check.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

namespace shopmark::http {

namespace {

constexpr std::string_view kVersion = "HTTP/1.1 ";

struct Head {
  unsigned status = 0;
  std::optional<std::size_t> length;
  std::string_view type;
};

template <typename Number>
Number number(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error("is no number: " + std::string(text));
  }
  return value;
}

// Without the empty line.
Head read_head(std::string_view head) {
  Head result;
  const std::size_t line_end = std::min(head.find("\r\n"), head.size());
  const std::string_view line = head.substr(0, line_end);
  if (!line.starts_with(kVersion) || line.size() < 13 || line[12] != ' ') {
    throw std::runtime_error("has no status line: " + std::string(line.substr(0, 100)));
  }
  result.status = number<unsigned>(line.substr(9, 3));
  head.remove_prefix(line_end);
  while (!head.empty()) {
    head.remove_prefix(2);
    const std::string_view field = head.substr(0, head.find("\r\n"));
    head.remove_prefix(field.size());
    const std::size_t colon = field.find(": ");
    const bool plain = std::none_of(field.begin(), field.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (colon == field.npos || colon == 0 || !plain) throw std::runtime_error("has a bad header");
    const std::string_view name = field.substr(0, colon);
    const std::string_view value = field.substr(colon + 2);
    if (name == "Content-Length") {
      if (result.length) throw std::runtime_error("has two lengths");
      result.length = number<std::size_t>(value);
    }
    if (name == "Content-Type") result.type = value;
  }
  return result;
}

// Takes one from the front; its status.
unsigned take(std::string_view& bytes, bool may_lack_body, std::size_t most_body) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == bytes.npos) throw std::runtime_error("is cut in its head");
  const Head head = read_head(bytes.substr(0, end));
  bytes.remove_prefix(end + 4);
  if (head.status < 200 || head.status == 204 || head.status == 304) return head.status;
  if (!head.length) throw std::runtime_error("has no length");
  if (may_lack_body && (bytes.empty() || bytes.starts_with(kVersion))) return head.status;
  if (*head.length > most_body) {
    throw std::runtime_error("has " + std::to_string(*head.length) + " bytes");
  }
  if (*head.length > bytes.size()) throw std::runtime_error("is cut in its body");
  const std::string_view body = bytes.substr(0, *head.length);
  bytes.remove_prefix(*head.length);
  if (head.type == "application/json" && !nlohmann::json::accept(body)) {
    throw std::runtime_error("is no JSON: " + std::string(body.substr(0, 100)));
  }
  return head.status;
}

}  // namespace

CheckedAnswers check_answers(std::string_view bytes, bool may_lack_body, std::size_t most_body) {
  CheckedAnswers result;
  try {
    while (!bytes.empty()) result.statuses.push_back(take(bytes, may_lack_body, most_body));
  } catch (const std::runtime_error& error) {
    result.problem = "answer " + std::to_string(result.statuses.size() + 1) + " " + error.what();
  }
  return result;
}

}  // namespace shopmark::http
