// A store whose cases are what a test says: nothing but the round trip works.

#pragma once

#include <stdexcept>

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

}  // namespace shopmark::bench
