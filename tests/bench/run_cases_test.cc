// Runs through Google Benchmark in this process, with cases that do what a test says.

#include "bench/run/run_cases.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <locale>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bench/run/oracle.h"
#include "bench/run/output_file.h"
#include "bench/run/percentiles.h"
#include "tests/bench/fake_store.h"

namespace shopmark::bench {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace files = std::filesystem;

// What the cases do; a case's function takes no state of its own.
std::function<std::int64_t(const Parameters&)> first;
std::function<std::int64_t(const Parameters&)> second;

std::int64_t right(const Parameters& parameters) { return parameters.rows; }

struct Outcome {
  int status = 0;
  json document;
  std::string out;
  std::string err;

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const json& entry : document["benchmarks"]) names.push_back(entry["name"]);
    return names;
  }
};

// Tells of one statement that it ran once for each take(), with a plan and counters of its own.
class FakeObservedStore final : public ObservedStore {
 public:
  FakeStore& store() override {
    ++calls;
    return store_;
  }
  std::vector<engine::ObservedStatement> take() override {
    ++takes;
    if (calls == 0) return {};
    return {{.name = "one",
             .calls = calls,
             .plans = {{{"SCAN", "  a|b"}, "f1"}, {{}, "f2"}},
             .work = {{"sorts", 2}, {"steps", 10 * calls}}},
            {.name = "two", .calls = 1, .plans = {}, .work = {{"steps", 5}}}};
  }

  std::int64_t calls = 0;
  int takes = 0;

 private:
  FakeStore store_;
};

class RunCases : public testing::Test {
 protected:
  RunCases() {
    std::string pattern = testing::TempDir() + "shopmark_run_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    first = second = right;
  }
  ~RunCases() override { files::remove_all(folder_); }

  std::string path() const { return folder_ + "/out.json"; }

  Outcome run(const std::vector<std::string>& arguments, int warmup = 0, int samples = 25,
              bool by_time = false) {
    // The library keeps the flags of the run before.
    std::vector<std::string> all = {"--benchmark_out=" + path(),
                                    "--benchmark_filter=.",
                                    "--benchmark_repetitions=1",
                                    "--benchmark_min_time=0.001",
                                    "--benchmark_min_warmup_time=0",
                                    "--benchmark_time_unit=ms",
                                    "--benchmark_report_aggregates_only=false",
                                    "--benchmark_display_aggregates_only=false",
                                    "--benchmark_enable_random_interleaving=false"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    benchmark::ClearRegisteredBenchmarks();
    const GoogleFlags flags = initialize_google_benchmark("test", all);
    std::vector<std::unique_ptr<CaseRun>> runs;
    for (const Case& timed : table_) {
      for (FakeSubject* subject : subjects_) {
        runs.push_back(std::make_unique<CaseRun>(timed, *subject, parameters_, warmup));
      }
    }
    Iterations iterations = {.cases = samples, .baselines = samples};
    if (by_time) iterations.cases.reset();
    Outcome outcome;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    outcome.status =
        run_cases(runs, {{"a line"}, Json{{"format", 1}}, prepare_, plans_}, flags, iterations);
    std::cout.flush();
    outcome.out = testing::internal::GetCapturedStdout();
    outcome.err = testing::internal::GetCapturedStderr();
    std::ifstream file(flags.out);
    if (files::is_regular_file(flags.out) && file) outcome.document = json::parse(file);
    return outcome;
  }

  static Parameters page(std::int64_t number, std::int64_t rows) {
    Parameters parameters;
    parameters.page = number;
    parameters.rows = rows;
    return parameters;
  }

  // Each entry's own numbers agree with its samples.
  static void expect_consistent(const json& entry, std::size_t samples) {
    std::vector<std::int64_t> ns = entry["samples"];
    ASSERT_EQ(ns.size(), samples);
    EXPECT_EQ(entry["iterations"], samples);
    const double sum = static_cast<double>(std::accumulate(ns.begin(), ns.end(), std::int64_t{0}));
    EXPECT_NEAR(entry["real_time"].get<double>(), sum / static_cast<double>(samples) * 1e-6, 1e-9);
    const Percentiles expected = percentiles(ns);
    EXPECT_EQ(entry["p50"], expected.p50);
    EXPECT_EQ(entry["p95"], expected.p95);
    EXPECT_EQ(entry.contains("p99"), samples >= 100);
  }

  static void expect_error(const json& entry, const std::string& message) {
    EXPECT_EQ(entry["error_occurred"], true);
    EXPECT_EQ(entry["error_message"], message);
    for (const char* key :
         {"real_time", "cpu_time", "client_cpu", "p50", "p95", "p99", "samples", "rows"}) {
      EXPECT_FALSE(entry.contains(key)) << key << " could pass for a fast time";
    }
  }

  std::string folder_;
  FakeSubject fake_{"fake"};
  std::vector<FakeSubject*> subjects_ = {&fake_};
  std::function<void(const std::vector<CaseRun*>&)> prepare_ = [](const auto&) {};
  bool plans_ = false;
  std::vector<Parameters> parameters_ = {page(0, 7), page(1, 8), page(2, 9)};
  std::vector<Case> table_ = {
      {.name = "first_case",
       .title = "first, case",
       .call = {.rows = [](store::Store&, const Parameters& given) { return first(given); }}},
      {.name = "second_case",
       .title = "second",
       .call = {.rows = [](store::Store&, const Parameters& given) { return second(given); }}}};
};

TEST_F(RunCases, WritesAnEntryOfGoogleBenchmarksFormWithOurAdditions) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.names(), ElementsAre("first_case/fake/iterations:25/manual_time",
                                           "second_case/fake/iterations:25/manual_time"));
  json entry = outcome.document["benchmarks"][0];
  expect_consistent(entry, 25);
  for (const char* key : {"samples", "p50", "p95", "real_time", "cpu_time", "client_cpu"}) {
    EXPECT_TRUE(entry[key].is_array() || entry[key].is_number()) << key;
    entry.erase(key);
  }
  EXPECT_EQ(entry, json::parse(R"({
      "name": "first_case/fake/iterations:25/manual_time", "family_index": 0,
      "per_family_instance_index": 0, "run_name": "first_case/fake/iterations:25/manual_time",
      "run_type": "iteration", "repetitions": 1, "repetition_index": 0, "threads": 1,
      "iterations": 25, "time_unit": "ms", "query": "first_case", "title": "first, case",
      "target": "fake", "engine": "none", "parameters": 3, "parameter_rows": [7, 8, 9],
      "rows": 7})"));
  const json& context = outcome.document["context"];
  EXPECT_EQ(context["shopmark"], json::parse(R"({"format": 1, "complete": true})"));
  for (const char* key : {"date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "caches",
                          "load_avg", "library_build_type"}) {
    EXPECT_TRUE(context.contains(key)) << key;
  }
}

TEST_F(RunCases, CountsWhatTheTimedCallsOfAWritingCaseRanAgain) {
  table_[0].writes = true;
  first = [&](const Parameters& parameters) {
    fake_.store().stock().run_again();
    return parameters.rows;
  };
  const Outcome outcome = run({}, 3, 25);
  EXPECT_EQ(outcome.status, 0);
  const json& entries = outcome.document["benchmarks"];
  EXPECT_EQ(entries[0]["writes"], true);
  EXPECT_EQ(entries[0]["retries"], 25);
  EXPECT_FALSE(entries[1].contains("writes") || entries[1].contains("retries"));
}

TEST_F(RunCases, LooksAtTheStatementsOfEachCaseOnceAllIsTimed) {
  plans_ = true;
  FakeObservedStore observed;
  fake_.set_observed(&observed);
  std::int64_t timed_calls = 0;
  first = second = [&](const Parameters& parameters) {
    if (observed.calls == 0) ++timed_calls;
    return parameters.rows;
  };
  const Outcome outcome = run({"--benchmark_filter=first"}, 0, 7);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(timed_calls, 7);
  EXPECT_EQ(observed.calls, 3);
  EXPECT_EQ(observed.takes, 2);
  EXPECT_EQ(outcome.document["benchmarks"].size(), 1);
  EXPECT_EQ(outcome.document["context"]["shopmark"], json::parse(R"({
      "format": 1, "complete": true, "observed": {"fake": {"first_case": {
        "work": {"sorts": 2, "steps": 35},
        "statements": [
          {"name": "one", "calls": 3, "work": {"sorts": 2, "steps": 30},
           "plans": [{"fingerprint": "f1", "text": ["SCAN", "  a|b"]},
                     {"fingerprint": "f2", "text": []}]},
          {"name": "two", "calls": 1, "plans": [], "work": {"steps": 5}}]}}}})"));
}

TEST_F(RunCases, LooksAtNothingThatFailedOrHasNoDatabaseOrWasNotAskedFor) {
  FakeObservedStore observed;
  fake_.set_observed(&observed);
  EXPECT_FALSE(run({}).document["context"]["shopmark"].contains("observed"));
  plans_ = true;
  first = [](const Parameters&) -> std::int64_t { throw std::runtime_error("broken"); };
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.status, 1);
  const json& found = outcome.document["context"]["shopmark"]["observed"]["fake"];
  EXPECT_FALSE(found.contains("first_case"));
  EXPECT_TRUE(found.contains("second_case"));
  fake_.set_observed(nullptr);
  first = right;
  EXPECT_EQ(run({}).document["context"]["shopmark"]["observed"], json::object());
}

TEST_F(RunCases, ALookThatFailsIsAnErrorInPlaceOfAPlanAndStatus1) {
  plans_ = true;
  FakeObservedStore observed;
  fake_.set_observed(&observed);
  first = [&](const Parameters& parameters) {
    if (observed.calls > 1) throw std::runtime_error("no plan");
    return parameters.rows;
  };
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("first_case/fake failed: first_case, parameter 2 of 3: taking "
                                     "plans (--plans=false leaves that out): no plan"));
  const json& ours = outcome.document["context"]["shopmark"];
  EXPECT_EQ(ours["observed"]["fake"]["first_case"],
            json({{"error",
                   "first_case, parameter 2 of 3: taking plans (--plans=false leaves that out): no "
                   "plan"}}));
  EXPECT_TRUE(ours["observed"]["fake"]["second_case"].contains("work"));
  EXPECT_EQ(ours["complete"], true);
  EXPECT_FALSE(outcome.document["benchmarks"][0].contains("error_occurred"));
}

TEST_F(RunCases, AStopWhileLookingLeavesWhatWasSeenAndIsToldAsAStop) {
  plans_ = true;
  FakeObservedStore observed;
  fake_.set_observed(&observed);
  second = [&](const Parameters& parameters) {
    if (observed.calls > 3) ::raise(SIGINT);
    return parameters.rows;
  };
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("interrupted"));
  EXPECT_EQ(outcome.names().size(), 2);
  const json& ours = outcome.document["context"]["shopmark"];
  EXPECT_EQ(ours["complete"], false);
  EXPECT_TRUE(ours["observed"]["fake"].contains("first_case"));
  EXPECT_FALSE(ours["observed"]["fake"].contains("second_case"));
}

TEST_F(RunCases, TakesATargetThatIsGoneForAnErrorOfEachCase) {
  table_[0].writes = true;
  fake_.go_away();
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.status, 1);
  const json& entries = outcome.document["benchmarks"];
  ASSERT_EQ(entries.size(), 2);
  expect_error(entries[0], "first_case, parameter 1 of 3: the target is gone");
  expect_error(entries[1], "second_case, parameter 1 of 3: the target is gone");
}

TEST_F(RunCases, RotatesParametersSoThatTheTimedCallsStartWithTheFirst) {
  std::vector<std::int64_t> pages;
  first = [&](const Parameters& given) {
    pages.push_back(given.page);
    return given.rows;
  };
  EXPECT_EQ(run({}, 5, 4).status, 0);
  EXPECT_THAT(pages, ElementsAre(1, 2, 0, 1, 2, /* timed: */ 0, 1, 2, 0));
}

TEST_F(RunCases, HasAP99FromAHundredSamplesOn) {
  const Outcome outcome = run({}, 0, 100);
  expect_consistent(outcome.document["benchmarks"][0], 100);
}

TEST_F(RunCases, TakesAWrongNumberOfRowsForAnErrorAndGoesOn) {
  first = [](const Parameters& given) { return given.page == 1 ? 23 : given.rows; };
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.status, 1);
  const std::string message = "first_case, parameter 2 of 3: 23 rows, expected 8";
  expect_error(outcome.document["benchmarks"][0], message);
  expect_consistent(outcome.document["benchmarks"][1], 25);
  EXPECT_THAT(outcome.err, HasSubstr("shopmark-bench: first_case/fake failed: " + message));
  EXPECT_EQ(outcome.document["context"]["shopmark"]["complete"], true);
}

TEST_F(RunCases, TakesAnEmptyResultForAnError) {
  second = [](const Parameters&) { return 0; };
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.status, 1);
  expect_error(outcome.document["benchmarks"][1],
               "second_case, parameter 1 of 3: 0 rows, expected 7");
}

// Google Benchmark 1.7.1 aborts when some repetitions report an error and others do not.
TEST_F(RunCases, SurvivesAnErrorInTheWarmUpOfOneRepetition) {
  for (const int failing : {0, 1, 2}) {
    int calls = 0;
    first = [&](const Parameters& given) {
      // 2 untimed and 4 timed calls a repetition.
      if (calls++ == failing * 6 + 1) throw std::runtime_error("database \xff gone");
      return given.rows;
    };
    const Outcome outcome = run({"--benchmark_repetitions=3"}, 2, 4);
    EXPECT_EQ(outcome.status, 1);
    const json& entries = outcome.document["benchmarks"];
    for (int i = 0; i < 3; ++i) {
      const json& entry = entries[static_cast<std::size_t>(i)];
      EXPECT_EQ(entry["query"], "first_case");
      EXPECT_EQ(entry["repetition_index"], i);
      if (i == failing) {
        expect_error(entry, "first_case, parameter 3 of 3: database \xef\xbf\xbd gone");
      } else {
        expect_consistent(entry, 4);
      }
    }
    // No aggregate of a case of which a repetition failed; the other case has its own.
    EXPECT_EQ(entries[3]["query"], "second_case");
    EXPECT_EQ(entries.size(), 3U + 3U + 4U);
    EXPECT_THAT(outcome.out, HasSubstr("ERROR OCCURRED: 'first_case, parameter 3 of 3"));
  }
}

TEST_F(RunCases, ShowsAFailedRepetitionAlsoWhenOnlyAggregatesWereAskedFor) {
  int calls = 0;
  first = [&](const Parameters& given) { return calls++ == 5 ? 0 : given.rows; };
  const Outcome outcome =
      run({"--benchmark_repetitions=3", "--benchmark_report_aggregates_only=true"}, 0, 4);
  EXPECT_EQ(outcome.status, 1);
  const json& entries = outcome.document["benchmarks"];
  expect_error(entries[0], "first_case, parameter 2 of 3: 0 rows, expected 8");
  EXPECT_EQ(entries[0]["run_type"], "iteration");
  EXPECT_EQ(entries[0]["repetition_index"], 1);
  EXPECT_EQ(entries[1]["query"], "second_case");
  EXPECT_EQ(entries[1]["aggregate_name"], "mean");
  EXPECT_THAT(outcome.err, HasSubstr("first_case/fake failed"));
}

// The time that a failed repetition is given must not make the library look for more of them.
TEST_F(RunCases, EndsAtOnceWhenACaseFailsUnderMinTime) {
  int calls = 0;
  first = [&](const Parameters&) { return ++calls, 0; };
  const Outcome outcome =
      run({"--benchmark_min_time=1000000", "--benchmark_filter=first"}, 0, 25, true);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(calls, 1);
}

TEST_F(RunCases, GivesEachRepetitionItsOwnSamplesAlsoInterleaved) {
  for (const std::string interleaved : {"false", "true"}) {
    const Outcome outcome =
        run({"--benchmark_repetitions=4", "--benchmark_enable_random_interleaving=" + interleaved},
            3, 10);
    EXPECT_EQ(outcome.status, 0);
    int iterations = 0;
    for (const json& entry : outcome.document["benchmarks"]) {
      EXPECT_TRUE(entry.contains("query"));
      EXPECT_EQ(entry["target"], "fake");
      EXPECT_EQ(entry["engine"], "none");
      if (entry["run_type"] != "iteration") continue;
      ++iterations;
      expect_consistent(entry, 10);
    }
    EXPECT_EQ(iterations, 8);
    EXPECT_EQ(outcome.document["benchmarks"].size(), 16U);  // and mean, median, stddev, cv
  }
}

TEST_F(RunCases, TakesAsManySamplesAsMinTimeNeeds) {
  table_[1].baseline_rows = 1;
  const Outcome outcome = run({"--benchmark_repetitions=2"}, 1, 25, true);
  EXPECT_EQ(outcome.status, 0);
  const json& entries = outcome.document["benchmarks"];
  EXPECT_EQ(entries[0]["name"], "first_case/fake/manual_time");
  const std::size_t samples = entries[0]["iterations"];
  EXPECT_GT(samples, 100U);  // a millisecond of calls that take nanoseconds
  expect_consistent(entries[0], samples);
  expect_consistent(entries[1], samples);
  bool baseline_seen = false;
  for (const json& entry : entries) {
    if (entry["query"] != "second_case" || entry["run_type"] != "iteration") continue;
    baseline_seen = true;
    expect_consistent(entry, 25);
  }
  EXPECT_TRUE(baseline_seen);
}

TEST_F(RunCases, EndsTheCallUnderWayOnCtrlCAndKeepsWhatIsFinished) {
  int calls = 0;
  second = [&](const Parameters& given) {
    if (++calls == 3) ::raise(SIGINT);
    return given.rows;
  };
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(calls, 3);
  EXPECT_THAT(outcome.names(), ElementsAre("first_case/fake/iterations:25/manual_time"));
  EXPECT_EQ(outcome.document["context"]["shopmark"]["complete"], false);
  EXPECT_THAT(outcome.err, HasSubstr("interrupted; " + path() + " has the 1 finished entries"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("failed")));
}

TEST_F(RunCases, KeepsFinishedRepetitionsButNoAggregateOfAnInterruptedCase) {
  int calls = 0;
  first = [&](const Parameters& given) {
    if (++calls == 25) ::raise(SIGTERM);  // in the third repetition of ten calls
    return given.rows;
  };
  const Outcome outcome = run({"--benchmark_repetitions=4"}, 0, 10);
  EXPECT_EQ(outcome.status, 1);
  ASSERT_EQ(outcome.document["benchmarks"].size(), 2U);
  expect_consistent(outcome.document["benchmarks"][0], 10);
  expect_consistent(outcome.document["benchmarks"][1], 10);
}

TEST_F(RunCases, HasAValidDocumentAtEveryMoment) {
  std::vector<json> seen;
  const auto look = [&](const Parameters& given) {
    if (given.page == 0) seen.push_back(json::parse(std::ifstream(path())));
    return given.rows;
  };
  first = second = look;
  EXPECT_EQ(run({}, 0, 3).status, 0);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0]["benchmarks"].size(), 0U);
  EXPECT_EQ(seen[1]["benchmarks"].size(), 1U);
  EXPECT_EQ(seen[1]["context"]["shopmark"]["complete"], false);
}

TEST_F(RunCases, LeavesTheFileAloneWhenNothingMatches) {
  std::ofstream(path()) << "[1]";
  for (const auto& [filter, why] : {std::pair("nothing", "no case has such a name"),
                                    std::pair("(", "not a regular expression")}) {
    const Outcome outcome = run({std::string("--benchmark_filter=") + filter});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr(std::string("--benchmark_filter=") + filter + ": " + why));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
    EXPECT_EQ(outcome.document, json::parse("[1]"));
  }
}

TEST_F(RunCases, MeasuresNothingWhenTheOutputCannotBeOpened) {
  bool called = false;
  first = [&](const Parameters& given) { return called = true, given.rows; };
  EXPECT_THROW(run({"--benchmark_out=" + folder_ + "/none/out.json"}), OutputError);
  testing::internal::GetCapturedStdout();
  testing::internal::GetCapturedStderr();
  EXPECT_FALSE(called);
}

TEST_F(RunCases, FailsOnAFullDevice) {
  const Outcome outcome = run({"--benchmark_out=/dev/full"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("--benchmark_out: /dev/full: No space left on device"));
}

TEST_F(RunCases, StopsWhenTheOutputGoesAwayInMidRun) {
  int calls = 0;
  first = [&](const Parameters& given) {
    files::remove_all(folder_);
    return given.rows;
  };
  second = [&](const Parameters& given) { return ++calls, given.rows; };
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(calls, 0);
  EXPECT_THAT(outcome.err, HasSubstr(path() + ": No such file or directory"));
}

TEST_F(RunCases, WritesItsNumbersWithoutTheLocale) {
  class Grouped : public std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\1"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Grouped));
  first = [](const Parameters&) { return 1234; };
  const Outcome outcome = run({"--benchmark_repetitions=12"}, 0, 120);
  std::locale::global(before);
  EXPECT_EQ(outcome.status, 1);
  expect_error(outcome.document["benchmarks"][0],
               "first_case, parameter 1 of 3: 1234 rows, expected 7");
  EXPECT_EQ(outcome.document["benchmarks"].back()["query"], "second_case");
  EXPECT_THAT(outcome.names()[0], HasSubstr("/iterations:120/"));
}

// What a call burns is in the processor time; what it waits for is not.
TEST_F(RunCases, TellsTheProcessorTimeOfTheCallingThreadPerCall) {
  first = [](const Parameters& given) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return given.rows;
  };
  second = [](const Parameters& given) {
    timespec start = {};
    timespec now = {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do {
      ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - start.tv_sec) * 1'000'000'000 + now.tv_nsec - start.tv_nsec < 2'000'000);
    return given.rows;
  };
  const Outcome outcome = run({"--benchmark_repetitions=2"}, 0, 4);
  for (const json& entry : outcome.document["benchmarks"]) {
    if (entry.value("aggregate_name", "") == "stddev" || entry.value("aggregate_name", "") == "cv")
      continue;
    EXPECT_GE(entry["real_time"], 1.9);
    if (entry["query"] == "first_case") {
      EXPECT_LT(entry["cpu_time"], 1.0);
    } else {
      EXPECT_GE(entry["cpu_time"], 2.0);
      EXPECT_LT(entry["cpu_time"], 3.0);
    }
    if (entry["run_type"] == "aggregate") continue;
    EXPECT_NEAR(entry["client_cpu"].get<double>(), entry["cpu_time"].get<double>() * 1e6, 1);
  }
}

class RunInterleaved : public RunCases {
 protected:
  RunInterleaved() {
    subjects_ = {&fake_, &other_};
    // Both cases of both subjects report their calls: the case's number and the parameter's page.
    first = [this](const Parameters& given) { return called(1, given); };
    second = [this](const Parameters& given) { return called(2, given); };
    prepare_ = [](const std::vector<CaseRun*>& runs) {
      std::map<std::string, std::vector<CaseRun*>> by_case;
      for (CaseRun* run : runs) by_case[run->timed().name].push_back(run);
      for (CaseRun* run : runs) run->take_turns(by_case[run->timed().name], 2);
    };
  }
  std::int64_t called(int number, const Parameters& given) {
    calls_ += std::to_string(number) + std::to_string(given.page) + ' ';
    return given.rows;
  }

  FakeSubject other_{"other"};
  std::string calls_;
};

TEST_F(RunInterleaved, TargetsTakeTurnsInBlocksWithOneUntimedCallBeforeEachButTheFirst) {
  const Outcome outcome = run({"--benchmark_filter=first"}, 2, 5);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(calls_,
            "11 12 10 11 11 12 10 11 "  // each: 2 untimed, 2 timed
            "11 12 10 11 12 10 "        // each: 1 untimed, 2 timed
            "10 11 10 11 ");            // each: 1 untimed, the last one
  EXPECT_THAT(outcome.names(), ElementsAre("first_case/fake/iterations:5/manual_time",
                                           "first_case/other/iterations:5/manual_time"));
  for (const json& entry : outcome.document["benchmarks"]) expect_consistent(entry, 5);
}

TEST_F(RunInterleaved, RepetitionsHaveTheirOwnSamplesAlsoAtRandom) {
  for (const std::string random : {"false", "true"}) {
    const Outcome outcome = run(
        {"--benchmark_repetitions=3", "--benchmark_enable_random_interleaving=" + random}, 1, 7);
    EXPECT_EQ(outcome.status, 0);
    std::set<json> different;
    for (const json& entry : outcome.document["benchmarks"]) {
      if (entry["run_type"] != "iteration") continue;
      expect_consistent(entry, 7);
      different.insert(entry["samples"]);
    }
    // Some may be equal by chance, being a few nanoseconds each.
    EXPECT_GT(different.size(), 6U);
    EXPECT_EQ(outcome.document["benchmarks"].size(), 2U * 2U * (3U + 4U));
  }
}

TEST_F(RunInterleaved, ATargetThatFailsIsLeftOutAndTheOthersGoOn) {
  int calls = 0;
  first = [&](const Parameters& given) { return ++calls == 7 ? 0 : given.rows; };
  const Outcome outcome = run({"--benchmark_filter=first"}, 0, 6);
  EXPECT_EQ(outcome.status, 1);
  // Call 7 is the second target's third: blocks of 2 are 1-2, 3-4, 5-6, 7-8.
  expect_consistent(outcome.document["benchmarks"][0], 6);
  expect_error(outcome.document["benchmarks"][1],
               "first_case, parameter 3 of 3: 0 rows, expected 9");
  EXPECT_EQ(calls, 6 + 3);
}

TEST_F(RunInterleaved, CtrlCLeavesOutTheCaseOnEveryTarget) {
  int calls = 0;
  second = [&](const Parameters& given) {
    if (++calls == 7) ::raise(SIGINT);
    return given.rows;
  };
  const Outcome outcome = run({}, 0, 6);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(outcome.document["benchmarks"].size(), 2U);
  EXPECT_EQ(outcome.document["context"]["shopmark"]["complete"], false);
}

class RunWithOracle : public RunCases {
 protected:
  RunWithOracle() {
    // An answer is the page's number; the test spoils one.
    static constexpr auto kAnswer = [](store::Store& store, const Parameters& given) {
      Answer answer = {given.rows, "page=" + std::to_string(given.page) + "\n"};
      if (&store != right_store && given.page == wrong_page) answer.text = "page=wrong\n";
      if (&store == right_store) ++asked;
      return answer;
    };
    for (Case& timed : table_) timed.call.answer = kAnswer;
    wrong_page = -1;
    asked = 0;
    oracle_.emplace(
        Oracle::Options{.cases = &table_,
                        .parameters = {{"first_case", parameters_}, {"second_case", parameters_}},
                        .open =
                            [] {
                              auto store = std::make_unique<FakeStore>();
                              right_store = store.get();
                              return store;
                            },
                        .file = {},
                        .key = {}});
    fake_.set_oracle(&*oracle_);
    prepare_ = [this](const auto&) { oracle_->prepare(); };
  }

  static inline store::Store* right_store;
  static inline std::int64_t wrong_page;
  static inline int asked;
  std::optional<Oracle> oracle_;
};

TEST_F(RunWithOracle, EqualAnswersAreMeasured) {
  const Outcome outcome = run({});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(asked, 6);
  for (const json& entry : outcome.document["benchmarks"]) expect_consistent(entry, 25);
}

TEST_F(RunWithOracle, AWrongAnswerIsAnErrorAndNeverTimed) {
  int timed = 0;
  first = [&](const Parameters& given) { return ++timed, given.rows; };
  wrong_page = 1;
  const Outcome outcome = run({"--benchmark_repetitions=2", "--benchmark_filter=first"}, 5, 25);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(timed, 0);
  ASSERT_EQ(outcome.document["benchmarks"].size(), 2U);
  for (const json& entry : outcome.document["benchmarks"]) {
    expect_error(
        entry,
        "first_case, parameter 2 of 3: wrong result, line 1 (page=wrong): page=wrong, must "
        "be page=1");
  }
  EXPECT_THAT(outcome.err, HasSubstr("first_case/fake, parameter 2 answers wrong:\n"
                                     "  is:      page=wrong\n  must be: page=1\n"));
}

TEST_F(RunCases, PrintsTheDocumentWhenAskedTo) {
  const Outcome outcome = run({"--benchmark_format=json"});
  EXPECT_EQ(json::parse(outcome.out), outcome.document);
}

TEST_F(RunCases, ShowsGoogleBenchmarksLinesWithTheMedianAndP95BesideThem) {
  const Outcome outcome = run({});
  EXPECT_THAT(outcome.out,
              testing::ContainsRegex("first_case/fake/iterations:25/manual_time +[0-9]"));
  EXPECT_THAT(outcome.out,
              testing::ContainsRegex(" p50=[0-9.]+ [num]?s p95=[0-9.]+ [num]?s rows=7\n"));
  EXPECT_THAT(outcome.err, HasSubstr("a line\n"));
  // The distribution's library warns that it is a debug build; the times do not suffer from it.
  EXPECT_THAT(outcome.err, Not(HasSubstr("WARNING")));
}

TEST_F(RunCases, KeepsTimeUnitsAndTheContextOfTheUser) {
  const Outcome outcome = run({"--benchmark_time_unit=us", "--benchmark_context=branch=fast,x=1"});
  EXPECT_EQ(outcome.document["benchmarks"][0]["time_unit"], "us");
  EXPECT_EQ(outcome.document["context"]["branch"], "fast");
}

}  // namespace
}  // namespace shopmark::bench
