// Work in a process of its own, so that its memory is its own, and what it took.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace shopmark::bench {

struct Outcome {
  double seconds = 0;
  std::int64_t rows = 0;
  double peak_mib = 0;
};

// Runs `work` in a child, which says through a pipe what it took and how many rows it made. The
// peak of memory is the child's. Throws std::runtime_error when it failed; why is on stderr.
Outcome in_child(const std::function<Outcome()>& work);

// The least seconds and the highest peak of several.
void keep_faster(Outcome& best, const Outcome& next);

// Removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace shopmark::bench
