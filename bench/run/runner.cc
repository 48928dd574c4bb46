#include "bench/run/runner.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "bench/cases/cases.h"
#include "bench/cases/parameters.h"
#include "bench/run/build_info.h"
#include "bench/run/case_run.h"
#include "bench/run/document.h"
#include "bench/run/file_digest.h"
#include "bench/run/open_target.h"
#include "bench/run/oracle.h"
#include "bench/run/output_file.h"
#include "bench/run/run_cases.h"
#include "bench/run/stop.h"
#include "bench/run/target_context.h"
#include "fixtures/engine/parity.h"
#include "fixtures/memory/memory_store.h"
#include "schema/schema.h"
#include "seed/digest.h"
#include "seed/generator.h"

namespace shopmark::bench {

namespace {

// Tells which statements ran: they are read at start-up, so no commit says it.
std::string digest_of_statements(const std::string& folder) {
  const schema::Statements statements = schema::Statements::read(folder);
  std::string text;
  for (const schema::Statement& statement : statements.all()) {
    text += statement.name + '\0' + statement.common + '\0';
    for (const auto& [dialect, own] : statement.by_dialect) text += dialect + '\0' + own + '\0';
  }
  return seed::text_digest(text);
}

const std::string& queries_of(const Options& options, const std::string& target) {
  const auto found = options.queries_of_target.find(target);
  return found == options.queries_of_target.end() ? options.fixture.queries_folder : found->second;
}

// Everything that a run holds, in the order in which it depends on each other.
struct Session {
  std::vector<std::unique_ptr<OpenTarget>> targets;
  std::map<std::string, std::unique_ptr<Oracle>> oracles;  // by profile
  std::vector<std::unique_ptr<CaseRun>> runs;  // case by case, so that targets alternate
};

std::unique_ptr<Oracle> make_oracle(const Options& options, const load::StoreMark& mark,
                                    const ParameterLists& parameters) {
  const seed::Profile& profile = seed::profile(mark.profile);
  Oracle::Options oracle;
  oracle.cases = &cases();
  oracle.parameters = parameters;
  oracle.open = [profile, clock = mark.clock, folder = options.fixture.schema_folder] {
    // One that takes a moment is told about.
    constexpr std::int64_t kManyOrders = 20'000;
    if (profile.orders >= kManyOrders) {
      std::cerr << "computing the answers that profile " << profile.name
                << " must give, which takes some seconds" << std::endl;
    }
    const schema::Schema schema = schema::read_schema(folder);
    return memory::open_memory_store(seed::Generator(schema, profile), clock);
  };
  const std::string folder = oracle_folder();
  const std::string program = program_digest();
  if (!folder.empty() && !program.empty()) {
    oracle.file = folder + '/' + profile.name + ".json";
    oracle.key = program + ' ' + mark.data_digest + ' ' + file_digest(options.parameters_file);
  }
  return std::make_unique<Oracle>(std::move(oracle));
}

// Answers can be compared only on the very rows that this build's generator makes.
void check_data(const OpenTarget& target) {
  const seed::Profile& profile = seed::profile(target.mark().profile);
  if (target.mark().data_digest == profile.data_digest) return;
  throw FixtureError("target " + target.name() +
                     ": its rows are not those of this build's profile " + profile.name +
                     ", so its answers cannot be compared; shopmark-seed --force makes it anew, "
                     "--oracle=false counts rows only");
}

// Targets of one address that take turns share a connection. A server's process for a connection
// stays where the system put it, with the client or on another processor, and calls of the one took
// 2.0 ms where those of the other took 2.9.
const OpenTarget* of_address(const std::vector<std::unique_ptr<OpenTarget>>& opened,
                             const engine::Target& target) {
  if (target.engine == engine::kMemory) return nullptr;
  for (const std::unique_ptr<OpenTarget>& other : opened) {
    if (other != nullptr && other->engine() == target.engine &&
        other->address() == target.address) {
      return other.get();
    }
  }
  return nullptr;
}

// A store in memory comes last: without a profile of its own it holds what the others do.
std::vector<std::unique_ptr<OpenTarget>> open_targets(const Options& options) {
  std::vector<std::unique_ptr<OpenTarget>> opened(options.targets.size());
  std::string profile;
  if (options.fixture.seed_when_empty) profile = options.fixture.seed_when_empty->name;
  for (const bool in_memory : {false, true}) {
    for (std::size_t i = 0; i < opened.size(); ++i) {
      engine::Target target = options.targets[i];
      if ((target.engine == engine::kMemory) != in_memory) continue;
      if (in_memory && target.address.empty()) target.address = profile;
      FixtureOptions fixture = options.fixture;
      fixture.queries_folder = queries_of(options, target.name);
      const OpenTarget* other = options.interleave > 0 ? of_address(opened, target) : nullptr;
      opened[i] = other == nullptr ? std::make_unique<OpenTarget>(target, fixture)
                                   : std::make_unique<OpenTarget>(target, fixture, *other);
      if (profile.empty()) profile = opened[i]->mark().profile;
    }
  }
  return opened;
}

Session open_session(const Options& options) {
  Session session;
  std::vector<ParameterLists> lists;
  session.targets = open_targets(options);
  for (const std::unique_ptr<OpenTarget>& target : session.targets) {
    OpenTarget& open = *target;
    const std::string& profile = open.mark().profile;
    lists.push_back(read_parameters(options.parameters_file, profile, cases()));
    if (!options.oracle) continue;
    check_data(open);
    std::unique_ptr<Oracle>& oracle = session.oracles[profile];
    if (oracle == nullptr) oracle = make_oracle(options, open.mark(), lists.back());
    open.set_oracle(oracle.get());
  }
  for (const Case& timed : cases()) {
    for (std::size_t i = 0; i < session.targets.size(); ++i) {
      session.runs.push_back(std::make_unique<CaseRun>(timed, *session.targets[i],
                                                       lists[i].at(timed.name), options.warmup));
      if (!options.verify) session.runs.back()->skip_answers();
    }
  }
  return session;
}

// The answers are known, and the store that gave them is gone, before anything is measured.
void prepare_oracles(Session& session) {
  for (const auto& [profile, oracle] : session.oracles) {
    oracle->prepare();
    oracle->forget();
  }
}

// `runs` stand case by case.
void interleave(const std::vector<CaseRun*>& runs, std::size_t block) {
  std::map<std::string, std::vector<CaseRun*>> by_case;
  for (CaseRun* run : runs) by_case[run->timed().name].push_back(run);
  for (CaseRun* run : runs) run->take_turns(by_case.at(run->timed().name), block);
}

// --benchmark_min_time decides how many calls are timed, unless --samples does.
bool by_time(const Options& options, const GoogleFlags& flags) {
  return flags.min_time_given && !options.samples_given;
}

std::string order_of(const Options& options, const GoogleFlags& flags) {
  if (options.interleave > 0) {
    return "interleaved in blocks of " + std::to_string(options.interleave);
  }
  return flags.random_order ? "repetitions at random" : "target by target";
}

Reporting describe(const Options& options, const GoogleFlags& flags, const Session& session) {
  Reporting reporting;
  reporting.plans = options.plans;
  const BuildInfo build = build_info();
  Json& ours = reporting.ours;
  ours["format"] = 1;
  ours["build_type"] = build.build_type;
  ours["compiler"] = build.compiler;
  ours["commit"] = build.commit;
  ours["dirty"] = build.dirty;
  std::map<std::string, std::string> statements;
  for (const std::unique_ptr<OpenTarget>& open : session.targets) {
    statements[open->name()] = digest_of_statements(queries_of(options, open->name()));
  }
  const std::string& first = statements.begin()->second;
  if (std::all_of(statements.begin(), statements.end(),
                  [&](const auto& one) { return one.second == first; })) {
    ours["queries_digest"] = first;
  }
  ours["warmup"] = options.warmup;
  // Null where the time decides; each entry has its own.
  ours["samples"] = by_time(options, flags) ? Json() : Json(options.samples);
  ours["percentile_method"] = "nearest-rank";
  std::set<std::string_view> tiers;
  ours["order"] = order_of(options, flags);
  ours["results"] = options.oracle ? "equal to the oracle's" : "rows counted";
  for (const std::unique_ptr<OpenTarget>& open : session.targets) {
    const engine::EngineInfo& info = open->info();
    const load::StoreMark& mark = open->mark();
    Json& target = ours["targets"][open->name()];
    target = target_context(mark, info);
    target["queries_digest"] = statements.at(open->name());
    const std::string_view durability = engine::to_string(engine::durability(info));
    tiers.insert(durability);
    reporting.lines.push_back("target " + open->name() + ": " + info.engine + ' ' + info.version +
                              ", " + engine::transport(info) + ", durability " +
                              std::string(durability) + ", profile " + mark.profile + ", data " +
                              mark.data_digest.substr(0, 12));
  }
  if (tiers.size() > 1) {
    reporting.lines.push_back("the targets differ in durability: their writes do not compare");
  }
  reporting.lines.push_back(std::to_string(options.warmup) + " untimed, then " +
                            (by_time(options, flags) ? "as many as --benchmark_min_time takes"
                                                     : std::to_string(options.samples)) +
                            " timed, each on its own; commit " +
                            std::string(build.commit).substr(0, 12) +
                            (build.dirty ? " with changes" : ""));
  if (options.plans) {
    reporting.lines.emplace_back("then once more, untimed, for each statement's plan and work");
  }
  if (std::string_view(build.build_type) != "Release") {
    reporting.lines.push_back("this is a " + std::string(build.build_type) +
                              " build: its times are not worth keeping");
  }
  return reporting;
}

// Puts stock back that a failing case may have left held.
bool restore_stock(Session& session) {
  bool good = true;
  for (const std::unique_ptr<OpenTarget>& target : session.targets) {
    const std::string problem = target->restore();
    if (problem.empty()) continue;
    good = false;
    complain(target->name() + ": held stock is not given back until the next start: " + problem);
  }
  return good;
}

// Needs no target to be there.
std::vector<ListedCase> listed_cases(const Options& options) {
  std::vector<ListedCase> listed;
  for (const Case& timed : cases()) {
    for (const engine::Target& target : options.targets) {
      listed.push_back({case_name(timed, target.name), timed.baseline_rows.has_value()});
    }
  }
  return listed;
}

}  // namespace

int run(const Options& options, const GoogleFlags& flags) {
  Iterations iterations = {.cases = options.samples, .baselines = options.samples};
  if (by_time(options, flags)) iterations.cases.reset();
  if (flags.list_tests) return list_cases(listed_cases(options), iterations);
  // Found before a long seed, not after it.
  if (!flags.out.empty()) OutputFile(flags.out);
  Session session = open_session(options);
  Reporting reporting = describe(options, flags, session);
  reporting.prepare = [&](const std::vector<CaseRun*>& selected) {
    prepare_oracles(session);
    if (options.interleave > 0) {
      interleave(selected, static_cast<std::size_t>(options.interleave));
    }
  };
  const int status = run_cases(session.runs, reporting, flags, iterations);
  return restore_stock(session) ? status : 1;
}

int check(const Options& options) {
  Session session = open_session(options);
  stop_on_signals();
  prepare_oracles(session);
  bool good = true;
  for (const std::unique_ptr<CaseRun>& run : session.runs) {
    if (stop_requested()) {
      complain("interrupted");
      good = false;
      break;
    }
    std::vector<std::int64_t> rows;
    const std::string error = run->check(rows);
    std::cout << run->name() << ": ";
    if (error.empty()) {
      std::cout << "rows";
      for (const std::int64_t count : rows) std::cout << ' ' << std::to_string(count);
      std::cout << std::endl;
    } else {
      good = false;
      std::cout << "FAILED: " << error << std::endl;
    }
  }
  good = restore_stock(session) && good;
  if (good) {
    std::cout << (options.oracle ? "every answer is the oracle's"
                                 : "rows counted, answers not compared")
              << std::endl;
  }
  if (!std::cout) {
    complain("standard output cannot be written");
    return 1;
  }
  return good ? 0 : 1;
}

}  // namespace shopmark::bench
