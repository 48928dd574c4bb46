#include "bench/run/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace shopmark::bench {

namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw OutputError(path + ": " + std::strerror(error));
}

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags, const std::string& shown)
      : shown_(shown), value_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (value_ < 0) fail(shown_, errno);
  }
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int value() const { return value_; }
  // Some file systems report a full disk only here.
  void close() {
    const int value = value_;
    value_ = -1;
    if (::close(value) != 0) fail(shown_, errno);
  }

 private:
  std::string shown_;
  int value_;
};

// /dev/stdout may lead to a regular file, which must not be replaced behind the shell's back.
bool is_open_file(std::string_view path) {
  for (const std::string_view prefix : {"/dev/std", "/dev/fd/", "/proc/"}) {
    if (path.substr(0, prefix.size()) == prefix) return true;
  }
  return false;
}

// A file that is no JSON document is somebody's own, perhaps the store itself.
bool may_be_replaced(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char first = '{';
  file >> first;
  return first == '{' || first == '[';
}

}  // namespace

void write_all(int descriptor, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(path, errno);
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

OutputFile::OutputFile(const std::string& path) : path_(path), real_path_(path) {
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(path_, EISDIR);
  if (exists && (!S_ISREG(status.st_mode) || is_open_file(path))) {
    if (::access(path.c_str(), W_OK) != 0) fail(path_, errno);
    return;
  }
  // A link keeps being one: what it leads to is replaced.
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
  if (!error) real_path_ = real.string();
  if (exists && ::access(real_path_.c_str(), W_OK) != 0) fail(path_, errno);
  if (exists && !may_be_replaced(real_path_)) {
    throw OutputError(path_ + ": holds something else than a report; it is left alone");
  }
  const std::string temporary = real_path_ + ".tmp";
  Descriptor probe(temporary, O_WRONLY | O_CREAT | O_TRUNC, path_);
  temporary_ = temporary;
}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view text) {
  if (!replaceable()) {
    Descriptor file(path_, O_WRONLY | O_APPEND, path_);
    write_all(file.value(), text, path_);
    file.close();
    return;
  }
  Descriptor file(temporary_, O_WRONLY | O_CREAT | O_TRUNC, path_);
  write_all(file.value(), text, path_);
  if (::fsync(file.value()) != 0) fail(path_, errno);
  file.close();
  if (::rename(temporary_.c_str(), real_path_.c_str()) != 0) fail(path_, errno);
}

}  // namespace shopmark::bench
