#include "bench/load/summary.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <benchmark/benchmark.h>

#include "bench/run/build_info.h"
#include "bench/run/document.h"

namespace shopmark::drive {

namespace {

using bench::Json;

Json optional_json(const auto& value) { return value ? Json(*value) : Json(); }

Json percentiles_json(const std::optional<bench::Percentiles>& values) {
  Json json = Json::object();
  if (!values) return json;
  json["p50"] = values->p50;
  json["p95"] = values->p95;
  if (values->p99) json["p99"] = *values->p99;
  return json;
}

constexpr Outcome kFailures[] = {Outcome::kStatus4xx,  Outcome::kStatus5xx, Outcome::kInvalid,
                                 Outcome::kConnection, Outcome::kSession,   Outcome::kClient};

void add_figures(const Figures& figures, Json& json) {
  json["offered"] = figures.offered;
  json["sent"] = figures.sent;
  json["succeeded"] = figures.succeeded();
  Json& failed = json["failed"] = Json::object();
  for (const Outcome outcome : kFailures) {
    if (figures.of(outcome) > 0) failed[std::string(name_of(outcome))] = figures.of(outcome);
  }
  json["timed_out"] = figures.of(Outcome::kTimedOut);
  json["rejected"] = figures.of(Outcome::kRejected);
  json["throughput_rps"] = figures.throughput_rps;
  json["response"] = percentiles_json(figures.response);
  json["service"] = percentiles_json(figures.service);
  json["lag"] = percentiles_json(figures.lag);
}

Json stage_json(const StageFigures& stage) {
  Json json;
  json["run"] = stage.run;
  json["stage"] = stage.stage;
  json["kind"] = stage.open ? "open" : "closed";
  if (stage.open) {
    json["rate"] = stage.rate;
  } else {
    json["clients"] = stage.clients;
  }
  json["planned_s"] = stage.planned_s;
  json["measured_s"] = stage.measured_s;
  json["held_rate"] = stage.held_rate;
  json["late_percent"] = stage.late_percent;
  json["scripts"] = Json::array();
  for (const ScriptFigures& script : stage.scripts) {
    Json one;
    one["script"] = script.script;
    add_figures(script.figures, one);
    one["routes"] = Json::array();
    for (const RouteFigures& route : script.routes) {
      Json its;
      its["route"] = info(route.route).name;
      its["title"] = info(route.route).title;
      add_figures(route.figures, its);
      one["routes"].push_back(std::move(its));
    }
    json["scripts"].push_back(std::move(one));
  }
  if (stage.cleared) json["cleared"] = *stage.cleared;
  return json;
}

Json load_json(const Scenario& scenario, const std::vector<StageFigures>& stages,
               const RunFacts& facts) {
  Json load;
  load["scenario_name"] = scenario.name;
  load["scenario"] = scenario.source;
  load["url"] = facts.url;
  load["arrival"] = scenario.scripts.front().arrival.open() ? "open" : "closed";
  load["server"] = facts.server;
  bool held = true;
  load["stages"] = Json::array();
  for (const StageFigures& stage : stages) {
    held = held && stage.held_rate;
    load["stages"].push_back(stage_json(stage));
  }
  load["held_rate"] = held;
  if (scenario.ladder) {
    load["ladder"] = Json::array();
    for (const RungLine& line : ladder_of(stages)) {
      load["ladder"].push_back({{"script", line.script},
                                {"route", info(line.route).name},
                                {"title", info(line.route).title},
                                {"cleared_at", optional_json(line.cleared_at)},
                                {"req_per_s", optional_json(line.req_per_s)},
                                {"p95_ms", optional_json(line.p95_ms)},
                                {"broke_at", optional_json(line.broke_at)}});
    }
  } else if (scenario.slo) {
    const FoundRate found = slo_of(stages);
    load["slo"] = {{"rate", optional_json(found.rate)},
                   {"missed_at", optional_json(found.missed_at)},
                   {"req_per_s", optional_json(found.req_per_s)},
                   {"p95_ms", optional_json(found.p95_ms)},
                   {"p99_ms", optional_json(found.p99_ms)}};
  } else {
    const Repeats repeats = repeats_of(stages);
    Json& json = load["repeats"] = Json::object();
    for (const auto& [name, medians] : repeats.routes) json[name] = medians;
    json["throughput"] = {{"median", repeats.throughput_rps.median},
                          {"sample_stdev", repeats.throughput_rps.sample_stdev},
                          {"cv_percent", repeats.throughput_rps.cv_percent}};
    load["thresholds"] = Json::array();
    for (const Judged& one : judge(scenario, stages)) {
      load["thresholds"].push_back({{"text", one.text},
                                    {"value", optional_json(one.value)},
                                    {"limit", one.limit},
                                    {"passed", one.passed}});
    }
  }
  return load;
}

// What a stage's figures are called where stages differ.
std::string variant(const Scenario& scenario, const StageFigures& stage, const char* of_ladder,
                    const char* of_slo) {
  if (scenario.ladder) return absl::StrFormat("%s%d", of_ladder, stage.clients);
  if (scenario.slo) return absl::StrFormat("%s%g", of_slo, stage.rate);
  return {};
}

Json entry_of(const Scenario& scenario, const StageFigures& stage, const ScriptFigures& script,
              const RouteFigures& route, const RunFacts& facts) {
  const std::string query = absl::StrCat(script.script, "/", std::string(info(route.route).name),
                                         variant(scenario, stage, "/clients:", "/rate:"));
  std::string title(info(route.route).title);
  if (scenario.ladder) absl::StrAppend(&title, ", ", stage.clients, " clients");
  if (scenario.slo) absl::StrAppend(&title, absl::StrFormat(", %g/s", stage.rate));
  Json json;
  json["name"] = query;
  json["family_index"] = 0;
  json["per_family_instance_index"] = 0;
  json["run_name"] = query;
  json["run_type"] = "iteration";
  json["repetitions"] = scenario.repeats;
  json["repetition_index"] = stage.run;
  json["threads"] = 1;
  const bool failed = route.samples.empty();
  if (failed) {
    json["error_occurred"] = true;
    json["error_message"] =
        absl::StrCat("none of ", route.figures.offered, " requests was answered right");
  } else {
    double sum = 0;
    for (const std::int64_t sample : route.samples) sum += static_cast<double>(sample);
    json["iterations"] = route.samples.size();
    json["real_time"] = sum / static_cast<double>(route.samples.size());
    json["cpu_time"] = 0.0;  // the driver's is shared by all requests
    json["time_unit"] = "ns";
  }
  json["query"] = query;
  json["title"] = title;
  json["target"] = facts.target_name;
  json["engine"] = facts.server.at("target").at("engine");
  json["parameters"] = 1;
  json["parameter_rows"] = {1};
  if (failed) return json;
  json["rows"] = 1;
  json["p50"] = route.figures.response->p50;
  json["p95"] = route.figures.response->p95;
  if (route.figures.response->p99) json["p99"] = *route.figures.response->p99;
  json["samples"] = route.samples;
  return json;
}

std::string cell(const std::optional<std::int64_t>& ns) {
  if (!ns) return "-";
  const double value = static_cast<double>(*ns);
  if (value < 1e6) return absl::StrFormat("%.3g µs", value / 1e3);
  if (value < 1e9) return absl::StrFormat("%.3g ms", value / 1e6);
  return absl::StrFormat("%.3g s", value / 1e9);
}

// Bytes are not columns: µ has two.
std::string right(const std::string& text, std::size_t width) {
  std::size_t columns = 0;
  for (const char byte : text) columns += (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  return std::string(columns < width ? width - columns : 0, ' ') + text;
}

std::string table_line(std::string name, const Figures& figures) {
  name.resize(33, ' ');
  const auto& response = figures.response;
  return absl::StrCat(name, right(absl::StrCat(figures.offered), 9),
                      right(absl::StrCat(figures.failed()), 7),
                      right(cell(response ? std::optional(response->p50) : std::nullopt), 10),
                      right(cell(response ? std::optional(response->p95) : std::nullopt), 10),
                      right(cell(response ? response->p99 : std::nullopt), 10), "\n");
}

}  // namespace

std::string summary_text(const Scenario& scenario, const std::vector<StageFigures>& stages,
                         const RunFacts& facts) {
  const bench::BuildInfo build = bench::build_info();
  Json ours;
  ours["format"] = 1;
  ours["build_type"] = build.build_type;
  ours["compiler"] = build.compiler;
  ours["commit"] = build.commit;
  ours["dirty"] = build.dirty;
  ours["warmup"] = 0;
  ours["samples"] = Json();
  ours["percentile_method"] = "nearest-rank";
  ours["order"] = "over HTTP, as the scenario " + scenario.name + " says";
  ours["results"] = "each answer checked";
  Json& target = ours["targets"][facts.target_name] = facts.server.at("target");
  target.erase("name");
  ours["load"] = load_json(scenario, stages, facts);
  const benchmark::BenchmarkReporter::Context context;
  bench::Document document(bench::google_context(context), std::move(ours));
  for (const StageFigures& stage : stages) {
    for (const ScriptFigures& script : stage.scripts) {
      for (const RouteFigures& route : script.routes) {
        document.add(entry_of(scenario, stage, script, route, facts));
      }
    }
  }
  return document.text(facts.complete);
}

std::string closing_table(const Scenario& scenario, const std::vector<StageFigures>& stages) {
  std::string heading = "route";
  heading.resize(33, ' ');
  std::string text = absl::StrCat(heading, " requests failed       p50       p95       p99\n",
                                  std::string(79, '-'), "\n");
  for (const StageFigures& stage : stages) {
    for (const ScriptFigures& script : stage.scripts) {
      const std::string name = absl::StrCat(variant(scenario, stage, "clients ", "rate "));
      for (const RouteFigures& route : script.routes) {
        text += table_line(
            absl::StrCat(std::string(info(route.route).name), name.empty() ? "" : ", ", name),
            route.figures);
      }
      if (!scenario.ladder) {
        text += table_line(
            absl::StrFormat("%s, %.1f requests/s", script.script, script.figures.throughput_rps),
            script.figures);
      }
    }
  }
  if (scenario.ladder) {
    for (const RungLine& line : ladder_of(stages)) {
      text += std::string(info(line.route).title) + ": ";
      text += line.cleared_at ? absl::StrFormat("cleared %d clients, %.0f requests/s, p95 %.3g ms",
                                                *line.cleared_at, *line.req_per_s, *line.p95_ms)
                              : "cleared no rung";
      if (line.broke_at) text += absl::StrFormat("; broke at %d", *line.broke_at);
      text += "\n";
    }
  } else if (scenario.slo) {
    const FoundRate found = slo_of(stages);
    text += found.rate ? absl::StrFormat("the highest rate that met the limits: %g/s", *found.rate)
                       : "no rate met the limits";
    if (found.missed_at) text += absl::StrFormat("; missed at %g/s", *found.missed_at);
    text += "\n";
  } else if (scenario.repeats > 1) {
    const Spread spread = repeats_of(stages).throughput_rps;
    text +=
        absl::StrFormat("%d runs: %.1f requests/s, standard deviation %.2f (%.2f %%)\n",
                        scenario.repeats, spread.median, spread.sample_stdev, spread.cv_percent);
  }
  return text;
}

std::vector<std::string> failures(const Scenario& scenario,
                                  const std::vector<StageFigures>& stages) {
  std::vector<std::string> lines;
  // A ladder and a search are there to find what fails; a rung that breaks is no failure of the
  // run, but one that found nothing at all is.
  if (scenario.ladder) {
    for (const RungLine& line : ladder_of(stages)) {
      if (!line.cleared_at) {
        lines.push_back(std::string(info(line.route).name) + " cleared no rung");
      }
    }
    return lines;
  }
  if (scenario.slo) {
    if (!slo_of(stages).rate) lines.emplace_back("no rate met the limits");
    return lines;
  }
  for (const StageFigures& stage : stages) {
    const std::string where = scenario.repeats > 1 ? absl::StrCat("run ", stage.run, ": ") : "";
    if (!stage.held_rate) {
      lines.push_back(
          absl::StrFormat("%sthe driver did not hold the rate: %.2f %% of the sends were late",
                          where, stage.late_percent));
    }
    for (const ScriptFigures& script : stage.scripts) {
      const Figures& figures = script.figures;
      if (figures.offered == 0) {
        lines.push_back(absl::StrCat(where, script.script, " asked for nothing"));
      } else if (100 * static_cast<double>(figures.failed()) >
                 scenario.most_failed_percent * static_cast<double>(figures.offered)) {
        lines.push_back(absl::StrCat(where, script.script, ": ", figures.failed(), " of ",
                                     figures.offered, " requests failed"));
      }
    }
  }
  for (const Judged& one : judge(scenario, stages)) {
    if (!one.passed) {
      lines.push_back(absl::StrCat(
          one.text, ": ",
          one.value ? absl::StrFormat("was %.4g", *one.value) : std::string("there is no figure")));
    }
  }
  return lines;
}

}  // namespace shopmark::drive
