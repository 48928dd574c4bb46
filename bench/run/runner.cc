#include "bench/run/runner.h"

#include <absl/strings/str_format.h>
#include <xxhash.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>

#include "bench/cases/cases.h"
#include "bench/cases/parameters.h"
#include "bench/run/build_info.h"
#include "bench/run/case_run.h"
#include "bench/run/document.h"
#include "bench/run/output_file.h"
#include "bench/run/run_cases.h"
#include "schema/schema.h"

namespace shopmark::bench {

namespace {

struct OpenTargets {
  std::vector<Fixture> fixtures;
  std::vector<std::unique_ptr<CaseRun>> runs;  // case by case, so that targets alternate
};

OpenTargets open_targets(const Options& options) {
  OpenTargets open;
  std::vector<ParameterLists> lists;
  for (const engine::Target& target : options.targets) {
    open.fixtures.push_back(Fixture::open(target, options.fixture));
    lists.push_back(
        read_parameters(options.parameters_file, open.fixtures.back().mark().profile, cases()));
  }
  for (const Case& timed : cases()) {
    for (std::size_t i = 0; i < open.fixtures.size(); ++i) {
      Fixture& fixture = open.fixtures[i];
      open.runs.push_back(std::make_unique<CaseRun>(timed, fixture.target().name,
                                                    fixture.target().engine, fixture.store(),
                                                    lists[i].at(timed.name), options.warmup));
    }
  }
  return open;
}

// Tells which statements ran: they are read at start-up, so no commit says it.
std::string digest_of_statements(const std::string& folder) {
  const schema::Statements statements = schema::Statements::read(folder);
  std::string text;
  for (const schema::Statement& statement : statements.all()) {
    text += statement.name + '\0' + statement.common + '\0';
    for (const auto& [dialect, own] : statement.by_dialect) text += dialect + '\0' + own + '\0';
  }
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return absl::StrFormat("%016x%016x", hash.high64, hash.low64);
}

// --benchmark_min_time decides how many calls are timed, unless --samples does.
bool by_time(const Options& options, const GoogleFlags& flags) {
  return flags.min_time_given && !options.samples_given;
}

Reporting describe(const Options& options, const GoogleFlags& flags, OpenTargets& open) {
  Reporting reporting;
  const BuildInfo build = build_info();
  Json& ours = reporting.ours;
  ours["format"] = 1;
  ours["build_type"] = build.build_type;
  ours["compiler"] = build.compiler;
  ours["commit"] = build.commit;
  ours["dirty"] = build.dirty;
  ours["queries_digest"] = digest_of_statements(options.fixture.queries_folder);
  ours["warmup"] = options.warmup;
  // Null where the time decides; each entry has its own.
  ours["samples"] = by_time(options, flags) ? Json() : Json(options.samples);
  ours["percentile_method"] = "nearest-rank";
  for (Fixture& fixture : open.fixtures) {
    const engine::EngineInfo info = fixture.connection().info();
    const load::StoreMark& mark = fixture.mark();
    Json& target = ours["targets"][fixture.target().name];
    target["engine"] = info.engine;
    target["version"] = info.version;
    target["profile"] = mark.profile;
    target["seed"] = mark.seed;
    target["clock"] = mark.clock;
    target["data_digest"] = mark.data_digest;
    target["settings"] = info.settings;
    reporting.lines.push_back("target " + fixture.target().name + ": " + info.engine + ' ' +
                              info.version + ", profile " + mark.profile + ", data " +
                              mark.data_digest.substr(0, 12));
  }
  reporting.lines.push_back(std::to_string(options.warmup) + " untimed calls, then " +
                            (by_time(options, flags) ? "as many as --benchmark_min_time takes"
                                                     : std::to_string(options.samples)) +
                            " timed ones, each on its own; commit " +
                            std::string(build.commit).substr(0, 12) +
                            (build.dirty ? " with changes" : ""));
  if (std::string_view(build.build_type) != "Release") {
    reporting.lines.push_back("this is a " + std::string(build.build_type) +
                              " build: its times are not worth keeping");
  }
  return reporting;
}

// Puts stock back that a failing case may have left held.
bool restore_stock(OpenTargets& open) {
  for (const std::unique_ptr<CaseRun>& run : open.runs) {
    if (!run->timed().writes || run->first_error().empty()) continue;
    for (Fixture& fixture : open.fixtures) {
      if (fixture.target().name != run->target()) continue;
      try {
        fixture.store().stock().give_back_all();
      } catch (const std::exception& error) {
        complain(run->target() +
                 ": held stock is not given back until the next start: " + error.what());
        return false;
      }
    }
  }
  return true;
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
  OpenTargets open = open_targets(options);
  const Reporting reporting = describe(options, flags, open);
  const int status = run_cases(open.runs, reporting, flags, iterations);
  return restore_stock(open) ? status : 1;
}

int check(const Options& options) {
  OpenTargets open = open_targets(options);
  bool good = true;
  for (const std::unique_ptr<CaseRun>& run : open.runs) {
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
  good = restore_stock(open) && good;
  if (!std::cout) {
    complain("standard output cannot be written");
    return 1;
  }
  return good ? 0 : 1;
}

}  // namespace shopmark::bench
