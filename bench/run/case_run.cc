#include "bench/run/case_run.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <utility>

#include "bench/run/oracle.h"
#include "bench/run/stop.h"
#include "seed/digest.h"

namespace shopmark::bench {

namespace {

// Of this thread alone, so that a server's threads, or another thread's work, are not in it.
std::int64_t thread_cpu_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

CaseRun::CaseRun(const Case& timed, Subject& subject, std::vector<Parameters> parameters,
                 int warmup)
    : timed_(timed),
      subject_(subject),
      parameters_(std::move(parameters)),
      warmup_(static_cast<std::size_t>(warmup)),
      together_({this}) {
  if (parameters_.empty()) throw std::logic_error(timed.name + " has no parameters");
}

void CaseRun::take_turns(std::vector<CaseRun*> runs, std::size_t block) {
  together_ = std::move(runs);
  block_ = block;
}

std::string CaseRun::call(std::size_t index, Timing& timing) {
  using Clock = std::chrono::steady_clock;
  const Parameters& parameters = parameters_[index];
  std::int64_t rows = 0;
  try {
    store::Store& store = subject_.store();
    const auto retries = [&] { return timed_.writes ? store.stock().retries() : 0; };
    const std::int64_t retries_before = retries();
    const Clock::time_point start = Clock::now();
    rows = timed_.call(store, parameters);
    const Clock::time_point end = Clock::now();
    timing.retries = retries() - retries_before;
    timing.nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
  } catch (const std::exception& error) {
    return fail(index, error);
  }
  return check_rows(index, rows);
}

std::string CaseRun::check_rows(std::size_t index, std::int64_t rows) {
  const std::int64_t expected = parameters_[index].rows;
  if (rows == expected) return {};
  return fail(index, std::to_string(rows) + (rows == 1 ? " row" : " rows") + ", expected " +
                         std::to_string(expected));
}

std::string CaseRun::fail(std::size_t index, const std::string& what) {
  std::string error = timed_.name + ", parameter " + std::to_string(index + 1) + " of " +
                      std::to_string(parameters_.size()) + ": " + what;
  if (first_error_.empty()) first_error_ = error;
  return error;
}

std::string CaseRun::fail(std::size_t index, const std::exception& error, const char* during) {
  // The connection that threw it may be gone after call_failed, and the error's text with it.
  std::string told = fail(index, std::string(during) + error.what());
  subject_.call_failed(error, timed_.writes);
  return told;
}

std::string CaseRun::check(std::vector<std::int64_t>& rows) {
  const bool whole = timed_.call.answer != nullptr;
  Oracle* oracle = whole ? subject_.oracle() : nullptr;
  std::string digests;
  for (std::size_t index = 0; index < parameters_.size(); ++index) {
    Answer answer;
    try {
      store::Store& store = subject_.store();
      if (whole) {
        answer = timed_.call.answer(store, parameters_[index]);
      } else {
        answer.rows = timed_.call(store, parameters_[index]);
      }
    } catch (const std::exception& error) {
      return fail(index, error);
    }
    // The rows themselves say more than their number.
    if (oracle != nullptr) {
      const Oracle::Difference difference = oracle->compare(timed_, index, answer.text);
      if (!difference.empty()) {
        std::cerr << "shopmark-bench: " << name() << ", parameter " << std::to_string(index + 1)
                  << " answers wrong:\n"
                  << difference.lines << std::endl;
        return verdict_ = fail(index, difference.summary);
      }
    }
    if (std::string error = check_rows(index, answer.rows); !error.empty()) {
      return verdict_ = std::move(error);
    }
    rows.push_back(answer.rows);
    if (whole) digests += seed::text_digest(answer.text);
  }
  if (whole) answers_digest_ = seed::text_digest(digests);
  return {};
}

std::string CaseRun::observe(std::vector<engine::ObservedStatement>& statements) {
  for (std::size_t index = 0; index < parameters_.size() && !stop_requested(); ++index) {
    try {
      ObservedStore* observed = subject_.observed_store();
      if (observed == nullptr) return {};
      if (index == 0) observed->take();
      const std::int64_t rows = timed_.call(observed->store(), parameters_[index]);
      if (std::string error = check_rows(index, rows); !error.empty()) return error;
      if (index + 1 == parameters_.size()) statements = observed->take();
    } catch (const std::exception& error) {
      // The call itself went well when it was timed.
      return fail(index, error, "taking plans (--plans=false leaves that out): ");
    }
  }
  return {};
}

std::string CaseRun::verify() {
  // Without whole answers, the rows of the timed calls are counted as they come.
  if (verified_ || timed_.call.answer == nullptr) return {};
  if (!verdict_.empty()) return verdict_;
  std::vector<std::int64_t> unused;
  std::string error = check(unused);
  verified_ = error.empty();
  if (subject_.oracle() != nullptr) subject_.oracle()->forget();
  return error;
}

void CaseRun::begin(std::size_t samples) {
  // More than that are seldom taken, even when time decides.
  constexpr std::size_t kMostReserved = 1'000'000;
  Attempt& attempt = attempts_.emplace_back();
  attempt.samples_ns.reserve(std::min(samples, kMostReserved));
  attempt.error = stop_requested() ? std::string() : verify();
  next_ = 0;
}

void CaseRun::take(std::size_t samples, std::size_t untimed) {
  Attempt& attempt = attempts_.back();
  const std::size_t count = parameters_.size();
  Timing timing;
  for (std::size_t left = untimed; left > 0 && attempt.error.empty() && !stop_requested(); --left) {
    attempt.error = call((next_ + count - left % count) % count, timing);
  }
  if (!attempt.error.empty()) return;
  const std::int64_t cpu_before = thread_cpu_ns();
  for (std::size_t i = 0; i < samples && attempt.error.empty(); ++i) {
    if (stop_requested()) {
      attempt.interrupted = true;
      attempt.error = "interrupted";
      return;
    }
    attempt.error = call(next_, timing);
    attempt.samples_ns.push_back(timing.nanoseconds);
    attempt.retries += timing.retries;
    if (++next_ == count) next_ = 0;
  }
  attempt.client_cpu_ns += thread_cpu_ns() - cpu_before;
}

void CaseRun::measure(std::size_t samples) {
  const std::size_t block = block_ == 0 ? samples : block_;
  for (CaseRun* run : together_) run->begin(samples);
  for (std::size_t done = 0; done < samples; done += block) {
    for (CaseRun* run : together_) {
      // The caches held another engine's work since the run's last block: one call brings them
      // back.
      const std::size_t untimed = done == 0 ? run->warmup_ : std::min<std::size_t>(run->warmup_, 1);
      run->take(std::min(block, samples - done), untimed);
    }
  }
}

void CaseRun::run(benchmark::State& state) {
  // Long enough for Google Benchmark to look for no more iterations; no report has it.
  constexpr double kFailedSeconds = 1e9;
  if (handed_out_ == attempts_.size()) measure(static_cast<std::size_t>(state.max_iterations));
  const Attempt& attempt = attempts_[handed_out_++];
  std::size_t i = 0;
  for (auto _ : state) {
    state.SetIterationTime(attempt.error.empty()
                               ? static_cast<double>(attempt.samples_ns[i++]) * 1e-9
                               : kFailedSeconds);
  }
}

const Attempt& CaseRun::repetition(std::int64_t index, std::int64_t repetitions) const {
  const auto size = static_cast<std::int64_t>(handed_out_);
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

}  // namespace shopmark::bench
