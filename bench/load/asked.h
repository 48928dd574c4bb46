// What a question asks for: the row, page or period that its choice stands for. Asked when the
// request is written and again when its answer is checked, so it must be a function of the question
// alone.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bench/load/questions.h"
#include "bench/load/store_rows.h"

namespace shopmark::drive {

struct AskedListing {
  const ListingRow* listing = nullptr;
  std::int64_t page = 1;
};
// Of home, the catalog's routes, category and search.
AskedListing asked_listing(const StoreRows& rows, const Question& question);

// Popular ones more often. Absent (nullptr) when the scenario names a slug that the store has not.
const ProductRow* asked_product(const StoreRows& rows, const Question& question);

struct AskedVariant {
  std::int64_t id = 0;
  std::int64_t quantity = 0;
};
AskedVariant asked_variant(const StoreRows& rows, const Question& question);

// Who buys, by the visit: the same for all steps of a session.
struct Shopper {
  std::string name;
  std::string email;
  std::string line1;
  std::string_view city;
  std::string_view region;  // empty: none
  std::string postcode;
  std::string_view country;
};
Shopper shopper_of(const StoreRows& rows, const Question& question);
// Empty: none.
std::string_view asked_coupon(const StoreRows& rows, const Question& question);

// Of order and mcp_get_order.
const OrderRow& asked_order(const StoreRows& rows, const Question& question);

struct AskedOrders {
  std::string text;                 // the number, or the start of an e-mail address with its @
  const OrderRow* order = nullptr;  // when it is a number
};
AskedOrders asked_orders(const StoreRows& rows, const Question& question);

// The start of an e-mail address, at least three bytes.
std::string asked_customers(const StoreRows& rows, const Question& question);

// Of order_list and mcp_list_orders; a full page.
std::int64_t asked_order_page(const StoreRows& rows, const Question& question);

struct AskedReport {
  bool period = false;  // else the server's own twelve months
  std::int64_t from = 0;
  std::int64_t until = 0;
  std::int64_t limit = 10;
};
AskedReport asked_report(const Question& question);

// Of MCP requests: the id of the message.
inline std::int64_t asked_id(const Question& question) {
  return static_cast<std::int64_t>(question.choice) + 1;
}

}  // namespace shopmark::drive
