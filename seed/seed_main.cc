// shopmark-seed: makes a store in a database, checks one, or tells what one would hold.

#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "absl/flags/flag.h"
#include "fixtures/engine/engine.h"
#include "fixtures/load/load.h"
#include "fixtures/store/visits.h"
#include "schema/schema.h"
#include "seed/command_line.h"
#include "seed/digest.h"
#include "seed/generator.h"

ABSL_FLAG(std::string, target, "",
          "The database: [NAME=]sqlite:PATH, postgres://... or mariadb://...");
ABSL_FLAG(std::string, profile, "standard", "How large a store: smoke, standard or million.");
ABSL_FLAG(
    bool, digest, false,
    "Print the rows and the digest of every table from the generator alone; needs no target.");
ABSL_FLAG(bool, verify, false,
          "Read the target's store back and compare every table with the generator's.");
ABSL_FLAG(
    bool, force, false,
    "Drop a store of shopmark that the target holds and make it anew; never tables of others.");
ABSL_FLAG(bool, visits, false,
          "Print what shoppers wrote into the target's store as one JSON object, and check it "
          "against what the seeder wrote.");
ABSL_FLAG(bool, undo_visits, false,
          "Delete what shoppers wrote into the target's store and give its stock back.");
ABSL_FLAG(
    std::string, schema, "",
    "The folder of tables.sql, indexes.sql and queries; empty: the one that this was built from.");

namespace shopmark {
namespace {

constexpr int kRight = 0;
constexpr int kFailed = 1;
constexpr int kCouldNotStart = 2;

const command_line::Program& program() {
  static const command_line::Program it = {
      "shopmark-seed",
      "Makes the deterministic store that Shopmark measures, the same on every machine.\n"
      "\n"
      "Examples:\n"
      "  shopmark-seed --target=sqlite:build/store/standard.sqlite\n"
      "  shopmark-seed --target=sqlite:smoke.sqlite --profile=smoke --force\n"
      "  shopmark-seed --target=\"$(tools/shopmark engines dsn postgres)\"\n"
      "  shopmark-seed --target=sqlite:build/store/standard.sqlite --verify\n"
      "  shopmark-seed --target=sqlite:build/store/standard.sqlite --visits\n"
      "  shopmark-seed --target=sqlite:build/store/standard.sqlite --undo_visits\n"
      "  shopmark-seed --profile=standard --digest\n"
      "\n"
      "A store that is there already is left as it is. One whose seeding was\n"
      "interrupted is made anew.\n"
      "\n"
      "Exit status: 0 right, 1 failed or different, 2 could not start.\n",
      {"target", "profile", "digest", "verify", "force", "visits", "undo_visits", "schema"},
      ""};
  return it;
}

// A line on stderr; returns the status.
int say(int status, const std::string& message) {
  std::fprintf(stderr, "%s: %s\n", program().name.c_str(), message.c_str());
  return status;
}

// The same of an engine's error; of one that somebody else's work is to blame for, nothing was
// begun.
int say_error(int status, const engine::Target& target, const engine::Error& error) {
  const std::string message = "target " + target.name + ": " + error.what();
  if (error.kind() != engine::ErrorKind::kTimeout) return say(status, message);
  return say(kCouldNotStart, message + "; another process uses it, most likely a seeder");
}

// On a terminal one line that is written over; else a line for every step and tenth of the rows.
class ProgressPrinter {
 public:
  void operator()(const load::Progress& progress) {
    const bool new_step = progress.step != step_;
    const std::int64_t tenth = progress.total > 0 ? progress.done * 10 / progress.total : 0;
    // Of many short steps, such as indexes, a line for every tenth will do as well.
    if (!terminal_ && tenth == tenth_ && (!new_step || progress.total > 1)) return;
    step_ = progress.step;
    tenth_ = tenth;

    char line[200];
    if (progress.step == "rows") {
      const auto done = static_cast<double>(progress.done);
      const auto total = static_cast<double>(progress.total);
      const double rate = progress.seconds > 0 ? done / progress.seconds : 0;
      const double left = rate > 0 && total > done ? (total - done) / rate : 0;
      std::snprintf(line, sizeof(line), "%" PRId64 " rows, %.0f %%, %.0f rows/s, %.0f s left",
                    progress.done, total > 0 ? 100 * done / total : 0, rate, left);
    } else {
      std::snprintf(line, sizeof(line), "%.120s, %" PRId64 " of %" PRId64 ", %.1f s",
                    progress.step.c_str(), progress.done, progress.total, progress.seconds);
    }
    // ESC [ K clears what a longer line left behind.
    std::fprintf(stderr, terminal_ ? "\r%s: %s\033[K" : "%s: %s\n", program().name.c_str(), line);
    std::fflush(stderr);
    written_ = true;
  }

  // Leaves the cursor on a line of its own.
  void end() {
    if (terminal_ && written_) std::fputc('\n', stderr);
    written_ = false;
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool written_ = false;
  std::string step_;
  std::int64_t tenth_ = -1;
};

seed::Digests generated_digests(const seed::Generator& generator) {
  seed::DigestSink sink;
  generator.generate_all(sink);
  return sink.digests();
}

std::int64_t total_rows(const seed::Digests& digests) {
  std::int64_t rows = 0;
  for (const auto& [table, digest] : digests) rows += digest.rows;
  return rows;
}

int print_digests(const seed::Generator& generator) {
  const seed::Digests digests = generated_digests(generator);
  for (const auto& [table, digest] : digests) {
    std::printf("%-24s %10" PRId64 "  %s\n", table.c_str(), digest.rows, digest.hex().c_str());
  }
  std::printf("%-24s %10" PRId64 "  %s\n", "all", total_rows(digests),
              seed::data_digest(digests).c_str());
  return std::fflush(stdout) == 0 ? kRight : say(kFailed, "standard output cannot be written");
}

std::string describe(const load::StoreMark& mark) {
  return "profile " + mark.profile + ", seed " + std::to_string(mark.seed) + ", clock " +
         std::to_string(mark.clock);
}

int verify(engine::Connection& connection, const engine::Target& target,
           const schema::Schema& schema, const seed::Profile& profile) {
  const load::StoreMark mark = load::read_mark(connection);
  const std::string name = "target " + target.name;
  if (mark.state != load::StoreState::kComplete) {
    return say(kCouldNotStart, name + ": holds no complete store of shopmark");
  }
  if (mark.profile != profile.name || mark.seed != seed::kDefaultSeed ||
      mark.clock != seed::kClock) {
    return say(kCouldNotStart,
               name + ": holds " + describe(mark) + "; --profile says " + profile.name);
  }
  if (mark.schema_digest != load::schema_digest(connection, schema)) {
    return say(kCouldNotStart, name + ": was made with another schema; --force makes it anew");
  }
  const seed::Digests expected = generated_digests(seed::Generator(schema, profile));
  const seed::Digests found = load::read_digests(connection, schema);
  int status = kRight;
  for (const schema::Table& table : schema.tables) {
    const auto digest_in = [&](const seed::Digests& digests) {
      const auto entry = digests.find(table.name);
      return entry == digests.end() ? seed::TableDigest() : entry->second;
    };
    const seed::TableDigest wanted = digest_in(expected);
    const seed::TableDigest is = digest_in(found);
    if (wanted == is) continue;
    status = say(kFailed, name + ": table " + table.name + " differs: " + std::to_string(is.rows) +
                              " rows, " + is.hex() + ", expected " + std::to_string(wanted.rows) +
                              " rows, " + wanted.hex());
  }
  if (status == kRight) {
    std::printf("%s: verified %s: %" PRId64 " rows, data digest %s\n", name.c_str(),
                profile.name.c_str(), total_rows(found), seed::data_digest(found).c_str());
  }
  return status;
}

// The store of the target, whatever its profile, is one that this program made and knows.
std::optional<int> check_before_visits(engine::Connection& connection, const engine::Target& target,
                                       const schema::Schema& schema, const load::StoreMark& mark) {
  const std::string name = "target " + target.name;
  if (mark.state != load::StoreState::kComplete) {
    return say(kCouldNotStart, name + ": holds no complete store of shopmark");
  }
  if (mark.seed != seed::kDefaultSeed || mark.clock != seed::kClock) {
    return say(kCouldNotStart, name + ": holds " + describe(mark) + ", which is not known");
  }
  if (mark.schema_digest != load::schema_digest(connection, schema)) {
    return say(kCouldNotStart, name + ": was made with another schema; --force makes it anew");
  }
  return {};
}

int visits(engine::Connection& connection, const engine::Target& target,
           const schema::Schema& schema, const schema::Statements& statements, bool undo) {
  const load::StoreMark mark = load::read_mark(connection);
  if (const auto status = check_before_visits(connection, target, schema, mark)) return *status;
  store::VisitBook book(store::SqlStatements(connection, statements));
  if (undo) {
    const store::UndoneVisits undone = book.undo();
    std::printf("target %s: undid %" PRId64 " orders of %" PRId64 " pieces and %" PRId64
                " carts of shoppers\n",
                target.name.c_str(), undone.orders, undone.pieces, undone.carts);
    return kRight;
  }
  const seed::Generator generator(schema, seed::profile(mark.profile));
  const store::Visits found = book.check(store::seeded_stock(generator));
  nlohmann::ordered_json json;
  json["orders"] = found.numbers.size();
  json["pieces"] = found.pieces;
  json["total_cents"] = found.total_cents;
  json["carts"] = found.carts;
  json["numbers"] = found.numbers;
  json["problems"] = found.problems;
  std::printf("%s\n", json.dump().c_str());
  if (std::fflush(stdout) != 0) return say(kFailed, "standard output cannot be written");
  return found.problems.empty() ? kRight : kFailed;
}

// Whether there is something to do; a status when there is not.
std::optional<int> check_before_seeding(engine::Connection& connection,
                                        const engine::Target& target, const schema::Schema& schema,
                                        const seed::Profile& profile) {
  const load::StoreMark mark = load::read_mark(connection);
  const bool force = absl::GetFlag(FLAGS_force);
  const std::string name = "target " + target.name;
  switch (mark.state) {
    case load::StoreState::kEmpty:
    case load::StoreState::kHalf:  // or another seeder is at work, which seeding finds out
      return {};
    case load::StoreState::kForeign:
      return say(kCouldNotStart,
                 name + ": holds tables that are not a store of shopmark; it is left alone");
    case load::StoreState::kComplete:
      break;
  }
  if (force) {
    say(kRight, name + ": dropping " + describe(mark));
    load::drop_store(connection, schema);
    return {};
  }
  std::string difference;
  if (mark.profile != profile.name || mark.seed != seed::kDefaultSeed ||
      mark.clock != seed::kClock) {
    difference = "holds " + describe(mark) + ", not profile " + profile.name;
  } else if (mark.schema_digest != load::schema_digest(connection, schema)) {
    difference = "was made with another schema";
  } else if (mark.data_digest != profile.data_digest) {
    difference = "was made by another version of the generator";
  } else {
    std::printf("%s: is seeded already: %s, data digest %s\n", name.c_str(), describe(mark).c_str(),
                mark.data_digest.c_str());
    return kRight;
  }
  return say(kCouldNotStart, name + ": " + difference + "; --force makes it anew");
}

int seed_target(engine::Connection& connection, const engine::Target& target,
                const schema::Schema& schema, const seed::Profile& profile) {
  if (const auto status = check_before_seeding(connection, target, schema, profile)) {
    return *status;
  }
  ProgressPrinter progress;
  double seconds = 0;
  seed::Digests digests;
  try {
    digests = load::seed_store(connection, schema, seed::Generator(schema, profile),
                               [&](const load::Progress& now) {
                                 seconds = now.seconds;
                                 progress(now);
                               });
  } catch (const engine::Error& error) {
    progress.end();
    return say_error(kFailed, target, error);
  }
  progress.end();
  std::printf("target %s: seeded %s: %" PRId64 " rows in %.1f s, data digest %s\n",
              target.name.c_str(), profile.name.c_str(), total_rows(digests), seconds,
              seed::data_digest(digests).c_str());
  return kRight;
}

// A flag's value turned into something; the flag is named when it cannot be.
template <typename Function>
std::optional<int> with_flag(const char* flag, Function&& function) {
  try {
    function();
    return {};
  } catch (const std::exception& error) {
    return command_line::flag_error(program(), flag, error.what());
  }
}

int run(int argc, char** argv) {
  const command_line::Parsed parsed = command_line::parse(argc, argv, program());
  if (parsed.exit_status) return *parsed.exit_status;
  const bool digest = absl::GetFlag(FLAGS_digest);
  const bool verifies = absl::GetFlag(FLAGS_verify);
  const bool undoes = absl::GetFlag(FLAGS_undo_visits);
  const bool of_visits = absl::GetFlag(FLAGS_visits) || undoes;
  if (digest + verifies + absl::GetFlag(FLAGS_visits) + undoes + absl::GetFlag(FLAGS_force) > 1) {
    return say(kCouldNotStart,
               "--digest, --verify, --visits, --undo_visits and --force exclude each other");
  }

  seed::Profile profile;
  engine::Target target;
  schema::Schema schema;
  schema::Statements statements;
  std::optional<int> wrong =
      with_flag("profile", [&] { profile = seed::profile(absl::GetFlag(FLAGS_profile)); });
  std::string folder = absl::GetFlag(FLAGS_schema);
  if (folder.empty()) folder = schema::default_folder();
  if (!wrong) {
    wrong = with_flag("schema", [&] {
      schema = schema::read_schema(folder);
      if (of_visits) statements = schema::Statements::read(folder + "/queries");
    });
  }
  if (wrong) return *wrong;
  if (digest) return print_digests(seed::Generator(schema, profile));

  if (absl::GetFlag(FLAGS_target).empty()) {
    return command_line::flag_error(program(), "target",
                                    "is needed: sqlite:PATH, postgres://... or mariadb://...");
  }
  wrong = with_flag("target", [&] { target = engine::Target::parse(absl::GetFlag(FLAGS_target)); });
  if (wrong) return *wrong;
  std::unique_ptr<engine::Connection> connection;
  try {
    const bool seeds = !verifies && !of_visits;
    connection =
        engine::open(target, seeds ? engine::OpenMode::kCreate : engine::OpenMode::kExisting);
    if (of_visits) return visits(*connection, target, schema, statements, undoes);
    return verifies ? verify(*connection, target, schema, profile)
                    : seed_target(*connection, target, schema, profile);
  } catch (const engine::Error& error) {
    return say_error(kCouldNotStart, target, error);
  }
}

}  // namespace
}  // namespace shopmark

int main(int argc, char** argv) {
  try {
    return shopmark::run(argc, argv);
  } catch (const std::exception& error) {
    return shopmark::say(shopmark::kFailed, error.what());
  }
}
