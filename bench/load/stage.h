// One stage: a load of one shape for one while, against one server.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/load/questions.h"
#include "bench/load/record.h"
#include "bench/load/scenario.h"

namespace shopmark::drive {

struct Endpoint {
  std::string address;  // numeric
  std::uint16_t port = 0;
};

struct StageProgress {
  double elapsed_s = 0;
  double planned_s = 0;  // warm-up and duration
  std::int64_t answered = 0;
  std::int64_t failed = 0;  // of any kind
};

// The first of each kind and route.
struct Complaint {
  Route route = Route::kHome;
  Outcome outcome = Outcome::kNone;
  std::string reason;  // one line
};

struct AcknowledgedOrder {
  std::string number;
  std::int64_t total_cents = 0;
};

struct StageResult {
  std::vector<Record> records;      // by scheduled time; every one has an outcome
  std::int64_t measured_from = 0;   // nanoseconds from the stage's start
  std::int64_t measured_until = 0;  // what was scheduled in [from, until) is measured
  // Open loops: false when the driver itself was too slow, so that the figures are not of the
  // server: more than the scenario allows of the measured sends went out over kLate after they were
  // due and possible.
  bool held_rate = true;
  double late_percent = 0;  // of the measured sends
  std::vector<Complaint> complaints;
  std::vector<AcknowledgedOrder> orders;  // warm-up included
  bool stopped = false;                   // by a signal
};

inline constexpr std::int64_t kLate = 10'000'000;

// Runs the scripts of the scenario together for its warm-up and duration: whole schedule of open
// loops made beforehand from `seed`. Ladder, slo, repeats and thresholds are not looked at.
// `first_visit`: sessions are numbered from it on; no two stages of a run may share a number.
// Throws std::runtime_error when the server cannot be reached at all at the start.
StageResult run_stage(const Scenario& scenario, std::uint64_t seed, std::uint64_t first_visit,
                      const Questions& questions, const Endpoint& endpoint,
                      const std::function<void(const StageProgress&)>& progress);

// For a signal handler: the running stage ends soon, what was measured is kept.
void stop_stages() noexcept;

}  // namespace shopmark::drive
