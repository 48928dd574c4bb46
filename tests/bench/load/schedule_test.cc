#include "bench/load/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace shopmark::drive {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

Script script(double rate, Spacing spacing = Spacing::kConstant) {
  Script script;
  script.name = "shop";
  script.arrival.rate = rate;
  script.arrival.spacing = spacing;
  script.entries.push_back({{Route::kHome}, 1, {}});
  return script;
}

auto fields(const Record& record) {
  return std::tuple(record.scheduled, record.script, record.entry, record.step, record.choice,
                    record.visit, record.route);
}

bool same(const std::vector<Record>& one, const std::vector<Record>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Record& a, const Record& b) { return fields(a) == fields(b); });
}

TEST(Schedule, IsTheSameForTheSameSeedAndAnotherForAnother) {
  Script poisson = script(500, Spacing::kPoisson);
  poisson.entries.push_back({{Route::kSearch, Route::kCategory}, 3, {}});
  const std::vector<Script> scripts = {poisson, script(7)};
  const std::vector<Record> first = schedule(scripts, 1, 0, 2 * kSecond);
  EXPECT_TRUE(same(first, schedule(scripts, 1, 0, 2 * kSecond)));
  EXPECT_FALSE(same(first, schedule(scripts, 2, 0, 2 * kSecond)));
}

TEST(Schedule, HoldsARateThatIsNotWholeExactly) {
  const std::vector<Record> records = schedule({script(2.5)}, 1, 0, 100 * kSecond);
  ASSERT_EQ(records.size(), 250U);
  EXPECT_EQ(records[1].scheduled, 400'000'000);
  EXPECT_EQ(records[249].scheduled, 249 * 400'000'000LL);
}

TEST(Schedule, AddsUpNoErrorOverAnHour) {
  const std::vector<std::int64_t> times = arrivals(script(3000.0 / 7), 1, 0, 3600 * kSecond);
  EXPECT_EQ(times.size(), static_cast<std::size_t>(std::ceil(3600 * 3000.0 / 7)));
  // The 3,000th request is due after 7 seconds, the 300,000th after 700.
  EXPECT_EQ(times[3000], 7 * kSecond);
  EXPECT_EQ(times[300'000], 700 * kSecond);
}

TEST(Schedule, HasFewerThanOneASecondWhenAsked) {
  const std::vector<Record> records = schedule({script(0.2)}, 1, 0, 12 * kSecond);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[2].scheduled, 10 * kSecond);
}

TEST(Schedule, SpacesPoissonArrivalsExponentially) {
  const std::vector<std::int64_t> times =
      arrivals(script(1000, Spacing::kPoisson), 5, 0, 100 * kSecond);
  // 100,000 with a standard deviation of 316.
  EXPECT_NEAR(static_cast<double>(times.size()), 100'000, 1500);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  double sum = 0;
  double squares = 0;
  std::int64_t above_mean = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double gap = static_cast<double>(times[i] - times[i - 1]) / 1e6;
    sum += gap;
    squares += gap * gap;
    if (gap > 1) ++above_mean;
  }
  const auto count = static_cast<double>(times.size() - 1);
  const double mean = sum / count;
  EXPECT_NEAR(mean, 1, 0.015);
  EXPECT_NEAR(std::sqrt(squares / count - mean * mean), 1, 0.03);
  EXPECT_NEAR(static_cast<double>(above_mean) / count, std::exp(-1), 0.01);
}

TEST(Schedule, PicksEntriesByTheirWeights) {
  Script weighted = script(1000);
  weighted.entries[0].weight = 85;
  weighted.entries.push_back({{Route::kSearch}, 10, {}});
  weighted.entries.push_back({{Route::kCategory}, 5, {}});
  std::map<Route, double> shares;
  for (const Record& record : schedule({weighted}, 3, 0, 100 * kSecond)) {
    shares[record.route] += 1.0 / 1000;
  }
  EXPECT_NEAR(shares[Route::kHome], 85, 0.6);
  EXPECT_NEAR(shares[Route::kSearch], 10, 0.5);
  EXPECT_NEAR(shares[Route::kCategory], 5, 0.4);
}

TEST(Schedule, CountsTheStepsOfSessionsInTheRate) {
  Script visits = script(100);
  visits.pause_s = 0.5;
  visits.entries = {{{Route::kHome, Route::kSearch, Route::kCategory}, 1, {}},
                    {{Route::kHealthz}, 2, {}}};
  const std::vector<Record> records = schedule({visits}, 9, 0, 100 * kSecond);
  // What is under way at the end is cut, a second of 100.
  EXPECT_NEAR(static_cast<double>(records.size()), 10'000, 250);
  EXPECT_TRUE(std::is_sorted(
      records.begin(), records.end(),
      [](const Record& one, const Record& other) { return one.scheduled < other.scheduled; }));
  std::map<std::uint32_t, std::vector<Record>> sessions;
  for (const Record& record : records) sessions[record.visit].push_back(record);
  std::int64_t whole = 0;
  for (const auto& [visit, steps] : sessions) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      ASSERT_EQ(steps[i].step, i);
      ASSERT_EQ(steps[i].scheduled,
                steps[0].scheduled + static_cast<std::int64_t>(i) * kSecond / 2);
      ASSERT_LT(steps[i].scheduled, 100 * kSecond);
    }
    if (steps.size() == 3) ++whole;
  }
  EXPECT_GT(whole, 1000);
}

TEST(Schedule, NumbersVisitsFromTheFirstOn) {
  std::set<std::uint32_t> visits;
  for (const Record& record : schedule({script(10), script(5)}, 1, 70, 10 * kSecond)) {
    visits.insert(record.visit);
  }
  EXPECT_EQ(visits.size(), 150U);
  EXPECT_EQ(*visits.begin(), 70U);
  EXPECT_EQ(*visits.rbegin(), 219U);
}

TEST(Schedule, RefusesMoreThanItCouldKeep) {
  EXPECT_THROW(schedule({script(1e6)}, 1, 0, 3600 * kSecond), std::runtime_error);
}

TEST(Picker, DrawsByCountingSoThatNoClientChangesAnother) {
  Script weighted = script(0);
  weighted.entries.push_back({{Route::kSearch}, 1, {}});
  const Picker picker(weighted, 4, 0);
  std::set<std::uint32_t> choices;
  for (std::uint64_t client = 1; client <= 20; ++client) {
    for (std::uint64_t index = 0; index < 50; ++index) {
      const Pick pick = picker.pick(client, index);
      EXPECT_EQ(pick.choice, picker.pick(client, index).choice);
      choices.insert(pick.choice);
    }
  }
  EXPECT_EQ(choices.size(), 1000U);
}

}  // namespace
}  // namespace shopmark::drive
