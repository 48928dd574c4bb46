// A store whose cases are what a test says: nothing but the round trip works.

#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "bench/run/subject.h"
#include "fixtures/store/store.h"

namespace shopmark::bench {

class FakeStore : public store::Store {
 public:
  store::Catalog& catalog() override { throw std::logic_error("no catalog"); }
  store::Customers& customers() override { throw std::logic_error("no customers"); }
  store::Orders& orders() override { throw std::logic_error("no orders"); }
  store::Reports& reports() override { throw std::logic_error("no reports"); }
  store::Carts& carts() override { throw std::logic_error("no carts"); }
  store::Stock& stock() override { throw std::logic_error("no stock"); }
  bool round_trip() override { return true; }
};

class FakeSubject : public Subject {
 public:
  explicit FakeSubject(std::string name) : name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  const std::string& engine() const override { return engine_; }
  store::Store& store() override { return store_; }
  Oracle* oracle() override { return oracle_; }
  void call_failed(const std::exception&, bool) noexcept override { ++failures_; }

  void set_oracle(Oracle* oracle) { oracle_ = oracle; }
  int failures() const { return failures_; }

 private:
  std::string name_;
  std::string engine_ = "none";
  FakeStore store_;
  Oracle* oracle_ = nullptr;
  int failures_ = 0;
};

}  // namespace shopmark::bench
