// A store whose cases are what a test says: nothing but the round trip works, and a stock that
// counts what it is told to.

#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "bench/run/subject.h"
#include "fixtures/store/store.h"

namespace shopmark::bench {

class FakeStock : public store::Stock {
 public:
  std::optional<std::int64_t> level(std::int64_t) override { throw std::logic_error("no stock"); }
  std::optional<std::string> take(std::int64_t, std::int64_t) override {
    throw std::logic_error("no stock");
  }
  bool give_back(std::string_view) override { throw std::logic_error("no stock"); }
  std::int64_t give_back_all() override { throw std::logic_error("no stock"); }
  std::int64_t retries() const override { return retries_; }

  void run_again() { ++retries_; }

 private:
  std::int64_t retries_ = 0;
};

class FakeStore : public store::Store {
 public:
  store::Catalog& catalog() override { throw std::logic_error("no catalog"); }
  store::Customers& customers() override { throw std::logic_error("no customers"); }
  store::Orders& orders() override { throw std::logic_error("no orders"); }
  store::Reports& reports() override { throw std::logic_error("no reports"); }
  store::Carts& carts() override { throw std::logic_error("no carts"); }
  FakeStock& stock() override { return stock_; }
  bool round_trip() override { return true; }

 private:
  FakeStock stock_;
};

class FakeSubject : public Subject {
 public:
  explicit FakeSubject(std::string name) : name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  const std::string& engine() const override { return engine_; }
  FakeStore& store() override {
    if (gone_) throw std::runtime_error("the target is gone");
    return store_;
  }
  ObservedStore* observed_store() override { return observed_; }
  Oracle* oracle() override { return oracle_; }
  void call_failed(const std::exception&, bool) noexcept override { ++failures_; }

  void set_oracle(Oracle* oracle) { oracle_ = oracle; }
  void set_observed(ObservedStore* observed) { observed_ = observed; }
  void go_away() { gone_ = true; }
  int failures() const { return failures_; }

 private:
  std::string name_;
  std::string engine_ = "none";
  FakeStore store_;
  ObservedStore* observed_ = nullptr;
  Oracle* oracle_ = nullptr;
  bool gone_ = false;
  int failures_ = 0;
};

}  // namespace shopmark::bench
