// What a repository call asks of its database: every statement with the values bound to it, how far
// its rows were read and which of their columns, and the transactions around it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fixtures/engine/engine.h"

namespace shopmark::bench {

struct Binding {
  std::string name;  // without the colon
  seed::Cell::Kind kind = seed::Cell::Kind::kNull;
  std::int64_t integer = 0;
  std::string text;
};

// How a column was read, over all recorded rows.
struct ColumnUse {
  bool asked_for_null = false;
  bool as_integer = false;
  bool as_text = false;
};

struct RecordedStatement {
  std::string sql;
  std::vector<ColumnUse> columns;
};

// One run of a statement.
struct RecordedRun {
  std::size_t statement = 0;  // index into Recording::statements
  std::vector<Binding> bindings;
  std::int64_t steps = 0;  // calls of Rows::next, or the one of execute
};

using RecordedCall = std::vector<RecordedRun>;

struct Recording {
  std::vector<RecordedStatement> statements;
  RecordedCall call;  // since it was last taken

  std::size_t add_statement(std::string_view sql);
};

// Hands everything on to `inner`, and writes down what it was. Neither is owned. Only what a store
// uses: loading throws.
std::unique_ptr<engine::Connection> record(engine::Connection& inner, Recording& recording);

}  // namespace shopmark::bench
