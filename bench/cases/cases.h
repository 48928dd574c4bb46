// The calls that are timed. A case knows no SQL: it calls one method of a repository or service and
// counts what came back.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cases/parameters.h"
#include "fixtures/store/store.h"

namespace shopmark::bench {

struct Case {
  std::string name;
  std::string title;
  // Keys of a parameter, besides `rows`.
  std::vector<std::string_view> required = {};
  std::vector<std::string_view> optional = {};
  bool writes = false;
  // For a baseline: the rows that it returns. It takes no parameter.
  std::optional<std::int64_t> baseline_rows = {};
  // The number of rows that came. Reading and freeing the result is part of the call.
  std::int64_t (*call)(store::Store& store, const Parameters& parameters) = nullptr;
};

// The baselines, then the published queries in the published order.
const std::vector<Case>& cases();

}  // namespace shopmark::bench
