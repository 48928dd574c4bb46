#include "seed/digest.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace shopmark::seed {
namespace {

const schema::Table& table(const char* name = "t") {
  static const std::vector<schema::Table> tables = schema::parse_tables(
      "CREATE TABLE t (\n  a INTEGER,\n  b TEXT,\n  PRIMARY KEY (a)\n);\n"
      "CREATE TABLE u (\n  a INTEGER,\n  b TEXT,\n  PRIMARY KEY (a)\n);\n",
      "");
  return tables[name[0] == 't' ? 0 : 1];
}

TableDigest digest_of(std::initializer_list<std::pair<Cell, Cell>> rows, const char* name = "t") {
  DigestSink sink;
  for (const auto& [a, b] : rows) {
    const Cell cells[] = {a, b};
    sink.add_row(table(name), cells);
  }
  return sink.digests().at(name);
}

TEST(Digest, DoesNotDependOnTheOrderOfRows) {
  EXPECT_EQ(digest_of({{1, "x"}, {2, "y"}, {3, Cell()}}),
            digest_of({{3, Cell()}, {1, "x"}, {2, "y"}}));
}

TEST(Digest, TellsApartWhatLooksAlike) {
  const TableDigest digests[] = {
      digest_of({{1, Cell()}}), digest_of({{1, ""}}),        digest_of({{1, 0}}),
      digest_of({{1, "0"}}),    digest_of({{Cell(), 1}}),    digest_of({{0, 1}}),
      digest_of({{"ab", "c"}}), digest_of({{"a", "bc"}}),    digest_of({{1, 256}}),
      digest_of({{1, 1}}),      digest_of({{1, 1}, {1, 1}}), digest_of({{1, -1}}),
      digest_of({{1, 1}}, "u"),
  };
  for (const TableDigest& a : digests) {
    for (const TableDigest& b : digests) EXPECT_EQ(&a == &b, a == b) << a.hex() << " " << b.hex();
  }
}

TEST(Digest, IsTheDocumentedHashOfTheDocumentedBytes) {
  // Computed apart from this code, with libxxhash alone, over 02 01000000 74 01
  // 0100000000000000 02 01000000 78.
  EXPECT_EQ(digest_of({{1, "x"}}).hex(), "68520e264b1100d68e395586c04ed4b2");
}

TEST(Digest, AddsWithCarry) {
  TableDigest sum = {.rows = 1, .high = 1, .low = 0xFFFFFFFFFFFFFFFFULL};
  sum.add({.rows = 2, .high = 2, .low = 2});
  EXPECT_EQ(sum, (TableDigest{.rows = 3, .high = 4, .low = 1}));
  EXPECT_EQ(sum.hex(), "00000000000000040000000000000001");
}

TEST(Digest, OfABatchIsThatOfItsRows) {
  Batch batch(table());
  const Cell first[] = {1, "x"};
  const Cell second[] = {2, Cell()};
  batch.add(first, 2);
  batch.add(second, 2);
  DigestSink sink;
  sink.write(batch);
  EXPECT_EQ(sink.digests().at("t"), digest_of({{1, "x"}, {2, Cell()}}));
}

TEST(Digest, OfTheDataSeesEveryTableAndItsRowsButNoEmptyTable) {
  const TableDigest one = digest_of({{1, "x"}});
  const Digests digests = {{"t", one}};
  EXPECT_EQ(data_digest(digests), data_digest({{"t", one}, {"u", {}}}));
  EXPECT_NE(data_digest(digests), data_digest({{"u", one}}));
  EXPECT_NE(data_digest(digests),
            data_digest({{"t", {.rows = 2, .high = one.high, .low = one.low}}}));
  EXPECT_NE(data_digest(digests),
            data_digest({{"t", {.rows = 1, .high = one.high + 1, .low = one.low}}}));
  EXPECT_EQ(data_digest(digests).size(), 32U);
}

TEST(Digest, MergesTableByTable) {
  Digests into = {{"t", digest_of({{1, "x"}})}};
  merge(into, {{"t", digest_of({{2, "y"}})}, {"u", digest_of({{3, "z"}}, "u")}});
  EXPECT_EQ(into.at("t"), digest_of({{2, "y"}, {1, "x"}}));
  EXPECT_EQ(into.at("u"), digest_of({{3, "z"}}, "u"));
}

}  // namespace
}  // namespace shopmark::seed
