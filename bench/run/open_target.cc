#include "bench/run/open_target.h"

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "bench/run/stop.h"

namespace shopmark::bench {

namespace {

using Clock = std::chrono::steady_clock;

// A server that replays its log, or starts by itself again after a crash, is back by then.
constexpr std::chrono::seconds kLongestRestart{15};
constexpr std::chrono::milliseconds kPause{200};

}  // namespace

OpenTarget::OpenTarget(const engine::Target& target, const FixtureOptions& options)
    : OpenTarget(target, options, Fixture::open(target, options)) {}

OpenTarget::OpenTarget(const engine::Target& target, const FixtureOptions& options,
                       const OpenTarget& other)
    : OpenTarget(target, options, other.fixture_.value().share(target, options.queries_folder)) {}

OpenTarget::OpenTarget(const engine::Target& target, const FixtureOptions& options, Fixture fixture)
    : target_(target),
      options_(options),
      fixture_(std::move(fixture)),
      mark_(fixture_->mark()),
      info_(fixture_->info()) {
  // What is gone in mid-run is not made anew there.
  options_.seed_when_empty.reset();
}

store::Store& OpenTarget::store() {
  if (!fixture_) reopen();
  if (stock_may_be_held_) {
    fixture_->store().stock().give_back_all();
    stock_may_be_held_ = false;
  }
  return fixture_->store();
}

ObservedStore* OpenTarget::observed_store() {
  store();
  if (observed_ == nullptr) observed_ = fixture_->observe();
  return observed_.get();
}

void OpenTarget::close() noexcept {
  observed_.reset();
  fixture_.reset();
}

void OpenTarget::reopen() {
  const Clock::time_point deadline = Clock::now() + kLongestRestart;
  while (!fixture_) {
    try {
      fixture_.emplace(Fixture::open(target_, options_));
    } catch (const std::exception& error) {
      if (gone_ || stop_requested() || Clock::now() > deadline) {
        gone_ = true;
        throw std::runtime_error(std::string("the target is gone: ") + error.what());
      }
      std::this_thread::sleep_for(kPause);
    }
  }
  gone_ = false;
  stock_may_be_held_ = false;  // opening gave it back
  const engine::EngineInfo info = fixture_->info();
  if (fixture_->mark().data_digest != mark_.data_digest || info.version != info_.version ||
      info.settings != info_.settings) {
    close();
    gone_ = true;
    throw std::runtime_error("the target came back with another store, version or settings");
  }
}

void OpenTarget::call_failed(const std::exception& error, bool writes) noexcept {
  const auto* of_engine = dynamic_cast<const engine::Error*>(&error);
  if (of_engine != nullptr && !of_engine->connection_usable()) close();
  if (writes) stock_may_be_held_ = true;
}

std::string OpenTarget::restore() noexcept {
  if (!stock_may_be_held_) return {};
  try {
    store();
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace shopmark::bench
