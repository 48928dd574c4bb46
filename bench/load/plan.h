// The stages of a scenario: its repeats, the rungs of its ladder, or the rates that its search
// tries, and what follows from their figures.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/load/figures.h"
#include "bench/load/scenario.h"
#include "bench/load/stage.h"

namespace shopmark::drive {

// Runs one stage; run_stage but in tests.
using StageRunner = std::function<StageResult(const Scenario& stage, std::uint64_t seed,
                                              std::uint64_t first_visit)>;
// Is shown each stage as it ends.
using StageEnd =
    std::function<void(const Scenario& stage, const StageResult&, const StageFigures&)>;

// All stages in their order; those until then when one was stopped.
std::vector<StageFigures> run_plan(const Scenario& scenario, const StageRunner& runner,
                                   const StageEnd& end);

// ---- conclusions; a figure over several runs is the nearest-rank median of theirs ----

struct RungLine {
  std::string script;
  Route route = Route::kHome;
  // The most clients below the first that was not cleared in every run; absent: none.
  std::optional<std::int64_t> cleared_at;
  std::optional<std::int64_t> broke_at;
  std::optional<double> req_per_s;  // there
  std::optional<double> p95_ms;
};
std::vector<RungLine> ladder_of(const std::vector<StageFigures>& stages);

struct FoundRate {
  std::optional<double> rate;       // the highest that met the limits in every run
  std::optional<double> missed_at;  // the lowest that did not
  std::optional<double> req_per_s;
  std::optional<double> p95_ms;
  std::optional<double> p99_ms;
};
FoundRate slo_of(const std::vector<StageFigures>& stages);

struct Spread {
  double median = 0;
  double sample_stdev = 0;
  double cv_percent = 0;
};
struct Repeats {
  // By "SCRIPT/ROUTE"; absent where a run has none.
  std::vector<std::pair<std::string, std::map<std::string, std::int64_t>>> routes;
  Spread throughput_rps;  // of all scripts together
};
Repeats repeats_of(const std::vector<StageFigures>& stages);

struct Judged {
  std::string text;             // storefront p95 at most 500 ms
  std::optional<double> value;  // in the threshold's unit
  double limit = 0;
  bool passed = false;
};
std::vector<Judged> judge(const Scenario& scenario, const std::vector<StageFigures>& stages);

}  // namespace shopmark::drive
