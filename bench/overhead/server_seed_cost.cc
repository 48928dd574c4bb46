#include "bench/overhead/server_seed_cost.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/overhead/child.h"
#include "fixtures/engine/sql_text.h"
#include "fixtures/engine/tab_separated.h"
#include "fixtures/load/load.h"

namespace shopmark::bench {

namespace {

namespace fs = std::filesystem;
using engine::Connection;
using engine::OpenMode;
using engine::Target;

constexpr double kTimeBar = 1.3;
constexpr double kMemoryBarMib = 200;

// The rows of every table in a file of its own, as the bulk commands read them.
class FileSink : public seed::RowSink {
 public:
  explicit FileSink(const std::string& folder) : folder_(folder) {}

  void write(const seed::Batch& batch) override {
    std::ofstream& file = files_[batch.table().name];
    if (!file.is_open()) file.open(folder_ + "/" + batch.table().name, std::ios::binary);
    text_.clear();
    engine::append_tab_separated(batch, text_);
    if (!file.write(text_.data(), static_cast<std::streamsize>(text_.size()))) {
      throw std::runtime_error(folder_ + ": cannot be written");
    }
    rows += static_cast<std::int64_t>(batch.rows());
  }
  void close() {
    for (auto& [table, file] : files_) {
      file.close();
      if (file.fail()) throw std::runtime_error(folder_ + ": cannot be written");
    }
  }
  std::int64_t rows = 0;

 private:
  std::string folder_;
  std::string text_;
  std::map<std::string, std::ofstream> files_;
};

// A database of this process's own beside the target's; dropped with the object.
class Scratch {
 public:
  Scratch(const Target& target, const std::string& suffix)
      : admin_(target), target_(target), name_("shopmark_cost_" + std::to_string(::getpid())) {
    name_ += "_" + suffix;
    std::string& address = target_.address;
    const std::size_t question = std::min(address.find('?'), address.size());
    const std::size_t slash = address.rfind('/', question);
    if (slash == std::string::npos) throw std::runtime_error("--target: names no database");
    address.replace(slash + 1, question - slash - 1, name_);
  }
  ~Scratch() {
    try {
      engine::open(admin_, OpenMode::kExisting)->execute("DROP DATABASE IF EXISTS " + name_);
    } catch (const engine::Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::unique_ptr<Connection> open() const { return engine::open(target_, OpenMode::kCreate); }

 private:
  Target admin_;
  Target target_;
  std::string name_;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Outcome seed_store(const Target& target, const schema::Schema& schema,
                   const seed::Generator& generator) {
  const Scratch scratch(target, "seeded");
  const auto start = std::chrono::steady_clock::now();
  const auto connection = scratch.open();
  const seed::Digests digests = load::seed_store(*connection, schema, generator, nullptr);
  Outcome outcome = {seconds_since(start), 0, 0};
  for (const auto& [table, digest] : digests) outcome.rows += digest.rows;
  return outcome;
}

// What reads a file into a table that is empty and has no index, in the fastest way the server has.
void run_bulk_command(Connection& connection, const schema::Table& table, const std::string& path) {
  const std::string name = engine::quoted_identifier(table.name);
  const std::string columns = std::string(" (").append(engine::quoted_columns(table)).append(")");
  if (connection.dialect() == "postgres") {
    engine::Transaction transaction(connection, engine::TransactionKind::kWrite);
    connection.execute("TRUNCATE " + name);
    connection.execute("COPY " + name + columns + " FROM '" + path + "' WITH (FREEZE)");
    transaction.commit();
    return;
  }
  connection.execute("LOAD DATA INFILE '" + path + "' INTO TABLE " + name +
                     " CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\t' ESCAPED BY '\\'"
                     " LINES TERMINATED BY '\n'" +
                     columns);
}

// Tables, rows, then keys, indexes and statistics, in the order and with the settings that the
// seeder has them too: only the rows come by the server's own command.
Outcome run_bulk_commands(const Target& target, const schema::Schema& schema,
                          const std::string& folder, std::int64_t rows) {
  const Scratch scratch(target, "reference");
  const auto start = std::chrono::steady_clock::now();
  const auto connection = scratch.open();
  for (const schema::Table& table : schema.tables) {
    connection->execute(connection->create_table(table));
  }
  connection->begin_load();
  // Takes the keys off.
  connection->load(schema.tables.front());
  for (const schema::Table& table : schema.tables) {
    const std::string path = folder + "/" + table.name;
    if (fs::exists(path)) run_bulk_command(*connection, table, path);
  }
  for (const schema::Statement& statement : schema.indexes.all()) {
    const std::string& sql = statement.text(connection->dialect());
    if (!sql.empty()) connection->execute(sql);
  }
  connection->end_load();
  return {seconds_since(start), rows, 0};
}

}  // namespace

int compare_with_bulk_command(const Target& target, const schema::Schema& schema,
                              const seed::Generator& generator, int rounds) {
  const TemporaryFolder folder;
  // The server reads them as its own user.
  fs::permissions(folder.path(), fs::perms(0755));
  FileSink files(folder.path());
  generator.generate_all(files);
  files.close();

  Outcome seeded;
  Outcome reference;
  for (int round = 0; round < rounds; ++round) {
    keep_faster(seeded, in_child([&] { return seed_store(target, schema, generator); }));
    keep_faster(reference, in_child([&] {
                  return run_bulk_commands(target, schema, folder.path(), files.rows);
                }));
  }
  if (seeded.rows != files.rows) throw std::runtime_error("the two did not load the same rows");

  const double ratio = seeded.seconds / reference.seconds;
  const bool is_fast = ratio <= kTimeBar;
  const bool is_small = seeded.peak_mib < kMemoryBarMib;
  std::printf("%s, profile %s, %lld rows, keys, indexes and statistics included\n",
              target.engine.c_str(), generator.profile().name.c_str(),
              static_cast<long long>(files.rows));
  std::printf("%-34s %10.2f s\n",
              target.engine == "postgres" ? "COPY FROM files" : "LOAD DATA INFILE",
              reference.seconds);
  std::printf("%-34s %10.2f s\n", "seeding", seeded.seconds);
  std::printf("%-34s %10.2f     bar %.1f%s\n", "ratio", ratio, kTimeBar, is_fast ? "" : "  OVER");
  std::printf("%-34s %10.0f MiB bar %.0f%s\n", "peak memory of seeding", seeded.peak_mib,
              kMemoryBarMib, is_small ? "" : "  OVER");
  return is_fast && is_small ? 0 : 1;
}

}  // namespace shopmark::bench
