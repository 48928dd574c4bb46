// What a handler makes of a database that fails.

#include <set>

#include "tests/bench/http/test_shop.h"

namespace shopmark::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class FailureTest : public ShopTest {
 protected:
  // Of the database's clients, this one included.
  static std::set<std::int64_t> sessions() {
    const bool is_postgres = fixture().target().engine == "postgres";
    engine::Rows& rows =
        fixture()
            .connection()
            .prepare("sessions",
                     is_postgres
                         ? "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                         : "SELECT id FROM information_schema.processlist WHERE db = database()")
            .query({});
    std::set<std::int64_t> ids;
    while (rows.next()) ids.insert(rows.integer(0));
    rows.close();
    return ids;
  }
  static void end_session(std::int64_t id) {
    if (fixture().target().engine == "mariadb") {
      return fixture().connection().execute("KILL " + std::to_string(id));
    }
    engine::Rows& rows =
        fixture()
            .connection()
            .prepare("end", "SELECT pg_terminate_backend(" + std::to_string(id) + ") :: int")
            .query({});
    EXPECT_TRUE(rows.next());
    rows.close();
  }
};

TEST_F(FailureTest, AHandlerThatLostItsConnectionSaysSoAndIsToBeReplaced) {
  if (fixture().target().engine == "sqlite") GTEST_SKIP() << "a file has no connection to lose";
  const std::set<std::int64_t> before = sessions();
  std::unique_ptr<Handler> lost = shop_handlers(options())();
  EXPECT_TRUE(lost->usable());
  for (const std::int64_t id : sessions()) {
    if (!before.contains(id)) end_session(id);
  }
  const Response response = lost->handle({"GET", "/catalog", {}, ""});
  EXPECT_EQ(refusal_of(response), "503 database_unavailable");
  EXPECT_EQ(header_of(response, "Retry-After"), "1");
  EXPECT_EQ(response.route, "catalog");
  EXPECT_FALSE(lost->usable());
  ASSERT_EQ(log_.size(), 1U);
  EXPECT_THAT(log_[0], StartsWith("catalog: "));
  EXPECT_EQ(get("/catalog").status, 200U);
}

TEST_F(FailureTest, AWriteThatOthersKeepWaitingTooLongIsToBeSentAgain) {
  if (fixture().target().engine != "sqlite") GTEST_SKIP() << "the one with a lock for everything";
  handler();
  const engine::Transaction in_the_way(fixture().connection(), engine::TransactionKind::kWrite);
  const Response response = post("/cart/items", {{"variant_id", 1}, {"quantity", 1}});
  EXPECT_EQ(refusal_of(response), "503 busy");
  EXPECT_EQ(header_of(response, "Retry-After"), "1");
  EXPECT_TRUE(handler().usable());
  EXPECT_EQ(get("/cart/w-none").status, 404U);
}

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
