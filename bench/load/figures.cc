#include "bench/load/figures.h"

#include <algorithm>
#include <stdexcept>

namespace shopmark::drive {

namespace {

// The successes' times, and the counts of all.
struct Gathered {
  Figures figures;
  std::vector<std::int64_t> response;
  std::vector<std::int64_t> service;
  std::vector<std::int64_t> lag;

  void add(const Record& record) {
    ++figures.offered;
    ++figures.outcomes[static_cast<std::size_t>(record.outcome)];
    if (record.sent != kNever) ++figures.sent;
    if (record.outcome != Outcome::kOk) return;
    if (record.sent < record.scheduled || record.done < record.sent) {
      throw std::logic_error("a success was done before it was sent, or sent before its time");
    }
    response.push_back(record.done - record.scheduled);
    service.push_back(record.done - record.sent);
    lag.push_back(record.sent - record.scheduled);
  }

  Figures finish(double measured_s) const {
    Figures finished = figures;
    std::int64_t sum = 0;
    for (const std::int64_t count : figures.outcomes) sum += count;
    if (sum != figures.offered || figures.of(Outcome::kNone) != 0) {
      throw std::logic_error("what became of the requests does not add up to what was offered");
    }
    if (measured_s > 0) {
      finished.throughput_rps = static_cast<double>(figures.succeeded()) / measured_s;
    }
    if (!response.empty()) {
      finished.response = bench::percentiles(response);
      finished.service = bench::percentiles(service);
      finished.lag = bench::percentiles(lag);
    }
    return finished;
  }
};

}  // namespace

StageFigures figures_of(const Scenario& scenario, const StageResult& result, std::int64_t run,
                        std::int64_t stage) {
  const Arrival& arrival = scenario.scripts.front().arrival;
  StageFigures made;
  made.run = run;
  made.stage = stage;
  made.open = arrival.open();
  made.clients = arrival.clients;
  made.rate = arrival.rate;
  made.planned_s = scenario.duration_s;
  made.measured_s = static_cast<double>(result.measured_until - result.measured_from) / 1e9;
  made.held_rate = result.held_rate;
  made.late_percent = result.late_percent;

  std::vector<std::array<Gathered, kRoutes>> by_route(scenario.scripts.size());
  std::vector<Gathered> by_script(scenario.scripts.size());
  for (const Record& record : result.records) {
    if (!record.measured) continue;
    by_route.at(record.script).at(static_cast<std::size_t>(record.route)).add(record);
    by_script.at(record.script).add(record);
  }
  for (std::size_t i = 0; i < scenario.scripts.size(); ++i) {
    ScriptFigures script{scenario.scripts[i].name, by_script[i].finish(made.measured_s), {}};
    for (const RouteInfo& route : routes()) {
      Gathered& gathered = by_route[i][static_cast<std::size_t>(route.route)];
      if (gathered.figures.offered == 0) continue;
      const Figures figures = gathered.finish(made.measured_s);
      script.routes.push_back({route.route, figures, std::move(gathered.response)});
    }
    made.scripts.push_back(std::move(script));
  }
  return made;
}

}  // namespace shopmark::drive
