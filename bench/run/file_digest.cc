#include "bench/run/file_digest.h"

#include <fstream>
#include <sstream>

#include "seed/digest.h"

namespace shopmark::bench {

std::string file_digest(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream bytes;
  if (stream) bytes << stream.rdbuf();
  return stream && bytes ? seed::text_digest(bytes.str()) : std::string();
}

}  // namespace shopmark::bench
