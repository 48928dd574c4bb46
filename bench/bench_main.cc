// shopmark-bench: times the store's queries on one or more targets.

#include <absl/flags/flag.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cases/parameters.h"
#include "bench/run/google_flags.h"
#include "bench/run/output_file.h"
#include "bench/run/runner.h"
#include "fixtures/engine/engine.h"
#include "fixtures/fixture.h"
#include "schema/schema.h"
#include "seed/command_line.h"
#include "seed/generator.h"

ABSL_FLAG(std::string, target, "",
          "[NAME=]ENGINE:ADDRESS, several with a comma between: sqlite:PATH, postgres://..., "
          "mariadb://..., or memory: for the store without a database; without the flag "
          "$SHOPMARK_TARGET, or "
          "sqlite:build/store/standard.sqlite");
ABSL_FLAG(int, warmup, 5, "untimed calls before the timed ones");
ABSL_FLAG(int, samples, 25, "timed calls of each case, every one a sample");
ABSL_FLAG(bool, check, false,
          "call every case with each of its parameters once, untimed, and compare the answers");
ABSL_FLAG(bool, oracle, true,
          "compare every answer with that of the store without SQL before anything is timed; "
          "--oracle=false only counts rows, for a store that holds other rows");
ABSL_FLAG(bool, verify, true,
          "ask for every answer of a case before it is timed; --verify=false leaves that, and the "
          "oracle, to an earlier run of the same statements, and only counts rows");
ABSL_FLAG(int, interleave, 0,
          "several targets take turns, this many samples of each at a time, so that what drifts on "
          "the machine hits all alike, and those of one address share a connection; 0 measures "
          "target by target");
ABSL_FLAG(bool, plans, true,
          "once all is timed, call every case again to take the plan of each of its statements and "
          "count the engine's work; --plans=false leaves that out");
ABSL_FLAG(std::string, seed_when_empty, "",
          "seed an empty or missing target with this profile: smoke, standard or million");
ABSL_FLAG(std::string, queries, "",
          "folder of the named statements, instead of the source tree's schema/queries; "
          "NAME=DIR,NAME=DIR gives the targets of these names folders of their own");
ABSL_FLAG(std::string, schema, "", "folder of tables.sql and indexes.sql, instead of schema/");
ABSL_FLAG(std::string, parameters, "",
          "file of the cases' parameters, instead of $SHOPMARK_PARAMETERS or the source tree's "
          "bench/cases/parameters.json");

namespace shopmark::bench {
namespace {

const command_line::Program kProgram = {
    .name = "shopmark-bench",
    .help = R"(Times the store's queries, each call on its own, and checks the rows of each.

  shopmark-bench --target=sqlite:build/store/standard.sqlite
  shopmark-bench --benchmark_filter=search --samples=100 --benchmark_out=s.json
  shopmark-bench --target=old=sqlite:a.sqlite,new=sqlite:b.sqlite --interleave=5
  shopmark-bench --queries=my/queries --check
  shopmark-bench --target=old=sqlite:a.sqlite,new=sqlite:a.sqlite --interleave=5
                 --queries=new=my/queries

Exit status: 0 all right; 1 a case failed, the run was stopped, or the output
could not be written; 2 could not start.
)",
    .flags = {"target", "warmup", "samples", "interleave", "check", "oracle", "verify", "plans",
              "seed_when_empty", "queries", "schema", "parameters"},
    .passthrough_prefix = "--benchmark_"};

// Every sample is kept, and written out.
constexpr int kMostCalls = 1'000'000;

// A flag of ours that was refused.
class FlagError : public std::runtime_error {
 public:
  FlagError(std::string name, const std::string& why)
      : std::runtime_error(why), flag(std::move(name)) {}
  std::string flag;
};

std::vector<engine::Target> read_targets(bool given) {
  std::string text = absl::GetFlag(FLAGS_target);
  if (given && text.empty()) throw FlagError("target", "must not be empty");
  if (text.empty()) {
    const char* from_environment = std::getenv("SHOPMARK_TARGET");
    text = from_environment != nullptr && *from_environment != '\0'
               ? from_environment
               : "sqlite:build/store/standard.sqlite";
  }
  std::vector<engine::Target> targets;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    try {
      targets.push_back(engine::Target::parse(text.substr(start, comma - start)));
    } catch (const std::invalid_argument& error) {
      throw FlagError("target", error.what());
    }
    const auto same_name = [&](const engine::Target& other) {
      return other.name == targets.back().name;
    };
    if (std::count_if(targets.begin(), targets.end(), same_name) > 1) {
      throw FlagError("target", "two are named " + targets.back().name +
                                    "; name them: NAME=" + targets.back().engine + ":...");
    }
    start = comma + 1;
  }
  return targets;
}

// A folder whose name holds an = is meant where no target has the name before it.
std::map<std::string, std::string> read_queries(const std::string& text,
                                                const std::vector<engine::Target>& targets,
                                                std::string& for_all) {
  std::map<std::string, std::string> own;
  const auto is_target = [&](std::string_view name) {
    return std::any_of(targets.begin(), targets.end(),
                       [&](const engine::Target& target) { return target.name == name; });
  };
  const std::size_t named = text.find('=');
  if (named == std::string::npos || !is_target(text.substr(0, named))) {
    for_all = text;
    return own;
  }
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const std::string one = text.substr(start, comma - start);
    const std::size_t equals = std::min(one.find('='), one.size());
    const std::string name = one.substr(0, equals);
    if (!is_target(name)) throw FlagError("queries", "no target is named '" + name + "'");
    if (equals + 1 >= one.size()) throw FlagError("queries", name + " has no folder");
    if (!own.emplace(name, one.substr(equals + 1)).second) {
      throw FlagError("queries", name + " has two folders");
    }
    start = comma + 1;
  }
  return own;
}

Options read_options(const command_line::Parsed& parsed) {
  Options options;
  options.targets = read_targets(parsed.was_given("target"));
  options.warmup = absl::GetFlag(FLAGS_warmup);
  if (options.warmup < 0) throw FlagError("warmup", "must not be negative");
  options.samples = absl::GetFlag(FLAGS_samples);
  if (options.samples < 1) throw FlagError("samples", "must be at least 1");
  options.samples_given = parsed.was_given("samples");
  if (options.samples > kMostCalls || options.warmup > kMostCalls) {
    throw FlagError(options.samples > kMostCalls ? "samples" : "warmup",
                    "must be at most " + std::to_string(kMostCalls));
  }
  options.verify = absl::GetFlag(FLAGS_verify);
  options.oracle = absl::GetFlag(FLAGS_oracle) && options.verify;
  options.plans = absl::GetFlag(FLAGS_plans);
  options.interleave = absl::GetFlag(FLAGS_interleave);
  if (options.interleave < 0) throw FlagError("interleave", "must not be negative");
  const std::string profile = absl::GetFlag(FLAGS_seed_when_empty);
  if (!profile.empty()) {
    try {
      options.fixture.seed_when_empty = seed::profile(profile);
    } catch (const std::invalid_argument& error) {
      throw FlagError("seed_when_empty", error.what());
    }
    // One line is enough here; the seeder's own program shows more.
    options.fixture.progress = [profile, said = false](const load::Progress&) mutable {
      if (!said) std::cerr << "seeding " << profile << ", which may take a while" << std::endl;
      said = true;
    };
  }
  options.fixture.schema_folder = absl::GetFlag(FLAGS_schema);
  if (options.fixture.schema_folder.empty()) {
    options.fixture.schema_folder = schema::default_folder();
  }
  options.queries_of_target =
      read_queries(absl::GetFlag(FLAGS_queries), options.targets, options.fixture.queries_folder);
  if (options.fixture.queries_folder.empty()) {
    options.fixture.queries_folder = options.fixture.schema_folder + "/queries";
  }
  options.parameters_file = absl::GetFlag(FLAGS_parameters);
  if (options.parameters_file.empty()) options.parameters_file = default_parameters_file();
  if (absl::GetFlag(FLAGS_check) && !parsed.passthrough.empty()) {
    throw FlagError("check", "measures nothing, so it takes no " + parsed.passthrough.front());
  }
  return options;
}

int run_program(int argc, char** argv) {
  const command_line::Parsed parsed = command_line::parse(argc, argv, kProgram);
  if (parsed.exit_status) return *parsed.exit_status;
  try {
    const Options options = read_options(parsed);
    if (absl::GetFlag(FLAGS_check)) return check(options);
    const GoogleFlags flags = initialize_google_benchmark(argv[0], parsed.passthrough);
    if (options.interleave > 0 && flags.min_time_given && !options.samples_given) {
      throw FlagError("interleave", "needs a fixed number of --samples, not --benchmark_min_time");
    }
    return run(options, flags);
  } catch (const FlagError& error) {
    return command_line::flag_error(kProgram, error.flag, error.what());
  } catch (const OutputError& error) {
    return command_line::flag_error(kProgram, "benchmark_out", error.what());
  } catch (const std::exception& error) {
    std::cerr << kProgram.name << ": " << error.what() << std::endl;
    return 2;
  }
}

}  // namespace
}  // namespace shopmark::bench

int main(int argc, char** argv) { return shopmark::bench::run_program(argc, argv); }
