// A shop of a few routes, each good for one kind of test:
//   /echo     method, target and body as they arrived
//   /wait     answers once release() was called
//   /large    4 MB
//   /throw    throws; /throw_number throws what is no exception
//   /break    answers, and is not usable any more
//   /empty    204
//   /split    a header that would be two
//   /number/N N

#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bench/http/handler.h"
#include "bench/http/server.h"

namespace shopmark::http {

class FakeShop {
 public:
  static constexpr std::size_t kLarge_bytes = 4'000'000;

  HandlerFactory handlers();

  // What waits in /wait goes on, and all that comes.
  void release();
  // That many requests have begun to wait.
  void await_waiting(int requests);

  std::atomic<int> made = 0;      // handlers
  std::atomic<int> refusals = 0;  // so many times the factory throws first
  std::atomic<int> handled = 0;

 private:
  class Its;
  Response wait();

  std::mutex mutex_;
  std::condition_variable changed_;
  bool released_ = false;
  int waiting_ = 0;
};

// Collects the log's lines.
class Log {
 public:
  std::function<void(std::string_view)> writer();
  bool has(std::string_view part) const;

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

// A server in this process whose limits are short enough for a test.
struct RunningServer {
  explicit RunningServer(ServerOptions options = short_limits());
  ~RunningServer() { shop.release(); }
  static ServerOptions short_limits();

  Log log;
  FakeShop shop;
  Server server;
};

}  // namespace shopmark::http
