#pragma once

#include <string>
#include <string_view>

namespace shopmark::bench {

// XXH3's 128 bits as 32 hexadecimal digits: tells equal from unequal text, and resists nobody.
std::string text_digest(std::string_view text);

}  // namespace shopmark::bench
