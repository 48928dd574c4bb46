#include "bench/run/google_flags.h"

#include <absl/strings/ascii.h>
#include <absl/strings/numbers.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>

namespace shopmark::bench {

namespace {

constexpr std::string_view kPrefix = "--benchmark_";

// The last value given for a flag, or the environment's; "" for a flag without one.
std::optional<std::string> value_of(const std::vector<std::string>& arguments,
                                    const std::string& flag) {
  std::optional<std::string> value;
  std::string variable = "BENCHMARK_" + flag;
  absl::AsciiStrToUpper(&variable);
  if (const char* text = std::getenv(variable.c_str()); text != nullptr) value = text;
  const std::string whole = std::string(kPrefix) + flag;
  for (const std::string& argument : arguments) {
    if (argument == whole) value = "";
    if (argument.starts_with(whole + "=")) value = argument.substr(whole.size() + 1);
  }
  return value;
}

bool is_flag(const std::string& argument, const std::string& flag) {
  const std::string whole = std::string(kPrefix) + flag;
  return argument == whole || argument.starts_with(whole + "=");
}

[[noreturn]] void refuse(const std::string& flag, const std::string& why) {
  throw UsageError(std::string(kPrefix) + flag + ": " + why);
}

bool is_true(std::string value) {
  absl::AsciiStrToLower(&value);
  static constexpr std::string_view kFalse[] = {"0", "f", "n", "false", "no", "off"};
  return std::find(std::begin(kFalse), std::end(kFalse), value) == std::end(kFalse);
}

GoogleFlags::Format read_format(const std::string& format) {
  if (format == "console") return GoogleFlags::Format::kConsole;
  if (format == "json") return GoogleFlags::Format::kJson;
  if (format == "csv") return GoogleFlags::Format::kCsv;
  refuse("format", "'" + format + "' is not console, json or csv");
}

// Seconds that Google Benchmark 1.7.1 takes as they are, though it would run for ever on some.
void check_seconds(const std::vector<std::string>& arguments, const std::string& flag,
                   double least) {
  const std::optional<std::string> text = value_of(arguments, flag);
  double seconds = 0;
  if (text && (!absl::SimpleAtod(*text, &seconds) || !std::isfinite(seconds) || seconds < least)) {
    refuse(flag, "'" + *text + "' is not a number of seconds (write it without a unit)");
  }
}

void check_values(const std::vector<std::string>& arguments) {
  if (const auto text = value_of(arguments, "repetitions"); text) {
    int repetitions = 0;
    if (!absl::SimpleAtoi(*text, &repetitions) || repetitions < 1) {
      refuse("repetitions", "'" + *text + "' is not a number from 1 on");
    }
  }
  check_seconds(arguments, "min_time", 1e-9);
  check_seconds(arguments, "min_warmup_time", 0);
  if (const auto unit = value_of(arguments, "time_unit"); unit && !unit->empty()) {
    static constexpr std::string_view kUnits[] = {"ns", "us", "ms", "s"};
    if (std::find(std::begin(kUnits), std::end(kUnits), *unit) == std::end(kUnits)) {
      refuse("time_unit", "'" + *unit + "' is not ns, us, ms or s");
    }
  }
  if (const auto format = value_of(arguments, "out_format"); format && *format != "json") {
    refuse("out_format", "'" + *format + "': the file is always json");
  }
  // Without the kernel's counters the library aborts in mid-run.
  if (const auto counters = value_of(arguments, "perf_counters"); counters && !counters->empty()) {
    refuse("perf_counters", "not supported here");
  }
}

// Runs the library's parser with what it prints on std::cerr caught.
class CaughtErrors {
 public:
  CaughtErrors() : before_(std::cerr.rdbuf(caught_.rdbuf())) {}
  ~CaughtErrors() { std::cerr.rdbuf(before_); }
  CaughtErrors(const CaughtErrors&) = delete;
  CaughtErrors& operator=(const CaughtErrors&) = delete;

  std::string first_line() const {
    const std::string text = caught_.str();
    return text.substr(0, text.find('\n'));
  }

 private:
  std::ostringstream caught_;
  std::streambuf* before_;
};

}  // namespace

GoogleFlags initialize_google_benchmark(const std::string& executable,
                                        const std::vector<std::string>& arguments) {
  check_values(arguments);
  GoogleFlags flags;
  flags.out = value_of(arguments, "out").value_or("");
  if (flags.out.empty() && std::any_of(arguments.begin(), arguments.end(), [](const auto& text) {
        return text == "--benchmark_out";
      })) {
    refuse("out", "needs a file: --benchmark_out=FILE");
  }
  flags.format = read_format(value_of(arguments, "format").value_or("console"));
  if (const auto list = value_of(arguments, "list_tests"); list) flags.list_tests = is_true(*list);
  if (const auto random = value_of(arguments, "enable_random_interleaving"); random) {
    flags.random_order = is_true(*random);
  }
  flags.min_time_given = value_of(arguments, "min_time").has_value();

  // Kept for as long as the process lives: the library keeps the executable's name.
  static std::vector<std::string> kept;
  kept = {executable};
  for (const std::string& argument : arguments) {
    if (!is_flag(argument, "out") && !is_flag(argument, "out_format") &&
        !is_flag(argument, "format")) {
      kept.push_back(argument);
    }
  }
  // The library hands a reporter all runs, not just the displayed ones, only when it has a file to
  // write. Ours writes its own.
  kept.emplace_back("--benchmark_out=/dev/null");
  kept.emplace_back("--benchmark_out_format=json");
  kept.emplace_back(flags.format == GoogleFlags::Format::kCsv ? "--benchmark_format=csv"
                                                              : "--benchmark_format=console");
  std::vector<char*> pointers;
  for (std::string& argument : kept) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());

  benchmark::SetDefaultTimeUnit(benchmark::kMillisecond);
  std::string complaint;
  {
    const CaughtErrors caught;
    benchmark::Initialize(&count, pointers.data());
    complaint = caught.first_line();
  }
  if (count > 1) {
    throw UsageError(std::string(pointers[1]) + ": " +
                     (complaint.empty() ? "no such flag of Google Benchmark's" : complaint));
  }
  const auto* custom = benchmark::internal::GetGlobalContext();
  if (custom != nullptr && custom->count("shopmark") > 0) {
    refuse("context", "the key shopmark is taken");
  }
  return flags;
}

void set_list_tests(bool list) {
  // The name that the library keeps of the program must stay.
  std::string program = benchmark::BenchmarkReporter::Context::executable_name;
  static std::string kept_program;
  kept_program = std::move(program);
  std::string flag = std::string(kPrefix) + "list_tests=" + (list ? "true" : "false");
  char* arguments[] = {kept_program.data(), flag.data(), nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments);
}

}  // namespace shopmark::bench
