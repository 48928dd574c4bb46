// What the server counts, and its text for GET /metrics: OpenMetrics 1.0.0.

#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shopmark::http {

inline constexpr std::string_view kOpenMetricsType =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

// As they are at the moment.
struct Gauges {
  std::size_t connections = 0;
  std::size_t in_flight = 0;  // handed to the workers and not answered yet
  std::size_t queued = 0;     // of those, waiting for a worker
  std::size_t workers = 0;
  std::size_t workers_ready = 0;
  std::uint64_t handlers_replaced = 0;
};

// Thread rule: the loop's.
class Metrics {
 public:
  enum Rejected { kQueueFull, kNotReady, kTooManyConnections, kRejectedKinds };
  enum TimedOut { kReading, kWriting, kIdle, kTimedOutKinds };

  // `took`: from the request's last byte until its answer was made. `route` is static text.
  void answered(std::string_view route, unsigned status, std::chrono::nanoseconds took);
  void rejected(Rejected why) { ++rejected_[why]; }
  void timed_out(TimedOut what) { ++timed_out_[what]; }
  void accepted() { ++accepted_; }

  std::string text(const Gauges& gauges) const;

 private:
  // Upper bounds of the latency's buckets; one more without bound.
  static constexpr std::array<std::int64_t, 15> kBounds_us = {
      100,    250,     500,     1'000,   2'500,     5'000,     10'000,    25'000,
      50'000, 100'000, 250'000, 500'000, 1'000'000, 2'500'000, 10'000'000};

  struct Route {
    std::string_view name;
    std::array<std::uint64_t, 6> by_class{};  // [2]: 2xx
    std::array<std::uint64_t, kBounds_us.size() + 1> buckets{};
    std::int64_t sum_ns = 0;
  };
  Route& route(std::string_view name);

  std::vector<Route> routes_;
  std::array<std::uint64_t, kRejectedKinds> rejected_{};
  std::array<std::uint64_t, kTimedOutKinds> timed_out_{};
  std::uint64_t accepted_ = 0;
};

}  // namespace shopmark::http
