#include "bench/overhead/child.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <stdexcept>

namespace shopmark::bench {

// Runs `work` in a child, which says through a pipe what it took and how many rows it made.
Outcome in_child(const std::function<Outcome()>& work) {
  int pipe_ends[2];
  if (::pipe(pipe_ends) != 0) throw std::runtime_error("no pipe");
  std::cout.flush();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    int status = 1;
    try {
      const Outcome outcome = work();
      if (::write(pipe_ends[1], &outcome, sizeof outcome) == sizeof outcome) status = 0;
    } catch (const std::exception& error) {
      std::cerr << error.what() << std::endl;
    }
    ::_exit(status);
  }
  ::close(pipe_ends[1]);
  Outcome outcome;
  const bool told = ::read(pipe_ends[0], &outcome, sizeof outcome) == sizeof outcome;
  ::close(pipe_ends[0]);
  int status = 0;
  rusage usage = {};
  ::wait4(child, &status, 0, &usage);
  if (!told || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error("a child failed");
  }
  outcome.peak_mib = static_cast<double>(usage.ru_maxrss) / 1024;
  return outcome;
}

void keep_faster(Outcome& best, const Outcome& next) {
  if (best.seconds == 0 || next.seconds < best.seconds) best.seconds = next.seconds;
  best.rows = next.rows;
  best.peak_mib = std::max(best.peak_mib, next.peak_mib);
}

TemporaryFolder::TemporaryFolder()
    : path_((std::filesystem::temp_directory_path() / "shopmark_XXXXXX").string()) {
  if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error(path_ + ": cannot be made");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace shopmark::bench
