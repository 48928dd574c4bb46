// The JSON document of a run: Google Benchmark's form with our additions, valid RFC 8259 whatever
// the global locale and whatever bytes a message holds. README.md says what each field means.

#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/run/case_run.h"

namespace shopmark::bench {

using Json = nlohmann::ordered_json;

// Strict JSON: bytes that are not UTF-8 are replaced. Objects take a line per member, lists of
// plain values one line. Throws std::domain_error when a number is not finite.
std::string to_text(const Json& value);

// Google Benchmark's own part of the context.
Json google_context(const benchmark::BenchmarkReporter::Context& context);

// An entry for a run as Google Benchmark reports it, `error_occurred` set where it did. An error
// has no time, percentile or sample: nothing that could pass for fast.
Json entry(const benchmark::BenchmarkReporter::Run& run, const CaseRun& case_run);

// Entries as they come, and the text of all of them at any moment.
class Document {
 public:
  // `context` is Google Benchmark's part, `ours` the member "shopmark", without "complete".
  Document(Json context, Json ours);

  // An entry with a number that is not finite becomes an error entry; false for any error entry.
  bool add(Json entry);
  // The member "observed" of "shopmark".
  void set_observed(Json observed) { ours_["observed"] = std::move(observed); }
  std::size_t entries() const { return entries_.size(); }
  // "complete" is true only when told that every case that was asked for has been run.
  std::string text(bool complete) const;

 private:
  Json context_;
  Json ours_;
  std::vector<std::string> entries_;
};

}  // namespace shopmark::bench
