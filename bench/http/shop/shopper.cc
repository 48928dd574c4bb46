// What a shopper buys: the cart, the checkout, the receipt.

#include <absl/strings/ascii.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "bench/http/shop/body.h"
#include "bench/http/shop/refusal.h"
#include "bench/http/shop/routes.h"
#include "bench/http/shop/secrets.h"
#include "fixtures/store/checkout.h"

namespace shopmark::http {

namespace {

// Characters that the store's columns take.
constexpr std::size_t kLongestCode = 40;  // of tokens, regions, methods and coupons
constexpr std::size_t kLongestText = 160;
constexpr std::size_t kLongestCity = 120;
constexpr std::size_t kLongestPostcode = 20;
constexpr std::size_t kLongestKey = 64;
constexpr std::size_t kTokenBytes = 16;

store::Checkout& checkout_of(Call& call) {
  store::Checkout* const checkout = call.shop.store().checkout();
  if (checkout == nullptr) throw std::logic_error("this store takes no orders");
  return *checkout;
}

Refusal no_cart() { return {404, "no_cart", "there is no such cart"}; }
Refusal no_variant() { return {404, "no_variant", "there is no such variant"}; }

Response out_of_stock(Call& call, std::int64_t variant_id, std::int64_t available) {
  JsonWriter& json = call.json();
  json.begin_object();
  json.member("outcome", "out_of_stock");
  json.member("variant_id", variant_id);
  json.member("available", available);
  json.end_object();
  return call.answer();
}

// Makes a cart and returns its token.
std::string open_cart(Call& call, const std::optional<std::string>& country,
                      const std::optional<std::string>& region) {
  store::NewCart cart;
  cart.token = std::string(store::kVisitorCartPrefix) + random_hex(kTokenBytes);
  cart.country = country.value_or("US");
  cart.region = region;
  checkout_of(call).open(cart);
  return cart.token;
}

void write_cart(JsonWriter& json, const std::string& token, const store::PricedCart& cart) {
  json.begin_object();
  json.member("cart", token);
  json.members(cart);
  json.end_object();
}

std::string idempotency_key(const Request& request) {
  const std::string_view key = request.header("idempotency-key");
  const bool good = std::all_of(key.begin(), key.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
  });
  if (key.empty() || key.size() > kLongestKey || !good) {
    throw Refusal(400, "idempotency_key",
                  "Idempotency-Key must be 1 to 64 characters of A-Z, a-z, 0-9, - and _");
  }
  return std::string(key);
}

std::string email_of(Members& body) {
  std::string email = body.text("email", kLongestText);
  const std::size_t at = email.find('@');
  if (at == 0 || at == std::string::npos || at + 1 == email.size() ||
      email.find('@', at + 1) != std::string::npos || email.find(' ') != std::string::npos) {
    throw Refusal(400, "bad_member", "email: must be an address");
  }
  return email;
}

store::OrderRequest read_order(const Request& request) {
  store::OrderRequest order;
  order.idempotency_key = idempotency_key(request);
  Members body = Members::of_body(request);
  order.cart_token = body.text("cart", kLongestCode);
  order.email = email_of(body);
  order.shipping_method = body.text("shipping_method", kLongestCode);
  order.coupon_code = body.optional_text("coupon", kLongestCode);
  Members ship_to = body.object("ship_to");
  order.ship_to.name = ship_to.text("name", kLongestText);
  order.ship_to.line1 = ship_to.text("line1", kLongestText);
  order.ship_to.city = ship_to.text("city", kLongestCity);
  order.ship_to.region = ship_to.optional_text("region", kLongestCode);
  order.ship_to.postcode = ship_to.text("postcode", kLongestPostcode);
  order.ship_to.country = ship_to.country("country");
  ship_to.refuse_others();
  body.refuse_others();
  return order;
}

// Of what is asked for, however it was written: another order of members, blanks and escapes, or a
// null for one that is absent, are the same request.
std::string digest_of(const store::OrderRequest& order) {
  const auto text_or_null = [](const std::optional<std::string>& text) {
    return text ? Json(*text) : Json(nullptr);
  };
  const Json canonical = {{"cart", order.cart_token},
                          {"email", order.email},
                          {"shipping_method", order.shipping_method},
                          {"coupon", text_or_null(order.coupon_code)},
                          {"ship_to",
                           {{"name", order.ship_to.name},
                            {"line1", order.ship_to.line1},
                            {"city", order.ship_to.city},
                            {"region", text_or_null(order.ship_to.region)},
                            {"postcode", order.ship_to.postcode},
                            {"country", order.ship_to.country}}}};
  return sha256_hex(canonical.dump());
}

// The same bytes for the same order, whenever it was placed.
void write_placed(JsonWriter& json, const store::PlacedOrder& placed, const std::string& secret) {
  json.member("outcome", "placed");
  json.member("order", placed.number);
  json.member("pieces", placed.pieces);
  json.member("subtotal_cents", placed.subtotal_cents);
  json.member("discount_cents", placed.discount_cents);
  json.member("shipping_cents", placed.shipping_cents);
  json.member("tax_cents", placed.tax_cents);
  json.member("total_cents", placed.total_cents);
  json.member("placed_at", placed.placed_at);
  json.member("receipt", "/receipts/" + placed.number +
                             "?signature=" + hmac_sha256_hex(secret, placed.number));
}

void write_missing(JsonWriter& json, const std::vector<store::MissingLine>& missing) {
  json.member("outcome", "out_of_stock");
  json.key("missing");
  json.begin_array();
  for (const store::MissingLine& line : missing) {
    json.begin_object();
    json.member("position", line.position);
    json.member("variant_id", line.variant_id);
    json.member("wanted", line.wanted);
    json.member("available", line.available);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Response add_to_cart(Call& call) {
  Members body = Members::of_body(call.request);
  const std::int64_t variant_id =
      body.integer("variant_id", 1, std::numeric_limits<std::int64_t>::max());
  const std::int64_t quantity = body.integer("quantity", 1, store::kMostPieces);
  std::optional<std::string> token = body.optional_text("cart", kLongestCode);
  std::optional<std::string> country;
  std::optional<std::string> region;
  if (!token) {
    if (body.has("country")) country = body.country("country");
    region = body.optional_text("region", kLongestCode);
  }
  body.refuse_others();

  if (!token) {
    // No cart is made for what there is none of.
    const std::optional<std::int64_t> level = call.shop.store().stock().level(variant_id);
    if (!level) throw no_variant();
    if (*level < quantity) return out_of_stock(call, variant_id, *level);
    token = open_cart(call, country, region);
  }
  const store::Added added = checkout_of(call).add(*token, variant_id, quantity);
  switch (added.state) {
    case store::AddState::kNoCart:
      throw no_cart();
    case store::AddState::kNoVariant:
      throw no_variant();
    case store::AddState::kFull:
      throw Refusal(409, "cart_full",
                    "a cart holds at most " + std::to_string(store::kMostLines) + " lines and " +
                        std::to_string(store::kMostPieces) + " pieces of a variant");
    case store::AddState::kOutOfStock:
      return out_of_stock(call, variant_id, added.available);
    case store::AddState::kAdded:
      break;
  }
  JsonWriter& json = call.json();
  json.begin_object();
  json.member("outcome", "added");
  json.member("cart", *token);
  json.member("variant_id", variant_id);
  json.member("quantity", added.quantity);
  json.member("pieces", added.pieces);
  json.member("lines", added.lines);
  json.member("available", added.available);
  json.end_object();
  return call.answer();
}

Response cart(Call& call) {
  const std::string& token = call.names[0];
  const auto priced = call.shop.store().carts().price(token);
  if (!priced) throw no_cart();
  write_cart(call.json(), token, *priced);
  return call.answer();
}

Response checkout_form(Call& call) {
  const std::string& token = call.names[0];
  const auto form = checkout_of(call).form(token);
  if (!form) throw no_cart();
  JsonWriter& json = call.json();
  json.begin_object();
  json.key("cart");
  write_cart(json, token, form->cart);
  json.member("country", form->country);
  json.member("region", form->region);
  json.member("shipping_method", form->shipping_method);
  json.member("methods", form->methods);
  json.end_object();
  return call.answer();
}

Response checkout(Call& call) {
  store::OrderRequest order = read_order(call.request);
  order.digest = digest_of(order);
  const store::PlacedOrder placed = checkout_of(call).place(order, call.shop.now());
  JsonWriter& json = call.json();
  json.begin_object();
  switch (placed.state) {
    case store::OrderState::kConflict:
      throw Refusal(409, "idempotency_conflict",
                    "the Idempotency-Key was used for another request");
    case store::OrderState::kNoCart:
      throw no_cart();
    case store::OrderState::kEmptyCart:
      throw Refusal(409, "empty_cart", "the cart holds nothing");
    case store::OrderState::kOutOfStock:
      write_missing(json, placed.missing);
      break;
    case store::OrderState::kNoShipping:
    case store::OrderState::kCouponRefused:
      json.member("outcome", placed.state == store::OrderState::kNoShipping ? "no_shipping"
                                                                            : "coupon_refused");
      json.member("coupon", placed.coupon);
      break;
    case store::OrderState::kPlaced:
      write_placed(json, placed, call.shop.secrets.receipt_secret);
      break;
  }
  json.end_object();
  return call.answer();
}

Response receipt(Call& call) {
  const std::string& number = call.names[0];
  const std::string signature = hmac_sha256_hex(call.shop.secrets.receipt_secret, number);
  if (!equal_in_constant_time(call.parameters.text("signature").value_or(""), signature)) {
    // The same of a number that is no order's, so that nobody learns which are.
    throw Refusal(403, "wrong_signature", "the signature is not that of this receipt");
  }
  const auto detail = call.shop.store().orders().detail(number);
  if (!detail) throw Refusal(404, "no_order", "there is no such order");
  JsonWriter& json = call.json();
  json.begin_object();
  json.member("order", detail->order);
  json.member("items", detail->items);
  json.member("adjustments", detail->adjustments);
  json.member("transactions", detail->transactions);
  json.end_object();
  return call.answer();
}

}  // namespace shopmark::http
