#include "bench/run/stop.h"

#include <signal.h>

#include <atomic>

namespace shopmark::bench {

namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not lock");

extern "C" void on_signal(int) { stop.store(true, std::memory_order_relaxed); }

}  // namespace

void stop_on_signals() {
  stop.store(false, std::memory_order_relaxed);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void request_stop() { stop.store(true, std::memory_order_relaxed); }

bool stop_requested() { return stop.load(std::memory_order_relaxed); }

}  // namespace shopmark::bench
