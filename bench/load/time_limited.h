// Connections with a time limit that is the same for all: to come about, or to be closed by the
// server.

#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "bench/load/connection.h"

namespace shopmark::drive {

class TimeLimited {
 public:
  void add(Connection& connection, std::int64_t until) {
    limits_.push_back({connection.weak_from_this(), until});
  }
  // The next whose time is up and that is still there; null when there is none.
  std::shared_ptr<Connection> next(std::int64_t now) {
    while (!limits_.empty() && limits_.front().until <= now) {
      std::shared_ptr<Connection> connection = limits_.front().connection.lock();
      limits_.pop_front();
      if (connection) return connection;
    }
    return nullptr;
  }

 private:
  struct Limit {
    std::weak_ptr<Connection> connection;
    std::int64_t until;
  };
  std::deque<Limit> limits_;
};

// How long a server may take to close what it said it would.
inline constexpr std::int64_t kMostLinger = 1'000'000'000;

}  // namespace shopmark::drive
