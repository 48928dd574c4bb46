// An HTTP server on threads of its own that answers as a test says: late, wrong, in pieces, never.

#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace shopmark::drive {

struct FakeAnswer {
  std::string bytes;  // the whole response
  std::chrono::milliseconds after{0};
  bool close = false;               // the connection, after it
  bool reset = false;               // the connection, instead of closing it
  std::size_t bytes_at_a_time = 0;  // 0: all at once
};

inline std::string fake_response(unsigned status, const std::string& body,
                                 const std::string& headers = {}) {
  return "HTTP/1.1 " + std::to_string(status) + " Reason\r\n" + headers +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

class FakeServer {
 public:
  // `number`: how many requests came before, on all connections; `request`: head and body. Called
  // on many threads.
  using Behaviour = std::function<FakeAnswer(std::uint64_t number, std::string_view request)>;

  explicit FakeServer(Behaviour behaviour, std::size_t most_accepted = SIZE_MAX)
      : behaviour_(std::move(behaviour)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 1024) != 0 ||
        ::getsockname(listener_, generic, &size) != 0) {
      throw std::runtime_error("the fake server cannot listen");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this, most_accepted] { accept(most_accepted); });
  }
  ~FakeServer() {
    stop_ = true;
    acceptor_.join();
    for (std::thread& thread : connections_) thread.join();
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;

  std::uint16_t port() const { return port_; }
  // Connections that sent a request.
  std::uint64_t used_connections() const { return used_; }
  std::uint64_t requests() const { return requests_; }
  // The most requests that one connection had sent before the first of them was answered.
  std::size_t most_waiting() const { return most_waiting_; }

 private:
  static bool readable(int socket) {
    pollfd ready{socket, POLLIN, 0};
    return ::poll(&ready, 1, 20) == 1;
  }

  void accept(std::size_t most) {
    for (std::size_t accepted = 0; accepted < most && !stop_;) {
      if (!readable(listener_)) continue;
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) continue;
      ++accepted;
      const int on = 1;
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      connections_.emplace_back([this, socket] { serve(socket); });
    }
    ::close(listener_);
  }

  // 0 while the first request is not whole.
  static std::size_t request_size(const std::string& input) {
    constexpr std::string_view kLength = "Content-Length: ";
    const std::size_t end = input.find("\r\n\r\n");
    if (end == std::string::npos) return 0;
    const std::size_t length = input.find(kLength);
    const std::size_t body =
        length < end ? std::stoul(input.substr(length + kLength.size(), 10)) : 0;
    return input.size() < end + 4 + body ? 0 : end + 4 + body;
  }

  void serve(int socket) {
    std::string input;
    bool used = false;
    while (!stop_) {
      const std::size_t size = request_size(input);
      if (size == 0) {
        if (!readable(socket)) continue;
        char buffer[4096];
        const ssize_t read = ::recv(socket, buffer, sizeof(buffer), 0);
        if (read <= 0) break;
        input.append(buffer, static_cast<std::size_t>(read));
        continue;
      }
      if (!std::exchange(used, true)) ++used_;
      const std::string request = input.substr(0, size);
      const FakeAnswer answer = behaviour_(requests_++, request);
      sleep(answer.after);
      drain(socket, input);
      count(input);
      input.erase(0, size);
      if (!send(socket, answer)) break;
      if (answer.reset) {
        const linger now{1, 0};
        ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
      }
      if (answer.close || answer.reset) break;
    }
    ::close(socket);
  }

  // In steps, so that a server that never answers ends with the test.
  void sleep(std::chrono::milliseconds time) const {
    const auto until = std::chrono::steady_clock::now() + time;
    while (!stop_ && std::chrono::steady_clock::now() < until) {
      const auto left = until - std::chrono::steady_clock::now();
      std::this_thread::sleep_for(
          std::min<std::chrono::nanoseconds>(left, std::chrono::milliseconds(20)));
    }
  }

  static void drain(int socket, std::string& input) {
    char buffer[4096];
    ssize_t size = 0;
    while ((size = ::recv(socket, buffer, sizeof(buffer), MSG_DONTWAIT)) > 0) {
      input.append(buffer, static_cast<std::size_t>(size));
    }
  }

  void count(const std::string& input) {
    std::size_t waiting = 0;
    for (std::size_t at = 0; (at = input.find("\r\n\r\n", at)) != std::string::npos; at += 4) {
      ++waiting;
    }
    const std::lock_guard lock(mutex_);
    most_waiting_ = std::max<std::size_t>(most_waiting_, waiting);
  }

  static bool send(int socket, const FakeAnswer& answer) {
    const std::size_t piece =
        answer.bytes_at_a_time == 0 ? answer.bytes.size() : answer.bytes_at_a_time;
    for (std::size_t at = 0; at < answer.bytes.size(); at += piece) {
      const std::size_t size = std::min(piece, answer.bytes.size() - at);
      if (::send(socket, answer.bytes.data() + at, size, MSG_NOSIGNAL) < 0) return false;
    }
    return true;
  }

  Behaviour behaviour_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> requests_{0};
  std::atomic<std::uint64_t> used_{0};
  std::atomic<std::size_t> most_waiting_{0};
  std::mutex mutex_;
  std::thread acceptor_;
  std::vector<std::thread> connections_;  // the acceptor's, until it is joined
};

}  // namespace shopmark::drive
