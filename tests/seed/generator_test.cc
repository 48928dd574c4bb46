#include "seed/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "schema/schema.h"
#include "seed/digest.h"
#include "seed/rng.h"

namespace shopmark::seed {
namespace {

class GeneratorTest : public testing::Test {
 protected:
  Digests whole() const {
    DigestSink sink;
    generator_.generate_all(sink);
    return sink.digests();
  }

  schema::Schema schema_ = schema::read_schema(schema::default_folder());
  Generator generator_{schema_, profile("smoke")};
};

// Characters of UTF-8 text; -1 when it is not.
std::int64_t characters(std::string_view text) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++count) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80             ? 1
                               : (lead & 0xE0) == 0xC0 ? 2
                               : (lead & 0xF0) == 0xE0 ? 3
                               : (lead & 0xF8) == 0xF0 ? 4
                                                       : 0;
    if (length == 0 || i + length > text.size()) return -1;
    for (std::size_t j = 1; j < length; ++j) {
      if ((static_cast<unsigned char>(text[i + j]) & 0xC0) != 0x80) return -1;
    }
    i += length;
  }
  return count;
}

// Holds every cell against its column.
class ColumnCheck : public RowSink {
 public:
  void write(const Batch& batch) override {
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      for (std::size_t i = 0; i < batch.table().columns.size(); ++i) {
        check(batch.table(), batch.table().columns[i], batch.row(row)[i]);
      }
      ++rows_;
    }
  }
  std::int64_t rows() const { return rows_; }

 private:
  static void check(const schema::Table& table, const schema::Column& column, const Cell& cell) {
    const std::string where = table.name + "." + column.name;
    if (cell.is_null()) {
      ASSERT_TRUE(column.nullable) << where;
      return;
    }
    const auto kind =
        column.type == schema::Type::kInteger ? Cell::Kind::kInteger : Cell::Kind::kText;
    ASSERT_EQ(cell.kind(), kind) << where;
    if (kind == Cell::Kind::kInteger) return;
    const std::int64_t length = characters(cell.text());
    ASSERT_GE(length, 0) << where << " is not UTF-8";
    if (column.declared.starts_with("VARCHAR(")) {
      ASSERT_LE(length, std::stoi(column.declared.substr(8))) << where << ": " << cell.text();
    }
  }

  std::int64_t rows_ = 0;
};

TEST_F(GeneratorTest, EveryCellFitsItsColumn) {
  ColumnCheck check;
  generator_.generate_all(check);
  EXPECT_GT(check.rows(), 40'000);
}

TEST_F(GeneratorTest, EveryCellOfAMillionProductsFitsItsColumn) {
  const Generator million(schema_, profile("million"));
  ColumnCheck check;
  million.generate(Family::kProducts, 999'000, 1'000'000, check);
  million.generate(Family::kCustomers, 99'000, 100'000, check);
  million.generate(Family::kOrders, 999'000, 1'000'000, check);
  EXPECT_GT(check.rows(), 30'000);
}

TEST_F(GeneratorTest, AnySplitIntoRangesGivesTheSameRows) {
  const Digests expected = whole();
  for (std::int64_t round = 0; round < 4; ++round) {
    Draws draws(99, Stream::kOrder, round);
    Digests merged;
    for (const Family family : kFamilies) {
      std::int64_t first = 0;
      while (first < generator_.size(family)) {
        const std::int64_t last =
            std::min(generator_.size(family), first + draws.between(1, 700 >> (3 * round)));
        // A sink for each, so that nothing is carried over.
        DigestSink sink;
        generator_.generate(family, first, last, sink);
        merge(merged, sink.digests());
        first = last;
        if (round == 3 && first > 40) break;
      }
      DigestSink rest;
      generator_.generate(family, first, generator_.size(family), rest);
      merge(merged, rest.digests());
    }
    EXPECT_EQ(merged, expected) << round;
  }
}

TEST_F(GeneratorTest, RangesMayBeMadeBackwards) {
  Digests merged;
  for (const Family family : kFamilies) {
    for (std::int64_t last = generator_.size(family); last > 0; last -= 100) {
      DigestSink sink;
      generator_.generate(family, std::max<std::int64_t>(0, last - 100), last, sink);
      merge(merged, sink.digests());
    }
  }
  EXPECT_EQ(merged, whole());
}

TEST_F(GeneratorTest, TwoThreadsShareAGenerator) {
  std::vector<DigestSink> sinks(2);
  std::vector<std::thread> threads;
  for (std::int64_t i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      for (const Family family : kFamilies) {
        const std::int64_t half = generator_.size(family) / 2;
        generator_.generate(family, i == 0 ? 0 : half, i == 0 ? half : generator_.size(family),
                            sinks[static_cast<std::size_t>(i)]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Digests merged = sinks[0].digests();
  merge(merged, sinks[1].digests());
  EXPECT_EQ(merged, whole());
}

TEST_F(GeneratorTest, AnotherSeedGivesOtherRows) {
  DigestSink sink;
  Generator(schema_, profile("smoke"), kDefaultSeed + 1).generate_all(sink);
  const Digests expected = whole();
  for (const char* table : {"products", "customers", "orders", "order_items", "order_history"}) {
    EXPECT_NE(sink.digests().at(table).hex(), expected.at(table).hex()) << table;
  }
}

TEST_F(GeneratorTest, TheConfigurationIsTheSameInEveryProfile) {
  DigestSink smoke;
  DigestSink million;
  generator_.generate(Family::kConfiguration, 0, 1, smoke);
  Generator(schema_, profile("million")).generate(Family::kConfiguration, 0, 1, million);
  int tables = 0;
  for (const auto& [table, digest] : smoke.digests()) {
    if (table.starts_with("cart")) continue;  // they hold what is in stock there
    EXPECT_EQ(million.digests().at(table), digest) << table;
    ++tables;
  }
  EXPECT_EQ(tables, 12);
}

TEST_F(GeneratorTest, TheSmokeStoreIsTheGoldenOne) {
  std::ostringstream text;
  const Digests digests = whole();
  for (const auto& [table, digest] : digests) {
    text << "smoke " << table << " " << digest.rows << " " << digest.hex() << "\n";
  }
  std::ifstream file(SHOPMARK_GOLDEN_DIGESTS);
  std::ostringstream golden;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("smoke ") && !line.starts_with("smoke all ")) golden << line << "\n";
  }
  EXPECT_EQ(text.str(), golden.str());
  EXPECT_EQ(data_digest(digests), profile("smoke").data_digest);
}

TEST_F(GeneratorTest, UnknownProfilesAndRangesAreRefused) {
  try {
    profile("huge");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "'huge' is not a profile; known are smoke, standard, million");
  }
  DigestSink sink;
  EXPECT_THROW(generator_.generate(Family::kOrders, 0, 2001, sink), std::logic_error);
  EXPECT_THROW(generator_.generate(Family::kOrders, -1, 1, sink), std::logic_error);
  EXPECT_THROW(generator_.generate(Family::kOrders, 2, 1, sink), std::logic_error);
  generator_.generate(Family::kOrders, 7, 7, sink);
  EXPECT_TRUE(sink.digests().empty());
}

}  // namespace
}  // namespace shopmark::seed
