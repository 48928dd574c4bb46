#include "bench/run/document.h"

#include <gmock/gmock.h>

#include <limits>
#include <locale>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

namespace shopmark::bench {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// What a German desktop does to numbers.
class GermanNumbers : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

class Document_ : public testing::Test {
 protected:
  Document document_{Json{{"host_name", "h"}}, Json{{"format", 1}}};

  json parsed(bool complete = true) const { return json::parse(document_.text(complete)); }
};

TEST_F(Document_, WithoutEntriesIsValid) {
  EXPECT_EQ(parsed(false), json::parse(R"({"context": {"host_name": "h",
                                        "shopmark": {"format": 1, "complete": false}},
                            "benchmarks": []})"));
}

TEST_F(Document_, KeepsEntriesInTheirOrder) {
  document_.add({{"name", "b"}});
  document_.add({{"name", "a"}, {"samples", {3, 1, 2}}});
  EXPECT_EQ(parsed()["benchmarks"],
            json::parse(R"([{"name": "b"}, {"name": "a", "samples": [3, 1, 2]}])"));
  EXPECT_EQ(parsed()["context"]["shopmark"]["complete"], true);
}

TEST_F(Document_, TakesNoNumberThatIsNotFinite) {
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(to_text(Json{{"x", {1.0, value}}}), std::domain_error);
    EXPECT_FALSE(document_.add({{"name", "a"}, {"real_time", value}}));
  }
  EXPECT_THAT(document_.text(true), Not(HasSubstr("null")));
  const json document = parsed();
  ASSERT_EQ(document["benchmarks"].size(), 3u);
  for (const json& entry : document["benchmarks"]) {
    EXPECT_EQ(entry["error_occurred"], true);
    EXPECT_EQ(entry["error_message"], "a number is not finite");
    EXPECT_FALSE(entry.contains("real_time"));
  }
}

TEST_F(Document_, SaysWhetherAnEntryIsAnError) {
  EXPECT_TRUE(document_.add({{"name", "a"}}));
  EXPECT_FALSE(document_.add({{"name", "a"}, {"error_occurred", true}}));
}

TEST(ToText, EscapesWhatJsonEscapes) {
  const std::string nasty = std::string("a\"b\\c/\n\t\b\x01\x1f\x7f") + '\0';
  const std::string text = to_text(Json{{nasty, nasty}});
  EXPECT_THAT(text, HasSubstr(R"(a\"b\\c/\n\t\b\u0001\u001f)"));
  EXPECT_THAT(text, HasSubstr("\\u0000"));
  EXPECT_EQ(json::parse(text)[nasty], nasty);
}

TEST(ToText, ReplacesBytesThatAreNotUtf8) {
  for (const std::string bytes : {"\xff", "\xc3", "\xed\xa0\x80", "\xf0\x9f\x98"}) {
    const std::string text = to_text(Json{{"message", "a" + bytes + "b"}});
    EXPECT_THAT(json::parse(text)["message"].get<std::string>(), HasSubstr("\xef\xbf\xbd"));
  }
  EXPECT_EQ(json::parse(to_text(Json("漢字 \xf0\x9f\x98\x80"))), "漢字 \xf0\x9f\x98\x80");
}

TEST(ToText, DoesNotAskTheGlobalLocale) {
  const std::locale before =
      std::locale::global(std::locale(std::locale::classic(), new GermanNumbers));
  const std::string text = to_text(Json{{"a", 1234567}, {"b", 0.587}, {"c", 1e-9}, {"d", {2300}}});
  std::locale::global(before);
  EXPECT_EQ(json::parse(text), (json{{"a", 1234567}, {"b", 0.587}, {"c", 1e-9}, {"d", {2300}}}));
}

TEST(ToText, KeepsNumbersExactly) {
  EXPECT_EQ(to_text(Json(std::numeric_limits<std::int64_t>::max())), "9223372036854775807");
  EXPECT_EQ(json::parse(to_text(Json(0.1 + 0.2))).get<double>(), 0.1 + 0.2);
}

TEST(ToText, PutsPlainListsOnOneLineAndMembersOnTheirOwn) {
  EXPECT_EQ(to_text(Json{{"list", {1, 2}}, {"empty", Json::array()}, {"of", {{{"x", "y"}}}}}),
            "{\n"
            "  \"list\": [1,2],\n"
            "  \"empty\": [],\n"
            "  \"of\": [\n"
            "    {\n"
            "      \"x\": \"y\"\n"
            "    }\n"
            "  ]\n"
            "}");
}

}  // namespace
}  // namespace shopmark::bench
