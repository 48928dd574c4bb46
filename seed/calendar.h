// When things happen: the 25 months in which the shop sold, with growth, a season, and nights.

#pragma once

#include <chrono>
#include <cstdint>

#include "seed/generator.h"

namespace shopmark::seed {

inline constexpr std::int64_t kMinute = 60;
inline constexpr std::int64_t kHour = 60 * kMinute;
inline constexpr std::int64_t kDay = 24 * kHour;

// Midnight UTC of a day, Unix seconds.
constexpr std::int64_t day_start(int year, unsigned month, unsigned day) {
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  return std::chrono::sys_days(date).time_since_epoch().count() * kDay;
}

inline constexpr std::int64_t kOpening = day_start(2024, 8, 1);
static_assert(day_start(2026, 8, 30) == kClock);

// When order `index` of `orders` was placed. Never falls with the index; some orders share a second
// with the one before, so that an order by time alone would not be one.
std::int64_t placed_at(std::uint64_t seed, std::int64_t index, std::int64_t orders);

}  // namespace shopmark::seed
