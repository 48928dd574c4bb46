#include "bench/load/answers.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "bench/load/asked.h"

namespace shopmark::drive {

namespace {

using rapidjson::Value;

// Why an answer is wrong: static text.
struct Wrong {
  const char* why;
};

void expect(bool right, const char* why) {
  if (!right) throw Wrong{why};
}

const Value& member(const Value& object, const char* name, const char* why) {
  expect(object.IsObject(), why);
  const auto found = object.FindMember(name);
  expect(found != object.MemberEnd(), why);
  return found->value;
}

const Value& list(const Value& object, const char* name, const char* why) {
  const Value& value = member(object, name, why);
  expect(value.IsArray(), why);
  return value;
}

std::int64_t integer(const Value& object, const char* name, const char* why) {
  const Value& value = member(object, name, why);
  expect(value.IsInt64(), why);
  return value.GetInt64();
}

std::string_view text(const Value& object, const char* name, const char* why) {
  const Value& value = member(object, name, why);
  expect(value.IsString(), why);
  return {value.GetString(), value.GetStringLength()};
}

bool boolean(const Value& object, const char* name, const char* why) {
  const Value& value = member(object, name, why);
  expect(value.IsBool(), why);
  return value.GetBool();
}

// In the body itself, which is changed; its allocator is given memory that is reused.
class Document {
 public:
  explicit Document(std::string& body)
      : allocator_(memory().data(), memory().size()), document_(&allocator_) {
    expect(body.find('\0') == std::string::npos, "the answer holds a NUL");
    // Iterative: a body of nothing but brackets must not end the driver's stack.
    document_.ParseInsitu<rapidjson::kParseIterativeFlag>(body.data());
    expect(!document_.HasParseError(), "the answer is not JSON");
    expect(document_.IsObject(), "the answer is no JSON object");
  }

  const Value& root() const { return document_; }

 private:
  static std::array<char, 128 * 1024>& memory() {
    alignas(16) thread_local std::array<char, 128 * 1024> buffer;
    return buffer;
  }

  rapidjson::MemoryPoolAllocator<> allocator_;
  rapidjson::Document document_;
};

void check_listing(const Value& root, const StoreRows& rows, const AskedListing& asked) {
  const std::vector<std::uint32_t>& wanted = asked.listing->products;
  const auto total = static_cast<std::int64_t>(wanted.size());
  expect(integer(root, "total", "total is missing") == total, "total is another");
  const Value& products = list(root, "products", "products is missing");
  const auto first = static_cast<std::size_t>((asked.page - 1) * kProductsOnPage);
  const std::size_t count =
      std::min<std::size_t>(kProductsOnPage, wanted.size() - std::min(wanted.size(), first));
  expect(products.Size() == count, "products are more or fewer");
  for (std::size_t i = 0; i < count; ++i) {
    const Value& product = products[static_cast<rapidjson::SizeType>(i)];
    expect(integer(product, "id", "products: id is missing") == rows.products[wanted[first + i]].id,
           "products are others");
  }
}

void check_pages(const Value& root, const AskedListing& asked) {
  expect(integer(root, "page", "page is missing") == asked.page, "page is another");
  expect(integer(root, "pages", "pages is missing") == asked.listing->pages(),
         "pages are more or fewer");
}

void check_catalog(const Value& root, const StoreRows& rows, const Question& question) {
  const AskedListing asked = asked_listing(rows, question);
  check_listing(root, rows, asked);
  switch (question.route) {
    case Route::kHome:
      expect(list(root, "categories", "categories is missing").Size() ==
                 static_cast<std::size_t>(rows.categories),
             "categories are more or fewer");
      return;
    case Route::kCategory: {
      const Value& category = member(root, "category", "category is missing");
      expect(text(category, "slug", "category.slug is missing") == asked.listing->echo,
             "category.slug is another");
      break;
    }
    case Route::kSearch:
      expect(text(root, "query", "query is missing") == asked.listing->echo, "query is another");
      break;
    case Route::kCatalogDeepPage:
      if (question.parameters != nullptr && question.parameters->facets) {
        expect(!list(root, "facets", "facets is missing").Empty(), "facets has nothing in it");
      }
      break;
    default:
      break;
  }
  check_pages(root, asked);
}

void check_product(const Value& root, const StoreRows& rows, const Question& question) {
  const ProductRow* const asked = asked_product(rows, question);
  const Value& product = member(root, "product", "product is missing");
  const std::string_view slug = asked != nullptr ? std::string_view(asked->slug)
                                                 : std::string_view(question.parameters->slug);
  expect(text(product, "slug", "product.slug is missing") == slug, "product.slug is another");
  const std::int64_t id = integer(product, "id", "product.id is missing");
  const Value& variants = list(root, "variants", "variants is missing");
  for (const char* name :
       {"variant_options", "media", "attributes", "categories", "tags", "files"}) {
    list(root, name, "a list of the product is missing");
  }
  if (asked == nullptr) return;
  expect(id == asked->id, "product.id is another");
  expect(variants.Size() == static_cast<std::size_t>(asked->variants),
         "variants are more or fewer");
  if (variants.Empty()) return;
  expect(integer(variants[0], "id", "variants: id is missing") == asked->first_variant,
         "variants are others");
}

struct Sums {
  std::int64_t subtotal = 0;
  std::int64_t total = 0;
};

// Of a cart, an order or a month.
Sums check_sums(const Value& row) {
  constexpr const char* kMissing = "an amount is missing";
  Sums sums;
  sums.subtotal = integer(row, "subtotal_cents", kMissing);
  sums.total = integer(row, "total_cents", kMissing);
  expect(sums.total == sums.subtotal - integer(row, "discount_cents", kMissing) +
                           integer(row, "shipping_cents", kMissing) +
                           integer(row, "tax_cents", kMissing),
         "total_cents is not the sum of its parts");
  return sums;
}

void check_added(const Value& root, const StoreRows& rows, const Question& question,
                 Session& session) {
  const AskedVariant asked = asked_variant(rows, question);
  const std::string before = std::exchange(session.cart, std::string());
  const std::string_view outcome = text(root, "outcome", "outcome is missing");
  expect(integer(root, "variant_id", "variant_id is missing") == asked.id, "variant_id is another");
  const std::int64_t available = integer(root, "available", "available is missing");
  if (outcome == "out_of_stock") {
    expect(available >= 0, "available is negative");
    return;
  }
  expect(outcome == "added", "outcome is another");
  const std::string_view cart = text(root, "cart", "cart is missing");
  expect(!cart.empty() && (before.empty() || cart == before), "cart is another");
  const std::int64_t quantity = integer(root, "quantity", "quantity is missing");
  const std::int64_t pieces = integer(root, "pieces", "pieces is missing");
  const std::int64_t lines = integer(root, "lines", "lines is missing");
  if (before.empty()) {
    expect(quantity == asked.quantity, "quantity is another");
    expect(pieces == asked.quantity, "pieces are more or fewer");
    expect(lines == 1, "lines are more or fewer");
  } else {
    expect(quantity >= asked.quantity && pieces == session.pieces + asked.quantity,
           "pieces are more or fewer");
  }
  expect(available >= quantity, "available is less than what was added");
  session.cart = cart;
  session.pieces = pieces;
  session.variant_id = asked.id;
}

void check_cart(const Value& root, const Session& session) {
  expect(text(root, "cart", "cart is missing") == session.cart, "cart is another");
  const Value& lines = list(root, "lines", "lines is missing");
  std::int64_t pieces = 0;
  std::int64_t goods = 0;
  std::int64_t totals = 0;
  bool found = false;
  for (const Value& line : lines.GetArray()) {
    const std::int64_t quantity = integer(line, "quantity", "lines: quantity is missing");
    pieces += quantity;
    goods += quantity * integer(line, "unit_price_cents", "lines: unit_price_cents is missing");
    totals += integer(line, "total_cents", "lines: total_cents is missing");
    found =
        found || integer(line, "variant_id", "lines: variant_id is missing") == session.variant_id;
  }
  expect(pieces == session.pieces, "pieces are more or fewer");
  expect(found, "lines are others");
  const Sums sums = check_sums(root);
  expect(sums.subtotal == goods, "subtotal_cents is not the sum of the lines");
  expect(sums.total == totals + integer(root, "shipping_cents", "shipping_cents is missing"),
         "total_cents is not the sum of the lines");
}

void check_form(const Value& root, const StoreRows& rows, const Question& question,
                Session& session) {
  session.shipping_method.clear();
  check_cart(member(root, "cart", "cart is missing"), session);
  expect(text(root, "country", "country is missing") == shopper_of(rows, question).country,
         "country is another");
  const Value& methods = list(root, "methods", "methods is missing");
  expect(!methods.Empty(), "methods has nothing in it");
  const std::string_view code = text(methods[0], "code", "methods: code is missing");
  expect(!code.empty(), "methods: code is empty");
  session.shipping_method = code;
}

void check_placed(const Value& root, Session& session) {
  session.order.clear();
  session.receipt.clear();
  const std::string_view outcome = text(root, "outcome", "outcome is missing");
  if (outcome == "out_of_stock") {
    expect(!list(root, "missing", "missing is missing").Empty(), "missing has nothing in it");
    return;
  }
  expect(outcome == "placed", "outcome is another");
  const std::string_view order = text(root, "order", "order is missing");
  expect(!order.empty(), "order is empty");
  expect(integer(root, "pieces", "pieces is missing") == session.pieces,
         "pieces are more or fewer");
  const Sums sums = check_sums(root);
  integer(root, "placed_at", "placed_at is missing");
  const std::string_view receipt = text(root, "receipt", "receipt is missing");
  const std::string start = "/receipts/" + std::string(order) + "?signature=";
  const bool plain =
      std::all_of(receipt.begin(), receipt.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  expect(plain && receipt.size() > start.size() && receipt.starts_with(start),
         "receipt is no path of the order");
  session.order = order;
  session.receipt = receipt;
  session.total_cents = sums.total;
}

// An order with its lines; what it was asked by is compared by the callers.
Sums check_order_parts(const Value& root, std::int64_t pieces_at_least) {
  const Value& order = member(root, "order", "order is missing");
  const Sums sums = check_sums(order);
  std::int64_t pieces = 0;
  for (const Value& item : list(root, "items", "items is missing").GetArray()) {
    pieces += integer(item, "quantity", "items: quantity is missing");
  }
  expect(pieces >= pieces_at_least, "pieces are fewer");
  std::int64_t parts = sums.subtotal;
  for (const Value& part : list(root, "adjustments", "adjustments is missing").GetArray()) {
    parts += integer(part, "amount_cents", "adjustments: amount_cents is missing");
  }
  expect(parts == sums.total, "adjustments do not add up to total_cents");
  list(root, "transactions", "transactions is missing");
  return sums;
}

void check_receipt(const Value& root, const Session& session) {
  const Value& order = member(root, "order", "order is missing");
  expect(text(order, "number", "order.number is missing") == session.order,
         "order.number is another");
  const Sums sums = check_order_parts(root, session.pieces);
  expect(sums.total == session.total_cents, "order.total_cents is another");
}

void check_order(const Value& root, const OrderRow& asked) {
  const Value& order = member(root, "order", "order is missing");
  expect(text(order, "number", "order.number is missing") == asked.number,
         "order.number is another");
  expect(integer(order, "id", "order.id is missing") == asked.id, "order.id is another");
  const Sums sums = check_order_parts(root, 1);
  expect(sums.total == asked.total_cents, "order.total_cents is another");
}

// Newest first.
const Value& check_listed(const Value& root) {
  const Value& orders = list(root, "orders", "orders is missing");
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  for (const Value& order : orders.GetArray()) {
    text(order, "number", "orders: number is missing");
    text(order, "status", "orders: status is missing");
    integer(order, "total_cents", "orders: total_cents is missing");
    const std::int64_t placed_at = integer(order, "placed_at", "orders: placed_at is missing");
    expect(placed_at <= before, "orders are not newest first");
    before = placed_at;
  }
  return orders;
}

void check_order_page(const Value& root, const StoreRows& rows, const Question& question) {
  expect(integer(root, "page", "page is missing") == asked_order_page(rows, question),
         "page is another");
  expect(check_listed(root).Size() == static_cast<std::size_t>(kOrdersOnPage),
         "orders are more or fewer");
}

void check_order_search(const Value& root, const StoreRows& rows, const Question& question) {
  const AskedOrders asked = asked_orders(rows, question);
  expect(text(root, "query", "query is missing") == asked.text, "query is another");
  const Value& orders = check_listed(root);
  expect(!orders.Empty(), "orders has nothing in it");
  if (asked.order == nullptr) {
    for (const Value& order : orders.GetArray()) {
      expect(text(order, "email", "orders: email is missing").starts_with(asked.text),
             "orders are others");
    }
    return;
  }
  expect(orders.Size() == 1, "orders are more or fewer");
  const Value& order = orders[0];
  expect(text(order, "number", "orders: number is missing") == asked.order->number &&
             integer(order, "id", "orders: id is missing") == asked.order->id,
         "orders are others");
  expect(
      integer(order, "total_cents", "orders: total_cents is missing") == asked.order->total_cents,
      "orders: total_cents is another");
}

void check_customers(const Value& root, const StoreRows& rows, const Question& question) {
  const std::string prefix = asked_customers(rows, question);
  expect(text(root, "query", "query is missing") == prefix, "query is another");
  const Value& customers = list(root, "customers", "customers is missing");
  expect(!customers.Empty(), "customers has nothing in it");
  std::string_view before;
  for (const Value& customer : customers.GetArray()) {
    const std::string_view email = text(customer, "email", "customers: email is missing");
    expect(email.starts_with(prefix), "customers are others");
    expect(before <= email, "customers are not in order");
    before = email;
  }
}

void check_period(const Value& root, const AskedReport& asked) {
  const std::int64_t from = integer(root, "from", "from is missing");
  const std::int64_t until = integer(root, "until", "until is missing");
  if (asked.period) {
    expect(from == asked.from && until == asked.until, "from or until is another");
  } else {
    expect(from < until, "from is not before until");
  }
}

void check_summary(const Value& root, const Question& question) {
  check_period(root, asked_report(question));
  const Value& months = list(root, "months", "months is missing");
  expect(!months.Empty(), "months has nothing in it");
  std::int64_t orders = 0;
  std::int64_t total = 0;
  std::string_view before;
  for (const Value& month : months.GetArray()) {
    const std::string_view name = text(month, "month", "months: month is missing");
    expect(before < name, "months are not in order");
    before = name;
    orders += integer(month, "orders", "months: orders is missing");
    total += check_sums(month).total;
  }
  expect(orders > 0, "months have no orders");
  const Value& totals = member(root, "totals", "totals is missing");
  expect(integer(totals, "orders", "totals.orders is missing") == orders &&
             check_sums(totals).total == total,
         "totals are not the sums of the months");
}

void check_top_products(const Value& root, const Question& question) {
  const AskedReport asked = asked_report(question);
  check_period(root, asked);
  const Value& products = list(root, "products", "products is missing");
  expect(products.Size() == static_cast<std::size_t>(asked.limit), "products are more or fewer");
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  for (const Value& product : products.GetArray()) {
    integer(product, "product_id", "products: product_id is missing");
    const std::int64_t revenue =
        integer(product, "revenue_cents", "products: revenue_cents is missing");
    expect(revenue <= before, "products are not by revenue");
    before = revenue;
  }
}

void check_tools(const Value& result) {
  const Value& tools = list(result, "tools", "result.tools is missing");
  for (const std::string_view name : {"get_config", "list_orders", "get_order"}) {
    bool found = false;
    for (const Value& tool : tools.GetArray()) {
      found = found || text(tool, "name", "tools: name is missing") == name;
    }
    expect(found, "a tool is missing");
  }
}

void check_mcp(const Value& root, const StoreRows& rows, const Question& question) {
  expect(text(root, "jsonrpc", "jsonrpc is missing") == "2.0", "jsonrpc is another");
  expect(integer(root, "id", "id is missing") == asked_id(question), "id is another");
  expect(root.FindMember("error") == root.MemberEnd(), "the answer is an error");
  const Value& result = member(root, "result", "result is missing");
  if (question.route == Route::kMcpToolsList) return check_tools(result);
  expect(!boolean(result, "isError", "result.isError is missing"), "result is an error");
  expect(!list(result, "content", "result.content is missing").Empty(),
         "result.content has nothing in it");
  const Value& content = member(result, "structuredContent", "result.structuredContent is missing");
  if (question.route == Route::kMcpListOrders) {
    check_order_page(content, rows, question);
  } else if (question.route == Route::kMcpGetOrder) {
    check_order(content, asked_order(rows, question));
  } else {
    expect(text(content, "profile", "profile is missing") == rows.profile, "profile is another");
  }
}

void check_json(const Value& root, const StoreRows& rows, const Question& question,
                Session& session) {
  switch (question.route) {
    case Route::kHome:
    case Route::kCatalogFirstPage:
    case Route::kCatalogDeepPage:
    case Route::kCategory:
    case Route::kSearch:
      return check_catalog(root, rows, question);
    case Route::kProductPage:
      return check_product(root, rows, question);
    case Route::kAddToCart:
      return check_added(root, rows, question, session);
    case Route::kCart:
      return check_cart(root, session);
    case Route::kCheckoutForm:
      return check_form(root, rows, question, session);
    case Route::kCheckout:
      return check_placed(root, session);
    case Route::kReceipt:
      return check_receipt(root, session);
    case Route::kOrderList:
      return check_order_page(root, rows, question);
    case Route::kOrderSearch:
      return check_order_search(root, rows, question);
    case Route::kOrder:
      return check_order(root, asked_order(rows, question));
    case Route::kCustomerSearch:
      return check_customers(root, rows, question);
    case Route::kSummaryReport:
      return check_summary(root, question);
    case Route::kProductReport:
      return check_top_products(root, question);
    case Route::kMcpToolsList:
    case Route::kMcpGetConfig:
    case Route::kMcpListOrders:
    case Route::kMcpGetOrder:
      return check_mcp(root, rows, question);
    case Route::kHealthz:
    case Route::kPath:
      return;
  }
}

// What the later steps would use must not be of an earlier answer.
void forget(Route route, Session& session) {
  if (route == Route::kAddToCart) session.cart.clear();
  if (route == Route::kCheckoutForm) session.shipping_method.clear();
  if (route == Route::kCheckout) session.order.clear();
}

}  // namespace

std::optional<std::string> check_answer(const StoreRows& rows, const Question& question,
                                        Session& session, unsigned status, std::string& body) {
  try {
    if (question.route == Route::kPath) {
      expect((status >= 200 && status < 300) || status == 304, "status is another");
      const bool holds = question.parameters == nullptr ||
                         body.find(question.parameters->contains) != std::string::npos;
      expect(holds, "the answer does not hold what it must");
      return std::nullopt;
    }
    if (status != 200) {
      forget(question.route, session);
      return "status " + std::to_string(status);
    }
    if (question.route == Route::kHealthz) {
      expect(body.find("\"ok\"") != std::string::npos, "the answer is not ok");
      return std::nullopt;
    }
    const Document document(body);
    check_json(document.root(), rows, question, session);
  } catch (const Wrong& wrong) {
    forget(question.route, session);
    return wrong.why;
  }
  return std::nullopt;
}

}  // namespace shopmark::drive
