// One client's connection: reads a request, has it answered, writes the answer, and again. So
// pipelined requests are answered in order.

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>  // Asio 1.74 wants it first
#include <vector>

#include "bench/http/answer_text.h"
#include "bench/http/metrics.h"
#include "bench/http/request_reader.h"
#include "bench/http/server.h"
#include "bench/http/worker_pool.h"

namespace shopmark::http {

using Socket =
    boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

class Connection;

// What all connections of a loop share. Thread rule: the loop's.
struct Surroundings {
  const ServerOptions& options;
  WorkerPool& pool;
  Metrics metrics;
  DateText date;
  std::vector<std::shared_ptr<Connection>> open;
  std::size_t in_flight = 0;
  bool stopping = false;

  Gauges gauges() const;
};

// Thread rule: the loop's, but for the request and response while a worker has them.
class Connection final : public Work, public std::enable_shared_from_this<Connection> {
 public:
  using Clock = std::chrono::steady_clock;

  // `surroundings` outlives its open connections.
  Connection(Socket socket, Surroundings& surroundings);

  void start();
  // Answers 503 and closes.
  void turn_away();
  // Ends what has taken too long.
  void check(Clock::time_point now);
  // The server stops: closes it unless a request has begun.
  void stop();
  // At once.
  void close();
  void answered() override;

 private:
  enum class Phase { kIdle, kReading, kWorking, kWriting, kLingering, kClosed };
  // What comes after all was written.
  enum class Next { kRead, kSubmit, kProcess, kYield, kLinger };

  void process();
  void read();
  void on_read(std::size_t bytes);
  bool answer_here();
  void answer(Response response);
  bool submit();
  void refuse(const Refusal& refusal);
  void send(Next next);
  bool write();
  void go_on();
  void linger();
  void request_done();

  Socket socket_;
  Surroundings& around_;
  boost::beast::flat_buffer buffer_;
  RequestReader reader_;

  Phase phase_ = Phase::kIdle;
  Next next_ = Next::kRead;
  bool reading_ = false;                                   // a read is under way
  bool begun_ = false;                                     // the first byte of a request is there
  bool keep_ = true;                                       // once this request is answered
  Clock::time_point deadline_ = Clock::time_point::max();  // of the phase
  Clock::time_point read_until_;                           // the request has to be there
  Clock::time_point received_;                             // it was

  std::string out_;   // heads, and short answers whole
  std::string body_;  // after out_
  std::size_t sent_ = 0;
};

}  // namespace shopmark::http
