// What the driver knows of the seeded store: enough to ask for it and to tell a right answer from a
// wrong one. Drawn from the generator, never from the server that is measured.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "seed/generator.h"

namespace shopmark::drive {

inline constexpr std::int64_t kProductsOnPage = 24;
inline constexpr std::int64_t kOrdersOnPage = 25;

// A product that shoppers see.
struct ProductRow {
  std::int64_t id = 0;
  std::string slug;
  std::int64_t variants = 0;
  std::int64_t first_variant = 0;  // the id of that at position 1
};

// Products that a listing has, in its order.
struct ListingRow {
  std::string target;  // path and query, percent-encoded; a page may be added
  std::string echo;    // what the answer says of it: a category's slug, the text searched for
  std::vector<std::uint32_t> products;  // indexes of StoreRows::products

  std::int64_t pages() const {
    return (static_cast<std::int64_t>(products.size()) + kProductsOnPage - 1) / kProductsOnPage;
  }
};

struct OrderRow {
  std::string number;
  std::int64_t id = 0;
  std::int64_t total_cents = 0;
  std::string email;
};

struct VariantRow {
  std::int64_t id = 0;
  std::int64_t product_id = 0;
};

struct StoreRows {
  std::string profile;
  std::vector<ProductRow> products;  // most popular first, then by id
  std::unordered_map<std::string, std::uint32_t> by_slug;
  std::int64_t categories = 0;
  ListingRow catalog;                      // all that shoppers see
  std::vector<ListingRow> category_pages;  // of categories with a product
  std::vector<ListingRow> filtered;        // of more than one page; most of them have two filters
  std::vector<ListingRow> searches;        // of one word or two, all with something found
  std::vector<VariantRow> stocked;         // physical, plenty in stock
  std::vector<std::size_t> countries;      // indexes of seed::kCountries that a method reaches
  std::int64_t orders = 0;                 // of the whole store
  std::vector<OrderRow> last_orders;       // at most kSampledOrders
  std::vector<std::string> customers;      // e-mails of the last ones, at most kSampledCustomers
  std::string coupon;                      // runs always, for everything; empty when there is none
};

inline constexpr std::int64_t kSampledOrders = 5000;
inline constexpr std::int64_t kSampledCustomers = 5000;

// Reads the schema (schema::default_folder) and makes the rows: about a second for `standard`.
// Throws schema::SchemaError.
StoreRows read_store_rows(const seed::Profile& profile);

// For a part of a path or of a query: everything but letters, digits and -._~ as %XX.
void append_encoded(std::string& to, std::string_view text);

}  // namespace shopmark::drive
