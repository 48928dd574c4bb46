// What stands between the transport and the shop: a request that was read whole, and its answer.
// The transport knows no route, the shop no socket.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shopmark::http {

struct Request {
  std::string method;  // as sent: GET, HEAD, POST, ...
  std::string target;  // as sent: path and query, still percent-encoded
  // In the order sent, names in lower case.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  // The first of that name (in lower case); empty when there is none.
  std::string_view header(std::string_view name) const {
    for (const auto& [its_name, value] : headers) {
      if (its_name == name) return value;
    }
    return {};
  }
};

struct Response {
  unsigned status = 200;
  std::string content_type = "application/json";
  std::string body;
  // Beside Content-Type, Content-Length, Connection, Date and Server, which the transport writes.
  std::vector<std::pair<std::string, std::string>> headers;
  // The route's name for the metrics, one of a fixed few: product_page, unknown, ... Static text.
  std::string_view route = "unknown";
};

// Thread rule: made, used and destroyed by one worker's thread.
class Handler {
 public:
  virtual ~Handler() = default;
  // Whatever it throws becomes a 500 without the message, which goes to the log.
  virtual Response handle(const Request& request) = 0;
  // False once it can no longer answer (its connection is gone): the worker makes another.
  virtual bool usable() const = 0;
};

// Called on each worker's thread. Throws when there is none to be had.
using HandlerFactory = std::function<std::unique_ptr<Handler>()>;

}  // namespace shopmark::http
