#include "seed/rows.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

namespace shopmark::seed {
namespace {

schema::Table two_columns() {
  return schema::parse_tables(
             "CREATE TABLE t (\n  id INTEGER NOT NULL,\n  name TEXT,\n  PRIMARY KEY (id)\n);\n", "")
      .front();
}

TEST(Cell, KnowsItsKind) {
  EXPECT_TRUE(Cell().is_null());
  EXPECT_TRUE(Cell(std::optional<std::int64_t>()).is_null());
  EXPECT_EQ(Cell(std::optional<std::int64_t>(3)).integer(), 3);
  EXPECT_EQ(Cell(7).kind(), Cell::Kind::kInteger);
  EXPECT_EQ(Cell("seven").kind(), Cell::Kind::kText);
  EXPECT_EQ(Cell("seven").text(), "seven");
  EXPECT_FALSE(Cell("").is_null());
}

TEST(Batch, OwnsItsTextAndKeepsItWhenItGrowsAndMoves) {
  const schema::Table table = two_columns();
  Batch batch(table);
  // Small texts that fill several blocks, and one larger than a block.
  for (int i = 0; i < 20000; ++i) {
    std::string text = "row " + std::to_string(i);
    const Cell cells[] = {i, text};
    batch.add(cells, 2);
    text.assign(text.size(), '#');
  }
  const std::string large(200'000, 'x');
  const Cell cells[] = {20000, large};
  batch.add(cells, 2);
  const Cell null_cells[] = {20001, Cell()};
  batch.add(null_cells, 2);

  const Batch moved = std::move(batch);
  ASSERT_EQ(moved.rows(), 20002U);
  for (int i = 0; i < 20000; ++i) {
    ASSERT_EQ(moved.row(static_cast<std::size_t>(i))[0].integer(), i);
    ASSERT_EQ(moved.row(static_cast<std::size_t>(i))[1].text(), "row " + std::to_string(i));
  }
  EXPECT_EQ(moved.row(20000)[1].text(), large);
  EXPECT_TRUE(moved.row(20001)[1].is_null());
}

TEST(Batch, IsFilledAnewAfterClear) {
  const schema::Table table = two_columns();
  Batch batch(table);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 5000; ++i) {
      const std::string text = std::to_string(round) + " and " + std::to_string(i);
      const Cell cells[] = {i, text};
      batch.add(cells, 2);
    }
    EXPECT_EQ(batch.rows(), 5000U);
    EXPECT_GT(batch.bytes(), 0U);
    EXPECT_EQ(batch.row(4999)[1].text(), std::to_string(round) + " and 4999");
    EXPECT_EQ(batch.row(0)[1].text(), std::to_string(round) + " and 0");
    batch.clear();
    EXPECT_EQ(batch.rows(), 0U);
    EXPECT_EQ(batch.bytes(), 0U);
  }
}

TEST(Batch, RefusesARowOfAnotherLength) {
  const schema::Table table = two_columns();
  Batch batch(table);
  const Cell cells[] = {1, "a", "b"};
  EXPECT_THROW(batch.add(cells, 1), std::logic_error);
  EXPECT_THROW(batch.add(cells, 3), std::logic_error);
  EXPECT_EQ(batch.rows(), 0U);
}

}  // namespace
}  // namespace shopmark::seed
