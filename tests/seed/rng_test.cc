#include "seed/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

namespace shopmark::seed {
namespace {

TEST(Mix, IsSplitMix64) {
  // The first numbers of the reference implementation (Vigna, splitmix64.c) from the state 1234567.
  std::uint64_t state = 1234567;
  EXPECT_EQ(mix(state += kGoldenGamma), 6457827717110365317ULL);
  EXPECT_EQ(mix(state += kGoldenGamma), 3203168211198807973ULL);
  EXPECT_EQ(mix(state += kGoldenGamma), 9817491932198370423ULL);
}

TEST(Draws, AreAFunctionOfSeedStreamAndIndex) {
  EXPECT_EQ(Draws(1, Stream::kOrder, 5).next(), Draws(1, Stream::kOrder, 5).next());
  std::set<std::uint64_t> seen;
  for (const std::uint64_t seed : {1U, 2U}) {
    for (const Stream stream : {Stream::kOrder, Stream::kProduct}) {
      for (std::int64_t index = -50; index < 50; ++index) {
        Draws draws(seed, stream, index);
        for (int i = 0; i < 5; ++i) seen.insert(draws.next());
      }
    }
  }
  EXPECT_EQ(seen.size(), 2U * 2U * 100U * 5U);
}

TEST(Draws, StayInTheirRangeAndReachItsEnds) {
  Draws draws(1, Stream::kOrder, 0);
  std::array<int, 6> even{};
  std::array<int, 6> skewed{};
  for (int i = 0; i < 6000; ++i) {
    ++even.at(static_cast<std::size_t>(draws.between(0, 5)));
    ++skewed.at(static_cast<std::size_t>(draws.skewed(6)));
  }
  for (const int count : even) EXPECT_NEAR(count, 1000, 150);
  for (std::size_t i = 1; i < skewed.size(); ++i) EXPECT_GT(skewed[i - 1], skewed[i]);
  EXPECT_GT(skewed[5], 400);
}

TEST(Draws, FollowTheirWeights) {
  Draws draws(1, Stream::kOrder, 0);
  std::array<int, 3> counts{};
  for (int i = 0; i < 10000; ++i) ++counts.at(draws.weighted(std::array{1, 0, 3}));
  EXPECT_NEAR(counts[0], 2500, 200);
  EXPECT_EQ(counts[1], 0);
}

TEST(Permutation, GivesEachRankOnceAndBack) {
  for (const std::int64_t size : {1, 2, 3, 4, 5, 16, 17, 400, 5000}) {
    const Permutation permutation(7, Stream::kStatus, size);
    std::vector<bool> seen(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t rank = permutation.forward(i);
      ASSERT_GE(rank, 0);
      ASSERT_LT(rank, size);
      ASSERT_FALSE(seen[static_cast<std::size_t>(rank)]) << size;
      seen[static_cast<std::size_t>(rank)] = true;
      ASSERT_EQ(permutation.backward(rank), i);
    }
  }
}

TEST(Permutation, IsAnotherForEachStreamAndScatters) {
  const Permutation one(7, Stream::kStatus, 5000);
  const Permutation other(7, Stream::kKind, 5000);
  int equal = 0;
  int neighbours = 0;
  for (std::int64_t i = 0; i + 1 < 5000; ++i) {
    if (one.forward(i) == other.forward(i)) ++equal;
    if (one.forward(i + 1) == one.forward(i) + 1) ++neighbours;
  }
  EXPECT_LT(equal, 10);
  EXPECT_LT(neighbours, 10);
}

TEST(Shares, StandOneAfterTheOther) {
  constexpr Share shares[] = {{2, 7}, {0, 8}, {3, 9}};
  EXPECT_EQ(count_at(shares, 0), 7);
  EXPECT_EQ(count_at(shares, 1), 7);
  EXPECT_EQ(count_at(shares, 2), 9);
  EXPECT_EQ(count_at(shares, 4), 9);
}

}  // namespace
}  // namespace shopmark::seed
