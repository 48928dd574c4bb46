// A target during a run: opened when the run begins, and again when a call lost its connection.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bench/run/subject.h"
#include "fixtures/engine/engine.h"
#include "fixtures/fixture.h"

namespace shopmark::bench {

class OpenTarget final : public Subject {
 public:
  // Throws what Fixture::open throws.
  OpenTarget(const engine::Target& target, const FixtureOptions& options);
  // Through the connection of another, which has the same address and was just opened, until it is
  // lost: from then on each has its own.
  OpenTarget(const engine::Target& target, const FixtureOptions& options, const OpenTarget& other);

  const std::string& name() const override { return target_.name; }
  const std::string& engine() const override { return target_.engine; }
  const std::string& address() const { return target_.address; }
  // After a lost connection a new one, with every statement prepared anew, to the same store with
  // the same settings. Waits some seconds for a server that starts again, once: a server that stays
  // away is then asked without waiting. Stock that a failed call may have left held is given back
  // first.
  store::Store& store() override;
  ObservedStore* observed_store() override;
  Oracle* oracle() override { return oracle_; }
  void call_failed(const std::exception& error, bool writes) noexcept override;

  // As they were when the run began.
  const load::StoreMark& mark() const { return mark_; }
  const engine::EngineInfo& info() const { return info_; }

  // Gives back what a failed call may have left held. What stood in the way, or empty.
  std::string restore() noexcept;

  void set_oracle(Oracle* oracle) { oracle_ = oracle; }

 private:
  OpenTarget(const engine::Target& target, const FixtureOptions& options, Fixture fixture);
  void reopen();
  void close() noexcept;

  engine::Target target_;
  FixtureOptions options_;
  std::optional<Fixture> fixture_;           // none after a lost connection
  std::unique_ptr<ObservedStore> observed_;  // of the fixture
  load::StoreMark mark_;
  engine::EngineInfo info_;
  Oracle* oracle_ = nullptr;
  bool stock_may_be_held_ = false;
  bool gone_ = false;
};

}  // namespace shopmark::bench
