// One case on one target: its calls, their times and what went wrong.

#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "bench/cases/cases.h"
#include "bench/cases/parameters.h"
#include "bench/run/subject.h"
#include "fixtures/engine/observe.h"
#include "fixtures/store/store.h"

namespace shopmark::bench {

// What one call of the benchmark's function by Google Benchmark came to.
struct Attempt {
  std::vector<std::int64_t> samples_ns;  // in the order of the calls
  // The processor time of this thread, of all timed calls together and what stands around them.
  std::int64_t client_cpu_ns = 0;
  // Transactions of timed calls that lost against another and were run again, within their call.
  std::int64_t retries = 0;
  std::string error;         // empty when all went well
  bool interrupted = false;  // the run was stopped; not a failure of the case

  // Of one without an error.
  double client_cpu_ns_per_call() const {
    return static_cast<double>(client_cpu_ns) / static_cast<double>(samples_ns.size());
  }
};

// Under which a case is registered on a target: QUERY/TARGET.
inline std::string case_name(const Case& timed, const std::string& target) {
  return timed.name + "/" + target;
}

class CaseRun {
 public:
  // The case and the subject must outlive it; `parameters` must not be empty.
  CaseRun(const Case& timed, Subject& subject, std::vector<Parameters> parameters, int warmup);

  const Case& timed() const { return timed_; }
  const std::string& target() const { return subject_.name(); }
  const std::string& engine() const { return subject_.engine(); }
  const std::vector<Parameters>& parameters() const { return parameters_; }
  std::string name() const { return case_name(timed_, target()); }

  // From here on only counts rows: an earlier run saw the answers.
  void skip_answers() { verified_ = true; }

  // The runs of one case, this one among them, that are measured together: `block` samples of each
  // in turn, until each has as many as a repetition takes. The first that Google Benchmark calls
  // then measures for all. They must be called equally often with the same number of iterations.
  void take_turns(std::vector<CaseRun*> runs, std::size_t block);

  // One repetition: untimed calls, then state.max_iterations timed ones, each between two readings
  // of the steady clock. Timed call i gets parameter i modulo their number, and the untimed ones
  // lead up to that, so a repetition always starts with the first parameter. Before the first,
  // every answer is asked for, and compared with the oracle's where there is one. A call that
  // throws, answers wrong or returns another number of rows than expected ends it: the attempt then
  // has an error, and Google Benchmark, which is not told, a time that means nothing.
  // (Version 1.7.1 aborts, or reads a pointer that it never set, when some repetitions of a case
  // report an error and others do not.)
  void run(benchmark::State& state);

  // Of `repetitions` in all, once they are done. Google Benchmark calls run() once for each; more
  // often only before the first, while it looks for a number of iterations.
  const Attempt& repetition(std::int64_t index, std::int64_t repetitions) const;
  // Whether any of them was stopped; whether any of them has no samples, for whatever reason.
  bool interrupted(std::int64_t repetitions) const;
  bool failed(std::int64_t repetitions) const;
  // What went wrong first, in any call so far; empty when nothing did.
  const std::string& first_error() const { return first_error_; }

  // Of the answers to all parameters; empty until they were all asked for. Equal digests are equal
  // answers, also where no oracle says whether they are right.
  const std::string& answers_digest() const { return answers_digest_; }

  // Every parameter once, untimed, its answer compared: the first that goes wrong, or empty. `rows`
  // gets the counts. A wrong answer is also shown on standard error.
  std::string check(std::vector<std::int64_t>& rows);

  // Every parameter once, untimed, for what its statements did: in the order of the first calls.
  // Nothing of a target without a database, or when the run was stopped. What went wrong, or empty.
  std::string observe(std::vector<engine::ObservedStatement>& statements);

 private:
  template <typename Predicate>
  bool any_of(std::int64_t repetitions, Predicate predicate) const {
    for (std::int64_t i = 0; i < repetitions; ++i) {
      if (predicate(repetition(i, repetitions))) return true;
    }
    return false;
  }
  void measure(std::size_t samples);
  void begin(std::size_t samples);
  void take(std::size_t samples, std::size_t untimed);
  // Of one call.
  struct Timing {
    std::int64_t nanoseconds = 0;
    std::int64_t retries = 0;
  };
  // Calls with parameter `index`. What went wrong, or empty.
  std::string call(std::size_t index, Timing& timing);
  std::string check_rows(std::size_t index, std::int64_t rows);
  std::string verify();
  std::string fail(std::size_t index, const std::string& what);
  std::string fail(std::size_t index, const std::exception& error, const char* during = "");

  const Case& timed_;
  Subject& subject_;
  std::vector<Parameters> parameters_;
  std::size_t warmup_;
  std::vector<CaseRun*> together_;
  std::size_t block_ = 0;  // 0: a repetition is one block
  std::deque<Attempt> attempts_;
  std::size_t handed_out_ = 0;  // of the attempts, to Google Benchmark
  std::size_t next_ = 0;        // parameter
  bool verified_ = false;
  std::string answers_digest_;
  std::string verdict_;  // on the answers; stays what it is
  std::string first_error_;
};

}  // namespace shopmark::bench
