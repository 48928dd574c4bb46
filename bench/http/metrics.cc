#include "bench/http/metrics.h"

#include <algorithm>

namespace shopmark::http {

namespace {

constexpr std::size_t kMostRoutes = 100;

// The names are of our own making: none needs to be escaped.
void family(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  out.append("# TYPE shopmark_http_").append(name).append(" ").append(type).append("\n");
  out.append("# HELP shopmark_http_").append(name).append(" ").append(help).append("\n");
}

void sample(std::string& out, std::string_view name, std::string_view labels,
            std::string_view value) {
  out.append("shopmark_http_").append(name);
  if (!labels.empty()) out.append("{").append(labels).append("}");
  out.append(" ").append(value).append("\n");
}

void sample(std::string& out, std::string_view name, std::string_view labels, std::uint64_t value) {
  sample(out, name, labels, std::to_string(value));
}

void gauge(std::string& out, std::string_view name, std::string_view help, std::uint64_t value) {
  family(out, name, "gauge", help);
  sample(out, name, "", value);
}

void counter(std::string& out, std::string_view name, std::string_view help, std::uint64_t value) {
  family(out, name, "counter", help);
  sample(out, std::string(name) + "_total", "", value);
}

std::string label(std::string_view name, std::string_view value) {
  return std::string(name).append("=\"").append(value).append("\"");
}

// 2500 µs -> 0.0025; a bound that is whole keeps its .0, as OpenMetrics writes them.
std::string seconds(std::int64_t value, std::int64_t a_second) {
  std::string fraction = std::to_string(a_second + value % a_second).substr(1);
  while (fraction.size() > 1 && fraction.back() == '0') fraction.pop_back();
  return std::to_string(value / a_second) + "." + fraction;
}

}  // namespace

void Metrics::answered(std::string_view name, unsigned status, std::chrono::nanoseconds took) {
  Route& its = route(name);
  ++its.by_class[std::min<std::size_t>(status / 100, its.by_class.size() - 1)];
  const std::int64_t ns = std::max<std::int64_t>(took.count(), 0);
  std::size_t bucket = 0;
  while (bucket < kBounds_us.size() && ns > kBounds_us[bucket] * 1000) ++bucket;
  ++its.buckets[bucket];
  its.sum_ns += ns;
}

Metrics::Route& Metrics::route(std::string_view name) {
  // The same text mostly is the same pointer.
  for (Route& its : routes_) {
    if (its.name.data() == name.data() && its.name.size() == name.size()) return its;
  }
  for (Route& its : routes_) {
    if (its.name == name) return its;
  }
  if (routes_.size() == kMostRoutes) return routes_.back();
  return routes_.emplace_back(Route{name, {}, {}, 0});
}

std::string Metrics::text(const Gauges& gauges) const {
  std::string out;
  family(out, "requests", "counter", "Requests that were answered, by route and class of status.");
  for (const Route& its : routes_) {
    for (std::size_t of = 0; of < its.by_class.size(); ++of) {
      if (its.by_class[of] == 0) continue;
      sample(out, "requests_total",
             label("route", its.name) + "," + label("class", std::to_string(of) + "xx"),
             its.by_class[of]);
    }
  }
  family(out, "request_duration_seconds", "histogram",
         "From a request's last byte until its answer was made.");
  out.append("# UNIT shopmark_http_request_duration_seconds seconds\n");
  for (const Route& its : routes_) {
    std::uint64_t until = 0;
    for (std::size_t bucket = 0; bucket < its.buckets.size(); ++bucket) {
      until += its.buckets[bucket];
      const std::string bound =
          bucket < kBounds_us.size() ? seconds(kBounds_us[bucket], 1'000'000) : "+Inf";
      sample(out, "request_duration_seconds_bucket",
             label("route", its.name) + "," + label("le", bound), until);
    }
    sample(out, "request_duration_seconds_count", label("route", its.name), until);
    sample(out, "request_duration_seconds_sum", label("route", its.name),
           seconds(its.sum_ns, 1'000'000'000));
  }
  family(out, "rejected", "counter", "Requests and connections that were one too many, by why.");
  sample(out, "rejected_total", label("reason", "queue_full"), rejected_[kQueueFull]);
  sample(out, "rejected_total", label("reason", "not_ready"), rejected_[kNotReady]);
  sample(out, "rejected_total", label("reason", "connections"), rejected_[kTooManyConnections]);
  family(out, "timeouts", "counter", "Connections that were given up, by what took too long.");
  sample(out, "timeouts_total", label("phase", "reading"), timed_out_[kReading]);
  sample(out, "timeouts_total", label("phase", "writing"), timed_out_[kWriting]);
  sample(out, "timeouts_total", label("phase", "idle"), timed_out_[kIdle]);
  counter(out, "connections_accepted", "Connections since the start.", accepted_);
  counter(out, "handlers_replaced", "Handlers that could answer no more.",
          gauges.handlers_replaced);
  gauge(out, "connections", "Connections that are open.", gauges.connections);
  gauge(out, "in_flight", "Requests that workers have or that wait for one.", gauges.in_flight);
  gauge(out, "queue_depth", "Requests that wait for a worker.", gauges.queued);
  gauge(out, "workers", "Workers.", gauges.workers);
  gauge(out, "workers_ready", "Workers that can answer.", gauges.workers_ready);
  return out.append("# EOF\n");
}

}  // namespace shopmark::http
