// Google Benchmark's own flags (--benchmark_...), as its users know them: its library reads them,
// except for where and in what form the output goes, which is ours.

#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace shopmark::bench {

// One line that names the flag and what is wrong with it.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct GoogleFlags {
  enum class Format { kConsole, kJson, kCsv };

  std::string out;  // of --benchmark_out; empty: no file
  Format format = Format::kConsole;
  bool list_tests = false;
  // Repetitions of all cases are mixed at random.
  bool random_order = false;
  bool min_time_given = false;
};

// Initializes Google Benchmark; times are in milliseconds unless a flag says otherwise. Like the
// library, takes an unset flag from the environment (--benchmark_out from BENCHMARK_OUT). Throws
// UsageError for what the library ignores, would exit with status 0 for, or would abort on.
GoogleFlags initialize_google_benchmark(const std::string& executable,
                                        const std::vector<std::string>& arguments);

// Whether the library lists the names of cases instead of running them; after the above.
void set_list_tests(bool list);

}  // namespace shopmark::bench
