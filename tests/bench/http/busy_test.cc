// What a handler makes of SQLite's one lock for everything.

#include "tests/bench/http/test_shop.h"

namespace shopmark::http {
namespace {

using BusyTest = ShopTest;

TEST_F(BusyTest, AWriteThatOthersKeepWaitingTooLongIsToBeSentAgain) {
  handler();
  const engine::Transaction in_the_way(fixture().connection(), engine::TransactionKind::kWrite);
  const Response response = post("/cart/items", {{"variant_id", 1}, {"quantity", 1}});
  EXPECT_EQ(refusal_of(response), "503 busy");
  EXPECT_EQ(header_of(response, "Retry-After"), "1");
  EXPECT_TRUE(handler().usable());
  EXPECT_EQ(get("/cart/w-none").status, 404U);
}

}  // namespace
}  // namespace shopmark::http
