// What names and texts are made of. Lists only; which entry a row gets is decided elsewhere. Their
// lengths are part of the data: the shop's facets have 51 categories, 40 tags, 113 attribute values
// and 105 option values.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace shopmark::seed {

using Words = std::span<const std::string_view>;

// An option that a product can come in, with its values in the order in which they are shown.
struct OptionWords {
  std::string_view name;
  Words values;
  // By how much of the product's price each further value costs more.
  std::int64_t step_bp = 0;
};
enum Option { kColour, kSize, kFinish, kCapacity, kLength, kPattern, kPack, kLicence };
extern const std::span<const OptionWords> kOptions;

struct AttributeWords {
  std::string_view code;
  std::string_view name;
  Words values;
};
extern const std::span<const AttributeWords> kAttributes;

struct DepartmentWords {
  std::string_view slug;
  std::string_view name;
  std::string_view description;
};
extern const std::span<const DepartmentWords> kDepartments;

// A category below a department: what is sold there, in what options, and at what price and weight.
struct LeafWords {
  std::string_view slug;
  std::string_view name;
  int department = 0;
  std::array<std::string_view, 4> nouns;
  std::array<Option, 2> options;
  std::int64_t low_cents = 0;
  std::int64_t high_cents = 0;
  std::int64_t low_grams = 0;
  std::int64_t high_grams = 0;
};
extern const std::span<const LeafWords> kLeaves;
// The leaves of downloads stand last; the others are physical.
inline constexpr int kDigitalLeaves = 4;

struct TagWords {
  std::string_view slug;
  std::string_view name;
};
extern const std::span<const TagWords> kTags;

// Where people live. Regions and their postcodes are optional.
struct CountryWords {
  std::string_view code;
  std::int64_t weight = 0;
  Words cities;
  Words regions;              // empty: the country has none that matter
  std::string_view postcode;  // 0 is a digit, A a letter, the rest stands for itself
  std::string_view phone;
};
extern const std::span<const CountryWords> kCountries;

extern const Words kAdjectives;
extern const Words kMaterials;
extern const Words kDigitalMaterials;
extern const Words kSubtitles;
// {a} adjective, {m} material, {n} noun, {b} brand, {o} occasion, {u} audience, {d} model.
extern const Words kSentences;
extern const Words kDigitalSentences;
extern const Words kNameSuffixes;

extern const Words kFirstNames;
extern const Words kLastNames;
extern const Words kStreets;
extern const Words kMailDomains;
extern const Words kCustomerNotes;
extern const Words kOrderNotes;
extern const Words kHistoryNotes;
extern const Words kReleaseNotes;

}  // namespace shopmark::seed
