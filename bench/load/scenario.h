// A scenario: what is asked of a server, how often and for how long. Read from a JSON file, in
// which every member is checked; bench/scenarios/README.md says what each means.
//
// Times of the file are seconds, in members whose names end in _s.

#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/load/routes.h"

namespace shopmark::drive {

// One line that names the file and the member.
class ScenarioError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// How the parameters of a route are drawn; a member that a route does not take is refused.
struct RouteParameters {
  std::string path;                 // path: what is asked for
  std::string contains;             // path: what the answer must hold
  std::string slug;                 // product_page: always this one
  bool facets = false;              // catalog_deep_page: with the counts of all choices
  std::int64_t most_pages = 20;     // order_list, mcp_list_orders: pages 1 to this
  std::int64_t coupon_percent = 0;  // checkout: how many of a hundred orders have a coupon
};

// One route, or a session of several whose later steps use the earlier answers.
struct Entry {
  std::vector<Route> steps;
  std::int64_t weight = 1;
  RouteParameters parameters;
};

enum class Spacing { kConstant, kPoisson };

// Exactly one of rate and clients is not 0.
struct Arrival {
  double rate = 0;  // open loop: requests a second, of all steps together; need not be whole
  Spacing spacing = Spacing::kConstant;
  std::int64_t clients = 0;   // closed loop
  std::int64_t pipeline = 1;  // requests that a client has on its way at a time

  bool open() const { return clients == 0; }
};

struct Script {
  std::string name;
  Arrival arrival;
  std::vector<Entry> entries;
  double pause_s = 1;  // open loop: the least between the steps of a session
};

enum class Figure { kP50, kP95, kP99, kFailedPercent, kThroughput };

struct Threshold {
  std::string script;
  std::string route;  // empty: of the whole script
  Figure figure = Figure::kP95;
  double limit = 0;  // milliseconds, percent or requests a second
};

// Numbers of clients, each for a while, until one is too many; route after route.
struct Ladder {
  std::vector<std::int64_t> clients;  // rising
  double p95_ms = 0;
};

// The highest rate of the first script that still meets the limits.
struct Search {
  double low = 0;
  double high = 0;
  std::int64_t steps = 0;  // after those at low and high
  std::optional<double> p95_ms;
  std::optional<double> p99_ms;
};

struct Scenario {
  std::string name;
  std::string title;
  std::uint64_t seed = 0;
  double warmup_s = 0;
  double duration_s = 0;
  double drain_s = 0;
  double timeout_s = 0;  // from the send to the whole response
  std::int64_t repeats = 1;
  bool new_connections = false;       // one for each request
  std::int64_t most_connections = 0;  // of the open loops together
  std::int64_t most_in_flight = 0;    // of an open loop; what comes beyond is rejected
  double most_failed_percent = 0;     // of all that was offered; more fails the run
  // Of an open loop's measured sends that the driver itself was late with (see stage.h); more are
  // another load than was asked for, and fail the run.
  double most_late_percent = 1;
  std::vector<Script> scripts;
  std::vector<Threshold> thresholds;
  std::optional<Ladder> ladder;
  std::optional<Search> slo;
  nlohmann::ordered_json source;  // as it stands in the file, and as flags changed it
};

// What a flag may change; absent: as the file says.
struct Overrides {
  std::optional<double> duration_s;
  std::optional<double> warmup_s;
  std::optional<double> rate_factor;
  std::optional<std::int64_t> repeats;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> routes;  // only these, and the sessions that hold one of them
};

// `file` is used in messages. Throws ScenarioError.
Scenario parse_scenario(std::string_view text, const std::string& file,
                        const Overrides& overrides = {});
// A file, or the name of one in bench/scenarios without its .json.
Scenario read_scenario(const std::string& file_or_name, const Overrides& overrides = {});

// The rate's share that one step of each entry has, for tests and tables: by entry, requests of a
// hundred.
std::vector<double> shares(const Script& script);

}  // namespace shopmark::drive
