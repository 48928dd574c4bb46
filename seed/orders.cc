#include "seed/orders.h"

#include <algorithm>

#include "seed/calendar.h"
#include "seed/words.h"

namespace shopmark::seed {

namespace {

constexpr std::array<std::int64_t, Order::kMostLines> kLineWeights = {4690, 2700, 1300, 640,
                                                                      330,  180,  90,   70};
constexpr std::array<std::int64_t, 5> kQuantityWeights = {78, 15, 4, 2, 1};
constexpr std::int64_t kGuestsPer10000 = 300;
constexpr std::int64_t kCouponsPer10000 = 1110;
constexpr std::int64_t kBasisPoints = 10000;

// The store's arithmetic, in words in fixtures/store/pricing.h: half up.
std::int64_t percent_of(std::int64_t amount_cents, std::int64_t rate_bp) {
  return (amount_cents * rate_bp + kBasisPoints / 2) / kBasisPoints;
}
std::int64_t share_of(std::int64_t amount_cents, std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : (2 * amount_cents * part + whole) / (2 * whole);
}

std::int64_t off_by_sale(const Sale& sale, const std::vector<SaleTier>& tiers,
                         const OrderLine& line) {
  switch (sale.kind) {
    case SaleKind::kPercent:
      return percent_of(line.gross_cents(), sale.value_bp);
    case SaleKind::kAmount:
      return std::min(sale.value_cents, line.unit_price_cents) * line.quantity;
    case SaleKind::kTiered:
      break;
  }
  std::int64_t rate_bp = 0;
  for (const SaleTier& tier : tiers) {
    if (line.quantity >= tier.min_quantity) rate_bp = tier.percent_bp;
  }
  return percent_of(line.gross_cents(), rate_bp);
}

bool in_scope(const Coupon& coupon, const ProductFacts& product) {
  if (coupon.scopes.empty()) return true;
  return std::any_of(coupon.scopes.begin(), coupon.scopes.end(), [&](const CouponScope& scope) {
    return scope.product_id == product.id ||
           (scope.category_id != 0 && product.in_category(scope.category_id));
  });
}

bool can_be_used(const Coupon& coupon, const Order& order) {
  if (!coupon.runs_at(order.placed_at)) return false;
  if (order.subtotal_cents < coupon.min_subtotal_cents) return false;
  if (coupon.kind == CouponKind::kShipping) return order.ships;
  if (order.subtotal_cents - order.sale_cents <= coupon.value_cents) return false;
  for (std::size_t i = 0; i < order.line_count; ++i) {
    if (in_scope(coupon, order.lines[i].product)) return true;
  }
  return false;
}

}  // namespace

ProductCache::ProductCache(const Catalog& catalog) : catalog_(catalog), slots_(kSlots) {}

const ProductFacts& ProductCache::product(std::int64_t index) {
  ProductFacts& slot = slots_[static_cast<std::size_t>(index) % kSlots];
  if (slot.id != index + 1) catalog_.product(index, slot);
  return slot;
}

Orders::Orders(const Profile& profile, std::uint64_t seed, const Configuration& configuration,
               const Catalog& catalog, const Customers& customers)
    : products_(profile.products),
      orders_(profile.orders),
      seed_(seed),
      configuration_(configuration),
      catalog_(catalog),
      customers_(customers) {}

void Orders::write(std::int64_t index, ProductCache& cache, Order& order, RowWriter& writer) const {
  Draws draws(seed_, Stream::kOrder, index);
  order.id = index + 1;
  order.placed_at = seed::placed_at(seed_, index, orders_);
  choose_customer(index, draws, order);
  choose_lines(draws, cache, order);
  apply_sales(order);
  apply_coupon(draws, order);
  apply_shipping_and_tax(draws, order);
  Draws events(seed_, Stream::kOrderEvents, index);
  tell_story(events, order);

  write_order(order, writer);
  write_items(order, writer);
  write_adjustments(order, writer);
  write_payments(order, writer);
  write_shipments(order, writer);
  write_grants(order, writer);
}

void Orders::choose_customer(std::int64_t index, Draws& draws, Order& order) const {
  if (draws.chance(kGuestsPer10000)) {
    order.customer_id = 0;
    customers_.guest(index, order.person);
    customers_.guest_address(index, order.person.country, order.address);
    return;
  }
  // Those who came early have ordered more, the mean of a skewed and an even draw; every tenth
  // customer is a regular, and of those some are a shop's best friends.
  const std::int64_t known = customers_.known_at(index);
  const std::int64_t early = draws.skewed(known);
  std::int64_t customer = (early + draws.below(known)) / 2;
  const auto habit = draws.below(100);
  if (habit < 25) customer -= customer % 10;
  if (habit < 3) customer -= customer % 500;
  order.customer_id = customer + 1;
  customers_.customer(customer, order.person);
  const std::int64_t addresses = customers_.address_count(customer);
  const std::int64_t position = addresses == 0 ? 1 : draws.between(1, addresses);
  customers_.customer_address(customer, position, order.person.country, order.address);
}

void Orders::choose_lines(Draws& draws, ProductCache& cache, Order& order) const {
  order.line_count = draws.weighted(kLineWeights) + 1;
  order.ships = false;
  order.subtotal_cents = 0;
  for (std::size_t i = 0; i < order.line_count; ++i) {
    OrderLine& line = order.lines[i];
    // Drafts were never sold, and a line has a product of its own: the next best seller instead.
    std::int64_t rank = draws.skewed(products_);
    while (true) {
      const std::int64_t index = catalog_.index_of_rank(rank);
      const ProductFacts& product = cache.product(index);
      const bool taken =
          std::any_of(order.lines.begin(), order.lines.begin() + static_cast<std::ptrdiff_t>(i),
                      [&](const OrderLine& other) { return other.product.id == product.id; });
      if (product.status != ProductStatus::kDraft && !taken) {
        line.product = product;
        break;
      }
      rank = (rank + 1) % products_;
    }
    line.position = static_cast<std::int64_t>(i) + 1;
    line.variant = draws.between(1, line.product.variant_count);
    line.quantity = static_cast<std::int64_t>(draws.weighted(kQuantityWeights)) + 1;
    if (line.product.digital) line.quantity = 1;
    line.unit_price_cents = variant_price_cents(line.product, line.variant);
    order.ships = order.ships || !line.product.digital;
    order.subtotal_cents += line.gross_cents();
  }
}

void Orders::apply_sales(Order& order) const {
  order.sale = nullptr;
  order.sale_cents = 0;
  for (std::size_t i = 0; i < order.line_count; ++i) {
    OrderLine& line = order.lines[i];
    line.sale_cents = 0;
    const Sale* best = nullptr;
    for (std::size_t j = 0; j < configuration_.sales().size(); ++j) {
      const Sale& sale = configuration_.sales()[j];
      if ((line.product.sales >> j & 1U) == 0 || !sale.runs_at(order.placed_at)) continue;
      const std::int64_t off = off_by_sale(sale, configuration_.sale_tiers(), line);
      if (off <= line.sale_cents) continue;
      line.sale_cents = off;
      best = &sale;
    }
    order.sale_cents += line.sale_cents;
    if (order.sale == nullptr) order.sale = best;
  }
}

void Orders::apply_coupon(Draws& draws, Order& order) const {
  order.coupon = nullptr;
  order.coupon_cents = 0;
  for (OrderLine& line : order.lines) line.coupon_cents = 0;
  if (!draws.chance(kCouponsPer10000)) return;
  const auto coupons = static_cast<std::int64_t>(configuration_.coupons().size());
  for (int tries = 0; tries < 8 && order.coupon == nullptr; ++tries) {
    const Coupon& coupon = configuration_.coupons()[static_cast<std::size_t>(draws.below(coupons))];
    if (can_be_used(coupon, order)) order.coupon = &coupon;
  }
  if (order.coupon == nullptr) order.coupon = &configuration_.coupons().front();

  std::int64_t whole = 0;
  for (std::size_t i = 0; i < order.line_count; ++i) {
    if (in_scope(*order.coupon, order.lines[i].product)) whole += order.lines[i].net_cents();
  }
  const std::int64_t amount = std::min(order.coupon->value_cents, whole);
  std::int64_t running = 0;
  std::int64_t given = 0;
  for (std::size_t i = 0; i < order.line_count; ++i) {
    OrderLine& line = order.lines[i];
    if (!in_scope(*order.coupon, line.product)) continue;
    const std::int64_t net = line.net_cents();
    if (order.coupon->kind == CouponKind::kPercent) {
      line.coupon_cents = percent_of(net, order.coupon->value_bp);
    } else if (order.coupon->kind == CouponKind::kAmount) {
      running += net;
      line.coupon_cents = share_of(amount, running, whole) - given;
      given += line.coupon_cents;
    }
    order.coupon_cents += line.coupon_cents;
  }
}

void Orders::apply_shipping_and_tax(Draws& draws, Order& order) const {
  order.shipping_method = nullptr;
  order.shipping_cents = 0;
  const auto method = static_cast<std::int64_t>(draws.weighted(std::array{60, 12, 28})) + 1;
  if (order.ships) {
    order.shipping_method = &configuration_.shipping_method(order.address.country, method);
    std::int64_t grams = 0;
    for (std::size_t i = 0; i < order.line_count; ++i) {
      const OrderLine& line = order.lines[i];
      if (line.product.digital) continue;
      grams += line.quantity * variant_weight_grams(line.product, line.variant);
    }
    const std::int64_t net = order.subtotal_cents - order.sale_cents - order.coupon_cents;
    const auto& free_from = order.shipping_method->free_from_cents;
    const bool free = (free_from && net >= *free_from) ||
                      (order.coupon != nullptr && order.coupon->kind == CouponKind::kShipping);
    if (!free) {
      order.shipping_cents = order.shipping_method->base_cents +
                             order.shipping_method->per_kg_cents * ((grams + 999) / 1000);
    }
  }

  order.tax_zone =
      configuration_.tax_zone(kCountries[order.address.country].code, order.address.region);
  order.tax_cents = 0;
  for (std::size_t i = 0; i < order.line_count; ++i) {
    OrderLine& line = order.lines[i];
    line.rate_bp = order.tax_zone == nullptr ? 0 : order.tax_zone->rate_bp(line.product.tax_class);
    line.tax_cents = percent_of(line.net_cents(), line.rate_bp);
    order.tax_cents += line.tax_cents;
  }
}

}  // namespace shopmark::seed
