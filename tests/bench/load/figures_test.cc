#include "bench/load/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/bench/load/made_up.h"

namespace shopmark::drive {
namespace {

using ::testing::ElementsAre;

const Scenario kScenario = scenario_with({}, kOpen, R"([{"route": "home"}, {"route": "search"}])");

StageFigures figures_of_records(std::vector<Record> records) {
  return figures_of(kScenario, result_of(std::move(records)), 2, 3);
}

TEST(FiguresTest, AStageIsNamedByItsRunAndItsLoad) {
  const StageFigures stage = figures_of_records({answered(0, kMs)});
  EXPECT_EQ(stage.run, 2);
  EXPECT_EQ(stage.stage, 3);
  EXPECT_TRUE(stage.open);
  EXPECT_EQ(stage.rate, 10);
  EXPECT_EQ(stage.planned_s, 1);
  EXPECT_EQ(stage.measured_s, 1);
  EXPECT_FALSE(stage.cleared);
}

TEST(FiguresTest, ResponseTimeRunsFromTheScheduleAndServiceTimeFromTheSend) {
  const Figures figures =
      figures_of_records({answered(5 * kMs, 9 * kMs, 2 * kMs)}).scripts.at(0).figures;
  EXPECT_EQ(figures.response->p50, 9 * kMs);
  EXPECT_EQ(figures.service->p50, 7 * kMs);
  EXPECT_EQ(figures.lag->p50, 2 * kMs);
}

TEST(FiguresTest, OnlyWhatWasScheduledInTheMeasuredPhaseCounts) {
  Record warmup = answered(0, 100 * kMs);
  warmup.measured = false;
  const Figures figures = figures_of_records({warmup, answered(kMs, kMs)}).scripts.at(0).figures;
  EXPECT_EQ(figures.offered, 1);
  EXPECT_EQ(figures.throughput_rps, 1);
  EXPECT_EQ(figures.response->p95, kMs);
}

TEST(FiguresTest, WhateverWasOfferedHasOneOutcomeAndOnlySuccessesHaveTimes) {
  std::vector<Record> records = {answered(0, 3 * kMs)};
  for (std::size_t i = 2; i < kOutcomes; ++i) {
    records.push_back(failed(0, static_cast<Outcome>(i)));
  }
  records.back().sent = 0;  // one of the failed was sent
  const Figures figures = figures_of_records(records).scripts.at(0).figures;
  EXPECT_EQ(figures.offered, 9);
  EXPECT_EQ(figures.sent, 2);
  EXPECT_EQ(figures.succeeded(), 1);
  EXPECT_EQ(figures.failed(), 8);
  for (std::size_t i = 1; i < kOutcomes; ++i) EXPECT_EQ(figures.outcomes[i], 1) << i;
  EXPECT_EQ(figures.response->p95, 3 * kMs);
  EXPECT_EQ(figures.throughput_rps, 1);
}

TEST(FiguresTest, AThrongOfFailuresAloneHasNoPercentiles) {
  const StageFigures stage = figures_of_records({failed(0, Outcome::kTimedOut)});
  EXPECT_FALSE(stage.scripts.at(0).figures.response);
  EXPECT_TRUE(stage.scripts.at(0).routes.at(0).samples.empty());
}

TEST(FiguresTest, TheNinetyNinthPercentileNeedsAHundredSuccesses) {
  std::vector<Record> records;
  for (int i = 1; i <= 99; ++i) records.push_back(answered(i, i * kMs));
  EXPECT_FALSE(figures_of_records(records).scripts.at(0).figures.response->p99);
  records.push_back(answered(100, 100 * kMs));
  const Figures figures = figures_of_records(records).scripts.at(0).figures;
  EXPECT_EQ(figures.response->p50, 50 * kMs);
  EXPECT_EQ(figures.response->p95, 95 * kMs);
  EXPECT_EQ(figures.response->p99, 99 * kMs);
}

TEST(FiguresTest, RoutesHaveTheirOwnFiguresAndSamplesInTheOrderOfTheirSchedule) {
  std::vector<Record> records = {answered(0, 8 * kMs), answered(1, 2 * kMs), answered(2, 5 * kMs)};
  records[1].route = Route::kSearch;
  const ScriptFigures script = figures_of_records(records).scripts.at(0);
  EXPECT_EQ(script.script, "shop");
  EXPECT_EQ(script.figures.offered, 3);
  ASSERT_EQ(script.routes.size(), 2U);
  EXPECT_EQ(script.routes[0].route, Route::kHome);
  EXPECT_THAT(script.routes[0].samples, ElementsAre(8 * kMs, 5 * kMs));
  EXPECT_EQ(script.routes[1].route, Route::kSearch);
  EXPECT_THAT(script.routes[1].samples, ElementsAre(2 * kMs));
}

TEST(FiguresTest, ARequestWithoutAnOutcomeIsAMistakeOfTheDriver) {
  EXPECT_THROW(figures_of_records({failed(0, Outcome::kNone)}), std::logic_error);
}

TEST(FiguresTest, ASuccessThatWasSentBeforeItsTimeIsAMistakeOfTheDriver) {
  EXPECT_THROW(figures_of_records({answered(5, 9, -1)}), std::logic_error);
  EXPECT_THROW(figures_of_records({answered(5, 2, 3)}), std::logic_error);
}

}  // namespace
}  // namespace shopmark::drive
