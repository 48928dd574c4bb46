#include "bench/http/request_reader.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <cstdint>
#include <memory>
#include <string>

namespace shopmark::http {

namespace {

namespace beast = boost::beast;
using beast::error_code;

constexpr Refusal kMalformed{400, "bad_request", "this is no HTTP/1.1 request"};
constexpr Refusal kTargetTooLong{414, "target_too_long", "the request's target is too long"};
constexpr Refusal kHeaderTooLarge{431, "header_too_large", "the request's headers are too large"};
constexpr Refusal kBodyTooLarge{413, "body_too_large", "the request's body is too large"};
constexpr Refusal kExpectation{417, "expectation_failed", "only 100-continue can be expected"};
// Not 501: what a client sends wrong is no failure of the server's.
constexpr Refusal kCoding{400, "transfer_coding", "chunked is the only transfer coding"};
constexpr Refusal kHost{400, "bad_host", "a request needs one Host header"};

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

void append_lower(std::string& out, std::string_view text) {
  for (const char c : text) out += c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool is_line_end(char c) { return c == '\r' || c == '\n'; }

char first(const beast::flat_buffer& buffer) {
  return *static_cast<const char*>(buffer.cdata().data());
}

// "http://host/path?query" is for the server at host what "/path?query" is.
std::string_view origin_form(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!beast::iequals({target.data(), std::min(target.size(), scheme.size())},
                        {scheme.data(), scheme.size()})) {
      continue;
    }
    const std::size_t path = target.find_first_of("/?", scheme.size());
    return path == target.npos || target[path] == '?' ? "/" : target.substr(path);
  }
  return target;
}

}  // namespace

// Fills a Request, and refuses what Beast lets through.
class RequestReader::Parser final : public beast::http::basic_parser<true> {
 public:
  explicit Parser(const ReadLimits& limits) : limits_(limits) {
    eager(true);
    body_limit(limits.body_bytes);
    header_limit(static_cast<std::uint32_t>(limits.header_bytes));
  }

  Request* request = nullptr;  // set before each put()
  Refusal refusal = kMalformed;
  bool has_line = false;
  bool is_old = false;  // HTTP/1.0
  bool expects_continue = false;
  std::size_t header_bytes() const { return header_bytes_; }  // taken so far

 private:
  void refuse(const Refusal& why, error_code& ec) {
    refusal = why;
    ec = beast::http::error::bad_value;
  }

  bool count_header(std::size_t bytes, error_code& ec) {
    header_bytes_ += bytes;
    if (header_bytes_ > limits_.header_bytes) refuse(kHeaderTooLarge, ec);
    return !ec;
  }

  void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target,
                       int version, error_code& ec) override {
    has_line = true;
    is_old = version < 11;
    if (target.size() > limits_.target_bytes) return refuse(kTargetTooLong, ec);
    if (!count_header(method.size() + target.size() + 12, ec)) return;
    const std::string_view path = origin_form(view(target));
    const bool of_server = path == "*" && view(method) == "OPTIONS";
    if (!of_server && (path.empty() || path.front() != '/')) return refuse(kMalformed, ec);
    request->method.assign(method.data(), method.size());
    request->target.assign(path);
  }

  void on_response_impl(int, beast::string_view, int, error_code&) override {}

  void on_field_impl(beast::http::field id, beast::string_view name, beast::string_view value,
                     error_code& ec) override {
    if (!count_header(name.size() + value.size() + 4, ec)) return;
    if (in_body_) return;  // a trailer
    using beast::http::field;
    if (id == field::host) ++hosts_;
    if (id == field::transfer_encoding) {
      ++codings_;
      only_chunked_ = beast::iequals(value, "chunked");
    }
    if (id == field::expect) {
      expects_continue = beast::iequals(value, "100-continue");
      if (!expects_continue) return refuse(kExpectation, ec);
    }
    auto& [its_name, its_value] = request->headers.emplace_back();
    its_name.reserve(name.size());
    append_lower(its_name, view(name));
    its_value.assign(value.data(), value.size());
  }

  void on_header_impl(error_code& ec) override {
    in_body_ = true;
    if (hosts_ > 1 || (hosts_ == 0 && !is_old)) return refuse(kHost, ec);
    if (codings_ > 1 || (codings_ == 1 && is_old)) return refuse(kMalformed, ec);
    // Another coding leaves open where the body ends.
    if (codings_ == 1 && !(only_chunked_ && chunked())) return refuse(kCoding, ec);
    if (is_old) expects_continue = false;
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}

  std::size_t on_body_impl(beast::string_view body, error_code&) override {
    request->body.append(body.data(), body.size());
    expects_continue = false;  // it did not wait for the word
    return body.size();
  }

  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {
    expects_continue = false;
  }

  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, error_code&) override {
    request->body.append(body.data(), body.size());
    return body.size();
  }

  void on_finish_impl(error_code&) override {}

  const ReadLimits& limits_;
  std::size_t header_bytes_ = 0;
  int hosts_ = 0;
  int codings_ = 0;
  bool only_chunked_ = false;
  bool in_body_ = false;
};

RequestReader::RequestReader(const ReadLimits& limits)
    : limits_(limits), parser_(std::make_unique<Parser>(limits_)) {}

RequestReader::~RequestReader() = default;

Reading RequestReader::read(beast::flat_buffer& buffer, Request& request) {
  parser_->request = &request;
  // Some clients end a body with a line end too many.
  while (!parser_->got_some() && buffer.size() != 0 && is_line_end(first(buffer)))
    buffer.consume(1);
  while (!parser_->is_done()) {
    if (buffer.size() == 0) return Reading::kMore;
    error_code ec;
    buffer.consume(parser_->put(buffer.cdata(), ec));
    if (!ec) continue;
    using beast::http::error;
    if (ec == error::need_more) {
      // Beast's own limit is of what it has not taken yet.
      const bool header_fits = parser_->is_header_done() ||
                               parser_->header_bytes() + buffer.size() <= limits_.header_bytes;
      if (header_fits && buffer.size() < buffer.max_size()) return Reading::kMore;
      ec = error::header_limit;  // of a chunk, as it may be
    }
    refusal_ = parser_->refusal;
    if (ec == error::header_limit) {
      // Beast may not have looked at the line before it had the rest.
      const std::string_view unread(static_cast<const char*>(buffer.cdata().data()), buffer.size());
      const bool has_line = parser_->has_line || unread.find('\n') != unread.npos;
      refusal_ = has_line ? kHeaderTooLarge : kTargetTooLong;
    } else if (ec == error::body_limit) {
      refusal_ = kBodyTooLarge;
    }
    return Reading::kRefused;
  }
  return Reading::kWhole;
}

bool RequestReader::keep_alive() const { return parser_->keep_alive(); }

bool RequestReader::old_version() const { return parser_->is_old; }

bool RequestReader::take_expects_continue() {
  return parser_->is_header_done() && std::exchange(parser_->expects_continue, false);
}

const Refusal& RequestReader::refusal() const { return refusal_; }

// In place: there is one for every request.
void RequestReader::reset() {
  std::destroy_at(parser_.get());
  std::construct_at(parser_.get(), limits_);
}

}  // namespace shopmark::http
