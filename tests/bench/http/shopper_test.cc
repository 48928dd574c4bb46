#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "fixtures/store/checkout.h"
#include "tests/bench/http/test_shop.h"

namespace shopmark::http {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class ShopperTest : public ShopTest {
 protected:
  struct Stocked {
    std::int64_t id = 0;
    std::int64_t stock = 0;
  };

  // A variant of a listed product with so much in stock, as the repository sees it now.
  static Stocked variant_with(std::int64_t least, std::int64_t most) {
    store::Catalog& catalog = store().catalog();
    for (std::int64_t page = 1;; ++page) {
      const store::Listing listing = catalog.list_products({}, page);
      if (listing.products.empty()) break;
      for (const store::ListedProduct& product : listing.products) {
        const auto its_page = catalog.product_page(product.slug);
        for (const store::Variant& variant : its_page->variants) {
          if (variant.stock >= least && variant.stock <= most) return {variant.id, variant.stock};
        }
      }
    }
    ADD_FAILURE() << "no variant with " << least << " to " << most << " in stock";
    return {};
  }

  json added(const json& body) { return body_of(post("/cart/items", body), "add_to_cart"); }
  std::string new_cart(std::int64_t variant, std::int64_t quantity) {
    return added({{"variant_id", variant}, {"quantity", quantity}, {"country", "DE"}}).at("cart");
  }

  static json order_of(const std::string& cart, const std::string& method) {
    return {{"cart", cart},
            {"email", "ann@mail.example"},
            {"shipping_method", method},
            {"ship_to",
             {{"name", "Ånn O'Neil"},
              {"line1", "1 Main St"},
              {"city", "Köln"},
              {"postcode", "50667"},
              {"country", "DE"}}}};
  }
  // Of a method that reaches the cart's country.
  std::string method_for(const std::string& cart) {
    return body_of(get("/checkout/" + cart), "checkout_form").at("methods").at(0).at("code");
  }
  Response order(const json& body, const std::string& key) {
    return post("/checkout", body, {{"idempotency-key", key}});
  }
};

std::string signature_of(const std::string& number) {
  unsigned char digest[32];
  unsigned length = 0;
  HMAC(EVP_sha256(), kSecret.data(), static_cast<int>(kSecret.size()),
       reinterpret_cast<const unsigned char*>(number.data()), number.size(), digest, &length);
  std::string text;
  for (const unsigned char byte : digest) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", byte);
    text += digits;
  }
  return text;
}

TEST_F(ShopperTest, ACartIsMadeFilledAndPriced) {
  const Stocked variant = variant_with(10, 1'000'000);
  const json first = added({{"variant_id", variant.id}, {"quantity", 2}});
  const std::string cart = first.at("cart");
  EXPECT_THAT(cart, MatchesRegex("w-[0-9a-f]{32}"));
  EXPECT_EQ(first, json({{"outcome", "added"},
                         {"cart", cart},
                         {"variant_id", variant.id},
                         {"quantity", 2},
                         {"pieces", 2},
                         {"lines", 1},
                         {"available", variant.stock}}));
  const json second = added({{"variant_id", variant.id}, {"quantity", 3}, {"cart", cart}});
  EXPECT_EQ(second.at("quantity"), 5);
  EXPECT_EQ(second.at("pieces"), 5);

  const json body = body_of(get("/cart/" + cart), "cart");
  json expected = tree(*store().carts().price(cart));
  expected["coupon"] = "none";
  expected["cart"] = cart;
  EXPECT_EQ(body, expected);
  EXPECT_EQ(body.at("lines").at(0).at("quantity"), 5);
  EXPECT_NE(new_cart(variant.id, 1), cart);
}

TEST_F(ShopperTest, WhatThereIsTooLittleOfIsAnAnswer) {
  const Stocked variant = variant_with(1, 50);
  const json answer = {
      {"outcome", "out_of_stock"}, {"variant_id", variant.id}, {"available", variant.stock}};
  EXPECT_EQ(added({{"variant_id", variant.id}, {"quantity", variant.stock + 1}}), answer);
  const std::string cart = new_cart(variant.id, variant.stock);
  EXPECT_EQ(added({{"variant_id", variant.id}, {"quantity", 1}, {"cart", cart}}), answer);
}

TEST_F(ShopperTest, UnknownCartsAndVariantsAreNotFoundAndAFullCartIsAConflict) {
  const Stocked variant = variant_with(99, 1'000'000);
  EXPECT_EQ(refusal_of(post("/cart/items", {{"variant_id", 999'999'999}, {"quantity", 1}})),
            "404 no_variant");
  EXPECT_EQ(refusal_of(post("/cart/items",
                            {{"variant_id", variant.id}, {"quantity", 1}, {"cart", "w-none"}})),
            "404 no_cart");
  EXPECT_EQ(refusal_of(get("/cart/w-none")), "404 no_cart");
  EXPECT_EQ(refusal_of(get("/checkout/w-none")), "404 no_cart");
  const std::string cart = new_cart(variant.id, 99);
  EXPECT_EQ(refusal_of(
                post("/cart/items", {{"variant_id", variant.id}, {"quantity", 1}, {"cart", cart}})),
            "409 cart_full");
}

TEST_F(ShopperTest, TheCheckoutFormHasTheCartAndTheMethodsOfItsCountry) {
  const std::string cart = new_cart(variant_with(10, 1'000'000).id, 1);
  const json body = body_of(get("/checkout/" + cart), "checkout_form");
  const auto form = store().checkout()->form(cart);
  EXPECT_EQ(body.at("cart"), body_of(get("/cart/" + cart), "cart"));
  EXPECT_EQ(body.at("country"), "DE");
  EXPECT_EQ(body.at("region"), nullptr);
  EXPECT_EQ(body.at("shipping_method"), form->shipping_method);
  EXPECT_EQ(body.at("methods"), tree(form->methods));
  EXPECT_GT(body.at("methods").size(), 0U);
  EXPECT_EQ(body.size(), 5U);
}

TEST_F(ShopperTest, AnOrderIsPlacedOnceHoweverOftenItIsSent) {
  const Stocked variant = variant_with(10, 1'000'000);
  const std::string cart = new_cart(variant.id, 3);
  const json request = order_of(cart, method_for(cart));
  const json price = body_of(get("/cart/" + cart), "cart");
  const Response first = order(request, "key-1");
  const json placed = body_of(first, "checkout");
  const std::string number = placed.at("order");
  EXPECT_THAT(number, StartsWith("W-"));
  EXPECT_EQ(placed.at("outcome"), "placed");
  EXPECT_EQ(placed.at("pieces"), 3);
  EXPECT_EQ(placed.at("subtotal_cents"), price.at("subtotal_cents"));
  EXPECT_EQ(placed.at("placed_at"), fixture().mark().clock);
  EXPECT_EQ(placed.at("receipt"), "/receipts/" + number + "?signature=" + signature_of(number));
  EXPECT_EQ(store().stock().level(variant.id), variant.stock - 3);
  EXPECT_EQ(refusal_of(get("/cart/" + cart)), "404 no_cart");

  // The same bytes, also when the same request is written in another way.
  EXPECT_EQ(order(request, "key-1").body, first.body);
  json with_null = request;
  with_null["coupon"] = nullptr;
  with_null["ship_to"]["region"] = nullptr;
  EXPECT_EQ(post("/checkout", with_null.dump(2), {{"idempotency-key", "key-1"}}).body, first.body);
  EXPECT_EQ(store().stock().level(variant.id), variant.stock - 3);

  json other = request;
  other["ship_to"]["city"] = "Bonn";
  EXPECT_EQ(refusal_of(order(other, "key-1")), "409 idempotency_conflict");
  EXPECT_EQ(refusal_of(order(request, "key-2")), "404 no_cart");
  EXPECT_EQ(store().orders().search_by_number(number).size(), 1U);
}

TEST_F(ShopperTest, AReceiptIsShownToWhoHasItsSignature) {
  const std::string cart = new_cart(variant_with(10, 1'000'000).id, 1);
  const json placed = body_of(order(order_of(cart, method_for(cart)), "receipt"), "checkout");
  const std::string number = placed.at("order");
  const json receipt = body_of(get(placed.at("receipt")), "receipt");
  const auto detail = store().orders().detail(number);
  EXPECT_EQ(receipt, json({{"order", tree(detail->order)},
                           {"items", tree(detail->items)},
                           {"adjustments", tree(detail->adjustments)},
                           {"transactions", tree(detail->transactions)}}));
  EXPECT_EQ(receipt.at("order").at("ship_to_name"), "Ånn O'Neil");

  const std::string path = "/receipts/" + number;
  const std::string right = signature_of(number);
  std::string wrong = right;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  std::string upper = right;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const std::string& bad : std::vector<std::string>{
           path, path + "?signature=", path + "?signature=" + wrong, path + "?signature=" + upper,
           path + "?signature=" + right.substr(0, 63), path + "?signature=" + right + "0",
           path + "?signature=" + signature_of("W-1"), "/receipts/W-none?signature=" + right,
           "/receipts/W-none"}) {
    EXPECT_EQ(refusal_of(get(bad)), "403 wrong_signature") << bad;
  }
  EXPECT_EQ(refusal_of(get(path + "?signature=" + right + "&signature=" + right)),
            "400 bad_parameter");
  EXPECT_EQ(refusal_of(get("/receipts/W-none?signature=" + signature_of("W-none"))),
            "404 no_order");
}

TEST_F(ShopperTest, WhatWasBoughtByOthersMeanwhileIsOutOfStock) {
  const Stocked variant = variant_with(2, 90);
  const std::string first = new_cart(variant.id, variant.stock);
  const std::string second = new_cart(variant.id, variant.stock);
  EXPECT_EQ(body_of(order(order_of(first, method_for(first)), "quick"), "checkout").at("outcome"),
            "placed");
  EXPECT_EQ(body_of(order(order_of(second, method_for(second)), "slow"), "checkout"),
            json({{"outcome", "out_of_stock"},
                  {"missing",
                   {{{"position", 1},
                     {"variant_id", variant.id},
                     {"wanted", variant.stock},
                     {"available", 0}}}}}));
  EXPECT_EQ(body_of(get("/cart/" + second), "cart").at("lines").at(0).at("available"), false);
}

TEST_F(ShopperTest, AMethodThatDoesNotShipAndACouponThatIsRefusedAreAnswers) {
  const std::string cart = new_cart(variant_with(10, 1'000'000).id, 1);
  EXPECT_EQ(body_of(order(order_of(cart, "no-such-method"), "no-method"), "checkout"),
            json({{"outcome", "no_shipping"}, {"coupon", "none"}}));
  json with_coupon = order_of(cart, method_for(cart));
  with_coupon["coupon"] = "NO-SUCH-CODE";
  EXPECT_EQ(body_of(order(with_coupon, "no-coupon"), "checkout"),
            json({{"outcome", "coupon_refused"}, {"coupon", "unknown"}}));
}

TEST_F(ShopperTest, AnEmptyCartIsAConflict) {
  const std::string token = "w-" + std::string(32, 'e');
  store().checkout()->open({token, "DE", std::nullopt});
  EXPECT_EQ(refusal_of(order(order_of(token, "standard"), "empty")), "409 empty_cart");
}

TEST_F(ShopperTest, ABadBodyIsRefusedByTheNameOfItsMember) {
  const json good = {{"variant_id", 1}, {"quantity", 1}};
  const auto refused = [&](const std::string& member, const json& value) {
    json body = good;
    body[member] = value;
    const Response response = post("/cart/items", body);
    EXPECT_THAT(refusal_of(response), HasSubstr("400 ")) << body;
    return message_of(response);
  };
  for (const json& value : std::vector<json>{nullptr, "1", 1.0, 1.5, true, json::array(), 0, -1,
                                             json::parse("18446744073709551615")}) {
    EXPECT_THAT(refused("variant_id", value), StartsWith("variant_id: must be"));
  }
  for (const json& value : std::vector<json>{nullptr, "1", 0, 100, -1, 1.0}) {
    EXPECT_THAT(refused("quantity", value), StartsWith("quantity: must be"));
  }
  for (const json& value : std::vector<json>{1, "", std::string(41, 'x'), "a\nb", "a\u0001"}) {
    EXPECT_THAT(refused("cart", value), StartsWith("cart: must"));
  }
  EXPECT_THAT(refused("cart", std::string("a\0b", 3)), StartsWith("cart: must"));
  for (const json& value : std::vector<json>{"USA", "us", "", "é", 1}) {
    EXPECT_THAT(refused("country", value), StartsWith("country: must"));
  }
  EXPECT_THAT(refused("colour", "red"), HasSubstr("known: variant_id, quantity, cart"));
  EXPECT_EQ(message_of(post("/cart/items", {{"quantity", 1}})), "variant_id: is missing");
}

TEST_F(ShopperTest, ABadOrderIsRefusedByTheNameOfItsMember) {
  const json good = order_of("w-none", "standard");
  const auto refused = [&](const json::json_pointer& where, const json& value) {
    json body = good;
    body[where] = value;
    const Response response = order(body, "bad");
    EXPECT_THAT(refusal_of(response), HasSubstr("400 ")) << body;
    return message_of(response);
  };
  EXPECT_EQ(refusal_of(order(good, "good")), "404 no_cart");
  EXPECT_EQ(refused("/ship_to/city"_json_pointer, 7), "ship_to.city: must be a text");
  EXPECT_EQ(refused("/ship_to/city"_json_pointer, ""), "ship_to.city: must not be empty");
  EXPECT_THAT(refused("/ship_to/name"_json_pointer, std::string(161, 'x')),
              HasSubstr("ship_to.name: must have at most 160"));
  EXPECT_EQ(refused("/ship_to"_json_pointer, "home"), "ship_to: must be an object");
  EXPECT_THAT(refused("/ship_to/planet"_json_pointer, "Earth"), HasSubstr("ship_to.name"));
  EXPECT_THAT(refused("/ship_to/country"_json_pointer, "de"), StartsWith("ship_to.country: "));
  for (const char* const email : {"ann", "@x", "x@", "a@b@c", "a b@c"}) {
    EXPECT_EQ(refused("/email"_json_pointer, email), "email: must be an address");
  }
  // 160 characters of several bytes each are not too many.
  json wide = good;
  std::string line;
  for (int i = 0; i < 160; ++i) line += "漢";
  wide["ship_to"]["line1"] = line;
  EXPECT_EQ(refusal_of(order(wide, "wide")), "404 no_cart");
}

TEST_F(ShopperTest, AnOrderNeedsAKeyOfPlainCharacters) {
  const json good = order_of("w-none", "standard");
  for (const std::string& key :
       std::vector<std::string>{"", "a b", "ä", "a/b", std::string(65, 'a')}) {
    EXPECT_EQ(refusal_of(order(good, key)), "400 idempotency_key") << key;
  }
  EXPECT_EQ(refusal_of(post("/checkout", good)), "400 idempotency_key");
  EXPECT_EQ(refusal_of(order(good, std::string(62, 'a') + "_-")), "404 no_cart");
}

TEST_F(ShopperTest, ABodyMustBeAJsonObject) {
  for (const char* const body : {"", "{", "[]", "1", "null", "{\"a\":1}x", "\xff", "{'a':1}",
                                 "{\"a\":\"\xc3\"}", "{\"a\":1e999}", "{\"a\":NaN}"}) {
    EXPECT_EQ(refusal_of(post("/cart/items", body)), "400 bad_json") << body;
  }
  EXPECT_EQ(refusal_of(post("/cart/items", std::string(60'000, '['))), "400 bad_json");
  const std::string good = R"({"variant_id":999999999,"quantity":1})";
  const auto with_type = [&](const char* type) {
    return refusal_of(send("POST", "/cart/items", {{"content-type", type}}, good));
  };
  for (const char* const type : {"", "text/plain", "application/x-www-form-urlencoded",
                                 "application/jsonx", "application/json; charset=latin1"}) {
    EXPECT_EQ(with_type(type), "415 unsupported_media_type") << type;
  }
  for (const char* const type : {"application/json", "Application/JSON; charset=UTF-8",
                                 "application/json;charset=\"utf-8\"", "application/json;"}) {
    EXPECT_EQ(with_type(type), "404 no_variant") << type;
  }
}

}  // namespace
}  // namespace shopmark::http
