#include "bench/run/observe.h"

#include <utility>

#include "bench/run/stop.h"

namespace shopmark::bench {

namespace {

Json describe(const engine::ObservedStatement& statement) {
  Json plans = Json::array();
  for (const engine::Plan& plan : statement.plans) {
    plans.push_back({{"fingerprint", plan.fingerprint}, {"text", plan.lines}});
  }
  return {{"name", statement.name},
          {"calls", statement.calls},
          {"plans", std::move(plans)},
          {"work", statement.work}};
}

Json describe(const std::vector<engine::ObservedStatement>& statements) {
  engine::Work sum;
  Json described = Json::array();
  for (const engine::ObservedStatement& statement : statements) {
    for (const auto& [counter, count] : statement.work) sum[counter] += count;
    described.push_back(describe(statement));
  }
  return {{"work", sum}, {"statements", std::move(described)}};
}

}  // namespace

Json observe(const std::vector<CaseRun*>& runs) {
  Json observed = Json::object();
  for (CaseRun* run : runs) {
    if (!run->first_error().empty()) continue;
    std::vector<engine::ObservedStatement> statements;
    const std::string error = run->observe(statements);
    if (stop_requested()) break;
    if (!error.empty()) {
      observed[run->target()][run->timed().name] = {{"error", error}};
    } else if (!statements.empty()) {
      observed[run->target()][run->timed().name] = describe(statements);
    }
  }
  return observed;
}

}  // namespace shopmark::bench
