#include "bench/load/process_sampler.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <dirent.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace shopmark::drive {

namespace {

constexpr std::chrono::milliseconds kEvery{250};

std::string read_all(const std::string& path) {
  const std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();  // which, unlike the iterators, does not throw where it may not read
  return std::move(text).str();
}

struct Process {
  pid_t parent = 0;
  std::int64_t cpu_ticks = 0;
  std::int64_t rss_pages = 0;
};

// proc(5): the name in brackets may hold anything, so the fields are counted behind the last one.
std::optional<Process> read_process(pid_t pid) {
  const std::string stat = read_all(absl::StrCat("/proc/", pid, "/stat"));
  const std::size_t bracket = stat.rfind(')');
  if (bracket == std::string::npos) return std::nullopt;
  const std::vector<std::string> fields =
      absl::StrSplit(stat.substr(bracket + 1), ' ', absl::SkipEmpty());
  Process process;
  std::int64_t user = 0;
  std::int64_t system = 0;
  if (fields.size() < 22 || !absl::SimpleAtoi(fields[1], &process.parent) ||
      !absl::SimpleAtoi(fields[11], &user) || !absl::SimpleAtoi(fields[12], &system) ||
      !absl::SimpleAtoi(fields[21], &process.rss_pages)) {
    return std::nullopt;
  }
  process.cpu_ticks = user + system;
  return process;
}

std::map<pid_t, Process> read_processes() {
  std::map<pid_t, Process> all;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return all;
  while (const dirent* entry = readdir(folder)) {
    pid_t pid = 0;
    if (!absl::SimpleAtoi(entry->d_name, &pid)) continue;
    if (const std::optional<Process> process = read_process(pid)) all.emplace(pid, *process);
  }
  closedir(folder);
  return all;
}

bool descends(const std::map<pid_t, Process>& all, pid_t pid, pid_t ancestor) {
  for (int depth = 0; depth < 64; ++depth) {
    if (pid == ancestor) return true;
    const auto found = all.find(pid);
    if (found == all.end()) return false;
    pid = found->second.parent;
  }
  return false;
}

// Read and written bytes; absent where this user may not look.
std::optional<std::pair<std::int64_t, std::int64_t>> read_io(pid_t pid) {
  std::pair<std::int64_t, std::int64_t> bytes;
  int found = 0;
  const std::vector<std::string> lines =
      absl::StrSplit(read_all(absl::StrCat("/proc/", pid, "/io")), '\n');
  for (const std::string& line : lines) {
    const std::vector<std::string> words = absl::StrSplit(line, ": ");
    if (words.size() != 2) continue;
    if (words[0] == "read_bytes" && absl::SimpleAtoi(words[1], &bytes.first)) ++found;
    if (words[0] == "write_bytes" && absl::SimpleAtoi(words[1], &bytes.second)) ++found;
  }
  if (found != 2) return std::nullopt;
  return bytes;
}

}  // namespace

std::vector<WatchedProcess> parse_watch(std::string_view text) {
  std::vector<WatchedProcess> processes;
  const std::vector<std::string> parts = absl::StrSplit(std::string(text), ',', absl::SkipEmpty());
  for (const std::string& part : parts) {
    const std::vector<std::string> words = absl::StrSplit(part, '=');
    WatchedProcess process;
    if (words.size() != 2 || words[0].empty() || !absl::SimpleAtoi(words[1], &process.pid) ||
        process.pid < 1) {
      throw std::invalid_argument("must be NAME=PID,NAME=PID");
    }
    if (!read_process(process.pid)) {
      throw std::invalid_argument(absl::StrCat("there is no process ", words[1]));
    }
    process.name = words[0];
    processes.push_back(std::move(process));
  }
  return processes;
}

ProcessSampler::ProcessSampler(std::vector<WatchedProcess> processes)
    : processes_(std::move(processes)),
      lines_("t_ns,process,pid,cpu_ms,rss_bytes,read_bytes,write_bytes\n") {
  if (processes_.empty()) return;
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    do {
      sample();
    } while (!stopped_.wait_for(lock, kEvery, [this] { return stop_; }));
    sample();
  });
}

ProcessSampler::~ProcessSampler() { stop(); }

std::string ProcessSampler::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) thread_.join();
  return lines_;
}

void ProcessSampler::sample() {
  const std::int64_t now =
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - began_).count();
  const std::map<pid_t, Process> all = read_processes();
  for (const WatchedProcess& watched : processes_) {
    std::int64_t ticks = 0;
    std::int64_t pages = 0;
    std::pair<std::int64_t, std::int64_t> io;
    bool readable = true;
    bool there = false;
    for (const auto& [pid, process] : all) {
      if (!descends(all, pid, watched.pid)) continue;
      there = true;
      ticks += process.cpu_ticks;
      pages += process.rss_pages;
      if (const auto bytes = read_io(pid)) {
        io.first += bytes->first;
        io.second += bytes->second;
      } else {
        readable = false;
      }
    }
    if (!there) continue;
    absl::StrAppend(&lines_, now, ",", watched.name, ",", watched.pid, ",",
                    ticks * 1000 / sysconf(_SC_CLK_TCK), ",", pages * sysconf(_SC_PAGESIZE), ",");
    if (readable) {
      absl::StrAppend(&lines_, io.first, ",", io.second, "\n");
    } else {
      lines_ += ",\n";
    }
  }
}

}  // namespace shopmark::drive
