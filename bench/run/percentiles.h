// Percentiles by nearest rank: the smallest sample that at least p% of the samples do not exceed.
// Always one of the samples; nothing is interpolated.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shopmark::bench {

// Fewer samples have no 99th percentile but their largest.
inline constexpr std::size_t kSamplesForP99 = 100;

// `sorted` ascending and not empty; `percent` from 1 to 100.
std::int64_t nearest_rank(std::span<const std::int64_t> sorted, std::size_t percent);

struct Percentiles {
  std::int64_t p50 = 0;
  std::int64_t p95 = 0;
  std::optional<std::int64_t> p99;  // from kSamplesForP99 samples on

  bool operator==(const Percentiles&) const = default;
};

// In the samples' unit; `samples` in any order, not empty.
Percentiles percentiles(std::vector<std::int64_t> samples);

}  // namespace shopmark::bench
