#pragma once

#include <string>

namespace shopmark::bench {

// Of a file's bytes, 32 hexadecimal digits. Empty when it cannot be read.
std::string file_digest(const std::string& path);

}  // namespace shopmark::bench
