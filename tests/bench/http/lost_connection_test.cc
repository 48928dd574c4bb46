// What a handler makes of a connection that the server ended; a file has none to lose.

#include <set>

#include "tests/bench/http/test_shop.h"

namespace shopmark::http {
namespace {

using ::testing::StartsWith;

class LostConnectionTest : public ShopTest {
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

TEST_F(LostConnectionTest, AHandlerThatLostItsConnectionSaysSoAndIsToBeReplaced) {
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

}  // namespace
}  // namespace shopmark::http
