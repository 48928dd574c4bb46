#include "bench/load/process_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <stdexcept>

namespace shopmark::drive {
namespace {

using ::testing::HasSubstr;

struct Line {
  std::int64_t t_ns = 0;
  std::string process;
  pid_t pid = 0;
  std::int64_t cpu_ms = 0;
  std::int64_t rss_bytes = 0;
};

std::vector<Line> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::string line;
  std::getline(stream, line);
  EXPECT_EQ(line, "t_ns,process,pid,cpu_ms,rss_bytes,read_bytes,write_bytes");
  std::vector<Line> lines;
  while (std::getline(stream, line)) {
    std::istringstream fields(line);
    std::vector<std::string> words;
    for (std::string word; std::getline(fields, word, ',');) words.push_back(word);
    if (words.size() < 5) {
      ADD_FAILURE() << line;
      continue;
    }
    lines.push_back({std::stoll(words[0]), words[1], std::stoi(words[2]), std::stoll(words[3]),
                     std::stoll(words[4])});
  }
  return lines;
}

// Of this thread; 100 ms are ten ticks.
void burn_cpu() {
  const auto spent = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1'000'000;
  };
  const auto begun = spent();
  while (spent() - begun < 100) {
  }
}

// A process that holds memory until its input ends.
class Child {
 public:
  explicit Child(std::size_t bytes) {
    int to_child[2];
    int from_child[2];
    if (pipe(to_child) != 0 || pipe(from_child) != 0) throw std::runtime_error("no pipe");
    pid_ = fork();
    if (pid_ == 0) {
      close(to_child[1]);
      char* memory = static_cast<char*>(malloc(bytes));
      for (std::size_t i = 0; i < bytes; i += 1024) memory[i] = static_cast<char>(i | 1U);
      char byte = 'x';
      if (write(from_child[1], &byte, 1) != 1) _exit(1);
      _exit(read(to_child[0], &byte, 1) == 0 ? 0 : memory[0]);
    }
    close(to_child[0]);
    close(from_child[1]);
    input_ = to_child[1];
    char byte = 0;
    if (read(from_child[0], &byte, 1) != 1) throw std::runtime_error("no child");
    close(from_child[0]);
  }
  ~Child() {
    close(input_);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
  int input_ = -1;
};

std::vector<WatchedProcess> self() { return {{"self", getpid()}}; }

TEST(ProcessSamplerTest, CpuTimeRisesWithWork) {
  ProcessSampler sampler(self());
  burn_cpu();
  const std::vector<Line> lines = lines_of(sampler.stop());
  ASSERT_GE(lines.size(), 2U) << "one at the start, one at the end";
  EXPECT_EQ(lines.front().process, "self");
  EXPECT_EQ(lines.front().pid, getpid());
  EXPECT_GT(lines.back().t_ns, lines.front().t_ns);
  EXPECT_GE(lines.back().cpu_ms, lines.front().cpu_ms + 50);
  EXPECT_GT(lines.back().rss_bytes, 1 << 20);
}

TEST(ProcessSamplerTest, ChildrenAreCountedWithTheirParent) {
  constexpr std::int64_t kBytes = 64 << 20;
  std::int64_t without = 0;
  {
    ProcessSampler sampler(self());
    without = lines_of(sampler.stop()).back().rss_bytes;
  }
  const Child child(kBytes);
  std::vector<WatchedProcess> both = self();
  both.push_back({"child", child.pid()});
  ProcessSampler sampler(both);
  const std::vector<Line> lines = lines_of(sampler.stop());
  ASSERT_GE(lines.size(), 2U);
  const Line& parent = lines[lines.size() - 2];
  EXPECT_EQ(parent.process, "self");
  EXPECT_GE(parent.rss_bytes, without + kBytes / 2);
  EXPECT_EQ(lines.back().process, "child");
  EXPECT_GE(lines.back().rss_bytes, kBytes);
  EXPECT_LT(lines.back().rss_bytes, parent.rss_bytes) << "a parent is none of its child's";
}

TEST(ProcessSamplerTest, WhatThisUserMayNotReadIsLeftOut) {
  const pid_t child = fork();
  if (child == 0) {
    // The first process is another user's, then at the latest.
    if (getuid() == 0 && setuid(65534) != 0) _exit(2);
    ProcessSampler sampler({{"first", 1}});
    _exit(lines_of(sampler.stop()).size() >= 2 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(ProcessSamplerTest, NothingWatchedIsAHeadingAlone) {
  ProcessSampler sampler({});
  EXPECT_TRUE(lines_of(sampler.stop()).empty());
}

TEST(ProcessSamplerTest, ToStopTwiceGivesTheSame) {
  ProcessSampler sampler(self());
  const std::string text = sampler.stop();
  EXPECT_EQ(sampler.stop(), text);
}

TEST(ParseWatchTest, NamesProcesses) {
  const std::string own = std::to_string(getpid());
  const auto processes = parse_watch("server=" + own + ",engine=" + own);
  ASSERT_EQ(processes.size(), 2U);
  EXPECT_EQ(processes[0].name, "server");
  EXPECT_EQ(processes[1].name, "engine");
  EXPECT_EQ(processes[1].pid, getpid());
  EXPECT_TRUE(parse_watch("").empty());
}

TEST(ParseWatchTest, RefusesWhatNamesNoProcess) {
  for (const char* text :
       {"server", "=1", "server=", "server=x", "server=0", "server=-1", "a=1=1"}) {
    EXPECT_THROW(parse_watch(text), std::invalid_argument) << text;
  }
  try {
    parse_watch("server=2147483647");
    FAIL() << "there is none";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("there is no process 2147483647"));
  }
}

}  // namespace
}  // namespace shopmark::drive
