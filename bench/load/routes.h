// The routes that the driver can ask for, by the names that scenarios, tables and the server use.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace shopmark::drive {

enum class Route : std::uint8_t {
  kHome,
  kCatalogFirstPage,
  kCatalogDeepPage,
  kCategory,
  kProductPage,
  kSearch,
  kAddToCart,
  kCart,
  kCheckoutForm,
  kCheckout,
  kReceipt,
  kOrderList,
  kOrderSearch,
  kOrder,
  kCustomerSearch,
  kSummaryReport,
  kProductReport,
  kMcpToolsList,
  kMcpGetConfig,
  kMcpListOrders,
  kMcpGetOrder,
  kHealthz,
  kPath,  // one that the scenario spells out
};
inline constexpr std::size_t kRoutes = 23;

struct RouteInfo {
  Route route;
  std::string_view name;
  std::string_view title;  // as in the published table
  bool staff = false;      // takes the bearer token
  // Of a session: what must have been answered before, in the same session.
  std::optional<Route> after = {};
};

// In the order of Route.
std::span<const RouteInfo> routes();
const RouteInfo& info(Route route);
// Absent when there is none of that name.
std::optional<Route> route_named(std::string_view name);

}  // namespace shopmark::drive
