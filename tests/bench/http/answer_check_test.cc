// The check itself is checked: it must see what it is there for.

#include "tests/bench/http/answer_check.h"

#include <gmock/gmock.h>

namespace shopmark::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kGood =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";

CheckedAnswers check(const std::string& bytes, bool may_lack_body = false) {
  return check_answers(bytes, may_lack_body, 100);
}

TEST(AnswerCheck, CountsWholeAnswersOneBehindTheOther) {
  const CheckedAnswers checked = check("HTTP/1.1 100 Continue\r\n\r\n" + kGood +
                                       "HTTP/1.1 204 No Content\r\nDate: x\r\n\r\n" + kGood);
  EXPECT_THAT(checked.statuses, ElementsAre(100, 200, 204, 200));
  EXPECT_THAT(checked.problem, IsEmpty());
  EXPECT_THAT(check("").statuses, IsEmpty());
}

TEST(AnswerCheck, OnlyAnAnswerToHeadLacksItsBody) {
  const std::string head = kGood.substr(0, kGood.size() - 2);
  EXPECT_THAT(check(head + kGood, true).problem, IsEmpty());
  EXPECT_THAT(check(head, true).problem, IsEmpty());
  EXPECT_THAT(check(head).problem, HasSubstr("is cut in its body"));
}

TEST(AnswerCheck, NamesWhatIsNoAnswer) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{}", "is cut in its head"},
      {"HTTP/1.1 200 OK\r\n", "is cut in its head"},
      {"HTTP/1.0 200 OK\r\n\r\n", "has no status line"},
      {"HTTP/1.1 2x0 OK\r\n\r\n", "is no number"},
      {"HTTP/1.1 200 OK\r\n\r\n", "has no length"},
      {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "is no number"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", "has two lengths"},
      {"HTTP/1.1 200 OK\r\nContent-Length 0\r\n\r\n", "has a bad header"},
      {"HTTP/1.1 200 OK\r\nX: a\nb\r\n\r\n", "has a bad header"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n", "has 101 bytes"},
      {kGood + "}", "is cut in its head"},
      {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{",
       "is no JSON"},
  };
  for (const auto& [bytes, problem] : cases) {
    EXPECT_THAT(check(bytes).problem, HasSubstr(problem)) << bytes;
  }
}

}  // namespace
}  // namespace shopmark::http
