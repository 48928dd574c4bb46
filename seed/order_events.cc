// What becomes of an order. Every step has a longest time, and an order that is too young for a
// step to have ended by the clock does not take it.

#include <algorithm>

#include "seed/calendar.h"
#include "seed/orders.h"
#include "seed/words.h"

namespace shopmark::seed {

namespace {

// Of 10,000 orders old enough for anything.
constexpr std::int64_t kCancelled = 1000;
constexpr std::int64_t kPending = 150;
constexpr std::int64_t kPaid = 800;
constexpr std::int64_t kShipped = 550;
constexpr std::int64_t kRefunded = 218;

// Payment, confirmation, invoice and notes are over by then; then parcels, then deliveries and
// what follows them, then refunds.
constexpr std::int64_t kPaidWithin = 6 * kHour;
constexpr std::int64_t kShippedWithin = 4 * kDay;
constexpr std::int64_t kCompletedWithin = 13 * kDay;
constexpr std::int64_t kRefundedWithin = 36 * kDay;

OrderStatus choose_status(Draws& draws, std::int64_t age, bool ships) {
  std::int64_t place = draws.below(10000);
  if ((place -= kCancelled) < 0) return OrderStatus::kCancelled;
  if ((place -= kPending) < 0 || age < kPaidWithin) return OrderStatus::kPending;
  if (!ships) {
    place -= kPaid + kShipped;
    const bool refunded = place >= 0 && place < kRefunded && age >= kRefundedWithin;
    return refunded ? OrderStatus::kRefunded : OrderStatus::kCompleted;
  }
  if ((place -= kPaid) < 0 || age < kShippedWithin) return OrderStatus::kPaid;
  if ((place -= kShipped) < 0 || age < kCompletedWithin) return OrderStatus::kShipped;
  if ((place -= kRefunded) < 0 && age >= kRefundedWithin) return OrderStatus::kRefunded;
  return OrderStatus::kCompleted;
}

constexpr std::string_view kSystem = "system";
constexpr std::string_view kStaff[] = {"staff: Anna", "staff: Björn", "staff: Chloé",
                                       "staff: Tomáš"};

void fail_first_charge(Draws& draws, Order& order) {
  order.first_charge_failed = true;
  order.failed_at = order.placed_at + draws.between(5, 10 * kMinute);
  order.add_event("payment_failed", "gateway", order.failed_at, "The card was declined.");
}

void cancel(Draws& draws, Order& order) {
  if (draws.chance(7000)) fail_first_charge(draws, order);
  const std::int64_t since = order.first_charge_failed ? order.failed_at : order.placed_at;
  const bool by_customer = draws.chance(4000);
  const std::int64_t time = std::min(since + draws.between(20 * kMinute, 5 * kHour), kClock);
  order.add_event("cancelled", by_customer ? "customer" : kSystem, time,
                  by_customer ? Cell("Changed my mind 🙈") : Cell("No payment arrived."));
}

// All over within kPaidWithin.
std::int64_t pay(Draws& draws, Order& order) {
  if (draws.chance(440)) fail_first_charge(draws, order);
  const std::int64_t since = order.first_charge_failed ? order.failed_at : order.placed_at;
  order.charged_at = since + draws.between(20, 90 * kMinute);
  std::int64_t time = order.charged_at;
  order.add_event("payment_received", "gateway", time);
  order.add_event("confirmation_sent", kSystem, time += draws.between(1, 3 * kMinute));
  order.add_event("invoice_issued", kSystem, time += draws.between(1, 10 * kMinute));
  if (draws.chance(600)) {
    const std::string_view note = draws.pick(kHistoryNotes);
    time += draws.between(kMinute, 3 * kHour);
    const Cell message = draws.chance(1000) ? Cell("") : Cell(note);
    order.add_event("note_added", draws.pick(kStaff), time, message);
  }
  return time;
}

// All over within kShippedWithin.
std::int64_t ship(Draws& draws, Order& order, std::int64_t time) {
  std::size_t physical = 0;
  for (std::size_t i = 0; i < order.line_count; ++i) {
    if (!order.lines[i].product.digital) ++physical;
  }
  const bool split = physical >= 2 && draws.chance(1825);
  order.shipment_count = split ? 2 : 1;
  order.first_shipment_lines =
      split ? static_cast<std::size_t>(draws.between(1, static_cast<std::int64_t>(physical) - 1))
            : physical;
  time += draws.between(2 * kHour, 30 * kHour);
  order.add_event("packed", draws.pick(kStaff), time);
  for (std::size_t i = 0; i < order.shipment_count; ++i) {
    time += draws.between(kHour, 20 * kHour);
    order.shipped_at[i] = time;
    order.add_event("shipped", kSystem, time, i == 0 ? Cell() : Cell("The second parcel."));
  }
  return time;
}

// All over within kCompletedWithin.
std::int64_t deliver_and_complete(Draws& draws, Order& order, std::int64_t time) {
  for (std::size_t i = 0; i < order.shipment_count; ++i) {
    // The second parcel never overtakes the first.
    const std::int64_t first = i == 0 ? 0 : order.delivered_at[0];
    order.delivered_at[i] =
        std::max(std::max(order.shipped_at[i], time) + draws.between(kDay, 3 * kDay), first);
    time = order.delivered_at[i];
    order.add_event("delivered", "carrier", time);
  }
  order.add_event("completed", kSystem, time += draws.between(kMinute, kDay));
  if (draws.chance(4200)) {
    order.add_event("review_requested", kSystem, time += draws.between(kHour, kDay));
  }
  return time;
}

void refund_line(Order& order, std::size_t line, std::int64_t quantity) {
  order.refunded_quantity[line] = quantity;
  order.refunded_cents += order.lines[line].total_cents() * quantity / order.lines[line].quantity;
}

// All over within kRefundedWithin.
void refund(Draws& draws, Order& order, std::int64_t time) {
  order.first_refund_failed = draws.chance(300);
  order.refunded_at = time + draws.between(kDay, 20 * kDay);
  const Cell message = draws.chance(2000) ? Cell() : Cell("Came back in good order.");
  order.add_event("refund_issued", draws.pick(kStaff), order.refunded_at, message);
}

}  // namespace

std::string_view name_of(OrderStatus status) {
  switch (status) {
    case OrderStatus::kPending:
      return "pending";
    case OrderStatus::kPaid:
      return "paid";
    case OrderStatus::kShipped:
      return "shipped";
    case OrderStatus::kCompleted:
      return "completed";
    case OrderStatus::kRefunded:
      return "refunded";
    case OrderStatus::kCancelled:
      break;
  }
  return "cancelled";
}

void Order::add_event(std::string_view event, std::string_view actor, std::int64_t time,
                      Cell message) {
  events.at(event_count++) = {event, actor, message, time};
}

void tell_story(Draws& draws, Order& order) {
  order.first_charge_failed = false;
  order.charged_at = 0;
  order.shipment_count = 0;
  order.delivered_at = {};
  order.first_refund_failed = false;
  order.refunded_at = 0;
  order.refunded_quantity = {};
  order.refunded_cents = 0;
  order.event_count = 0;

  const std::int64_t age = kClock - order.placed_at;
  order.status = choose_status(draws, age, order.ships);
  order.add_event("placed", order.customer_id == 0 ? "guest" : "customer", order.placed_at);
  if (order.status == OrderStatus::kCancelled) return cancel(draws, order);
  if (order.status == OrderStatus::kPending) {
    if (age >= kHour && draws.chance(5000)) fail_first_charge(draws, order);
    return;
  }
  std::int64_t time = pay(draws, order);
  const bool downloads = std::any_of(
      order.lines.begin(), order.lines.begin() + static_cast<std::ptrdiff_t>(order.line_count),
      [](const OrderLine& line) { return line.product.digital; });
  if (downloads) order.add_event("downloads_granted", kSystem, time);
  if (order.status == OrderStatus::kPaid) return;
  if (order.ships) time = ship(draws, order, time);
  if (order.status == OrderStatus::kShipped) return;
  // An order of downloads alone is complete as soon as it is paid, so it may be minutes old.
  if (order.ships) {
    time = deliver_and_complete(draws, order, time);
  } else {
    order.add_event("completed", kSystem, time);
  }

  if (order.status == OrderStatus::kRefunded) {
    for (std::size_t i = 0; i < order.line_count; ++i)
      refund_line(order, i, order.lines[i].quantity);
    refund(draws, order, time);
  } else if (age >= kRefundedWithin && draws.chance(436)) {
    // A piece or a line comes back, seldom two.
    const auto lines = static_cast<std::int64_t>(order.line_count);
    const auto first = static_cast<std::size_t>(draws.below(lines));
    refund_line(order, first, draws.between(1, order.lines[first].quantity));
    if (lines > 1 && draws.chance(3500)) {
      const std::size_t second = (first + 1) % order.line_count;
      refund_line(order, second, draws.between(1, order.lines[second].quantity));
    }
    refund(draws, order, time);
  }
}

}  // namespace shopmark::seed
