#include "bench/http/connection.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/read_size.hpp>
#include <string_view>

namespace shopmark::http {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// Answers to pipelined requests go out together up to this.
constexpr std::size_t kMostOut_bytes = 64 * 1024;

Response json(unsigned status, std::string_view body, std::string_view route) {
  Response response;
  response.status = status;
  response.body = body;
  response.route = route;
  return response;
}

}  // namespace

Gauges Surroundings::gauges() const {
  Gauges gauges;
  gauges.connections = open.size();
  gauges.in_flight = in_flight;
  gauges.queued = pool.queued();
  gauges.workers = static_cast<std::size_t>(options.workers);
  gauges.workers_ready = static_cast<std::size_t>(pool.ready());
  gauges.handlers_replaced = pool.replaced();
  return gauges;
}

// Beyond the header's limit the buffer has room for the end of one chunk's line.
Connection::Connection(Socket socket, Surroundings& surroundings)
    : socket_(std::move(socket)),
      around_(surroundings),
      buffer_(surroundings.options.most_header_bytes + 512),
      reader_({surroundings.options.most_header_bytes, surroundings.options.most_target_bytes,
               surroundings.options.most_body_bytes}) {
  buffer_.reserve(std::min<std::size_t>(4096, buffer_.max_size()));
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
}

void Connection::start() {
  deadline_ = Clock::now() + around_.options.read_timeout;
  read();
}

void Connection::turn_away() {
  around_.metrics.rejected(Metrics::kTooManyConnections);
  keep_ = false;
  received_ = Clock::now();
  answer(unavailable("too_many_connections", "the server has as many connections as it takes"));
  send(Next::kLinger);
}

void Connection::stop() {
  error_code ignored;
  // What lies in the socket already was sent before it could know.
  if (phase_ == Phase::kIdle && socket_.available(ignored) == 0) close();
}

void Connection::close() {
  if (phase_ == Phase::kClosed) return;
  phase_ = Phase::kClosed;
  error_code ignored;
  socket_.close(ignored);
  // Whoever calls holds a pointer to this: not the last one is given up here.
  auto& open = around_.open;
  const auto self =
      std::find_if(open.begin(), open.end(), [&](const auto& its) { return its.get() == this; });
  if (self == open.end()) return;
  if (self != open.end() - 1) *self = std::move(open.back());
  open.pop_back();
}

void Connection::check(Clock::time_point now) {
  if (now < deadline_) return;
  switch (phase_) {
    case Phase::kIdle:
      around_.metrics.timed_out(Metrics::kIdle);
      return close();
    case Phase::kReading:
      around_.metrics.timed_out(Metrics::kReading);
      refuse({408, "too_slow", "the request took too long to arrive"});
      return send(Next::kLinger);
    case Phase::kWriting: {
      around_.metrics.timed_out(Metrics::kWriting);
      // Else the kernel would keep what the client does not take.
      error_code ignored;
      socket_.set_option(asio::socket_base::linger(true, 0), ignored);
      return close();
    }
    case Phase::kWorking:
    case Phase::kLingering:
    case Phase::kClosed:
      return close();
  }
}

// Answers what the buffer holds, up to a request that needs a worker or more bytes.
void Connection::process() {
  for (;;) {
    if (!begun_) {
      if (buffer_.size() == 0) return send(Next::kRead);
      begun_ = true;
      read_until_ = Clock::now() + around_.options.read_timeout;
    }
    switch (reader_.read(buffer_, request)) {
      case Reading::kMore:
        if (reader_.take_expects_continue()) out_ += "HTTP/1.1 100 Continue\r\n\r\n";
        return send(Next::kRead);
      case Reading::kRefused:
        refuse(reader_.refusal());
        return send(Next::kLinger);
      case Reading::kWhole:
        break;
    }
    received_ = Clock::now();
    keep_ = reader_.keep_alive() && !around_.stopping;
    if (!answer_here()) {
      if (!out_.empty()) return send(Next::kSubmit);
      if (submit()) return;
    }
    if (!keep_) return send(Next::kLinger);
    // A long body goes out before the next head.
    if (!body_.empty() || out_.size() >= kMostOut_bytes) return send(Next::kYield);
  }
}

// Whether it was one of the loop's own.
bool Connection::answer_here() {
  const std::string_view path =
      std::string_view(request.target).substr(0, request.target.find('?'));
  const bool metrics = path == "/metrics";
  if (!metrics && path != "/healthz") return false;
  const std::string_view route = metrics ? "metrics" : "healthz";
  if (request.method != "GET" && request.method != "HEAD") {
    Response refused = json(405, R"({"error":"method","message":"GET it"})", route);
    refused.headers.emplace_back("Allow", "GET, HEAD");
    answer(std::move(refused));
  } else if (metrics) {
    Response text = json(200, around_.metrics.text(around_.gauges()), route);
    text.content_type = kOpenMetricsType;
    answer(std::move(text));
  } else if (around_.stopping) {
    answer(json(503, R"({"status":"stopping"})", route));
  } else if (around_.pool.ready() == 0) {
    answer(json(503, R"({"status":"starting"})", route));
  } else {
    answer(json(200, R"({"status":"ok"})", route));
  }
  return true;
}

// Writes the answer to the present request into out_ and body_; makes ready for the next one.
void Connection::answer(Response its) {
  around_.metrics.answered(its.route, its.status, Clock::now() - received_);
  const std::string_view connection = !keep_ ? "close" : reader_.old_version() ? "keep-alive" : "";
  append_head(out_, its, around_.date.text(), connection);
  if (request.method != "HEAD" && may_have_body(its.status)) {
    // Short ones are copied, so that several go out together.
    if (its.body.size() < 2048) {
      out_ += its.body;
    } else {
      body_ = std::move(its.body);
    }
  }
  request_done();
}

void Connection::request_done() {
  reader_.reset();
  request.method.clear();
  request.target.clear();
  request.headers.clear();
  request.body = {};
  begun_ = false;
}

void Connection::refuse(const Refusal& refusal) {
  keep_ = false;
  received_ = Clock::now();
  Response its;
  its.status = refusal.status;
  its.body = R"({"error":")";
  its.body.append(refusal.code).append(R"(","message":")").append(refusal.message).append("\"}");
  its.route = "refused";
  answer(std::move(its));
}

// False when it was answered at once: one too many.
bool Connection::submit() {
  phase_ = Phase::kWorking;
  deadline_ = Clock::time_point::max();
  switch (around_.pool.submit(shared_from_this())) {
    case WorkerPool::Submitted::kYes:
      ++around_.in_flight;
      return true;
    case WorkerPool::Submitted::kQueueFull:
      around_.metrics.rejected(Metrics::kQueueFull);
      answer(unavailable("queue_full", "too many requests wait for a worker"));
      return false;
    case WorkerPool::Submitted::kNoneReady:
      around_.metrics.rejected(Metrics::kNotReady);
      answer(unavailable("not_ready", "no worker is ready"));
      return false;
  }
  return false;
}

void Connection::answered() {
  --around_.in_flight;
  if (phase_ == Phase::kClosed) return;
  keep_ = keep_ && !around_.stopping;
  answer(std::move(response));
  send(keep_ ? Next::kProcess : Next::kLinger);
}

void Connection::send(Next next) {
  next_ = next;
  if (write()) return go_on();
  if (phase_ == Phase::kClosed) return;
  phase_ = Phase::kWriting;
  deadline_ = Clock::now() + around_.options.write_timeout;
}

// False when it has to wait, or is closed: it goes on by itself.
bool Connection::write() {
  while (sent_ < out_.size() + body_.size()) {
    const std::size_t of_body = sent_ - std::min(sent_, out_.size());
    const std::array<asio::const_buffer, 2> rest = {asio::buffer(out_) + sent_,
                                                    asio::buffer(body_) + of_body};
    error_code error;
    // Mostly the kernel takes it all: no need to come back through the loop.
    sent_ += body_.empty() ? socket_.write_some(rest[0], error) : socket_.write_some(rest, error);
    if (!error) continue;
    if (error != asio::error::would_block && error != asio::error::try_again) {
      close();
      return false;
    }
    socket_.async_wait(Socket::wait_write, [self = shared_from_this()](error_code failed) {
      if (self->phase_ != Phase::kWriting) return;
      if (failed) return self->close();
      if (self->write()) self->go_on();
    });
    return false;
  }
  out_.clear();
  body_ = {};
  sent_ = 0;
  return true;
}

void Connection::go_on() {
  switch (next_) {
    case Next::kRead:
      if (around_.stopping && !begun_) return linger();
      phase_ = begun_ ? Phase::kReading : Phase::kIdle;
      deadline_ = begun_ ? read_until_ : Clock::now() + around_.options.idle_timeout;
      return read();
    case Next::kSubmit:
      if (submit()) return;
      return send(keep_ ? Next::kYield : Next::kLinger);
    case Next::kProcess:
      return process();
    case Next::kYield:
      phase_ = Phase::kWorking;
      deadline_ = Clock::time_point::max();
      return asio::post(socket_.get_executor(), [self = shared_from_this()] {
        if (self->phase_ != Phase::kClosed) self->process();
      });
    case Next::kLinger:
      return linger();
  }
}

// Closing with bytes unread would take the answer back from the client.
void Connection::linger() {
  phase_ = Phase::kLingering;
  deadline_ = Clock::now() + around_.options.linger_timeout;
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  read();
}

void Connection::read() {
  if (reading_) return;
  reading_ = true;
  socket_.async_read_some(buffer_.prepare(boost::beast::read_size(buffer_, kMostOut_bytes)),
                          [self = shared_from_this()](error_code failed, std::size_t bytes) {
                            self->reading_ = false;
                            if (self->phase_ == Phase::kClosed) return;
                            if (failed) return self->close();
                            self->on_read(bytes);
                          });
}

void Connection::on_read(std::size_t bytes) {
  if (phase_ == Phase::kLingering) {
    buffer_.clear();
    return read();
  }
  buffer_.commit(bytes);
  // A refusal for its slowness is being written: what came is too late.
  if (phase_ == Phase::kWriting) return;
  process();
}

}  // namespace shopmark::http
