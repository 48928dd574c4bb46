#include "tests/bench/http/test_shop.h"

namespace shopmark::http {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kLastPage = "9223372036854775807";

class StorefrontTest : public ShopTest {
 protected:
  static store::Catalog& catalog() { return store().catalog(); }

  static void expect_listing(const json& body, const store::Listing& listing, std::int64_t page) {
    EXPECT_EQ(body.at("page"), page);
    EXPECT_EQ(body.at("total"), listing.total);
    EXPECT_EQ(body.at("pages"), (listing.total + 23) / 24);
    EXPECT_EQ(body.at("products"), tree(listing.products));
  }

  // A choice that leaves some products.
  static store::FacetCount some_choice(std::string_view group) {
    for (const store::FacetCount& count : catalog().facet_counts({})) {
      if (count.facet_group == group && count.products > 1) return count;
    }
    ADD_FAILURE() << "no " << group;
    return {};
  }
};

std::string encoded(const std::string& text) {
  std::string result;
  for (const char c : text) {
    char digits[8];
    std::snprintf(digits, sizeof(digits), "%%%02X", static_cast<unsigned char>(c));
    result += digits;
  }
  return result;
}

TEST_F(StorefrontTest, TheHomePageHasTheFirstProductsAndAllCategories) {
  const json body = body_of(get("/"), "home");
  const store::Listing listing = catalog().list_products({}, 1);
  EXPECT_EQ(body.size(), 3U);
  EXPECT_EQ(body.at("products"), tree(listing.products));
  EXPECT_EQ(body.at("total"), listing.total);
  EXPECT_EQ(body.at("categories"), tree(catalog().categories()));
  EXPECT_THAT(body.at("categories"), Not(IsEmpty()));
}

TEST_F(StorefrontTest, TheCatalogHasPages) {
  for (const std::int64_t page : {1, 2, 3}) {
    const json body = body_of(get("/catalog?page=" + std::to_string(page)), "catalog");
    EXPECT_EQ(body.size(), 4U);
    expect_listing(body, catalog().list_products({}, page), page);
    EXPECT_THAT(body.at("products"), Not(IsEmpty()));
  }
  expect_listing(body_of(get("/catalog"), "catalog"), catalog().list_products({}, 1), 1);
}

TEST_F(StorefrontTest, TheCatalogTakesEveryFilterAtOnce) {
  const store::FacetCount category = some_choice("category");
  const store::FacetCount attribute = some_choice("attribute");
  const store::FacetCount option = some_choice("option");
  const store::FacetCount tag = some_choice("tag");
  store::Filter filter;
  filter.facets = {{store::FacetGroup::kCategory, category.facet_key, ""}};
  expect_listing(body_of(get("/catalog?category=" + encoded(category.facet_key)), "catalog"),
                 catalog().list_products(filter, 1), 1);
  filter.facets = {{store::FacetGroup::kAttribute, attribute.facet_key, attribute.facet_value}};
  const std::string with_attribute =
      "attribute=" + encoded(attribute.facet_key + ":" + attribute.facet_value);
  expect_listing(body_of(get("/catalog?" + with_attribute), "catalog"),
                 catalog().list_products(filter, 1), 1);
  filter.facets.push_back({store::FacetGroup::kOption, option.facet_key, option.facet_value});
  filter.facets.push_back({store::FacetGroup::kTag, tag.facet_key, ""});
  filter.on_sale = true;
  expect_listing(body_of(get("/catalog?on_sale=1&" + with_attribute +
                             "&option=" + encoded(option.facet_key + ":" + option.facet_value) +
                             "&tag=" + encoded(tag.facet_key)),
                         "catalog"),
                 catalog().list_products(filter, 1), 1);
}

TEST_F(StorefrontTest, FacetsAreCountedOnlyWhenAskedFor) {
  const json body = body_of(get("/catalog?facets=1&on_sale=1"), "catalog");
  store::Filter filter;
  filter.on_sale = true;
  EXPECT_EQ(body.at("facets"), tree(catalog().facet_counts(filter)));
  EXPECT_THAT(body.at("facets"), Not(IsEmpty()));
  EXPECT_FALSE(body_of(get("/catalog?facets=0"), "catalog").contains("facets"));
}

TEST_F(StorefrontTest, ACategoryHasItsProducts) {
  const store::FacetCount count = some_choice("category");
  const json body = body_of(get("/categories/" + encoded(count.facet_key) + "?page=1"), "category");
  store::Filter filter;
  filter.facets = {{store::FacetGroup::kCategory, count.facet_key, ""}};
  expect_listing(body, catalog().list_products(filter, 1), 1);
  EXPECT_EQ(body.at("category").at("slug"), count.facet_key);
  EXPECT_EQ(body.at("category").at("name"), count.label);
  EXPECT_EQ(body.at("category").size(), 3U);
  EXPECT_EQ(refusal_of(get("/categories/none-such")), "404 no_category");
}

TEST_F(StorefrontTest, AProductPageIsTheWholePageOfTheRepository) {
  int with_null = 0;
  for (const store::ListedProduct& product : catalog().list_products({}, 1).products) {
    const Response response = get("/products/" + encoded(product.slug));
    EXPECT_EQ(body_of(response, "product_page"), tree(*catalog().product_page(product.slug)));
    with_null += response.body.find(":null") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(with_null, 0);
  EXPECT_EQ(refusal_of(get("/products/none-such")), "404 no_product");
  EXPECT_EQ(refusal_of(get("/products/")), "404 not_found");
}

TEST_F(StorefrontTest, ASearchFindsWhatTheRepositoryFinds) {
  for (const std::string text : {"oak", "O'Neil", "Café", "oak bowl", "%", "\"", "a+b", ""}) {
    store::Filter filter;
    filter.search = text;
    const json body = body_of(get("/search?q=" + encoded(text)), "search");
    EXPECT_EQ(body.at("query"), text);
    expect_listing(body, catalog().list_products(filter, 1), 1);
  }
}

TEST_F(StorefrontTest, APlusIsABlankUnlessItIsEncoded) {
  EXPECT_EQ(body_of(get("/search?q=oak+bowl"), "search").at("query"), "oak bowl");
  EXPECT_EQ(body_of(get("/search?q=oak%2Bbowl"), "search").at("query"), "oak+bowl");
  EXPECT_EQ(body_of(get("/search?q=oak%20bowl&page=1"), "search").at("query"), "oak bowl");
}

TEST_F(StorefrontTest, PastTheLastPageThereAreNoProducts) {
  const std::string category = some_choice("category").facet_key;
  for (const std::string page : {"9999", kLastPage}) {
    for (const std::string path : {"/catalog?page=", "/search?q=oak&page="}) {
      const json body = json::parse(get(path + page).body);
      EXPECT_THAT(body.at("products"), IsEmpty());
      EXPECT_EQ(std::to_string(body.at("page").get<std::int64_t>()), page);
      EXPECT_GT(body.at("total"), 0);
    }
    const json body = body_of(get("/categories/" + category + "?page=" + page), "category");
    EXPECT_THAT(body.at("products"), IsEmpty());
  }
}

TEST_F(StorefrontTest, BadParametersAreTheClientsFault) {
  for (const char* const target : {
           "/catalog?page=0",
           "/catalog?page=-1",
           "/catalog?page=",
           "/catalog?page=1.5",
           "/catalog?page=x",
           "/catalog?page=1%00",
           "/catalog?page=+1",
           "/catalog?page=%2B1",
           "/catalog?page=9223372036854775808",
           "/catalog?page=1&page=2",
           "/catalog?pages=1",
           "/catalog?on_sale=yes",
           "/catalog?on_sale=",
           "/catalog?on_sale=1&on_sale=1",
           "/catalog?facets=2",
           "/catalog?category=",
           "/catalog?attribute=brand",
           "/catalog?attribute=:x",
           "/catalog?option=Colour:",
           "/catalog?tag=%FF",
           "/catalog?tag=%C0%80",
           "/catalog?tag=%ED%A0%80",
           "/catalog?tag=a%00b",
           "/catalog?tag=%",
           "/catalog?tag=%4",
           "/catalog?tag=%zz",
           "/catalog?%00=1",
           "/catalog?tag=a&tag=b&tag=c&tag=d&tag=e&tag=f&tag=g&tag=h&tag=i",
           "/search",
           "/search?q=a&q=b",
           "/search?Q=a",
           "/search?q=%F4%90%80%80",
           "/search?q=a;page=2&x",
           "/?page=1",
           "/products/a?x=1",
           "/products/%00",
           "/products/%E4",
           "/products/%",
           "/catalog#top",
           "no-path",
       }) {
    const Response response = get(target);
    EXPECT_EQ(response.status, 400U) << target << " " << response.body;
    EXPECT_THAT(refusal_of(response), HasSubstr("400 ")) << target;
  }
  EXPECT_EQ(refusal_of(get("/search?q=" + std::string(201, 'a'))), "400 bad_parameter");
  EXPECT_THAT(message_of(get("/catalog?page=0")), HasSubstr("page: must be a whole number"));
  EXPECT_THAT(message_of(get("/catalog?colour=red")), HasSubstr("known: page, category"));
  std::string many = "/catalog?";
  for (int i = 0; i < 10'000; ++i) many += "&&tag=a";
  EXPECT_EQ(get(many).status, 400U);
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(StorefrontTest, AnUnknownPathIsNotFoundAndAWrongMethodSaysWhichAreRight) {
  for (const char* const target : {"/nothing", "/catalog/", "//", "/products", "/products/a/b",
                                   "/CATALOG", "/admin", "/receipts", "/*", "/products/a%2Fb/c"}) {
    const Response response = get(target);
    EXPECT_EQ(refusal_of(response), "404 not_found") << target;
    EXPECT_EQ(response.route, "unknown");
  }
  Response response = send("POST", "/catalog");
  EXPECT_EQ(refusal_of(response), "405 method_not_allowed");
  EXPECT_EQ(header_of(response, "Allow"), "GET, HEAD");
  EXPECT_EQ(response.route, "catalog");
  EXPECT_EQ(header_of(get("/checkout"), "Allow"), "POST");
  EXPECT_EQ(header_of(send("PUT", "/cart/items"), "Allow"), "POST, GET, HEAD");
  EXPECT_EQ(header_of(send("DELETE", "/admin/orders/search"), "Allow"), "GET, HEAD");
  for (const std::string method : {"get", "OPTIONS", "TRACE", "", "GET "}) {
    EXPECT_EQ(send(method, "/catalog").status, 405U) << method;
  }
}

TEST_F(StorefrontTest, HeadIsAnsweredLikeGetAndAnAbsoluteTargetLikeItsPath) {
  EXPECT_EQ(send("HEAD", "/catalog").body, get("/catalog").body);
  EXPECT_EQ(get("http://shop.example/catalog?page=2").body, get("/catalog?page=2").body);
  EXPECT_EQ(get("http://shop.example").body, get("/").body);
}

}  // namespace
}  // namespace shopmark::http
