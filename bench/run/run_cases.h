// Cases through Google Benchmark, and what came of it into a terminal, a file and an exit status.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/run/case_run.h"
#include "bench/run/document.h"
#include "bench/run/google_flags.h"

namespace shopmark::bench {

// How many timed calls a repetition has.
struct Iterations {
  // Absent: as many as --benchmark_min_time takes.
  std::optional<int> cases;
  // Always a number: half a second of empty calls would be millions of samples.
  int baselines = 25;
};

// What reporting needs besides the runs.
struct Reporting {
  std::vector<std::string> lines;  // for the reader, before anything is measured
  Json ours;                       // the context's member "shopmark", without "complete"
  // Called before anything is measured, with the runs that the filter lets through.
  std::function<void(const std::vector<CaseRun*>&)> prepare = [](const auto&) {};
  // Look at each case's statements once all is timed.
  bool plans = false;
};

// Runs the cases that Google Benchmark's filter lets through, and reports. The exit status: 1 when
// a case failed, the run was stopped or the output could not be written; 2 when nothing was
// measured. Throws OutputError when the output cannot be opened, and what `prepare` throws.
int run_cases(const std::vector<std::unique_ptr<CaseRun>>& runs, const Reporting& reporting,
              const GoogleFlags& flags, const Iterations& iterations);

// Prints the names that run_cases would run, by the same filter and rules.
struct ListedCase {
  std::string name;
  bool baseline = false;
};
int list_cases(const std::vector<ListedCase>& cases, const Iterations& iterations);

// "shopmark-bench: WHAT" on standard error.
void complain(std::string_view what);

}  // namespace shopmark::bench
