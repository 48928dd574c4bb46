#include "bench/load/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/bench/load/made_up.h"

namespace shopmark::drive {
namespace {

using ::testing::ElementsAre;
using Json = nlohmann::ordered_json;

std::vector<StageFigures> run(const Scenario& scenario,
                              const std::function<StageResult(const Scenario&)>& asked) {
  return run_plan(
      scenario, [&](const Scenario& stage, std::uint64_t, std::uint64_t) { return asked(stage); },
      [](const Scenario&, const StageResult&, const StageFigures&) {});
}

// ---- stages ----

TEST(PlanTest, EveryStageHasASeedAndVisitsOfItsOwn) {
  const Scenario scenario = scenario_with({{"repeats", 3}}, kOpen);
  std::set<std::uint64_t> seeds;
  std::uint64_t next = 1;
  int ended = 0;
  const auto stages = run_plan(
      scenario,
      [&](const Scenario&, std::uint64_t seed, std::uint64_t first_visit) {
        EXPECT_TRUE(seeds.insert(seed).second);
        EXPECT_GE(first_visit, next);
        next = first_visit + 5;
        return all_answered(5, kMs);
      },
      [&](const Scenario&, const StageResult& result, const StageFigures& figures) {
        EXPECT_EQ(figures.run, ended++);
        EXPECT_EQ(result.records.size(), 5U);
      });
  EXPECT_EQ(stages.size(), 3U);
  EXPECT_EQ(ended, 3);
}

TEST(PlanTest, NothingIsBegunAfterAStageWasStopped) {
  int begun = 0;
  const auto stages = run(scenario_with({{"repeats", 3}}, kOpen), [&](const Scenario&) {
    StageResult result = all_answered(5, kMs);
    result.stopped = ++begun == 2;
    return result;
  });
  EXPECT_EQ(begun, 2);
  EXPECT_EQ(stages.size(), 2U);
}

// ---- ladder ----

Scenario ladder(std::int64_t repeats = 1) {
  return scenario_with(
      {{"repeats", repeats}, {"ladder", Json{{"clients", {1, 2, 4, 8}}, {"p95_ms", 20}}}}, kClosed,
      R"([{"route": "home"}, {"route": "search"}])");
}

// Each client costs 5 ms.
StageResult by_clients(const Scenario& stage) {
  const Script& script = stage.scripts.front();
  return all_answered(100 * script.arrival.clients, 5 * kMs * script.arrival.clients,
                      script.entries.front().steps.front());
}

TEST(PlanTest, ALadderClimbsRouteAfterRouteUntilARungIsTooHigh) {
  std::vector<std::pair<Route, std::int64_t>> asked;
  run(ladder(), [&](const Scenario& stage) {
    EXPECT_EQ(stage.scripts.front().entries.size(), 1U);
    asked.emplace_back(stage.scripts.front().entries.front().steps.front(),
                       stage.scripts.front().arrival.clients);
    return by_clients(stage);
  });
  EXPECT_THAT(asked, ElementsAre(std::pair(Route::kHome, 1), std::pair(Route::kHome, 2),
                                 std::pair(Route::kHome, 4), std::pair(Route::kSearch, 1),
                                 std::pair(Route::kSearch, 2), std::pair(Route::kSearch, 4)));
}

TEST(PlanTest, ARungWhoseP95IsJustTheLimitIsNotCleared) {
  const std::vector<RungLine> lines = ladder_of(run(ladder(), by_clients));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].script, "shop");
  EXPECT_EQ(lines[0].route, Route::kHome);
  EXPECT_EQ(lines[0].cleared_at, 2);
  EXPECT_EQ(lines[0].broke_at, 4);
  EXPECT_EQ(lines[0].req_per_s, 200);
  EXPECT_EQ(lines[0].p95_ms, 10);
  EXPECT_EQ(lines[1].route, Route::kSearch);
}

TEST(PlanTest, ALadderWithoutALimitInReachBreaksNowhere) {
  const std::vector<RungLine> lines = ladder_of(run(ladder(), [](const Scenario& stage) {
    return all_answered(10, kMs, stage.scripts.front().entries.front().steps.front());
  }));
  EXPECT_EQ(lines.at(0).cleared_at, 8);
  EXPECT_FALSE(lines.at(0).broke_at);
}

TEST(PlanTest, OneFailureBreaksARung) {
  const std::vector<RungLine> lines = ladder_of(run(ladder(), [](const Scenario&) {
    StageResult result = all_answered(1000, kMs);
    result.records.push_back(failed(kMs, Outcome::kStatus5xx));
    return result;
  }));
  EXPECT_FALSE(lines.at(0).cleared_at);
  EXPECT_FALSE(lines.at(0).req_per_s);
  EXPECT_FALSE(lines.at(0).p95_ms);
  EXPECT_EQ(lines.at(0).broke_at, 1);
}

TEST(PlanTest, ARungIsClearedWhenItWasInEveryRun) {
  int begun = 0;
  // The first run clears only 1, the second 1 and 2.
  const auto stages = run(ladder(2), [&](const Scenario& stage) {
    const bool first_run = begun++ < 4;
    StageResult result = by_clients(stage);
    if (first_run && stage.scripts.front().arrival.clients == 2) {
      result.records.push_back(failed(kMs, Outcome::kTimedOut));
    }
    return result;
  });
  const std::vector<RungLine> lines = ladder_of(stages);
  EXPECT_EQ(lines.at(0).cleared_at, 1);
  EXPECT_EQ(lines.at(0).broke_at, 2);
}

// ---- slo ----

Scenario slo(std::int64_t steps) {
  return scenario_with(
      {{"slo", Json{{"low", 10}, {"high", 1000}, {"steps", steps}, {"p95_ms", 50}}}}, kOpen);
}

// A server that keeps up to a rate of 300: exactly the limit until there, more beyond.
StageResult up_to_300(const Scenario& stage) {
  return all_answered(100, stage.scripts.front().arrival.rate <= 300 ? 50 * kMs : 50 * kMs + 1);
}

TEST(PlanTest, TheSearchHalvesTheRatioUntilItsStepsAreDone) {
  std::vector<double> rates;
  const auto stages = run(slo(3), [&](const Scenario& stage) {
    rates.push_back(stage.scripts.front().arrival.rate);
    return up_to_300(stage);
  });
  EXPECT_THAT(rates, ElementsAre(10, 1000, 100, 316, 178));
  const FoundRate found = slo_of(stages);
  EXPECT_EQ(found.rate, 178);
  EXPECT_EQ(found.missed_at, 316);
  EXPECT_EQ(found.req_per_s, 100);
  EXPECT_EQ(found.p95_ms, 50);
  EXPECT_EQ(found.p99_ms, 50);
}

TEST(PlanTest, TheSearchComesToTheRateThatIsStillMet) {
  const auto stages = run(slo(64), up_to_300);
  const FoundRate found = slo_of(stages);
  EXPECT_EQ(found.rate, 300);
  EXPECT_LE(*found.missed_at, 302);
  EXPECT_LT(stages.size(), 20U) << "three digits are enough";
}

TEST(PlanTest, TheSearchEndsWhenTheLowestRateIsMissedOrTheHighestMet) {
  const auto slow = run(slo(5), [](const Scenario&) { return all_answered(10, 60 * kMs); });
  EXPECT_EQ(slow.size(), 1U);
  EXPECT_FALSE(slo_of(slow).rate);
  EXPECT_FALSE(slo_of(slow).p95_ms);
  EXPECT_EQ(slo_of(slow).missed_at, 10);
  const auto fast = run(slo(5), [](const Scenario&) { return all_answered(10, kMs); });
  EXPECT_EQ(fast.size(), 2U);
  EXPECT_EQ(slo_of(fast).rate, 1000);
  EXPECT_FALSE(slo_of(fast).missed_at);
}

TEST(PlanTest, ARateThatTheDriverDidNotHoldIsNotMet) {
  const auto stages = run(slo(0), [](const Scenario&) {
    StageResult result = all_answered(10, kMs);
    result.held_rate = false;
    return result;
  });
  EXPECT_FALSE(slo_of(stages).rate);
}

// ---- repeats ----

TEST(PlanTest, RepeatsHaveTheMedianOfTheirPercentilesAndTheSpreadOfTheirThroughput) {
  std::vector<std::pair<std::int64_t, std::int64_t>> runs = {
      {20, 9 * kMs}, {10, kMs}, {30, 4 * kMs}};
  auto next = runs.begin();
  const auto stages = run(scenario_with({{"repeats", 3}}, kOpen), [&](const Scenario&) {
    const auto [count, response] = *next++;
    return all_answered(count, response);
  });
  const Repeats repeats = repeats_of(stages);
  ASSERT_EQ(repeats.routes.size(), 1U);
  EXPECT_EQ(repeats.routes[0].first, "shop/home");
  EXPECT_EQ(repeats.routes[0].second.at("p50"), 4 * kMs);
  EXPECT_EQ(repeats.routes[0].second.at("p95"), 4 * kMs);
  EXPECT_FALSE(repeats.routes[0].second.contains("p99")) << "of fewer than 100";
  EXPECT_EQ(repeats.throughput_rps.median, 20);
  EXPECT_DOUBLE_EQ(repeats.throughput_rps.sample_stdev, 10);
  EXPECT_DOUBLE_EQ(repeats.throughput_rps.cv_percent, 50);
}

TEST(PlanTest, TheMedianOfAnEvenNumberOfRunsIsTheLowerOfTheTwo) {
  int begun = 0;
  const auto stages = run(scenario_with({{"repeats", 2}}, kOpen),
                          [&](const Scenario&) { return all_answered(10, (++begun) * kMs); });
  EXPECT_EQ(repeats_of(stages).routes.at(0).second.at("p50"), kMs);
}

TEST(PlanTest, OneRunHasNoDeviation) {
  const auto stages =
      run(scenario_with({}, kOpen), [](const Scenario&) { return all_answered(10, kMs); });
  EXPECT_EQ(repeats_of(stages).throughput_rps.sample_stdev, 0);
  EXPECT_EQ(repeats_of(stages).throughput_rps.cv_percent, 0);
}

// ---- thresholds ----

std::vector<Judged> judged(const std::string& rule, const StageResult& result) {
  const Scenario scenario =
      scenario_with({{"thresholds", Json::array({Json::parse(rule)})}}, kOpen);
  return judge(scenario, run(scenario, [&](const Scenario&) { return result; }));
}

TEST(PlanTest, AThresholdIsMetAtItsLimit) {
  const auto one =
      judged(R"({"script": "shop", "figure": "p95_ms", "most": 20})", all_answered(10, 20 * kMs));
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].text, "shop p95 at most 20 ms");
  EXPECT_EQ(one[0].value, 20);
  EXPECT_EQ(one[0].limit, 20);
  EXPECT_TRUE(one[0].passed);
  EXPECT_FALSE(judged(R"({"script": "shop", "figure": "p95_ms", "most": 20})",
                      all_answered(10, 20 * kMs + 1))
                   .at(0)
                   .passed);
}

TEST(PlanTest, ThroughputHasToBeAtLeastItsLimit) {
  const char* rule = R"({"script": "shop", "figure": "throughput_rps", "least": 10})";
  EXPECT_TRUE(judged(rule, all_answered(10, kMs)).at(0).passed);
  EXPECT_FALSE(judged(rule, all_answered(9, kMs)).at(0).passed);
}

TEST(PlanTest, FailuresAreAPercentageOfAllThatWasOffered) {
  StageResult result = all_answered(3, kMs);
  result.records.push_back(failed(kMs, Outcome::kRejected));
  const auto one = judged(R"({"script": "shop", "figure": "failed_percent", "most": 24})", result);
  EXPECT_EQ(one.at(0).value, 25);
  EXPECT_FALSE(one.at(0).passed);
}

TEST(PlanTest, AThresholdWithoutAFigureIsNotMet) {
  const auto one =
      judged(R"({"script": "shop", "route": "home", "figure": "p99_ms", "most": 1000})",
             all_answered(99, kMs));
  EXPECT_FALSE(one.at(0).value);
  EXPECT_FALSE(one.at(0).passed);
}

}  // namespace
}  // namespace shopmark::drive
