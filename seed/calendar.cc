#include "seed/calendar.h"

#include <array>

#include "seed/rng.h"

namespace shopmark::seed {

namespace {

constexpr int kMonths = 25;

// How much was sold in each month from 2024-08 on: growth times season. The last has 29 days.
constexpr std::array<std::int64_t, kMonths> kMonthWeights = {60, 62, 68, 92, 104, 66, 62,  68,  70,
                                                             72, 70, 66, 72, 78,  88, 122, 138, 86,
                                                             82, 90, 94, 98, 96,  92, 94};
// How much is sold in each hour of a day.
constexpr std::array<std::int64_t, 24> kHourWeights = {
    10, 6, 4, 3, 3, 5, 10, 20, 32, 42, 48, 50, 52, 48, 46, 46, 48, 54, 62, 70, 74, 66, 44, 22};

template <std::size_t size>
constexpr std::array<std::int64_t, size + 1> running_sum(
    const std::array<std::int64_t, size>& weights) {
  std::array<std::int64_t, size + 1> sums{};
  for (std::size_t i = 0; i < size; ++i) sums[i + 1] = sums[i] + weights[i];
  return sums;
}
constexpr auto kMonthSums = running_sum(kMonthWeights);
constexpr auto kHourSums = running_sum(kHourWeights);

constexpr std::array<std::int64_t, kMonths + 1> month_starts() {
  std::array<std::int64_t, kMonths + 1> starts{};
  for (int i = 0; i < kMonths; ++i) {
    const int month = 7 + i;
    starts[static_cast<std::size_t>(i)] =
        day_start(2024 + month / 12, static_cast<unsigned>(month % 12 + 1), 1);
  }
  starts[kMonths] = kClock;
  return starts;
}
constexpr auto kMonthStarts = month_starts();

// A second of a day in which every hour sold alike, moved to where the hours' weights put it.
std::int64_t by_hour_weights(std::int64_t second) {
  const std::int64_t place = second * kHourSums.back();
  std::size_t hour = 0;
  while (place >= kHourSums[hour + 1] * kDay) ++hour;
  return static_cast<std::int64_t>(hour) * kHour +
         (place - kHourSums[hour] * kDay) * kHour / (kHourWeights[hour] * kDay);
}

}  // namespace

std::int64_t placed_at(std::uint64_t seed, std::int64_t index, std::int64_t orders) {
  if (index > 0 && index % 50 == 0) --index;
  // Each order has a slot of its own, so jitter never changes their order. All products stay below
  // 2^63 up to 2^26 orders.
  constexpr std::int64_t kSlot = 1024;
  const std::int64_t slots = orders * kSlot;
  const std::int64_t slot = index * kSlot + Draws(seed, Stream::kOrderTime, index).below(kSlot);
  const std::int64_t place = slot * kMonthSums.back();
  std::size_t month = 0;
  while (place >= kMonthSums[month + 1] * slots) ++month;
  const std::int64_t days = (kMonthStarts[month + 1] - kMonthStarts[month]) / kDay;
  const std::int64_t within = (place - kMonthSums[month] * slots) * days;
  const std::int64_t whole = kMonthWeights[month] * slots;
  const std::int64_t day = within / whole;
  const std::int64_t second = (within - day * whole) * kDay / whole;
  return kMonthStarts[month] + day * kDay + by_hour_weights(second);
}

}  // namespace shopmark::seed
