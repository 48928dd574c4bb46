#include "bench/http/shop/routes.h"

#include <absl/strings/ascii.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "bench/http/shop/refusal.h"
#include "bench/http/shop/secrets.h"

namespace shopmark::http {

namespace {

constexpr std::array<std::string_view, 1> kPage = {"page"};
constexpr std::array<std::string_view, 2> kSearch = {"q", "page"};
constexpr std::array<std::string_view, 1> kText = {"q"};
constexpr std::array<std::string_view, 7> kCatalog = {"page",   "category", "tag",   "attribute",
                                                      "option", "on_sale",  "facets"};
constexpr std::array<std::string_view, 1> kSignature = {"signature"};
constexpr std::array<std::string_view, 2> kPeriod = {"from", "until"};
constexpr std::array<std::string_view, 3> kPeriodAndLimit = {"from", "until", "limit"};
constexpr std::span<const std::string_view> kNone;

constexpr std::array kRoutes = {
    Route{"home", "GET", "/", kNone, Access::kAnyone, home},
    Route{"catalog", "GET", "/catalog", kCatalog, Access::kAnyone, catalog},
    Route{"category", "GET", "/categories/*", kPage, Access::kAnyone, category},
    Route{"product_page", "GET", "/products/*", kNone, Access::kAnyone, product_page},
    Route{"search", "GET", "/search", kSearch, Access::kAnyone, search},
    Route{"add_to_cart", "POST", "/cart/items", kNone, Access::kAnyone, add_to_cart},
    Route{"cart", "GET", "/cart/*", kNone, Access::kAnyone, cart},
    Route{"checkout", "POST", "/checkout", kNone, Access::kAnyone, checkout},
    Route{"checkout_form", "GET", "/checkout/*", kNone, Access::kAnyone, checkout_form},
    Route{"receipt", "GET", "/receipts/*", kSignature, Access::kAnyone, receipt},
    Route{"order_list", "GET", "/admin/orders", kPage, Access::kStaff, order_list},
    Route{"order_search", "GET", "/admin/orders/search", kText, Access::kStaff, order_search},
    Route{"order", "GET", "/admin/orders/*", kNone, Access::kStaff, order},
    Route{"customer_search", "GET", "/admin/customers", kText, Access::kStaff, customer_search},
    Route{"summary_report", "GET", "/admin/reports/summary", kPeriod, Access::kStaff,
          summary_report},
    Route{"product_report", "GET", "/admin/reports/products", kPeriodAndLimit, Access::kStaff,
          product_report},
    Route{"info", "GET", "/admin/info", kNone, Access::kStaff, info},
    Route{"mcp", "POST", "/mcp", kNone, Access::kStaff, mcp},
};

// What stands for each *; absent when the path is another.
std::optional<std::vector<std::string>> match(std::string_view path,
                                              const std::vector<std::string>& segments) {
  std::vector<std::string> names;
  path.remove_prefix(1);
  for (const std::string& segment : segments) {
    if (path.empty()) return {};
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view wanted = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (wanted == "*" && !segment.empty()) {
      names.push_back(segment);
    } else if (wanted != segment) {
      return {};
    }
  }
  if (!path.empty()) return {};
  return names;
}

// An answer to HEAD is that to GET, of which the transport leaves out the body.
bool takes(const Route& route, std::string_view method) {
  return route.method == method || (route.method == "GET" && method == "HEAD");
}

// A page of another site that a browser shows has an Origin of its own, whatever name its host was
// made to have; a program on this machine has none or a loopback name.
bool is_foreign(std::string_view origin) {
  if (origin.empty()) return false;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!origin.starts_with(scheme)) continue;
    std::string_view host = origin.substr(scheme.size());
    for (const std::string_view local : {"localhost", "127.0.0.1", "[::1]"}) {
      if (!host.starts_with(local)) continue;
      const std::string_view rest = host.substr(local.size());
      const bool is_port = rest.size() > 1 && rest[0] == ':' &&
                           std::all_of(rest.begin() + 1, rest.end(), [](char c) {
                             return absl::ascii_isdigit(static_cast<unsigned char>(c));
                           });
      if (rest.empty() || is_port) return false;
    }
  }
  return true;
}

void check_staff(const ShopSecrets& secrets, const Request& request) {
  if (is_foreign(request.header("origin"))) {
    throw Refusal(403, "foreign_origin", "requests of other sites are not answered");
  }
  if (secrets.admin_token_digest.empty()) {
    throw Refusal(403, "no_admin_token", "the server was started without an admin token");
  }
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view given = request.header("authorization");
  const bool is_bearer =
      given.size() > kScheme.size() &&
      std::equal(kScheme.begin(), kScheme.end(), given.begin(), [](char wanted, char is) {
        return absl::ascii_tolower(static_cast<unsigned char>(is)) == wanted;
      });
  if (is_bearer) {
    // Of digests, so that not even the length of the token is to be learnt.
    const std::string digest = sha256_hex(given.substr(kScheme.size()));
    if (equal_in_constant_time(digest, secrets.admin_token_digest)) return;
  }
  throw Refusal(
      401, "unauthorized", "the staff's routes need the admin token",
      {{"WWW-Authenticate", is_bearer ? "Bearer realm=\"shopmark\", error=\"invalid_token\""
                                      : "Bearer realm=\"shopmark\""}});
}

Response answer_or_refuse(Shop& shop, const Request& request, std::string_view& name) {
  const SplitTarget target = split_target(request.target);
  std::string allowed;
  for (const Route& route : kRoutes) {
    std::optional<std::vector<std::string>> names = match(route.path, target.segments);
    if (!names) continue;
    if (!takes(route, request.method)) {
      if (allowed.empty()) name = route.name;
      const std::string_view its = route.method == "GET" ? "GET, HEAD" : route.method;
      if (allowed.find(its) == std::string::npos) {
        allowed.append(allowed.empty() ? "" : ", ").append(its);
      }
      continue;
    }
    name = route.name;
    if (route.access == Access::kStaff) check_staff(shop.secrets, request);
    Call call{shop, request, *std::move(names), Parameters(target.query)};
    call.parameters.allow_only(route.parameters);
    Response response = route.answer(call);
    if (response.route == "unknown") response.route = name;
    return response;
  }
  if (allowed.empty()) throw Refusal(404, "not_found", "there is nothing at this path");
  throw Refusal(405, "method_not_allowed", "this path takes other methods", {{"Allow", allowed}});
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

Response answer(Shop& shop, const Request& request, std::string_view& route) {
  shop.json.clear();
  try {
    return answer_or_refuse(shop, request, route);
  } catch (const Refusal& refusal) {
    JsonWriter& json = shop.json;
    json.clear();
    json.begin_object();
    json.member("error", refusal.code());
    json.member("message", refusal.what());
    json.end_object();
    Response response;
    response.status = refusal.status();
    response.body = json.take();
    response.headers = refusal.headers();
    response.route = route;
    return response;
  }
}

}  // namespace shopmark::http
