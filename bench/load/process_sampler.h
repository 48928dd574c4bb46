// What the processes of the server and of the engine used while a run went on.

#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace shopmark::drive {

struct WatchedProcess {
  std::string name;  // server, engine
  pid_t pid = 0;     // it and all its descendants
};

// From "server=123,engine=456". Throws std::invalid_argument that says what is wrong; a process
// that is not there is wrong too.
std::vector<WatchedProcess> parse_watch(std::string_view text);

// Reads /proc on a thread of its own, every 250 ms and once at the end.
class ProcessSampler {
 public:
  explicit ProcessSampler(std::vector<WatchedProcess> processes);
  ~ProcessSampler();
  ProcessSampler(const ProcessSampler&) = delete;
  ProcessSampler& operator=(const ProcessSampler&) = delete;

  // Ends the thread. Lines t_ns,process,pid,cpu_ms,rss_bytes,read_bytes,write_bytes with a heading:
  // times from the construction; CPU and I/O since each process began; what this user may not read
  // is empty.
  std::string stop();

 private:
  void sample();

  std::vector<WatchedProcess> processes_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::string lines_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace shopmark::drive
