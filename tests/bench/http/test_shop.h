// A small seeded store on the engine under test, one for the whole process; a handler on it, and
// the repositories beside it.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/http/handler.h"
#include "bench/http/shop_handler.h"
#include "fixtures/fixture.h"
#include "fixtures/store/members.h"
#include "schema/schema.h"
#include "tests/fixtures/engine/test_database.h"

namespace shopmark::http {

using nlohmann::json;
using Headers = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::string_view kToken = "the-staffs-token";
inline constexpr std::string_view kSecret = "the-secret-of-receipts";

// What an answer's JSON must be, by way of a tree of values.
template <typename T>
json tree(const std::optional<T>& value);
template <typename T>
json tree(const std::vector<T>& rows);
template <typename T>
json tree(const T& value) {
  if constexpr (store::HasMembers<T>) {
    json object = json::object();
    store::for_each_member<T>(
        [&](const char* name, auto member) { object[name] = tree(value.*member); });
    return object;
  } else {
    return value;
  }
}
template <typename T>
json tree(const std::optional<T>& value) {
  return value ? tree(*value) : json(nullptr);
}
template <typename T>
json tree(const std::vector<T>& rows) {
  json list = json::array();
  for (const T& row : rows) list.push_back(tree(row));
  return list;
}

class ShopTest : public ::testing::Test {
 protected:
  static void TearDownTestSuite() {
    handler_.reset();
    fixture_.reset();
    database_.reset();
  }

  // Made on first use.
  static Handler& handler() {
    if (handler_ == nullptr) handler_ = shop_handlers(options())();
    return *handler_;
  }
  static Fixture& fixture() {
    if (!fixture_) {
      database_.emplace();
      FixtureOptions seeding = options().fixture;
      // As small as the configuration, which names products, allows.
      seeding.seed_when_empty = seed::Profile{"small", seed::profile("smoke").products, 100, 200};
      Fixture::open(database_->target(), seeding);
      fixture_.emplace(Fixture::open(database_->target(), options().fixture));
    }
    return *fixture_;
  }
  static store::Store& store() { return fixture().store(); }

  static ShopOptions options() {
    ShopOptions result;
    if (database_) result.target = database_->target();
    result.fixture.schema_folder = schema::default_folder();
    result.fixture.queries_folder = schema::default_folder() + "/queries";
    result.fixture.keep_visits = true;
    result.admin_token = kToken;
    result.receipt_secret = kSecret;
    result.workers = 3;
    result.log = [](std::string_view line) { log_.emplace_back(line); };
    return result;
  }

  void SetUp() override {
    fixture();
    log_.clear();
  }

  Response send(const std::string& method, const std::string& target, const Headers& headers = {},
                const std::string& body = "") {
    return handler().handle({method, target, headers, body});
  }
  Response get(const std::string& target) { return send("GET", target); }
  Response get_as_staff(const std::string& target) { return send("GET", target, staff()); }
  Response post(const std::string& target, const json& body, Headers headers = {}) {
    headers.emplace_back("content-type", "application/json");
    return send("POST", target, headers, body.is_string() ? body.get<std::string>() : body.dump());
  }
  static Headers staff() { return {{"authorization", "Bearer " + std::string(kToken)}}; }

  // The body of an answer that is right.
  static json body_of(const Response& response, std::string_view route) {
    EXPECT_EQ(response.status, 200U) << response.body;
    EXPECT_EQ(response.route, route);
    EXPECT_EQ(response.content_type, "application/json");
    return json::parse(response.body);
  }
  // "STATUS CODE" of a refusal, whose message is one line.
  static std::string refusal_of(const Response& response) {
    const json body = json::parse(response.body, nullptr, false);
    if (!body.is_object() || !body.contains("error")) return "no refusal: " + response.body;
    EXPECT_EQ(body.size(), 2U) << response.body;
    EXPECT_EQ(body.at("message").get<std::string>().find('\n'), std::string::npos);
    return std::to_string(response.status) + " " + body.at("error").get<std::string>();
  }
  static std::string message_of(const Response& response) {
    return json::parse(response.body).at("message");
  }
  static std::string header_of(const Response& response, std::string_view name) {
    for (const auto& [its_name, value] : response.headers) {
      if (its_name == name) return value;
    }
    return "";
  }

  static inline std::vector<std::string> log_;

 private:
  static inline std::optional<engine::TestDatabase> database_;
  static inline std::optional<Fixture> fixture_;
  static inline std::unique_ptr<Handler> handler_;
};

}  // namespace shopmark::http
