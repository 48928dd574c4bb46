#include "bench/load/open_loop.h"

#include <algorithm>
#include <string>
#include <utility>

namespace shopmark::drive {

OpenLoop::OpenLoop(boost::asio::io_context& io, const Clock& clock, const Scenario& scenario,
                   Book& book, boost::asio::ip::tcp::endpoint server)
    : io_(io),
      clock_(clock),
      scenario_(scenario),
      book_(book),
      server_(std::move(server)),
      end_(static_cast<std::uint32_t>(book.size())),
      in_flight_of_(scenario.scripts.size(), 0) {}

std::optional<std::int64_t> OpenLoop::next_due() const {
  if (next_ == end_) return std::nullopt;
  return book_[next_].scheduled;
}

void OpenLoop::take_up(std::int64_t now) {
  const std::uint32_t request = next_++;
  Record& record = book_[request];
  record.begun = now;
  std::int64_t& in_flight = in_flight_of_[record.script];
  ++in_flight;
  ++in_flight_;
  if (in_flight > scenario_.most_in_flight) {
    fail(request, Outcome::kRejected, "as many are in flight as may be");
  } else if (in_session(record)) {
    Visit& visit = visits_[record.visit];
    visit.steps.push_back(request);
    advance(visit);
    if (visit.settled == book_.entry_of(record).steps.size()) visits_.erase(record.visit);
  } else {
    record.ready = record.scheduled;
    wait_for_connection(request);
  }
  serve();
}

void OpenLoop::wait_for_connection(std::uint32_t request) { waiting_.push(request); }

std::uint32_t OpenLoop::next_waiting() {
  const std::uint32_t request = waiting_.top();
  waiting_.pop();
  return request;
}

void OpenLoop::serve() {
  while (!waiting_.empty() && !idle_.empty()) {
    const Idle idle = idle_.back();
    idle_.pop_back();
    send(next_waiting(), idle);
  }
  const auto most = static_cast<std::size_t>(scenario_.most_connections);
  while (waiting_.size() > connecting_ && connections_.size() < most) open();
}

void OpenLoop::send(std::uint32_t request, const Idle& idle) {
  Record& record = book_[request];
  record.ready = std::max(record.ready, idle.since);
  const Session& session = in_session(record) ? visits_[record.visit].session : alone_;
  book_.put(request, session, *idle.connection);
  idle.connection->flush();
}

void OpenLoop::open() {
  const auto connection = std::make_shared<Connection>(io_, clock_, *this, 0);
  connections_.emplace(connection.get(), connection);
  ++connecting_;
  connects_.add(*connection, clock_.now() + book_.timeout());
  connection->connect(server_);
}

void OpenLoop::remove(Connection& connection) {
  const auto same = [&](const Idle& idle) { return idle.connection == &connection; };
  idle_.erase(std::remove_if(idle_.begin(), idle_.end(), same), idle_.end());
  if (!connection.was_open()) --connecting_;
  connections_.erase(&connection);
}

void OpenLoop::connected(Connection& connection, std::int64_t now) {
  --connecting_;
  idle_.push_back({&connection, now});
  serve();
}

void OpenLoop::sending(Connection& connection, std::span<const std::uint32_t> requests,
                       std::int64_t now) {
  for (const std::uint32_t request : requests) {
    book_[request].sent = now;
    flights_.send(request, now, connection);
  }
}

void OpenLoop::answered(Connection& connection, std::uint32_t request, ResponseReader& response,
                        std::int64_t now) {
  const Record& record = book_[request];
  alone_ = Session();
  Visit* const visit = in_session(record) ? &visits_[record.visit] : nullptr;
  const Outcome outcome =
      book_.judge(request, visit != nullptr ? visit->session : alone_, response, now);
  alone_ = Session();
  if (visit != nullptr) visit->answered_at = now;
  if (connection.usable() && scenario_.new_connections) {
    // The server would have it stay.
    connection.drop();
    remove(connection);
  } else if (connection.usable()) {
    idle_.push_back({&connection, now});
  }
  settle(request, outcome);
  serve();
}

void OpenLoop::broken(Connection& connection, Outcome outcome, const std::string& reason,
                      std::span<const std::uint32_t> lost) {
  const bool was_open = connection.was_open();
  if (was_open && outcome == Outcome::kOk) lingering_.add(connection, clock_.now() + kMostLinger);
  if (lost.empty() && outcome == Outcome::kInvalid) {
    book_.complain(Route::kPath, outcome, reason);
  }
  remove(connection);
  for (const std::uint32_t request : lost) {
    fail(request, outcome == Outcome::kOk ? Outcome::kConnection : outcome, reason);
    outcome = Outcome::kConnection;
  }
  // The one that waits longest has had its try.
  if (!was_open && !waiting_.empty()) fail(next_waiting(), outcome, reason);
  serve();
}

void OpenLoop::fail(std::uint32_t request, Outcome outcome, const std::string& reason) {
  book_.conclude(request, outcome, reason);
  settle(request, outcome);
}

void OpenLoop::settle(std::uint32_t request, Outcome outcome) {
  const Record& record = book_[request];
  --in_flight_;
  --in_flight_of_[record.script];
  if (!in_session(record)) return;
  Visit& visit = visits_[record.visit];
  ++visit.settled;
  if (outcome == Outcome::kOk) {
    ++visit.answered;
    visit.over = Book::ends_session(record.route, visit.session);
  } else {
    visit.failed = true;
  }
  advance(visit);
  if (visit.settled == book_.entry_of(record).steps.size()) visits_.erase(record.visit);
}

void OpenLoop::advance(Visit& visit) {
  while (!visit.steps.empty()) {
    const std::uint32_t request = visit.steps.front();
    Record& record = book_[request];
    if (visit.over || visit.failed) {
      if (visit.over) {
        book_.forget(request);
      } else {
        book_.conclude(request, Outcome::kSession, "an earlier step of its session failed");
      }
      --in_flight_;
      --in_flight_of_[record.script];
      ++visit.settled;
    } else if (record.step == visit.answered) {
      record.ready = std::max(record.scheduled, visit.answered_at);
      wait_for_connection(request);
    } else {
      return;
    }
    visit.steps.pop_front();
  }
}

void OpenLoop::time_out(std::uint32_t request, std::int64_t now) {
  book_[request].done = now;
  fail(request, Outcome::kTimedOut, book_.timeout_reason());
}

void OpenLoop::expire(std::int64_t now) {
  while (Connection* const late = flights_.overdue(book_, now - book_.timeout())) {
    const std::shared_ptr<Connection> connection = late->shared_from_this();
    const std::vector<std::uint32_t> lost = connection->drop();
    remove(*connection);
    for (const std::uint32_t request : lost) time_out(request, now);
  }
  while (const std::shared_ptr<Connection> connection = connects_.next(now)) {
    if (!connection->connecting()) continue;
    connection->drop();
    remove(*connection);
    if (!waiting_.empty()) time_out(next_waiting(), now);
  }
  while (const std::shared_ptr<Connection> connection = lingering_.next(now)) connection->reset();
  serve();
}

void OpenLoop::stop() {
  while (next_ < end_) book_.forget(next_++);
}

void OpenLoop::give_up(std::int64_t now) {
  std::vector<std::uint32_t> open;
  for (const auto& [pointer, connection] : connections_) {
    const std::vector<std::uint32_t> lost = connection->drop();
    open.insert(open.end(), lost.begin(), lost.end());
  }
  connections_.clear();
  idle_.clear();
  connecting_ = 0;
  while (!waiting_.empty()) open.push_back(next_waiting());
  for (const std::uint32_t request : open) {
    book_[request].done = now;
    fail(request, Outcome::kTimedOut, "no answer by the end of the drain");
  }
}

}  // namespace shopmark::drive
