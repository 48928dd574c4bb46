#include "bench/load/asked.h"

#include <algorithm>
#include <stdexcept>

#include "seed/rng.h"
#include "seed/words.h"

namespace shopmark::drive {

namespace {

constexpr std::int64_t kDay = 24 * 3600;
constexpr std::size_t kShortestPrefix = 3;

// Draws of a question's own: the same choice of two routes means different rows.
seed::Draws draws_of(const Question& question) {
  return {static_cast<std::uint64_t>(question.route), seed::Stream::kProduct,
          static_cast<std::int64_t>(question.choice)};
}

template <typename T>
const T& one_of(const std::vector<T>& list, seed::Draws& draws) {
  if (list.empty()) throw std::logic_error("the store has none of what is asked for");
  return list[static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(list.size())))];
}

template <typename T>
const T& one_of_the_first(const std::vector<T>& list, seed::Draws& draws) {
  if (list.empty()) throw std::logic_error("the store has none of what is asked for");
  return list[static_cast<std::size_t>(draws.skewed(static_cast<std::int64_t>(list.size())))];
}

}  // namespace

AskedListing asked_listing(const StoreRows& rows, const Question& question) {
  seed::Draws draws = draws_of(question);
  switch (question.route) {
    case Route::kCategory:
      return {&one_of(rows.category_pages, draws), 1};
    case Route::kSearch:
      return {&one_of(rows.searches, draws), 1};
    case Route::kCatalogDeepPage: {
      const ListingRow& listing = one_of(rows.filtered, draws);
      // Any page but the first; there are three at least.
      return {&listing, draws.between(2, listing.pages())};
    }
    default:
      return {&rows.catalog, 1};
  }
}

const ProductRow* asked_product(const StoreRows& rows, const Question& question) {
  if (question.parameters != nullptr && !question.parameters->slug.empty()) {
    const auto found = rows.by_slug.find(question.parameters->slug);
    return found == rows.by_slug.end() ? nullptr : &rows.products[found->second];
  }
  seed::Draws draws = draws_of(question);
  return &one_of_the_first(rows.products, draws);
}

AskedVariant asked_variant(const StoreRows& rows, const Question& question) {
  seed::Draws draws = draws_of(question);
  const VariantRow& variant = one_of(rows.stocked, draws);
  return {variant.id, draws.between(1, 3)};
}

Shopper shopper_of(const StoreRows& rows, const Question& question) {
  seed::Draws draws(0, seed::Stream::kAddress, static_cast<std::int64_t>(question.visit));
  const seed::CountryWords& country = seed::kCountries[one_of(rows.countries, draws)];
  const std::string number = std::to_string(question.visit);
  Shopper shopper;
  shopper.name = "Load Shopper " + number;
  shopper.email = "shopper-" + number + "@load.example";
  shopper.line1 = std::to_string(draws.between(1, 199)) + " ";
  shopper.line1 += draws.pick(seed::kStreets);
  shopper.city = draws.pick(country.cities);
  if (!country.regions.empty()) shopper.region = draws.pick(country.regions);
  for (const char c : country.postcode) {
    if (c == '0') {
      shopper.postcode += static_cast<char>('0' + draws.below(10));
    } else if (c == 'A') {
      shopper.postcode += static_cast<char>('A' + draws.below(26));
    } else {
      shopper.postcode += c;
    }
  }
  shopper.country = country.code;
  return shopper;
}

std::string_view asked_coupon(const StoreRows& rows, const Question& question) {
  if (question.parameters == nullptr) return {};
  seed::Draws draws = draws_of(question);
  return draws.below(100) < question.parameters->coupon_percent ? std::string_view(rows.coupon)
                                                                : std::string_view();
}

const OrderRow& asked_order(const StoreRows& rows, const Question& question) {
  seed::Draws draws = draws_of(question);
  return one_of(rows.last_orders, draws);
}

AskedOrders asked_orders(const StoreRows& rows, const Question& question) {
  seed::Draws draws = draws_of(question);
  const OrderRow& order = one_of(rows.last_orders, draws);
  if (draws.chance(5000)) return {order.number, &order};
  const std::size_t at = order.email.find('@');
  return {order.email.substr(0, at + 1), nullptr};
}

std::string asked_customers(const StoreRows& rows, const Question& question) {
  seed::Draws draws = draws_of(question);
  const std::string& email = one_of(rows.customers, draws);
  const auto longest = static_cast<std::int64_t>(std::min(email.find('@'), email.size()));
  auto bytes = static_cast<std::size_t>(
      draws.between(std::min<std::int64_t>(kShortestPrefix, longest), longest));
  // Not in the middle of a character.
  while (bytes < email.size() && (static_cast<unsigned char>(email[bytes]) & 0xC0) == 0x80) ++bytes;
  return email.substr(0, bytes);
}

std::int64_t asked_order_page(const StoreRows& rows, const Question& question) {
  seed::Draws draws = draws_of(question);
  const std::int64_t full = std::max<std::int64_t>(1, rows.orders / kOrdersOnPage);
  const std::int64_t most = question.parameters == nullptr ? RouteParameters().most_pages
                                                           : question.parameters->most_pages;
  return draws.between(1, std::min(full, most));
}

AskedReport asked_report(const Question& question) {
  constexpr std::int64_t kLimits[] = {10, 20, 50};
  seed::Draws draws = draws_of(question);
  AskedReport report;
  report.period = draws.chance(5000);
  report.until = seed::kClock - draws.between(0, 180) * kDay;
  report.from = report.until - 365 * kDay;
  report.limit = report.period ? kLimits[draws.below(3)] : 10;
  return report;
}

}  // namespace shopmark::drive
