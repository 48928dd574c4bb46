#include "bench/run/google_flags.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <string>
#include <vector>

namespace shopmark::bench {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(const std::vector<std::string>& arguments) {
  try {
    initialize_google_benchmark("test", arguments);
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return {};
}

TEST(GoogleFlags, KeepTheOutputForUs) {
  const GoogleFlags flags = initialize_google_benchmark(
      "test", {"--benchmark_out=a.json", "--benchmark_out_format=json", "--benchmark_out=b.json",
               "--benchmark_format=json", "--benchmark_repetitions=2"});
  EXPECT_EQ(flags.out, "b.json");
  EXPECT_EQ(flags.format, GoogleFlags::Format::kJson);
  EXPECT_FALSE(flags.list_tests);
  EXPECT_FALSE(flags.min_time_given);
}

TEST(GoogleFlags, AreReadFromTheEnvironmentWhereTheCommandLineSaysNothing) {
  ::setenv("BENCHMARK_OUT", "environment.json", 1);
  ::setenv("BENCHMARK_MIN_TIME", "0.5", 1);
  const GoogleFlags unsaid = initialize_google_benchmark("test", {});
  const GoogleFlags said = initialize_google_benchmark("test", {"--benchmark_out=line.json"});
  ::unsetenv("BENCHMARK_OUT");
  ::unsetenv("BENCHMARK_MIN_TIME");
  EXPECT_EQ(unsaid.out, "environment.json");
  EXPECT_TRUE(unsaid.min_time_given);
  EXPECT_EQ(said.out, "line.json");
}

TEST(GoogleFlags, TakeTheUsualWordsForYesAndNo) {
  const auto lists = [](const std::string& flag) {
    return initialize_google_benchmark("test", {flag}).list_tests;
  };
  EXPECT_TRUE(lists("--benchmark_list_tests"));
  EXPECT_TRUE(lists("--benchmark_list_tests=true"));
  EXPECT_FALSE(lists("--benchmark_list_tests=off"));
  EXPECT_FALSE(lists("--benchmark_list_tests=false"));
}

TEST(GoogleFlags, ThatAreWrongAreOneLineThatNamesThem) {
  EXPECT_THAT(error_of({"--benchmark_fliter=x"}), StartsWith("--benchmark_fliter=x: "));
  EXPECT_THAT(error_of({"--benchmark_format=xml"}), HasSubstr("not console, json or csv"));
  EXPECT_THAT(error_of({"--benchmark_out_format=csv"}), HasSubstr("always json"));
  EXPECT_THAT(error_of({"--benchmark_out"}), HasSubstr("needs a file"));
  EXPECT_THAT(error_of({"--benchmark_min_time=1s"}), HasSubstr("without a unit"));
  EXPECT_THAT(error_of({"--benchmark_min_time=nan"}), HasSubstr("'nan'"));
  EXPECT_THAT(error_of({"--benchmark_min_time=0"}), HasSubstr("'0'"));
  EXPECT_THAT(error_of({"--benchmark_min_warmup_time=-1"}), HasSubstr("'-1'"));
  EXPECT_THAT(error_of({"--benchmark_repetitions=0"}), HasSubstr("from 1 on"));
  EXPECT_THAT(error_of({"--benchmark_repetitions=few"}), HasSubstr("'few'"));
  EXPECT_THAT(error_of({"--benchmark_time_unit=h"}), HasSubstr("ns, us, ms or s"));
  EXPECT_THAT(error_of({"--benchmark_perf_counters=CYCLES"}), HasSubstr("not supported"));
  EXPECT_THAT(error_of({"--benchmark_context=novalue"}), StartsWith("--benchmark_context="));
}

// Last, because the library never forgets a key.
TEST(GoogleFlags, ZzTakeNoContextInOurName) {
  EXPECT_THAT(error_of({"--benchmark_context=shopmark=x"}), HasSubstr("taken"));
}

}  // namespace
}  // namespace shopmark::bench
