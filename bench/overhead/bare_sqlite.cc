#include "bench/overhead/bare_sqlite.h"

#include <cstring>
#include <stdexcept>
#include <utility>

namespace shopmark::bench {

void throw_bare(sqlite3* db, const std::string& what) {
  throw std::runtime_error("bare sqlite3: " + what + ": " + sqlite3_errmsg(db));
}

BareDatabase open_bare(const std::string& path) {
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(
      path.c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  BareDatabase owner(db);
  if (code != SQLITE_OK) throw_bare(db, path);
  return owner;
}

BareStatement prepare_bare(sqlite3* db, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v3(db, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) throw_bare(db, sql);
  return BareStatement(statement);
}

void execute_bare(sqlite3* db, const std::string& sql) {
  if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) throw_bare(db, sql);
}

Replay::Replay(const std::string& path, const std::map<std::string, std::string>& settings,
               const Recording& recording)
    : db_(open_bare(path)), buffer_(1 << 16) {
  for (const auto& [name, value] : settings) {
    execute_bare(db_.get(), "PRAGMA " + name + " = " + value);
  }
  for (const RecordedStatement& statement : recording.statements) {
    statements_.push_back(prepare_bare(db_.get(), statement.sql));
    columns_.push_back(statement.columns);
  }
}

Replay::Call Replay::make_ready(const RecordedCall& call) {
  Call ready;
  for (const RecordedRun& recorded : call) {
    Run run;
    run.statement = statements_.at(recorded.statement).get();
    run.bindings = recorded.bindings;
    run.columns = &columns_.at(recorded.statement);
    run.steps = recorded.steps;
    for (const Binding& binding : recorded.bindings) {
      const int index = sqlite3_bind_parameter_index(run.statement, (":" + binding.name).c_str());
      if (index == 0) throw std::runtime_error("no parameter " + binding.name);
      run.indexes.push_back(index);
    }
    ready.push_back(std::move(run));
  }
  return ready;
}

void Replay::keep(const void* data, std::size_t bytes) {
  if (used_ + bytes > buffer_.size()) buffer_.resize(2 * (used_ + bytes));
  std::memcpy(buffer_.data() + used_, data, bytes);
  used_ += bytes;
}

void Replay::read_row(sqlite3_stmt* statement, const std::vector<ColumnUse>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const int column = static_cast<int>(i);
    const ColumnUse& use = columns[i];
    if (use.asked_for_null && sqlite3_column_type(statement, column) == SQLITE_NULL) continue;
    if (use.as_integer) {
      const sqlite3_int64 value = sqlite3_column_int64(statement, column);
      keep(&value, sizeof value);
    }
    if (use.as_text) {
      const unsigned char* text = sqlite3_column_text(statement, column);
      const int bytes = sqlite3_column_bytes(statement, column);
      if (bytes > 0) keep(text, static_cast<std::size_t>(bytes));
    }
  }
}

std::size_t Replay::run(const Call& call) {
  used_ = 0;
  for (const Run& run : call) {
    for (std::size_t i = 0; i < run.bindings.size(); ++i) {
      const Binding& binding = run.bindings[i];
      switch (binding.kind) {
        case seed::Cell::Kind::kNull:
          sqlite3_bind_null(run.statement, run.indexes[i]);
          break;
        case seed::Cell::Kind::kInteger:
          sqlite3_bind_int64(run.statement, run.indexes[i], binding.integer);
          break;
        case seed::Cell::Kind::kText:
          sqlite3_bind_text(run.statement, run.indexes[i], binding.text.data(),
                            static_cast<int>(binding.text.size()), SQLITE_STATIC);
          break;
      }
    }
    for (std::int64_t step = 0; step < run.steps; ++step) {
      const int code = sqlite3_step(run.statement);
      if (code == SQLITE_ROW) {
        read_row(run.statement, *run.columns);
      } else if (code != SQLITE_DONE) {
        throw_bare(db_.get(), sqlite3_sql(run.statement));
      }
    }
    sqlite3_reset(run.statement);
  }
  return used_;
}

}  // namespace shopmark::bench
