// The figures of a stage, from what became of its requests. Only requests whose scheduled time
// lies in the measured phase count. Response time runs from the scheduled time to the last byte,
// service time from the send, and lag is what lies between the two; each of the successes alone.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/load/record.h"
#include "bench/load/scenario.h"
#include "bench/load/stage.h"
#include "bench/run/percentiles.h"

namespace shopmark::drive {

struct Figures {
  std::array<std::int64_t, kOutcomes> outcomes{};  // by Outcome
  std::int64_t offered = 0;
  std::int64_t sent = 0;
  double throughput_rps = 0;  // successes
  // Nanoseconds; absent without a success.
  std::optional<bench::Percentiles> response;
  std::optional<bench::Percentiles> service;
  std::optional<bench::Percentiles> lag;

  std::int64_t of(Outcome outcome) const { return outcomes[static_cast<std::size_t>(outcome)]; }
  std::int64_t succeeded() const { return of(Outcome::kOk); }
  // Whatever did not succeed: timed out and rejected among them.
  std::int64_t failed() const { return offered - succeeded(); }
};

struct RouteFigures {
  Route route = Route::kHome;
  Figures figures;
  std::vector<std::int64_t> samples;  // response times in the order of their schedule
};

struct ScriptFigures {
  std::string script;
  Figures figures;
  std::vector<RouteFigures> routes;  // in the order of Route; those that were asked for
};

struct StageFigures {
  std::int64_t run = 0;
  std::int64_t stage = 0;
  bool open = false;         // the first script's arrival
  std::int64_t clients = 0;  // of a closed loop
  double rate = 0;           // of an open one
  double planned_s = 0;
  double measured_s = 0;
  bool held_rate = true;
  double late_percent = 0;
  std::vector<ScriptFigures> scripts;
  std::optional<bool> cleared;  // of a ladder's rung or a tried rate
};

// Throws std::logic_error when a request has no outcome: the counts would not add up.
StageFigures figures_of(const Scenario& scenario, const StageResult& result, std::int64_t run,
                        std::int64_t stage);

}  // namespace shopmark::drive
