#include "bench/run/text_digest.h"

#include <absl/strings/str_format.h>
#include <xxhash.h>

namespace shopmark::bench {

std::string text_digest(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return absl::StrFormat("%016x%016x", hash.high64, hash.low64);
}

}  // namespace shopmark::bench
