#include "bench/load/questions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/load/asked.h"
#include "bench/load/store_rows.h"

namespace shopmark::drive {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;
using json = nlohmann::ordered_json;

const StoreRows& rows() {
  static const StoreRows rows = read_store_rows(seed::profile("smoke"));
  return rows;
}

const Questions& questions() {
  static const Questions questions(seed::profile("smoke"), "127.0.0.1:8080", "secret", "run-1");
  return questions;
}

// A request cut into its parts, as a strict server would.
struct Parsed {
  std::string method;
  std::string target;
  std::map<std::string, std::string> headers;
  std::string body;
};

Parsed parse(const std::string& text) {
  Parsed parsed;
  const std::size_t head_end = text.find("\r\n\r\n");
  if (head_end == std::string::npos) throw std::runtime_error("the head does not end");
  parsed.body = text.substr(head_end + 4);
  std::string head = text.substr(0, head_end + 2);
  const std::size_t first_end = head.find("\r\n");
  const std::string first = head.substr(0, first_end);
  const std::size_t blank = first.find(' ');
  const std::size_t last = first.rfind(' ');
  if (first.substr(last) != " HTTP/1.1") throw std::runtime_error("no HTTP/1.1");
  parsed.method = first.substr(0, blank);
  parsed.target = first.substr(blank + 1, last - blank - 1);
  for (const char c : parsed.target) {
    if (c <= ' ' || c > '~') throw std::runtime_error("the target is not plain");
  }
  for (std::size_t begin = first_end + 2; begin < head.size();) {
    const std::size_t end = head.find("\r\n", begin);
    const std::string line = head.substr(begin, end - begin);
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) throw std::runtime_error("no header: " + line);
    if (!parsed.headers.emplace(line.substr(0, colon), line.substr(colon + 2)).second) {
      throw std::runtime_error("a header twice: " + line);
    }
    begin = end + 2;
  }
  return parsed;
}

// A session as the earlier steps leave it.
Session session_before(Route route) {
  Session session;
  if (route == Route::kAddToCart) return session;
  session.cart = "w-0123456789abcdef";
  session.pieces = 3;
  session.variant_id = 77;
  session.shipping_method = "standard";
  if (route != Route::kReceipt) return session;
  session.order = "W-1";
  session.receipt = "/receipts/W-1?signature=ab";
  session.total_cents = 2300;
  return session;
}

Parsed ask(const Question& question, bool close = false) {
  std::string text;
  questions().write(question, session_before(question.route), close, text);
  return parse(text);
}

Question question_of(Route route, std::uint32_t choice = 5) {
  static const RouteParameters parameters;
  return {route, &parameters, choice, 42};
}

const RouteParameters& path_parameters() {
  static const RouteParameters parameters = [] {
    RouteParameters made;
    made.path = "/some/file?x=1";
    made.contains = "hello";
    return made;
  }();
  return parameters;
}

TEST(QuestionsTest, EveryRouteHasAWellFormedRequest) {
  for (const RouteInfo& route : routes()) {
    SCOPED_TRACE(route.name);
    for (std::uint32_t choice = 0; choice < 200; ++choice) {
      Question question = question_of(route.route, choice);
      if (route.route == Route::kPath) question.parameters = &path_parameters();
      const Parsed parsed = ask(question);
      EXPECT_EQ(parsed.headers.at("Host"), "127.0.0.1:8080");
      EXPECT_EQ(parsed.headers.count("Connection"), 0U);
      EXPECT_EQ(parsed.headers.count("Authorization"), route.staff ? 1U : 0U);
      if (route.staff) {
        EXPECT_EQ(parsed.headers.at("Authorization"), "Bearer secret");
      }
      if (parsed.method == "POST") {
        EXPECT_EQ(parsed.headers.at("Content-Length"), std::to_string(parsed.body.size()));
        EXPECT_EQ(parsed.headers.at("Content-Type"), "application/json");
        EXPECT_TRUE(json::parse(parsed.body).is_object());
      } else {
        EXPECT_EQ(parsed.method, "GET");
        EXPECT_THAT(parsed.body, IsEmpty());
      }
    }
  }
}

TEST(QuestionsTest, EachRouteIsAskedForAtItsPath) {
  const std::map<Route, std::string> kTargets = {
      {Route::kHome, "/"},
      {Route::kCatalogFirstPage, "/catalog"},
      {Route::kCatalogDeepPage, R"(/catalog\?[^ ]*&page=[0-9]+)"},
      {Route::kCategory, "/categories/[a-z0-9-]+"},
      {Route::kProductPage, "/products/[a-z0-9-]+"},
      {Route::kSearch, R"(/search\?q=[^ &]+)"},
      {Route::kAddToCart, "/cart/items"},
      {Route::kCart, "/cart/w-0123456789abcdef"},
      {Route::kCheckoutForm, "/checkout/w-0123456789abcdef"},
      {Route::kCheckout, "/checkout"},
      {Route::kReceipt, R"(/receipts/W-1\?signature=ab)"},
      {Route::kOrderList, R"(/admin/orders\?page=[0-9]+)"},
      {Route::kOrderSearch, R"(/admin/orders/search\?q=[^ &]+)"},
      {Route::kOrder, "/admin/orders/[^ ?]+"},
      {Route::kCustomerSearch, R"(/admin/customers\?q=[^ &]+)"},
      {Route::kSummaryReport, R"(/admin/reports/summary(\?from=[0-9]+&until=[0-9]+)?)"},
      {Route::kProductReport,
       R"(/admin/reports/products(\?from=[0-9]+&until=[0-9]+&limit=[0-9]+)?)"},
      {Route::kMcpToolsList, "/mcp"},
      {Route::kMcpGetConfig, "/mcp"},
      {Route::kMcpListOrders, "/mcp"},
      {Route::kMcpGetOrder, "/mcp"},
      {Route::kHealthz, "/healthz"}};
  EXPECT_EQ(kTargets.size() + 1, routes().size());
  for (const auto& [route, target] : kTargets) {
    SCOPED_TRACE(info(route).name);
    for (std::uint32_t choice = 0; choice < 50; ++choice) {
      EXPECT_THAT(ask(question_of(route, choice)).target, MatchesRegex(target));
    }
  }
}

TEST(QuestionsTest, EqualChoicesAskForTheSameAndOthersForOthers) {
  for (const Route route : {Route::kCatalogDeepPage, Route::kCategory, Route::kProductPage,
                            Route::kSearch, Route::kOrder, Route::kCustomerSearch}) {
    SCOPED_TRACE(info(route).name);
    std::set<std::string> targets;
    for (std::uint32_t choice = 0; choice < 100; ++choice) {
      const std::string target = ask(question_of(route, choice)).target;
      EXPECT_EQ(target, ask(question_of(route, choice)).target);
      targets.insert(target);
    }
    EXPECT_GT(targets.size(), 10U);
  }
}

TEST(QuestionsTest, PopularProductsAreAskedForMoreOften) {
  std::size_t of_the_first_quarter = 0;
  const std::size_t quarter = rows().products.size() / 4;
  for (std::uint32_t choice = 0; choice < 1000; ++choice) {
    const ProductRow* product = asked_product(rows(), question_of(Route::kProductPage, choice));
    if (product < rows().products.data() + quarter) ++of_the_first_quarter;
  }
  EXPECT_GT(of_the_first_quarter, 400U);
  EXPECT_LT(of_the_first_quarter, 700U);
}

TEST(QuestionsTest, AConnectionThatIsToBeClosedSaysSo) {
  EXPECT_EQ(ask(question_of(Route::kHome), true).headers.at("Connection"), "close");
  EXPECT_EQ(ask(question_of(Route::kCheckout), true).headers.at("Connection"), "close");
}

TEST(QuestionsTest, WithoutATokenNothingIsClaimed) {
  const Questions none(seed::profile("smoke"), "shop", "", "run");
  std::string text;
  none.write(question_of(Route::kOrder), {}, false, text);
  EXPECT_EQ(parse(text).headers.count("Authorization"), 0U);
}

TEST(QuestionsTest, ARequestIsAppendedToWhatIsThere) {
  std::string text = "before";
  questions().write(question_of(Route::kHealthz), {}, false, text);
  EXPECT_THAT(text, StartsWith("beforeGET /healthz HTTP/1.1\r\n"));
}

TEST(QuestionsTest, ACheckoutHasAKeyOfItsRunAndVisit) {
  const Parsed parsed = ask(question_of(Route::kCheckout));
  EXPECT_EQ(parsed.headers.at("Idempotency-Key"), "run-1-42");
  const json body = json::parse(parsed.body);
  EXPECT_EQ(body.at("cart"), "w-0123456789abcdef");
  EXPECT_EQ(body.at("shipping_method"), "standard");
  EXPECT_EQ(body.count("coupon"), 0U);
  const json& ship_to = body.at("ship_to");
  for (const char* name : {"name", "line1", "city", "postcode", "country"}) {
    EXPECT_FALSE(ship_to.at(name).get<std::string>().empty()) << name;
  }
  EXPECT_EQ(ship_to.at("country"),
            json::parse(ask(question_of(Route::kAddToCart, 99)).body).at("country"));
}

TEST(QuestionsTest, SoManyOrdersOfAHundredHaveACouponAsTheScenarioSays) {
  RouteParameters parameters;
  parameters.coupon_percent = 30;
  int with_coupon = 0;
  for (std::uint32_t choice = 0; choice < 1000; ++choice) {
    Question question = question_of(Route::kCheckout, choice);
    question.parameters = &parameters;
    if (json::parse(ask(question).body).contains("coupon")) ++with_coupon;
  }
  EXPECT_NEAR(with_coupon, 300, 60);
}

TEST(QuestionsTest, ACartThatIsThereIsAddedTo) {
  Session session;
  session.cart = "w-1";
  std::string text;
  questions().write(question_of(Route::kAddToCart), session, false, text);
  const json body = json::parse(parse(text).body);
  EXPECT_EQ(body.at("cart"), "w-1");
  EXPECT_EQ(body.count("country"), 0U);
}

TEST(QuestionsTest, TheProtocolsRequestsAreJsonRpc) {
  const Parsed list = ask(question_of(Route::kMcpToolsList));
  EXPECT_EQ(list.headers.at("MCP-Protocol-Version"), "2025-06-18");
  EXPECT_EQ(list.headers.at("Accept"), "application/json, text/event-stream");
  EXPECT_EQ(json::parse(list.body),
            json::parse(R"({"jsonrpc": "2.0", "id": 6, "method": "tools/list"})"));
  const json config = json::parse(ask(question_of(Route::kMcpGetConfig)).body);
  EXPECT_EQ(config.at("method"), "tools/call");
  EXPECT_EQ(config.at("params"), json::parse(R"({"name": "get_config", "arguments": {}})"));
  const json order = json::parse(ask(question_of(Route::kMcpGetOrder)).body);
  EXPECT_EQ(order.at("params").at("arguments").at("number"),
            asked_order(rows(), question_of(Route::kMcpGetOrder)).number);
  EXPECT_EQ(json::parse(ask(question_of(Route::kMcpListOrders)).body)
                .at("params")
                .at("arguments")
                .at("page"),
            asked_order_page(rows(), question_of(Route::kMcpListOrders)));
}

TEST(QuestionsTest, DeepPagesExistAndAreNotTheFirst) {
  for (std::uint32_t choice = 0; choice < 500; ++choice) {
    const AskedListing asked = asked_listing(rows(), question_of(Route::kCatalogDeepPage, choice));
    EXPECT_GE(asked.page, 2);
    EXPECT_LE(asked.page, asked.listing->pages());
  }
}

TEST(QuestionsTest, OrderPagesAreThoseThatTheScenarioAllows) {
  RouteParameters parameters;
  parameters.most_pages = 3;
  std::set<std::int64_t> pages;
  for (std::uint32_t choice = 0; choice < 100; ++choice) {
    Question question = question_of(Route::kOrderList, choice);
    question.parameters = &parameters;
    pages.insert(asked_order_page(rows(), question));
  }
  EXPECT_THAT(pages, ElementsAre(1, 2, 3));
}

TEST(QuestionsTest, WhateverIsNoPlainCharacterIsEncoded) {
  std::string text;
  append_encoded(text, "a Z9-._~+&=%/?\xC3\xA9");
  EXPECT_EQ(text, "a%20Z9-._~%2B%26%3D%25%2F%3F%C3%A9");
}

// ---- the store's rows, against what the repositories' own tests hold
// ------------------------------

TEST(StoreRowsTest, TheStandardStoreHasTheCountsThatItsQueriesAreTestedWith) {
  const StoreRows standard = read_store_rows(seed::profile("standard"));
  // Of bench/cases/parameters.json: page 203 of the catalog has 3 products.
  EXPECT_EQ(standard.catalog.products.size(), 202U * 24 + 3);
  EXPECT_EQ(standard.catalog.pages(), 203);
  EXPECT_EQ(standard.by_slug.count("lively-oak-jacket-3094"), 1U);
  EXPECT_EQ(standard.products[standard.by_slug.at("lively-oak-jacket-3094")].id, 3094);
  EXPECT_EQ(standard.categories, 51);
  EXPECT_GT(standard.filtered.size(), 100U);
  EXPECT_GT(standard.searches.size(), 200U);
  EXPECT_GT(standard.stocked.size(), 1000U);
  EXPECT_FALSE(standard.coupon.empty());
  EXPECT_EQ(standard.last_orders.size(), 5000U);
  EXPECT_EQ(standard.last_orders.back().id, 250'000);
  EXPECT_EQ(standard.customers.size(), 5000U);
}

// ---- answers
// --------------------------------------------------------------------------------------

json products_of(const AskedListing& asked) {
  json products = json::array();
  const auto& all = asked.listing->products;
  const auto first = static_cast<std::size_t>((asked.page - 1) * 24);
  for (std::size_t i = first; i < std::min(all.size(), first + 24); ++i) {
    products.push_back(
        {{"id", rows().products[all[i]].id}, {"slug", rows().products[all[i]].slug}});
  }
  return products;
}

json listing_of(const Question& question) {
  const AskedListing asked = asked_listing(rows(), question);
  return {{"page", asked.page},
          {"pages", asked.listing->pages()},
          {"total", asked.listing->products.size()},
          {"products", products_of(asked)}};
}

json amounts(std::int64_t subtotal, std::int64_t shipping, std::int64_t tax) {
  return {{"subtotal_cents", subtotal},
          {"discount_cents", 100},
          {"shipping_cents", shipping},
          {"tax_cents", tax},
          {"total_cents", subtotal - 100 + shipping + tax}};
}

json cart_answer() {
  json cart = {{"cart", "w-0123456789abcdef"},
               {"lines",
                {{{"variant_id", 77},
                  {"quantity", 3},
                  {"unit_price_cents", 600},
                  {"total_cents", 3 * 600 - 100 + 100}}}},
               {"coupon", "none"},
               {"ships", true}};
  cart.update(amounts(1800, 500, 100));
  return cart;
}

json order_parts(json order, std::int64_t total, std::int64_t pieces) {
  order.update(amounts(total - 500 - 100 + 100, 500, 100));
  return {
      {"order", order},
      {"items", {{{"quantity", pieces}}}},
      {"adjustments", {{{"amount_cents", -100}}, {{"amount_cents", 500}}, {{"amount_cents", 100}}}},
      {"transactions", json::array()}};
}

json order_answer(const OrderRow& order) {
  return order_parts({{"number", order.number}, {"id", order.id}}, order.total_cents, 2);
}

json listed(const std::string& number, std::int64_t placed_at) {
  return {{"id", 1},          {"number", number}, {"email", "a@b"},
          {"status", "paid"}, {"total_cents", 5}, {"placed_at", placed_at}};
}

json order_page(const Question& question) {
  json orders = json::array();
  for (std::int64_t i = 0; i < 25; ++i) orders.push_back(listed(std::to_string(i), 100 - i));
  return {{"page", asked_order_page(rows(), question)}, {"orders", orders}};
}

json rpc(const Question& question, const json& result) {
  return {{"jsonrpc", "2.0"}, {"id", asked_id(question)}, {"result", result}};
}

json tool_result(const Question& question, const json& content) {
  return rpc(question, {{"content", {{{"type", "text"}, {"text", content.dump()}}}},
                        {"structuredContent", content},
                        {"isError", false}});
}

json month(const std::string& name) {
  json row = {{"month", name}, {"orders", 4}};
  row.update(amounts(1000, 50, 60));
  return row;
}

json right_answer_of_staff(const Question& question);

json right_answer(const Question& question) {
  switch (question.route) {
    case Route::kHome: {
      json answer = listing_of(question);
      answer.erase("page");
      answer.erase("pages");
      answer["categories"] = json::array();
      for (std::int64_t i = 0; i < rows().categories; ++i) {
        answer["categories"].push_back({{"id", i + 1}});
      }
      return answer;
    }
    case Route::kCatalogFirstPage:
    case Route::kCatalogDeepPage:
      return listing_of(question);
    case Route::kCategory: {
      json answer = listing_of(question);
      answer["category"] = {{"id", 1}, {"slug", asked_listing(rows(), question).listing->echo}};
      return answer;
    }
    case Route::kSearch: {
      json answer = listing_of(question);
      answer["query"] = asked_listing(rows(), question).listing->echo;
      return answer;
    }
    case Route::kProductPage: {
      const ProductRow& product = *asked_product(rows(), question);
      json answer = {{"product", {{"id", product.id}, {"slug", product.slug}}},
                     {"variants", json::array()}};
      for (std::int64_t i = 0; i < product.variants; ++i) {
        answer["variants"].push_back({{"id", product.first_variant + i}});
      }
      for (const char* name :
           {"variant_options", "media", "attributes", "categories", "tags", "files"}) {
        answer[name] = json::array();
      }
      return answer;
    }
    case Route::kAddToCart: {
      const AskedVariant asked = asked_variant(rows(), question);
      return {{"outcome", "added"},       {"cart", "w-new"},
              {"variant_id", asked.id},   {"quantity", asked.quantity},
              {"pieces", asked.quantity}, {"lines", 1},
              {"available", 50}};
    }
    case Route::kCart:
      return cart_answer();
    case Route::kCheckoutForm:
      return {{"cart", cart_answer()},
              {"country", shopper_of(rows(), question).country},
              {"region", nullptr},
              {"shipping_method", "standard"},
              {"methods", {{{"code", "express"}}, {{"code", "standard"}}}}};
    case Route::kCheckout: {
      json answer = {{"outcome", "placed"}, {"order", "W-9"}, {"pieces", 3}};
      answer.update(amounts(1800, 500, 100));
      answer["placed_at"] = 5;
      answer["receipt"] = "/receipts/W-9?signature=abcd";
      return answer;
    }
    case Route::kReceipt:
      return order_parts({{"number", "W-1"}}, 2300, 3);
    case Route::kHealthz:
      return {{"status", "ok"}};
    default:
      return right_answer_of_staff(question);
  }
}

json right_answer_of_staff(const Question& question) {
  switch (question.route) {
    case Route::kOrderList:
      return order_page(question);
    case Route::kOrderSearch: {
      const AskedOrders asked = asked_orders(rows(), question);
      json order = listed("N1", 9);
      order["email"] = asked.text + "mail.example";
      if (asked.order != nullptr) {
        order["number"] = asked.order->number;
        order["id"] = asked.order->id;
        order["total_cents"] = asked.order->total_cents;
      }
      return {{"query", asked.text}, {"orders", {order}}};
    }
    case Route::kOrder:
      return order_answer(asked_order(rows(), question));
    case Route::kCustomerSearch: {
      const std::string prefix = asked_customers(rows(), question);
      return {{"query", prefix},
              {"customers", {{{"email", prefix + "a"}}, {{"email", prefix + "b"}}}}};
    }
    case Route::kSummaryReport: {
      const AskedReport asked = asked_report(question);
      json totals = {{"orders", 8}};
      totals.update(amounts(2000, 100, 120));
      totals["discount_cents"] = 200;
      totals["total_cents"] = 2020;
      return {{"from", asked.from},
              {"until", asked.until},
              {"months", {month("2026-01"), month("2026-02")}},
              {"totals", totals}};
    }
    case Route::kProductReport: {
      const AskedReport asked = asked_report(question);
      json products = json::array();
      for (std::int64_t i = 0; i < asked.limit; ++i) {
        products.push_back({{"product_id", i + 1}, {"revenue_cents", 1000 - i}});
      }
      return {{"from", asked.from}, {"until", asked.until}, {"products", products}};
    }
    case Route::kMcpToolsList:
      return rpc(
          question,
          {{"tools",
            {{{"name", "get_config"}}, {{"name", "list_orders"}}, {{"name", "get_order"}}}}});
    case Route::kMcpGetConfig:
      return tool_result(question, {{"profile", "smoke"}});
    case Route::kMcpListOrders:
      return tool_result(question, order_page(question));
    case Route::kMcpGetOrder:
      return tool_result(question, order_answer(asked_order(rows(), question)));
    default:
      throw std::logic_error("no answer is written for this route");
  }
}

// What `check` says of a body; "right" when it is.
std::string verdict(const Question& question, std::string body, unsigned status = 200) {
  Session session = session_before(question.route);
  return questions().check(question, session, status, body).value_or("right");
}

// A question about a period when the route has one, and by number when it searches for orders.
Question telling_question(Route route) {
  for (std::uint32_t choice = 0;; ++choice) {
    const Question question = question_of(route, choice);
    if (route == Route::kSummaryReport || route == Route::kProductReport) {
      if (!asked_report(question).period) continue;
    }
    if (route == Route::kOrderSearch && asked_orders(rows(), question).order == nullptr) continue;
    return question;
  }
}

struct Change {
  Route route;
  std::string pointer;
  json value;  // discarded: the member is taken away
};

const json kGone = json(json::value_t::discarded);

std::vector<Change> changes() {
  return {
      {Route::kHome, "/total", 1},
      {Route::kHome, "/total", kGone},
      {Route::kHome, "/products/0/id", 999'999},
      {Route::kHome, "/products/23", kGone},
      {Route::kHome, "/categories/0", kGone},
      {Route::kCatalogFirstPage, "/page", 2},
      {Route::kCatalogFirstPage, "/pages", 1},
      {Route::kCatalogFirstPage, "/total", "394"},
      {Route::kCatalogFirstPage, "/products/5/id", kGone},
      {Route::kCatalogFirstPage, "/products", kGone},
      {Route::kCatalogDeepPage, "/page", 1},
      {Route::kCatalogDeepPage, "/total", 0},
      {Route::kCatalogDeepPage, "/products/0", kGone},
      {Route::kCategory, "/category/slug", "other"},
      {Route::kCategory, "/category", kGone},
      {Route::kCategory, "/products/0/id", -1},
      {Route::kSearch, "/query", "other"},
      {Route::kSearch, "/products/0", kGone},
      {Route::kSearch, "/total", 100'000},
      {Route::kProductPage, "/product/id", 999'999},
      {Route::kProductPage, "/product/slug", "other"},
      {Route::kProductPage, "/product", kGone},
      {Route::kProductPage, "/variants/0", kGone},
      {Route::kProductPage, "/variants/0/id", 1'000'000},
      {Route::kProductPage, "/tags", kGone},
      {Route::kProductPage, "/media", 5},
      {Route::kAddToCart, "/outcome", "refused"},
      {Route::kAddToCart, "/variant_id", 999'999},
      {Route::kAddToCart, "/quantity", 98},
      {Route::kAddToCart, "/pieces", 98},
      {Route::kAddToCart, "/lines", 2},
      {Route::kAddToCart, "/cart", ""},
      {Route::kAddToCart, "/cart", kGone},
      {Route::kAddToCart, "/available", 0},
      {Route::kCart, "/cart", "w-other"},
      {Route::kCart, "/lines/0/quantity", 4},
      {Route::kCart, "/lines/0/variant_id", 78},
      {Route::kCart, "/lines/0/unit_price_cents", 601},
      {Route::kCart, "/lines/0/total_cents", 1},
      {Route::kCart, "/total_cents", 1},
      {Route::kCart, "/shipping_cents", kGone},
      {Route::kCheckoutForm, "/cart/cart", "w-other"},
      {Route::kCheckoutForm, "/cart/total_cents", 1},
      {Route::kCheckoutForm, "/country", "XX"},
      {Route::kCheckoutForm, "/methods", json::array()},
      {Route::kCheckoutForm, "/methods/0/code", kGone},
      {Route::kCheckout, "/outcome", "no_shipping"},
      {Route::kCheckout, "/order", kGone},
      {Route::kCheckout, "/order", "W-8"},
      {Route::kCheckout, "/pieces", 4},
      {Route::kCheckout, "/total_cents", 1},
      {Route::kCheckout, "/receipt", "/receipts/W-9"},
      {Route::kCheckout, "/receipt", "/receipts/W-9?signature=a b"},
      {Route::kReceipt, "/order/number", "W-2"},
      {Route::kReceipt, "/order/total_cents", 2301},
      {Route::kReceipt, "/items/0/quantity", 2},
      {Route::kReceipt, "/adjustments/0", kGone},
      {Route::kReceipt, "/transactions", kGone},
      {Route::kOrderList, "/page", 99},
      {Route::kOrderList, "/orders/3", kGone},
      {Route::kOrderList, "/orders/3/placed_at", 1000},
      {Route::kOrderList, "/orders/3/number", 5},
      {Route::kOrderSearch, "/query", "other"},
      {Route::kOrderSearch, "/orders/0/number", "other"},
      {Route::kOrderSearch, "/orders/0/total_cents", 1},
      {Route::kOrderSearch, "/orders/0", kGone},
      {Route::kOrder, "/order/number", "other"},
      {Route::kOrder, "/order/id", 0},
      {Route::kOrder, "/order/total_cents", 1},
      {Route::kOrder, "/order/tax_cents", 101},
      {Route::kOrder, "/items", json::array()},
      {Route::kOrder, "/adjustments/2/amount_cents", 99},
      {Route::kCustomerSearch, "/query", "other"},
      {Route::kCustomerSearch, "/customers", json::array()},
      {Route::kCustomerSearch, "/customers/1/email", "!"},
      {Route::kCustomerSearch, "/customers/0/email", kGone},
      {Route::kSummaryReport, "/from", 5},
      {Route::kSummaryReport, "/months", json::array()},
      {Route::kSummaryReport, "/months/1/month", "2025-12"},
      {Route::kSummaryReport, "/months/1/total_cents", 1},
      {Route::kSummaryReport, "/totals/orders", 9},
      {Route::kSummaryReport, "/totals", kGone},
      {Route::kProductReport, "/until", 5},
      {Route::kProductReport, "/products/0", kGone},
      {Route::kProductReport, "/products/4/revenue_cents", 5000},
      {Route::kMcpToolsList, "/id", 1'000},
      {Route::kMcpToolsList, "/jsonrpc", "1.0"},
      {Route::kMcpToolsList, "/result/tools/1", kGone},
      {Route::kMcpToolsList, "/error", {{"code", -32603}}},
      {Route::kMcpGetConfig, "/id", "1"},
      {Route::kMcpGetConfig, "/result/isError", true},
      {Route::kMcpGetConfig, "/result/isError", "false"},
      {Route::kMcpGetConfig, "/result", 5},
      {Route::kMcpGetConfig, "/result/structuredContent/profile", "standard"},
      {Route::kMcpGetConfig, "/result/structuredContent", kGone},
      {Route::kMcpListOrders, "/result/structuredContent/page", 99},
      {Route::kMcpListOrders, "/result/structuredContent/orders/0", kGone},
      {Route::kMcpGetOrder, "/result/structuredContent/order/number", "other"},
      {Route::kMcpGetOrder, "/result/content", json::array()},
      {Route::kMcpGetOrder, "/result", kGone},
      {Route::kHealthz, "/status", "stopping"},
  };
}

TEST(AnswersTest, ARightAnswerOfEachRouteIsRight) {
  for (const RouteInfo& route : routes()) {
    if (route.route == Route::kPath) continue;
    SCOPED_TRACE(route.name);
    for (std::uint32_t choice = 0; choice < 100; ++choice) {
      const Question question = question_of(route.route, choice);
      EXPECT_EQ(verdict(question, right_answer(question).dump()), "right");
    }
  }
}

TEST(AnswersTest, AnAnswerThatDiffersInWhatWasAskedForIsWrong) {
  std::set<Route> changed;
  for (const Change& change : changes()) {
    SCOPED_TRACE(std::string(info(change.route).name) + " " + change.pointer + " " +
                 (change.value.is_discarded() ? "gone" : change.value.dump()));
    const Question question = telling_question(change.route);
    json answer = right_answer(question);
    ASSERT_EQ(verdict(question, answer.dump()), "right");
    const json::json_pointer pointer(change.pointer);
    if (!change.value.is_discarded()) {
      answer[pointer] = change.value;
    } else if (json& parent = answer.at(pointer.parent_pointer()); parent.is_array()) {
      parent.erase(std::stoul(pointer.back()));
    } else {
      parent.erase(pointer.back());
    }
    const std::string why = verdict(question, answer.dump());
    EXPECT_NE(why, "right");
    EXPECT_EQ(why.find('\n'), std::string::npos);
    changed.insert(change.route);
  }
  EXPECT_EQ(changed.size() + 1, routes().size());  // all but path
}

// Right in itself, and yet not what was asked for.
struct Other {
  Route route;
  std::string why;
  std::function<void(json& answer)> change;
};

std::vector<Other> others() {
  const auto other_total = [](json& answer) {
    answer["order"]["subtotal_cents"] = answer["order"]["subtotal_cents"].get<int>() + 1;
    answer["order"]["total_cents"] = answer["order"]["total_cents"].get<int>() + 1;
  };
  return {
      {Route::kProductPage, "variants are more or fewer",
       [](json& answer) {
         answer["variants"].push_back({{"id", 5}});
       }},
      {Route::kAddToCart, "quantity is another",
       [](json& answer) { answer["quantity"] = answer["quantity"].get<int>() + 1; }},
      {Route::kAddToCart, "available is negative",
       [](json& answer) {
         answer["outcome"] = "out_of_stock";
         answer["available"] = -1;
       }},
      {Route::kCart, "pieces are more or fewer",
       [](json& answer) {
         answer["lines"].push_back(
             {{"variant_id", 78}, {"quantity", 1}, {"unit_price_cents", 0}, {"total_cents", 0}});
       }},
      {Route::kCheckoutForm, "methods: code is empty",
       [](json& answer) { answer["methods"][0]["code"] = ""; }},
      {Route::kCheckout, "order is empty",
       [](json& answer) {
         answer["order"] = "";
         answer["receipt"] = "/receipts/?signature=ab";
       }},
      {Route::kReceipt, "order.total_cents is another", other_total},
      {Route::kOrder, "order.total_cents is another", other_total},
      {Route::kOrderSearch, "orders are more or fewer",
       [](json& answer) { answer["orders"].push_back(listed("N2", 1)); }},
      {Route::kCustomerSearch, "customers are others",
       [](json& answer) {
         answer["customers"][1]["email"] = "~" + answer["query"].get<std::string>();
       }},
      {Route::kCustomerSearch, "customers are not in order",
       [](json& answer) { std::swap(answer["customers"][0], answer["customers"][1]); }},
      {Route::kSummaryReport, "months has nothing in it",
       [](json& answer) {
         answer["months"] = json::array();
         for (auto& total : answer["totals"]) total = 0;
       }},
      {Route::kSummaryReport, "months have no orders",
       [](json& answer) {
         for (json& row : answer["months"]) row["orders"] = 0;
         answer["totals"]["orders"] = 0;
       }},
      {Route::kSummaryReport, "months are not in order",
       [](json& answer) { std::swap(answer["months"][0], answer["months"][1]); }},
      {Route::kProductReport, "from or until is another",
       [](json& answer) { answer["from"] = answer["from"].get<std::int64_t>() - 1; }},
  };
}

TEST(AnswersTest, AnAnswerThatIsRightInItselfAndNotWhatWasAskedForIsWrong) {
  for (const Other& other : others()) {
    SCOPED_TRACE(std::string(info(other.route).name) + ": " + other.why);
    const Question question = telling_question(other.route);
    json answer = right_answer(question);
    other.change(answer);
    EXPECT_EQ(verdict(question, answer.dump()), other.why);
  }
}

TEST(AnswersTest, AReportWithoutAPeriodMustStillHaveOne) {
  for (std::uint32_t choice = 0;; ++choice) {
    const Question question = question_of(Route::kSummaryReport, choice);
    if (asked_report(question).period) continue;
    json answer = right_answer(question);
    answer["from"] = 1000;
    answer["until"] = 1001;
    EXPECT_EQ(verdict(question, answer.dump()), "right");
    answer["until"] = 1000;
    EXPECT_EQ(verdict(question, answer.dump()), "from is not before until");
    break;
  }
}

TEST(AnswersTest, ACartThatWasThereHasWhatItHadAndMore) {
  const Question question = question_of(Route::kAddToCart);
  const AskedVariant asked = asked_variant(rows(), question);
  json answer = {{"outcome", "added"},
                 {"cart", "w-0123456789abcdef"},
                 {"variant_id", asked.id},
                 {"quantity", asked.quantity},
                 {"pieces", 3 + asked.quantity},
                 {"lines", 2},
                 {"available", 50}};
  const auto check = [&] {
    Session session = session_before(Route::kCart);
    std::string body = answer.dump();
    return questions().check(question, session, 200, body).value_or("right");
  };
  EXPECT_EQ(check(), "right");
  answer["pieces"] = asked.quantity;
  EXPECT_EQ(check(), "pieces are more or fewer");
  answer["pieces"] = 3 + asked.quantity;
  answer["cart"] = "w-other";
  EXPECT_EQ(check(), "cart is another");
}

TEST(AnswersTest, WhatIsCutShortIsNoJson) {
  for (const RouteInfo& route : routes()) {
    if (route.route == Route::kPath || route.route == Route::kHealthz) continue;
    SCOPED_TRACE(route.name);
    const Question question = question_of(route.route);
    const std::string body = right_answer(question).dump();
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, body.size() / 2, body.size() - 1}) {
      EXPECT_EQ(verdict(question, body.substr(0, bytes)), "the answer is not JSON");
    }
    EXPECT_EQ(verdict(question, body + "x"), "the answer is not JSON");
    EXPECT_EQ(verdict(question, body + std::string("\0x", 2)), "the answer holds a NUL");
    EXPECT_EQ(verdict(question, "[]"), "the answer is no JSON object");
  }
}

TEST(AnswersTest, ABodyOfManyBracketsIsOnlyWrong) {
  EXPECT_EQ(verdict(question_of(Route::kHome), std::string(2'000'000, '[')),
            "the answer is not JSON");
  EXPECT_EQ(
      verdict(question_of(Route::kHome), std::string(500'000, '[') + std::string(500'000, ']')),
      "the answer is no JSON object");
}

TEST(AnswersTest, AnotherStatusIsWrongWhateverTheBody) {
  for (const RouteInfo& route : routes()) {
    if (route.route == Route::kPath) continue;
    SCOPED_TRACE(route.name);
    const Question question = question_of(route.route);
    for (const unsigned status : {201U, 304U, 404U, 500U, 503U}) {
      EXPECT_EQ(verdict(question, right_answer(question).dump(), status),
                "status " + std::to_string(status));
    }
  }
}

TEST(AnswersTest, APathIsRightWithWhatItMustHold) {
  Question question = question_of(Route::kPath);
  question.parameters = &path_parameters();
  EXPECT_EQ(verdict(question, "well, hello there"), "right");
  EXPECT_EQ(verdict(question, "well"), "the answer does not hold what it must");
  EXPECT_EQ(verdict(question, "hello", 404), "status is another");
  static const RouteParameters anything;
  question.parameters = &anything;
  EXPECT_EQ(verdict(question, "", 204), "right");
  EXPECT_EQ(verdict(question, "", 304), "right");
}

TEST(AnswersTest, OneSlugIsAskedForAndCompared) {
  RouteParameters parameters;
  parameters.slug = rows().products[7].slug;
  Question question = question_of(Route::kProductPage);
  question.parameters = &parameters;
  EXPECT_EQ(ask(question).target, "/products/" + rows().products[7].slug);
  const json answer = right_answer(question);
  EXPECT_EQ(answer.at("product").at("id"), rows().products[7].id);
  EXPECT_EQ(verdict(question, answer.dump()), "right");
  parameters.slug = "none of ours";
  EXPECT_EQ(ask(question).target, "/products/none%20of%20ours");
  EXPECT_EQ(verdict(question, answer.dump()), "product.slug is another");
}

TEST(AnswersTest, FacetsThatWereAskedForMustBeThere) {
  RouteParameters parameters;
  parameters.facets = true;
  Question question = question_of(Route::kCatalogDeepPage);
  question.parameters = &parameters;
  EXPECT_THAT(ask(question).target, HasSubstr("&facets=1"));
  json answer = right_answer(question);
  EXPECT_EQ(verdict(question, answer.dump()), "facets is missing");
  answer["facets"] = json::array();
  EXPECT_EQ(verdict(question, answer.dump()), "facets has nothing in it");
  answer["facets"] = {{{"facet_group", "tag"}}};
  EXPECT_EQ(verdict(question, answer.dump()), "right");
}

TEST(AnswersTest, OrdersFoundByAnAddressAllHaveIt) {
  for (std::uint32_t choice = 0;; ++choice) {
    const Question question = question_of(Route::kOrderSearch, choice);
    if (asked_orders(rows(), question).order != nullptr) continue;
    json answer = right_answer(question);
    EXPECT_EQ(verdict(question, answer.dump()), "right");
    answer["orders"][0]["email"] = "other@mail.example";
    EXPECT_EQ(verdict(question, answer.dump()), "orders are others");
    answer["orders"] = json::array();
    EXPECT_EQ(verdict(question, answer.dump()), "orders has nothing in it");
    break;
  }
}

TEST(AnswersTest, ASessionKeepsWhatItsLaterStepsNeed) {
  Session session;
  const Question add = question_of(Route::kAddToCart);
  std::string body = right_answer(add).dump();
  ASSERT_EQ(questions().check(add, session, 200, body), std::nullopt);
  EXPECT_EQ(session.cart, "w-new");
  EXPECT_EQ(session.pieces, asked_variant(rows(), add).quantity);
  EXPECT_EQ(session.variant_id, asked_variant(rows(), add).id);

  session = session_before(Route::kCheckoutForm);
  const Question form = question_of(Route::kCheckoutForm);
  body = right_answer(form).dump();
  ASSERT_EQ(questions().check(form, session, 200, body), std::nullopt);
  EXPECT_EQ(session.shipping_method, "express");

  const Question checkout = question_of(Route::kCheckout);
  body = right_answer(checkout).dump();
  ASSERT_EQ(questions().check(checkout, session, 200, body), std::nullopt);
  EXPECT_EQ(session.order, "W-9");
  EXPECT_EQ(session.receipt, "/receipts/W-9?signature=abcd");
  EXPECT_EQ(session.total_cents, 2300);
}

TEST(AnswersTest, OutOfStockIsRightAndEndsTheSession) {
  Session session = session_before(Route::kCart);
  const Question add = question_of(Route::kAddToCart);
  const json none = {
      {"outcome", "out_of_stock"}, {"variant_id", asked_variant(rows(), add).id}, {"available", 0}};
  std::string body = none.dump();
  EXPECT_EQ(questions().check(add, session, 200, body), std::nullopt);
  EXPECT_THAT(session.cart, IsEmpty());

  session = session_before(Route::kReceipt);
  body = R"({"outcome": "out_of_stock", "missing": [{"position": 1}]})";
  EXPECT_EQ(questions().check(question_of(Route::kCheckout), session, 200, body), std::nullopt);
  EXPECT_THAT(session.order, IsEmpty());
  EXPECT_EQ(verdict(question_of(Route::kCheckout), R"({"outcome": "out_of_stock", "missing": []})"),
            "missing has nothing in it");
}

TEST(AnswersTest, AFailedStepLeavesNothingOfAnEarlierOne) {
  for (const unsigned status : {200U, 503U}) {
    Session session = session_before(Route::kReceipt);
    std::string body = "{}";
    questions().check(question_of(Route::kCheckout), session, status, body);
    EXPECT_THAT(session.order, IsEmpty());
    body = "{}";
    questions().check(question_of(Route::kAddToCart), session, status, body);
    EXPECT_THAT(session.cart, IsEmpty());
  }
}

}  // namespace
}  // namespace shopmark::drive
