// What is asked when, drawn from the seed by counting: any draw can be made alone, so that neither
// the time that answers take nor the number of connections changes what comes next.

#pragma once

#include <cstdint>
#include <vector>

#include "bench/load/record.h"
#include "bench/load/scenario.h"

namespace shopmark::drive {

// More requests than this in one stage are refused beforehand: their records would not fit.
inline constexpr std::int64_t kMostRecords = 100'000'000;

// Which entry of a script, and which of its parameters.
struct Pick {
  std::uint8_t entry = 0;
  std::uint32_t choice = 0;
};

// Picks a script's entries in proportion to their weights.
class Picker {
 public:
  Picker(const Script& script, std::uint64_t seed, std::uint8_t script_index);

  // `source`: 0 for an open loop, the client's number for a closed one; `index`: how many it made
  // before.
  Pick pick(std::uint64_t source, std::uint64_t index) const;

 private:
  std::uint64_t seed_;
  std::uint8_t script_;
  std::vector<std::uint64_t> weights_;  // each the sum of its own and of those before it
};

// When the sessions of an open loop begin, requests of one step being sessions too: nanoseconds
// in [0, until), rising. Their rate is the script's rate divided by the mean number of steps.
std::vector<std::int64_t> arrivals(const Script& script, std::uint64_t seed,
                                   std::uint8_t script_index, std::int64_t until);

// All requests of the open loops that are scheduled in [0, until), by scheduled time. A session's
// later steps follow `pause_s` after each other, and those that would be scheduled at `until` or
// later are not part of it. Each session has a visit of its own, from first_visit on. Throws
// std::runtime_error when there would be more than kMostRecords.
std::vector<Record> schedule(const std::vector<Script>& scripts, std::uint64_t seed,
                             std::uint64_t first_visit, std::int64_t until);

std::int64_t to_nanoseconds(double seconds);

}  // namespace shopmark::drive
