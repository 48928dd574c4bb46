// Products and all that hangs on them.

#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "seed/configuration.h"
#include "seed/generator.h"
#include "seed/rng.h"
#include "seed/row_writer.h"

namespace shopmark::seed {

enum class ProductStatus { kActive, kDraft, kArchived };

// What a product is, as far as others need to know it: carts and orders as well as its own rows.
struct ProductFacts {
  struct OptionFacts {
    Option option = kColour;
    std::size_t count = 0;
    std::array<std::size_t, 5> values{};  // indexes into the option's words, rising
  };

  std::int64_t id = 0;
  std::int64_t rank = 0;  // 0 sells best
  ProductStatus status = ProductStatus::kActive;
  bool digital = false;
  TaxClass tax_class = TaxClass::kStandard;
  std::string name;
  std::size_t leaf = 0;
  std::size_t brand = 0;
  std::size_t adjective = 0;
  std::size_t material = 0;
  std::size_t noun = 0;
  std::size_t category_count = 0;
  std::array<std::int64_t, 3> categories{};  // rising
  std::size_t tag_count = 0;
  std::array<std::int64_t, 6> tags{};  // rising
  std::size_t option_count = 0;
  std::array<OptionFacts, 2> options{};
  std::int64_t variant_count = 1;
  std::int64_t base_cents = 0;
  std::int64_t base_grams = 0;
  std::int64_t file_count = 0;
  std::int64_t first_file = 0;  // a digital product's place among files, in 1/725 of all
  std::uint32_t sales = 0;      // bit i: a rule of sale i + 1 names it

  bool in_category(std::int64_t category) const;
};

// Variants count from 1 within their product.
std::int64_t variant_id(std::int64_t product_id, std::int64_t position);
std::int64_t variant_price_cents(const ProductFacts& product, std::int64_t position);
std::int64_t variant_weight_grams(const ProductFacts& product, std::int64_t position);
// The variant's value of an option, as an index into the option's words.
std::size_t variant_value(const ProductFacts& product, std::int64_t position, std::size_t option);
void append_sku(std::string& to, std::int64_t product_id, std::int64_t position);
// "Colour: Red, Size: M"; nothing for a product without options.
void append_options(std::string& to, const ProductFacts& product, std::int64_t position);

std::int64_t file_id(std::int64_t product_id, std::int64_t position);

// Immutable; nothing in it grows with the profile.
class Catalog {
 public:
  // Shares are counted in products of 5,000, so that `standard` has exactly those numbers.
  static constexpr std::int64_t kWhole = 5000;

  Catalog(const Profile& profile, std::uint64_t seed, const Configuration& configuration);

  // Product `index` from 0; its id is one more.
  void product(std::int64_t index, ProductFacts& facts) const;
  std::int64_t index_of_rank(std::int64_t rank) const { return popularity_.backward(rank); }
  std::int64_t stock(const ProductFacts& product, std::int64_t position) const;

  void write(std::int64_t index, RowWriter& writer) const;

 private:
  void choose_kind(ProductFacts& facts) const;
  void choose_categories(ProductFacts& facts, Draws& draws) const;
  void choose_tags(ProductFacts& facts, Draws& draws) const;
  void choose_options(ProductFacts& facts, Draws& draws) const;
  void write_product(const ProductFacts& facts, RowWriter& writer) const;
  void write_choices(const ProductFacts& facts, RowWriter& writer) const;
  void write_media(const ProductFacts& facts, Draws& draws, RowWriter& writer) const;
  void write_variants(const ProductFacts& facts, RowWriter& writer) const;
  void write_files(const ProductFacts& facts, RowWriter& writer) const;

  std::int64_t products_;
  std::uint64_t seed_;
  const Configuration& configuration_;
  std::int64_t first_digital_rank_;
  Permutation popularity_;
  Permutation status_;
  Permutation kind_;
  Permutation option_counts_;
  Permutation category_counts_;
  Permutation tag_counts_;
  Permutation attribute_counts_;
  Permutation media_counts_;
};

}  // namespace shopmark::seed
