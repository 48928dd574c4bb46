#include "tests/bench/http/raw_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace shopmark::http {

std::string Answer::header(std::string_view name) const {
  std::string line = "\r\n";
  line.append(name).append(": ");
  const std::size_t at = head.find(line);
  if (at == head.npos) return {};
  const std::size_t begin = at + line.size();
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

RawClient::RawClient(unsigned short port, int receive_buffer_bytes)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (receive_buffer_bytes > 0) {
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
                 sizeof receive_buffer_bytes);
  }
  const int one = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close();
    throw std::runtime_error("cannot connect");
  }
}

RawClient::~RawClient() { close(); }

RawClient::RawClient(RawClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      ended_(other.ended_),
      reset_(other.reset_),
      received_(std::move(other.received_)) {}

bool RawClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawClient::half_close() { ::shutdown(socket_, SHUT_WR); }

void RawClient::close() {
  if (socket_ >= 0) ::close(std::exchange(socket_, -1));
}

void RawClient::vanish() {
  const linger reset{1, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  close();
}

// False when nothing more came.
bool RawClient::receive(std::chrono::steady_clock::time_point until) {
  if (ended_) return false;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - std::chrono::steady_clock::now());
  if (left.count() < 0) return false;
  pollfd wanted{socket_, POLLIN, 0};
  if (::poll(&wanted, 1, static_cast<int>(left.count()) + 1) <= 0) return false;
  std::array<char, 65536> bytes;
  const ssize_t received = ::recv(socket_, bytes.data(), bytes.size(), 0);
  if (received <= 0) {
    ended_ = true;
    reset_ = received < 0;
    return false;
  }
  received_.append(bytes.data(), static_cast<std::size_t>(received));
  return true;
}

Answer RawClient::answer(bool has_body, std::chrono::milliseconds most) {
  const auto until = std::chrono::steady_clock::now() + most;
  std::size_t end = 0;
  while ((end = received_.find("\r\n\r\n")) == received_.npos) {
    if (!receive(until)) return {};
  }
  if (received_.rfind("HTTP/1.1 ", 0) != 0) return {};
  Answer answer;
  answer.head = received_.substr(0, end);
  answer.status =
      static_cast<unsigned>(std::strtoul(answer.head.substr(9, 3).c_str(), nullptr, 10));
  received_.erase(0, end + 4);
  const std::string length = answer.header("Content-Length");
  if (!has_body || length.empty()) return answer;
  const std::size_t size = std::stoul(length);
  while (received_.size() < size) {
    if (!receive(until)) return {};
  }
  answer.body = received_.substr(0, size);
  received_.erase(0, size);
  return answer;
}

bool RawClient::closed(std::chrono::milliseconds most) {
  const auto until = std::chrono::steady_clock::now() + most;
  while (receive(until)) {
  }
  return ended_;
}

std::string get(std::string_view target, const std::vector<std::string>& lines) {
  std::string request = "GET ";
  request.append(target).append(" HTTP/1.1\r\nHost: localhost\r\n");
  for (const auto& line : lines) request.append(line).append("\r\n");
  return request + "\r\n";
}

}  // namespace shopmark::http
