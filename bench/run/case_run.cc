#include "bench/run/case_run.h"

#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>

#include "bench/run/stop.h"

namespace shopmark::bench {

CaseRun::CaseRun(const Case& timed, std::string target, std::string engine, store::Store& store,
                 std::vector<Parameters> parameters, int warmup)
    : timed_(timed),
      target_(std::move(target)),
      engine_(std::move(engine)),
      store_(store),
      parameters_(std::move(parameters)),
      warmup_(static_cast<std::size_t>(warmup)) {
  if (parameters_.empty()) throw std::logic_error(timed.name + " has no parameters");
}

std::string CaseRun::call(std::size_t index, std::int64_t& nanoseconds) {
  using Clock = std::chrono::steady_clock;
  const Parameters& parameters = parameters_[index];
  try {
    const Clock::time_point start = Clock::now();
    const std::int64_t rows = timed_.call(store_, parameters);
    const Clock::time_point end = Clock::now();
    nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
    rows_ = rows;
  } catch (const std::exception& error) {
    return fail(index, error.what());
  }
  if (rows_ == parameters.rows) return {};
  return fail(index, std::to_string(rows_) + (rows_ == 1 ? " row" : " rows") + ", expected " +
                         std::to_string(parameters.rows));
}

std::string CaseRun::fail(std::size_t index, const std::string& what) {
  std::string error = timed_.name + ", parameter " + std::to_string(index + 1) + " of " +
                      std::to_string(parameters_.size()) + ": " + what;
  if (first_error_.empty()) first_error_ = error;
  return error;
}

std::string CaseRun::warm_up() {
  const std::size_t count = parameters_.size();
  std::string error;
  std::int64_t unused = 0;
  for (std::size_t left = warmup_; left > 0 && error.empty() && !stop_requested(); --left) {
    error = call((count - left % count) % count, unused);
  }
  return error;
}

void CaseRun::run(benchmark::State& state) {
  // Long enough for Google Benchmark to look for no more iterations; no report has it.
  constexpr double kFailedSeconds = 1e9;
  Attempt& attempt = attempts_.emplace_back();
  attempt.samples_ns.reserve(static_cast<std::size_t>(state.max_iterations));
  attempt.error = warm_up();
  std::size_t index = 0;
  for (auto _ : state) {
    std::int64_t nanoseconds = 0;
    if (attempt.error.empty() && stop_requested()) {
      attempt.interrupted = true;
      attempt.error = "interrupted";
    }
    if (attempt.error.empty()) attempt.error = call(index, nanoseconds);
    if (!attempt.error.empty()) {
      state.SetIterationTime(kFailedSeconds);
      continue;
    }
    attempt.samples_ns.push_back(nanoseconds);
    state.SetIterationTime(static_cast<double>(nanoseconds) * 1e-9);
    if (++index == parameters_.size()) index = 0;
  }
}

const Attempt& CaseRun::repetition(std::int64_t index, std::int64_t repetitions) const {
  const auto size = static_cast<std::int64_t>(attempts_.size());
  if (repetitions > size || index < 0 || index >= repetitions) {
    throw std::logic_error(name() + " has no such repetition");
  }
  return attempts_[static_cast<std::size_t>(size - repetitions + index)];
}

bool CaseRun::interrupted(std::int64_t repetitions) const {
  return any_of(repetitions, [](const Attempt& attempt) { return attempt.interrupted; });
}

bool CaseRun::failed(std::int64_t repetitions) const {
  return any_of(repetitions, [](const Attempt& attempt) { return !attempt.error.empty(); });
}

std::string CaseRun::check(std::vector<std::int64_t>& rows) {
  std::int64_t unused = 0;
  for (std::size_t index = 0; index < parameters_.size(); ++index) {
    std::string error = call(index, unused);
    if (!error.empty()) return error;
    rows.push_back(rows_);
  }
  return {};
}

}  // namespace shopmark::bench
