#include "bench/run/output_file.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace shopmark::bench {
namespace {

using testing::HasSubstr;

namespace files = std::filesystem;

class OutputFile_ : public testing::Test {
 protected:
  OutputFile_() {
    std::string pattern = testing::TempDir() + "shopmark_output_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~OutputFile_() override { files::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static std::string error_of(const std::string& path) {
    try {
      OutputFile file(path);
    } catch (const OutputError& error) {
      return error.what();
    }
    return {};
  }

  std::string folder_;
};

TEST_F(OutputFile_, ReplacesWhatWasThereAndLeavesNothingElse) {
  std::ofstream(path("a.json")) << "{old and longer}";
  {
    OutputFile file(path("a.json"));
    EXPECT_TRUE(file.replaceable());
    EXPECT_EQ(content(path("a.json")), "{old and longer}");
    file.write("new");
    EXPECT_EQ(content(path("a.json")), "new");
    file.write("newer");
  }
  EXPECT_EQ(content(path("a.json")), "newer");
  EXPECT_EQ(std::distance(files::directory_iterator(folder_), files::directory_iterator()), 1);
}

TEST_F(OutputFile_, OpenedAndNeverWrittenLeavesEverythingAsItWas) {
  { OutputFile file(path("a.json")); }
  EXPECT_TRUE(files::is_empty(folder_));
}

TEST_F(OutputFile_, NamesAFileInAFolderThatIsNotThere) {
  EXPECT_EQ(error_of(path("none/a.json")), path("none/a.json") + ": No such file or directory");
}

TEST_F(OutputFile_, RefusesAFolder) { EXPECT_EQ(error_of(folder_), folder_ + ": Is a directory"); }

TEST_F(OutputFile_, LeavesAFileThatIsNoReportAlone) {
  std::ofstream(path("store.sqlite")) << "SQLite format 3";
  EXPECT_EQ(error_of(path("store.sqlite")),
            path("store.sqlite") + ": holds something else than a report; it is left alone");
  EXPECT_EQ(content(path("store.sqlite")), "SQLite format 3");
}

TEST_F(OutputFile_, RefusesAFileAsAFolder) {
  std::ofstream(path("file")) << "x";
  EXPECT_THAT(error_of(path("file/a.json")), HasSubstr("Not a directory"));
}

TEST_F(OutputFile_, KeepsALinkAndReplacesWhatItLeadsTo) {
  std::ofstream(path("real")) << "{old}";
  files::create_symlink(path("real"), path("link"));
  OutputFile(path("link")).write("new");
  EXPECT_TRUE(files::is_symlink(path("link")));
  EXPECT_EQ(content(path("real")), "new");
}

TEST_F(OutputFile_, SaysThatADeviceIsFull) {
  OutputFile file("/dev/full");
  EXPECT_FALSE(file.replaceable());
  try {
    file.write("x");
    FAIL() << "a full device took it";
  } catch (const OutputError& error) {
    EXPECT_EQ(std::string(error.what()), "/dev/full: No space left on device");
  }
}

// In a child, because the limit holds for the whole process.
TEST_F(OutputFile_, KeepsTheLastGoodTextWhenTheDiskIsFull) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    OutputFile file(path("a.json"));
    file.write("good");
    try {
      file.write(std::string(2000, 'x'));
    } catch (const OutputError&) {
      ::_exit(content(path("a.json")) == "good" ? 0 : 1);
    }
    ::_exit(2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace shopmark::bench
