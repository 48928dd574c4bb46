// summary.json: a load run in Google Benchmark's form, as shopmark-bench writes it, so that
// tools/shopmark reads it as any run. README.md says what each member means.

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/load/figures.h"
#include "bench/load/plan.h"
#include "bench/load/scenario.h"

namespace shopmark::drive {

struct RunFacts {
  std::string target_name;
  nlohmann::ordered_json server;  // what read_server_info gave
  std::string url;
  bool complete = true;
};

// The whole text.
std::string summary_text(const Scenario& scenario, const std::vector<StageFigures>& stages,
                         const RunFacts& facts);

// The lines to close with, at most 80 wide: routes, scripts, and what the scenario was to find.
std::string closing_table(const Scenario& scenario, const std::vector<StageFigures>& stages);

// Why the run failed, a line for each reason; empty when it went right.
std::vector<std::string> failures(const Scenario& scenario,
                                  const std::vector<StageFigures>& stages);

}  // namespace shopmark::drive
