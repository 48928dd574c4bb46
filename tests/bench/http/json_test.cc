#include "bench/http/shop/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "bench/http/shop/json_schema.h"
#include "bench/http/shop/secrets.h"

namespace shopmark::http {
namespace {

struct Inner {
  std::string text;
  std::optional<std::int64_t> number;

  template <typename Visitor>
  static void fields(Visitor&& visit) {
    visit("text", &Inner::text);
    visit("number", &Inner::number);
  }
};

struct Outer {
  bool flag = true;
  std::optional<std::string> none;
  std::vector<Inner> rows;

  template <typename Visitor>
  static void fields(Visitor&& visit) {
    visit("flag", &Outer::flag);
    visit("none", &Outer::none);
  }
  template <typename Visitor>
  static void parts(Visitor&& visit) {
    visit("rows", &Outer::rows);
  }
};

TEST(JsonWriterTest, ARowIsItsMembersUnderTheirNames) {
  JsonWriter json;
  json.value(Outer{true, {}, {{"a\"\\\n\x01é😀/", -9223372036854775807 - 1}, {"", {}}}});
  EXPECT_EQ(json.take(), R"({"flag":true,"none":null,"rows":[{"text":"a\"\\\n\u0001é😀/",)"
                         R"("number":-9223372036854775808},{"text":"","number":null}]})");
  json.begin_object();
  json.member("state", store::CouponState::kBelowMinimum);
  json.raw_member("raw", "[1]");
  json.end_object();
  EXPECT_EQ(json.take(), R"({"state":"below_minimum","raw":[1]})");
}

TEST(JsonWriterTest, BeginsAnewAfterAHalfWrittenText) {
  JsonWriter json;
  json.begin_object();
  json.key("lost");
  json.clear();
  json.value(std::string("kept"));
  EXPECT_EQ(json.take(), R"("kept")");
}

TEST(JsonSchemaTest, DescribesWhatIsWritten) {
  EXPECT_EQ(json_schema<Outer>(),
            R"({"type":"object","properties":{"flag":{"type":"boolean"},)"
            R"("none":{"type":["string","null"]},"rows":{"type":"array","items":)"
            R"({"type":"object","properties":{"text":{"type":"string"},)"
            R"("number":{"type":["integer","null"]}},"required":["text","number"],)"
            R"("additionalProperties":false}}},"required":["flag","none","rows"],)"
            R"("additionalProperties":false})");
}

// FIPS 180-2, B.1, and RFC 4231, test cases 2 and 6.
TEST(SecretsTest, DigestsAndSignaturesAreThoseOfTheStandards) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_sha256_hex(std::string(131, '\xaa'),
                            "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(SecretsTest, RandomTextsDiffer) {
  const std::string one = random_hex(16);
  EXPECT_EQ(one.size(), 32U);
  EXPECT_EQ(one.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(one, random_hex(16));
}

TEST(SecretsTest, TextsAreEqualOnlyWhenEveryByteIs) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_TRUE(equal_in_constant_time("", ""));
  for (const char* const other : {"abd", "ab", "abcd", "", "Abc"}) {
    EXPECT_FALSE(equal_in_constant_time("abc", other)) << other;
  }
}

}  // namespace
}  // namespace shopmark::http
