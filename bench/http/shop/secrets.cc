#include "bench/http/shop/secrets.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <stdexcept>

namespace shopmark::http {

namespace {

using Digest = std::array<unsigned char, 32>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string hex(const unsigned char* bytes, std::size_t count) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(count * 2);
  for (std::size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

}  // namespace

std::string sha256_hex(std::string_view text) {
  Digest digest{};
  unsigned length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("SHA-256 failed");
  }
  return hex(digest.data(), digest.size());
}

std::string hmac_sha256_hex(std::string_view secret, std::string_view text) {
  Digest digest{};
  unsigned length = 0;
  if (HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()), bytes_of(text),
           text.size(), digest.data(), &length) == nullptr) {
    throw std::runtime_error("HMAC-SHA256 failed");
  }
  return hex(digest.data(), digest.size());
}

std::string random_hex(std::size_t bytes) {
  std::string random(bytes, '\0');
  auto* const data = reinterpret_cast<unsigned char*>(random.data());
  if (RAND_bytes(data, static_cast<int>(bytes)) != 1) {
    throw std::runtime_error("the system has no random bytes");
  }
  return hex(data, bytes);
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace shopmark::http
