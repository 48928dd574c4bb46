// One connection to the server: requests out, responses in, in the order of the requests.
//
// Thread rule: all on the thread that runs the io_context. Reentrancy rule: what a caller calls
// here never calls the listener back, but for sending(); the listener hears from Asio's handlers
// only, and may then call anything here, drop() too. Handlers keep the connection alive.

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/load/record.h"
#include "bench/load/response_reader.h"

namespace shopmark::drive {

// The steady clock, counted from its making.
class Clock {
 public:
  std::int64_t now() const { return (std::chrono::steady_clock::now() - start_).count(); }
  std::chrono::steady_clock::time_point at(std::int64_t time) const {
    return start_ + std::chrono::nanoseconds(time);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// What an error of the system means for a request that had to wait for it: kClient when this
// machine had no port, descriptor or memory left, else kConnection.
Outcome outcome_of(const boost::system::error_code& error);

class Connection;

class ConnectionListener {
 public:
  ConnectionListener() = default;
  virtual ~ConnectionListener() = default;
  ConnectionListener(const ConnectionListener&) = delete;
  ConnectionListener& operator=(const ConnectionListener&) = delete;

  virtual void connected(Connection& connection, std::int64_t now) = 0;
  // Just before these are written. May not touch the connection.
  virtual void sending(Connection& connection, std::span<const std::uint32_t> requests,
                       std::int64_t now) = 0;
  // The response, whose body may be changed, was read whole at `now`.
  virtual void answered(Connection& connection, std::uint32_t request, ResponseReader& response,
                        std::int64_t now) = 0;
  // The connection is of no more use, or never was. `lost`: what was to be answered on it; the
  // first became `outcome`, which is kOk when the connection ended as connections may, and the
  // others never had their turn.
  virtual void broken(Connection& connection, Outcome outcome, const std::string& reason,
                      std::span<const std::uint32_t> lost) = 0;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // Clock and listener must outlive it. `tag` is the listener's.
  Connection(boost::asio::io_context& io, const Clock& clock, ConnectionListener& listener,
             std::uint32_t tag);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  std::uint32_t tag() const { return tag_; }
  // Once, right after it was made. The listener hears of it.
  void connect(const boost::asio::ip::tcp::endpoint& server);
  bool connecting() const { return state_ == State::kConnecting; }
  // Whether it ever took requests.
  bool was_open() const { return !buffer_.empty(); }
  // Whether it takes requests.
  bool usable() const { return state_ == State::kOpen; }

  // A request: its bytes are appended to out(), then it is announced by add(). flush() writes what
  // was announced; of those added within answered() the connection does that itself, soon after.
  std::string& out() { return out_; }
  void add(std::uint32_t request) { outstanding_.push_back(request); }
  void flush();

  // Closes it at once; what was to be answered. The listener hears no more.
  std::vector<std::uint32_t> drop();
  // For one that was left to the server to close (see broken()) and was not: no port stays taken.
  void reset();

 private:
  enum class State : std::uint8_t { kConnecting, kOpen, kEnding, kClosed };

  void on_connected(const boost::system::error_code& error);
  void read();
  void on_read(const boost::system::error_code& error, std::size_t size);
  // False when the connection is of no more use.
  bool deliver(std::string_view bytes, std::int64_t now);
  void end(const boost::system::error_code& error, std::int64_t now);
  void break_off(Outcome outcome, const std::string& reason);
  void fail_later(const boost::system::error_code& error);
  void forget_answered();
  std::vector<std::uint32_t> take_outstanding();

  static constexpr std::size_t kBufferBytes = 16 * 1024;

  boost::asio::ip::tcp::socket socket_;
  const Clock& clock_;
  ConnectionListener& listener_;
  const std::uint32_t tag_;
  State state_ = State::kConnecting;
  bool delivering_ = false;
  bool blocked_ = false;       // waits until more can be written
  bool write_failed_ = false;  // the read says what became of it
  std::string out_;            // from written_ on still to be written
  std::size_t written_ = 0;
  std::vector<std::uint32_t> outstanding_;  // from answered_ on
  std::size_t answered_ = 0;
  std::size_t sent_ = 0;  // of outstanding_
  ResponseReader reader_;
  std::vector<char> buffer_;
};

}  // namespace shopmark::drive
