#include "seed/generator.h"

#include <stdexcept>

#include "seed/catalog.h"
#include "seed/configuration.h"
#include "seed/customers.h"
#include "seed/orders.h"
#include "seed/row_writer.h"
#include "seed/text.h"

namespace shopmark::seed {

// All that the rows of one family need to know of another's, as functions of an index.
struct Generator::Shop {
  Shop(const schema::Schema& schema, const Profile& profile, std::uint64_t seed)
      : tables(generated_tables(schema)),
        catalog(profile, seed, configuration),
        customers(profile, seed),
        orders(profile, seed, configuration, catalog, customers) {}

  std::vector<const schema::Table*> tables;
  Configuration configuration;
  Catalog catalog;
  Customers customers;
  Orders orders;
};

namespace {

constexpr std::int64_t kCarts = 20;
constexpr std::int64_t kCartLines = 5;

// Carts to be priced: each five variants of different products that are for sale and in stock.
void write_carts(const Catalog& catalog, const Configuration& configuration, std::uint64_t seed,
                 RowWriter& writer) {
  constexpr std::string_view kMethods[] = {"standard", "standard", "express", "economy"};
  std::string token;
  ProductFacts product;
  for (std::int64_t cart = 1; cart <= kCarts; ++cart) {
    Draws draws(seed, Stream::kCart, cart);
    token = "cart-";
    append_padded(token, cart, 2);
    token += "-";
    append_hex(token, draws.next());
    const CountryWords& country = kCountries[static_cast<std::size_t>(cart) % kCountries.size()];
    const std::string_view region =
        country.regions.empty() ? std::string_view() : draws.pick(country.regions);
    // Every other cart has a coupon: one that runs, or any.
    const std::vector<Coupon>& coupons = configuration.coupons();
    auto coupon = static_cast<std::size_t>(cart * 7) % coupons.size();
    while (cart % 4 == 0 && !coupons[coupon].runs_at(kClock)) {
      coupon = (coupon + 1) % coupons.size();
    }
    writer.add(
        TableId::kCarts,
        {cart, token, cart % 2 == 0 ? Cell(coupons[coupon].code) : Cell(), draws.pick(kMethods),
         country.code, region.empty() ? Cell() : Cell(region), kClock - draws.between(60, 86400)});
    // Disjoint runs of products, so that no product comes twice.
    std::int64_t index = (cart - 1) * (kNamedProducts / kCarts);
    for (std::int64_t line = 1; line <= kCartLines; ++index) {
      catalog.product(index, product);
      const std::int64_t variant = draws.between(1, product.variant_count);
      const std::int64_t stock = catalog.stock(product, variant);
      const std::int64_t quantity = product.digital ? 1 : draws.between(1, 5);
      if (product.status != ProductStatus::kActive || stock < quantity) continue;
      writer.add(TableId::kCartLines, {cart, line++, variant_id(product.id, variant), quantity});
    }
  }
}

}  // namespace

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> all = {
      {"smoke", 400, 500, 2000, "4557b8a90a0b74116190227d7fe3adb5"},
      {"standard", 5000, 25000, 250000, "2be63d7712b371f392eb519b097335c9"},
      {"million", 1000000, 100000, 1000000, "b5def04546b1e8d1c63b9767fc3ece15"}};
  return all;
}

const Profile& profile(std::string_view name) {
  std::string known;
  for (const Profile& profile : profiles()) {
    if (profile.name == name) return profile;
    known += (known.empty() ? "" : ", ") + profile.name;
  }
  throw std::invalid_argument("'" + std::string(name) + "' is not a profile; known are " + known);
}

Generator::Generator(const schema::Schema& schema, Profile profile, std::uint64_t seed)
    : profile_(std::move(profile)),
      seed_(seed),
      shop_(std::make_shared<const Shop>(schema, profile_, seed)) {}

std::int64_t Generator::size(Family family) const {
  switch (family) {
    case Family::kConfiguration:
      return 1;
    case Family::kProducts:
      return profile_.products;
    case Family::kCustomers:
      return profile_.customers;
    case Family::kOrders:
      break;
  }
  return profile_.orders;
}

void Generator::generate(Family family, std::int64_t first, std::int64_t last,
                         RowSink& sink) const {
  if (first < 0 || first > last || last > size(family)) {
    throw std::logic_error("a range beyond the family's parents");
  }
  if (first == last) return;
  RowWriter writer(shop_->tables, sink);
  switch (family) {
    case Family::kConfiguration:
      shop_->configuration.write(writer);
      write_carts(shop_->catalog, shop_->configuration, seed_, writer);
      break;
    case Family::kProducts:
      for (std::int64_t i = first; i < last; ++i) shop_->catalog.write(i, writer);
      break;
    case Family::kCustomers:
      for (std::int64_t i = first; i < last; ++i) shop_->customers.write(i, writer);
      break;
    case Family::kOrders: {
      ProductCache cache(shop_->catalog);
      const auto order = std::make_unique<Order>();
      for (std::int64_t i = first; i < last; ++i) shop_->orders.write(i, cache, *order, writer);
      break;
    }
  }
  writer.finish();
}

void Generator::generate_all(RowSink& sink) const {
  for (const Family family : kFamilies) generate(family, 0, size(family), sink);
}

}  // namespace shopmark::seed
