// A request out of the bytes of a connection, however they come in pieces.

#pragma once

#include <boost/beast/core/flat_buffer.hpp>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>  // Asio 1.74 wants it first

#include "bench/http/handler.h"

namespace shopmark::http {

struct ReadLimits {
  std::size_t header_bytes = 16 * 1024;
  std::size_t target_bytes = 8 * 1024;
  std::size_t body_bytes = 64 * 1024;
};

// Why it is none. Static text.
struct Refusal {
  unsigned status = 400;
  std::string_view code;
  std::string_view message;
};

enum class Reading { kMore, kWhole, kRefused };

class RequestReader {
 public:
  explicit RequestReader(const ReadLimits& limits);
  ~RequestReader();

  // Takes what it can from the buffer; what belongs to the next request stays. `request` is whole
  // with kWhole: its target in origin form, its chunked body put together.
  Reading read(boost::beast::flat_buffer& buffer, Request& request);

  // Of kWhole: whether the connection may be kept; whether it speaks HTTP/1.0.
  bool keep_alive() const;
  bool old_version() const;
  // True once, after kMore, when the client waits for a word before it sends the body.
  bool take_expects_continue();
  const Refusal& refusal() const;

  // For the next request.
  void reset();

 private:
  class Parser;
  ReadLimits limits_;
  std::unique_ptr<Parser> parser_;
  Refusal refusal_;
};

}  // namespace shopmark::http
