#include "bench/http/shop/json.h"

namespace shopmark::http {

std::string_view name_of(store::CouponState state) {
  switch (state) {
    case store::CouponState::kNone:
      return "none";
    case store::CouponState::kApplied:
      return "applied";
    case store::CouponState::kUnknown:
      return "unknown";
    case store::CouponState::kNotRunning:
      return "not_running";
    case store::CouponState::kBelowMinimum:
      return "below_minimum";
    case store::CouponState::kUsedUp:
      return "used_up";
    case store::CouponState::kNothingInScope:
      break;
  }
  return "nothing_in_scope";
}

}  // namespace shopmark::http
