#include "bench/http/shop/mcp_tools.h"

#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "bench/http/shop/json_schema.h"
#include "bench/http/shop/refusal.h"
#include "fixtures/store/checkout.h"

namespace shopmark::http {

namespace {

constexpr std::size_t kLongestNumber = 160;

// What get_config says.
struct Config {
  std::string shop;
  std::string engine;
  std::string engine_version;
  std::string profile;
  std::string data_digest;
  std::int64_t clock = 0;  // Unix seconds
  std::string currency;
  std::int64_t products_per_page = 0;
  std::int64_t orders_per_page = 0;
  std::int64_t most_pieces_of_a_variant = 0;
  std::int64_t most_lines_of_a_cart = 0;
  bool database_answers = false;

  template <typename Visitor>
  static void fields(Visitor&& visit) {
    visit("shop", &Config::shop);
    visit("engine", &Config::engine);
    visit("engine_version", &Config::engine_version);
    visit("profile", &Config::profile);
    visit("data_digest", &Config::data_digest);
    visit("clock", &Config::clock);
    visit("currency", &Config::currency);
    visit("products_per_page", &Config::products_per_page);
    visit("orders_per_page", &Config::orders_per_page);
    visit("most_pieces_of_a_variant", &Config::most_pieces_of_a_variant);
    visit("most_lines_of_a_cart", &Config::most_lines_of_a_cart);
    visit("database_answers", &Config::database_answers);
  }
};

// What list_orders says.
struct OrderPage {
  std::int64_t page = 0;
  std::vector<store::ListedOrder> orders;

  template <typename Visitor>
  static void parts(Visitor&& visit) {
    visit("page", &OrderPage::page);
    visit("orders", &OrderPage::orders);
  }
};

// Each writes its result and returns true, or returns false with why as plain text.
struct ToolAnswer {
  bool good = true;
  std::string text;  // JSON when good
};

ToolAnswer get_config(Call& call, Members& arguments) {
  arguments.refuse_others();
  Shop& shop = call.shop;
  const load::StoreMark& mark = shop.fixture.mark();
  Config config;
  config.shop = "Shopmark";
  config.engine = shop.engine.engine;
  config.engine_version = shop.engine.version;
  config.profile = mark.profile;
  config.data_digest = mark.data_digest;
  config.clock = mark.clock;
  config.currency = "EUR";
  config.products_per_page = store::kProductsPerPage;
  config.orders_per_page = store::kOrdersPerPage;
  config.most_pieces_of_a_variant = store::kMostPieces;
  config.most_lines_of_a_cart = store::kMostLines;
  config.database_answers = shop.store().round_trip();
  call.json().value(config);
  return {true, call.json().take()};
}

ToolAnswer list_orders(Call& call, Members& arguments) {
  OrderPage page;
  page.page = arguments.has("page")
                  ? arguments.integer("page", 1, std::numeric_limits<std::int64_t>::max())
                  : 1;
  arguments.refuse_others();
  page.orders = call.shop.store().orders().list(page.page);
  call.json().value(page);
  return {true, call.json().take()};
}

ToolAnswer get_order(Call& call, Members& arguments) {
  const std::string number = arguments.text("number", kLongestNumber);
  arguments.refuse_others();
  const auto detail = call.shop.store().orders().detail(number);
  if (!detail) return {false, "There is no order of this number."};
  call.json().value(*detail);
  return {true, call.json().take()};
}

struct Tool {
  std::string_view name;
  std::string_view route;
  std::string_view title;
  std::string_view description;
  std::string_view input_schema;
  std::string (*output_schema)();
  ToolAnswer (*answer)(Call& call, Members& arguments);
};

constexpr std::array<Tool, 3> kTools = {{
    {"get_config", "mcp_get_config", "Configuration of the shop",
     "What shop this is, which database holds it, and its limits.",
     R"({"type":"object","properties":{},"additionalProperties":false})", json_schema<Config>,
     get_config},
    {"list_orders", "mcp_list_orders", "List of orders",
     "A page of 25 orders, newest first. Amounts are in cents, times in Unix seconds.",
     R"({"type":"object","properties":{"page":{"type":"integer","minimum":1,"default":1,)"
     R"("description":"Pages count from 1; past the last there are no orders."}},)"
     R"("additionalProperties":false})",
     json_schema<OrderPage>, list_orders},
    {"get_order", "mcp_get_order", "One order",
     "An order with its items, adjustments, history, payments, shipments and downloads. Amounts "
     "are "
     "in cents, times in Unix seconds.",
     R"({"type":"object","properties":{"number":{"type":"string","minLength":1,)"
     R"("description":"The order's number, as list_orders gives it."}},"required":["number"],)"
     R"("additionalProperties":false})",
     json_schema<store::OrderDetail>, get_order},
}};

std::string make_manifest() {
  JsonWriter json;
  json.begin_object();
  json.key("tools");
  json.begin_array();
  for (const Tool& tool : kTools) {
    json.begin_object();
    json.member("name", tool.name);
    json.member("title", tool.title);
    json.member("description", tool.description);
    json.raw_member("inputSchema", tool.input_schema);
    json.raw_member("outputSchema", tool.output_schema());
    json.raw_member("annotations", R"({"readOnlyHint":true,"openWorldHint":false})");
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take();
}

const Tool& tool_of(const Json& params) {
  const auto name = params.find("name");
  if (name == params.end() || !name->is_string()) {
    throw RpcError(RpcError::kInvalidParams, "params.name must be a text");
  }
  for (const Tool& tool : kTools) {
    if (*name == tool.name) return tool;
  }
  throw RpcError(RpcError::kInvalidParams, "there is no tool of this name");
}

}  // namespace

const std::string& tool_manifest() {
  static const std::string manifest = make_manifest();
  return manifest;
}

std::string call_tool(Call& call, const Json& params, std::string_view& route) {
  const Tool& tool = tool_of(params);
  route = tool.route;
  const Json arguments = params.value("arguments", Json::object());
  if (!arguments.is_object()) {
    throw RpcError(RpcError::kInvalidParams, "params.arguments must be an object");
  }
  ToolAnswer answer;
  try {
    Members members(arguments, "arguments.");
    answer = tool.answer(call, members);
  } catch (const Refusal& refusal) {
    throw RpcError(RpcError::kInvalidParams, refusal.what());
  }
  JsonWriter& json = call.json();
  json.begin_object();
  json.key("content");
  json.begin_array();
  json.begin_object();
  json.member("type", "text");
  json.member("text", answer.text);
  json.end_object();
  json.end_array();
  if (answer.good) json.raw_member("structuredContent", answer.text);
  json.member("isError", !answer.good);
  json.end_object();
  return json.take();
}

}  // namespace shopmark::http
