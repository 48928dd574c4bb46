#include "bench/load/closed_loop.h"

#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace shopmark::drive {

ClosedLoop::ClosedLoop(boost::asio::io_context& io, const Clock& clock, const Scenario& scenario,
                       std::uint64_t seed, std::uint64_t first_visit, std::int64_t until,
                       Book& book, boost::asio::ip::tcp::endpoint server)
    : io_(io),
      clock_(clock),
      scenario_(scenario),
      book_(book),
      server_(std::move(server)),
      next_visit_(first_visit),
      until_(until) {
  for (std::size_t s = 0; s < scenario.scripts.size(); ++s) {
    const auto index = static_cast<std::uint8_t>(s);
    pickers_.emplace_back(scenario.scripts[s], seed, index);
    for (std::int64_t i = 0; i < scenario.scripts[s].arrival.clients; ++i) {
      Client client;
      client.script = index;
      client.number = static_cast<std::uint32_t>(i + 1);
      clients_.push_back(std::move(client));
    }
  }
}

void ClosedLoop::start(std::int64_t now) {
  for (Client& client : clients_) fill(client, now);
}

void ClosedLoop::fill(Client& client, std::int64_t now) {
  const std::int64_t most = scenario_.scripts[client.script].arrival.pipeline;
  const bool usable = client.connection && client.connection->usable();
  while (client.in_flight < most && now < until_) {
    const std::uint32_t request = begin(client, now);
    if (usable) {
      book_.put(request, client.session, *client.connection);
    } else {
      client.waiting.push_back(request);
    }
  }
  if (!client.connection && !client.waiting.empty()) open(client, now);
}

void ClosedLoop::open(Client& client, std::int64_t now) {
  const auto tag = static_cast<std::uint32_t>(&client - clients_.data());
  client.connection = std::make_shared<Connection>(io_, clock_, *this, tag);
  connects_.add(*client.connection, now + book_.timeout());
  client.connection->connect(server_);
}

std::uint32_t ClosedLoop::begin(Client& client, std::int64_t now) {
  if (client.step == 0) {
    client.pick = pickers_[client.script].pick(client.number, client.sessions++);
    client.session = Session();
    if (next_visit_ > std::numeric_limits<std::uint32_t>::max()) {
      throw std::runtime_error("a run has more sessions than can be numbered");
    }
    client.visit = static_cast<std::uint32_t>(next_visit_++);
  }
  const std::uint32_t request = book_.add(next_record(client, now));
  if (client.step == entry_of(client).steps.size()) client.step = 0;
  ++client.in_flight;
  ++in_flight_;
  return request;
}

Record ClosedLoop::next_record(Client& client, std::int64_t now) {
  Record record;
  record.scheduled = now;
  record.begun = now;
  record.script = client.script;
  record.entry = client.pick.entry;
  record.choice = client.pick.choice;
  record.visit = client.visit;
  record.step = static_cast<std::uint8_t>(client.step);
  record.route = entry_of(client).steps[client.step++];
  return record;
}

void ClosedLoop::connected(Connection& connection, std::int64_t now) {
  Client& client = client_of(connection);
  for (const std::uint32_t request : client.waiting) {
    book_[request].ready = now;
    book_.put(request, client.session, connection);
  }
  client.waiting.clear();
}

void ClosedLoop::sending(Connection& connection, std::span<const std::uint32_t> requests,
                         std::int64_t now) {
  for (const std::uint32_t request : requests) {
    Record& record = book_[request];
    record.sent = now;
    if (record.ready == kNever) {
      // It waited for nothing: this is the moment when its client begins with it, unless the end
      // came between.
      if (now < until_) record.scheduled = record.begun = now;
      record.ready = now;
    }
    flights_.send(request, now, connection);
  }
}

void ClosedLoop::answered(Connection& connection, std::uint32_t request, ResponseReader& response,
                          std::int64_t now) {
  Client& client = client_of(connection);
  --client.in_flight;
  --in_flight_;
  const bool ok = book_.judge(request, client.session, response, now) == Outcome::kOk;
  if (!ok || Book::ends_session(book_[request].route, client.session)) {
    end_session(client, !ok, now);
  }
  if (connection.usable() && scenario_.new_connections) {
    // The server would have it stay.
    connection.drop();
    client.connection.reset();
  }
  // On a connection that ends, the rest is lost first.
  if (!client.connection || connection.usable()) fill(client, clock_.now());
}

void ClosedLoop::broken(Connection& connection, Outcome outcome, const std::string& reason,
                        std::span<const std::uint32_t> lost) {
  Client& client = client_of(connection);
  const std::int64_t now = clock_.now();
  const bool was_open = connection.was_open();
  if (was_open && outcome == Outcome::kOk) lingering_.add(connection, now + kMostLinger);
  if (lost.empty() && outcome == Outcome::kInvalid) {
    book_.complain(Route::kPath, outcome, reason);
  }
  client.connection.reset();
  const std::vector<std::uint32_t> waiting = std::exchange(client.waiting, {});
  for (const std::uint32_t request : waiting) fail(client, request, outcome, reason);
  for (const std::uint32_t request : lost) {
    fail(client, request, outcome == Outcome::kOk ? Outcome::kConnection : outcome, reason);
    outcome = Outcome::kConnection;
  }
  if (!lost.empty() || !waiting.empty()) end_session(client, true, now);
  if (was_open) {
    fill(client, now);
  } else {
    pauses_.push_back({connection.tag(), now + kPauseAfterFailure});
  }
}

void ClosedLoop::fail(Client& client, std::uint32_t request, Outcome outcome,
                      const std::string& reason) {
  --client.in_flight;
  --in_flight_;
  book_.conclude(request, outcome, reason);
}

void ClosedLoop::end_session(Client& client, bool failed, std::int64_t now) {
  const std::size_t steps = client.step == 0 ? 0 : entry_of(client).steps.size();
  while (failed && client.step < steps && now < until_) {
    book_.conclude(book_.add(next_record(client, now)), Outcome::kSession,
                   "an earlier step of its session failed");
  }
  client.step = 0;
}

void ClosedLoop::time_out(Client& client, std::vector<std::uint32_t> lost,
                          const std::string& reason, std::int64_t now) {
  client.connection.reset();
  lost.insert(lost.end(), client.waiting.begin(), client.waiting.end());
  client.waiting.clear();
  for (const std::uint32_t request : lost) {
    book_[request].done = now;
    fail(client, request, Outcome::kTimedOut, reason);
  }
  if (!lost.empty()) end_session(client, true, now);
}

void ClosedLoop::expire(std::int64_t now) {
  while (Connection* const late = flights_.overdue(book_, now - book_.timeout())) {
    Client& client = client_of(*late);
    time_out(client, late->drop(), book_.timeout_reason(), now);
    fill(client, now);
  }
  while (const std::shared_ptr<Connection> connection = connects_.next(now)) {
    if (!connection->connecting()) continue;
    Client& client = client_of(*connection);
    time_out(client, connection->drop(), book_.timeout_reason(), now);
    pauses_.push_back({connection->tag(), now + kPauseAfterFailure});
  }
  while (const std::shared_ptr<Connection> connection = lingering_.next(now)) connection->reset();
  while (!pauses_.empty() && pauses_.front().until <= now) {
    Client& client = clients_[pauses_.front().client];
    pauses_.pop_front();
    fill(client, now);
  }
}

void ClosedLoop::give_up(std::int64_t now) {
  until_ = now;
  for (Client& client : clients_) {
    if (!client.connection) continue;
    time_out(client, client.connection->drop(), "no answer by the end of the drain", now);
  }
}

}  // namespace shopmark::drive
