#include "bench/http/server.h"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <optional>
#include <thread>
#include <utility>  // Asio 1.74 wants it first
#include <vector>

#include "bench/http/connection.h"

namespace shopmark::http {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;

using Acceptor = asio::basic_socket_acceptor<tcp, asio::io_context::executor_type>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>,
                                         asio::io_context::executor_type>;

// While descriptors are used up: until the next try to accept.
constexpr milliseconds kAcceptPause{50};

void log_to_stderr(std::string_view line) {
  std::fprintf(stderr, "http: %.*s\n", static_cast<int>(line.size()), line.data());
}

ServerOptions with_log(ServerOptions options) {
  if (!options.log) options.log = log_to_stderr;
  return options;
}

// How often the time limits are looked at: a limit is overstepped by an eighth at most.
milliseconds look_every(const ServerOptions& options) {
  const milliseconds least = std::min(
      {options.read_timeout, options.write_timeout, options.idle_timeout, options.linger_timeout});
  return std::clamp(least / 8, milliseconds(2), milliseconds(250));
}

}  // namespace

class Server::Loop {
 public:
  Loop(ServerOptions options, HandlerFactory factory);
  ~Loop();

  void start();
  void stop(bool at_once);
  void wait();
  unsigned short port() const { return port_; }
  bool wait_until_ready(milliseconds most) { return pool_.wait_until_ready(most); }

 private:
  void listen();
  void accept();
  void accepted(Socket socket);
  void deliver();
  void look();
  void await_signal();
  void begin_stop(bool at_once);
  void end();

  const ServerOptions options_;
  asio::io_context io_{1};  // one thread
  Acceptor acceptor_{io_};
  Timer accept_pause_{io_};
  Timer look_{io_};
  asio::signal_set signals_{io_};
  unsigned short port_ = 0;
  WorkerPool pool_;
  Surroundings around_;
  std::vector<std::shared_ptr<Work>> finished_;
  std::chrono::steady_clock::time_point stop_until_;
  std::thread thread_;
};

Server::Loop::Loop(ServerOptions options, HandlerFactory factory)
    : options_(with_log(std::move(options))),
      pool_({options_.workers, options_.queue, options_.first_retry, options_.last_retry,
             options_.log},
            std::move(factory), [this] { asio::post(io_, [this] { deliver(); }); }),
      around_{options_, pool_, {}, {}, {}, 0, false} {
  listen();
}

Server::Loop::~Loop() {
  stop(true);
  wait();
}

void Server::Loop::listen() {
  const std::string where = options_.address + ":" + std::to_string(options_.port);
  error_code error;
  const auto address = asio::ip::make_address(options_.address, error);
  if (error) throw ServerError("cannot listen on " + where + ": no IPv4 or IPv6 address");
  const tcp::endpoint endpoint(address, options_.port);
  acceptor_.open(endpoint.protocol(), error);
  if (!error) acceptor_.set_option(Acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(Acceptor::max_listen_connections, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  if (error) throw ServerError("cannot listen on " + where + ": " + error.message());
}

void Server::Loop::start() {
  around_.date.refresh(std::time(nullptr));
  if (options_.stop_on_signals) await_signal();
  pool_.start();
  accept();
  look();
  thread_ = std::thread([this] { io_.run(); });
}

void Server::Loop::stop(bool at_once) {
  asio::post(io_, [this, at_once] { begin_stop(at_once); });
}

void Server::Loop::wait() {
  if (thread_.joinable()) thread_.join();
  pool_.stop();
}

void Server::Loop::await_signal() {
  for (const int signal : {SIGINT, SIGTERM}) {
    error_code ignored;
    signals_.add(signal, ignored);
  }
  signals_.async_wait([this](error_code failed, int) {
    if (failed) return;
    begin_stop(around_.stopping);
    await_signal();
  });
}

void Server::Loop::accept() {
  acceptor_.async_accept([this](error_code failed, auto socket) {
    if (around_.stopping) return;
    if (!failed) accepted(Socket(std::move(socket)));
    if (!failed || failed == asio::error::connection_aborted) return accept();
    options_.log("accept: " + failed.message());
    accept_pause_.expires_after(kAcceptPause);
    accept_pause_.async_wait([this](error_code stopped) {
      if (!stopped && !around_.stopping) accept();
    });
  });
}

void Server::Loop::accepted(Socket socket) {
  around_.metrics.accepted();
  const std::size_t open = around_.open.size();
  // So many more are told so; beyond, not even that.
  if (open >= options_.most_connections + options_.most_connections / 8 + 8) {
    return around_.metrics.rejected(Metrics::kTooManyConnections);
  }
  const auto connection = std::make_shared<Connection>(std::move(socket), around_);
  around_.open.push_back(connection);
  if (open >= options_.most_connections) {
    connection->turn_away();
  } else {
    connection->start();
  }
}

void Server::Loop::deliver() {
  pool_.finished(finished_);
  for (const auto& work : finished_) work->answered();
  finished_.clear();
}

// Every so often: the date, the time limits, whether all is over.
void Server::Loop::look() {
  const auto now = std::chrono::steady_clock::now();
  around_.date.refresh(std::time(nullptr));
  // From the end, where one that closes is replaced by one that was looked at.
  for (std::size_t i = around_.open.size(); i-- > 0;) {
    const auto connection = around_.open[i];
    connection->check(now);
  }
  if (around_.stopping && (around_.open.empty() || now >= stop_until_)) return end();
  look_.expires_after(around_.stopping ? milliseconds(2) : look_every(options_));
  look_.async_wait([this](error_code stopped) {
    if (!stopped || around_.stopping) look();
  });
}

void Server::Loop::begin_stop(bool at_once) {
  const auto now = std::chrono::steady_clock::now();
  if (!around_.stopping) {
    around_.stopping = true;
    stop_until_ = now + options_.stop_timeout;
    error_code ignored;
    acceptor_.close(ignored);
    for (std::size_t i = around_.open.size(); i-- > 0;) {
      const auto connection = around_.open[i];
      connection->stop();
    }
  }
  if (at_once) stop_until_ = now;
  look_.cancel();
}

void Server::Loop::end() {
  while (!around_.open.empty()) {
    const auto connection = around_.open.back();
    connection->close();
  }
  io_.stop();
}

Server::Server(ServerOptions options, HandlerFactory factory)
    : loop_(std::make_unique<Loop>(std::move(options), std::move(factory))) {}
Server::~Server() = default;

void Server::start() { loop_->start(); }
unsigned short Server::port() const { return loop_->port(); }
bool Server::wait_until_ready(milliseconds most) { return loop_->wait_until_ready(most); }
void Server::stop() { loop_->stop(false); }
void Server::wait() { loop_->wait(); }

}  // namespace shopmark::http
