#include "seed/customers.h"

#include <gtest/gtest.h>

#include "seed/calendar.h"

namespace shopmark::seed {
namespace {

TEST(Customers, AreThereBeforeTheFirstOrderThatMayBeTheirs) {
  for (const Profile& shape :
       {profile("smoke"), Profile{"", 400, 2000, 500}, Profile{"", 400, 7, 7}}) {
    const Customers customers(shape, kDefaultSeed);
    std::int64_t known = 0;
    for (std::int64_t order = 0; order < shape.orders; ++order) {
      const std::int64_t placed = placed_at(kDefaultSeed, order, shape.orders);
      ASSERT_GE(customers.known_at(order), known);
      for (; known < customers.known_at(order); ++known) {
        ASSERT_LE(customers.created_at(known), placed) << known << " at " << order;
        // And not long before: a customer who came later did not wait for years.
        if (order == 0) continue;
        ASSERT_GE(customers.created_at(known), placed - 2 * kHour) << known;
      }
    }
    EXPECT_EQ(known, shape.customers);
  }
}

TEST(Customers, HaveAnAddressEvenWhenTheySavedNone) {
  const Customers customers(profile("smoke"), kDefaultSeed);
  Address address;
  customers.customer_address(3, 1, 0, address);
  EXPECT_FALSE(address.line1.empty());
  EXPECT_FALSE(address.postcode.empty());
  const std::string first = address.line1 + address.postcode;
  customers.customer_address(3, 2, 0, address);
  EXPECT_NE(address.line1 + address.postcode, first);
}

}  // namespace
}  // namespace shopmark::seed
