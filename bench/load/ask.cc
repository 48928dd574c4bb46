#include "bench/load/ask.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <string_view>

#include "bench/load/asked.h"

namespace shopmark::drive {

namespace {

class Body {
 public:
  Body() : writer_(buffer_) { writer_.StartObject(); }

  Body& add(std::string_view name, std::string_view text) {
    key(name);
    writer_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    return *this;
  }
  Body& add(std::string_view name, std::int64_t number) {
    key(name);
    writer_.Int64(number);
    return *this;
  }
  Body& begin(std::string_view name) {
    key(name);
    writer_.StartObject();
    return *this;
  }
  Body& end() {
    writer_.EndObject();
    return *this;
  }
  std::string_view take() {
    writer_.EndObject();
    return {buffer_.GetString(), buffer_.GetSize()};
  }

 private:
  void key(std::string_view name) {
    writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  }

  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_;
};

class Request {
 public:
  Request(const Asker& asker, const Question& question, bool close, std::string& out)
      : asker_(asker), question_(question), close_(close), out_(out) {}

  // The target is given in parts.
  template <typename... Parts>
  void get(Parts... parts) {
    out_ += "GET ";
    (out_.append(parts), ...);
    head("application/json");
    out_ += "\r\n";
  }

  void post(std::string_view target, std::string_view accept, std::string_view body,
            std::string_view more_headers) {
    out_.append("POST ").append(target);
    head(accept);
    out_ += more_headers;
    out_ += "Content-Type: application/json\r\nContent-Length: ";
    out_ += std::to_string(body.size());
    out_.append("\r\n\r\n").append(body);
  }

 private:
  void head(std::string_view accept) {
    out_.append(" HTTP/1.1\r\nHost: ").append(asker_.host).append("\r\nAccept: ").append(accept);
    if (info(question_.route).staff && !asker_.token.empty()) {
      out_.append("\r\nAuthorization: Bearer ").append(asker_.token);
    }
    out_ += close_ ? "\r\nConnection: close\r\n" : "\r\n";
  }

  const Asker& asker_;
  const Question& question_;
  bool close_;
  std::string& out_;
};

void write_added(const StoreRows& rows, const Question& question, const Session& session,
                 Request& request) {
  const AskedVariant asked = asked_variant(rows, question);
  Body body;
  body.add("variant_id", asked.id).add("quantity", asked.quantity);
  if (session.cart.empty()) {
    const Shopper shopper = shopper_of(rows, question);
    body.add("country", shopper.country);
    if (!shopper.region.empty()) body.add("region", shopper.region);
  } else {
    body.add("cart", session.cart);
  }
  request.post("/cart/items", "application/json", body.take(), "");
}

void write_checkout(const StoreRows& rows, const Asker& asker, const Question& question,
                    const Session& session, Request& request) {
  const Shopper shopper = shopper_of(rows, question);
  Body body;
  body.add("cart", session.cart).add("email", shopper.email);
  body.add("shipping_method", session.shipping_method);
  const std::string_view coupon = asked_coupon(rows, question);
  if (!coupon.empty()) body.add("coupon", coupon);
  body.begin("ship_to").add("name", shopper.name).add("line1", shopper.line1);
  body.add("city", shopper.city);
  if (!shopper.region.empty()) body.add("region", shopper.region);
  body.add("postcode", shopper.postcode).add("country", shopper.country).end();
  const std::string key =
      "Idempotency-Key: " + asker.run_id + "-" + std::to_string(question.visit) + "\r\n";
  request.post("/checkout", "application/json", body.take(), key);
}

void write_mcp(const StoreRows& rows, const Question& question, Request& request) {
  Body body;
  body.add("jsonrpc", "2.0").add("id", asked_id(question));
  if (question.route == Route::kMcpToolsList) {
    body.add("method", "tools/list");
  } else {
    body.add("method", "tools/call").begin("params");
    if (question.route == Route::kMcpListOrders) {
      body.add("name", "list_orders").begin("arguments");
      body.add("page", asked_order_page(rows, question));
    } else if (question.route == Route::kMcpGetOrder) {
      body.add("name", "get_order").begin("arguments");
      body.add("number", asked_order(rows, question).number);
    } else {
      body.add("name", "get_config").begin("arguments");
    }
    body.end().end();
  }
  request.post("/mcp", "application/json, text/event-stream", body.take(),
               "MCP-Protocol-Version: 2025-06-18\r\n");
}

void write_listing(const StoreRows& rows, const Question& question, Request& request) {
  const AskedListing asked = asked_listing(rows, question);
  const bool facets = question.route == Route::kCatalogDeepPage && question.parameters != nullptr &&
                      question.parameters->facets;
  const std::string page = asked.page == 1 ? "" : "&page=" + std::to_string(asked.page);
  request.get(asked.listing->target, page, facets ? "&facets=1" : "");
}

void write_report(const Question& question, std::string_view path, Request& request) {
  const AskedReport asked = asked_report(question);
  if (!asked.period) return request.get(path);
  const std::string limit =
      question.route == Route::kProductReport ? "&limit=" + std::to_string(asked.limit) : "";
  request.get(path, "?from=", std::to_string(asked.from), "&until=", std::to_string(asked.until),
              limit);
}

std::string encoded(std::string_view text) {
  std::string to;
  append_encoded(to, text);
  return to;
}

}  // namespace

void write_request(const StoreRows& rows, const Asker& asker, const Question& question,
                   const Session& session, bool close, std::string& out) {
  Request request(asker, question, close, out);
  switch (question.route) {
    case Route::kHome:
      return request.get("/");
    case Route::kCatalogFirstPage:
    case Route::kCatalogDeepPage:
    case Route::kCategory:
    case Route::kSearch:
      return write_listing(rows, question, request);
    case Route::kProductPage: {
      const ProductRow* const product = asked_product(rows, question);
      return request.get("/products/",
                         encoded(product != nullptr ? product->slug : question.parameters->slug));
    }
    case Route::kAddToCart:
      return write_added(rows, question, session, request);
    case Route::kCart:
      return request.get("/cart/", encoded(session.cart));
    case Route::kCheckoutForm:
      return request.get("/checkout/", encoded(session.cart));
    case Route::kCheckout:
      return write_checkout(rows, asker, question, session, request);
    case Route::kReceipt:
      return request.get(session.receipt);
    case Route::kOrderList:
      return request.get("/admin/orders?page=", std::to_string(asked_order_page(rows, question)));
    case Route::kOrderSearch:
      return request.get("/admin/orders/search?q=", encoded(asked_orders(rows, question).text));
    case Route::kOrder:
      return request.get("/admin/orders/", encoded(asked_order(rows, question).number));
    case Route::kCustomerSearch:
      return request.get("/admin/customers?q=", encoded(asked_customers(rows, question)));
    case Route::kSummaryReport:
      return write_report(question, "/admin/reports/summary", request);
    case Route::kProductReport:
      return write_report(question, "/admin/reports/products", request);
    case Route::kMcpToolsList:
    case Route::kMcpGetConfig:
    case Route::kMcpListOrders:
    case Route::kMcpGetOrder:
      return write_mcp(rows, question, request);
    case Route::kHealthz:
      return request.get("/healthz");
    case Route::kPath:
      return request.get(question.parameters->path);
  }
}

}  // namespace shopmark::drive
