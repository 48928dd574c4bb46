#include "bench/cases/cases.h"

#include <benchmark/benchmark.h>

#include <optional>
#include <stdexcept>

namespace shopmark::bench {

namespace {

// Keeps the compiler from dropping a result that nobody reads, and counts it.
template <typename T>
std::int64_t rows_of(const std::vector<T>& rows) {
  benchmark::DoNotOptimize(rows.data());
  benchmark::ClobberMemory();
  return static_cast<std::int64_t>(rows.size());
}

std::int64_t empty_call(store::Store& store, const Parameters&) {
  benchmark::DoNotOptimize(&store);
  return 0;
}

std::int64_t round_trip(store::Store& store, const Parameters&) {
  return store.round_trip() ? 1 : 0;
}

std::int64_t listing(store::Store& store, const Parameters& parameters) {
  return rows_of(store.catalog().list_products(parameters.filter, parameters.page).products);
}

std::int64_t facet_counts(store::Store& store, const Parameters& parameters) {
  return rows_of(store.catalog().facet_counts(parameters.filter));
}

std::int64_t product_page(store::Store& store, const Parameters& parameters) {
  const std::optional<store::ProductPage> page = store.catalog().product_page(parameters.slug);
  return page ? rows_of(page->variants) : 0;
}

std::int64_t order_list(store::Store& store, const Parameters& parameters) {
  return rows_of(store.orders().list(parameters.page));
}

std::int64_t orders_by_email(store::Store& store, const Parameters& parameters) {
  return rows_of(store.orders().search_by_email(parameters.text));
}

std::int64_t orders_by_number(store::Store& store, const Parameters& parameters) {
  return rows_of(store.orders().search_by_number(parameters.number));
}

std::int64_t order_detail(store::Store& store, const Parameters& parameters) {
  const std::optional<store::OrderDetail> detail = store.orders().detail(parameters.number);
  return detail ? rows_of(detail->items) : 0;
}

std::int64_t customer_by_email(store::Store& store, const Parameters& parameters) {
  const std::optional<store::Customer> customer = store.customers().by_email(parameters.email);
  benchmark::DoNotOptimize(&customer);
  benchmark::ClobberMemory();
  return customer ? 1 : 0;
}

std::int64_t revenue_by_month(store::Store& store, const Parameters& parameters) {
  return rows_of(store.reports().revenue_by_month(parameters.period));
}

std::int64_t top_products(store::Store& store, const Parameters& parameters) {
  return rows_of(store.reports().top_products(parameters.period, parameters.limit));
}

std::int64_t cart_price(store::Store& store, const Parameters& parameters) {
  const std::optional<store::PricedCart> cart = store.carts().price(parameters.token);
  return cart ? rows_of(cart->lines) : 0;
}

// What is taken is given back in the same call, so the store is left as it was.
std::int64_t decrement_and_restore(store::Store& store, const Parameters& parameters) {
  const std::optional<std::string> hold =
      store.stock().take(parameters.variant_id, parameters.quantity);
  if (!hold) return 0;
  if (!store.stock().give_back(*hold)) throw std::runtime_error("the hold was gone");
  return 1;
}

}  // namespace

const std::vector<Case>& cases() {
  static const std::vector<Case> table = {
      {.name = "baseline_empty_call",
       .title = "empty call",
       .baseline_rows = 0,
       .call = empty_call},
      {.name = "baseline_round_trip",
       .title = "one-row round trip",
       .baseline_rows = 1,
       .call = round_trip},
      {.name = "catalog_listing_page_1",
       .title = "catalog listing, page 1",
       .required = {"page"},
       .optional = {"facets"},
       .call = listing},
      {.name = "catalog_listing_deep_page",
       .title = "catalog listing, deep page",
       .required = {"page"},
       .optional = {"facets"},
       .call = listing},
      {.name = "product_page_by_slug",
       .title = "product page by slug",
       .required = {"slug"},
       .call = product_page},
      {.name = "catalog_search",
       .title = "catalog search",
       .required = {"search", "page"},
       .optional = {"facets", "on_sale"},
       .call = listing},
      {.name = "catalog_listing_three_facets",
       .title = "catalog listing, three facets",
       .required = {"facets", "page"},
       .call = listing},
      {.name = "catalog_listing_on_sale",
       .title = "catalog listing, on sale",
       .required = {"on_sale", "page"},
       .optional = {"facets"},
       .call = listing},
      {.name = "catalog_facet_counts",
       .title = "catalog facet counts",
       .optional = {"facets", "on_sale", "search"},
       .call = facet_counts},
      {.name = "catalog_search_two_words",
       .title = "catalog search, two words",
       .required = {"search", "page"},
       .call = listing},
      {.name = "admin_order_list_page_1",
       .title = "admin order list, page 1",
       .required = {"page"},
       .call = order_list},
      {.name = "admin_order_list_deep_page",
       .title = "admin order list, deep page",
       .required = {"page"},
       .call = order_list},
      {.name = "order_search_by_email",
       .title = "order search by email",
       .required = {"text"},
       .call = orders_by_email},
      {.name = "order_search_by_number",
       .title = "order search by number",
       .required = {"number"},
       .call = orders_by_number},
      {.name = "order_detail",
       .title = "order detail",
       .required = {"number"},
       .call = order_detail},
      {.name = "customer_by_email",
       .title = "customer by email",
       .required = {"email"},
       .call = customer_by_email},
      {.name = "report_revenue_by_month",
       .title = "report, revenue by month",
       .required = {"from", "until"},
       .call = revenue_by_month},
      {.name = "report_top_products",
       .title = "report, top products",
       .required = {"from", "until", "limit"},
       .call = top_products},
      {.name = "cart_pricing_5_lines",
       .title = "cart pricing, 5 lines",
       .required = {"token"},
       .call = cart_price},
      {.name = "stock_decrement_and_restore",
       .title = "stock decrement and restore",
       .required = {"variant_id", "quantity"},
       .writes = true,
       .call = decrement_and_restore},
  };
  return table;
}

}  // namespace shopmark::bench
