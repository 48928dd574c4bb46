// What became of each request.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bench/load/routes.h"

namespace shopmark::drive {

enum class Outcome : std::uint8_t {
  kNone,  // not known yet; none has it when a stage ends
  kOk,
  kStatus4xx,  // or any other status that was not asked for, below 500
  kStatus5xx,
  kInvalid,     // no HTTP/1.1 response, or not what was asked for
  kConnection,  // refused, closed or reset before the whole response
  kSession,     // an earlier step of its session failed, so that it could not be asked
  kTimedOut,    // no answer within the time limit, or by the end of the drain
  kRejected,    // never sent, for too many were in flight: the driver's own guard
  kClient,      // never sent, for the driver's machine had no port or descriptor left
};
inline constexpr std::size_t kOutcomes = 10;

constexpr std::string_view name_of(Outcome outcome) {
  constexpr std::array<std::string_view, kOutcomes> kNames = {
      "none",       "ok",      "status_4xx", "status_5xx", "invalid",
      "connection", "session", "timed_out",  "rejected",   "client"};
  return kNames[static_cast<std::size_t>(outcome)];
}

inline constexpr std::int64_t kNever = -1;

// Times in nanoseconds from the start of the stage on the steady clock.
struct Record {
  std::int64_t scheduled = kNever;  // in a closed loop: when the client began with it
  std::int64_t sent = kNever;       // just before the write
  std::int64_t done = kNever;       // the whole response was read
  std::int64_t ready = kNever;      // from when on nothing but the driver stood in the way
  std::int64_t begun = kNever;      // the driver took it up
  std::uint32_t choice = 0;         // of its entry's parameters
  std::uint32_t visit = 0;          // its session
  std::uint16_t status = 0;         // 0: none
  std::uint8_t script = 0;
  std::uint8_t entry = 0;
  std::uint8_t step = 0;
  Route route = Route::kHome;
  Outcome outcome = Outcome::kNone;
  bool measured = false;  // scheduled after the warm-up

  // How long the driver itself kept it back: to take it up waits for nothing but the driver's loop,
  // to send it for a connection or an earlier step perhaps too. Never, where it was not sent.
  std::int64_t late() const {
    return sent == kNever ? kNever : std::max(begun - scheduled, sent - ready);
  }
};

}  // namespace shopmark::drive
