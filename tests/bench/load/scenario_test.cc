#include "bench/load/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace shopmark::drive {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using json = nlohmann::ordered_json;

json small() {
  return json::parse(R"({
    "format": 1, "title": "Small", "warmup_s": 0, "duration_s": 1, "drain_s": 1, "timeout_s": 1,
    "connections": {"kind": "kept"},
    "scripts": [{"name": "shop", "arrival": {"open": {"rate": 2.5}},
                 "routes": [{"route": "home"},
                            {"session": ["add_to_cart", "cart"], "weight": 3}]}]
  })");
}

Scenario read(const json& scenario) { return parse_scenario(scenario.dump(), "small.json"); }

std::string mistake_of(const std::string& text) {
  try {
    parse_scenario(text, "small.json");
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "none";
}

TEST(ScenarioTest, WhatIsNotSaidHasItsDefault) {
  const Scenario scenario = read(small());
  EXPECT_EQ(scenario.name, "small");
  EXPECT_EQ(scenario.title, "Small");
  EXPECT_EQ(scenario.seed, 20260830U);
  EXPECT_EQ(scenario.repeats, 1);
  EXPECT_EQ(scenario.most_connections, 256);
  EXPECT_EQ(scenario.most_in_flight, 10'000);
  EXPECT_EQ(scenario.most_failed_percent, 0);
  EXPECT_FALSE(scenario.new_connections);
  const Script& script = scenario.scripts.at(0);
  EXPECT_TRUE(script.arrival.open());
  EXPECT_EQ(script.arrival.rate, 2.5);
  EXPECT_EQ(script.arrival.spacing, Spacing::kConstant);
  EXPECT_EQ(script.pause_s, 1);
  EXPECT_THAT(script.entries.at(1).steps, ElementsAre(Route::kAddToCart, Route::kCart));
  EXPECT_EQ(script.entries.at(0).weight, 1);
  EXPECT_EQ(scenario.source, small());
}

TEST(ScenarioTest, AShareCountsRequestsAndNotSessions) {
  EXPECT_THAT(shares(read(small()).scripts.at(0)),
              ElementsAre(DoubleNear(100.0 / 7, 1e-9), DoubleNear(600.0 / 7, 1e-9)));
}

struct Mistake {
  std::string pointer;
  json value;  // discarded: the member is taken away
  std::string message;
};

const json kGone = json(json::value_t::discarded);

std::vector<Mistake> mistakes() {
  const std::string script = "/scripts/0";
  const std::string route = "/scripts/0/routes/0";
  return {
      {"/format", kGone, "format is missing"},
      {"/format", 2, "format is 2; it must be from 1 to 1"},
      {"/title", 5, "title is not text"},
      {"/seed", -1, "seed is -1"},
      {"/seed", 1.5, "seed is not a whole number"},
      {"/warmup_s", kGone, "warmup_s is missing"},
      {"/duration_s", 0, "duration_s is 0"},
      {"/duration_s", "1", "duration_s is not a number"},
      {"/drain_s", -1, "drain_s is -1"},
      {"/timeout_s", kGone, "timeout_s is missing"},
      {"/repeats", 0, "repeats is 0"},
      {"/most_failed_percent", 101, "most_failed_percent is 101"},
      {"/most_in_flight", 0, "most_in_flight is 0"},
      {"/duration", 5, "duration is unknown"},
      {"/connections", kGone, "connections is missing"},
      {"/connections", 5, "connections is not an object"},
      {"/connections/kind", "some", "connections.kind is \"some\"; it must be one of: kept new"},
      {"/connections/most", 0, "connections.most is 0"},
      {"/connections/least", 1, "connections.least is unknown"},
      {"/scripts", json::array(), "scripts is not a list with something in it"},
      {script + "/name", "Shop", "scripts[0].name may have lower-case letters"},
      {script + "/name", kGone, "scripts[0].name is missing"},
      {script + "/arrival/closed", {{"clients", 1}}, "scripts[0].arrival.open or closed"},
      {script + "/arrival/open", kGone, "scripts[0].arrival.open or closed"},
      {script + "/arrival/open/rate", 0, "scripts[0].arrival.open.rate is 0"},
      {script + "/arrival/open/rate", kGone, "scripts[0].arrival.open.rate is missing"},
      {script + "/arrival/open/rate", 0.5,
       "scripts asks for nothing: 0.5 requests a second for 1 s"},
      {"/slo", {{"low", 0.5}, {"high", 9}, {"steps", 1}, {"p95_ms", 5}}, "slo asks for nothing"},
      {script + "/arrival/open/spacing", "even", "scripts[0].arrival.open.spacing is \"even\""},
      {script + "/arrival/open/clients", 3, "scripts[0].arrival.open.clients is unknown"},
      {script + "/arrival",
       {{"closed", {{"clients", 0}}}},
       "scripts[0].arrival.closed.clients is 0"},
      {script + "/arrival",
       {{"closed", {{"clients", 1}, {"pipeline", 2}}}},
       "scripts[0].routes has a session, whose steps cannot be pipelined"},
      {script + "/pause_s", -1, "scripts[0].pause_s is -1"},
      {script + "/routes", kGone, "scripts[0].routes is missing"},
      {route + "/route", "nowhere", "scripts[0].routes[0].route names no route: nowhere"},
      {route + "/route", "cart", "scripts[0].routes[0].route has cart without add_to_cart"},
      {route + "/weight", 0, "scripts[0].routes[0].weight is 0"},
      {route + "/wait", 0, "scripts[0].routes[0].wait is unknown"},
      {route + "/route", "path", "scripts[0].routes[0].parameters is missing"},
      {route,
       {{"route", "path"}, {"parameters", {{"path", "x"}}}},
       "scripts[0].routes[0].parameters.path is no path of a URL"},
      {route + "/parameters", {{"slug", "a"}}, "scripts[0].routes[0].parameters.slug is unknown"},
      {"/scripts/0/routes/1/session", json::array(), "scripts[0].routes[1].session is not a list"},
      {"/scripts/0/routes/1/session",
       {"add_to_cart", 5},
       "scripts[0].routes[1].session names no route: 5"},
      {"/scripts/0/routes/1/session",
       {"add_to_cart", "checkout"},
       "scripts[0].routes[1].session has checkout without checkout_form before it"},
      {"/scripts/0/routes/1/session",
       {"home", "home"},
       "scripts[0].routes[1].session has a route twice"},
      {"/thresholds",
       {{{"script", "other"}, {"figure", "p95_ms"}, {"most", 1}}},
       "thresholds[0].script is unknown: other"},
      {"/thresholds",
       {{{"script", "shop"}, {"route", "order"}, {"figure", "p95_ms"}, {"most", 1}}},
       "thresholds[0].route is none of the script's: order"},
      {"/thresholds",
       {{{"script", "shop"}, {"figure", "p95"}, {"most", 1}}},
       "thresholds[0].figure is \"p95\""},
      {"/thresholds",
       {{{"script", "shop"}, {"figure", "throughput_rps"}, {"most", 1}}},
       "thresholds[0].least is missing"},
      {"/ladder", {{"clients", {1, 2}}, {"p95_ms", 5}}, "ladder.clients needs one script"},
      {"/ladder", {{"clients", {2, 2}}, {"p95_ms", 5}}, "ladder.clients must rise"},
      {"/slo",
       {{"low", 2}, {"high", 1}, {"steps", 1}, {"p95_ms", 5}},
       "slo.high must be above low"},
      {"/slo", {{"low", 1}, {"high", 2}, {"steps", 1}}, "slo.p95_ms or p99_ms must be there"},
  };
}

TEST(ScenarioTest, EveryMistakeIsOneLineThatNamesTheFileAndTheMember) {
  for (const Mistake& mistake : mistakes()) {
    SCOPED_TRACE(mistake.pointer + " " + mistake.message);
    json scenario = small();
    const json::json_pointer pointer(mistake.pointer);
    if (mistake.value.is_discarded()) {
      scenario.at(pointer.parent_pointer()).erase(pointer.back());
    } else {
      scenario[pointer] = mistake.value;
    }
    const std::string message = mistake_of(scenario.dump());
    EXPECT_THAT(message, StartsWith("small.json: " + mistake.message));
    EXPECT_THAT(message, Not(HasSubstr("\n")));
  }
}

TEST(ScenarioTest, WhatIsNoJsonIsNamedWithItsPlace) {
  EXPECT_THAT(mistake_of("{\"format\": 1,"), StartsWith("small.json: not JSON at byte "));
  EXPECT_EQ(mistake_of("[]"), "small.json: it is not an object");
}

TEST(ScenarioTest, AMemberThatStandsTwiceIsAMistake) {
  std::string text = small().dump();
  text.insert(text.find("\"rate\""), "\"rate\":9,");
  EXPECT_EQ(mistake_of(text), "small.json: rate stands twice");
}

TEST(ScenarioTest, TwoScriptsOfOneNameAreAMistake) {
  json scenario = small();
  scenario["scripts"].push_back(scenario["scripts"][0]);
  EXPECT_EQ(mistake_of(scenario.dump()), "small.json: scripts has two named shop");
}

TEST(ScenarioTest, AFileThatIsNotThereIsNamed) {
  try {
    read_scenario("no_such_scenario");
    ADD_FAILURE() << "no error";
  } catch (const ScenarioError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/no_such_scenario.json: cannot be read"));
  }
}

TEST(ScenarioTest, AFolderAndAnEmptyFileAreNamed) {
  for (const char* file : {SHOPMARK_SCENARIOS, "/dev/null"}) {
    try {
      read_scenario(file);
      ADD_FAILURE() << "no error";
    } catch (const ScenarioError& error) {
      EXPECT_EQ(error.what(), std::string(file) + ": cannot be read, or is empty");
    }
  }
}

TEST(ScenarioTest, FlagsChangeWhatIsRunAndTheEvidenceSaysSo) {
  Overrides overrides;
  overrides.duration_s = 9;
  overrides.warmup_s = 2;
  overrides.repeats = 4;
  overrides.seed = 7;
  overrides.rate_factor = 2;
  overrides.routes = {"cart"};
  const Scenario scenario = parse_scenario(small().dump(), "small.json", overrides);
  EXPECT_EQ(scenario.duration_s, 9);
  EXPECT_EQ(scenario.warmup_s, 2);
  EXPECT_EQ(scenario.repeats, 4);
  EXPECT_EQ(scenario.seed, 7U);
  EXPECT_EQ(scenario.scripts.at(0).arrival.rate, 5);
  ASSERT_EQ(scenario.scripts.at(0).entries.size(), 1U);
  EXPECT_EQ(scenario.source.at("duration_s"), 9);
  EXPECT_EQ(scenario.source.at("scripts").at(0).at("arrival").at("open").at("rate"), 5);
  EXPECT_EQ(scenario.source.at("scripts").at(0).at("routes").size(), 1U);
}

TEST(ScenarioTest, FlagsThatLeaveNothingAreAMistake) {
  Overrides overrides;
  overrides.routes = {"mcp_get_order"};
  EXPECT_THROW(parse_scenario(small().dump(), "small.json", overrides), ScenarioError);
}

TEST(ScenarioTest, AMistakeOfTheFlagsIsNotTheFiles) {
  Overrides overrides;
  overrides.duration_s = 1e300;
  try {
    parse_scenario(small().dump(), "small.json", overrides);
    ADD_FAILURE() << "no error";
  } catch (const ScenarioError& error) {
    EXPECT_THAT(error.what(),
                StartsWith("small.json, as the flags change it: duration_s is 1e+300"));
  }
}

TEST(ScenarioTest, EveryShippedScenarioIsReadAndHasAShortForm) {
  std::set<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(SHOPMARK_SCENARIOS)) {
    if (file.path().extension() != ".json") continue;
    const std::string name = file.path().stem();
    SCOPED_TRACE(name);
    const Scenario scenario = read_scenario(name);
    EXPECT_EQ(scenario.name, name);
    names.insert(name);
  }
  EXPECT_THAT(names, ElementsAre("capacity", "capacity_short", "mcp", "mcp_short", "slo",
                                 "slo_short", "storefront", "storefront_short"));
}

TEST(ScenarioTest, StorefrontIs85PercentBrowsing10PercentCartAnd5PercentPurchase) {
  for (const char* name : {"storefront", "storefront_short"}) {
    SCOPED_TRACE(name);
    const Scenario scenario = read_scenario(name);
    ASSERT_EQ(scenario.scripts.size(), 2U);
    const Script& script = scenario.scripts[0];
    const std::vector<double> of_a_hundred = shares(script);
    std::map<std::string, double> by_kind;
    for (std::size_t i = 0; i < script.entries.size(); ++i) {
      const std::vector<Route>& steps = script.entries[i].steps;
      const bool buys = std::find(steps.begin(), steps.end(), Route::kCheckout) != steps.end();
      by_kind[steps.size() == 1 ? "browsing" : buys ? "purchase" : "cart"] += of_a_hundred[i];
    }
    EXPECT_NEAR(by_kind["browsing"], 85, 1);
    EXPECT_NEAR(by_kind["cart"], 10, 1);
    EXPECT_NEAR(by_kind["purchase"], 5, 1);
    EXPECT_EQ(scenario.scripts[1].name, "admin");
  }
  EXPECT_EQ(read_scenario("storefront").scripts[0].arrival.rate, 34);
  EXPECT_EQ(read_scenario("storefront").scripts[1].arrival.rate, 5);
  EXPECT_EQ(read_scenario("storefront").scripts[0].arrival.spacing, Spacing::kPoisson);
}

TEST(ScenarioTest, CapacityIsThePublishedLadder) {
  const Scenario scenario = read_scenario("capacity");
  ASSERT_TRUE(scenario.ladder.has_value());
  EXPECT_THAT(scenario.ladder->clients, ElementsAre(12, 24, 36, 48, 72, 96, 144, 192));
  EXPECT_EQ(scenario.ladder->p95_ms, 500);
  EXPECT_EQ(scenario.duration_s, 20);
  EXPECT_EQ(scenario.scripts.at(0).entries.size(), 6U);
}

}  // namespace
}  // namespace shopmark::drive
