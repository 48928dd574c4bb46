// Bad clients before the shop itself: every route's requests after something happened to them, and
// every parameter with what is no value of it.

#include <algorithm>
#include <iostream>
#include <mutex>

#include "bench/http/shop/routes.h"
#include "tests/bench/http/bad_clients.h"
#include "tests/bench/http/raw_client.h"
#include "tests/bench/http/test_shop.h"

namespace shopmark::http {
namespace {

using ::testing::IsEmpty;

constexpr std::size_t kMostBody = 256 * 1024;

class BadShopClientsTest : public ShopTest {
 protected:
  static std::string posted(const std::string& target, const json& body, const Headers& more = {}) {
    const std::string text = body.dump();
    std::string request = "POST " + target + " HTTP/1.1\r\nHost: localhost\r\n";
    request += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    request += "Content-Length: " + std::to_string(text.size()) + "\r\n";
    for (const auto& [name, value] : more) request += name + ": " + value + "\r\n";
    return request + "\r\n" + text;
  }
  static std::string asked_by_staff(const std::string& target) {
    return http::get(target, {"Authorization: Bearer " + std::string(kToken)});
  }
  static std::string message(const std::string& method, const json& params) {
    return posted("/mcp", {{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", params}},
                  staff());
  }

  json home() { return body_of(get("/"), "home"); }
  std::string cart_with(std::int64_t variant) {
    return body_of(post("/cart/items", {{"variant_id", variant}, {"quantity", 1}}), "add_to_cart")
        .at("cart");
  }
  // Of a product that has enough of it for all.
  std::int64_t variant() {
    std::int64_t most = -1;
    std::int64_t id = 0;
    const json listed = home();
    for (const json& product : listed.at("products")) {
      const std::string slug = product.at("slug");
      const json page = body_of(get("/products/" + slug), "product_page");
      for (const json& its : page.at("variants")) {
        if (its.at("stock") > most) {
          most = its.at("stock");
          id = its.at("id");
        }
      }
    }
    return id;
  }
  json order_of(const std::string& cart) {
    const json form = body_of(get("/checkout/" + cart), "checkout_form");
    return {{"cart", cart},
            {"email", "ann@mail.example"},
            {"shipping_method", form.at("methods").at(0).at("code")},
            {"coupon", nullptr},
            {"ship_to",
             {{"name", "Ann"},
              {"line1", "1 Main St"},
              {"city", "Boston"},
              {"region", "MA"},
              {"postcode", "02101"},
              {"country", "US"}}}};
  }

  // A good request for each route, all of which are answered 2xx.
  std::vector<std::string> good_requests() {
    const std::string category = home().at("categories").at(0).at("slug");
    const std::string product = home().at("products").at(0).at("slug");
    const std::int64_t its_variant = variant();
    const std::string cart = cart_with(its_variant);
    const Headers key = {{"Idempotency-Key", cart}};
    const std::string paid = cart_with(its_variant);
    const json placed =
        body_of(post("/checkout", order_of(paid), {{"idempotency-key", paid}}), "checkout");
    const std::string number = placed.at("order");
    return {
        http::get("/"),
        http::get("/catalog?page=1"),
        http::get("/catalog?page=2&facets=1&on_sale=0"),
        http::get("/catalog?category=" + category + "&facets=1"),
        http::get("/categories/" + category + "?page=1"),
        http::get("/products/" + product),
        http::get("/search?q=red+cotton&page=1"),
        posted("/cart/items", {{"variant_id", its_variant}, {"quantity", 1}, {"country", "US"}}),
        posted("/cart/items", {{"variant_id", its_variant}, {"quantity", 1}, {"cart", cart}}),
        http::get("/cart/" + cart),
        http::get("/checkout/" + cart),
        posted("/checkout", order_of(cart_with(its_variant)), key),
        http::get(placed.at("receipt").get<std::string>()),
        asked_by_staff("/admin/orders?page=1"),
        asked_by_staff("/admin/orders/search?q=ann%40mail"),
        asked_by_staff("/admin/orders/search?q=" + number),
        asked_by_staff("/admin/orders/" + number),
        asked_by_staff("/admin/customers?q=a"),
        asked_by_staff("/admin/reports/summary?from=1600000000&until=1700000000"),
        asked_by_staff("/admin/reports/products?from=1600000000&until=1700000000&limit=10"),
        asked_by_staff("/admin/info"),
        message("initialize", {{"protocolVersion", "2025-06-18"},
                               {"capabilities", json::object()},
                               {"clientInfo", {{"name", "a test"}, {"version", "1"}}}}),
        message("tools/list", json::object()),
        message("tools/call", {{"name", "list_orders"}, {"arguments", {{"page", 1}}}}),
        message("tools/call", {{"name", "get_order"}, {"arguments", {{"number", number}}}}),
        message("tools/call", {{"name", "get_config"}, {"arguments", json::object()}}),
        http::get("/healthz"),
        http::get("/metrics"),
        http::get("/products/" + product) + http::get("/cart/" + cart) + http::get("/"),
    };
  }
};

TEST_F(BadShopClientsTest, ThousandsOfThemHarmNobody) {
  BadClients clients;
  // A server's checkouts wait for its disk.
  clients.count = engine::engine_under_test() == "sqlite" ? 5'000 : 1'000;
  clients.requests = good_requests();
  const std::string product = home().at("products").at(0).at("slug");
  clients.good_request = http::get("/products/" + product);
  clients.good_answer = "\"slug\":\"" + product + "\"";
  clients.most_body = kMostBody;
  std::mutex mutex;
  std::vector<std::string> failures;
  ShopOptions its = options();
  its.log = [&](std::string_view line) {
    const std::lock_guard lock(mutex);
    failures.emplace_back(line);
  };
  const BadClientsReport report = run_bad_clients(clients, shop_handlers(its));
  std::cout << report.sent << " sent, " << report.answered << " answered, " << report.refused
            << " of those refused; " << report.good_served << " good ones served\n";
  EXPECT_THAT(report.problems, IsEmpty());
  EXPECT_THAT(failures, IsEmpty());
  EXPECT_EQ(report.sent, clients.count);
  EXPECT_GT(report.refused, clients.count / 5);
  EXPECT_GT(report.answered - report.refused, clients.count / 50);
  EXPECT_GT(report.good_served, 20);
}

TEST_F(BadShopClientsTest, TheRequestsAreGoodBeforeAnythingHappensToThem) {
  const std::vector<std::string> requests = good_requests();
  for (const Route& route : routes()) {
    SCOPED_TRACE(route.name);
    const std::string method_and_path =
        std::string(route.method) + " " +
        std::string(route.path.substr(0, std::min(route.path.find('*'), route.path.size())));
    EXPECT_TRUE(std::any_of(requests.begin(), requests.end(), [&](const std::string& request) {
      return request.starts_with(method_and_path);
    }));
  }
  Server server(ServerOptions{}, shop_handlers(options()));
  server.start();
  ASSERT_TRUE(server.wait_until_ready(std::chrono::seconds(30)));
  RawClient client(server.port());
  for (const std::string& request : requests) {
    client.send(request);
    const Answer answer = client.answer(true, std::chrono::seconds(20));
    EXPECT_EQ(answer.status, 200U) << request << answer.body;
    EXPECT_LT(answer.body.size(), kMostBody) << request;
  }
  // The last are three in one.
  EXPECT_EQ(client.answer().status, 200U);
  EXPECT_EQ(client.answer().status, 200U);
}

TEST_F(BadShopClientsTest, WhatIsNoValueOfAParameterIsRefusedAndNeverGivesAll) {
  // No parameter may be these.
  const std::vector<std::string> bad = {"%00", "a%00",      "%ff",         "%c3%28",
                                        "%",   "%ed%a0%80", "%f4%90%80%80"};
  // These may be searched for, but are no numbers.
  const std::vector<std::string> no_numbers = {"",
                                               "+1",
                                               "%2B1",
                                               "1.0",
                                               "1e3",
                                               "0x10",
                                               "9223372036854775808",
                                               "-9223372036854775809",
                                               "99999999999999999999999999",
                                               "%20%201",
                                               "%25",
                                               "'%20OR%20'1'='1",
                                               "%D9%A3"};
  // And these can be numbers too.
  const std::vector<std::string> odd = {
      "9223372036854775807", "-1", "0", "1", "%25%25%25", "_", "%5C", std::string(5'000, 'a')};
  for (const Route& route : routes()) {
    std::string path(route.path);
    if (path.ends_with('*')) path.back() = 'x';
    for (const std::string_view parameter : route.parameters) {
      const bool is_number = parameter == "page" || parameter == "from" || parameter == "until" ||
                             parameter == "limit";
      for (const auto* values : {&bad, &no_numbers, &odd}) {
        for (const std::string& value : *values) {
          const std::string target = path + "?" + std::string(parameter) + "=" + value;
          SCOPED_TRACE(target);
          const Response response = get_as_staff(target);
          EXPECT_LT(response.status, 500U);
          EXPECT_LT(response.body.size(), kMostBody);
          EXPECT_TRUE(json::accept(response.body));
          if (values == &bad || (values == &no_numbers && is_number)) {
            EXPECT_GE(response.status, 400U);
          }
        }
      }
    }
  }
  EXPECT_THAT(log_, IsEmpty());
}

}  // namespace
}  // namespace shopmark::http
