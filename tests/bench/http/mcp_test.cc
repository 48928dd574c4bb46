#include "tests/bench/http/test_shop.h"

namespace shopmark::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class McpTest : public ShopTest {
 protected:
  static Headers headers() {
    Headers all = staff();
    all.emplace_back("content-type", "application/json");
    all.emplace_back("accept", "application/json, text/event-stream");
    all.emplace_back("mcp-protocol-version", "2025-06-18");
    return all;
  }
  static Headers with(std::string_view name, std::string_view value) {
    Headers all = headers();
    for (auto& [its_name, its_value] : all) {
      if (its_name == name) its_value = value;
    }
    return all;
  }
  Response say(const json& message, const Headers& with = headers()) {
    return send("POST", "/mcp", with,
                message.is_string() ? message.get<std::string>() : message.dump());
  }
  static json request(const std::string& method, const json& params = json::object()) {
    return {{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", params}};
  }
  // The result of a request.
  json result(const std::string& method, const json& params, std::string_view route) {
    const json body = body_of(say(request(method, params)), route);
    EXPECT_EQ(body.at("jsonrpc"), "2.0");
    EXPECT_EQ(body.at("id"), 7);
    EXPECT_EQ(body.size(), 3U) << body;
    return body.value("result", json());
  }
  json call(const std::string& tool, const json& arguments) {
    return result("tools/call", {{"name", tool}, {"arguments", arguments}}, "mcp_" + tool);
  }
  // The code of a refused message, whose status must be that.
  static int code_of(const Response& response, unsigned status) {
    EXPECT_EQ(response.status, status) << response.body;
    const json body = json::parse(response.body);
    EXPECT_EQ(body.at("jsonrpc"), "2.0");
    EXPECT_TRUE(body.contains("id"));
    EXPECT_FALSE(body.contains("result"));
    return body.at("error").at("code");
  }
};

TEST_F(McpTest, TheRevisionIsAgreedOn) {
  const auto agreed = [&](const char* wanted) {
    return result("initialize",
                  {{"protocolVersion", wanted},
                   {"capabilities", json::object()},
                   {"clientInfo", {{"name", "test"}, {"version", "1"}}}},
                  "mcp");
  };
  const json answer = agreed("2025-06-18");
  EXPECT_EQ(answer.at("protocolVersion"), "2025-06-18");
  EXPECT_EQ(answer.at("capabilities"), json({{"tools", {{"listChanged", false}}}}));
  EXPECT_EQ(answer.at("serverInfo").at("name"), "shopmark-server");
  EXPECT_EQ(agreed("2025-03-26").at("protocolVersion"), "2025-03-26");
  EXPECT_EQ(agreed("2024-11-05").at("protocolVersion"), "2024-11-05");
  EXPECT_EQ(agreed("2099-01-01").at("protocolVersion"), "2025-06-18");
  EXPECT_EQ(agreed("").at("protocolVersion"), "2025-06-18");
  EXPECT_EQ(code_of(say(request("initialize")), 200), -32602);
}

TEST_F(McpTest, NotificationsAndAnswersAreTakenWithoutOne) {
  for (const json& message : std::vector<json>{
           {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}},
           {{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"x", 1}}}},
           {{"jsonrpc", "2.0"}, {"id", 1}, {"result", json::object()}},
           {{"jsonrpc", "2.0"}, {"id", 1}, {"error", {{"code", 1}, {"message", ""}}}}}) {
    const Response response = say(message);
    EXPECT_EQ(response.status, 202U) << message;
    EXPECT_EQ(response.body, "");
  }
}

TEST_F(McpTest, IdsComeBackAsTheyWere) {
  for (const json& id : std::vector<json>{0, -5, "a\"b", "", 9223372036854775807}) {
    json message = request("ping");
    message["id"] = id;
    EXPECT_EQ(json::parse(say(message).body),
              json({{"jsonrpc", "2.0"}, {"id", id}, {"result", json::object()}}));
  }
  for (const json& id :
       std::vector<json>{nullptr, 1.5, json::array(), true, json::parse("18446744073709551615")}) {
    json message = request("ping");
    message["id"] = id;
    EXPECT_EQ(code_of(say(message), 200), -32600) << id;
  }
}

TEST_F(McpTest, TheToolsSayWhatTheyTakeAndGive) {
  const json tools = result("tools/list", json::object(), "mcp_tools_list").at("tools");
  std::vector<std::string> names;
  for (const json& tool : tools) {
    names.push_back(tool.at("name"));
    for (const char* const schema : {"inputSchema", "outputSchema"}) {
      EXPECT_EQ(tool.at(schema).at("type"), "object");
      EXPECT_EQ(tool.at(schema).at("additionalProperties"), false);
    }
    EXPECT_FALSE(tool.at("description").get<std::string>().empty());
  }
  EXPECT_THAT(names, ElementsAre("get_config", "list_orders", "get_order"));
  EXPECT_EQ(tools[2].at("inputSchema").at("required"), json({"number"}));
  const json& order = tools[2].at("outputSchema").at("properties").at("order").at("properties");
  EXPECT_EQ(order.at("total_cents"), json({{"type", "integer"}}));
  EXPECT_EQ(order.at("coupon_code"), json({{"type", {"string", "null"}}}));
  EXPECT_EQ(code_of(say(request("tools/list", {{"cursor", "x"}})), 200), -32602);
}

TEST_F(McpTest, EachToolGivesWhatTheRepositoryDoes) {
  const auto checked = [](const json& result) {
    EXPECT_EQ(result.at("isError"), false);
    EXPECT_EQ(result.at("content").size(), 1U);
    EXPECT_EQ(result.at("content")[0].at("type"), "text");
    EXPECT_EQ(json::parse(result.at("content")[0].at("text").get<std::string>()),
              result.at("structuredContent"));
    return result.at("structuredContent");
  };
  const json config = checked(call("get_config", json::object()));
  EXPECT_EQ(config.at("engine"), fixture().info().engine);
  EXPECT_EQ(config.at("profile"), "small");
  EXPECT_EQ(config.at("database_answers"), true);
  for (const std::int64_t page : {1, 3}) {
    EXPECT_EQ(checked(call("list_orders", {{"page", page}})),
              json({{"page", page}, {"orders", tree(store().orders().list(page))}}));
  }
  EXPECT_EQ(checked(call("list_orders", json::object())).at("page"), 1);
  const std::string number = store().orders().list(1).front().number;
  EXPECT_EQ(checked(call("get_order", {{"number", number}})),
            tree(*store().orders().detail(number)));
}

TEST_F(McpTest, AnOrderThatThereIsNotIsTheToolsError) {
  const json result = call("get_order", {{"number", "nothing"}});
  EXPECT_EQ(result.at("isError"), true);
  EXPECT_THAT(result.at("content")[0].at("text"), HasSubstr("no order"));
  EXPECT_FALSE(result.contains("structuredContent"));
}

TEST_F(McpTest, WhatIsNoCallOfAToolIsInvalid) {
  for (const json& params :
       std::vector<json>{json::object(),
                         {{"name", 1}},
                         {{"name", "drop_tables"}},
                         {{"name", "get_order"}},
                         {{"name", "get_order"}, {"arguments", {{"number", 5}}}},
                         {{"name", "get_order"}, {"arguments", {{"number", ""}}}},
                         {{"name", "get_order"}, {"arguments", {{"number", "a"}, {"x", 1}}}},
                         {{"name", "get_order"}, {"arguments", json::array()}},
                         {{"name", "get_config"}, {"arguments", {{"x", 1}}}},
                         {{"name", "list_orders"}, {"arguments", {{"page", 0}}}},
                         {{"name", "list_orders"}, {"arguments", {{"page", "1"}}}},
                         {{"name", "list_orders"}, {"arguments", {{"page", 1.5}}}}}) {
    EXPECT_EQ(code_of(say(request("tools/call", params)), 200), -32602) << params;
  }
  EXPECT_EQ(code_of(say(request("tools/call", json::array())), 200), -32602);
  EXPECT_THAT(say(request("tools/call", {{"name", "get_order"}})).body,
              HasSubstr("arguments.number: is missing"));
  const json past = call("list_orders", {{"page", 9223372036854775807}});
  EXPECT_THAT(past.at("structuredContent").at("orders"), IsEmpty());
}

TEST_F(McpTest, WhatIsNoMessageIsRefused) {
  for (const char* const body : {"", "{", "\xff", "nonsense"}) {
    EXPECT_EQ(code_of(say(body), 400), -32700) << body;
  }
  for (const json& message : std::vector<json>{1,
                                               nullptr,
                                               json::object(),
                                               {{"id", 1}, {"method", "ping"}},
                                               {{"jsonrpc", "1.0"}, {"id", 1}, {"method", "ping"}},
                                               {{"jsonrpc", 2}, {"id", 1}, {"method", "ping"}},
                                               {{"jsonrpc", "2.0"}, {"id", 1}, {"method", 5}},
                                               {{"jsonrpc", "2.0"}, {"id", 1}}}) {
    EXPECT_EQ(code_of(say(message.dump()), 200), -32600) << message;
  }
  for (const char* const method : {"resources/list", "tools/", "", "PING"}) {
    EXPECT_EQ(code_of(say(request(method)), 200), -32601) << method;
  }
}

TEST_F(McpTest, BatchesAreOfOlderRevisions) {
  const json batch = {request("ping"),
                      {{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}},
                      request("nonsense")};
  EXPECT_EQ(code_of(say(batch), 400), -32600);
  for (const char* const version : {"2025-03-26", "2024-11-05", ""}) {
    const json answers = json::parse(say(batch, with("mcp-protocol-version", version)).body);
    ASSERT_EQ(answers.size(), 2U) << answers;
    EXPECT_EQ(answers[0].at("result"), json::object());
    EXPECT_EQ(answers[1].at("error").at("code"), -32601);
  }
  const Headers old = with("mcp-protocol-version", "2025-03-26");
  EXPECT_EQ(say({{{"jsonrpc", "2.0"}, {"method", "x"}}}, old).status, 202U);
  EXPECT_EQ(code_of(say(json::array(), old), 400), -32600);
  EXPECT_EQ(code_of(say(json(17, request("ping")), old), 400), -32600);
}

TEST_F(McpTest, TheHeadersMustBeThoseOfTheProtocol) {
  const json ping = request("ping");
  for (const char* const accept :
       {"", "application/json", "text/event-stream", "text/html, application/json",
        "application/jsonx, text/event-stream"}) {
    EXPECT_EQ(code_of(say(ping, with("accept", accept)), 406), -32000) << accept;
  }
  for (const char* const accept :
       {"*/*", "application/*, text/*", "text/event-stream,application/json",
        "Application/JSON;q=0.5 , text/event-stream; q=1"}) {
    EXPECT_EQ(say(ping, with("accept", accept)).status, 200U) << accept;
  }
  EXPECT_EQ(code_of(say(ping, with("content-type", "text/plain")), 415), -32000);
  for (const char* const version : {"2025-06-19", "1", "2025-06-18 "}) {
    EXPECT_EQ(code_of(say(ping, with("mcp-protocol-version", version)), 400), -32000) << version;
  }
  EXPECT_EQ(refusal_of(say(ping, with("authorization", "Bearer no"))), "401 unauthorized");
  Headers foreign = headers();
  foreign.emplace_back("origin", "http://evil.example");
  EXPECT_EQ(refusal_of(say(ping, foreign)), "403 foreign_origin");
  for (const char* const method : {"GET", "DELETE"}) {
    const Response response = send(method, "/mcp", headers());
    EXPECT_EQ(refusal_of(response), "405 method_not_allowed");
    EXPECT_EQ(header_of(response, "Allow"), "POST");
  }
}

}  // namespace
}  // namespace shopmark::http
