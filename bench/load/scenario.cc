#include "bench/load/scenario.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "bench/load/members.h"

namespace shopmark::drive {

namespace {

using nlohmann::ordered_json;

constexpr double kMostSeconds = 7 * 24 * 3600.0;
constexpr double kMostRate = 1e6;
constexpr std::int64_t kMostClients = 10'000;
// A record keeps a script and an entry in a byte each.
constexpr std::size_t kMostScripts = 16;
constexpr std::size_t kMostEntries = 64;

Route read_route(Members& members, const char* name) {
  const std::string text = members.text(name);
  const std::optional<Route> route = route_named(text);
  if (!route) members.fail(name, absl::StrCat("names no route: ", text));
  return *route;
}

bool takes_pages(Route route) {
  return route == Route::kOrderList || route == Route::kMcpListOrders;
}

RouteParameters read_parameters(Members members, const std::vector<Route>& steps) {
  const auto has = [&](Route route) {
    return std::find(steps.begin(), steps.end(), route) != steps.end();
  };
  RouteParameters parameters;
  if (has(Route::kPath)) {
    parameters.path = members.text("path");
    parameters.contains = members.text("contains", "");
    if (parameters.path.empty() || parameters.path.front() != '/' ||
        parameters.path.find_first_of(" \r\n") != std::string::npos) {
      members.fail("path", "is no path of a URL");
    }
  }
  if (has(Route::kProductPage)) parameters.slug = members.text("slug", "");
  if (has(Route::kCatalogDeepPage)) parameters.facets = members.boolean("facets", false);
  if (std::any_of(steps.begin(), steps.end(), takes_pages)) {
    parameters.most_pages = members.integer("most_pages", 1, 1'000'000, parameters.most_pages);
  }
  if (has(Route::kCheckout)) {
    parameters.coupon_percent = members.integer("coupon_percent", 0, 100, 0);
  }
  members.finish();
  return parameters;
}

// Every step must come after what it needs.
void check_session(const std::vector<Route>& steps, const Members& members, const char* member) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const RouteInfo& route = info(steps[i]);
    if (!route.after) continue;
    const auto before = steps.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(steps.begin(), before, *route.after) == before) {
      members.fail(member, absl::StrCat("has ", std::string(route.name), " without ",
                                        std::string(info(*route.after).name), " before it"));
    }
  }
}

Entry read_entry(Members members) {
  Entry entry;
  const bool session = members.has("session");
  if (session) {
    const ordered_json& steps = members.list("session");
    for (const ordered_json& step : steps) {
      const std::optional<Route> route =
          step.is_string() ? route_named(step.get<std::string>()) : std::nullopt;
      if (!route) {
        members.fail("session", absl::StrCat("names no route: ", step.dump(-1, ' ', true)));
      }
      entry.steps.push_back(*route);
    }
    if (std::set<Route>(entry.steps.begin(), entry.steps.end()).size() != entry.steps.size()) {
      members.fail("session", "has a route twice");
    }
  } else {
    entry.steps.push_back(read_route(members, "route"));
  }
  check_session(entry.steps, members, session ? "session" : "route");
  entry.weight = members.integer("weight", 1, 1'000'000, 1);
  static const ordered_json kNothing = ordered_json::object();
  const bool needed = entry.steps.front() == Route::kPath;
  if (members.has("parameters") || needed) {
    entry.parameters = read_parameters(members.object("parameters"), entry.steps);
  }
  members.finish();
  return entry;
}

Arrival read_arrival(Members members) {
  Arrival arrival;
  if (members.has("open") == members.has("closed")) {
    members.fail("open", "or closed must be there, and not both");
  }
  if (members.has("open")) {
    Members open = members.object("open");
    arrival.rate = open.number("rate", 1e-3, kMostRate);
    arrival.spacing = static_cast<Spacing>(open.one_of("spacing", "constant poisson", 0));
    open.finish();
  } else {
    Members closed = members.object("closed");
    arrival.clients = closed.integer("clients", 1, kMostClients);
    arrival.pipeline = closed.integer("pipeline", 1, 1000, 1);
    closed.finish();
  }
  members.finish();
  return arrival;
}

Script read_script(Members members) {
  Script script;
  script.name = members.text("name");
  const std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  if (script.name.empty() || script.name.find_first_not_of(allowed) != std::string::npos) {
    members.fail("name", "may have lower-case letters, digits, _ and - only");
  }
  script.arrival = read_arrival(members.object("arrival"));
  script.pause_s = members.number("pause_s", 0, 3600, 1.0);
  const ordered_json& entries = members.list("routes");
  for (const ordered_json& entry : entries) {
    script.entries.push_back(read_entry(members.item("routes", entry, script.entries.size())));
    const Entry& read = script.entries.back();
    if (read.steps.size() > 1 && script.arrival.pipeline > 1) {
      members.fail("routes", "has a session, whose steps cannot be pipelined");
    }
  }
  if (script.entries.size() > kMostEntries) members.fail("routes", "has more than 64 entries");
  members.finish();
  return script;
}

const Script* find_script(const Scenario& scenario, const std::string& name) {
  for (const Script& script : scenario.scripts) {
    if (script.name == name) return &script;
  }
  return nullptr;
}

Threshold read_threshold(Members members, const Scenario& scenario) {
  Threshold threshold;
  threshold.script = members.text("script");
  const Script* script = find_script(scenario, threshold.script);
  if (script == nullptr) members.fail("script", absl::StrCat("is unknown: ", threshold.script));
  threshold.route = members.text("route", "");
  const bool known =
      std::any_of(script->entries.begin(), script->entries.end(), [&](const Entry& entry) {
        return std::any_of(entry.steps.begin(), entry.steps.end(),
                           [&](Route step) { return info(step).name == threshold.route; });
      });
  if (!threshold.route.empty() && !known) {
    members.fail("route", absl::StrCat("is none of the script's: ", threshold.route));
  }
  threshold.figure = static_cast<Figure>(
      members.one_of("figure", "p50_ms p95_ms p99_ms failed_percent throughput_rps"));
  const bool at_least = threshold.figure == Figure::kThroughput;
  threshold.limit = members.number(at_least ? "least" : "most", 0, 1e9);
  members.finish();
  return threshold;
}

Ladder read_ladder(Members members, const Scenario& scenario) {
  Ladder ladder;
  for (const ordered_json& rung : members.list("clients")) {
    if (!rung.is_number_integer() || rung.get<std::int64_t>() < 1 ||
        rung.get<std::int64_t>() > kMostClients ||
        (!ladder.clients.empty() && rung.get<std::int64_t>() <= ladder.clients.back())) {
      members.fail("clients", absl::StrCat("must rise, from 1 to ", kMostClients));
    }
    ladder.clients.push_back(rung.get<std::int64_t>());
  }
  ladder.p95_ms = members.number("p95_ms", 1e-3, 1e6);
  members.finish();
  if (scenario.scripts.size() != 1 || scenario.scripts.front().arrival.open()) {
    members.fail("clients", "needs one script, with a closed arrival");
  }
  for (const Entry& entry : scenario.scripts.front().entries) {
    if (entry.steps.size() > 1) members.fail("clients", "takes routes, not sessions");
  }
  return ladder;
}

Search read_search(Members members, const Scenario& scenario) {
  Search search;
  search.low = members.number("low", 1e-3, kMostRate);
  search.high = members.number("high", 1e-3, kMostRate);
  if (search.high <= search.low) members.fail("high", "must be above low");
  search.steps = members.integer("steps", 0, 64);
  if (members.has("p95_ms")) search.p95_ms = members.number("p95_ms", 1e-3, 1e6);
  if (members.has("p99_ms")) search.p99_ms = members.number("p99_ms", 1e-3, 1e6);
  if (!search.p95_ms && !search.p99_ms) members.fail("p95_ms", "or p99_ms must be there");
  members.finish();
  if (!scenario.scripts.front().arrival.open()) {
    members.fail("low", "needs a first script with an open arrival");
  }
  return search;
}

// Into the JSON, so that the evidence shows what was run.
void apply(const Overrides& overrides, ordered_json& json, const std::string& file) {
  if (overrides.duration_s) json["duration_s"] = *overrides.duration_s;
  if (overrides.warmup_s) json["warmup_s"] = *overrides.warmup_s;
  if (overrides.repeats) json["repeats"] = *overrides.repeats;
  if (overrides.seed) json["seed"] = *overrides.seed;
  if (overrides.rate_factor) {
    for (ordered_json& script : json["scripts"]) {
      if (!script["arrival"].contains("open")) continue;
      ordered_json& rate = script["arrival"]["open"]["rate"];
      rate = rate.get<double>() * *overrides.rate_factor;
    }
  }
  if (overrides.routes.empty()) return;
  const auto wanted = [&](const ordered_json& name) {
    return std::find(overrides.routes.begin(), overrides.routes.end(), name.get<std::string>()) !=
           overrides.routes.end();
  };
  ordered_json scripts = ordered_json::array();
  for (ordered_json script : json["scripts"]) {
    ordered_json kept = ordered_json::array();
    for (const ordered_json& entry : script["routes"]) {
      const bool keep = entry.contains("route")
                            ? wanted(entry["route"])
                            : std::any_of(entry["session"].begin(), entry["session"].end(), wanted);
      if (keep) kept.push_back(entry);
    }
    if (kept.empty()) continue;
    script["routes"] = std::move(kept);
    scripts.push_back(std::move(script));
  }
  if (scripts.empty()) throw ScenarioError(file + ": scripts have none of the routes asked for");
  json["scripts"] = std::move(scripts);
}

// What an open loop would ask for less than once is a mistake in its figures.
void check_rate(const Scenario& scenario, double rate, const Members& members, const char* member) {
  if (rate * scenario.duration_s >= 1) return;
  members.fail(member, absl::StrCat("asks for nothing: ", rate, " requests a second for ",
                                    scenario.duration_s, " s"));
}

Scenario interpret(const ordered_json& json, const std::string& file) {
  Scenario scenario;
  Members members(json, file, "");
  members.integer("format", 1, 1);
  scenario.title = members.text("title");
  scenario.seed = static_cast<std::uint64_t>(
      members.integer("seed", 0, std::numeric_limits<std::int64_t>::max(), 20260830));
  scenario.warmup_s = members.number("warmup_s", 0, kMostSeconds);
  scenario.duration_s = members.number("duration_s", 0.05, kMostSeconds);
  scenario.drain_s = members.number("drain_s", 0, 3600);
  scenario.timeout_s = members.number("timeout_s", 1e-3, 3600);
  scenario.repeats = members.integer("repeats", 1, 1000, 1);
  scenario.most_failed_percent = members.number("most_failed_percent", 0, 100, 0.0);
  scenario.most_late_percent = members.number("most_late_percent", 0, 100, 1.0);
  scenario.most_in_flight = members.integer("most_in_flight", 1, 1'000'000, 10'000);
  Members connections = members.object("connections");
  scenario.new_connections = connections.one_of("kind", "kept new") == 1;
  scenario.most_connections = connections.integer("most", 1, 60'000, 256);
  connections.finish();

  const ordered_json& scripts = members.list("scripts");
  if (scripts.size() > kMostScripts) members.fail("scripts", "are more than 16");
  for (const ordered_json& script : scripts) {
    scenario.scripts.push_back(
        read_script(members.item("scripts", script, scenario.scripts.size())));
    const Script& read = scenario.scripts.back();
    if (find_script(scenario, read.name) != &read) {
      members.fail("scripts", absl::StrCat("has two named ", read.name));
    }
    if (read.arrival.open()) check_rate(scenario, read.arrival.rate, members, "scripts");
    if (scenario.new_connections && read.arrival.pipeline > 1) {
      members.fail("connections", "are new for each request, so nothing can be pipelined");
    }
  }
  if (members.has("thresholds")) {
    std::size_t index = 0;
    for (const ordered_json& threshold : members.list("thresholds")) {
      scenario.thresholds.push_back(
          read_threshold(members.item("thresholds", threshold, index++), scenario));
    }
  }
  if (members.has("ladder") && members.has("slo")) members.fail("ladder", "excludes slo");
  if (members.has("ladder")) scenario.ladder = read_ladder(members.object("ladder"), scenario);
  if (members.has("slo")) {
    scenario.slo = read_search(members.object("slo"), scenario);
    check_rate(scenario, scenario.slo->low, members, "slo");
  }
  if (!scenario.thresholds.empty() && (scenario.ladder || scenario.slo)) {
    members.fail("thresholds", "mean nothing where the load changes");
  }
  members.finish();
  scenario.source = json;
  return scenario;
}

// Throws ScenarioError; a member that stands twice is a mistake, since only one of them would
// count.
ordered_json parse(std::string_view text, const std::string& file) {
  std::vector<std::set<std::string>> members;
  const auto watch = [&](int, ordered_json::parse_event_t event, ordered_json& value) {
    if (event == ordered_json::parse_event_t::object_start) members.emplace_back();
    if (event == ordered_json::parse_event_t::object_end) members.pop_back();
    if (event == ordered_json::parse_event_t::key &&
        !members.back().insert(value.get<std::string>()).second) {
      throw ScenarioError(absl::StrCat(file, ": ", value.get<std::string>(), " stands twice"));
    }
    return true;
  };
  try {
    return ordered_json::parse(text, watch);
  } catch (const ordered_json::parse_error& error) {
    throw ScenarioError(absl::StrCat(file, ": not JSON at byte ", error.byte));
  }
}

}  // namespace

Scenario parse_scenario(std::string_view text, const std::string& file,
                        const Overrides& overrides) {
  ordered_json json = parse(text, file);
  // Once as it stands, so that what is then changed has the members that the changes name.
  interpret(json, file);
  apply(overrides, json, file);
  Scenario scenario = interpret(json, file + ", as the flags change it");
  const std::size_t slash = file.rfind('/');
  scenario.name = file.substr(slash == std::string::npos ? 0 : slash + 1);
  if (scenario.name.size() > 5 && scenario.name.substr(scenario.name.size() - 5) == ".json") {
    scenario.name.resize(scenario.name.size() - 5);
  }
  return scenario;
}

Scenario read_scenario(const std::string& file_or_name, const Overrides& overrides) {
  std::string file = file_or_name;
  if (file.find_first_of("/.") == std::string::npos) {
    file = absl::StrCat(SHOPMARK_SCENARIOS, "/", file, ".json");
  }
  const std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream.is_open() || text.view().empty()) {
    throw ScenarioError(absl::StrCat(file, ": cannot be read, or is empty"));
  }
  return parse_scenario(text.str(), file, overrides);
}

std::vector<double> shares(const Script& script) {
  double total = 0;
  for (const Entry& entry : script.entries) {
    total += static_cast<double>(entry.weight) * static_cast<double>(entry.steps.size());
  }
  std::vector<double> shares;
  for (const Entry& entry : script.entries) {
    shares.push_back(100 * static_cast<double>(entry.weight) *
                     static_cast<double>(entry.steps.size()) / total);
  }
  return shares;
}

}  // namespace shopmark::drive
