#include "bench/run/build_info.h"
#include "tests/bench/http/test_shop.h"

namespace shopmark::http {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::SizeIs;

class StaffTest : public ShopTest {
 protected:
  static store::Orders& orders() { return store().orders(); }
  static const std::vector<const char*>& every_path() {
    static const std::vector<const char*> paths = {
        "/admin/orders",        "/admin/orders/search?q=a", "/admin/orders/1",
        "/admin/customers?q=a", "/admin/reports/summary",   "/admin/reports/products",
        "/admin/info"};
    return paths;
  }
};

TEST_F(StaffTest, OnlyWhoHasTheTokenIsLetIn) {
  for (const char* const path : every_path()) {
    const Response without = get(path);
    EXPECT_EQ(refusal_of(without), "401 unauthorized") << path;
    EXPECT_EQ(header_of(without, "WWW-Authenticate"), "Bearer realm=\"shopmark\"");
    for (const std::string given :
         {"Bearer wrong", "Bearer ", "Bearer", "Basic dGhlLXN0YWZmcy10b2tlbg==", "the-staffs-token",
          "Bearer the-staffs-token2", "Bearer the-staffs-toke", "Bearer  the-staffs-token"}) {
      EXPECT_EQ(refusal_of(send("GET", path, {{"authorization", given}})), "401 unauthorized")
          << given;
    }
    EXPECT_NE(get_as_staff(path).status, 401U);
  }
  EXPECT_EQ(send("GET", "/admin/orders", {{"authorization", "bearer the-staffs-token"}}).status,
            200U);
  EXPECT_THAT(
      header_of(send("GET", "/admin/info", {{"authorization", "Bearer x"}}), "WWW-Authenticate"),
      HasSubstr("invalid_token"));
}

TEST_F(StaffTest, WithoutATokenNobodyIsLetIn) {
  ShopOptions shut = options();
  shut.admin_token.clear();
  const std::unique_ptr<Handler> handler = shop_handlers(shut)();
  for (const char* const path : every_path()) {
    EXPECT_EQ(refusal_of(handler->handle({"GET", path, staff(), ""})), "403 no_admin_token");
    EXPECT_EQ(refusal_of(handler->handle({"GET", path, {{"authorization", "Bearer "}}, ""})),
              "403 no_admin_token");
  }
}

TEST_F(StaffTest, AForeignPageIsRefused) {
  for (const char* const origin :
       {"http://evil.example", "https://localhost.evil.example", "http://127.0.0.1.evil.example",
        "null", "http://localhost:", "http://localhost:80x", "file://", "http://10.0.0.1:8080",
        "http://127.0.0.1@evil.example"}) {
    Headers headers = staff();
    headers.emplace_back("origin", origin);
    EXPECT_EQ(refusal_of(send("GET", "/admin/orders", headers)), "403 foreign_origin") << origin;
  }
  for (const char* const origin :
       {"http://localhost", "http://localhost:3000", "https://127.0.0.1:8080", "http://[::1]:1"}) {
    Headers headers = staff();
    headers.emplace_back("origin", origin);
    EXPECT_EQ(send("GET", "/admin/orders", headers).status, 200U) << origin;
  }
}

TEST_F(StaffTest, OrdersAreListedByPage) {
  for (const std::int64_t page : {1, 2}) {
    EXPECT_EQ(body_of(get_as_staff("/admin/orders?page=" + std::to_string(page)), "order_list"),
              json({{"page", page}, {"orders", tree(orders().list(page))}}));
  }
  EXPECT_THAT(body_of(get_as_staff("/admin/orders"), "order_list").at("orders"), SizeIs(25));
  const json last = body_of(get_as_staff("/admin/orders?page=9223372036854775807"), "order_list");
  EXPECT_THAT(last.at("orders"), IsEmpty());
}

TEST_F(StaffTest, OrdersAreFoundByAddressAndByNumber) {
  const store::ListedOrder some = orders().list(2).at(3);
  const std::string prefix = some.email.substr(0, some.email.find('@') + 1);
  const json by_email = body_of(get_as_staff("/admin/orders/search?q=" + prefix), "order_search");
  EXPECT_EQ(by_email,
            json({{"query", prefix}, {"orders", tree(orders().search_by_email(prefix))}}));
  EXPECT_THAT(by_email.at("orders"), Not(IsEmpty()));
  EXPECT_EQ(body_of(get_as_staff("/admin/orders/search?q=" + some.number), "order_search"),
            json({{"query", some.number}, {"orders", {tree(some)}}}));
  const json none = body_of(get_as_staff("/admin/orders/search?q=nothing"), "order_search");
  EXPECT_THAT(none.at("orders"), IsEmpty());
}

TEST_F(StaffTest, AnOrderHasAllOfItsDetails) {
  for (const store::ListedOrder& order : orders().list(1)) {
    EXPECT_EQ(body_of(get_as_staff("/admin/orders/" + order.number), "order"),
              tree(*orders().detail(order.number)));
  }
  EXPECT_EQ(refusal_of(get_as_staff("/admin/orders/nothing")), "404 no_order");
}

TEST_F(StaffTest, CustomersAreFoundByTheStartOfTheirAddress) {
  std::string prefix;
  for (const store::ListedOrder& order : orders().list(1)) {
    if (order.customer_name) prefix = order.email.substr(0, 2);
  }
  const json body = body_of(get_as_staff("/admin/customers?q=" + prefix), "customer_search");
  EXPECT_EQ(body,
            json({{"query", prefix}, {"customers", tree(store().customers().search(prefix))}}));
  EXPECT_THAT(body.at("customers"), Not(IsEmpty()));
}

TEST_F(StaffTest, TheSummaryCoversTheYearBeforeUnlessAskedOtherwise) {
  const json body = body_of(get_as_staff("/admin/reports/summary"), "summary_report");
  // 2026-08-30 and 2025-08-30, midnight.
  EXPECT_EQ(body.at("until"), 1788048000);
  EXPECT_EQ(body.at("from"), 1756512000);
  const auto months = store().reports().revenue_by_month({1756512000, 1788048000});
  EXPECT_EQ(body.at("months"), tree(months));
  EXPECT_GT(months.size(), 5U);
  std::int64_t total = 0;
  std::int64_t count = 0;
  for (const store::MonthRevenue& month : months) {
    total += month.total_cents;
    count += month.orders;
  }
  EXPECT_EQ(body.at("totals").at("total_cents"), total);
  EXPECT_EQ(body.at("totals").at("orders"), count);
  EXPECT_THAT(body.at("totals"), SizeIs(8));

  const json narrow = body_of(
      get_as_staff("/admin/reports/summary?from=1780000000&until=1785000000"), "summary_report");
  EXPECT_EQ(narrow.at("months"),
            tree(store().reports().revenue_by_month({1780000000, 1785000000})));
}

TEST_F(StaffTest, TheProductReportHasTheBestTen) {
  const json body = body_of(get_as_staff("/admin/reports/products"), "product_report");
  EXPECT_EQ(body.at("products"),
            tree(store().reports().top_products({1756512000, 1788048000}, 10)));
  EXPECT_THAT(body.at("products"), SizeIs(10));
  const json three = body_of(
      get_as_staff("/admin/reports/products?from=0&until=1788048000&limit=3"), "product_report");
  EXPECT_EQ(three, json({{"from", 0},
                         {"until", 1788048000},
                         {"products", tree(store().reports().top_products({0, 1788048000}, 3))}}));
}

TEST_F(StaffTest, BadParametersAreTheClientsFault) {
  for (const char* const target :
       {"/admin/orders?page=0", "/admin/orders?page=x", "/admin/orders?q=a", "/admin/orders/search",
        "/admin/orders/search?q=", "/admin/customers", "/admin/customers?q=%00",
        "/admin/customers?q=%FF", "/admin/reports/summary?from=-1",
        "/admin/reports/summary?from=5&until=5", "/admin/reports/summary?from=6&until=5",
        "/admin/reports/summary?until=9223372036854775807", "/admin/reports/summary?limit=1",
        "/admin/reports/products?limit=0", "/admin/reports/products?limit=101",
        "/admin/reports/products?limit=1&limit=2", "/admin/info?x"}) {
    EXPECT_THAT(refusal_of(get_as_staff(target)), HasSubstr("400 ")) << target;
  }
  EXPECT_EQ(get_as_staff("/admin/customers?q=" + std::string(161, 'a')).status, 400U);
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(StaffTest, TheInformationIsThatOfTheTarget) {
  const json body = body_of(get_as_staff("/admin/info"), "info");
  const engine::EngineInfo info = fixture().info();
  const json& target = body.at("target");
  EXPECT_EQ(target.at("name"), fixture().target().name);
  EXPECT_EQ(target.at("engine"), info.engine);
  EXPECT_EQ(target.at("version"), info.version);
  EXPECT_EQ(target.at("settings"), json(info.settings));
  EXPECT_EQ(target.at("profile"), "small");
  EXPECT_EQ(target.at("clock"), 1788048000);
  EXPECT_EQ(target.at("data_digest"), fixture().mark().data_digest);
  for (const char* const name : {"seed", "transport", "isolation", "durability"}) {
    EXPECT_TRUE(target.contains(name)) << name;
  }
  EXPECT_EQ(body.at("workers"), 3);
  EXPECT_EQ(body.at("build").at("commit"), bench::build_info().commit);
  EXPECT_EQ(body.at("build").at("type"), bench::build_info().build_type);
  EXPECT_TRUE(body.at("build").contains("compiler"));
}

}  // namespace
}  // namespace shopmark::http
