// The standard store against the published rows of each table.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <string>

#include "schema/schema.h"
#include "seed/digest.h"
#include "seed/generator.h"

namespace shopmark::seed {
namespace {

class StandardStore : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const schema::Schema schema = schema::read_schema(schema::default_folder());
    DigestSink sink;
    Generator(schema, profile("standard")).generate_all(sink);
    digests_ = sink.digests();
  }

  static Digests digests_;
};
Digests StandardStore::digests_;

TEST_F(StandardStore, HasThePublishedRows) {
  const std::set<std::string> exact = {
      "products", "customers",        "orders",         "attributes", "categories",
      "coupons",  "coupon_scopes",    "sales",          "sale_rules", "sale_tiers",
      "tags",     "shipping_methods", "shipping_zones", "tax_rates",  "tax_zones"};
  std::ifstream file(SHOPMARK_PUBLISHED_TABLES);
  std::string line;
  std::getline(file, line);
  std::int64_t tables = 0;
  while (std::getline(file, line)) {
    const std::string table = line.substr(0, line.find(','));
    const std::int64_t published = std::stoll(line.substr(table.size() + 1));
    ASSERT_TRUE(digests_.contains(table)) << table;
    const std::int64_t rows = digests_.at(table).rows;
    if (exact.contains(table)) {
      EXPECT_EQ(rows, published) << table;
    } else {
      EXPECT_LE(std::abs(rows - published) * 100, published) << table << ": " << rows;
    }
    ++tables;
  }
  EXPECT_EQ(tables, 36);
}

TEST_F(StandardStore, IsTheOneThatProfilesName) {
  EXPECT_EQ(data_digest(digests_), profile("standard").data_digest);
}

}  // namespace
}  // namespace shopmark::seed
