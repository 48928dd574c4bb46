#include "seed/catalog.h"

#include <algorithm>

#include "seed/text.h"
#include "seed/words.h"

namespace shopmark::seed {

namespace {

constexpr std::int64_t kActive = 4851;
constexpr std::int64_t kDrafts = 89;
constexpr std::int64_t kDigital = 500;
// Downloads are none of the best sellers: none stands before this rank. It sets how many are sold.
constexpr std::int64_t kFirstDigitalRank = 1290;
constexpr std::int64_t kTwoOptions = 625;
constexpr std::int64_t kOneOption = 2388;

constexpr Share kCategoryShares[] = {{2700, 1}, {1858, 2}, {442, 3}};
constexpr Share kTagShares[] = {{769, 1}, {1231, 2}, {1350, 3}, {900, 4}, {500, 5}, {250, 6}};
constexpr Share kOneOptionShares[] = {{946, 2}, {922, 3}, {520, 4}};
constexpr Share kFileShares[] = {{300, 1}, {175, 2}, {25, 3}};

// How many of the products with two options have how many values of each.
struct PairShare {
  std::int64_t products;
  std::int64_t first;
  std::int64_t second;
};
constexpr PairShare kPairShares[] = {
    {40, 2, 2}, {60, 2, 3}, {46, 2, 4}, {16, 2, 5}, {55, 3, 2}, {86, 3, 3}, {64, 3, 4}, {22, 3, 5},
    {40, 4, 2}, {64, 4, 3}, {51, 4, 4}, {17, 4, 5}, {15, 5, 2}, {26, 5, 3}, {19, 5, 4}, {4, 5, 5}};

constexpr std::int64_t kVariantIdsPerProduct = 32;

std::int64_t round_price(std::int64_t cents, std::int64_t ending) {
  constexpr std::int64_t kEndings[] = {99, 95, 50, 0};
  return std::max<std::int64_t>(cents / 100 * 100 + kEndings[ending], 99);
}

void append_name(std::string& to, const ProductFacts& facts, Draws& draws) {
  const LeafWords& leaf = kLeaves[facts.leaf];
  const Words materials = facts.digital ? kDigitalMaterials : kMaterials;
  if (draws.chance(2200)) append_all(to, kAttributes[0].values[facts.brand], " ");
  append_all(to, kAdjectives[facts.adjective], " ", materials[facts.material], " ",
             leaf.nouns[facts.noun]);
  const auto kind = draws.below(100);
  if (kind < 30) {
    constexpr std::string_view kSeries[] = {"AX", "KT", "NO", "RV", "TX"};
    const std::int64_t number = draws.between(100, 999);
    append_all(to, " ", draws.pick(kSeries), "-", number);
  } else if (kind < 37) {
    append_all(to, " ", draws.pick(kNameSuffixes));
  }
}

}  // namespace

bool ProductFacts::in_category(std::int64_t category) const {
  return std::find(categories.begin(), categories.begin() + category_count, category) !=
         categories.begin() + category_count;
}

std::int64_t variant_id(std::int64_t product_id, std::int64_t position) {
  return (product_id - 1) * kVariantIdsPerProduct + position;
}

std::int64_t file_id(std::int64_t product_id, std::int64_t position) {
  return product_id * 8 + position;
}

namespace {

// Which of its product's values of an option a variant has: variants run through all combinations,
// the last option fastest.
std::size_t value_place(const ProductFacts& product, std::int64_t position, std::size_t option) {
  const auto place = static_cast<std::size_t>(position - 1);
  if (product.option_count < 2) return place;
  const std::size_t second = product.options[1].count;
  return option == 0 ? place / second : place % second;
}

}  // namespace

std::size_t variant_value(const ProductFacts& product, std::int64_t position, std::size_t option) {
  return product.options[option].values[value_place(product, position, option)];
}

std::int64_t variant_price_cents(const ProductFacts& product, std::int64_t position) {
  std::int64_t price = product.base_cents;
  for (std::size_t i = 0; i < product.option_count; ++i) {
    const std::int64_t step =
        product.base_cents * kOptions[product.options[i].option].step_bp / 10000 / 50 * 50;
    price += step * static_cast<std::int64_t>(value_place(product, position, i));
  }
  return price;
}

std::int64_t variant_weight_grams(const ProductFacts& product, std::int64_t position) {
  std::int64_t grams = product.base_grams;
  for (std::size_t i = 0; i < product.option_count; ++i) {
    if (kOptions[product.options[i].option].step_bp == 0) continue;
    grams += product.base_grams / 8 * static_cast<std::int64_t>(value_place(product, position, i));
  }
  return grams;
}

void append_sku(std::string& to, std::int64_t product_id, std::int64_t position) {
  append(to, "SM-");
  append_padded(to, product_id, 5);
  append(to, "-");
  append_padded(to, position, 2);
}

void append_options(std::string& to, const ProductFacts& product, std::int64_t position) {
  for (std::size_t i = 0; i < product.option_count; ++i) {
    const OptionWords& option = kOptions[product.options[i].option];
    append_all(to, i == 0 ? "" : ", ", option.name, ": ",
               option.values[variant_value(product, position, i)]);
  }
}

Catalog::Catalog(const Profile& profile, std::uint64_t seed, const Configuration& configuration)
    : products_(profile.products),
      seed_(seed),
      configuration_(configuration),
      first_digital_rank_(profile.products * kFirstDigitalRank / kWhole),
      popularity_(seed, Stream::kPopularity, profile.products),
      status_(seed, Stream::kStatus, profile.products),
      kind_(seed, Stream::kKind, profile.products - first_digital_rank_),
      option_counts_(seed, Stream::kOptionCount, profile.products),
      category_counts_(seed, Stream::kCategoryCount, profile.products),
      tag_counts_(seed, Stream::kTagCount, profile.products),
      attribute_counts_(seed, Stream::kAttributeCount, profile.products),
      media_counts_(seed, Stream::kMediaCount, profile.products) {}

void Catalog::product(std::int64_t index, ProductFacts& facts) const {
  Draws draws(seed_, Stream::kProduct, index);
  facts.id = index + 1;
  facts.rank = popularity_.forward(index);
  const std::int64_t status = status_.quantile(index, kWhole);
  facts.status = status < kActive             ? ProductStatus::kActive
                 : status < kActive + kDrafts ? ProductStatus::kDraft
                                              : ProductStatus::kArchived;
  choose_kind(facts);

  const auto leaves = static_cast<std::int64_t>(kLeaves.size());
  facts.leaf =
      static_cast<std::size_t>(facts.digital ? leaves - kDigitalLeaves + draws.below(kDigitalLeaves)
                                             : draws.below(leaves - kDigitalLeaves));
  const LeafWords& leaf = kLeaves[facts.leaf];
  const Words materials = facts.digital ? kDigitalMaterials : kMaterials;
  facts.brand = static_cast<std::size_t>(
      draws.skewed(static_cast<std::int64_t>(kAttributes[0].values.size())));
  facts.adjective =
      static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(kAdjectives.size())));
  facts.material =
      static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(materials.size())));
  facts.noun = static_cast<std::size_t>(draws.below(4));
  facts.name.clear();
  append_name(facts.name, facts, draws);

  const auto tax = draws.below(100);
  facts.tax_class = tax < 78   ? TaxClass::kStandard
                    : tax < 98 ? TaxClass::kReduced
                               : TaxClass::kZero;
  const std::int64_t ending = draws.below(4);
  facts.base_cents =
      round_price(leaf.low_cents + draws.skewed(leaf.high_cents - leaf.low_cents), ending);
  facts.base_grams = leaf.low_grams + draws.skewed(leaf.high_grams - leaf.low_grams + 1);
  choose_categories(facts, draws);
  choose_tags(facts, draws);
  choose_options(facts, draws);

  facts.sales = 0;
  for (const SaleRule& rule : configuration_.sale_rules()) {
    const bool named = rule.product_id == facts.id ||
                       (rule.category_id != 0 && facts.in_category(rule.category_id)) ||
                       std::find(facts.tags.begin(), facts.tags.begin() + facts.tag_count,
                                 rule.tag_id) != facts.tags.begin() + facts.tag_count;
    if (named) facts.sales |= 1U << (rule.sale_id - 1);
  }
}

void Catalog::choose_kind(ProductFacts& facts) const {
  facts.digital = false;
  facts.file_count = 0;
  if (facts.rank < first_digital_rank_) return;
  const std::int64_t place =
      kind_.quantile(facts.rank - first_digital_rank_, kWhole - kFirstDigitalRank);
  if (place >= kDigital) return;
  facts.digital = true;
  facts.file_count = count_at(kFileShares, place);
  facts.first_file = place < 300   ? place
                     : place < 475 ? 300 + (place - 300) * 2
                                   : 650 + (place - 475) * 3;
}

void Catalog::choose_categories(ProductFacts& facts, Draws& draws) const {
  const auto leaf = static_cast<int>(facts.leaf);
  const auto physical = static_cast<int>(kLeaves.size()) - kDigitalLeaves;
  facts.category_count = static_cast<std::size_t>(
      count_at(kCategoryShares, category_counts_.quantile(facts.id - 1, kWhole)));
  facts.categories[0] = category_of_leaf(leaf);
  facts.categories[1] = category_of_department(kLeaves[facts.leaf].department);
  // Another leaf of the same kind.
  const int first = facts.digital ? physical : 0;
  const int leaves = facts.digital ? kDigitalLeaves : physical;
  const auto step = static_cast<int>(draws.between(1, leaves - 1));
  facts.categories[2] = category_of_leaf(first + (leaf - first + step) % leaves);
  std::sort(facts.categories.begin(), facts.categories.begin() + facts.category_count);
}

void Catalog::choose_tags(ProductFacts& facts, Draws& draws) const {
  facts.tag_count =
      static_cast<std::size_t>(count_at(kTagShares, tag_counts_.quantile(facts.id - 1, kWhole)));
  const auto end = [&](std::size_t count) { return facts.tags.begin() + count; };
  for (std::size_t i = 0; i < facts.tag_count;) {
    const std::int64_t tag = 1 + draws.skewed(static_cast<std::int64_t>(kTags.size()));
    if (std::find(facts.tags.begin(), end(i), tag) == end(i)) facts.tags[i++] = tag;
  }
  std::sort(facts.tags.begin(), end(facts.tag_count));
}

void Catalog::choose_options(ProductFacts& facts, Draws& draws) const {
  std::int64_t place = option_counts_.quantile(facts.id - 1, kWhole);
  std::array<std::int64_t, 2> counts{};
  facts.option_count = 0;
  if (place < kTwoOptions) {
    std::size_t i = 0;
    while (place >= kPairShares[i].products) place -= kPairShares[i++].products;
    facts.option_count = 2;
    counts = {kPairShares[i].first, kPairShares[i].second};
  } else if (place < kTwoOptions + kOneOption) {
    facts.option_count = 1;
    counts[0] = count_at(kOneOptionShares, place - kTwoOptions);
  }

  const LeafWords& leaf = kLeaves[facts.leaf];
  // A product with one option has the leaf's first more often than its second.
  const std::size_t first = facts.option_count == 1 && draws.chance(3500) ? 1 : 0;
  facts.variant_count = 1;
  for (std::size_t i = 0; i < facts.option_count; ++i) {
    ProductFacts::OptionFacts& option = facts.options[i];
    option.option = leaf.options[(first + i) % 2];
    option.count = static_cast<std::size_t>(counts[i]);
    const auto words = static_cast<std::int64_t>(kOptions[option.option].values.size());
    const auto end = [&](std::size_t count) { return option.values.begin() + count; };
    for (std::size_t j = 0; j < option.count;) {
      const auto value = static_cast<std::size_t>(draws.below(words));
      if (std::find(option.values.begin(), end(j), value) == end(j)) option.values[j++] = value;
    }
    std::sort(option.values.begin(), end(option.count));
    facts.variant_count *= static_cast<std::int64_t>(option.count);
  }
}

std::int64_t Catalog::stock(const ProductFacts& product, std::int64_t position) const {
  Draws draws(seed_, Stream::kVariant, variant_id(product.id, position));
  if (product.digital) return 9999;
  const auto kind = draws.below(100);
  if (kind < 7) return 0;
  return kind < 18 ? draws.between(1, 3) : 4 + draws.skewed(300);
}

}  // namespace shopmark::seed
