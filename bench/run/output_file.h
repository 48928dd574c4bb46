// Where a document goes.

#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace shopmark::bench {

// One line that names the file and the reason.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class OutputFile {
 public:
  // Makes sure that it can be written, without touching what is there. Throws OutputError.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // The name as it was given.
  const std::string& path() const { return path_; }
  // False for a device, a pipe or a socket: write it once, at the end.
  bool replaceable() const { return !temporary_.empty(); }

  // Replaces what is there. A replaceable file is at every moment either what it was or what it is
  // to be, on the disk too. Throws OutputError.
  void write(std::string_view text);

 private:
  std::string path_;
  std::string real_path_;
  std::string temporary_;  // beside it; empty when it is not replaceable
};

// All of it to an open descriptor. Throws OutputError that names `path`.
void write_all(int descriptor, std::string_view text, const std::string& path);

}  // namespace shopmark::bench
