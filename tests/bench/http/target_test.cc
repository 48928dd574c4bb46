#include "bench/http/shop/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/http/shop/refusal.h"

namespace shopmark::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(TargetTest, UtfEightIsWhatUnicodeSaysItIs) {
  for (const std::string good :
       {"", "a", "\x7F", "é", "漢", "😀", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF",
        "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const std::string bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x80\x80", "\xE0\x9F\xBF",
        "\xE2\x82", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFE", "\xFF", "a\xF0\x9F\x98",
        "\xF0\x9F\x98\x41"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
  }
}

TEST(TargetTest, PercentsAreDecodedAndAPlusIsABlankOnlyInAQuery) {
  EXPECT_EQ(percent_decoded("a%20b+c%2B%c3%A9", true, "it"), "a b c+é");
  EXPECT_EQ(percent_decoded("a%20b+c", false, "it"), "a b+c");
  EXPECT_EQ(percent_decoded("%41", true, "it"), "A");
  EXPECT_EQ(percent_decoded("%2541", true, "it"), "%41");
  EXPECT_EQ(percent_decoded("", true, "it"), "");
  for (const std::string bad : {"%", "%4", "a%", "a%4", "%4g", "%g4", "% 1", "%+1", "%-1", "%00",
                                "a%00b", "%FF", "%C3", "%C3%41"}) {
    EXPECT_THROW(percent_decoded(bad, true, "it"), Refusal) << bad;
  }
}

TEST(TargetTest, AQueryIsItsParametersInTheirOrder) {
  EXPECT_THAT(Parameters("b=1&a=x%3Dy%26z&c&=d&&e=f=g").all(),
              ElementsAre(Pair("b", "1"), Pair("a", "x=y&z"), Pair("c", ""), Pair("", "d"),
                          Pair("e", "f=g")));
  EXPECT_THAT(Parameters("").all(), IsEmpty());
  EXPECT_THAT(Parameters("&&&").all(), IsEmpty());
  std::string many;
  for (int i = 0; i < 32; ++i) many += "&a";
  EXPECT_EQ(Parameters(many).all().size(), 32U);
  EXPECT_THROW(Parameters(many + "&a"), Refusal);
}

TEST(TargetTest, WholeNumbersAreTakenWithinTheirBounds) {
  EXPECT_EQ(Parameters("n=007").integer("n", 0, 10), 7);
  EXPECT_EQ(Parameters("n=9223372036854775807").page(), 1);
  EXPECT_EQ(Parameters("page=9223372036854775807").page(), INT64_MAX);
  EXPECT_EQ(Parameters("").integer("n", 0, 10), std::nullopt);
  for (const char* const bad :
       {"n=", "n=11", "n=-1", "n=1 ", "n=1e1", "n=0x1", "n=1&n=1", "n=99999999999999999999"}) {
    EXPECT_THROW(static_cast<void>(Parameters(bad).integer("n", 0, 10)), Refusal) << bad;
  }
}

TEST(TargetTest, APathIsItsSegments) {
  EXPECT_THAT(split_target("/").segments, IsEmpty());
  EXPECT_THAT(split_target("/?a=/b").segments, IsEmpty());
  EXPECT_EQ(split_target("/?a=/b").query, "a=/b");
  EXPECT_THAT(split_target("/a/b%2Fc/d+e?x?y").segments, ElementsAre("a", "b/c", "d+e"));
  EXPECT_EQ(split_target("/a?x?y").query, "x?y");
  EXPECT_THAT(split_target("/a/").segments, ElementsAre("a", ""));
  EXPECT_THAT(split_target("//").segments, ElementsAre("", ""));
  EXPECT_THAT(split_target("http://host:1/a?b").segments, ElementsAre("a"));
  EXPECT_THAT(split_target("http://host").segments, IsEmpty());
  for (const char* const bad : {"", "*", "a", "?a", "http:/a", "/a#b", "/a?b#c", "http://host?a",
                                "/%", "/%00", "/%FF", "\xFF"}) {
    EXPECT_THROW(split_target(bad), Refusal) << bad;
  }
}

}  // namespace
}  // namespace shopmark::http
