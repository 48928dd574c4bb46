// The records of a stage while it runs: what became of each request, and what is said of it.
// One thread.

#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/load/connection.h"
#include "bench/load/questions.h"
#include "bench/load/record.h"
#include "bench/load/response_reader.h"
#include "bench/load/scenario.h"
#include "bench/load/stage.h"

namespace shopmark::drive {

class Book {
 public:
  // All must outlive it. `records`: the open loops' schedule; a closed loop adds its own.
  Book(const Scenario& scenario, const Questions& questions, std::vector<Record> records);

  Record& operator[](std::uint32_t request) { return records_[request]; }
  std::size_t size() const { return records_.size(); }
  // A request that a closed loop begins with.
  std::uint32_t add(const Record& record);
  // Makes room beforehand, so that adding moves nothing while it is measured.
  void reserve(std::size_t records) { records_.reserve(records); }

  // Appends the request to the connection, without flushing it.
  void put(std::uint32_t request, const Session& session, Connection& connection) const;
  // What the answer to it is worth; concludes it.
  Outcome judge(std::uint32_t request, Session& session, ResponseReader& response,
                std::int64_t now);
  // Once for each request.
  void conclude(std::uint32_t request, Outcome outcome, const std::string& reason);
  // Whether a right answer was one after which there is nothing more to ask: out of stock.
  static bool ends_session(Route route, const Session& session) {
    return (route == Route::kAddToCart && session.cart.empty()) ||
           (route == Route::kCheckout && session.order.empty());
  }
  // For what belongs to no request.
  void complain(Route route, Outcome outcome, const std::string& reason);
  // The step will not be asked, for its session is over as it should be: no request at all.
  void forget(std::uint32_t request);

  std::int64_t answered() const { return counts_[static_cast<std::size_t>(Outcome::kOk)]; }
  std::int64_t failed() const;
  // Times from the send to the whole response, nanoseconds.
  std::int64_t timeout() const { return timeout_; }
  const Script& script_of(const Record& record) const { return scenario_.scripts[record.script]; }
  const Entry& entry_of(const Record& record) const {
    return script_of(record).entries[record.entry];
  }
  const std::string& timeout_reason() const { return timeout_reason_; }

  // All records but those forgotten, by scheduled time, marked as measured or not. Throws
  // std::logic_error when one has no outcome, times that run backwards or was counted twice.
  // Empties the book.
  StageResult close(std::int64_t measured_from, std::int64_t measured_until);

 private:
  static constexpr std::uint16_t kForgotten = 0xFFFF;  // as a status

  const Scenario& scenario_;
  const Questions& questions_;
  const std::int64_t timeout_;
  const std::string timeout_reason_;
  std::vector<Record> records_;
  std::array<std::int64_t, kOutcomes> counts_{};
  std::int64_t forgotten_ = 0;
  std::bitset<kRoutes * kOutcomes> complained_;
  std::vector<Complaint> complaints_;
  std::vector<AcknowledgedOrder> orders_;
};

// The requests that are on their way, to see which have been for too long.
class Flights {
 public:
  void send(std::uint32_t request, std::int64_t now, Connection& connection) {
    flights_.push_back({request, now, &connection});
  }
  // The connection of one that was sent at `before` or earlier and has no answer yet; null when
  // there is none. To be asked again after the connection was dropped and what was on it
  // concluded.
  Connection* overdue(Book& book, std::int64_t before);

 private:
  struct Flight {
    std::uint32_t request;
    std::int64_t sent;
    Connection* connection;  // lives as long as the request has no outcome
  };
  std::deque<Flight> flights_;  // by time of sending: all have the same time limit
};

}  // namespace shopmark::drive
