// shopmark-harness-cost: what our layers cost over a driver's own. On SQLite each query's
// statements, with the values of its parameters, are written down once; then repository calls and a
// bare C loop over the same statements and columns take turns on the same file. On a server it is
// one query against a loop over its client library.

#include <absl/flags/flag.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/cases/cases.h"
#include "bench/cases/parameters.h"
#include "bench/overhead/bare_server.h"
#include "bench/overhead/bare_sqlite.h"
#include "bench/overhead/recorder.h"
#include "fixtures/engine/engine.h"
#include "fixtures/fixture.h"
#include "schema/schema.h"
#include "seed/command_line.h"
#include "seed/generator.h"

ABSL_FLAG(std::string, target, "sqlite:build/store/standard.sqlite", "a seeded store");
ABSL_FLAG(int, fastest, 5,
          "on SQLite, how many of the queries, the fastest first; 18 is all of them");

namespace shopmark::bench {
namespace {

const command_line::Program kProgram = {
    .name = "shopmark-harness-cost",
    .help =
        R"help(Compares the fastest queries' medians with those of a bare sqlite3 C loop over
the same statements and columns, interleaved. On a server it compares
customer_by_email with a loop over libpq or MariaDB Connector/C: the same
statement prepared once, in a session with the same settings, every column of
the result copied; of 30 connections a side the fastest counts. Exit status 1
when a ratio is over its bar.

  shopmark-harness-cost --target=sqlite:build/store/standard.sqlite
  shopmark-harness-cost --target="$(tools/shopmark engines dsn postgres)"
)help",
    .flags = {"target", "fastest"},
    .passthrough_prefix = ""};

constexpr double kBar = 1.05;
// About 1.5 us a call, of which a few dozen nanoseconds are already 5%.
constexpr double kBarOfCustomerByEmail = 1.10;
constexpr int kCallsPerBlock = 20;
constexpr std::int64_t kShortestRunNs = 1'500'000'000;  // of both sides together
constexpr int kMostBlocks = 400;
// Of servers: where the system puts a connection's process or thread beside ours decides over half
// of the time of a call, and stays so. So connections are made anew, and each side's fastest
// counts.
constexpr int kConnections = 30;
constexpr int kBlocksPerConnection = 12;

using Samples = std::vector<std::int64_t>;

std::int64_t median(Samples samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>((samples.size() - 1) / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 2];
}

// One query both ways, with the same parameters in turn.
class Contest {
 public:
  Contest(const Case& timed, store::Store& store, const std::vector<Parameters>& parameters,
          std::function<std::size_t(std::size_t)> bare)
      : timed_(timed), store_(store), parameters_(parameters), bare_(std::move(bare)) {}

  const std::string& name() const { return timed_.name; }

  Samples ours(int count) {
    return time(count, our_turn_, [&](std::size_t i) {
      const std::int64_t rows = timed_.call(store_, parameters_[i]);
      if (rows != parameters_[i].rows) throw std::runtime_error(timed_.name + ": wrong rows");
    });
  }
  Samples bare(int count) {
    return time(count, bare_turn_, [&](std::size_t i) {
      if (bare_(i) == 0 && !timed_.writes) throw std::runtime_error(timed_.name + ": nothing read");
    });
  }

 private:
  template <typename Function>
  Samples time(int count, std::size_t& turn, Function function) {
    using Clock = std::chrono::steady_clock;
    Samples samples;
    samples.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      const Clock::time_point start = Clock::now();
      function(turn);
      const Clock::time_point end = Clock::now();
      samples.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count());
      turn = (turn + 1) % parameters_.size();
    }
    return samples;
  }

  const Case& timed_;
  store::Store& store_;
  const std::vector<Parameters>& parameters_;
  // Runs the call with the parameters of that place; the bytes that it read.
  std::function<std::size_t(std::size_t)> bare_;
  std::size_t our_turn_ = 0;
  std::size_t bare_turn_ = 0;
};

struct Result {
  std::int64_t bare_ns = 0;
  std::int64_t ours_ns = 0;
  double ratio = 0;  // the median over the pairs of blocks
};

int blocks_for(Contest& contest) {
  const std::int64_t per_call = std::max<std::int64_t>(1, median(contest.bare(kCallsPerBlock)));
  return static_cast<int>(
      std::clamp<std::int64_t>(kShortestRunNs / (2 * kCallsPerBlock * per_call), 5, kMostBlocks));
}

Result compare(Contest& contest, int blocks) {
  Samples all_bare;
  Samples all_ours;
  std::vector<double> ratios;
  for (int block = 0; block < blocks; ++block) {
    Samples bare;
    Samples ours;
    // Who goes first changes, so that neither always finds the caches as the other left them.
    if (block % 2 == 0) bare = contest.bare(kCallsPerBlock);
    ours = contest.ours(kCallsPerBlock);
    if (block % 2 != 0) bare = contest.bare(kCallsPerBlock);
    ratios.push_back(static_cast<double>(median(ours)) / static_cast<double>(median(bare)));
    all_bare.insert(all_bare.end(), bare.begin(), bare.end());
    all_ours.insert(all_ours.end(), ours.begin(), ours.end());
  }
  return {median(all_bare), median(all_ours), median(ratios)};
}

// What was read is not to be optimized away.
template <typename Bare>
void use(const Bare& bare) {
  benchmark::DoNotOptimize(bare.buffer().data());
  benchmark::ClobberMemory();
}

void print_heading() {
  std::printf("%-30s %12s %12s %7s %6s\n", "query", "bare us", "ours us", "ratio", "bar");
}

// Whether the ratio is within the bar.
bool print(const std::string& name, const Result& result) {
  const double bar = name == "customer_by_email" ? kBarOfCustomerByEmail : kBar;
  const bool over = result.ratio > bar;
  std::printf("%-30s %12.3f %12.3f %7.3f %6.2f%s\n", name.c_str(),
              static_cast<double>(result.bare_ns) * 1e-3,
              static_cast<double>(result.ours_ns) * 1e-3, result.ratio, bar, over ? "  OVER" : "");
  std::fflush(stdout);
  return !over;
}

int measure_server(const engine::Target& target, const FixtureOptions& options,
                   const schema::Statements& statements, const ParameterLists& lists) {
  const auto timed = std::find_if(cases().begin(), cases().end(), [](const Case& candidate) {
    return candidate.name == "customer_by_email";
  });
  const std::vector<Parameters>& parameters = lists.at(timed->name);
  std::vector<Result> results;
  for (int i = 0; i < kConnections; ++i) {
    Fixture fixture = Fixture::open(target, options);
    engine::Connection& connection = fixture.connection();
    const std::unique_ptr<BareQuery> bare = prepare_bare(
        target, connection.info().settings, statements.get(timed->name).text(connection.dialect()));
    Contest contest(*timed, fixture.store(), parameters, [&](std::size_t parameter) {
      const std::size_t bytes = bare->run(parameters[parameter].email);
      use(*bare);
      return bytes;
    });
    contest.ours(kCallsPerBlock);
    contest.bare(kCallsPerBlock);
    results.push_back(compare(contest, kBlocksPerConnection));
  }
  const auto fastest = [&](std::int64_t Result::*side) {
    std::int64_t least = results.front().*side;
    for (const Result& result : results) least = std::min(least, result.*side);
    return least;
  };
  Result result = {fastest(&Result::bare_ns), fastest(&Result::ours_ns), 0};
  result.ratio = static_cast<double>(result.ours_ns) / static_cast<double>(result.bare_ns);
  print_heading();
  return print(timed->name, result) ? 0 : 1;
}

int measure_sqlite(Fixture& fixture, const schema::Statements& statements,
                   const ParameterLists& lists) {
  const engine::Target& target = fixture.target();
  // The same store again on a connection that writes down what goes through it.
  const std::unique_ptr<engine::Connection> plain =
      engine::open(target, engine::OpenMode::kExisting);
  Recording recording;
  const std::unique_ptr<engine::Connection> recorded = record(*plain, recording);
  const std::unique_ptr<store::Store> store =
      store::open_sql_store(*recorded, statements, seed::kClock);
  std::vector<std::vector<RecordedCall>> recorded_calls;
  for (const Case& timed : cases()) {
    std::vector<RecordedCall>& calls = recorded_calls.emplace_back();
    for (const Parameters& parameters : lists.at(timed.name)) {
      recording.call.clear();
      if (timed.call(*store, parameters) != parameters.rows) {
        throw std::runtime_error(timed.name + ": wrong rows");
      }
      calls.push_back(recording.call);
    }
  }

  std::map<std::string, std::string> settings;
  const engine::EngineInfo info = fixture.connection().info();
  for (const char* name :
       {"cache_size", "foreign_keys", "mmap_size", "synchronous", "temp_store"}) {
    settings[name] = info.settings.at(name);
  }
  Replay replay(target.address, settings, recording);
  std::multimap<std::int64_t, Contest> contests;  // by how long the bare loop takes
  for (std::size_t i = 0; i < cases().size(); ++i) {
    const Case& timed = cases()[i];
    if (timed.baseline_rows) continue;
    std::vector<Replay::Call> calls;
    for (const RecordedCall& call : recorded_calls[i]) calls.push_back(replay.make_ready(call));
    Contest contest(timed, fixture.store(), lists.at(timed.name),
                    [&replay, calls = std::move(calls)](std::size_t parameter) {
                      const std::size_t bytes = replay.run(calls[parameter]);
                      use(replay);
                      return bytes;
                    });
    contest.ours(5);
    contest.bare(5);
    const std::int64_t first_look = median(contest.bare(9));
    contests.emplace(first_look, std::move(contest));
  }
  bool good = true;
  print_heading();
  int left = absl::GetFlag(FLAGS_fastest);
  for (auto& [first_look, contest] : contests) {
    if (left-- == 0) break;
    good = print(contest.name(), compare(contest, blocks_for(contest))) && good;
  }
  return good ? 0 : 1;
}

int measure() {
  const engine::Target target = engine::Target::parse(absl::GetFlag(FLAGS_target));
  FixtureOptions options;
  options.schema_folder = schema::default_folder();
  options.queries_folder = options.schema_folder + "/queries";
  Fixture fixture = Fixture::open(target, options);
  const schema::Statements statements = schema::Statements::read(options.queries_folder);
  const ParameterLists lists =
      read_parameters(default_parameters_file(), fixture.mark().profile, cases());
  return target.engine == "sqlite" ? measure_sqlite(fixture, statements, lists)
                                   : measure_server(target, options, statements, lists);
}

int run_program(int argc, char** argv) {
  const command_line::Parsed parsed = command_line::parse(argc, argv, kProgram);
  if (parsed.exit_status) return *parsed.exit_status;
  if (absl::GetFlag(FLAGS_fastest) < 1) {
    return command_line::flag_error(kProgram, "fastest", "must be at least 1");
  }
  try {
    return measure();
  } catch (const std::exception& error) {
    std::cerr << kProgram.name << ": " << error.what() << std::endl;
    return 2;
  }
}

}  // namespace
}  // namespace shopmark::bench

int main(int argc, char** argv) { return shopmark::bench::run_program(argc, argv); }
