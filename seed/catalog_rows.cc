// The rows of a product and of its children.

#include <algorithm>

#include "seed/calendar.h"
#include "seed/catalog.h"
#include "seed/search_words.h"
#include "seed/text.h"
#include "seed/words.h"

namespace shopmark::seed {

namespace {

constexpr Share kAttributeShares[] = {{1252, 2}, {1898, 3}, {1350, 4}, {500, 5}};
constexpr Share kMediaShares[] = {{1002, 1}, {1748, 2}, {1250, 3}, {750, 4}, {250, 5}};

// A sentence with its places filled.
void append_sentence(std::string& to, std::string_view sentence, const ProductFacts& facts,
                     std::string_view occasion, std::string_view audience) {
  const Words materials = facts.digital ? kDigitalMaterials : kMaterials;
  while (true) {
    const std::size_t open = sentence.find('{');
    to.append(sentence.substr(0, open));
    if (open == std::string_view::npos) return;
    switch (sentence[open + 1]) {
      case 'a':
        to.append(kAdjectives[facts.adjective]);
        break;
      case 'm':
        to.append(materials[facts.material]);
        break;
      case 'n':
        to.append(kLeaves[facts.leaf].nouns[facts.noun]);
        break;
      case 'b':
        to.append(kAttributes[0].values[facts.brand]);
        break;
      case 'o':
        to.append(occasion);
        break;
      case 'u':
        to.append(audience);
        break;
      default:  // d
        append_all(to, "SM", facts.id);
        break;
    }
    sentence.remove_prefix(open + 3);
  }
}

void append_description(std::string& to, const ProductFacts& facts, Draws& draws) {
  constexpr std::size_t kShortest = 150;
  constexpr std::size_t kLongest = 500;
  const Words sentences = facts.digital ? kDigitalSentences : kSentences;
  const std::string_view occasion = draws.pick(kAttributes[3].values);
  const std::string_view audience = draws.pick(kAttributes[4].values);
  const std::int64_t wanted = draws.between(3, 6);
  // Both lists have a power of two of sentences, so an odd step visits each once.
  const std::int64_t start = draws.below(static_cast<std::int64_t>(sentences.size()));
  const std::int64_t step = 2 * draws.below(4) + 1;
  for (std::int64_t i = 0; i < wanted || to.size() < kShortest; ++i) {
    const std::size_t before = to.size();
    if (i > 0) to.push_back(' ');
    const auto place = static_cast<std::size_t>(start + i * step) % sentences.size();
    append_sentence(to, sentences[place], facts, occasion, audience);
    if (to.size() > kLongest) {
      to.resize(before);
      return;
    }
  }
}

std::string_view name_of(ProductStatus status) {
  return status == ProductStatus::kActive  ? "active"
         : status == ProductStatus::kDraft ? "draft"
                                           : "archived";
}

}  // namespace

void Catalog::write(std::int64_t index, RowWriter& writer) const {
  ProductFacts facts;
  product(index, facts);
  Draws draws(seed_, Stream::kProductRows, index);
  write_product(facts, writer);
  write_choices(facts, writer);
  write_media(facts, draws, writer);
  write_variants(facts, writer);
  write_files(facts, writer);
}

void Catalog::write_product(const ProductFacts& facts, RowWriter& writer) const {
  Draws draws(seed_, Stream::kProductText, facts.id - 1);
  Cell subtitle;
  std::string subtitle_text;
  const auto subtitle_kind = draws.below(100);
  if (subtitle_kind >= 25) subtitle_text = draws.pick(kSubtitles);
  if (subtitle_kind >= 20) subtitle = Cell(subtitle_text);
  std::string description;
  append_description(description, facts, draws);

  std::string text = facts.name;
  std::string slug;
  for (const std::string& word : search_words(facts.name)) {
    append_all(slug, std::string_view(word).substr(2), "-");
  }
  append(slug, facts.id);
  append_all(text, " ", subtitle_text, " ", description, " ", kAttributes[0].values[facts.brand],
             " ", kLeaves[facts.leaf].name);
  std::vector<std::string> words = search_words(text);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::string joined;
  for (const std::string& word : words) append_all(joined, joined.empty() ? "" : " ", word);

  Cell compare_at;
  if (draws.chance(2500)) compare_at = facts.base_cents + facts.base_cents / 500 * 100 + 500;
  const std::int64_t opened = day_start(2021, 1, 1);
  const std::int64_t published = opened + draws.below(kOpening - opened);
  const std::int64_t updated = published + draws.below(kClock - published);
  const std::int64_t popularity = products_ * 200 / (facts.rank + 20);
  writer.add(TableId::kProducts,
             {facts.id, slug, facts.name, subtitle, description, joined, name_of(facts.status),
              facts.digital ? "digital" : "physical", name_of(facts.tax_class), compare_at,
              popularity, published, updated});
}

void Catalog::write_choices(const ProductFacts& facts, RowWriter& writer) const {
  for (std::size_t i = 0; i < facts.category_count; ++i) {
    writer.add(TableId::kProductCategories, {facts.id, facts.categories[i]});
  }
  for (std::size_t i = 0; i < facts.tag_count; ++i) {
    writer.add(TableId::kProductTags, {facts.id, facts.tags[i]});
  }

  // The brand always; the others from a random start on.
  Draws draws(seed_, Stream::kAttributeCount, facts.id - 1);
  const auto others = static_cast<std::int64_t>(kAttributes.size()) - 1;
  const std::int64_t count =
      count_at(kAttributeShares, attribute_counts_.quantile(facts.id - 1, kWhole));
  const std::int64_t start = draws.below(others);
  writer.add(TableId::kProductAttributes, {facts.id, 1, kAttributes[0].values[facts.brand]});
  for (std::int64_t i = 0; i < others; ++i) {
    if ((i - start + others) % others >= count - 1) continue;
    const Words values = kAttributes[static_cast<std::size_t>(i) + 1].values;
    const std::int64_t value = draws.skewed(static_cast<std::int64_t>(values.size()));
    writer.add(TableId::kProductAttributes,
               {facts.id, i + 2, values[static_cast<std::size_t>(value)]});
  }
}

void Catalog::write_media(const ProductFacts& facts, Draws& draws, RowWriter& writer) const {
  const std::int64_t count = count_at(kMediaShares, media_counts_.quantile(facts.id - 1, kWhole));
  std::string url;
  for (std::int64_t position = 1; position <= count; ++position) {
    const bool video = position > 1 && draws.chance(600);
    url.clear();
    append_all(url, "/media/products/", facts.id, "/", position, video ? ".mp4" : ".jpg");
    const auto alt_kind = draws.below(100);
    const Cell alt = alt_kind < 15 ? Cell() : alt_kind < 20 ? Cell("") : Cell(facts.name);
    const std::int64_t width = 800 + 400 * draws.below(4);
    const std::int64_t height = draws.chance(5000) ? width : width * 3 / 4;
    writer.add(TableId::kProductMedia, {facts.id, position, video ? "video" : "image", url, alt,
                                        video ? 1920 : width, video ? 1080 : height});
  }
}

void Catalog::write_variants(const ProductFacts& facts, RowWriter& writer) const {
  const auto option_id = [&](std::size_t i) {
    return facts.id * 4 + static_cast<std::int64_t>(i) + 1;
  };
  const auto value_id = [&](std::size_t i, std::size_t place) {
    return option_id(i) * 16 + static_cast<std::int64_t>(place) + 1;
  };
  for (std::size_t i = 0; i < facts.option_count; ++i) {
    const ProductFacts::OptionFacts& option = facts.options[i];
    const OptionWords& words = kOptions[option.option];
    writer.add(TableId::kProductOptions,
               {option_id(i), facts.id, static_cast<std::int64_t>(i) + 1, words.name});
    for (std::size_t j = 0; j < option.count; ++j) {
      writer.add(TableId::kProductOptionValues,
                 {value_id(i, j), option_id(i), static_cast<std::int64_t>(j) + 1,
                  words.values[option.values[j]]});
    }
  }

  std::string sku;
  std::string barcode;
  for (std::int64_t position = 1; position <= facts.variant_count; ++position) {
    const std::int64_t id = variant_id(facts.id, position);
    Draws draws(seed_, Stream::kProductRows, -id);
    sku.clear();
    append_sku(sku, facts.id, position);
    const auto barcode_kind = draws.below(100);
    barcode.clear();
    if (barcode_kind >= 25) {
      append(barcode, 40);
      append_padded(barcode, draws.below(1000000000), 11);
    }
    writer.add(TableId::kVariants,
               {id, facts.id, position, sku, barcode_kind < 22 ? Cell() : Cell(barcode),
                variant_price_cents(facts, position), stock(facts, position),
                variant_weight_grams(facts, position)});
    for (std::size_t i = 0; i < facts.option_count; ++i) {
      const ProductFacts::OptionFacts& option = facts.options[i];
      const std::size_t value = variant_value(facts, position, i);
      const auto place = static_cast<std::size_t>(
          std::find(option.values.begin(), option.values.end(), value) - option.values.begin());
      writer.add(TableId::kVariantOptionValues, {id, value_id(i, place)});
    }
  }
}

void Catalog::write_files(const ProductFacts& facts, RowWriter& writer) const {
  constexpr std::string_view kTypes[] = {"application/pdf", "application/epub+zip",
                                         "application/zip", "video/mp4"};
  constexpr std::string_view kEndings[] = {".pdf", ".epub", ".zip", ".mp4"};
  std::string name;
  std::string checksum;
  for (std::int64_t position = 1; position <= facts.file_count; ++position) {
    const std::int64_t id = file_id(facts.id, position);
    Draws draws(seed_, Stream::kFile, id);
    const auto type = static_cast<std::size_t>(draws.below(4));
    name = facts.name;
    if (position > 1) append_all(name, ", part ", position);
    append(name, kEndings[type]);
    checksum.clear();
    for (int i = 0; i < 4; ++i) append_hex(checksum, draws.next());
    writer.add(TableId::kProductFiles, {id, facts.id, position, name, kTypes[type],
                                        draws.between(20'000, 250'000'000), checksum});

    // Of every 725 files, 109 have two releases and 22 three; the factor has nothing in common with
    // 725, so it scatters them over all products.
    const std::int64_t place = (facts.first_file + position - 1) * 389 % 725;
    const std::int64_t releases = place < 594 ? 1 : place < 703 ? 2 : 3;
    std::int64_t released = day_start(2021, 1, 1) + draws.below(3 * 365 * kDay);
    const std::int64_t major = draws.between(1, 3);
    for (std::int64_t release = 1; release <= releases; ++release) {
      name.clear();
      append_all(name, major + release - 1, ".", draws.below(10));
      const auto note = draws.below(100);
      const std::string_view text = draws.pick(kReleaseNotes);
      writer.add(TableId::kProductReleases, {id, release, name,
                                             note < 20   ? Cell()
                                             : note < 30 ? Cell("")
                                                         : Cell(text),
                                             released});
      released += kDay + draws.below(150 * kDay);
    }
  }
}

}  // namespace shopmark::seed
