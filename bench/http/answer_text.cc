#include "bench/http/answer_text.h"

#include <array>
#include <boost/beast/http/status.hpp>
#include <charconv>
#include <cstddef>

namespace shopmark::http {

namespace {

void append_number(std::string& out, std::size_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

void append_header(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

void DateText::refresh(std::time_t now) {
  if (now == at_) return;
  at_ = now;
  // Not strftime: its names are the locale's.
  static constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc{};
  gmtime_r(&now, &utc);
  const auto two = [](int number) {
    std::string digits = std::to_string(number);
    return digits.size() < 2 ? "0" + digits : digits;
  };
  text_ = kDays.at(static_cast<std::size_t>(utc.tm_wday));
  text_ += ", " + two(utc.tm_mday) + " " + kMonths.at(static_cast<std::size_t>(utc.tm_mon)) + " " +
           std::to_string(1900 + utc.tm_year) + " " + two(utc.tm_hour) + ":" + two(utc.tm_min) +
           ":" + two(utc.tm_sec) + " GMT";
}

bool may_have_body(unsigned status) { return status >= 200 && status != 204 && status != 304; }

void append_head(std::string& out, const Response& response, std::string_view date,
                 std::string_view connection) {
  if (response.status == 200) {
    out.append("HTTP/1.1 200 OK\r\nServer: shopmark\r\nDate: ");
  } else {
    const auto reason =
        boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(response.status));
    out.append("HTTP/1.1 ");
    append_number(out, response.status);
    out.append(" ").append(reason.data(), reason.size()).append("\r\nServer: shopmark\r\nDate: ");
  }
  out.append(date).append("\r\n");
  if (may_have_body(response.status)) {
    if (!response.body.empty()) append_header(out, "Content-Type", response.content_type);
    out.append("Content-Length: ");
    append_number(out, response.body.size());
    out.append("\r\n");
  }
  for (const auto& [name, value] : response.headers) append_header(out, name, value);
  if (!connection.empty()) append_header(out, "Connection", connection);
  out.append("\r\n");
}

}  // namespace shopmark::http
