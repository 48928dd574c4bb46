// shopmark-load: asks a server what a scenario says, and leaves the evidence.

#include <absl/flags/flag.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_split.h>
#include <absl/time/clock.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "bench/load/bundle.h"
#include "bench/load/plan.h"
#include "bench/load/process_sampler.h"
#include "bench/load/questions.h"
#include "bench/load/scenario.h"
#include "bench/load/server_info.h"
#include "bench/load/stage.h"
#include "bench/load/summary.h"
#include "seed/command_line.h"

ABSL_FLAG(std::string, url, "", "The server: http://HOST:PORT.");
ABSL_FLAG(std::string, output, "", "The folder of evidence to make; it must not exist.");
ABSL_FLAG(std::string, admin_token_file, "",
          "A file with the server's bearer token, for what is behind it; the server's own "
          "description is.");
ABSL_FLAG(std::string, profile, "standard", "The profile of the store behind the server.");
ABSL_FLAG(std::string, target_name, "",
          "What the target is called in the figures; empty: as the server calls it.");
ABSL_FLAG(std::string, watch, "",
          "Processes whose CPU, memory and I/O to sample: server=PID,engine=PID.");
ABSL_FLAG(bool, check, false, "Only read the scenario: status 0, or 2 and what is wrong with it.");
ABSL_FLAG(double, duration_s, 0, "Instead of the scenario's; 0: as it says.");
ABSL_FLAG(double, warmup_s, -1, "Instead of the scenario's; negative: as it says.");
ABSL_FLAG(double, rate_factor, 1, "Multiplies the rates of all open loops.");
ABSL_FLAG(int, repeats, 0, "Instead of the scenario's; 0: as it says.");
ABSL_FLAG(std::int64_t, seed, -1, "Instead of the scenario's; negative: as it says.");
ABSL_FLAG(
    std::string, routes, "",
    "Only these routes of the scenario, and the sessions that hold one; with commas between.");

namespace shopmark::drive {
namespace {

constexpr int kRight = 0;
constexpr int kFailed = 1;
constexpr int kCouldNotStart = 2;

const command_line::Program kProgram = {
    "shopmark-load",
    "Loads a shopmark-server as a scenario says, checks every answer, and leaves a\n"
    "folder of evidence: every request's times, the figures, the machine, SHA-256\n"
    "sums. tools/shopmark load does this together with the server and the checks of\n"
    "the store behind it.\n"
    "\n"
    "The scenario is a JSON file, or one of bench/scenarios by name: storefront, mcp,\n"
    "capacity, slo, and a short form of each, such as storefront_short.\n"
    "\n"
    "Examples:\n"
    "  shopmark-load storefront --url=http://127.0.0.1:8080 \\\n"
    "      --admin_token_file=token --output=build/load/storefront\n"
    "  shopmark-load capacity --routes=product_page --url=http://127.0.0.1:8080 \\\n"
    "      --admin_token_file=token --output=build/load/product_page\n"
    "  shopmark-load mine.json --check\n"
    "\n"
    "Exit status: 0 right; 1 a request, a limit or the rate failed, or it was\n"
    "interrupted; 2 could not start.\n",
    {"url", "output", "admin_token_file", "profile", "target_name", "watch", "check", "duration_s",
     "warmup_s", "rate_factor", "repeats", "seed", "routes"},
    ""};

struct FlagError : std::runtime_error {
  FlagError(std::string its_flag, const std::string& why)
      : std::runtime_error(why), flag(std::move(its_flag)) {}
  std::string flag;
};

std::string read_token() {
  const std::string path = absl::GetFlag(FLAGS_admin_token_file);
  if (path.empty())
    throw FlagError("admin_token_file", "is needed: the server describes itself behind it");
  std::ifstream file(path);
  std::string token;
  if (!file || !std::getline(file, token) || token.empty()) {
    throw FlagError("admin_token_file", path + " cannot be read, or is empty");
  }
  for (const char byte : token) {
    if (byte <= ' ' || byte > '~') {
      throw FlagError("admin_token_file", path + " holds no token: a byte is not visible ASCII");
    }
  }
  return token;
}

Overrides read_overrides() {
  Overrides overrides;
  const double duration = absl::GetFlag(FLAGS_duration_s);
  const double warmup = absl::GetFlag(FLAGS_warmup_s);
  const double factor = absl::GetFlag(FLAGS_rate_factor);
  if (!(duration >= 0)) throw FlagError("duration_s", "must not be negative");
  if (std::isnan(warmup)) throw FlagError("warmup_s", "is not a number");
  if (!(factor > 0)) throw FlagError("rate_factor", "must be above 0");
  if (absl::GetFlag(FLAGS_repeats) < 0) throw FlagError("repeats", "must not be negative");
  if (duration > 0) overrides.duration_s = duration;
  if (warmup >= 0) overrides.warmup_s = warmup;
  if (factor != 1) overrides.rate_factor = factor;
  if (absl::GetFlag(FLAGS_repeats) > 0) overrides.repeats = absl::GetFlag(FLAGS_repeats);
  if (absl::GetFlag(FLAGS_seed) >= 0) {
    overrides.seed = static_cast<std::uint64_t>(absl::GetFlag(FLAGS_seed));
  }
  const std::string routes = absl::GetFlag(FLAGS_routes);
  if (routes.empty()) return overrides;
  const std::vector<std::string> names = absl::StrSplit(routes, ',');
  for (const std::string& name : names) {
    if (!route_named(name)) throw FlagError("routes", "names no route: " + name);
    overrides.routes.push_back(name);
  }
  return overrides;
}

template <typename Function>
auto for_flag(const char* flag, Function&& function) {
  try {
    return function();
  } catch (const std::invalid_argument& error) {
    throw FlagError(flag, error.what());
  }
}

// On a terminal one line that is written over; else a line every five seconds.
class ProgressLine {
 public:
  explicit ProgressLine(Bundle& bundle) : bundle_(bundle) {}

  void begin(const std::string& what) {
    what_ = what;
    last_ = {};
    answered_ = 0;
    at_s_ = 0;
  }

  void operator()(const StageProgress& progress) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < (terminal_ ? std::chrono::milliseconds(500) : std::chrono::seconds(5))) {
      return;
    }
    last_ = now;
    const double seconds = progress.elapsed_s - at_s_;
    const double rate =
        seconds > 0 ? static_cast<double>(progress.answered - answered_) / seconds : 0;
    answered_ = progress.answered;
    at_s_ = progress.elapsed_s;
    const std::string line = absl::StrFormat(
        "%s: %.0f requests/s, %d answered, %d failed, %.0f s left", what_, rate, progress.answered,
        progress.failed, std::max(0.0, progress.planned_s - progress.elapsed_s));
    std::fprintf(stderr, terminal_ ? "\r%s: %s\033[K" : "%s: %s\n", kProgram.name.c_str(),
                 line.c_str());
    std::fflush(stderr);
    written_ = true;
    bundle_.log(line);
  }

  void end() {
    if (terminal_ && written_) std::fputc('\n', stderr);
    written_ = false;
  }

 private:
  Bundle& bundle_;
  bool terminal_ = isatty(STDERR_FILENO) == 1;
  bool written_ = false;
  std::string what_;
  std::chrono::steady_clock::time_point last_;
  std::int64_t answered_ = 0;
  double at_s_ = 0;
};

std::string describe(const Scenario& whole, const Scenario& stage) {
  const Arrival& arrival = stage.scripts.front().arrival;
  if (whole.ladder) {
    return absl::StrCat(std::string(info(stage.scripts.front().entries.front().steps.front()).name),
                        ", ", arrival.clients, " clients");
  }
  if (whole.slo) return absl::StrFormat("%g/s", arrival.rate);
  return whole.name;
}

// A run id that no other run has: its idempotency keys are made of it.
std::string new_run_id() {
  return absl::StrFormat("%x-%x", absl::ToUnixMicros(absl::Now()), getpid());
}

int run(const std::string& scenario_name, int argc, char** argv) {
  const Scenario scenario = read_scenario(scenario_name, read_overrides());
  if (absl::GetFlag(FLAGS_check)) {
    std::cout << scenario.name << ": " << scenario.title << std::endl;
    return kRight;
  }
  const std::string token = read_token();
  const std::string url_text = absl::GetFlag(FLAGS_url);
  const ParsedUrl url = for_flag("url", [&] { return parse_url(url_text); });
  const seed::Profile profile =
      for_flag("profile", [] { return seed::profile(absl::GetFlag(FLAGS_profile)); });
  std::vector<WatchedProcess> watched =
      for_flag("watch", [] { return parse_watch(absl::GetFlag(FLAGS_watch)); });
  if (absl::GetFlag(FLAGS_output).empty()) throw FlagError("output", "is needed");

  RunFacts facts;
  facts.url = url_text;
  facts.server = read_server_info(url, token);
  const std::string its_profile = facts.server["target"]["profile"];
  if (its_profile != profile.name) {
    throw FlagError("profile",
                    absl::StrCat("is ", profile.name, ", the server's store is ", its_profile));
  }
  facts.target_name = absl::GetFlag(FLAGS_target_name);
  if (facts.target_name.empty()) {
    facts.target_name = facts.server["target"].value("name", std::string("target"));
  }

  std::cerr << kProgram.name << ": drawing parameters from profile " << profile.name << std::endl;
  const Questions questions(profile, url.host, token, new_run_id());
  Bundle bundle(absl::GetFlag(FLAGS_output));
  std::vector<std::string> command_line(argv, argv + argc);
  bundle.write("environment.json", environment_text(command_line, scenario));
  bundle.log(absl::StrCat("scenario ", scenario.name, ": ", scenario.title));

  std::signal(SIGINT, [](int) { stop_stages(); });
  std::signal(SIGTERM, [](int) { stop_stages(); });
  ProcessSampler sampler(std::move(watched));
  ProgressLine progress(bundle);
  const StageRunner runner = [&](const Scenario& stage, std::uint64_t seed, std::uint64_t visit) {
    progress.begin(describe(scenario, stage));
    return run_stage(stage, seed, visit, questions, url.endpoint,
                     [&](const StageProgress& at) { progress(at); });
  };
  const std::vector<StageFigures> stages =
      run_plan(scenario, runner,
               [&](const Scenario& stage, const StageResult& result, const StageFigures& figures) {
                 progress.end();
                 facts.complete = facts.complete && !result.stopped;
                 bundle.add_stage(stage, result, figures.run, figures.stage);
                 for (const Complaint& one : result.complaints) {
                   const std::string line =
                       absl::StrCat(std::string(info(one.route).name), ": ",
                                    std::string(name_of(one.outcome)), ": ", one.reason);
                   bundle.log(line);
                   std::cerr << kProgram.name << ": " << line << std::endl;
                 }
               });
  const std::string table = closing_table(scenario, stages);
  bundle.write("processes.csv", sampler.stop());
  bundle.write("summary.json", summary_text(scenario, stages, facts));
  std::vector<std::string> wrong = failures(scenario, stages);
  if (!facts.complete) wrong.emplace_back("interrupted: the figures are of what was done");
  for (const std::string& line : wrong) bundle.log(line);
  bundle.finish();

  std::cout << table << "evidence: " << bundle.folder() << std::endl;
  for (const std::string& line : wrong) std::cerr << kProgram.name << ": " << line << std::endl;
  if (!std::cout) {
    std::cerr << kProgram.name << ": standard output cannot be written" << std::endl;
    return kFailed;
  }
  return wrong.empty() ? kRight : kFailed;
}

int run_program(int argc, char** argv) {
  // The scenario is the one argument without a dash.
  std::vector<char*> flags;
  std::vector<std::string> names;
  for (int i = 0; i < argc; ++i) {
    if (i > 0 && argv[i][0] != '-') {
      names.emplace_back(argv[i]);
    } else {
      flags.push_back(argv[i]);
    }
  }
  const command_line::Parsed parsed =
      command_line::parse(static_cast<int>(flags.size()), flags.data(), kProgram);
  if (parsed.exit_status) return *parsed.exit_status;
  const auto cannot_start = [](const std::string& why) {
    std::cerr << kProgram.name << ": " << why << std::endl;
    return kCouldNotStart;
  };
  if (names.size() != 1) return cannot_start("needs one scenario; see shopmark-load --help");
  try {
    return run(names.front(), argc, argv);
  } catch (const FlagError& error) {
    return command_line::flag_error(kProgram, error.flag, error.what());
  } catch (const ScenarioError& error) {
    return cannot_start(error.what());
  } catch (const ServerError& error) {
    return cannot_start(error.what());
  } catch (const BundleError& error) {
    return cannot_start(absl::StrCat("--output: ", error.what()));
  } catch (const std::exception& error) {
    std::cerr << kProgram.name << ": " << error.what() << std::endl;
    return kFailed;
  }
}

}  // namespace
}  // namespace shopmark::drive

int main(int argc, char** argv) { return shopmark::drive::run_program(argc, argv); }
