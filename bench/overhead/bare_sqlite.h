// What a C programmer would write by hand against sqlite3, for the overhead benchmarks to compare
// with. Errors throw std::runtime_error.

#pragma once

#include <sqlite3.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/overhead/recorder.h"

namespace shopmark::bench {

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using BareDatabase = std::unique_ptr<sqlite3, CloseDatabase>;
using BareStatement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

BareDatabase open_bare(const std::string& path);
BareStatement prepare_bare(sqlite3* db, const std::string& sql);
void execute_bare(sqlite3* db, const std::string& sql);
[[noreturn]] void throw_bare(sqlite3* db, const std::string& what);

// Runs recorded calls again: prepared once, bound by index, the same steps, and what is read of the
// same columns kept, back to back in one buffer, until the call ends. `settings` are PRAGMAs by
// name.
class Replay {
 public:
  Replay(const std::string& path, const std::map<std::string, std::string>& settings,
         const Recording& recording);

  // A call made ready; its text lives as long as this.
  struct Run {
    sqlite3_stmt* statement = nullptr;
    std::vector<Binding> bindings;
    std::vector<int> indexes;  // of the bindings
    const std::vector<ColumnUse>* columns = nullptr;
    std::int64_t steps = 0;
  };
  using Call = std::vector<Run>;

  Call make_ready(const RecordedCall& call);
  // The bytes that were read; they stand in buffer() until the next call.
  std::size_t run(const Call& call);
  const std::vector<char>& buffer() const { return buffer_; }

 private:
  void read_row(sqlite3_stmt* statement, const std::vector<ColumnUse>& columns);
  void keep(const void* data, std::size_t bytes);

  BareDatabase db_;
  std::vector<BareStatement> statements_;
  std::vector<std::vector<ColumnUse>> columns_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace shopmark::bench
