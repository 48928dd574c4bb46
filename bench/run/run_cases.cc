#include "bench/run/run_cases.h"

#include <absl/strings/str_split.h>
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>
#include <sstream>

#include "bench/run/observe.h"
#include "bench/run/output_file.h"
#include "bench/run/reporter.h"
#include "bench/run/stop.h"

namespace shopmark::bench {

namespace {

// The same for running and for listing, so that the names are the same.
template <typename Function>
void add(const std::string& name, bool baseline, const Iterations& iterations, Function function) {
  auto* registered = benchmark::RegisterBenchmark(name.c_str(), function);
  registered->UseManualTime();
  if (baseline) {
    registered->Iterations(iterations.baselines);
  } else if (iterations.cases) {
    registered->Iterations(*iterations.cases);
  }
}

// The names of what Google Benchmark would run of all that is registered: its own filter decides.
// Empty: nothing, and why was said.
std::vector<std::string> matching_names() {
  benchmark::ConsoleReporter reporter;
  std::ostringstream names;
  std::ostringstream library_says;
  reporter.SetOutputStream(&names);
  reporter.SetErrorStream(&library_says);
  set_list_tests(true);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  set_list_tests(false);
  std::vector<std::string> lines = absl::StrSplit(names.str(), '\n', absl::SkipEmpty());
  if (lines.empty()) {
    const bool malformed = library_says.str().find("Could not compile") != std::string::npos;
    complain("--benchmark_filter=" + benchmark::GetBenchmarkFilter() + ": " +
             (malformed ? "not a regular expression"
                        : "no case has such a name; --benchmark_list_tests lists them"));
  }
  return lines;
}

// The library adds to a case's name how it is run.
std::vector<CaseRun*> of_names(const std::vector<std::unique_ptr<CaseRun>>& runs,
                               const std::vector<std::string>& names) {
  std::vector<CaseRun*> found;
  for (const std::unique_ptr<CaseRun>& run : runs) {
    const std::string start = run->name() + '/';
    if (std::any_of(names.begin(), names.end(),
                    [&](const std::string& name) { return name.starts_with(start); })) {
      found.push_back(run.get());
    }
  }
  return found;
}

// Every end of a run that measured something.
int conclude(const std::vector<std::unique_ptr<CaseRun>>& runs, const GoogleFlags& flags,
             DocumentReporter& document) {
  bool good = !document.has_error_entries();
  if (document.interrupted() && !document.output_error()) {
    good = false;
    complain(flags.out.empty() ? "interrupted"
                               : "interrupted; " + flags.out + " has the " +
                                     std::to_string(document.entries()) + " finished entries");
  }
  document.finish();
  if (document.output_error()) {
    good = false;
    complain("--benchmark_out: " + *document.output_error());
  }
  for (const std::unique_ptr<CaseRun>& run : runs) {
    if (run->first_error().empty()) continue;
    good = false;
    complain(run->name() + " failed: " + run->first_error());
  }
  std::cout.flush();
  if (!std::cout) {
    good = false;
    complain("standard output cannot be written");
  }
  if (flags.format == GoogleFlags::Format::kJson) {
    try {
      write_all(STDOUT_FILENO, document.text(), "standard output");
    } catch (const OutputError& error) {
      good = false;
      complain(error.what());
    }
  }
  return good ? 0 : 1;
}

}  // namespace

void complain(std::string_view what) { std::cerr << "shopmark-bench: " << what << std::endl; }

int run_cases(const std::vector<std::unique_ptr<CaseRun>>& runs, const Reporting& reporting,
              const GoogleFlags& flags, const Iterations& iterations) {
  // A limit on a file's size should be an error like a full disk, not a death.
  std::signal(SIGXFSZ, SIG_IGN);
  std::unique_ptr<OutputFile> file;
  if (!flags.out.empty()) file = std::make_unique<OutputFile>(flags.out);
  for (const std::unique_ptr<CaseRun>& run : runs) {
    CaseRun* one = run.get();
    add(one->name(), one->timed().baseline_rows.has_value(), iterations,
        [one](benchmark::State& state) { one->run(state); });
  }

  stop_on_signals();
  const std::vector<std::string> names = matching_names();
  if (names.empty()) return 2;
  const std::vector<CaseRun*> selected = of_names(runs, names);
  reporting.prepare(selected);

  const RunTable table(runs);
  DisplayReporter display(table, reporting.lines, flags.format != GoogleFlags::Format::kJson,
                          flags.format == GoogleFlags::Format::kConsole);
  DocumentReporter document(table, reporting.ours, file.get());
  benchmark::RunSpecifiedBenchmarks(&display, &document);
  if (!document.started()) {
    complain("--benchmark_out: " + document.output_error().value_or("cannot be written"));
    return 2;
  }
  if (reporting.plans && !stop_requested()) document.set_observed(observe(selected));
  return conclude(runs, flags, document);
}

int list_cases(const std::vector<ListedCase>& cases, const Iterations& iterations) {
  for (const ListedCase& listed : cases) {
    add(listed.name, listed.baseline, iterations, [](benchmark::State&) {});
  }
  const std::vector<std::string> names = matching_names();
  if (names.empty()) return 2;
  for (const std::string& name : names) std::cout << name << '\n';
  std::cout.flush();
  if (std::cout) return 0;
  complain("standard output cannot be written");
  return 1;
}

}  // namespace shopmark::bench
