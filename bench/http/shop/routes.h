// The shop's routes: which there are, and from a request to its answer.

#pragma once

#include <span>
#include <string_view>

#include "bench/http/shop/shop.h"

namespace shopmark::http {

enum class Access {
  kAnyone,
  kStaff,  // who has the token, and no browser that a foreign page sends
};

struct Route {
  std::string_view name;  // for the metrics
  std::string_view method;
  std::string_view path;                         // /products/*: a * is any one segment
  std::span<const std::string_view> parameters;  // that the query may have
  Access access;
  Response (*answer)(Call& call);
};

// The first that fits a path is meant.
std::span<const Route> routes();

// The answer, with its route's name. A request that is not as it should be becomes a 4xx; what the
// store throws is thrown, and `route` is the name until then.
Response answer(Shop& shop, const Request& request, std::string_view& route);

// storefront.cc
Response home(Call& call);
Response catalog(Call& call);
Response category(Call& call);
Response product_page(Call& call);
Response search(Call& call);
// shopper.cc
Response add_to_cart(Call& call);
Response cart(Call& call);
Response checkout_form(Call& call);
Response checkout(Call& call);
Response receipt(Call& call);
// staff.cc
Response order_list(Call& call);
Response order_search(Call& call);
Response order(Call& call);
Response customer_search(Call& call);
Response summary_report(Call& call);
Response product_report(Call& call);
Response info(Call& call);
// mcp.cc
Response mcp(Call& call);

}  // namespace shopmark::http
