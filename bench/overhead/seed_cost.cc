// shopmark-seed-cost: what seeding costs over what the engine itself needs. The seeder, and for
// SQLite a bare C loop that inserts the same rows, generated beforehand, into the same tables with
// the same indexes and statistics; for a server, its own bulk command (server_seed_cost.h). Each in
// a process of its own, so that each one's memory is its own.

#include <absl/flags/flag.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/overhead/bare_sqlite.h"
#include "bench/overhead/child.h"
#include "bench/overhead/server_seed_cost.h"
#include "fixtures/engine/engine.h"
#include "fixtures/load/load.h"
#include "schema/schema.h"
#include "seed/command_line.h"
#include "seed/generator.h"
#include "seed/rows.h"

ABSL_FLAG(std::string, target, "",
          "A server, as postgres://... or mariadb://...; without it, SQLite is measured.");
ABSL_FLAG(std::string, profile, "standard", "smoke, standard or million");
ABSL_FLAG(int, rounds, 2, "how often each is run, in turn; the fastest counts");

namespace shopmark::bench {
namespace {

const command_line::Program kProgram = {
    .name = "shopmark-seed-cost",
    .help =
        R"help(Compares seeding a SQLite store with a bare C loop that inserts the same,
already generated rows. Exit status 1 when over a bar: 1.5 times the loop's
time, 200 MiB, 2 million generated rows/s. The loop keeps every row in memory:
about 1.5 GiB for standard.

With a server for a target, compares seeding it with its own bulk command,
PostgreSQL's COPY FROM or MariaDB's LOAD DATA INFILE, reading the same rows from
a file a table, which the server itself opens: it must run on this machine, and
the user be allowed to. Both work in databases of their own on that server, made
and dropped, and both in the same order: tables without their keys, rows, keys,
indexes, references and statistics, with the same settings. In turn, the fastest
of --rounds each. Exit status 1 when over a bar: 1.3 times the command's time,
200 MiB.

  shopmark-seed-cost --profile=standard
  shopmark-seed-cost --target="$(tools/shopmark engines dsn postgres)"
)help",
    .flags = {"target", "profile", "rounds"},
    .passthrough_prefix = ""};

constexpr double kTimeBar = 1.5;
constexpr double kMemoryBarMib = 200;
constexpr double kRowsPerSecondBar = 2e6;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class CountingSink : public seed::RowSink {
 public:
  void write(const seed::Batch& batch) override { rows += static_cast<std::int64_t>(batch.rows()); }
  std::int64_t rows = 0;
};

// Keeps a copy of every row, table by table in the order in which they came.
class KeepingSink : public seed::RowSink {
 public:
  void write(const seed::Batch& batch) override {
    seed::Batch& copy = *batches.emplace_back(std::make_unique<seed::Batch>(batch.table()));
    for (std::size_t i = 0; i < batch.rows(); ++i) {
      copy.add(batch.row(i), batch.table().columns.size());
    }
    rows += static_cast<std::int64_t>(batch.rows());
  }
  std::vector<std::unique_ptr<seed::Batch>> batches;
  std::int64_t rows = 0;
};

Outcome generate(const seed::Generator& generator) {
  CountingSink sink;
  const Clock::time_point start = Clock::now();
  generator.generate_all(sink);
  return {seconds_since(start), sink.rows, 0};
}

Outcome seed_store(const schema::Schema& schema, const seed::Generator& generator,
                   const std::string& path) {
  const Clock::time_point start = Clock::now();
  const auto connection = engine::open({"seeded", "sqlite", path}, engine::OpenMode::kCreate);
  const seed::Digests digests = load::seed_store(*connection, schema, generator, nullptr);
  Outcome outcome = {seconds_since(start), 0, 0};
  for (const auto& [table, digest] : digests) outcome.rows += digest.rows;
  return outcome;
}

void insert(sqlite3* db, sqlite3_stmt* statement, const seed::Batch& batch) {
  const auto columns = static_cast<int>(batch.table().columns.size());
  for (std::size_t i = 0; i < batch.rows(); ++i) {
    const seed::Cell* row = batch.row(i);
    for (int column = 0; column < columns; ++column) {
      const seed::Cell& cell = row[column];
      if (cell.is_null()) {
        sqlite3_bind_null(statement, column + 1);
      } else if (cell.kind() == seed::Cell::Kind::kInteger) {
        sqlite3_bind_int64(statement, column + 1, cell.integer());
      } else {
        sqlite3_bind_text(statement, column + 1, cell.text().data(),
                          static_cast<int>(cell.text().size()), SQLITE_STATIC);
      }
    }
    if (sqlite3_step(statement) != SQLITE_DONE) throw_bare(db, batch.table().name);
    sqlite3_reset(statement);
  }
}

// The statements of the tables as our engine writes them.
std::vector<std::string> create_statements(const schema::Schema& schema, const std::string& path) {
  const auto connection = engine::open({"shape", "sqlite", path}, engine::OpenMode::kCreate);
  std::vector<std::string> statements;
  for (const schema::Table& table : schema.tables) {
    statements.push_back(connection->create_table(table));
  }
  return statements;
}

Outcome insert_bare(const schema::Schema& schema, const seed::Generator& generator,
                    const std::string& path) {
  KeepingSink rows;
  generator.generate_all(rows);
  const std::vector<std::string> tables = create_statements(schema, path + ".shape");

  const Clock::time_point start = Clock::now();
  const BareDatabase db = open_bare(path);
  // The settings under which the seeder loads.
  for (const char* setting :
       {"locking_mode = EXCLUSIVE", "journal_mode = DELETE", "synchronous = FULL",
        "foreign_keys = OFF", "cache_size = -65536", "temp_store = FILE", "secure_delete = OFF"}) {
    execute_bare(db.get(), std::string("PRAGMA ") + setting);
  }
  execute_bare(db.get(), "BEGIN");
  for (const std::string& sql : tables) execute_bare(db.get(), sql);
  std::map<const schema::Table*, BareStatement> inserts;
  for (const std::unique_ptr<seed::Batch>& batch : rows.batches) {
    BareStatement& statement = inserts[&batch->table()];
    if (statement == nullptr) {
      std::string values;
      for (std::size_t i = 0; i < batch->table().columns.size(); ++i) {
        values += i == 0 ? "?" : ", ?";
      }
      statement =
          prepare_bare(db.get(), "INSERT INTO " + batch->table().name + " VALUES (" + values + ")");
    }
    insert(db.get(), statement.get(), *batch);
  }
  inserts.clear();
  for (const schema::Statement& index : schema.indexes.all()) {
    if (!index.text("sqlite").empty()) execute_bare(db.get(), index.text("sqlite"));
  }
  execute_bare(db.get(), "ANALYZE");
  execute_bare(db.get(), "COMMIT");
  execute_bare(db.get(), "PRAGMA locking_mode = NORMAL");
  execute_bare(db.get(), "PRAGMA journal_mode = WAL");
  return {seconds_since(start), rows.rows, 0};
}

int compare_with_bare_loop(const schema::Schema& schema, const seed::Generator& generator) {
  Outcome generated;
  Outcome seeded;
  Outcome bare;
  for (int round = 0; round < absl::GetFlag(FLAGS_rounds); ++round) {
    keep_faster(generated, in_child([&] { return generate(generator); }));
    {
      const TemporaryFolder folder;
      keep_faster(seeded,
                  in_child([&] { return seed_store(schema, generator, folder.file("store")); }));
    }
    const TemporaryFolder folder;
    keep_faster(bare,
                in_child([&] { return insert_bare(schema, generator, folder.file("store")); }));
  }
  if (seeded.rows != bare.rows || seeded.rows != generated.rows) {
    throw std::runtime_error("the two did not load the same rows");
  }

  const double ratio = seeded.seconds / bare.seconds;
  const double rate = static_cast<double>(generated.rows) / generated.seconds;
  const auto verdict = [](bool good) { return good ? "" : "  OVER"; };
  std::printf("profile %s, %lld rows, indexes and statistics included\n",
              absl::GetFlag(FLAGS_profile).c_str(), static_cast<long long>(seeded.rows));
  std::printf("%-34s %10.2f s\n", "bare C loop, rows in memory", bare.seconds);
  std::printf("%-34s %10.2f s\n", "seeding", seeded.seconds);
  std::printf("%-34s %10.2f     bar %.1f%s\n", "ratio", ratio, kTimeBar,
              verdict(ratio <= kTimeBar));
  std::printf("%-34s %10.0f MiB bar %.0f%s\n", "peak memory of seeding", seeded.peak_mib,
              kMemoryBarMib, verdict(seeded.peak_mib < kMemoryBarMib));
  std::printf("%-34s %10.2f M/s bar %.1f%s\n", "generating alone, one core", rate * 1e-6,
              kRowsPerSecondBar * 1e-6, verdict(rate >= kRowsPerSecondBar));
  const bool good =
      ratio <= kTimeBar && seeded.peak_mib < kMemoryBarMib && rate >= kRowsPerSecondBar;
  return good ? 0 : 1;
}

int measure() {
  const schema::Schema schema = schema::read_schema(schema::default_folder());
  const seed::Generator generator(schema, seed::profile(absl::GetFlag(FLAGS_profile)));
  const std::string text = absl::GetFlag(FLAGS_target);
  if (text.empty()) return compare_with_bare_loop(schema, generator);
  const engine::Target target = engine::Target::parse(text);
  if (target.engine == "sqlite") throw std::runtime_error("--target: must be a server");
  return compare_with_bulk_command(target, schema, generator, absl::GetFlag(FLAGS_rounds));
}

int run_program(int argc, char** argv) {
  const command_line::Parsed parsed = command_line::parse(argc, argv, kProgram);
  if (parsed.exit_status) return *parsed.exit_status;
  if (absl::GetFlag(FLAGS_rounds) < 1) {
    return command_line::flag_error(kProgram, "rounds", "must be at least 1");
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
