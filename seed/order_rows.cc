// The rows of an order and of its children.

#include <algorithm>

#include "seed/calendar.h"
#include "seed/orders.h"
#include "seed/text.h"
#include "seed/words.h"

namespace shopmark::seed {

namespace {

constexpr std::int64_t kFirstNumber = 100000;

}  // namespace

void Orders::write_order(const Order& order, RowWriter& writer) const {
  Draws draws(seed_, Stream::kOrder, -order.id);
  const auto note_kind = draws.below(100);
  const std::string_view note = draws.pick(kOrderNotes);
  std::string number = "BENCH-";
  append(number, kFirstNumber + order.id);
  const std::int64_t updated = order.events[order.event_count - 1].created_at;
  const Address& address = order.address;
  writer.add(TableId::kOrders,
             {order.id,
              number,
              order.customer_id == 0 ? Cell() : Cell(order.customer_id),
              order.person.email,
              name_of(order.status),
              "EUR",
              order.subtotal_cents,
              order.sale_cents + order.coupon_cents,
              order.shipping_cents,
              order.tax_cents,
              order.total_cents(),
              order.refunded_cents,
              order.coupon == nullptr ? Cell() : Cell(order.coupon->code),
              order.shipping_method == nullptr ? Cell() : Cell(order.shipping_method->code),
              order.person.name,
              address.line1,
              address.city,
              address.region.empty() ? Cell() : Cell(address.region),
              address.postcode,
              kCountries[address.country].code,
              note_kind < 82   ? Cell()
              : note_kind < 88 ? Cell("")
                               : Cell(note),
              order.placed_at,
              updated});

  for (std::size_t i = 0; i < order.event_count; ++i) {
    const OrderEvent& event = order.events[i];
    writer.add(TableId::kOrderHistory, {order.id, static_cast<std::int64_t>(i) + 1, event.event,
                                        event.actor, event.message, event.created_at});
  }
}

void Orders::write_items(const Order& order, RowWriter& writer) const {
  std::string sku;
  std::string options;
  for (std::size_t i = 0; i < order.line_count; ++i) {
    const OrderLine& line = order.lines[i];
    sku.clear();
    append_sku(sku, line.product.id, line.variant);
    options.clear();
    append_options(options, line.product, line.variant);
    writer.add(TableId::kOrderItems,
               {order.id, line.position, line.product.id, variant_id(line.product.id, line.variant),
                sku, line.product.name, options.empty() ? Cell() : Cell(options), line.quantity,
                line.unit_price_cents, line.sale_cents + line.coupon_cents, line.tax_cents,
                line.total_cents()});
  }
}

void Orders::write_adjustments(const Order& order, RowWriter& writer) const {
  std::int64_t position = 0;
  std::string label;
  if (order.sale != nullptr) {
    writer.add(TableId::kAdjustments,
               {order.id, ++position, Cell(), "sale", order.sale->name, -order.sale_cents});
  }
  if (order.coupon != nullptr) {
    label.clear();
    append_all(label, "Coupon ", order.coupon->code);
    writer.add(TableId::kAdjustments,
               {order.id, ++position, Cell(), "coupon", label, -order.coupon_cents});
    writer.add(TableId::kCouponUsages, {order.coupon->id, order.id,
                                        order.customer_id == 0 ? Cell() : Cell(order.customer_id),
                                        order.coupon_cents, order.placed_at});
  }
  if (order.shipping_method != nullptr) {
    writer.add(TableId::kAdjustments, {order.id, ++position, Cell(), "shipping",
                                       order.shipping_method->name, order.shipping_cents});
  }
  for (std::size_t i = 0; i < order.line_count; ++i) {
    const OrderLine& line = order.lines[i];
    if (line.rate_bp == 0) continue;
    label.clear();
    append_all(label, order.tax_zone->label, " ", line.rate_bp / 100);
    if (line.rate_bp % 100 != 0) {
      label.push_back('.');
      append_padded(label, line.rate_bp % 100, 2);
    }
    append(label, " %");
    writer.add(TableId::kAdjustments,
               {order.id, ++position, line.position, "tax", label, line.tax_cents});
  }
}

void Orders::write_payments(const Order& order, RowWriter& writer) const {
  constexpr std::string_view kGateways[] = {"cardgate", "cardgate", "walletpay", "banktransfer"};
  Draws draws(seed_, Stream::kOrderEvents, -order.id);
  const std::string_view gateway = draws.pick(kGateways);
  std::int64_t id = order.id * 8;
  std::string reference;
  const auto add = [&](std::string_view kind, bool succeeded, std::int64_t amount,
                       std::int64_t time) {
    reference = kind == "charge" ? "ch_" : "re_";
    append_hex(reference, draws.next());
    writer.add(TableId::kTransactions, {++id, order.id, kind, succeeded ? "succeeded" : "failed",
                                        gateway, reference, amount, time});
  };
  if (order.first_charge_failed) add("charge", false, order.total_cents(), order.failed_at);
  if (order.charged_at != 0) add("charge", true, order.total_cents(), order.charged_at);
  if (order.refunded_at == 0) return;
  if (order.first_refund_failed) {
    add("refund", false, order.refunded_cents, order.refunded_at - kHour);
  }
  add("refund", true, order.refunded_cents, order.refunded_at);
  for (std::size_t i = 0; i < order.line_count; ++i) {
    const OrderLine& line = order.lines[i];
    const std::int64_t quantity = order.refunded_quantity[i];
    if (quantity == 0) continue;
    writer.add(TableId::kRefundItems, {id, line.position, order.id, quantity,
                                       line.total_cents() * quantity / line.quantity});
  }
}

void Orders::write_shipments(const Order& order, RowWriter& writer) const {
  constexpr std::string_view kCarriers[] = {"Nordpost", "Kurier Express", "Parcelwise", "Veloböte"};
  Draws draws(seed_, Stream::kOrderEvents, -order.id);
  std::string tracking;
  std::size_t physical = 0;
  for (std::size_t i = 0; i < order.shipment_count; ++i) {
    const std::int64_t id = order.id * 4 + static_cast<std::int64_t>(i) + 1;
    const std::string_view carrier = draws.pick(kCarriers);
    const auto tracking_kind = draws.below(100);
    tracking.clear();
    if (tracking_kind >= 8) append_hex(tracking, draws.next());
    writer.add(
        TableId::kShipments,
        {id, order.id, carrier, tracking_kind < 6 ? Cell() : Cell(tracking), order.shipped_at[i],
         order.delivered_at[i] == 0 ? Cell() : Cell(order.delivered_at[i])});
  }
  if (order.shipment_count == 0) return;
  for (std::size_t i = 0; i < order.line_count; ++i) {
    const OrderLine& line = order.lines[i];
    if (line.product.digital) continue;
    const std::int64_t shipment = physical++ < order.first_shipment_lines ? 1 : 2;
    writer.add(TableId::kShipmentItems,
               {order.id * 4 + shipment, line.position, order.id, line.quantity});
  }
}

void Orders::write_grants(const Order& order, RowWriter& writer) const {
  if (order.charged_at == 0) return;
  std::string token;
  for (std::size_t i = 0; i < order.line_count; ++i) {
    const OrderLine& line = order.lines[i];
    for (std::int64_t file = 1; file <= line.product.file_count; ++file) {
      // Unique, because the index is and each step of a draw is a bijection of it.
      Draws draws(seed_, Stream::kGrant, (order.id * 16 + line.position) * 8 + file);
      token.clear();
      append_hex(token, draws.next());
      append_hex(token, draws.next());
      const bool limited = draws.chance(7000);
      const bool ends = draws.chance(6000);
      writer.add(TableId::kDownloadGrants,
                 {order.id, line.position, file_id(line.product.id, file), token, draws.skewed(6),
                  limited ? Cell(5) : Cell(), order.charged_at,
                  ends ? Cell(order.charged_at + 365 * kDay) : Cell()});
    }
  }
}

}  // namespace shopmark::seed
