// Small pieces of text without allocation or locale.

#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace shopmark::seed {

inline void append(std::string& to, std::int64_t number) {
  char buffer[20];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), number);
  (void)error;  // 20 characters hold every 64-bit integer
  to.append(buffer, static_cast<std::size_t>(end - buffer));
}

inline void append(std::string& to, std::string_view text) { to.append(text); }

// Any mix of text and integers, one after the other.
template <typename... Parts>
void append_all(std::string& to, const Parts&... parts) {
  (append(to, parts), ...);
}

// With zeros in front up to `digits`.
inline void append_padded(std::string& to, std::int64_t number, std::size_t digits) {
  const std::size_t start = to.size();
  append(to, number);
  const std::size_t length = to.size() - start;
  if (length < digits) to.insert(start, digits - length, '0');
}

// 16 hexadecimal digits.
inline void append_hex(std::string& to, std::uint64_t number) {
  for (int shift = 60; shift >= 0; shift -= 4) {
    to.push_back("0123456789abcdef"[(number >> shift) & 0xF]);
  }
}

}  // namespace shopmark::seed
