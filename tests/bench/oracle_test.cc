#include "bench/run/oracle.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/fake_store.h"

namespace shopmark::bench {
namespace {

using testing::HasSubstr;

int opened = 0;

class OracleTest : public testing::Test {
 protected:
  OracleTest() {
    opened = 0;
    std::string pattern = testing::TempDir() + "shopmark_oracle_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~OracleTest() override { std::filesystem::remove_all(folder_); }

  std::string file() const { return folder_ + "/below/answers.json"; }

  std::unique_ptr<Oracle> oracle(const std::string& key = "key") {
    auto made = std::make_unique<Oracle>(Oracle::Options{.cases = &cases_,
                                                         .parameters = parameters_,
                                                         .open =
                                                             [] {
                                                               ++opened;
                                                               return std::make_unique<FakeStore>();
                                                             },
                                                         .file = file(),
                                                         .key = key});
    made->prepare();
    return made;
  }
  bool right(Oracle& oracle, std::size_t index, const std::string& text) {
    return oracle.compare(cases_[0], index, text).empty();
  }
  void write(const std::string& content) { std::ofstream(file()) << content; }
  std::string content() {
    std::ifstream stream(file());
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::string folder_;
  std::vector<Case> cases_ = {
      {.name = "one", .title = "", .call = {.answer = [](store::Store&, const Parameters& given) {
                                     return Answer{1, "page=" + std::to_string(given.page) + "\n"};
                                   }}}};
  ParameterLists parameters_ = {{"one", std::vector<Parameters>(3)}};
};

TEST_F(OracleTest, KnowsEveryAnswerWithoutAFile) {
  parameters_["one"][2].page = 7;
  const auto made = oracle();
  EXPECT_TRUE(right(*made, 0, "page=1\n"));
  EXPECT_TRUE(right(*made, 2, "page=7\n"));
  EXPECT_FALSE(right(*made, 2, "page=1\n"));
  EXPECT_FALSE(right(*made, 0, ""));
}

TEST_F(OracleTest, TheNextOneTakesTheAnswersFromTheFile) {
  oracle();
  EXPECT_EQ(opened, 1);
  const auto next = oracle();
  EXPECT_TRUE(right(*next, 0, "page=1\n"));
  EXPECT_EQ(opened, 1);
  // A wrong answer has to be shown beside the right one.
  EXPECT_FALSE(right(*next, 0, "page=2\n"));
  EXPECT_EQ(opened, 2);
  EXPECT_FALSE(right(*next, 0, "page=2\n"));
  EXPECT_EQ(opened, 2);
  next->forget();
  EXPECT_FALSE(right(*next, 0, "page=2\n"));
  EXPECT_EQ(opened, 3);
}

TEST_F(OracleTest, AFileOfAnotherKeyIsNotUsed) {
  oracle("another");
  oracle();
  EXPECT_EQ(opened, 2);
  oracle();
  EXPECT_EQ(opened, 2);
}

TEST_F(OracleTest, ATornForeignOrShortFileIsNotUsed) {
  oracle();
  const std::string whole = content();
  int expected = opened;
  for (const std::string& wrong :
       {whole.substr(0, whole.size() / 2), std::string(), std::string("[]"), std::string("\xff{"),
        std::string(R"({"key": "key", "answers": {}})"),
        std::string(R"({"key": "key", "answers": {"one": ["00", "00"]}})"),
        std::string(R"({"key": "key", "answers": {"one": [1, 2, 3]}})")}) {
    write(wrong);
    const auto made = oracle();
    EXPECT_EQ(opened, ++expected) << wrong;
    EXPECT_TRUE(right(*made, 0, "page=1\n"));
    EXPECT_EQ(content(), whole);
  }
}

// The file can make a run slower, never a right answer wrong.
TEST_F(OracleTest, WrongDigestsInTheFileAreFoundOutAndPutRight) {
  oracle();
  const std::string whole = content();
  write(R"({"key": "key", "answers": {"one": ["00", "00", "00"]}})");
  const auto made = oracle();
  EXPECT_EQ(opened, 1);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(right(*made, i, "page=1\n"));
  EXPECT_EQ(opened, 2);
  EXPECT_EQ(content(), whole);
}

TEST_F(OracleTest, WorksWhereNoFileCanBeWritten) {
  std::ofstream(folder_ + "/below") << "in the way";
  const auto made = oracle();
  EXPECT_TRUE(right(*made, 0, "page=1\n"));
}

TEST(FirstDifference, ShowsTheLineWholeAndTheSummaryFromTheWordThatDiffers) {
  const Oracle::Difference difference =
      first_difference("total=2\nrows[0] id=1 name='a b' price=5\nrows[1] id=2\n",
                       "total=2\nrows[0] id=1 name='a c' price=5\nrows[1] id=3\n");
  EXPECT_EQ(difference.lines,
            "  is:      rows[0] id=1 name='a b' price=5\n"
            "  must be: rows[0] id=1 name='a c' price=5");
  EXPECT_EQ(difference.summary, "wrong result, line 2 (rows[0]): b' price=5, must be c' price=5");
}

TEST(FirstDifference, ShowsALineThatIsMissingOrTooMany) {
  EXPECT_EQ(first_difference("a=1\n", "a=1\nb=2\n").summary,
            "wrong result, line 2 (b=2): nothing more, must be b=2");
  EXPECT_EQ(first_difference("a=1\nb=2\n", "a=1\n").summary,
            "wrong result, line 2 (b=2): b=2, must be nothing more");
  EXPECT_TRUE(first_difference("a=1\n", "a=1\n").empty());
}

TEST(FirstDifference, ShortensTheSummaryBetweenCharacters) {
  std::string line = "x";
  for (int i = 0; i < 200; ++i) line += "\xc3\xa9";
  const Oracle::Difference difference = first_difference(line + "\n", "y\n");
  EXPECT_LT(difference.summary.size(), 500U);
  EXPECT_THAT(difference.summary, HasSubstr("\xc3\xa9..."));
  EXPECT_THAT(difference.lines, HasSubstr(line));
}

}  // namespace
}  // namespace shopmark::bench
