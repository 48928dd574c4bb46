#include "tests/bench/http/fake_shop.h"

#include <chrono>
#include <stdexcept>
#include <utility>

namespace shopmark::http {

class FakeShop::Its final : public Handler {
 public:
  explicit Its(FakeShop& shop) : shop_(shop) {}

  Response handle(const Request& request) override {
    ++shop_.handled;
    const std::string path = request.target.substr(0, request.target.find('?'));
    Response response;
    response.content_type = "text/plain";
    response.route = "fake";
    if (path == "/echo") {
      response.body = request.method + " " + request.target + " " + request.body;
    } else if (path == "/wait") {
      return shop_.wait();
    } else if (path == "/large") {
      response.body.assign(kLarge_bytes, 'x');
    } else if (path == "/throw") {
      throw std::runtime_error("secret reason");
    } else if (path == "/throw_number") {
      throw 1;
    } else if (path == "/break") {
      usable_ = false;
    } else if (path == "/empty") {
      response.status = 204;
    } else if (path == "/split") {
      response.headers.emplace_back("X-Name", "a\r\nX-Other: b");
    } else if (path.rfind("/number/", 0) == 0) {
      response.body = path.substr(8);
    } else {
      response.status = 404;
      response.route = "unknown";
    }
    return response;
  }

  bool usable() const override { return usable_; }

 private:
  FakeShop& shop_;
  bool usable_ = true;
};

HandlerFactory FakeShop::handlers() {
  return [this] {
    if (refusals > 0) {
      --refusals;
      throw std::runtime_error("no database");
    }
    ++made;
    return std::make_unique<Its>(*this);
  };
}

Response FakeShop::wait() {
  std::unique_lock lock(mutex_);
  ++waiting_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return released_; });
  Response response;
  response.body = "waited";
  response.route = "wait";
  return response;
}

void FakeShop::release() {
  const std::lock_guard lock(mutex_);
  released_ = true;
  changed_.notify_all();
}

void FakeShop::await_waiting(int requests) {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, std::chrono::seconds(5), [&] { return waiting_ >= requests; })) {
    throw std::runtime_error("the requests do not wait");
  }
}

std::function<void(std::string_view)> Log::writer() {
  return [this](std::string_view line) {
    const std::lock_guard lock(mutex_);
    text_.append(line).append("\n");
  };
}

bool Log::has(std::string_view part) const {
  const std::lock_guard lock(mutex_);
  return text_.find(part) != text_.npos;
}

ServerOptions RunningServer::short_limits() {
  using std::chrono::milliseconds;
  ServerOptions options;
  options.workers = 2;
  options.queue = 2;
  options.read_timeout = milliseconds(300);
  options.write_timeout = milliseconds(300);
  options.idle_timeout = milliseconds(300);
  options.linger_timeout = milliseconds(200);
  options.stop_timeout = milliseconds(500);
  options.first_retry = milliseconds(5);
  options.last_retry = milliseconds(20);
  return options;
}

RunningServer::RunningServer(ServerOptions options)
    : server(
          [&] {
            options.log = log.writer();
            return options;
          }(),
          shop.handlers()) {
  server.start();
  if (!server.wait_until_ready(std::chrono::seconds(5))) {
    throw std::runtime_error("the server does not become ready");
  }
}

}  // namespace shopmark::http
