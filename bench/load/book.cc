#include "bench/load/book.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "bench/load/schedule.h"

namespace shopmark::drive {

namespace {

// What an answer is that was not the one asked for.
Outcome outcome_of_status(unsigned status) {
  if (status < 300) return Outcome::kInvalid;
  return status >= 500 ? Outcome::kStatus5xx : Outcome::kStatus4xx;
}

bool adds_up(const Record& record) {
  const bool answered = record.outcome == Outcome::kOk || record.outcome == Outcome::kStatus4xx ||
                        record.outcome == Outcome::kStatus5xx;
  if (answered && (record.done == kNever || record.sent == kNever || record.status == 0)) {
    return false;
  }
  if (record.outcome == Outcome::kNone || record.scheduled < 0) return false;
  if (record.sent != kNever && record.sent < record.scheduled) return false;
  return record.done == kNever || record.done >= std::max(record.sent, record.scheduled);
}

}  // namespace

Book::Book(const Scenario& scenario, const Questions& questions, std::vector<Record> records)
    : scenario_(scenario),
      questions_(questions),
      timeout_(to_nanoseconds(scenario.timeout_s)),
      timeout_reason_(absl::StrCat("no answer within ", scenario.timeout_s, " s")),
      records_(std::move(records)) {}

std::uint32_t Book::add(const Record& record) {
  if (records_.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw std::runtime_error("a stage has more requests than can be numbered");
  }
  records_.push_back(record);
  return static_cast<std::uint32_t>(records_.size() - 1);
}

void Book::put(std::uint32_t request, const Session& session, Connection& connection) const {
  const Record& record = records_[request];
  questions_.write({record.route, &entry_of(record).parameters, record.choice, record.visit},
                   session, scenario_.new_connections, connection.out());
  connection.add(request);
}

Outcome Book::judge(std::uint32_t request, Session& session, ResponseReader& response,
                    std::int64_t now) {
  Record& record = records_[request];
  record.done = now;
  record.status = static_cast<std::uint16_t>(response.status());
  if (now - record.sent > timeout_) {
    // It came between two looks for what is overdue.
    conclude(request, Outcome::kTimedOut, timeout_reason_);
    return Outcome::kTimedOut;
  }
  const std::optional<std::string> wrong =
      questions_.check({record.route, &entry_of(record).parameters, record.choice, record.visit},
                       session, response.status(), response.body());
  const Outcome outcome = wrong ? outcome_of_status(response.status()) : Outcome::kOk;
  if (wrong) {
    conclude(request, outcome, *wrong);
  } else {
    conclude(request, outcome, {});
    if (record.route == Route::kCheckout && !session.order.empty()) {
      orders_.push_back({session.order, session.total_cents});
    }
  }
  return outcome;
}

void Book::conclude(std::uint32_t request, Outcome outcome, const std::string& reason) {
  Record& record = records_[request];
  if (record.outcome != Outcome::kNone) {
    throw std::logic_error("a request was concluded twice");
  }
  record.outcome = outcome;
  ++counts_[static_cast<std::size_t>(outcome)];
  if (outcome != Outcome::kOk) complain(record.route, outcome, reason);
}

void Book::complain(Route route, Outcome outcome, const std::string& reason) {
  const std::size_t place =
      static_cast<std::size_t>(route) * kOutcomes + static_cast<std::size_t>(outcome);
  if (complained_[place]) return;
  complained_[place] = true;
  complaints_.push_back({route, outcome, reason});
}

void Book::forget(std::uint32_t request) {
  Record& record = records_[request];
  if (record.outcome != Outcome::kNone) throw std::logic_error("an asked request was forgotten");
  record.outcome = Outcome::kSession;
  record.status = kForgotten;
  ++forgotten_;
}

std::int64_t Book::failed() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0}) - answered();
}

StageResult Book::close(std::int64_t measured_from, std::int64_t measured_until) {
  StageResult result;
  result.measured_from = measured_from;
  result.measured_until = measured_until;
  result.complaints = std::move(complaints_);
  result.orders = std::move(orders_);
  result.records = std::move(records_);
  const auto all = static_cast<std::int64_t>(result.records.size());
  if (all != forgotten_ + answered() + failed()) {
    throw std::logic_error(absl::StrCat("of ", all, " requests ", answered(), " succeeded, ",
                                        failed(), " failed, ", forgotten_, " were left out"));
  }
  result.records.erase(std::remove_if(result.records.begin(), result.records.end(),
                                      [](const Record& one) { return one.status == kForgotten; }),
                       result.records.end());
  std::stable_sort(
      result.records.begin(), result.records.end(),
      [](const Record& one, const Record& other) { return one.scheduled < other.scheduled; });
  for (Record& record : result.records) {
    if (!adds_up(record)) {
      throw std::logic_error(absl::StrCat("request of ", std::string(info(record.route).name),
                                          " scheduled ", record.scheduled, ", sent ", record.sent,
                                          ", done ", record.done, ": ",
                                          std::string(name_of(record.outcome))));
    }
    record.measured = record.scheduled >= measured_from && record.scheduled < measured_until;
  }
  return result;
}

Connection* Flights::overdue(Book& book, std::int64_t before) {
  while (!flights_.empty()) {
    const Flight& front = flights_.front();
    if (book[front.request].outcome == Outcome::kNone) {
      return front.sent <= before ? front.connection : nullptr;
    }
    flights_.pop_front();
  }
  return nullptr;
}

}  // namespace shopmark::drive
