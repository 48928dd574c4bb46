#include "bench/cases/cases.h"

#include <benchmark/benchmark.h>

#include <optional>
#include <stdexcept>

#include "fixtures/store/canonical_text.h"

namespace shopmark::bench {

namespace {

using store::Store;

// How many rows an answer counts as.
template <typename T>
std::int64_t row_count(const std::vector<T>& rows) {
  return static_cast<std::int64_t>(rows.size());
}
std::int64_t row_count(const store::Listing& listing) { return row_count(listing.products); }
std::int64_t row_count(const store::ProductPage& page) { return row_count(page.variants); }
std::int64_t row_count(const store::OrderDetail& detail) { return row_count(detail.items); }
std::int64_t row_count(const store::PricedCart& cart) { return row_count(cart.lines); }
std::int64_t row_count(const store::Customer&) { return 1; }
std::int64_t row_count(bool came) { return came ? 1 : 0; }
template <typename T>
std::int64_t row_count(const std::optional<T>& found) {
  return found ? row_count(*found) : 0;
}

// kTimed is what is timed. kCompared gives the answer to compare, where that is more.
template <auto kTimed, auto kCompared = kTimed>
constexpr Call calling() {
  return {.rows = [](Store& store, const Parameters& parameters) -> std::int64_t {
            const auto result = kTimed(store, parameters);
            // Keeps the compiler from dropping a result that nobody reads.
            benchmark::DoNotOptimize(&result);
            benchmark::ClobberMemory();
            return row_count(result);
          },
          .answer = [](Store& store, const Parameters& parameters) -> Answer {
            const auto result = kCompared(store, parameters);
            return {row_count(result), store::canonical_text(result)};
          }};
}

bool empty_call(Store& store, const Parameters&) {
  benchmark::DoNotOptimize(&store);
  return false;
}

bool round_trip(Store& store, const Parameters&) { return store.round_trip(); }

store::Listing listing(Store& store, const Parameters& parameters) {
  return store.catalog().list_products(parameters.filter, parameters.page);
}

auto facet_counts(Store& store, const Parameters& parameters) {
  return store.catalog().facet_counts(parameters.filter);
}

auto product_page(Store& store, const Parameters& parameters) {
  return store.catalog().product_page(parameters.slug);
}

auto order_list(Store& store, const Parameters& parameters) {
  return store.orders().list(parameters.page);
}

auto orders_by_email(Store& store, const Parameters& parameters) {
  return store.orders().search_by_email(parameters.text);
}

auto orders_by_number(Store& store, const Parameters& parameters) {
  return store.orders().search_by_number(parameters.number);
}

auto order_detail(Store& store, const Parameters& parameters) {
  return store.orders().detail(parameters.number);
}

auto customer_by_email(Store& store, const Parameters& parameters) {
  return store.customers().by_email(parameters.email);
}

auto revenue_by_month(Store& store, const Parameters& parameters) {
  return store.reports().revenue_by_month(parameters.period);
}

auto top_products(Store& store, const Parameters& parameters) {
  return store.reports().top_products(parameters.period, parameters.limit);
}

auto cart_price(Store& store, const Parameters& parameters) {
  return store.carts().price(parameters.token);
}

// What is taken is given back in the same call, so the store is left as it was.
bool decrement_and_restore(Store& store, const Parameters& parameters) {
  const std::optional<std::string> hold =
      store.stock().take(parameters.variant_id, parameters.quantity);
  if (!hold) return false;
  if (!store.stock().give_back(*hold)) throw std::runtime_error("the hold was gone");
  return true;
}

struct StockChange {
  bool taken = false;
  std::optional<std::int64_t> before;
  std::optional<std::int64_t> after;

  template <typename Visitor>
  static void parts(Visitor&& visit) {
    visit("taken", &StockChange::taken);
    visit("before", &StockChange::before);
    visit("after", &StockChange::after);
  }
};
std::int64_t row_count(const StockChange& change) { return row_count(change.taken); }

StockChange stock_change(Store& store, const Parameters& parameters) {
  StockChange change;
  change.before = store.stock().level(parameters.variant_id);
  change.taken = decrement_and_restore(store, parameters);
  change.after = store.stock().level(parameters.variant_id);
  return change;
}

}  // namespace

const std::vector<Case>& cases() {
  static const std::vector<Case> table = {
      {.name = "baseline_empty_call",
       .title = "empty call",
       .baseline_rows = 0,
       .call = calling<empty_call>()},
      {.name = "baseline_round_trip",
       .title = "one-row round trip",
       .baseline_rows = 1,
       .call = calling<round_trip>()},
      {.name = "catalog_listing_page_1",
       .title = "catalog listing, page 1",
       .required = {"page"},
       .optional = {"facets"},
       .call = calling<listing>()},
      {.name = "catalog_listing_deep_page",
       .title = "catalog listing, deep page",
       .required = {"page"},
       .optional = {"facets"},
       .call = calling<listing>()},
      {.name = "product_page_by_slug",
       .title = "product page by slug",
       .required = {"slug"},
       .call = calling<product_page>()},
      {.name = "catalog_search",
       .title = "catalog search",
       .required = {"search", "page"},
       .optional = {"facets", "on_sale"},
       .call = calling<listing>()},
      {.name = "catalog_listing_three_facets",
       .title = "catalog listing, three facets",
       .required = {"facets", "page"},
       .call = calling<listing>()},
      {.name = "catalog_listing_on_sale",
       .title = "catalog listing, on sale",
       .required = {"on_sale", "page"},
       .optional = {"facets"},
       .call = calling<listing>()},
      {.name = "catalog_facet_counts",
       .title = "catalog facet counts",
       .optional = {"facets", "on_sale", "search"},
       .call = calling<facet_counts>()},
      {.name = "catalog_search_two_words",
       .title = "catalog search, two words",
       .required = {"search", "page"},
       .call = calling<listing>()},
      {.name = "admin_order_list_page_1",
       .title = "admin order list, page 1",
       .required = {"page"},
       .call = calling<order_list>()},
      {.name = "admin_order_list_deep_page",
       .title = "admin order list, deep page",
       .required = {"page"},
       .call = calling<order_list>()},
      {.name = "order_search_by_email",
       .title = "order search by email",
       .required = {"text"},
       .call = calling<orders_by_email>()},
      {.name = "order_search_by_number",
       .title = "order search by number",
       .required = {"number"},
       .call = calling<orders_by_number>()},
      {.name = "order_detail",
       .title = "order detail",
       .required = {"number"},
       .call = calling<order_detail>()},
      {.name = "customer_by_email",
       .title = "customer by email",
       .required = {"email"},
       .call = calling<customer_by_email>()},
      {.name = "report_revenue_by_month",
       .title = "report, revenue by month",
       .required = {"from", "until"},
       .call = calling<revenue_by_month>()},
      {.name = "report_top_products",
       .title = "report, top products",
       .required = {"from", "until", "limit"},
       .call = calling<top_products>()},
      {.name = "cart_pricing_5_lines",
       .title = "cart pricing, 5 lines",
       .required = {"token"},
       .call = calling<cart_price>()},
      {.name = "stock_decrement_and_restore",
       .title = "stock decrement and restore",
       .required = {"variant_id", "quantity"},
       .writes = true,
       .call = calling<decrement_and_restore, stock_change>()},
  };
  return table;
}

}  // namespace shopmark::bench
