#include "seed/search_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace shopmark::seed {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SearchWords, AreLowerCaseWithAPrefix) {
  EXPECT_THAT(search_words("The Oak LAMP 42"), ElementsAre("zzthe", "zzoak", "zzlamp", "zz42"));
}

TEST(SearchWords, KeepDuplicatesAndOrder) {
  EXPECT_THAT(search_words("b a b"), ElementsAre("zzb", "zza", "zzb"));
}

TEST(SearchWords, DropApostrophesAndSplitAtEverythingElse) {
  EXPECT_THAT(search_words("o'neil O’Neil"), ElementsAre("zzoneil", "zzoneil"));
  EXPECT_THAT(search_words("BENCH-100821"), ElementsAre("zzbench", "zz100821"));
  EXPECT_THAT(search_words("100% \"quoted\" a*b NEAR(x)"),
              ElementsAre("zz100", "zzquoted", "zza", "zzb", "zznear", "zzx"));
}

TEST(SearchWords, FoldLatinLetters) {
  EXPECT_THAT(search_words("Café ÉTÉ Größe STRASSE Straße"),
              ElementsAre("zzcafe", "zzete", "zzgrosse", "zzstrasse", "zzstrasse"));
  EXPECT_THAT(
      search_words("Smørrebrød Œuvre Þór Łódź Ægir Ĳssel ĸ"),
      ElementsAre("zzsmorrebrod", "zzoeuvre", "zzthor", "zzlodz", "zzaegir", "zzijssel", "zzk"));
  EXPECT_THAT(search_words("Việt ẞ"), ElementsAre("zzviet", "zzss"));
  // The accent as a character of its own.
  EXPECT_THAT(search_words("Cafe\xCC\x81"), ElementsAre("zzcafe"));
  EXPECT_THAT(search_words("a×b÷c"), ElementsAre("zza", "zzb", "zzc"));
}

TEST(SearchWords, WriteOtherLettersAsTheirCodePoints) {
  EXPECT_THAT(search_words("漢字"), ElementsAre("zzu6f22", "zzu5b57"));
  EXPECT_THAT(search_words("gift🎁box"), ElementsAre("zzgift", "zzu1f381", "zzbox"));
  EXPECT_THAT(search_words("привет"), ElementsAre("zzu43fu440u438u432u435u442"));
}

TEST(SearchWords, AreCutAtEightyLetters) {
  const std::string letters(78, 'a');
  EXPECT_THAT(search_words(letters), ElementsAre("zz" + letters));
  EXPECT_THAT(search_words(letters + "b c"), ElementsAre("zz" + letters, "zzc"));
}

TEST(SearchWords, EndAtBytesThatAreNotUtf8) {
  EXPECT_THAT(search_words("a\xFF"
                           "b"),
              ElementsAre("zza", "zzb"));
  EXPECT_THAT(search_words("a\xC3"), ElementsAre("zza"));  // cut short
  EXPECT_THAT(search_words("a\xC0\x80"
                           "b"),
              ElementsAre("zza", "zzb"));  // overlong
  EXPECT_THAT(search_words("a\xED\xA0\x80"
                           "b"),
              ElementsAre("zza", "zzb"));  // a surrogate
  EXPECT_THAT(search_words("a\xF5\x80\x80\x80"
                           "b"),
              ElementsAre("zza", "zzb"));
}

TEST(SearchWords, FindNoneInTextWithoutAny) {
  EXPECT_THAT(search_words(""), IsEmpty());
  EXPECT_THAT(search_words(" -- '' ... “”\u00A0"), IsEmpty());
}

}  // namespace
}  // namespace shopmark::seed
