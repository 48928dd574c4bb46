#include "bench/load/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "seed/rng.h"

namespace shopmark::drive {

namespace {

enum class Purpose : std::uint64_t { kEntry = 1, kChoice, kGap };

std::uint64_t draw(std::uint64_t seed, Purpose purpose, std::uint8_t script, std::uint64_t source,
                   std::uint64_t index) {
  const std::uint64_t stream = (static_cast<std::uint64_t>(purpose) << 8) | script;
  const std::uint64_t start = seed::mix(seed::mix(seed + seed::kGoldenGamma * stream) + source);
  return seed::mix(start + seed::kGoldenGamma * (index + 1));
}

double mean_steps(const Script& script) {
  double steps = 0;
  double weight = 0;
  for (const Entry& entry : script.entries) {
    steps += static_cast<double>(entry.weight) * static_cast<double>(entry.steps.size());
    weight += static_cast<double>(entry.weight);
  }
  return steps / weight;
}

}  // namespace

std::int64_t to_nanoseconds(double seconds) {
  return static_cast<std::int64_t>(std::llround(seconds * 1e9));
}

Picker::Picker(const Script& script, std::uint64_t seed, std::uint8_t script_index)
    : seed_(seed), script_(script_index) {
  std::uint64_t sum = 0;
  for (const Entry& entry : script.entries) {
    sum += static_cast<std::uint64_t>(entry.weight);
    weights_.push_back(sum);
  }
}

Pick Picker::pick(std::uint64_t source, std::uint64_t index) const {
  Pick pick;
  if (weights_.size() > 1) {
    // The sum of 64 weights of at most a million fits 32 bits.
    const std::uint64_t fraction = draw(seed_, Purpose::kEntry, script_, source, index) >> 32;
    const std::uint64_t place = (fraction * weights_.back()) >> 32;
    pick.entry = static_cast<std::uint8_t>(
        std::upper_bound(weights_.begin(), weights_.end(), place) - weights_.begin());
  }
  pick.choice =
      static_cast<std::uint32_t>(draw(seed_, Purpose::kChoice, script_, source, index) >> 32);
  return pick;
}

std::vector<std::int64_t> arrivals(const Script& script, std::uint64_t seed,
                                   std::uint8_t script_index, std::int64_t until) {
  const double rate = script.arrival.rate / mean_steps(script);
  const double expected = rate * static_cast<double>(until) / 1e9;
  if (expected > static_cast<double>(kMostRecords)) {
    throw std::runtime_error(absl::StrCat("script ", script.name, " would make about ",
                                          static_cast<std::int64_t>(expected),
                                          " requests in one stage; at most ", kMostRecords));
  }
  std::vector<std::int64_t> times;
  times.reserve(static_cast<std::size_t>(expected) + 1);
  double seconds = 0;
  for (std::uint64_t i = 0;; ++i) {
    std::int64_t time = 0;
    if (script.arrival.spacing == Spacing::kConstant) {
      // Multiplied before it is divided: no error adds up, whatever the rate.
      time = std::llround(static_cast<long double>(i) * 1e9L / static_cast<long double>(rate));
    } else {
      // A uniform number in (0, 1].
      const double uniform =
          static_cast<double>((draw(seed, Purpose::kGap, script_index, 0, i) >> 11) + 1) * 0x1p-53;
      seconds += -std::log(uniform) / rate;
      time = to_nanoseconds(seconds);
    }
    if (time >= until) return times;
    times.push_back(time);
  }
}

std::vector<Record> schedule(const std::vector<Script>& scripts, std::uint64_t seed,
                             std::uint64_t first_visit, std::int64_t until) {
  std::vector<Record> records;
  for (std::size_t s = 0; s < scripts.size(); ++s) {
    const Script& script = scripts[s];
    if (!script.arrival.open()) continue;
    const auto index = static_cast<std::uint8_t>(s);
    const Picker picker(script, seed, index);
    const std::int64_t pause = to_nanoseconds(script.pause_s);
    const std::vector<std::int64_t> times = arrivals(script, seed, index, until);
    for (std::size_t i = 0; i < times.size(); ++i) {
      const Pick pick = picker.pick(0, i);
      Record record;
      record.script = index;
      record.entry = pick.entry;
      record.choice = pick.choice;
      record.scheduled = times[i];
      for (const Route step : script.entries[pick.entry].steps) {
        if (record.scheduled >= until) break;
        record.route = step;
        records.push_back(record);
        ++record.step;
        record.scheduled += pause;
      }
    }
  }
  if (records.size() > static_cast<std::size_t>(kMostRecords)) {
    throw std::runtime_error(
        absl::StrCat("a stage would make ", records.size(), " requests; at most ", kMostRecords));
  }
  // A session's steps stand together and in order so far: its first takes the number.
  std::uint64_t visit = first_visit;
  for (Record& record : records) {
    if (record.step == 0) ++visit;
    if (visit - 1 > std::numeric_limits<std::uint32_t>::max()) {
      throw std::runtime_error("a run has more sessions than can be numbered");
    }
    record.visit = static_cast<std::uint32_t>(visit - 1);
  }
  const auto earlier = [](const Record& one, const Record& other) {
    return one.scheduled < other.scheduled;
  };
  if (!std::is_sorted(records.begin(), records.end(), earlier)) {
    std::stable_sort(records.begin(), records.end(), earlier);
  }
  return records;
}

}  // namespace shopmark::drive
