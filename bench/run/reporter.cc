#include "bench/run/reporter.h"

#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "bench/run/percentiles.h"
#include "bench/run/run_error.h"
#include "bench/run/stop.h"

namespace shopmark::bench {

using benchmark::BenchmarkReporter;
using Run = BenchmarkReporter::Run;

namespace {

// As Google Benchmark computes its aggregates: over the means of the repetitions.
double aggregate(const std::string& name, std::vector<double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (name == "mean") return mean;
  if (name == "median") {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double deviation = values.size() < 2 ? 0 : std::sqrt(squares / (count - 1));
  if (name == "stddev") return deviation;
  if (name == "cv") return mean > 0 ? deviation / mean : 0;
  throw std::logic_error("no way to compute the aggregate " + name);
}

// Google Benchmark takes the processor time of its own loop, in which nothing is called any more.
void set_cpu_time(Run& run, const CaseRun& case_run) {
  const auto seconds = [&](std::int64_t index) {
    return case_run.repetition(index, run.repetitions).client_cpu_ns_per_call() * 1e-9;
  };
  const auto iterations = static_cast<double>(run.iterations);
  if (run.run_type != Run::RT_Aggregate) {
    run.cpu_accumulated_time = seconds(run.repetition_index) * iterations;
    return;
  }
  std::vector<double> values;
  for (std::int64_t i = 0; i < run.repetitions; ++i) values.push_back(seconds(i));
  run.cpu_accumulated_time = aggregate(run.aggregate_name, std::move(values)) *
                             (run.aggregate_unit == benchmark::kTime ? iterations : 1);
}

// What there is to report of a run whose errors Google Benchmark does not know. Nothing for one
// that was stopped, and no aggregates of a case with such a repetition: they would count its time.
std::optional<Run> reportable(const Run& run, const CaseRun& case_run) {
  Run told = run;
  if (run.run_type == Run::RT_Aggregate) {
    if (case_run.failed(run.repetitions)) return std::nullopt;
  } else {
    const Attempt& attempt = case_run.repetition(run.repetition_index, run.repetitions);
    if (attempt.interrupted) return std::nullopt;
    set_error(told, attempt.error);
    if (!attempt.error.empty()) return told;
  }
  set_cpu_time(told, case_run);
  return told;
}

// Three digits in the unit that suits them, as in 29 ns, 8.79 ms.
std::string show(std::int64_t nanoseconds) {
  static constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  auto value = static_cast<double>(nanoseconds);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  const int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return absl::StrFormat("%.*f %s", digits, value, kUnits[unit]);
}

}  // namespace

RunTable::RunTable(const std::vector<std::unique_ptr<CaseRun>>& runs) {
  for (const std::unique_ptr<CaseRun>& run : runs) by_name_[run->name()] = run.get();
}

const CaseRun& RunTable::of(const Run& run) const {
  const auto found = by_name_.find(run.run_name.function_name);
  if (found == by_name_.end()) {
    throw std::logic_error(run.run_name.function_name + " was never registered");
  }
  return *found->second;
}

DisplayReporter::DisplayReporter(const RunTable& table, std::vector<std::string> lines, bool shown,
                                 bool percentiles)
    : table_(table),
      lines_(std::move(lines)),
      shown_(shown ? benchmark::CreateDefaultDisplayReporter() : nullptr),
      percentiles_(percentiles) {}

bool DisplayReporter::ReportContext(const Context& context) {
  for (const std::string& line : lines_) std::cerr << line << '\n';
  std::cerr.flush();
  if (shown_ == nullptr) return true;
  std::ostringstream unread;
  shown_->SetErrorStream(&unread);
  shown_->SetOutputStream(&GetOutputStream());
  const bool go_on = shown_->ReportContext(context);
  shown_->SetErrorStream(&std::cerr);
  return go_on;
}

void DisplayReporter::ReportRuns(const std::vector<Run>& runs) {
  if (shown_ == nullptr) return;
  std::vector<Run> shown;
  for (const Run& run : runs) {
    const CaseRun& case_run = table_.of(run);
    const std::optional<Run> told = reportable(run, case_run);
    if (!told) continue;
    shown.push_back(*told);
    if (!percentiles_ || !error_of(*told).empty() || run.run_type != Run::RT_Iteration) continue;
    const Percentiles values =
        percentiles(case_run.repetition(run.repetition_index, run.repetitions).samples_ns);
    shown.back().report_label = "p50=" + show(values.p50) + " p95=" + show(values.p95) +
                                " rows=" + std::to_string(case_run.parameters().front().rows);
  }
  if (!shown.empty()) shown_->ReportRuns(shown);
}

void DisplayReporter::Finalize() {
  if (shown_ != nullptr) shown_->Finalize();
}

DocumentReporter::DocumentReporter(const RunTable& table, Json ours, OutputFile* file)
    : table_(table), ours_(std::move(ours)), file_(file) {}

bool DocumentReporter::ReportContext(const Context& context) {
  document_.emplace(google_context(context), ours_);
  write();
  started_ = !output_error_;
  return started_;
}

void DocumentReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    const CaseRun& case_run = table_.of(run);
    const std::string name = run.run_name.str();
    if (run.run_type == Run::RT_Iteration) {
      iterations_of_ = name;
    } else if (iterations_of_ != name) {
      // Aggregates alone were asked for. A repetition that failed must not go under in them.
      iterations_of_ = name;
      for (std::int64_t i = 0; i < run.repetitions; ++i) {
        if (case_run.repetition(i, run.repetitions).error.empty()) continue;
        Run failed = run;
        failed.run_type = Run::RT_Iteration;
        failed.repetition_index = i;
        add(failed, case_run);
      }
    }
    add(run, case_run);
  }
  write();
}

void DocumentReporter::add(const Run& run, const CaseRun& case_run) {
  if (case_run.interrupted(run.repetitions)) interrupted_ = true;
  const std::optional<Run> told = reportable(run, case_run);
  if (told && !document_->add(entry(*told, case_run))) has_error_entries_ = true;
}

void DocumentReporter::set_observed(Json observed) {
  if (stop_requested()) interrupted_ = true;
  if (document_) document_->set_observed(std::move(observed));
}

void DocumentReporter::write() {
  if (file_ == nullptr || !file_->replaceable() || output_error_) return;
  try {
    file_->write(document_->text(false));
  } catch (const OutputError& error) {
    output_error_ = error.what();
    request_stop();
  }
}

std::string DocumentReporter::text() const {
  return document_ ? document_->text(!interrupted_ && !output_error_) : std::string();
}

void DocumentReporter::finish() {
  if (file_ == nullptr || output_error_ || !document_) return;
  try {
    file_->write(text());
  } catch (const OutputError& error) {
    output_error_ = error.what();
  }
}

}  // namespace shopmark::bench
