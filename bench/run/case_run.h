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
#include "fixtures/store/store.h"

namespace shopmark::bench {

// What one call of the benchmark's function by Google Benchmark came to.
struct Attempt {
  std::vector<std::int64_t> samples_ns;  // in the order of the calls
  std::string error;                     // empty when all went well
  bool interrupted = false;              // the run was stopped; not a failure of the case
};

// Under which a case is registered on a target: QUERY/TARGET.
inline std::string case_name(const Case& timed, const std::string& target) {
  return timed.name + "/" + target;
}

class CaseRun {
 public:
  // The case and the store must outlive it; `parameters` must not be empty.
  CaseRun(const Case& timed, std::string target, std::string engine, store::Store& store,
          std::vector<Parameters> parameters, int warmup);

  const Case& timed() const { return timed_; }
  const std::string& target() const { return target_; }
  const std::string& engine() const { return engine_; }
  const std::vector<Parameters>& parameters() const { return parameters_; }
  std::string name() const { return case_name(timed_, target_); }

  // One repetition: untimed calls, then state.max_iterations timed ones, each between two readings
  // of the steady clock. Timed call i gets parameter i modulo their number, and the untimed ones
  // lead up to that, so a repetition always starts with the first parameter. A call that throws or
  // returns another number of rows than expected ends it: the attempt then has an error, and Google
  // Benchmark, which is not told, a time that means nothing. (Version 1.7.1 aborts, or reads a
  // pointer that it never set, when some repetitions of a case report an error and others do not.)
  void run(benchmark::State& state);

  // Of `repetitions` in all, once they are done. Google Benchmark calls run() once for each; more
  // often only before the first, while it looks for a number of iterations.
  const Attempt& repetition(std::int64_t index, std::int64_t repetitions) const;
  // Whether any of them was stopped; whether any of them has no samples, for whatever reason.
  bool interrupted(std::int64_t repetitions) const;
  bool failed(std::int64_t repetitions) const;
  // What went wrong first, in any call so far; empty when nothing did.
  const std::string& first_error() const { return first_error_; }

  // Every parameter once, untimed: the first that goes wrong, or empty. `rows` gets the counts.
  std::string check(std::vector<std::int64_t>& rows);

 private:
  template <typename Predicate>
  bool any_of(std::int64_t repetitions, Predicate predicate) const {
    for (std::int64_t i = 0; i < repetitions; ++i) {
      if (predicate(repetition(i, repetitions))) return true;
    }
    return false;
  }
  // Calls with parameter `index`. What went wrong, or empty.
  std::string call(std::size_t index, std::int64_t& nanoseconds);
  std::string warm_up();
  std::string fail(std::size_t index, const std::string& what);

  const Case& timed_;
  std::string target_;
  std::string engine_;
  store::Store& store_;
  std::vector<Parameters> parameters_;
  std::size_t warmup_;
  std::deque<Attempt> attempts_;
  std::int64_t rows_ = 0;  // of the last call
  std::string first_error_;
};

}  // namespace shopmark::bench
