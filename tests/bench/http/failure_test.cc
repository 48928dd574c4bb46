// What a handler makes of a shop that fails.

#include "tests/bench/http/test_shop.h"

namespace shopmark::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using FailureTest = ShopTest;

TEST_F(FailureTest, AFailureInTheShopIsLoggedWithoutWhatWasAskedFor) {
  EXPECT_EQ(get("/categories/none-such").status, 404U);
  fixture().connection().execute("ALTER TABLE categories RENAME TO categories_away");
  const Response response = get("/categories/a-secret-category");
  fixture().connection().execute("ALTER TABLE categories_away RENAME TO categories");
  EXPECT_EQ(refusal_of(response), "500 internal");
  ASSERT_EQ(log_.size(), 1U);
  EXPECT_THAT(log_[0], StartsWith("category: "));
  EXPECT_THAT(log_[0], Not(HasSubstr("a-secret-category")));
  EXPECT_THAT(log_[0], Not(HasSubstr("\n")));
}

TEST_F(FailureTest, WithoutASecretThereIsNoShop) {
  ShopOptions none = options();
  none.receipt_secret.clear();
  EXPECT_THROW(shop_handlers(none), std::invalid_argument);
}

}  // namespace
}  // namespace shopmark::http
