// What Google Benchmark tells about a run, to the terminal and into the document.

#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/run/case_run.h"
#include "bench/run/document.h"
#include "bench/run/output_file.h"

namespace shopmark::bench {

// The runs by the name under which they are registered.
class RunTable {
 public:
  explicit RunTable(const std::vector<std::unique_ptr<CaseRun>>& runs);
  // Throws std::logic_error for a name that was not registered.
  const CaseRun& of(const benchmark::BenchmarkReporter::Run& run) const;

 private:
  std::map<std::string, const CaseRun*, std::less<>> by_name_;
};

// Google Benchmark's lines as ever, with the median and p95 as their label; our own lines about the
// run instead of its warning about the library's build.
class DisplayReporter : public benchmark::BenchmarkReporter {
 public:
  // `lines` are printed to standard error before anything is measured. With `shown` off nothing
  // else is printed. With `percentiles` off no label is added.
  DisplayReporter(const RunTable& table, std::vector<std::string> lines, bool shown,
                  bool percentiles);
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  const RunTable& table_;
  std::vector<std::string> lines_;
  benchmark::BenchmarkReporter* shown_;  // Google Benchmark's own; nullptr: none
  bool percentiles_;
};

// Keeps the document, and the file up to date with it after every finished case.
class DocumentReporter : public benchmark::BenchmarkReporter {
 public:
  // `file` may be null. `ours` is the context's member "shopmark".
  DocumentReporter(const RunTable& table, Json ours, OutputFile* file);

  // Writes the document without entries; false when that fails, so that nothing is measured.
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;

  // What observe() found.
  void set_observed(Json observed);

  bool started() const { return started_; }
  // Some case was not run to its end.
  bool interrupted() const { return interrupted_; }
  bool has_error_entries() const { return has_error_entries_; }
  // Why the file could not be written; after that it is left as it is.
  const std::optional<std::string>& output_error() const { return output_error_; }
  std::size_t entries() const { return document_ ? document_->entries() : 0; }
  std::string text() const;
  // The last writing, also into what is not replaceable.
  void finish();

 private:
  void add(const Run& run, const CaseRun& case_run);
  void write();

  const RunTable& table_;
  Json ours_;
  OutputFile* file_;
  std::optional<Document> document_;
  std::string iterations_of_;  // the run whose repetitions came last
  bool started_ = false;
  bool interrupted_ = false;
  bool has_error_entries_ = false;
  std::optional<std::string> output_error_;
};

}  // namespace shopmark::bench
