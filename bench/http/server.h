// The HTTP/1.1 transport: one event loop in front of a fixed pool of workers.
//
// The loop reads requests whole, hands each to a worker over a bounded queue and writes the answers
// in the order of the requests. It answers itself, with no worker:
//   GET /healthz  {"status":"ok"}; 503 {"status":"starting"} while no worker is ready, and
//                 {"status":"stopping"} once it was told to stop;
//   GET /metrics  OpenMetrics 1.0.0;
// and what is no request, too large, too slow or one too many (400, 408, 413, 414, 417, 431, 503).
// Sends never raise SIGPIPE.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bench/http/handler.h"

namespace shopmark::http {

struct ServerOptions {
  std::string address = "127.0.0.1";  // IPv4 or IPv6, no name
  unsigned short port = 0;            // 0: a free one
  int workers = 1;
  // Requests that wait for a worker. One more is answered 503 with Retry-After.
  std::size_t queue = 256;
  // Open at once. One more is answered 503 and closed.
  std::size_t most_connections = 1000;

  std::size_t most_header_bytes = 16 * 1024;  // of the request line and all headers: 431
  std::size_t most_target_bytes = 8 * 1024;   // 414
  std::size_t most_body_bytes = 64 * 1024;    // 413

  // From a request's first byte to its last, however they trickle in: 408. Also from connecting to
  // the first byte; the connection is then closed.
  std::chrono::milliseconds read_timeout{10'000};
  // For an answer to be taken whole by the client's side. The connection is then reset.
  std::chrono::milliseconds write_timeout{10'000};
  // Between an answer and the next request's first byte. The connection is then closed.
  std::chrono::milliseconds idle_timeout{60'000};
  // How long what a client still sends after the last answer is read and thrown away, so that the
  // answer is not lost with the connection.
  std::chrono::milliseconds linger_timeout{1'000};
  // How long requests in work, or half read, are waited for after stop().
  std::chrono::milliseconds stop_timeout{10'000};

  // Until a worker tries again to get a handler: the first wait, which doubles up to the last.
  std::chrono::milliseconds first_retry{100};
  std::chrono::milliseconds last_retry{5'000};

  // SIGINT and SIGTERM stop as stop() does, a second one at once.
  bool stop_on_signals = false;

  // One line without its end, on any thread; by default on stderr.
  std::function<void(std::string_view)> log;
};

// It cannot listen there. The message names the address.
class ServerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thread rule: stop() from any thread, the rest from the one that made it.
class Server {
 public:
  // Listens from here on; connections wait until start(). Throws ServerError.
  Server(ServerOptions options, HandlerFactory factory);
  // Stops without waiting for requests in work, but for what a handler is in the middle of.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  unsigned short port() const;
  // Whether every worker has a handler, at the latest after that time.
  bool wait_until_ready(std::chrono::milliseconds most);
  // No new connections; requests in work are answered, with Connection: close. Returns at once.
  void stop();
  // Until it has stopped. A handler that never returns keeps it waiting.
  void wait();

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace shopmark::http
