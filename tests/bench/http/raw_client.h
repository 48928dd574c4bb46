// A client as bad as a test wants it: bytes over a socket.

#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace shopmark::http {

struct Answer {
  unsigned status = 0;
  std::string head;  // with the status line, without the empty line
  std::string body;

  // The value of that header, spelled as the server does; empty when there is none.
  std::string header(std::string_view name) const;
};

class RawClient {
 public:
  // Connects to 127.0.0.1; a small receive buffer makes a slow reader. Throws std::runtime_error.
  explicit RawClient(unsigned short port, int receive_buffer_bytes = 0);
  ~RawClient();
  RawClient(RawClient&& other) noexcept;
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // False when the other side no longer takes it.
  bool send(std::string_view bytes);
  // Ends its side, reads on.
  void half_close();
  void close();
  // With a reset instead of an orderly end.
  void vanish();

  // The next answer: as long as Content-Length says, or without a body (HEAD, 1xx). A status of 0
  // when the connection ends, nothing comes in time, or what comes is no answer.
  Answer answer(bool has_body = true, std::chrono::milliseconds most = std::chrono::seconds(5));
  // Whether the other side closes in time; rest() is what it sent until then.
  bool closed(std::chrono::milliseconds most = std::chrono::seconds(5));
  // Whether that was no orderly end: what the other side sent before may be lost.
  bool was_reset() const { return reset_; }
  // Bytes that came and belong to no answer yet.
  const std::string& rest() const { return received_; }

 private:
  bool receive(std::chrono::steady_clock::time_point until);

  int socket_ = -1;
  bool ended_ = false;
  bool reset_ = false;
  std::string received_;
};

// "GET TARGET HTTP/1.1" with Host and these further lines.
std::string get(std::string_view target, const std::vector<std::string>& lines = {});

}  // namespace shopmark::http
