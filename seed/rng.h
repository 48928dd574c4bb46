// The generator's only source of variety: integers drawn by counting, never by state that is
// carried from one row to the next, so that any row can be made alone.

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace shopmark::seed {

// The finalizer of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014, with the constants of Stafford's variant 13). A bijection of 64 bits.
constexpr std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

inline constexpr std::uint64_t kGoldenGamma = 0x9E3779B97F4A7C15ULL;

// What a draw is for: each purpose has its own numbers, so that one more draw for a product's text
// leaves its price as it is. Appending keeps the data; reordering changes it.
enum class Stream : std::uint64_t {
  kPopularity = 1,
  kStatus,
  kKind,
  kOptionCount,
  kCategoryCount,
  kTagCount,
  kAttributeCount,
  kMediaCount,
  kProduct,
  kProductText,
  kProductRows,
  kVariant,
  kFile,
  kCustomerAuth,
  kAddressCount,
  kCustomer,
  kCustomerRows,
  kAddress,
  kOrderTime,
  kOrder,
  kOrderEvents,
  kGrant,
  kCart,
};

// SplitMix64 started at a place of its own for each (seed, stream, index). A statement draws once:
// compilers differ in the order in which they evaluate the arguments of a call.
class Draws {
 public:
  constexpr Draws(std::uint64_t seed, Stream stream, std::int64_t index)
      : state_(mix(mix(seed + kGoldenGamma * static_cast<std::uint64_t>(stream)) +
                   static_cast<std::uint64_t>(index))) {}

  constexpr std::uint64_t next() { return mix(state_ += kGoldenGamma); }

  // In [0, bound). The bias is below bound / 2^32.
  constexpr std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(((next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }
  // In [low, high].
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + below(high - low + 1);
  }
  constexpr bool chance(std::int64_t per_10000) { return below(10000) < per_10000; }

  // In [0, bound), crowded at 0: the square of a uniform fraction.
  constexpr std::int64_t skewed(std::int64_t bound) {
    const std::uint64_t fraction = next() >> 32;
    const std::uint64_t square = (fraction * fraction) >> 32;
    return static_cast<std::int64_t>((square * static_cast<std::uint64_t>(bound)) >> 32);
  }

  // An index of the weights, in their proportion.
  template <typename Weights>
  constexpr std::size_t weighted(const Weights& weights) {
    std::int64_t total = 0;
    for (const auto weight : weights) total += weight;
    std::int64_t rest = below(total);
    std::size_t i = 0;
    while (rest >= weights[i]) rest -= weights[i++];
    return i;
  }

  std::string_view pick(std::span<const std::string_view> list) {
    return list[static_cast<std::size_t>(below(static_cast<std::int64_t>(list.size())))];
  }

 private:
  std::uint64_t state_;
};

// A permutation of [0, size) that can be asked for one element, both ways: a Feistel network over
// the next power of four, walked along its cycle until it is back in range (Black and Rogaway,
// "Ciphers with arbitrary finite domains", CT-RSA 2002). Slicing the ranks that it gives makes
// shares of a table exact, however the rows are split.
class Permutation {
 public:
  Permutation(std::uint64_t seed, Stream stream, std::int64_t size)
      : size_(static_cast<std::uint64_t>(size)),
        half_bits_(size <= 2 ? 1 : (static_cast<int>(std::bit_width(size_ - 1)) + 1) / 2),
        mask_((std::uint64_t{1} << half_bits_) - 1) {
    Draws draws(seed, stream, -1);
    for (std::uint64_t& key : keys_) key = draws.next();
  }

  std::int64_t size() const { return static_cast<std::int64_t>(size_); }

  std::int64_t forward(std::int64_t index) const {
    auto value = static_cast<std::uint64_t>(index);
    do {
      std::uint64_t left = value >> half_bits_;
      std::uint64_t right = value & mask_;
      for (const std::uint64_t key : keys_) {
        const std::uint64_t next = left ^ (mix(key ^ right) & mask_);
        left = right;
        right = next;
      }
      value = (left << half_bits_) | right;
    } while (value >= size_);
    return static_cast<std::int64_t>(value);
  }

  std::int64_t backward(std::int64_t rank) const {
    auto value = static_cast<std::uint64_t>(rank);
    do {
      std::uint64_t left = value >> half_bits_;
      std::uint64_t right = value & mask_;
      for (std::size_t i = keys_.size(); i-- > 0;) {
        const std::uint64_t previous = right ^ (mix(keys_[i] ^ left) & mask_);
        right = left;
        left = previous;
      }
      value = (left << half_bits_) | right;
    } while (value >= size_);
    return static_cast<std::int64_t>(value);
  }

  // The rank in units of 1/scale of the whole.
  std::int64_t quantile(std::int64_t index, std::int64_t scale) const {
    return forward(index) * scale / size();
  }

 private:
  std::uint64_t size_;
  int half_bits_;
  std::uint64_t mask_;
  std::array<std::uint64_t, 4> keys_{};
};

// So many of the parents, as counted at a whole that the user of it states, have `count` children.
struct Share {
  std::int64_t parents = 0;
  std::int64_t count = 0;
};

// The count at a place of that whole, the shares standing one after the other.
template <std::size_t size>
constexpr std::int64_t count_at(const Share (&shares)[size], std::int64_t place) {
  std::size_t i = 0;
  while (i + 1 < size && place >= shares[i].parents) place -= shares[i++].parents;
  return shares[i].count;
}

}  // namespace shopmark::seed
