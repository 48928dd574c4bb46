#include "seed/calendar.h"

#include <gtest/gtest.h>

#include <array>

namespace shopmark::seed {
namespace {

TEST(Calendar, OrdersNeverGoBackInTimeAndStayWithinTheShopsLife) {
  for (const std::int64_t orders : {1, 49, 2000, 1'000'000}) {
    std::int64_t before = 0;
    const std::int64_t step = orders > 10'000 ? 97 : 1;
    for (std::int64_t i = 0; i < orders; i += step) {
      const std::int64_t time = placed_at(kDefaultSeed, i, orders);
      ASSERT_GE(time, kOpening);
      ASSERT_LT(time, kClock);
      ASSERT_GE(time, before) << i << " of " << orders;
      before = time;
    }
  }
}

TEST(Calendar, EveryFiftiethOrderSharesTheSecondOfTheOneBefore) {
  EXPECT_EQ(placed_at(kDefaultSeed, 50, 2000), placed_at(kDefaultSeed, 49, 2000));
  EXPECT_EQ(placed_at(kDefaultSeed, 1950, 2000), placed_at(kDefaultSeed, 1949, 2000));
  EXPECT_NE(placed_at(kDefaultSeed, 51, 2000), placed_at(kDefaultSeed, 50, 2000));
}

TEST(Calendar, EveningsSellMoreThanNightsAndDecemberMoreThanAugust) {
  std::array<int, 24> hours{};
  int august = 0;
  int december = 0;
  constexpr std::int64_t kOrders = 20'000;
  for (std::int64_t i = 0; i < kOrders; ++i) {
    const std::int64_t time = placed_at(kDefaultSeed, i, kOrders);
    ++hours[static_cast<std::size_t>(time % kDay / kHour)];
    if (time < day_start(2024, 9, 1)) ++august;
    if (time >= day_start(2024, 12, 1) && time < day_start(2025, 1, 1)) ++december;
  }
  EXPECT_GT(hours[20], 10 * hours[4]);
  EXPECT_GT(hours[4], 0);
  EXPECT_GT(december, august * 3 / 2);
}

}  // namespace
}  // namespace shopmark::seed
