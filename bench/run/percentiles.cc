#include "bench/run/percentiles.h"

#include <algorithm>
#include <stdexcept>

namespace shopmark::bench {

std::int64_t nearest_rank(std::span<const std::int64_t> sorted, std::size_t percent) {
  if (sorted.empty()) throw std::logic_error("no sample has no percentile");
  if (percent < 1 || percent > 100) throw std::logic_error("a percentile is from 1 to 100");
  const std::size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[rank - 1];
}

Percentiles percentiles(std::vector<std::int64_t> samples) {
  std::sort(samples.begin(), samples.end());
  Percentiles result;
  result.p50 = nearest_rank(samples, 50);
  result.p95 = nearest_rank(samples, 95);
  if (samples.size() >= kSamplesForP99) result.p99 = nearest_rank(samples, 99);
  return result;
}

}  // namespace shopmark::bench
