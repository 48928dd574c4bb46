// Orders and all that hangs on them.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "seed/catalog.h"
#include "seed/configuration.h"
#include "seed/customers.h"
#include "seed/generator.h"
#include "seed/rng.h"
#include "seed/row_writer.h"

namespace shopmark::seed {

// Products that orders ask for again and again. Of a fixed size, whatever the profile; a product
// that it has dropped is made again, the same.
class ProductCache {
 public:
  explicit ProductCache(const Catalog& catalog);
  // Valid until the next call.
  const ProductFacts& product(std::int64_t index);

 private:
  static constexpr std::size_t kSlots = 8192;

  const Catalog& catalog_;
  std::vector<ProductFacts> slots_;
};

struct OrderLine {
  ProductFacts product;
  std::int64_t position = 0;
  std::int64_t variant = 0;  // its position within the product
  std::int64_t quantity = 0;
  std::int64_t unit_price_cents = 0;
  std::int64_t sale_cents = 0;
  std::int64_t coupon_cents = 0;
  std::int64_t tax_cents = 0;
  std::int64_t rate_bp = 0;

  std::int64_t gross_cents() const { return quantity * unit_price_cents; }
  std::int64_t net_cents() const { return gross_cents() - sale_cents - coupon_cents; }
  std::int64_t total_cents() const { return net_cents() + tax_cents; }
};

enum class OrderStatus { kPending, kPaid, kShipped, kCompleted, kRefunded, kCancelled };
std::string_view name_of(OrderStatus status);

struct OrderEvent {
  std::string_view event;
  std::string_view actor;
  Cell message;
  std::int64_t created_at = 0;
};

// One order while it is made. Reused from order to order, so that it stops allocating.
struct Order {
  static constexpr std::size_t kMostLines = 8;
  static constexpr std::size_t kMostEvents = 24;

  // What was ordered.
  std::int64_t id = 0;
  std::int64_t customer_id = 0;  // 0: a guest
  Person person;
  Address address;
  std::int64_t placed_at = 0;
  std::size_t line_count = 0;
  std::array<OrderLine, kMostLines> lines;
  bool ships = false;  // something of it is physical

  // What it cost.
  const Coupon* coupon = nullptr;
  const ShippingMethod* shipping_method = nullptr;
  const TaxZone* tax_zone = nullptr;
  const Sale* sale = nullptr;  // of the first line that has one
  std::int64_t subtotal_cents = 0;
  std::int64_t sale_cents = 0;
  std::int64_t coupon_cents = 0;
  std::int64_t shipping_cents = 0;
  std::int64_t tax_cents = 0;

  std::int64_t total_cents() const {
    return subtotal_cents - sale_cents - coupon_cents + shipping_cents + tax_cents;
  }

  // What became of it.
  OrderStatus status = OrderStatus::kPending;
  bool first_charge_failed = false;
  std::int64_t failed_at = 0;
  std::int64_t charged_at = 0;  // 0: never
  std::size_t shipment_count = 0;
  std::size_t first_shipment_lines = 0;  // physical lines in the first of two shipments
  std::array<std::int64_t, 2> shipped_at{};
  std::array<std::int64_t, 2> delivered_at{};  // 0: not yet
  bool first_refund_failed = false;
  std::int64_t refunded_at = 0;  // 0: never
  std::array<std::int64_t, kMostLines> refunded_quantity{};
  std::int64_t refunded_cents = 0;
  std::size_t event_count = 0;
  std::array<OrderEvent, kMostEvents> events;

  void add_event(std::string_view event, std::string_view actor, std::int64_t time,
                 Cell message = {});
};

// Immutable; nothing in it grows with the profile.
class Orders {
 public:
  Orders(const Profile& profile, std::uint64_t seed, const Configuration& configuration,
         const Catalog& catalog, const Customers& customers);

  // Order `index` from 0; its id is one more.
  void write(std::int64_t index, ProductCache& cache, Order& order, RowWriter& writer) const;

 private:
  // orders.cc: what was ordered and what it cost.
  void choose_customer(std::int64_t index, Draws& draws, Order& order) const;
  void choose_lines(Draws& draws, ProductCache& cache, Order& order) const;
  void apply_sales(Order& order) const;
  void apply_coupon(Draws& draws, Order& order) const;
  void apply_shipping_and_tax(Draws& draws, Order& order) const;

  // order_rows.cc
  void write_order(const Order& order, RowWriter& writer) const;
  void write_items(const Order& order, RowWriter& writer) const;
  void write_adjustments(const Order& order, RowWriter& writer) const;
  void write_payments(const Order& order, RowWriter& writer) const;
  void write_shipments(const Order& order, RowWriter& writer) const;
  void write_grants(const Order& order, RowWriter& writer) const;

  std::int64_t products_;
  std::int64_t orders_;
  std::uint64_t seed_;
  const Configuration& configuration_;
  const Catalog& catalog_;
  const Customers& customers_;
};

// order_events.cc: what became of an order: its status, payments, shipments, refunds and history,
// in time and none after the clock.
void tell_story(Draws& draws, Order& order);

}  // namespace shopmark::seed
