// What a shopper looks at.

#include <algorithm>
#include <array>
#include <string>

#include "bench/http/shop/refusal.h"
#include "bench/http/shop/routes.h"

namespace shopmark::http {

namespace {

constexpr std::size_t kMostFacets = 8;
constexpr std::size_t kLongestSearch = 200;  // bytes

std::int64_t pages_of(std::int64_t total) {
  return (total + store::kProductsPerPage - 1) / store::kProductsPerPage;
}

void write_listing(JsonWriter& json, const store::Listing& listing, std::int64_t page) {
  json.member("page", page);
  json.member("pages", pages_of(listing.total));
  json.member("total", listing.total);
  json.member("products", listing.products);
}

store::Facet facet_of(store::FacetGroup group, std::string_view name, const std::string& text) {
  const bool has_value =
      group == store::FacetGroup::kAttribute || group == store::FacetGroup::kOption;
  const std::size_t colon = has_value ? text.find(':') : text.size();
  store::Facet facet{group, text.substr(0, std::min(colon, text.size())), ""};
  if (has_value && colon < text.size()) facet.value = text.substr(colon + 1);
  if (facet.key.empty() || (has_value && facet.value.empty())) {
    throw Refusal(400, "bad_parameter",
                  std::string(name) + (has_value ? ": must be NAME:VALUE" : ": must not be empty"));
  }
  return facet;
}

store::Filter filter_of(const Parameters& parameters) {
  struct Group {
    std::string_view name;
    store::FacetGroup group;
  };
  constexpr std::array<Group, 4> kGroups = {{{"category", store::FacetGroup::kCategory},
                                             {"tag", store::FacetGroup::kTag},
                                             {"attribute", store::FacetGroup::kAttribute},
                                             {"option", store::FacetGroup::kOption}}};
  store::Filter filter;
  filter.on_sale = parameters.flag("on_sale");
  for (const auto& [name, value] : parameters.all()) {
    for (const Group& group : kGroups) {
      if (name == group.name) filter.facets.push_back(facet_of(group.group, name, value));
    }
  }
  if (filter.facets.size() > kMostFacets) {
    throw Refusal(
        400, "bad_parameter",
        "category, tag, attribute, option: at most " + std::to_string(kMostFacets) + " together");
  }
  return filter;
}

}  // namespace

Response home(Call& call) {
  store::Catalog& store = call.shop.store().catalog();
  const store::Listing listing = store.list_products({}, 1);
  JsonWriter& json = call.json();
  json.begin_object();
  json.member("products", listing.products);
  json.member("total", listing.total);
  json.member("categories", store.categories());
  json.end_object();
  return call.answer();
}

Response catalog(Call& call) {
  store::Catalog& store = call.shop.store().catalog();
  const std::int64_t page = call.parameters.page();
  const bool facets = call.parameters.flag("facets");
  const store::Filter filter = filter_of(call.parameters);
  JsonWriter& json = call.json();
  json.begin_object();
  write_listing(json, store.list_products(filter, page), page);
  if (facets) json.member("facets", store.facet_counts(filter));
  json.end_object();
  return call.answer();
}

Response category(Call& call) {
  store::Catalog& store = call.shop.store().catalog();
  const std::int64_t page = call.parameters.page();
  const std::string& slug = call.names[0];
  const std::vector<store::CategoryEntry> all = store.categories();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const store::CategoryEntry& one) { return one.slug == slug; });
  if (found == all.end()) throw Refusal(404, "no_category", "there is no such category");
  store::Filter filter;
  filter.facets.push_back({store::FacetGroup::kCategory, slug, ""});
  JsonWriter& json = call.json();
  json.begin_object();
  json.key("category");
  json.begin_object();
  json.member("id", found->id);
  json.member("slug", found->slug);
  json.member("name", found->name);
  json.end_object();
  write_listing(json, store.list_products(filter, page), page);
  json.end_object();
  return call.answer();
}

Response product_page(Call& call) {
  const auto page = call.shop.store().catalog().product_page(call.names[0]);
  if (!page) throw Refusal(404, "no_product", "there is no such product");
  call.json().value(*page);
  return call.answer();
}

Response search(Call& call) {
  const std::int64_t page = call.parameters.page();
  const auto text = call.parameters.text("q");
  if (!text) throw Refusal(400, "bad_parameter", "q: is missing");
  if (text->size() > kLongestSearch) {
    throw Refusal(400, "bad_parameter",
                  "q: must have at most " + std::to_string(kLongestSearch) + " bytes");
  }
  store::Filter filter;
  filter.search = std::string(*text);
  JsonWriter& json = call.json();
  json.begin_object();
  json.member("query", *text);
  write_listing(json, call.shop.store().catalog().list_products(filter, page), page);
  json.end_object();
  return call.answer();
}

}  // namespace shopmark::http
