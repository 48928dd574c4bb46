#include "bench/run/percentiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace shopmark::bench {
namespace {

std::vector<std::int64_t> one_to(std::int64_t n) {
  std::vector<std::int64_t> samples(static_cast<std::size_t>(n));
  std::iota(samples.begin(), samples.end(), 1);
  return samples;
}

TEST(Percentiles, OneSampleIsEveryPercentile) {
  EXPECT_EQ(percentiles({7}), (Percentiles{7, 7, std::nullopt}));
}

// Ranks by hand: ceil(0.5 * 25) = 13, ceil(0.95 * 25) = ceil(23.75) = 24.
TEST(Percentiles, OfTwentyFiveSamplesAreThe13thAndThe24th) {
  EXPECT_EQ(percentiles(one_to(25)), (Percentiles{13, 24, std::nullopt}));
}

TEST(Percentiles, OfAnEvenNumberTheMedianIsTheLowerMiddleOne) {
  EXPECT_EQ(percentiles({1, 2, 3, 4}).p50, 2);
}

// ceil(0.95 * 20) = 19 exactly: rounding errors of 0.95 would make it 20.
TEST(Percentiles, OfTwentySamplesP95IsThe19th) { EXPECT_EQ(percentiles(one_to(20)).p95, 19); }

TEST(Percentiles, HaveAP99FromAHundredSamplesOn) {
  EXPECT_EQ(percentiles(one_to(99)).p99, std::nullopt);
  EXPECT_EQ(percentiles(one_to(100)), (Percentiles{50, 95, 99}));
  EXPECT_EQ(percentiles(one_to(101)), (Percentiles{51, 96, 100}));
}

TEST(Percentiles, DoNotDependOnTheOrderOfTheSamples) {
  std::vector<std::int64_t> samples = one_to(1000);
  std::shuffle(samples.begin(), samples.end(), std::mt19937(1));
  EXPECT_EQ(percentiles(samples), (Percentiles{500, 950, 990}));
}

TEST(Percentiles, CountEqualSamplesEachOnItsOwn) {
  EXPECT_EQ(percentiles({5, 5, 5, 5, 9}), (Percentiles{5, 9, std::nullopt}));
}

// The definition itself: the smallest sample that at least p% do not exceed.
TEST(Percentiles, AreWhatTheDefinitionSaysForEveryCountUpTo200) {
  for (std::int64_t n = 1; n <= 200; ++n) {
    const std::vector<std::int64_t> samples = one_to(n);
    for (std::size_t percent = 1; percent <= 100; ++percent) {
      std::int64_t expected = 1;
      while (expected * 100 < static_cast<std::int64_t>(percent) * n) ++expected;
      ASSERT_EQ(nearest_rank(samples, percent), expected) << percent << "% of " << n;
    }
  }
}

TEST(Percentiles, OfNothingAreAnError) {
  EXPECT_THROW(percentiles({}), std::logic_error);
  EXPECT_THROW(nearest_rank(one_to(3), 0), std::logic_error);
  EXPECT_THROW(nearest_rank(one_to(3), 101), std::logic_error);
}

}  // namespace
}  // namespace shopmark::bench
