// The error of a run as Google Benchmark keeps it: up to 1.7 error_occurred and error_message, from
// 1.8 on skipped and skip_message.

#pragma once

#include <string>

namespace shopmark::bench {

// Empty: there is none.
template <typename Run>
void set_error(Run& run, const std::string& message) {
  if constexpr (requires { run.error_occurred; }) {
    run.error_occurred = !message.empty();
    run.error_message = message;
  } else {
    using Skipped = decltype(run.skipped);
    run.skipped = message.empty() ? Skipped{} : Skipped::SkippedWithError;
    run.skip_message = message;
  }
}

template <typename Run>
std::string error_of(const Run& run) {
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred ? run.error_message : std::string();
  } else {
    return run.skipped == decltype(run.skipped){} ? std::string() : run.skip_message;
  }
}

}  // namespace shopmark::bench
