#include "bench/load/plan.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>

namespace shopmark::drive {

namespace {

constexpr double kNsPerMs = 1e6;

// Nearest-rank; absent of nothing.
template <typename T>
std::optional<T> median(std::vector<T> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() + 1) / 2 - 1);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::optional<std::int64_t> percentile(const Figures& figures, Figure figure) {
  if (!figures.response) return std::nullopt;
  if (figure == Figure::kP50) return figures.response->p50;
  if (figure == Figure::kP95) return figures.response->p95;
  return figures.response->p99;
}

// In milliseconds, of the runs; absent where one has none.
std::optional<double> median_ms(const std::vector<const Figures*>& runs, Figure figure) {
  std::vector<std::int64_t> values;
  for (const Figures* run : runs) {
    const std::optional<std::int64_t> value = percentile(*run, figure);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  const std::optional<std::int64_t> middle = median(std::move(values));
  if (!middle) return std::nullopt;
  return static_cast<double>(*middle) / kNsPerMs;
}

std::optional<double> median_rps(const std::vector<const Figures*>& runs) {
  std::vector<double> values;
  for (const Figures* run : runs) values.push_back(run->throughput_rps);
  return median(std::move(values));
}

bool at_most(const Figures& figures, Figure figure, const std::optional<double>& limit_ms) {
  if (!limit_ms) return true;
  const std::optional<std::int64_t> value = percentile(figures, figure);
  return value && static_cast<double>(*value) <= *limit_ms * kNsPerMs;
}

bool meets(const Scenario& scenario, const StageFigures& stage) {
  const Figures& figures = stage.scripts.front().figures;
  if (figures.offered == 0 || figures.failed() > 0 || !stage.held_rate) return false;
  if (!scenario.ladder) {
    return at_most(figures, Figure::kP95, scenario.slo->p95_ms) &&
           at_most(figures, Figure::kP99, scenario.slo->p99_ms);
  }
  return figures.response &&
         static_cast<double>(figures.response->p95) < scenario.ladder->p95_ms * kNsPerMs;
}

// Runs stages one after another; every one with a seed and visits of its own.
class Plan {
 public:
  Plan(const Scenario& scenario, const StageRunner& runner, const StageEnd& end)
      : scenario_(scenario), runner_(runner), end_(end) {}

  std::vector<StageFigures> run() {
    for (run_ = 0; run_ < scenario_.repeats && !stopped_; ++run_) {
      stage_ = 0;
      if (scenario_.ladder) {
        climb();
      } else if (scenario_.slo) {
        search();
      } else {
        run_one(scenario_);
      }
    }
    return std::move(stages_);
  }

 private:
  // Whether it met the limits, where there are any.
  bool run_one(const Scenario& scenario) {
    if (stopped_) return false;
    // Odd multiples of the golden ratio's bits: no two stages share a stream.
    const std::uint64_t seed = scenario_.seed + 0x9E3779B97F4A7C15ULL * (stages_.size() + 1);
    const StageResult result = runner_(scenario, seed, next_visit_);
    next_visit_ += result.records.size() + 1;
    stopped_ = result.stopped;
    StageFigures figures = figures_of(scenario, result, run_, stage_++);
    if (scenario_.ladder || scenario_.slo) figures.cleared = meets(scenario_, figures);
    end_(scenario, result, figures);
    stages_.push_back(std::move(figures));
    return stages_.back().cleared.value_or(true);
  }

  void climb() {
    for (const Entry& entry : scenario_.scripts.front().entries) {
      for (const std::int64_t clients : scenario_.ladder->clients) {
        Scenario rung = scenario_;
        rung.scripts.front().entries = {entry};
        rung.scripts.front().arrival.clients = clients;
        if (!run_one(rung)) break;
      }
    }
  }

  bool try_rate(double rate) {
    Scenario tried = scenario_;
    tried.scripts.front().arrival.rate = rate;
    return run_one(tried);
  }

  void search() {
    double met = scenario_.slo->low;
    double missed = scenario_.slo->high;
    if (!try_rate(met) || try_rate(missed)) return;
    for (std::int64_t step = 0; step < scenario_.slo->steps && !stopped_; ++step) {
      // Halfway on a logarithmic scale, to three digits: rates are compared by their ratio.
      const double middle = std::stod(absl::StrFormat("%.3g", std::sqrt(met * missed)));
      if (middle <= met || middle >= missed) return;
      (try_rate(middle) ? met : missed) = middle;
    }
  }

  const Scenario& scenario_;
  const StageRunner& runner_;
  const StageEnd& end_;
  std::vector<StageFigures> stages_;
  std::int64_t run_ = 0;
  std::int64_t stage_ = 0;
  std::uint64_t next_visit_ = 1;
  bool stopped_ = false;
};

std::string_view name_of(Figure figure) {
  constexpr std::string_view kNames[] = {"p50", "p95", "p99", "failed", "throughput"};
  return kNames[static_cast<std::size_t>(figure)];
}

// Of every run; a run that has none of the route has no figures.
std::vector<const Figures*> figures_named(const std::vector<StageFigures>& stages,
                                          const std::string& script, const std::string& route) {
  std::vector<const Figures*> found;
  for (const StageFigures& stage : stages) {
    for (const ScriptFigures& one : stage.scripts) {
      if (one.script != script) continue;
      if (route.empty()) found.push_back(&one.figures);
      for (const RouteFigures& its : one.routes) {
        if (info(its.route).name == route) found.push_back(&its.figures);
      }
    }
  }
  return found;
}

std::optional<double> value_of(Figure figure, const std::vector<const Figures*>& runs) {
  if (figure == Figure::kThroughput) return median_rps(runs);
  if (figure != Figure::kFailedPercent) return median_ms(runs, figure);
  std::vector<double> values;
  for (const Figures* run : runs) {
    if (run->offered == 0) return std::nullopt;
    values.push_back(100 * static_cast<double>(run->failed()) / static_cast<double>(run->offered));
  }
  return median(std::move(values));
}

}  // namespace

std::vector<StageFigures> run_plan(const Scenario& scenario, const StageRunner& runner,
                                   const StageEnd& end) {
  return Plan(scenario, runner, end).run();
}

std::vector<RungLine> ladder_of(const std::vector<StageFigures>& stages) {
  struct Rung {
    bool cleared = true;
    std::vector<const Figures*> runs;
  };
  // In the order of the scenario; clients rise.
  std::vector<std::pair<Route, std::map<std::int64_t, Rung>>> of_routes;
  for (const StageFigures& stage : stages) {
    for (const RouteFigures& route : stage.scripts.front().routes) {
      auto found = std::find_if(of_routes.begin(), of_routes.end(),
                                [&](const auto& one) { return one.first == route.route; });
      if (found == of_routes.end()) {
        of_routes.push_back({route.route, {}});
        found = std::prev(of_routes.end());
      }
      Rung& rung = found->second[stage.clients];
      rung.cleared = rung.cleared && stage.cleared.value_or(false);
      rung.runs.push_back(&route.figures);
    }
  }
  std::vector<RungLine> lines;
  for (const auto& [route, rungs] : of_routes) {
    RungLine line{stages.front().scripts.front().script, route, {}, {}, {}, {}};
    for (const auto& [clients, rung] : rungs) {
      if (!rung.cleared) {
        line.broke_at = clients;
        break;
      }
      line.cleared_at = clients;
      line.req_per_s = median_rps(rung.runs);
      line.p95_ms = median_ms(rung.runs, Figure::kP95);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

FoundRate slo_of(const std::vector<StageFigures>& stages) {
  std::map<double, bool> met;
  std::map<double, std::vector<const Figures*>> runs;
  for (const StageFigures& stage : stages) {
    const bool good = stage.cleared.value_or(false);
    const auto [place, fresh] = met.emplace(stage.rate, good);
    if (!fresh) place->second = place->second && good;
    runs[stage.rate].push_back(&stage.scripts.front().figures);
  }
  FoundRate found;
  for (const auto& [rate, good] : met) {
    if (good) found.rate = rate;
    if (!good && !found.missed_at) found.missed_at = rate;
  }
  if (!found.rate) return found;
  found.req_per_s = median_rps(runs[*found.rate]);
  found.p95_ms = median_ms(runs[*found.rate], Figure::kP95);
  found.p99_ms = median_ms(runs[*found.rate], Figure::kP99);
  return found;
}

Repeats repeats_of(const std::vector<StageFigures>& stages) {
  Repeats repeats;
  std::vector<double> throughput;
  for (const StageFigures& stage : stages) {
    double sum = 0;
    for (const ScriptFigures& script : stage.scripts) {
      sum += script.figures.throughput_rps;
      for (const RouteFigures& route : script.routes) {
        const std::string name =
            absl::StrCat(script.script, "/", std::string(info(route.route).name));
        const auto same = [&](const auto& one) { return one.first == name; };
        if (std::any_of(repeats.routes.begin(), repeats.routes.end(), same)) continue;
        std::map<std::string, std::int64_t> medians;
        const auto runs = figures_named(stages, script.script, std::string(info(route.route).name));
        for (const Figure figure : {Figure::kP50, Figure::kP95, Figure::kP99}) {
          std::vector<std::int64_t> values;
          for (const Figures* run : runs) {
            if (const auto value = percentile(*run, figure)) values.push_back(*value);
          }
          if (values.size() == stages.size()) {
            medians.emplace(name_of(figure), *median(std::move(values)));
          }
        }
        repeats.routes.emplace_back(name, std::move(medians));
      }
    }
    throughput.push_back(sum);
  }
  if (throughput.empty()) return repeats;
  double mean = 0;
  for (const double value : throughput) mean += value / static_cast<double>(throughput.size());
  double squares = 0;
  for (const double value : throughput) squares += (value - mean) * (value - mean);
  Spread& spread = repeats.throughput_rps;
  spread.median = *median(throughput);
  if (throughput.size() > 1) {
    spread.sample_stdev = std::sqrt(squares / static_cast<double>(throughput.size() - 1));
  }
  if (mean > 0) spread.cv_percent = 100 * spread.sample_stdev / mean;
  return repeats;
}

std::vector<Judged> judge(const Scenario& scenario, const std::vector<StageFigures>& stages) {
  std::vector<Judged> judged;
  for (const Threshold& threshold : scenario.thresholds) {
    const bool at_least = threshold.figure == Figure::kThroughput;
    const std::string_view unit = at_least                                     ? " requests/s"
                                  : threshold.figure == Figure::kFailedPercent ? " %"
                                                                               : " ms";
    Judged one;
    one.text =
        absl::StrCat(threshold.script, threshold.route.empty() ? "" : "/", threshold.route, " ",
                     std::string(name_of(threshold.figure)), at_least ? " at least " : " at most ",
                     threshold.limit, std::string(unit));
    const auto runs = figures_named(stages, threshold.script, threshold.route);
    if (runs.size() == stages.size()) one.value = value_of(threshold.figure, runs);
    one.limit = threshold.limit;
    one.passed = one.value && (at_least ? *one.value >= one.limit : *one.value <= one.limit);
    judged.push_back(std::move(one));
  }
  return judged;
}

}  // namespace shopmark::drive
