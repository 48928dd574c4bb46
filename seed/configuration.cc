#include "seed/configuration.h"

#include "seed/calendar.h"

namespace shopmark::seed {

namespace {

struct ShippingZone {
  std::string_view name;
  std::string_view countries;
};
constexpr ShippingZone kShippingZones[] = {{"Germany", "DE"},
                                           {"Europe", "AT BE CH DK ES FR GB IE IT NL PL SE"},
                                           {"North America", "CA US"},
                                           {"Rest of the World", "AU JP NZ"}};

constexpr std::string_view kCouponWords[] = {"SAVE",  "SPRING",   "SUMMER",  "AUTUMN", "WINTER",
                                             "HELLO", "THANKYOU", "FRIENDS", "CLUB",   "GARTEN"};

std::string_view name_of(SaleKind kind) {
  return kind == SaleKind::kPercent ? "percent" : kind == SaleKind::kAmount ? "amount" : "tiered";
}

std::string_view name_of(CouponKind kind) {
  return kind == CouponKind::kPercent  ? "percent"
         : kind == CouponKind::kAmount ? "amount"
                                       : "shipping";
}

// NULL for the 0 that stands for "not this one".
Cell reference(std::int64_t id) { return id == 0 ? Cell() : Cell(id); }

// The coupons besides the first: every kind, with and without a minimum, a limit, an end and
// scopes; some over, some still to come, some switched off.
Coupon make_coupon(std::int64_t id) {
  Coupon coupon;
  coupon.id = id;
  if (id == 1) {
    coupon.code = "WELCOME5";
    coupon.value_bp = 500;
    coupon.starts_at = day_start(2024, 1, 1);
    return coupon;
  }
  const std::int64_t variety = id % 10;
  coupon.kind = variety < 6   ? CouponKind::kPercent
                : variety < 9 ? CouponKind::kAmount
                              : CouponKind::kShipping;
  if (coupon.kind == CouponKind::kPercent) coupon.value_bp = 500 + 250 * (id % 7);
  if (coupon.kind == CouponKind::kAmount) coupon.value_cents = 300 + 200 * (id % 5);
  coupon.code = coupon.kind == CouponKind::kShipping
                    ? "FREESHIP" + std::to_string(id)
                    : std::string(kCouponWords[variety]) + std::to_string(10 + id);
  coupon.min_subtotal_cents = id % 3 == 0 ? 0 : 1500 * (id % 4);
  if (id % 6 == 1) coupon.usage_limit = 1'000'000 * id;
  const std::int64_t quarter = id % 8;
  coupon.starts_at = day_start(2024, 7, 1) + 90 * kDay * quarter;
  if (id % 5 != 0) coupon.ends_at = coupon.starts_at + 240 * kDay;
  if (id % 17 == 0) {  // still to come
    coupon.starts_at = day_start(2026, 10, 1);
    coupon.ends_at = day_start(2027, 1, 1);
  }
  coupon.active = id % 12 != 0;
  // Coupons 21 to 42 have 64 scopes together: twenty times three, twice two.
  if (id >= 21 && id <= 42) {
    const std::int64_t scopes = id <= 22 ? 2 : 3;
    for (std::int64_t i = 0; i < scopes; ++i) {
      CouponScope scope;
      if (i == 2) {
        scope.product_id = 1 + (id * 29 + 7) % kNamedProducts;
      } else {
        scope.category_id = i == 0 ? 1 + id % 7 : 9 + (id * 5) % 39;
      }
      coupon.scopes.push_back(scope);
    }
  }
  return coupon;
}

}  // namespace

std::string_view name_of(TaxClass tax_class) {
  return tax_class == TaxClass::kStandard  ? "standard"
         : tax_class == TaxClass::kReduced ? "reduced"
                                           : "zero";
}

std::int64_t TaxZone::rate_bp(TaxClass tax_class) const {
  return tax_class == TaxClass::kStandard  ? standard_bp
         : tax_class == TaxClass::kReduced ? reduced_bp
                                           : 0;
}

std::int64_t category_of_department(int department) { return 1 + department; }

std::int64_t category_of_leaf(int leaf) {
  return 1 + static_cast<std::int64_t>(kDepartments.size()) + leaf;
}

Configuration::Configuration() {
  tax_zones_ = {{"Germany", "DE", "", "VAT", 1900, 700},
                {"France", "FR", "", "TVA", 2000, 550},
                {"United Kingdom", "GB", "", "VAT", 2000, 500},
                {"Netherlands", "NL", "", "BTW", 2100, 900},
                {"Spain", "ES", "", "IVA", 2100, 1000},
                {"Canada", "CA", "", "GST", 500, 500},
                {"Québec", "CA", "QC", "GST and QST", 1498, 500},
                {"California", "US", "CA", "Sales tax", 725, 725}};

  // Base, per started kilogram, free from.
  struct Tariff {
    std::int64_t base_cents;
    std::int64_t per_kg_cents;
    std::int64_t free_from_cents;  // 0: never
  };
  constexpr Tariff kTariffs[4][3] = {{{390, 50, 6000}, {990, 90, 0}, {190, 20, 2500}},
                                     {{790, 120, 12000}, {1690, 210, 0}, {490, 80, 9000}},
                                     {{1490, 450, 25000}, {3490, 990, 0}, {990, 380, 0}},
                                     {{1890, 620, 40000}, {4490, 1250, 0}, {1290, 480, 0}}};
  constexpr std::string_view kCodes[] = {"standard", "express", "economy"};
  constexpr std::string_view kNames[] = {"Standard", "Express", "Economy"};
  for (std::size_t zone = 0; zone < 4; ++zone) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Tariff& tariff = kTariffs[zone][i];
      ShippingMethod method;
      method.id = static_cast<std::int64_t>(zone * 3 + i) + 1;
      method.zone_id = static_cast<std::int64_t>(zone) + 1;
      method.position = static_cast<std::int64_t>(i) + 1;
      method.code = kCodes[i];
      method.name = kNames[i];
      method.base_cents = tariff.base_cents;
      method.per_kg_cents = tariff.per_kg_cents;
      if (tariff.free_from_cents != 0) method.free_from_cents = tariff.free_from_cents;
      shipping_methods_.push_back(method);
    }
  }
  for (const CountryWords& country : kCountries) {
    std::int64_t zone = 0;
    while (kShippingZones[zone].countries.find(country.code) == std::string_view::npos) ++zone;
    zone_of_country_.push_back(zone + 1);
  }

  sales_ = {
      {"Summer Clearance", SaleKind::kPercent, 2000, 0, day_start(2026, 7, 20),
       day_start(2026, 9, 16)},
      {"Weekend Deals", SaleKind::kPercent, 1000, 0, day_start(2026, 8, 24), day_start(2026, 9, 7)},
      {"Five Off", SaleKind::kAmount, 0, 500, day_start(2026, 8, 10), day_start(2026, 10, 1)},
      {"The More the Merrier", SaleKind::kTiered, 0, 0, day_start(2026, 6, 15),
       day_start(2027, 1, 1)},
      {"Black Week 2025", SaleKind::kPercent, 2500, 0, day_start(2025, 11, 21),
       day_start(2025, 12, 2)},
      {"Winter Preview", SaleKind::kPercent, 1500, 0, day_start(2026, 11, 1),
       day_start(2026, 12, 24)}};
  sale_tiers_ = {{2, 500}, {4, 1000}, {10, 2000}};
  // 18 rules a sale: 16 products, a category and a tag of the rarer ones.
  const auto sales = static_cast<std::int64_t>(sales_.size());
  for (std::int64_t i = 0; i < 18 * sales; ++i) {
    SaleRule rule;
    rule.sale_id = i % sales + 1;
    const std::int64_t place = i / sales;
    if (place < 16) {
      rule.product_id = 1 + (i * 37 + 11) % kNamedProducts;
    } else if (place < 17) {
      rule.category_id = category_of_leaf(static_cast<int>((i * 7 + 2) % 39));
    } else {
      rule.tag_id = 35 + i % sales;
    }
    sale_rules_.push_back(rule);
  }

  for (std::int64_t id = 1; id <= 50; ++id) coupons_.push_back(make_coupon(id));
}

const TaxZone* Configuration::tax_zone(std::string_view country, std::string_view region) const {
  const TaxZone* whole_country = nullptr;
  for (const TaxZone& zone : tax_zones_) {
    if (zone.country != country) continue;
    if (zone.region.empty()) {
      whole_country = &zone;
    } else if (zone.region == region) {
      return &zone;
    }
  }
  return whole_country;
}

const ShippingMethod& Configuration::shipping_method(std::size_t country,
                                                     std::int64_t position) const {
  return shipping_methods_[static_cast<std::size_t>((zone_of_country_[country] - 1) * 3 + position -
                                                    1)];
}

void Configuration::write(RowWriter& writer) const {
  write_catalog(writer);
  write_tax_and_shipping(writer);
  write_sales(writer);
  write_coupons(writer);
}

void Configuration::write_catalog(RowWriter& writer) const {
  std::int64_t position = 0;
  for (const DepartmentWords& department : kDepartments) {
    ++position;
    writer.add(TableId::kCategories, {position, Cell(), position, department.slug, department.name,
                                      department.description});
  }
  for (std::size_t i = 0; i < kLeaves.size(); ++i) {
    const LeafWords& leaf = kLeaves[i];
    writer.add(TableId::kCategories,
               {category_of_leaf(static_cast<int>(i)), category_of_department(leaf.department),
                static_cast<std::int64_t>(i) + 1, leaf.slug, leaf.name, Cell()});
  }
  std::int64_t id = 0;
  for (const TagWords& tag : kTags) writer.add(TableId::kTags, {++id, tag.slug, tag.name});
  id = 0;
  for (const AttributeWords& attribute : kAttributes) {
    ++id;
    writer.add(TableId::kAttributes, {id, id, attribute.code, attribute.name});
  }
}

void Configuration::write_tax_and_shipping(RowWriter& writer) const {
  std::int64_t id = 0;
  for (const TaxZone& zone : tax_zones_) {
    writer.add(TableId::kTaxZones,
               {++id, zone.name, zone.country, zone.region.empty() ? Cell() : Cell(zone.region)});
    for (const TaxClass tax_class : {TaxClass::kReduced, TaxClass::kStandard}) {
      writer.add(TableId::kTaxRates, {id, name_of(tax_class), zone.label, zone.rate_bp(tax_class)});
    }
  }
  id = 0;
  for (const ShippingZone& zone : kShippingZones) {
    writer.add(TableId::kShippingZones, {++id, zone.name, zone.countries});
  }
  for (const ShippingMethod& method : shipping_methods_) {
    writer.add(TableId::kShippingMethods,
               {method.id, method.zone_id, method.position, method.code, method.name,
                method.base_cents, method.per_kg_cents, method.free_from_cents});
  }
}

void Configuration::write_sales(RowWriter& writer) const {
  std::int64_t id = 0;
  for (const Sale& sale : sales_) {
    writer.add(TableId::kSales, {++id, sale.name, name_of(sale.kind), sale.value_bp,
                                 sale.value_cents, sale.starts_at, sale.ends_at});
    if (sale.kind != SaleKind::kTiered) continue;
    for (const SaleTier& tier : sale_tiers_) {
      writer.add(TableId::kSaleTiers, {id, tier.min_quantity, tier.percent_bp});
    }
  }
  id = 0;
  for (const SaleRule& rule : sale_rules_) {
    writer.add(TableId::kSaleRules, {++id, rule.sale_id, reference(rule.product_id),
                                     reference(rule.category_id), reference(rule.tag_id)});
  }
}

void Configuration::write_coupons(RowWriter& writer) const {
  for (const Coupon& coupon : coupons_) {
    writer.add(TableId::kCoupons,
               {coupon.id, coupon.code, name_of(coupon.kind), coupon.value_bp, coupon.value_cents,
                coupon.min_subtotal_cents, coupon.usage_limit, coupon.starts_at, coupon.ends_at,
                coupon.active ? 1 : 0});
    std::int64_t position = 0;
    for (const CouponScope& scope : coupon.scopes) {
      writer.add(TableId::kCouponScopes, {coupon.id, ++position, reference(scope.product_id),
                                          reference(scope.category_id)});
    }
  }
}

}  // namespace shopmark::seed
