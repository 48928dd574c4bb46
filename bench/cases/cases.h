// The calls that are timed. A case knows no SQL: it calls one method of a repository or service.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cases/parameters.h"
#include "fixtures/store/store.h"

namespace shopmark::bench {

// What a call answered.
struct Answer {
  std::int64_t rows = 0;
  std::string text;  // all of it (fixtures/store/canonical_text.h)
};

// The same call for two purposes, made from one function.
struct Call {
  // Reads and frees the whole result; the number of rows that came.
  std::int64_t (*rows)(store::Store& store, const Parameters& parameters) = nullptr;
  // For comparing with another store's answer.
  Answer (*answer)(store::Store& store, const Parameters& parameters) = nullptr;

  std::int64_t operator()(store::Store& store, const Parameters& parameters) const {
    return rows(store, parameters);
  }
};

struct Case {
  std::string name;
  std::string title;
  // Keys of a parameter, besides `rows`.
  std::vector<std::string_view> required = {};
  std::vector<std::string_view> optional = {};
  bool writes = false;
  // For a baseline: the rows that it returns. It takes no parameter.
  std::optional<std::int64_t> baseline_rows = {};
  Call call = {};
};

// The baselines, then the published queries in the published order.
const std::vector<Case>& cases();

}  // namespace shopmark::bench
