// The shop's configuration: what is the same in every profile. Small lists that the orders' prices
// need as well.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seed/row_writer.h"
#include "seed/words.h"

namespace shopmark::seed {

// Sale rules, coupon scopes and nothing else of the configuration name products; these exist in
// every profile.
inline constexpr std::int64_t kNamedProducts = 400;

enum class TaxClass { kStandard, kReduced, kZero };
std::string_view name_of(TaxClass tax_class);

struct TaxZone {
  std::string_view name;
  std::string_view country;
  std::string_view region;  // empty: all of the country that has no zone of its own
  std::string_view label;   // of its rates
  std::int64_t standard_bp = 0;
  std::int64_t reduced_bp = 0;

  // 0 for a class that is not taxed there.
  std::int64_t rate_bp(TaxClass tax_class) const;
};

struct ShippingMethod {
  std::int64_t id = 0;
  std::int64_t zone_id = 0;
  std::int64_t position = 0;
  std::string_view code;
  std::string_view name;
  std::int64_t base_cents = 0;
  std::int64_t per_kg_cents = 0;
  std::optional<std::int64_t> free_from_cents;
};

enum class SaleKind { kPercent, kAmount, kTiered };

struct Sale {
  std::string_view name;
  SaleKind kind = SaleKind::kPercent;
  std::int64_t value_bp = 0;
  std::int64_t value_cents = 0;
  std::int64_t starts_at = 0;
  std::int64_t ends_at = 0;

  bool runs_at(std::int64_t time) const { return starts_at <= time && time < ends_at; }
};

struct SaleTier {
  std::int64_t min_quantity = 0;
  std::int64_t percent_bp = 0;
};

// Exactly one of the three is not 0.
struct SaleRule {
  std::int64_t sale_id = 0;
  std::int64_t product_id = 0;
  std::int64_t category_id = 0;
  std::int64_t tag_id = 0;
};

enum class CouponKind { kPercent, kAmount, kShipping };

// Exactly one of the two is not 0.
struct CouponScope {
  std::int64_t product_id = 0;
  std::int64_t category_id = 0;
};

struct Coupon {
  std::int64_t id = 0;
  std::string code;
  CouponKind kind = CouponKind::kPercent;
  std::int64_t value_bp = 0;
  std::int64_t value_cents = 0;
  std::int64_t min_subtotal_cents = 0;
  std::optional<std::int64_t> usage_limit;
  std::int64_t starts_at = 0;
  std::optional<std::int64_t> ends_at;
  bool active = true;
  std::vector<CouponScope> scopes;

  bool runs_at(std::int64_t time) const {
    return active && starts_at <= time && (!ends_at || time < *ends_at);
  }
};

// Categories 1 to 8 are the departments, then come the leaves.
std::int64_t category_of_department(int department);
std::int64_t category_of_leaf(int leaf);

// Built once; immutable.
class Configuration {
 public:
  Configuration();

  const std::vector<TaxZone>& tax_zones() const { return tax_zones_; }
  // The zone that taxes an address: the region's own, else the country's, else nullptr.
  const TaxZone* tax_zone(std::string_view country, std::string_view region) const;

  const std::vector<ShippingMethod>& shipping_methods() const { return shipping_methods_; }
  // The `position`th method (from 1) that reaches a country of kCountries.
  const ShippingMethod& shipping_method(std::size_t country, std::int64_t position) const;

  const std::vector<Sale>& sales() const { return sales_; }
  const std::vector<SaleTier>& sale_tiers() const { return sale_tiers_; }
  const std::vector<SaleRule>& sale_rules() const { return sale_rules_; }
  // The first runs at all times, for every product and any amount.
  const std::vector<Coupon>& coupons() const { return coupons_; }

  void write(RowWriter& writer) const;

 private:
  void write_catalog(RowWriter& writer) const;
  void write_tax_and_shipping(RowWriter& writer) const;
  void write_sales(RowWriter& writer) const;
  void write_coupons(RowWriter& writer) const;

  std::vector<TaxZone> tax_zones_;
  std::vector<ShippingMethod> shipping_methods_;
  std::vector<Sale> sales_;
  std::vector<SaleTier> sale_tiers_;
  std::vector<SaleRule> sale_rules_;
  std::vector<Coupon> coupons_;
  std::vector<std::int64_t> zone_of_country_;
};

}  // namespace shopmark::seed
