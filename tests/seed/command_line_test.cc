#include "seed/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/flags/flag.h"

ABSL_FLAG(std::string, place, "here", "Where.");
ABSL_FLAG(int, times, 5, "How often.");
ABSL_FLAG(bool, loud, false, "Whether.");
ABSL_FLAG(bool, hidden, false, "Not in the list.");

namespace shopmark::command_line {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StrEq;

const Program kProgram = {"prog", "Does something.\n", {"place", "times", "loud"}, "--benchmark_"};

class CommandLine : public testing::Test {
 protected:
  CommandLine() {
    absl::SetFlag(&FLAGS_place, "here");
    absl::SetFlag(&FLAGS_times, 5);
    absl::SetFlag(&FLAGS_loud, false);
  }

  // Parses and keeps what was printed.
  Parsed parse_all(std::vector<std::string> arguments) {
    arguments_ = std::move(arguments);
    arguments_.insert(arguments_.begin(), "prog");
    std::vector<char*> argv;
    for (std::string& argument : arguments_) argv.push_back(argument.data());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Parsed parsed = parse(static_cast<int>(argv.size()), argv.data(), kProgram);
    fflush(stdout);
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return parsed;
  }

  // As parse left them.
  std::vector<std::string> arguments_;
  std::string out_;
  std::string err_;
};

TEST_F(CommandLine, HidesPasswordsFromTheListOfProcesses) {
  parse_all(
      {"--place=a=postgres://ann:s3:cr@et@db:5432/shop?password=s3cret&x=y,"
       "mariadb://ann:s3cret@db/shop,sqlite:a@b:c/d",
       "--times=1"});
  EXPECT_THAT(arguments_[1], StrEq("--place=a=postgres://ann:xxxxxxxx@db:5432/shop?password=xxxxxx"
                                   "&x=y,mariadb://ann:xxxxxx@db/shop,sqlite:a@b:c/d"));
  EXPECT_THAT(absl::GetFlag(FLAGS_place), HasSubstr("//ann:s3:cr@et@db"));
  EXPECT_EQ(arguments_[2], "--times=1");
}

TEST_F(CommandLine, SaysNoPasswordWhenAnArgumentIsUnexpected) {
  EXPECT_EQ(parse_all({"postgres://ann:s3cret@db/shop"}).exit_status, 2);
  EXPECT_THAT(err_, AllOf(HasSubstr("postgres://ann:xxxxxx@db/shop"), Not(HasSubstr("s3cret"))));
}

TEST_F(CommandLine, TakesValuesBehindEqualsOrBlank) {
  const Parsed parsed = parse_all({"--place=there", "--times", "7", "--loud"});
  EXPECT_FALSE(parsed.exit_status.has_value());
  EXPECT_EQ(absl::GetFlag(FLAGS_place), "there");
  EXPECT_EQ(absl::GetFlag(FLAGS_times), 7);
  EXPECT_TRUE(absl::GetFlag(FLAGS_loud));
  EXPECT_THAT(parsed.given, ElementsAre("place", "times", "loud"));
  EXPECT_TRUE(parsed.was_given("times"));
  EXPECT_FALSE(parsed.was_given("hidden"));
}

TEST_F(CommandLine, TakesBooleansInAllTheirForms) {
  parse_all({"--loud=true"});
  EXPECT_TRUE(absl::GetFlag(FLAGS_loud));
  parse_all({"--noloud"});
  EXPECT_FALSE(absl::GetFlag(FLAGS_loud));
  parse_all({"--loud", "--loud=false"});
  EXPECT_FALSE(absl::GetFlag(FLAGS_loud));
}

TEST_F(CommandLine, TakesAnEmptyValueAndOneWithEquals) {
  parse_all({"--place="});
  EXPECT_EQ(absl::GetFlag(FLAGS_place), "");
  parse_all({"--place=a=b"});
  EXPECT_EQ(absl::GetFlag(FLAGS_place), "a=b");
}

TEST_F(CommandLine, HandsBackWhatIsNotOurs) {
  const Parsed parsed = parse_all({"--benchmark_filter=x", "--loud", "--benchmark_list_tests"});
  EXPECT_FALSE(parsed.exit_status.has_value());
  EXPECT_THAT(parsed.passthrough, ElementsAre("--benchmark_filter=x", "--benchmark_list_tests"));
}

TEST_F(CommandLine, AnswersMistakesWithOneLineThatNamesTheFlag) {
  const std::pair<std::vector<std::string>, const char*> mistakes[] = {
      {{"--plaice=x"}, "prog: --plaice: no such flag"},
      {{"--hidden"}, "prog: --hidden: no such flag"},
      {{"--noplace"}, "prog: --noplace: no such flag"},
      {{"--times=many"}, "prog: --times: 'many' is not a value"},
      {{"--times="}, "prog: --times: '' is not a value"},
      {{"--loud=perhaps"}, "prog: --loud: 'perhaps' is not a value"},
      {{"--place"}, "prog: --place: needs a value"},
      {{"stray"}, "prog: unexpected argument 'stray'"},
      {{"--"}, "prog: unexpected argument '--'"}};
  for (const auto& [arguments, message] : mistakes) {
    EXPECT_EQ(parse_all(arguments).exit_status, 2) << arguments[0];
    EXPECT_THAT(err_, HasSubstr(message));
    EXPECT_EQ(std::count(err_.begin(), err_.end(), '\n'), 1) << err_;
    EXPECT_THAT(out_, IsEmpty());
  }
}

TEST_F(CommandLine, HelpListsOurFlagsWithTheirDefaults) {
  EXPECT_EQ(parse_all({"--times=9", "--help", "--nonsense"}).exit_status, 0);
  EXPECT_THAT(out_, HasSubstr("Does something."));
  EXPECT_THAT(out_, HasSubstr("--place"));
  EXPECT_THAT(out_, HasSubstr("default: 5"));
  EXPECT_THAT(out_, testing::Not(HasSubstr("hidden")));
  EXPECT_THAT(err_, IsEmpty());
}

}  // namespace
}  // namespace shopmark::command_line
