#include "seed/row_writer.h"

namespace shopmark::seed {

std::vector<const schema::Table*> generated_tables(const schema::Schema& schema) {
  std::vector<const schema::Table*> tables;
  for (const char* name : {"categories",
                           "tags",
                           "attributes",
                           "tax_zones",
                           "tax_rates",
                           "shipping_zones",
                           "shipping_methods",
                           "sales",
                           "sale_rules",
                           "sale_tiers",
                           "coupons",
                           "coupon_scopes",
                           "carts",
                           "cart_lines",
                           "products",
                           "product_categories",
                           "product_tags",
                           "product_attributes",
                           "product_media",
                           "product_options",
                           "product_option_values",
                           "variants",
                           "variant_option_values",
                           "product_files",
                           "product_releases",
                           "customers",
                           "customer_auth",
                           "addresses",
                           "orders",
                           "order_items",
                           "adjustments",
                           "order_history",
                           "transactions",
                           "refund_items",
                           "shipments",
                           "shipment_items",
                           "coupon_usages",
                           "download_grants"}) {
    tables.push_back(&schema.table(name));
  }
  return tables;
}

RowWriter::RowWriter(const std::vector<const schema::Table*>& tables, RowSink& sink) : sink_(sink) {
  batches_.reserve(tables.size());
  for (const schema::Table* table : tables) batches_.emplace_back(*table);
}

void RowWriter::flush(Batch& batch) {
  sink_.write(batch);
  batch.clear();
}

void RowWriter::finish() {
  for (Batch& batch : batches_) {
    if (batch.rows() > 0) flush(batch);
  }
}

}  // namespace shopmark::seed
