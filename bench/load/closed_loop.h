// The closed loops of a stage: clients that each have a connection of their own and ask again as
// soon as they are answered, with as many requests on their way as they pipeline.
//
// A client whose connection ended opens another at once, and after kPauseAfterFailure when it could
// not be opened. A session whose step failed is given up: its other steps are counted as failed.
//
// One thread. The reentrancy rule of Connection holds: nothing here is called back by what it
// calls, but sending().

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "bench/load/book.h"
#include "bench/load/connection.h"
#include "bench/load/scenario.h"
#include "bench/load/schedule.h"
#include "bench/load/time_limited.h"

namespace shopmark::drive {

inline constexpr std::int64_t kPauseAfterFailure = 10'000'000;

class ClosedLoop : public ConnectionListener {
 public:
  // All must outlive it. Nothing is begun at `until` or later. `first_visit`: after those of the
  // open loops.
  ClosedLoop(boost::asio::io_context& io, const Clock& clock, const Scenario& scenario,
             std::uint64_t seed, std::uint64_t first_visit, std::int64_t until, Book& book,
             boost::asio::ip::tcp::endpoint server);

  bool empty() const { return clients_.empty(); }
  void start(std::int64_t now);
  // Closes what has taken too long, and lets clients try again that have paused.
  void expire(std::int64_t now);
  std::size_t in_flight() const { return in_flight_; }
  // Nothing more is begun.
  void stop(std::int64_t now) { until_ = now; }
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
  struct Client {
    std::uint8_t script = 0;
    std::uint32_t number = 0;    // of its script's, from 1 on
    std::uint64_t sessions = 0;  // begun
    std::shared_ptr<Connection> connection;
    std::vector<std::uint32_t> waiting;  // for the connection to come about
    std::int64_t in_flight = 0;
    Session session;
    Pick pick;
    std::uint32_t visit = 0;
    std::size_t step = 0;  // the next of the session; 0: none is under way
  };

  Client& client_of(const Connection& connection) { return clients_[connection.tag()]; }
  const Entry& entry_of(const Client& client) const {
    return scenario_.scripts[client.script].entries[client.pick.entry];
  }
  // As many requests as it may have, over its connection or, without one, over a new one.
  void fill(Client& client, std::int64_t now);
  void open(Client& client, std::int64_t now);
  std::uint32_t begin(Client& client, std::int64_t now);
  Record next_record(Client& client, std::int64_t now);
  void fail(Client& client, std::uint32_t request, Outcome outcome, const std::string& reason);
  void end_session(Client& client, bool failed, std::int64_t now);
  void time_out(Client& client, std::vector<std::uint32_t> lost, const std::string& reason,
                std::int64_t now);

  boost::asio::io_context& io_;
  const Clock& clock_;
  const Scenario& scenario_;
  Book& book_;
  const boost::asio::ip::tcp::endpoint server_;
  std::uint64_t next_visit_;
  std::int64_t until_;
  std::vector<Picker> pickers_;  // by script
  std::vector<Client> clients_;
  std::size_t in_flight_ = 0;
  Flights flights_;
  TimeLimited connects_;
  TimeLimited lingering_;
  struct Pause {
    std::uint32_t client;
    std::int64_t until;
  };
  std::deque<Pause> pauses_;
};

}  // namespace shopmark::drive
