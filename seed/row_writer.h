// Collects rows into batches of one table each.

#pragma once

#include <initializer_list>
#include <vector>

#include "schema/schema.h"
#include "seed/rows.h"

namespace shopmark::seed {

enum class TableId {
  kCategories,
  kTags,
  kAttributes,
  kTaxZones,
  kTaxRates,
  kShippingZones,
  kShippingMethods,
  kSales,
  kSaleRules,
  kSaleTiers,
  kCoupons,
  kCouponScopes,
  kCarts,
  kCartLines,
  kProducts,
  kProductCategories,
  kProductTags,
  kProductAttributes,
  kProductMedia,
  kProductOptions,
  kProductOptionValues,
  kVariants,
  kVariantOptionValues,
  kProductFiles,
  kProductReleases,
  kCustomers,
  kCustomerAuth,
  kAddresses,
  kOrders,
  kOrderItems,
  kAdjustments,
  kOrderHistory,
  kTransactions,
  kRefundItems,
  kShipments,
  kShipmentItems,
  kCouponUsages,
  kDownloadGrants,
};

// The tables that the generator fills, in the order of TableId. Throws schema::SchemaError when the
// schema lacks one.
std::vector<const schema::Table*> generated_tables(const schema::Schema& schema);

class RowWriter {
 public:
  RowWriter(const std::vector<const schema::Table*>& tables, RowSink& sink);

  // Cells in the order of the table's columns. Their text is copied.
  void add(TableId table, std::initializer_list<Cell> cells) {
    Batch& batch = batches_[static_cast<std::size_t>(table)];
    batch.add(cells.begin(), cells.size());
    if (batch.rows() >= kBatchRows || batch.bytes() >= kBatchBytes) flush(batch);
  }
  // What is still collected goes to the sink; to be called last.
  void finish();

 private:
  static constexpr std::size_t kBatchRows = 1000;
  static constexpr std::size_t kBatchBytes = 192 * 1024;

  void flush(Batch& batch);

  std::vector<Batch> batches_;
  RowSink& sink_;
};

}  // namespace shopmark::seed
