// Digests, signatures and random tokens, by OpenSSL. Each is in lower-case hexadecimal digits.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace shopmark::http {

std::string sha256_hex(std::string_view text);
std::string hmac_sha256_hex(std::string_view secret, std::string_view text);
// From the system's random source, two digits a byte. Throws std::runtime_error when that fails.
std::string random_hex(std::size_t bytes);
// Takes as long wherever they differ; only the lengths may be learnt from it.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace shopmark::http
