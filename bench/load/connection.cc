#include "bench/load/connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <utility>

namespace shopmark::drive {

namespace asio = boost::asio;
using boost::system::error_code;

Outcome outcome_of(const error_code& error) {
  switch (error.value()) {
    case EMFILE:
    case ENFILE:
    case EADDRNOTAVAIL:
    case EADDRINUSE:
    case ENOBUFS:
    case ENOMEM:
      return Outcome::kClient;
    default:
      return Outcome::kConnection;
  }
}

Connection::Connection(asio::io_context& io, const Clock& clock, ConnectionListener& listener,
                       std::uint32_t tag)
    : socket_(io), clock_(clock), listener_(listener), tag_(tag) {}

void Connection::connect(const asio::ip::tcp::endpoint& server) {
  error_code error;
  socket_.open(server.protocol(), error);
  if (!error) socket_.set_option(asio::ip::tcp::no_delay(true), error);
  if (!error) socket_.non_blocking(true, error);
  if (error) {
    fail_later(error);
    return;
  }
  socket_.async_connect(server, [self = shared_from_this()](const error_code& failure) {
    self->on_connected(failure);
  });
}

void Connection::fail_later(const error_code& error) {
  asio::post(socket_.get_executor(),
             [self = shared_from_this(), error] { self->on_connected(error); });
}

void Connection::on_connected(const error_code& error) {
  if (state_ != State::kConnecting) return;
  if (error) {
    break_off(outcome_of(error), "cannot connect: " + error.message());
    return;
  }
  state_ = State::kOpen;
  buffer_.resize(kBufferBytes);
  listener_.connected(*this, clock_.now());
  if (state_ != State::kOpen) return;
  flush();
  read();
}

void Connection::flush() {
  if (delivering_ || blocked_ || write_failed_ || state_ != State::kOpen || out_.empty()) return;
  if (sent_ < outstanding_.size()) {
    const std::span<const std::uint32_t> all(outstanding_);
    listener_.sending(*this, all.subspan(sent_), clock_.now());
    sent_ = outstanding_.size();
  }
  error_code error;
  while (written_ < out_.size()) {
    written_ +=
        socket_.write_some(asio::buffer(out_.data() + written_, out_.size() - written_), error);
    if (error) break;
  }
  if (error == asio::error::would_block || error == asio::error::try_again) {
    blocked_ = true;
    socket_.async_wait(asio::ip::tcp::socket::wait_write,
                       [self = shared_from_this()](const error_code& failure) {
                         self->blocked_ = false;
                         if (!failure) self->flush();
                       });
    return;
  }
  write_failed_ = static_cast<bool>(error);
  out_.clear();
  written_ = 0;
}

void Connection::read() {
  socket_.async_read_some(asio::buffer(buffer_.data(), buffer_.size()),
                          [self = shared_from_this()](const error_code& error, std::size_t size) {
                            self->on_read(error, size);
                          });
}

void Connection::on_read(const error_code& error, std::size_t size) {
  if (state_ == State::kClosed) return;
  if (state_ == State::kEnding) {
    // Only its end is waited for.
    if (error) {
      drop();
    } else {
      read();
    }
    return;
  }
  const std::int64_t now = clock_.now();
  if (error) {
    end(error, now);
    return;
  }
  delivering_ = true;
  const bool usable = deliver({buffer_.data(), size}, now);
  delivering_ = false;
  if (state_ == State::kClosed) return;
  // Later, so that an answer that has come on another connection does not wait, and is not counted
  // late, for the system's work on this request.
  if (usable && !out_.empty()) {
    asio::post(socket_.get_executor(), [self = shared_from_this()] { self->flush(); });
  }
  read();
}

bool Connection::deliver(std::string_view bytes, std::int64_t now) {
  while (!bytes.empty()) {
    if (sent_ == answered_) {
      break_off(Outcome::kInvalid, "the server sent what nobody had asked for");
      return false;
    }
    bytes.remove_prefix(reader_.take(bytes));
    if (reader_.problem() != nullptr) {
      break_off(Outcome::kInvalid, std::string("no HTTP/1.1 response: ") + reader_.problem());
      return false;
    }
    if (!reader_.whole()) return true;
    const std::uint32_t request = outstanding_[answered_++];
    forget_answered();
    // Nothing more is taken on a connection that is about to end.
    const bool surplus = !bytes.empty() && sent_ == answered_;
    const bool keeps = reader_.keeps();
    if (!keeps || surplus) state_ = State::kEnding;
    listener_.answered(*this, request, reader_, now);
    reader_.reset();
    if (state_ == State::kClosed) return false;
    if (surplus) continue;
    if (!keeps) {
      listener_.broken(*this, Outcome::kOk, "the server closed the connection", take_outstanding());
      return false;
    }
  }
  return true;
}

void Connection::end(const error_code& error, std::int64_t now) {
  if (error == asio::error::eof) reader_.end();
  if (sent_ > answered_ && reader_.whole()) {
    const std::uint32_t request = outstanding_[answered_++];
    state_ = State::kEnding;
    listener_.answered(*this, request, reader_, now);
    if (state_ == State::kClosed) return;
    break_off(Outcome::kOk, "the server closed the connection");
    return;
  }
  if (answered_ == outstanding_.size()) {
    break_off(Outcome::kOk, "the server closed an idle connection");
    return;
  }
  const char* when = reader_.begun() ? " within an answer" : " before an answer";
  if (error == asio::error::eof) {
    break_off(Outcome::kConnection, std::string("the server closed the connection") + when);
  } else {
    break_off(Outcome::kConnection, error.message() + when);
  }
}

void Connection::break_off(Outcome outcome, const std::string& reason) {
  const std::vector<std::uint32_t> lost = drop();
  listener_.broken(*this, outcome, reason, lost);
}

void Connection::forget_answered() {
  // When pipelined, it may never be empty.
  constexpr std::size_t kMostAnswered = 4096;
  if (answered_ < outstanding_.size() && answered_ < kMostAnswered) return;
  outstanding_.erase(outstanding_.begin(),
                     outstanding_.begin() + static_cast<std::ptrdiff_t>(answered_));
  sent_ -= answered_;
  answered_ = 0;
}

std::vector<std::uint32_t> Connection::take_outstanding() {
  std::vector<std::uint32_t> lost(outstanding_.begin() + static_cast<std::ptrdiff_t>(answered_),
                                  outstanding_.end());
  outstanding_.clear();
  answered_ = sent_ = 0;
  return lost;
}

std::vector<std::uint32_t> Connection::drop() {
  state_ = State::kClosed;
  error_code ignored;
  socket_.close(ignored);
  return take_outstanding();
}

void Connection::reset() {
  if (state_ == State::kClosed) return;
  error_code ignored;
  socket_.set_option(asio::socket_base::linger(true, 0), ignored);
  drop();
}

}  // namespace shopmark::drive
