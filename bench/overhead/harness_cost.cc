// shopmark-harness-cost: what our layers cost over sqlite3's own. Each query's statements, with the
// values of its parameters, are written down once; then repository calls and a bare C loop over the
// same statements and columns take turns on the same file.

#include <absl/flags/flag.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/cases/cases.h"
#include "bench/cases/parameters.h"
#include "bench/overhead/bare_sqlite.h"
#include "bench/overhead/recorder.h"
#include "fixtures/engine/engine.h"
#include "fixtures/fixture.h"
#include "schema/schema.h"
#include "seed/command_line.h"
#include "seed/generator.h"

ABSL_FLAG(std::string, target, "sqlite:build/store/standard.sqlite", "a seeded SQLite store");
ABSL_FLAG(int, fastest, 5, "how many of the queries, the fastest first; 18 is all of them");

namespace shopmark::bench {
namespace {

const command_line::Program kProgram = {
    .name = "shopmark-harness-cost",
    .help =
        R"(Compares the fastest queries' medians with those of a bare sqlite3 C loop over the same
statements and columns, interleaved. Exit status 1 when a ratio is over its bar.

  shopmark-harness-cost --target=sqlite:build/store/standard.sqlite
)",
    .flags = {"target", "fastest"},
    .passthrough_prefix = ""};

constexpr double kBar = 1.05;
// About 1.5 us a call, of which a few dozen nanoseconds are already 5%.
constexpr double kBarOfCustomerByEmail = 1.10;
constexpr int kCallsPerBlock = 20;
constexpr std::int64_t kShortestRunNs = 1'500'000'000;  // of both sides together
constexpr int kMostBlocks = 400;

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
          Replay& replay, std::vector<Replay::Call> calls)
      : timed_(timed),
        store_(store),
        parameters_(parameters),
        replay_(replay),
        calls_(std::move(calls)) {}

  const std::string& name() const { return timed_.name; }
  double bar() const { return timed_.name == "customer_by_email" ? kBarOfCustomerByEmail : kBar; }

  Samples ours(int count) {
    return time(count, our_turn_, [&](std::size_t i) {
      const std::int64_t rows = timed_.call(store_, parameters_[i]);
      if (rows != parameters_[i].rows) throw std::runtime_error(timed_.name + ": wrong rows");
    });
  }
  Samples bare(int count) {
    return time(count, bare_turn_, [&](std::size_t i) {
      if (replay_.run(calls_[i]) == 0 && !timed_.writes)
        throw std::runtime_error(timed_.name + ": nothing read");
      benchmark::DoNotOptimize(replay_.buffer().data());
      benchmark::ClobberMemory();
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
  Replay& replay_;
  std::vector<Replay::Call> calls_;
  std::size_t our_turn_ = 0;
  std::size_t bare_turn_ = 0;
};

struct Result {
  std::int64_t bare_ns = 0;
  std::int64_t ours_ns = 0;
  double ratio = 0;  // the median over the pairs of blocks
};

Result compare(Contest& contest) {
  const std::int64_t per_call = std::max<std::int64_t>(1, median(contest.bare(kCallsPerBlock)));
  const auto blocks = static_cast<int>(
      std::clamp<std::int64_t>(kShortestRunNs / (2 * kCallsPerBlock * per_call), 5, kMostBlocks));
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

int measure() {
  const engine::Target target = engine::Target::parse(absl::GetFlag(FLAGS_target));
  if (target.engine != "sqlite") throw std::runtime_error("--target: not a SQLite store");
  FixtureOptions options;
  options.schema_folder = schema::default_folder();
  options.queries_folder = options.schema_folder + "/queries";
  Fixture fixture = Fixture::open(target, options);
  const ParameterLists lists =
      read_parameters(default_parameters_file(), fixture.mark().profile, cases());

  // The same store again on a connection that writes down what goes through it.
  const std::unique_ptr<engine::Connection> plain =
      engine::open(target, engine::OpenMode::kExisting);
  Recording recording;
  const std::unique_ptr<engine::Connection> recorded = record(*plain, recording);
  const schema::Statements statements = schema::Statements::read(options.queries_folder);
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
    Contest contest(timed, fixture.store(), lists.at(timed.name), replay, std::move(calls));
    contest.ours(5);
    contest.bare(5);
    const std::int64_t first_look = median(contest.bare(9));
    contests.emplace(first_look, std::move(contest));
  }
  bool good = true;
  std::printf("%-30s %12s %12s %7s %6s\n", "query", "bare us", "ours us", "ratio", "bar");
  int left = absl::GetFlag(FLAGS_fastest);
  for (auto& [first_look, contest] : contests) {
    if (left-- == 0) break;
    const Result result = compare(contest);
    const bool over = result.ratio > contest.bar();
    good = good && !over;
    std::printf("%-30s %12.3f %12.3f %7.3f %6.2f%s\n", contest.name().c_str(),
                static_cast<double>(result.bare_ns) * 1e-3,
                static_cast<double>(result.ours_ns) * 1e-3, result.ratio, contest.bar(),
                over ? "  OVER" : "");
    std::fflush(stdout);
  }
  return good ? 0 : 1;
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
