#include "bench/load/routes.h"

#include <algorithm>
#include <array>

namespace shopmark::drive {

namespace {

constexpr std::array<RouteInfo, kRoutes> kTable = {{
    {Route::kHome, "home", "Home page"},
    {Route::kCatalogFirstPage, "catalog_first_page", "Catalog, first page"},
    {Route::kCatalogDeepPage, "catalog_deep_page", "Catalog, deep page with filters"},
    {Route::kCategory, "category", "Category listing"},
    {Route::kProductPage, "product_page", "Product page"},
    {Route::kSearch, "search", "Search results"},
    {Route::kAddToCart, "add_to_cart", "Add to cart"},
    {Route::kCart, "cart", "Cart", false, Route::kAddToCart},
    {Route::kCheckoutForm, "checkout_form", "Checkout form", false, Route::kAddToCart},
    {Route::kCheckout, "checkout", "Checkout submit", false, Route::kCheckoutForm},
    {Route::kReceipt, "receipt", "Signed receipt", false, Route::kCheckout},
    {Route::kOrderList, "order_list", "Order list", true},
    {Route::kOrderSearch, "order_search", "Order search", true},
    {Route::kOrder, "order", "One order", true},
    {Route::kCustomerSearch, "customer_search", "Customer search", true},
    {Route::kSummaryReport, "summary_report", "Summary report", true},
    {Route::kProductReport, "product_report", "Product report", true},
    {Route::kMcpToolsList, "mcp_tools_list", "Tool manifest", true},
    {Route::kMcpGetConfig, "mcp_get_config", "get_config", true},
    {Route::kMcpListOrders, "mcp_list_orders", "list_orders", true},
    {Route::kMcpGetOrder, "mcp_get_order", "get_order", true},
    {Route::kHealthz, "healthz", "Health"},
    {Route::kPath, "path", "One path"},
}};

}  // namespace

std::span<const RouteInfo> routes() { return kTable; }

const RouteInfo& info(Route route) { return kTable[static_cast<std::size_t>(route)]; }

std::optional<Route> route_named(std::string_view name) {
  const auto found = std::find_if(kTable.begin(), kTable.end(),
                                  [&](const RouteInfo& one) { return one.name == name; });
  if (found == kTable.end()) return std::nullopt;
  return found->route;
}

}  // namespace shopmark::drive
