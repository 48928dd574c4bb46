// The open loops of a stage: requests are sent when the schedule says so, over connections that
// they share, however long the answers take.
//
// One thread. The reentrancy rule of Connection holds: nothing here is called back by what it
// calls, but sending().

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <unordered_map>
#include <vector>

#include "bench/load/book.h"
#include "bench/load/connection.h"
#include "bench/load/scenario.h"
#include "bench/load/time_limited.h"

namespace shopmark::drive {

class OpenLoop : public ConnectionListener {
 public:
  // All must outlive it. The book holds the whole schedule and nothing else yet.
  OpenLoop(boost::asio::io_context& io, const Clock& clock, const Scenario& scenario, Book& book,
           boost::asio::ip::tcp::endpoint server);

  // When the next request is scheduled; absent when all were taken up.
  std::optional<std::int64_t> next_due() const;
  // The next request: sends it, lets it wait for a connection or for its session's earlier step,
  // or rejects it.
  void take_up(std::int64_t now);
  // Closes what has taken too long.
  void expire(std::int64_t now);
  // How many are waiting or on their way.
  std::size_t in_flight() const { return in_flight_; }
  // What was not taken up yet is not asked at all.
  void stop();
  // What has no answer yet has timed out.
  void give_up(std::int64_t now);

  void connected(Connection& connection, std::int64_t now) override;
  void sending(Connection& connection, std::span<const std::uint32_t> requests,
               std::int64_t now) override;
  void answered(Connection& connection, std::uint32_t request, ResponseReader& response,
                std::int64_t now) override;
  void broken(Connection& connection, Outcome outcome, const std::string& reason,
              std::span<const std::uint32_t> lost) override;

 private:
  // Of more than one step.
  struct Visit {
    Session session;
    std::deque<std::uint32_t> steps;  // due, and waiting for the one before
    std::size_t answered = 0;
    std::size_t settled = 0;
    std::int64_t answered_at = 0;
    bool failed = false;
    bool over = false;
  };
  struct Idle {
    Connection* connection;
    std::int64_t since;
  };

  bool in_session(const Record& record) const { return book_.entry_of(record).steps.size() > 1; }
  void wait_for_connection(std::uint32_t request);
  std::uint32_t next_waiting();
  // Sends what waits over idle connections, and opens others for the rest.
  void serve();
  void open();
  void send(std::uint32_t request, const Idle& idle);
  void remove(Connection& connection);
  // Concludes, and what its session has left to do follows.
  void fail(std::uint32_t request, Outcome outcome, const std::string& reason);
  void settle(std::uint32_t request, Outcome outcome);
  void advance(Visit& visit);
  void time_out(std::uint32_t request, std::int64_t now);

  boost::asio::io_context& io_;
  const Clock& clock_;
  const Scenario& scenario_;
  Book& book_;
  const boost::asio::ip::tcp::endpoint server_;

  std::uint32_t next_ = 0;
  std::uint32_t end_;
  std::size_t in_flight_ = 0;
  std::vector<std::int64_t> in_flight_of_;  // by script
  // Requests are numbered in the order of the schedule: the first is the earliest.
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> waiting_;
  std::unordered_map<std::uint32_t, Visit> visits_;
  Session alone_;  // of what is no session

  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
  std::vector<Idle> idle_;  // the one used last at the end
  std::size_t connecting_ = 0;
  Flights flights_;
  TimeLimited connects_;
  TimeLimited lingering_;
};

}  // namespace shopmark::drive
