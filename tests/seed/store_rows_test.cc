// What must hold in a seeded store, asked with SQL of the smoke profile in a database in memory
// that checks keys, references and conditions itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "schema/schema.h"
#include "seed/generator.h"
#include "seed/rows.h"

namespace shopmark::seed {
namespace {

class MemoryStore : public RowSink {
 public:
  explicit MemoryStore(const schema::Schema& schema) {
    sqlite3_open(":memory:", &db_);
    execute("PRAGMA foreign_keys = ON");
    for (const schema::Table& table : schema.tables) execute(create_table(table));
    execute("BEGIN");
    // Families come one after the other, so references are looked at when all is there.
    execute("PRAGMA defer_foreign_keys = ON");
    Generator(schema, profile("smoke")).generate_all(*this);
    execute("COMMIT");
    for (const schema::Statement& index : schema.indexes.all()) execute(index.text("sqlite"));
  }
  ~MemoryStore() override {
    for (const auto& [table, statement] : inserts_) sqlite3_finalize(statement);
    sqlite3_close(db_);
  }

  void write(const Batch& batch) override {
    sqlite3_stmt*& insert = inserts_[batch.table().name];
    const auto columns = static_cast<int>(batch.table().columns.size());
    if (insert == nullptr) {
      std::string sql = "INSERT INTO " + batch.table().name + " VALUES (?";
      for (int i = 1; i < columns; ++i) sql += ", ?";
      insert = prepare(sql + ")");
    }
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      for (int i = 0; i < columns; ++i) {
        const Cell& cell = batch.row(row)[i];
        if (cell.kind() == Cell::Kind::kNull) {
          sqlite3_bind_null(insert, i + 1);
        } else if (cell.kind() == Cell::Kind::kInteger) {
          sqlite3_bind_int64(insert, i + 1, cell.integer());
        } else {
          sqlite3_bind_text(insert, i + 1, cell.text().data(), static_cast<int>(cell.text().size()),
                            SQLITE_STATIC);
        }
      }
      if (sqlite3_step(insert) != SQLITE_DONE) fail(batch.table().name);
      sqlite3_reset(insert);
    }
  }

  // The first column of a query's rows, NULL as "NULL".
  std::vector<std::string> column(const std::string& sql) {
    sqlite3_stmt* statement = prepare(sql);
    std::vector<std::string> result;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
      result.emplace_back(text == nullptr ? "NULL" : text);
    }
    if (sqlite3_finalize(statement) != SQLITE_OK) fail(sql);
    return result;
  }
  std::int64_t number(const std::string& sql) { return std::stoll(column(sql).at(0)); }

 private:
  [[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(what + ": " + sqlite3_errmsg(db_));
  }
  void execute(const std::string& sql) {
    if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(sql);
  }
  sqlite3_stmt* prepare(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) fail(sql);
    return statement;
  }

  static std::string list(const std::vector<std::string>& names) {
    std::string result;
    for (const std::string& name : names) result += (result.empty() ? "(" : ", ") + name;
    return result + ")";
  }
  static std::string create_table(const schema::Table& table) {
    std::string sql = "CREATE TABLE " + table.name + " (";
    for (const schema::Column& column : table.columns) {
      sql += column.name + (column.type == schema::Type::kInteger ? " INTEGER" : " TEXT") +
             (column.nullable ? "" : " NOT NULL") + ", ";
    }
    sql += "PRIMARY KEY " + list(table.primary_key);
    for (const schema::ForeignKey& key : table.foreign_keys) {
      sql +=
          ", FOREIGN KEY " + list(key.columns) + " REFERENCES " + key.table + list(key.referenced);
    }
    for (const std::string& check : table.checks) sql += ", CHECK (" + check + ")";
    return sql + ") STRICT";
  }

  sqlite3* db_ = nullptr;
  std::map<std::string, sqlite3_stmt*> inserts_;
};

class Store : public testing::Test {
 protected:
  // Made once: nothing below changes it.
  static void SetUpTestSuite() {
    schema_ = std::make_unique<schema::Schema>(schema::read_schema(schema::default_folder()));
    store_ = std::make_unique<MemoryStore>(*schema_);
  }
  static void TearDownTestSuite() {
    store_.reset();
    schema_.reset();
  }

  // The rows for which something that must not be is; the table must have rows at all.
  static void expect_none(const std::string& table, const std::string& condition) {
    EXPECT_GT(store_->number("SELECT count(*) FROM " + table), 0) << table;
    EXPECT_EQ(store_->number("SELECT count(*) FROM " + table + " WHERE " + condition), 0)
        << table << " WHERE " << condition;
  }
  static void expect_some(const std::string& table, const std::string& condition) {
    EXPECT_GT(store_->number("SELECT count(*) FROM " + table + " WHERE " + condition), 0)
        << table << " WHERE " << condition;
  }

  static std::unique_ptr<schema::Schema> schema_;
  static std::unique_ptr<MemoryStore> store_;
};
std::unique_ptr<schema::Schema> Store::schema_;
std::unique_ptr<MemoryStore> Store::store_;

TEST_F(Store, EveryReferenceIsThere) {
  // Deferred, SQLite has refused what it found at the commit; asked again for each key of the
  // schema.
  EXPECT_THAT(store_->column("PRAGMA foreign_key_check"), testing::IsEmpty());
  int keys = 0;
  for (const schema::Table& table : schema_->tables) {
    for (const schema::ForeignKey& key : table.foreign_keys) {
      std::string given;
      std::string equal;
      for (std::size_t i = 0; i < key.columns.size(); ++i) {
        given += " AND child." + key.columns[i] + " IS NOT NULL";
        equal += (i == 0 ? "" : " AND ") + std::string("parent.") + key.referenced[i] +
                 " = child." + key.columns[i];
      }
      EXPECT_EQ(store_->number("SELECT count(*) FROM " + table.name +
                               " child WHERE NOT EXISTS (SELECT 1 FROM " + key.table +
                               " parent WHERE " + equal + ")" + given),
                0)
          << table.name << " to " << key.table;
      ++keys;
    }
  }
  EXPECT_GT(keys, 40);
}

TEST_F(Store, EveryTableButTheRunTimesHasRows) {
  for (const schema::Table& table : schema_->tables) {
    const bool empty = table.name == "stock_holds" || table.name == "shopmark_seed";
    EXPECT_EQ(store_->number("SELECT count(*) FROM " + table.name) == 0, empty) << table.name;
  }
}

TEST_F(Store, AnOrderIsTheSumOfItsParts) {
  const std::string sum = "(SELECT coalesce(sum(%), 0) FROM order_items i WHERE i.order_id = o.id)";
  const auto of_items = [&](const std::string& what) {
    return std::string(sum).replace(sum.find('%'), 1, what);
  };
  expect_none("orders o", "subtotal_cents <> " + of_items("quantity * unit_price_cents"));
  expect_none("orders o", "discount_cents <> " + of_items("discount_cents"));
  expect_none("orders o", "tax_cents <> " + of_items("tax_cents"));
  expect_none("orders o", "total_cents - shipping_cents <> " + of_items("total_cents"));
  expect_none("orders o", "NOT EXISTS (SELECT 1 FROM order_items i WHERE i.order_id = o.id)");
  expect_none(
      "order_items",
      "discount_cents < 0 OR tax_cents < 0 OR discount_cents > quantity * unit_price_cents");
}

TEST_F(Store, AdjustmentsAreTheOrdersPartsOneByOne) {
  const auto of_kind = [](const std::string& kinds) {
    return "(SELECT coalesce(sum(amount_cents), 0) FROM adjustments a WHERE a.order_id = o.id AND "
           "a.kind IN (" +
           kinds + "))";
  };
  expect_none("orders o", "-discount_cents <> " + of_kind("'sale', 'coupon'"));
  expect_none("orders o", "shipping_cents <> " + of_kind("'shipping'"));
  expect_none("orders o", "tax_cents <> " + of_kind("'tax'"));
  expect_none("adjustments", "kind IN ('sale', 'coupon') AND amount_cents > 0");
  expect_none("adjustments", "(kind = 'tax') <> (item_position IS NOT NULL)");
  expect_none("adjustments a",
              "kind = 'tax' AND amount_cents <> (SELECT tax_cents FROM order_items i WHERE "
              "i.order_id = a.order_id AND i.position = a.item_position)");
  for (const char* kind : {"sale", "coupon", "shipping", "tax"}) {
    expect_some("adjustments", "kind = '" + std::string(kind) + "' AND amount_cents <> 0");
  }
}

TEST_F(Store, TaxIsTheZonesRateOfTheLineHalfUp) {
  // The region's zone before the country's.
  expect_none(
      "orders o JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id",
      "i.tax_cents <> coalesce(((SELECT r.rate_bp FROM tax_zones z JOIN tax_rates r ON r.zone_id = "
      "z.id WHERE z.country = o.ship_to_country AND (z.region IS NULL OR z.region = "
      "o.ship_to_region) AND r.tax_class = p.tax_class ORDER BY z.region IS NULL LIMIT 1) * "
      "(i.quantity * i.unit_price_cents - i.discount_cents) + 5000) / 10000, 0)");
  expect_some("orders", "ship_to_region = 'QC'");
}

TEST_F(Store, ShippingIsTheMethodsPriceOfThePhysicalLines) {
  expect_none(
      "orders o",
      "(shipping_method IS NOT NULL) <> EXISTS (SELECT 1 FROM order_items i JOIN products p ON "
      "p.id = i.product_id WHERE i.order_id = o.id AND p.kind = 'physical')");
  expect_none(
      "orders o JOIN shipping_zones z ON ' ' || z.countries || ' ' LIKE '% ' || o.ship_to_country "
      "|| ' %' JOIN shipping_methods m ON m.zone_id = z.id AND m.code = o.shipping_method",
      "shipping_cents <> CASE WHEN subtotal_cents - discount_cents >= m.free_from_cents OR EXISTS "
      "(SELECT 1 FROM coupons c WHERE c.code = o.coupon_code AND c.kind = 'shipping') THEN 0 ELSE "
      "m.base_cents + m.per_kg_cents * (((SELECT sum(i.quantity * v.weight_grams) FROM order_items "
      "i JOIN variants v ON v.id = i.variant_id WHERE i.order_id = o.id) + 999) / 1000) END");
}

TEST_F(Store, CouponsAreUsedAsTheyAllow) {
  expect_none(
      "coupon_usages u JOIN orders o ON o.id = u.order_id JOIN coupons c ON c.id = "
      "u.coupon_id",
      "o.coupon_code <> c.code OR u.used_at <> o.placed_at OR u.customer_id IS NOT "
      "o.customer_id OR u.used_at < c.starts_at OR u.used_at >= c.ends_at OR c.active = 0 "
      "OR o.subtotal_cents < c.min_subtotal_cents");
  expect_none("orders o",
              "(coupon_code IS NOT NULL) <> EXISTS (SELECT 1 FROM coupon_usages u WHERE "
              "u.order_id = o.id)");
  expect_none("coupon_usages u",
              "-amount_cents <> (SELECT amount_cents FROM adjustments a WHERE a.order_id = "
              "u.order_id AND a.kind = 'coupon')");
  expect_none("coupons c",
              "usage_limit < (SELECT count(*) FROM coupon_usages u WHERE u.coupon_id = "
              "c.id)");
  for (const char* kind : {"percent", "amount", "shipping"}) {
    expect_some("coupon_usages u JOIN coupons c ON c.id = u.coupon_id",
                "c.kind = '" + std::string(kind) + "'");
  }
  expect_some("coupon_usages u",
              "EXISTS (SELECT 1 FROM coupon_scopes s WHERE s.coupon_id = "
              "u.coupon_id)");
}

TEST_F(Store, CouponsTakeOffWhatTheySay) {
  // Orders without a sale, and coupons for every line, so that a line's discount is the coupon's.
  const std::string plain =
      "orders o JOIN coupons c ON c.code = o.coupon_code JOIN coupon_usages u ON u.order_id = o.id";
  const std::string condition =
      "NOT EXISTS (SELECT 1 FROM adjustments a WHERE a.order_id = o.id AND a.kind = 'sale') AND "
      "NOT "
      "EXISTS (SELECT 1 FROM coupon_scopes s WHERE s.coupon_id = c.id) AND ";
  expect_none(plain + " JOIN order_items i ON i.order_id = o.id",
              condition +
                  "c.kind = 'percent' AND i.discount_cents <> (i.quantity * "
                  "i.unit_price_cents * c.value_bp + 5000) / 10000");
  // The parts of an amount add up, and none is further from its share than rounding can bring it.
  expect_none(plain, condition + "c.kind = 'amount' AND u.amount_cents <> c.value_cents");
  expect_none(plain + " JOIN order_items i ON i.order_id = o.id",
              condition +
                  "c.kind = 'amount' AND abs(i.discount_cents * o.subtotal_cents - "
                  "c.value_cents * i.quantity * i.unit_price_cents) > o.subtotal_cents");
  expect_none(plain, "c.kind = 'shipping' AND (u.amount_cents <> 0 OR o.shipping_cents <> 0)");
  expect_none(plain, "c.kind = 'amount' AND u.amount_cents > c.value_cents");
  for (const char* kind : {"percent", "amount"}) {
    expect_some(plain, condition + "c.kind = '" + kind + "'");
  }
}

TEST_F(Store, TheBestRunningSaleIsTakenOffEachLine) {
  const std::string lines = "order_items i JOIN orders o ON o.id = i.order_id";
  const std::string best =
      "coalesce((SELECT max(CASE s.kind WHEN 'percent' THEN (i.quantity * i.unit_price_cents * "
      "s.value_bp + 5000) / 10000 WHEN 'amount' THEN min(s.value_cents, i.unit_price_cents) * "
      "i.quantity ELSE (i.quantity * i.unit_price_cents * coalesce((SELECT max(t.percent_bp) FROM "
      "sale_tiers t WHERE t.sale_id = s.id AND t.min_quantity <= i.quantity), 0) + 5000) / 10000 "
      "END) FROM sales s WHERE s.starts_at <= o.placed_at AND s.ends_at > o.placed_at AND EXISTS "
      "(SELECT 1 FROM sale_rules r WHERE r.sale_id = s.id AND (r.product_id = i.product_id OR "
      "r.category_id IN (SELECT category_id FROM product_categories x WHERE x.product_id = "
      "i.product_id) OR r.tag_id IN (SELECT tag_id FROM product_tags x WHERE x.product_id = "
      "i.product_id)))), 0)";
  expect_none(lines, "o.coupon_code IS NULL AND i.discount_cents <> " + best);
  expect_some(lines, "o.coupon_code IS NULL AND i.discount_cents > 0");
}

TEST_F(Store, DownloadsAreBoughtOneByOne) {
  expect_none("order_items i JOIN products p ON p.id = i.product_id",
              "p.kind = 'digital' AND i.quantity <> 1");
  expect_some("order_items i JOIN products p ON p.id = i.product_id",
              "p.kind = 'physical' AND i.quantity > 1");
}

TEST_F(Store, RefundsAreTheirItemsAndNeverMoreThanWasPaid) {
  expect_none("orders o",
              "refunded_cents <> (SELECT coalesce(sum(amount_cents), 0) FROM transactions t WHERE "
              "t.order_id = o.id AND t.kind = 'refund' AND t.status = 'succeeded')");
  expect_none(
      "transactions t",
      "kind = 'refund' AND status = 'succeeded' AND amount_cents <> (SELECT sum(amount_cents) "
      "FROM refund_items r WHERE r.transaction_id = t.id)");
  expect_none("refund_items r JOIN transactions t ON t.id = r.transaction_id",
              "t.kind <> 'refund' OR t.status <> 'succeeded' OR t.order_id <> r.order_id");
  expect_none(
      "refund_items r JOIN order_items i ON i.order_id = r.order_id AND i.position = "
      "r.item_position",
      "r.quantity > i.quantity OR r.amount_cents > i.total_cents");
  expect_none("orders o",
              "(status = 'refunded') AND total_cents - shipping_cents <> refunded_cents");
  expect_some("orders", "status = 'completed' AND refunded_cents > 0");
}

TEST_F(Store, StatusesAndWhatHangsOnThemAgree) {
  const std::string charged =
      "EXISTS (SELECT 1 FROM transactions t WHERE t.order_id = o.id AND "
      "t.kind = 'charge' AND t.status = 'succeeded' AND t.amount_cents = "
      "o.total_cents)";
  expect_none("orders o", "(status NOT IN ('pending', 'cancelled')) <> " + charged);
  const std::string shipped = "EXISTS (SELECT 1 FROM shipments s WHERE s.order_id = o.id)";
  expect_none("orders o",
              "(status IN ('shipped', 'completed', 'refunded') AND shipping_method IS "
              "NOT NULL) <> " +
                  shipped);
  const std::string delivered =
      "NOT EXISTS (SELECT 1 FROM shipments s WHERE s.order_id = o.id AND s.delivered_at IS NULL)";
  expect_none("orders o", "status IN ('completed', 'refunded') AND NOT " + delivered);
  for (const char* status : {"pending", "paid", "shipped", "completed", "refunded", "cancelled"}) {
    expect_some("orders", "status = '" + std::string(status) + "'");
  }
}

TEST_F(Store, NeverMoreIsShippedThanWasOrderedAndOnlyWhatIsPhysical) {
  expect_none(
      "order_items i",
      "quantity < (SELECT coalesce(sum(s.quantity), 0) FROM shipment_items s WHERE s.order_id "
      "= i.order_id AND s.item_position = i.position)");
  expect_none(
      "shipment_items s JOIN order_items i ON i.order_id = s.order_id AND i.position = "
      "s.item_position JOIN products p ON p.id = i.product_id",
      "p.kind <> 'physical'");
  expect_none("shipment_items s JOIN shipments h ON h.id = s.shipment_id",
              "h.order_id <> s.order_id");
  expect_none("shipments h",
              "NOT EXISTS (SELECT 1 FROM shipment_items s WHERE s.shipment_id = h.id)");
  EXPECT_GT(store_->number("SELECT count(*) FROM (SELECT order_id FROM shipments GROUP BY order_id "
                           "HAVING count(*) = 2)"),
            0);
}

TEST_F(Store, EveryFileOfAPaidDownloadIsGrantedOnce) {
  EXPECT_EQ(store_->number("SELECT count(*) FROM download_grants"),
            store_->number("SELECT count(*) FROM orders o JOIN order_items i ON i.order_id = o.id "
                           "JOIN product_files f ON f.product_id = i.product_id WHERE o.status NOT "
                           "IN ('pending', 'cancelled')"));
  expect_none(
      "download_grants g JOIN order_items i ON i.order_id = g.order_id AND i.position = "
      "g.item_position JOIN product_files f ON f.id = g.file_id",
      "f.product_id <> i.product_id OR g.downloads > g.max_downloads");
  expect_none("products p",
              "(kind = 'digital') <> EXISTS (SELECT 1 FROM product_files f WHERE "
              "f.product_id = p.id)");
}

TEST_F(Store, TimeOnlyGoesForwardAndEndsAtTheClock) {
  const std::string clock = std::to_string(kClock);
  const std::pair<const char*, const char*> times[] = {
      {"products", "updated_at"},      {"product_releases", "released_at"},
      {"customers", "created_at"},     {"customer_auth", "last_login_at"},
      {"orders", "placed_at"},         {"orders", "updated_at"},
      {"order_history", "created_at"}, {"transactions", "created_at"},
      {"shipments", "shipped_at"},     {"shipments", "delivered_at"},
      {"coupon_usages", "used_at"},    {"download_grants", "created_at"},
      {"carts", "created_at"}};
  for (const auto& [table, column] : times) {
    expect_none(table, std::string(column) + " > " + clock);
  }
  expect_none("orders o JOIN customers c ON c.id = o.customer_id", "c.created_at > o.placed_at");
  expect_none(
      "order_items i JOIN orders o ON o.id = i.order_id JOIN products p ON p.id = "
      "i.product_id",
      "p.published_at > o.placed_at OR p.status = 'draft'");
  expect_none("transactions t JOIN orders o ON o.id = t.order_id",
              "t.created_at < o.placed_at OR t.created_at > o.updated_at");
  const std::string charge =
      "(SELECT created_at FROM transactions t WHERE t.order_id = x.order_id "
      "AND t.kind = 'charge' AND t.status = 'succeeded')";
  expect_none("shipments x", "shipped_at < " + charge);
  expect_none("download_grants x", "created_at <> " + charge);
  expect_none("transactions x", "kind = 'refund' AND created_at < " + charge);
  expect_none("transactions x",
              "kind = 'refund' AND created_at < (SELECT max(delivered_at) FROM shipments s WHERE "
              "s.order_id = x.order_id)");
  expect_none("transactions x", "kind = 'charge' AND status = 'failed' AND created_at > " + charge);
  expect_none(
      "order_history h JOIN order_history before ON before.order_id = h.order_id AND "
      "before.position = h.position - 1",
      "h.created_at < before.created_at");
  expect_none("orders o",
              "updated_at <> (SELECT max(created_at) FROM order_history h WHERE "
              "h.order_id = o.id)");
  expect_none("orders o JOIN orders before ON before.id = o.id - 1",
              "o.placed_at < before.placed_at");
}

TEST_F(Store, HistoryTellsWhatHappened) {
  expect_none("orders o",
              "1 <> (SELECT count(*) FROM order_history h WHERE h.order_id = o.id AND "
              "h.event = 'placed' AND h.position = 1 AND h.created_at = o.placed_at)");
  const std::pair<const char*, const char*> counted[] = {
      {"payment_received",
       "SELECT count(*) FROM transactions t WHERE t.order_id = o.id AND t.kind = 'charge' AND "
       "t.status = 'succeeded'"},
      {"payment_failed",
       "SELECT count(*) FROM transactions t WHERE t.order_id = o.id AND t.kind = 'charge' AND "
       "t.status = 'failed'"},
      {"shipped", "SELECT count(*) FROM shipments s WHERE s.order_id = o.id"},
      {"delivered",
       "SELECT count(*) FROM shipments s WHERE s.order_id = o.id AND s.delivered_at IS NOT NULL"},
      {"refund_issued", "SELECT o.refunded_cents > 0"},
      {"cancelled", "SELECT o.status = 'cancelled'"},
      {"completed", "SELECT o.status IN ('completed', 'refunded')"}};
  for (const auto& [event, expected] : counted) {
    expect_none("orders o",
                "(SELECT count(*) FROM order_history h WHERE h.order_id = o.id AND "
                "h.event = '" +
                    std::string(event) + "') <> (" + expected + ")");
    expect_some("order_history", "event = '" + std::string(event) + "'");
  }
}

TEST_F(Store, OrdersFillTwentyFiveMonths) {
  EXPECT_EQ(store_->number("SELECT count(DISTINCT strftime('%Y-%m', placed_at, 'unixepoch')) FROM "
                           "orders WHERE status NOT IN ('pending', 'cancelled')"),
            25);
}

TEST_F(Store, VariantsAreTheCombinationsOfTheirProductsOptions) {
  expect_none("products p", "NOT EXISTS (SELECT 1 FROM variants v WHERE v.product_id = p.id)");
  expect_none(
      "variants v JOIN variant_option_values x ON x.variant_id = v.id JOIN "
      "product_option_values o ON o.id = x.option_value_id JOIN product_options n ON n.id = "
      "o.option_id",
      "n.product_id <> v.product_id");
  expect_none("variants v",
              "(SELECT count(*) FROM variant_option_values x WHERE x.variant_id = v.id) "
              "<> (SELECT count(*) FROM product_options n WHERE n.product_id = "
              "v.product_id)");
  EXPECT_EQ(store_->number(
                "SELECT count(*) - count(DISTINCT product_id || ':' || chosen) FROM (SELECT "
                "v.product_id, v.id, coalesce(group_concat(x.option_value_id), '') AS chosen "
                "FROM variants v LEFT JOIN variant_option_values x ON x.variant_id = v.id GROUP "
                "BY v.id)"),
            0);
  expect_none("order_items i JOIN variants v ON v.id = i.variant_id",
              "v.product_id <> i.product_id OR v.sku <> i.sku OR v.price_cents <> "
              "i.unit_price_cents");
  expect_none("order_items i JOIN products p ON p.id = i.product_id", "p.name <> i.name");
  expect_none("order_items i",
              "(options IS NOT NULL) <> EXISTS (SELECT 1 FROM product_options n "
              "WHERE n.product_id = i.product_id)");
  EXPECT_EQ(store_->number("SELECT count(*) - count(DISTINCT order_id || ':' || variant_id) FROM "
                           "order_items"),
            0);
}

TEST_F(Store, NamesThatMustBeUniqueCarryTheirRowsId) {
  // The indexes have refused a clash; this holds for profiles of any size.
  expect_none("customers", "email NOT GLOB '*[a-z]' || id || '@*'");
  expect_none("products", "slug NOT GLOB '*[a-z0-9]-' || id");
  expect_none("variants", "sku NOT GLOB '*-*' || product_id || '-*' || position");
  expect_none("orders", "number <> 'BENCH-' || (100000 + id)");
}

TEST_F(Store, StockIsNeverNegativeAndSometimesNone) {
  expect_none("variants", "stock < 0");
  expect_some("variants", "stock = 0");
}

TEST_F(Store, CartsHoldFiveProductsThatCanBeBought) {
  EXPECT_EQ(store_->number("SELECT count(*) FROM carts"), 20);
  expect_none("carts c",
              "5 <> (SELECT count(DISTINCT v.product_id) FROM cart_lines l JOIN variants v "
              "ON v.id = l.variant_id WHERE l.cart_id = c.id)");
  expect_none(
      "cart_lines l JOIN variants v ON v.id = l.variant_id JOIN products p ON p.id = "
      "v.product_id",
      "p.status <> 'active' OR v.stock < l.quantity");
  const std::string running =
      "EXISTS (SELECT 1 FROM coupons k WHERE k.code = c.coupon_code AND "
      "k.active AND k.starts_at <= " +
      std::to_string(kClock) + " AND (k.ends_at IS NULL OR k.ends_at > " + std::to_string(kClock) +
      "))";
  expect_none("carts c", "id % 4 = 0 AND NOT " + running);
  expect_some("carts c", "coupon_code IS NOT NULL AND NOT " + running);
  expect_some("carts c", "coupon_code IS NULL");
}

TEST_F(Store, PopularityAgreesWithWhatIsSold) {
  const std::string sold =
      "(SELECT count(*) FROM order_items i JOIN products p ON p.id = "
      "i.product_id WHERE p.popularity ";
  const std::string median =
      "(SELECT popularity FROM products ORDER BY popularity LIMIT 1 OFFSET "
      "200)";
  EXPECT_GT(
      store_->number("SELECT " + sold + "> " + median + ") > 2 * " + sold + "<= " + median + ")"),
      0);
}

TEST_F(Store, TiesMakeEveryOrderingNeedItsLastKey) {
  EXPECT_GT(store_->number("SELECT count(*) - count(DISTINCT popularity) FROM products"), 10);
  EXPECT_GT(store_->number("SELECT count(*) - count(DISTINCT placed_at) FROM orders"), 10);
}

TEST_F(Store, NullAndEmptyTextBothOccur) {
  const std::pair<const char*, const char*> columns[] = {
      {"categories", "description"}, {"products", "subtitle"},      {"product_media", "alt"},
      {"variants", "barcode"},       {"product_releases", "notes"}, {"customers", "phone"},
      {"customers", "note"},         {"addresses", "line2"},        {"orders", "note"},
      {"order_history", "message"},  {"shipments", "tracking"}};
  for (const auto& [table, column] : columns) {
    expect_some(table, std::string(column) + " IS NULL");
    expect_some(table, std::string(column) + " = ''");
    expect_some(table, std::string(column) + " > ''");
  }
}

TEST_F(Store, TextHasAccentsIdeographsAndCharactersOfFourBytes) {
  for (const char* text : {"é", "ø", "ß", "漢", "🎁"}) {
    expect_some("products", "name LIKE '%" + std::string(text) + "%'");
  }
  expect_some("customers", "name LIKE '%ü%'");
  expect_some("orders", "note LIKE '%🎁%'");
  expect_some("order_history", "message LIKE '%🎀%'");
}

TEST_F(Store, SearchWordsAreThoseOfTheProduct) {
  expect_none("products", "search_words = '' OR search_words NOT GLOB 'zz*'");
  expect_some("products", "name LIKE '%O''Neil%' AND search_words LIKE '%zzoneil%'");
  expect_none("products", "name LIKE '%漢字%' AND search_words NOT LIKE '%zzu6f22%'");
  EXPECT_GT(
      store_->number("SELECT count(*) FROM product_search WHERE product_search MATCH 'zzoak'"), 0);
}

TEST_F(Store, GuestsAndRegularsBothOrder) {
  expect_some("orders", "customer_id IS NULL");
  expect_none("orders o JOIN customers c ON c.id = o.customer_id", "c.email <> o.email");
  EXPECT_GT(store_->number("SELECT max(n) FROM (SELECT count(*) AS n FROM orders WHERE customer_id "
                           "IS NOT NULL GROUP BY customer_id)"),
            15);
}

}  // namespace
}  // namespace shopmark::seed
