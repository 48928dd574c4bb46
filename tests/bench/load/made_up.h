// Scenarios, and results of stages that no server was asked for.

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/load/scenario.h"
#include "bench/load/stage.h"

namespace shopmark::drive {

inline constexpr std::int64_t kMs = 1'000'000;

// A script `shop` of one second; `changes` is merged into it.
inline Scenario scenario_with(const nlohmann::ordered_json& changes, const char* arrival,
                              const char* routes = R"([{"route": "home"}])") {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(R"({
    "format": 1, "title": "Made up", "warmup_s": 0, "duration_s": 1, "drain_s": 1, "timeout_s": 1,
    "connections": {"kind": "kept"}, "scripts": [{"name": "shop"}]})");
  json["scripts"][0]["arrival"] = nlohmann::ordered_json::parse(arrival);
  json["scripts"][0]["routes"] = nlohmann::ordered_json::parse(routes);
  if (!changes.is_null()) json.update(changes);
  return parse_scenario(json.dump(), "made_up.json");
}
inline constexpr const char* kOpen = R"({"open": {"rate": 10}})";
inline constexpr const char* kClosed = R"({"closed": {"clients": 1}})";

// Answered right: sent `lag` after its time, done `response` after it.
inline Record answered(std::int64_t scheduled, std::int64_t response, std::int64_t lag = 0) {
  Record record;
  record.scheduled = scheduled;
  record.begun = scheduled;
  record.ready = scheduled;
  record.sent = scheduled + lag;
  record.done = scheduled + response;
  record.status = 200;
  record.outcome = Outcome::kOk;
  record.measured = true;
  return record;
}

inline Record failed(std::int64_t scheduled, Outcome outcome) {
  Record record;
  record.scheduled = scheduled;
  record.outcome = outcome;
  record.measured = true;
  return record;
}

// Of one measured second.
inline StageResult result_of(std::vector<Record> records) {
  StageResult result;
  result.records = std::move(records);
  result.measured_until = 1'000 * kMs;
  return result;
}

// As many, each of which took `response`.
inline StageResult all_answered(std::int64_t count, std::int64_t response,
                                Route route = Route::kHome) {
  std::vector<Record> records;
  for (std::int64_t i = 0; i < count; ++i) {
    records.push_back(answered(i * kMs, response));
    records.back().route = route;
  }
  return result_of(std::move(records));
}

}  // namespace shopmark::drive
