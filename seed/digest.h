// The digest of a table: independent of the order of its rows, so that ranges made alone or in
// parallel add up, and an engine may hand rows back as it likes.
//
// Each row is written in a canonical form (below), hashed with XXH3's 128-bit hash, which is
// defined for every platform alike, and the hashes are added modulo 2^128. It tells equal from
// unequal data; it does not resist somebody who wants two stores to collide.
//
// Canonical form of a cell: NULL is the byte 0; an integer the byte 1 and its 8 bytes,
// little-endian; text the byte 2, its length in 4 bytes, little-endian, and its bytes. A row starts
// with the table's name as text.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "seed/rows.h"

namespace shopmark::seed {

// XXH3's 128 bits of a text as 32 hexadecimal digits.
std::string text_digest(std::string_view text);

struct TableDigest {
  std::int64_t rows = 0;
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  void add(const TableDigest& other);
  // 32 hexadecimal digits.
  std::string hex() const;
  bool operator==(const TableDigest&) const = default;
};

// By table name.
using Digests = std::map<std::string, TableDigest, std::less<>>;

// One digest over all tables that have a row: what names a store's data. 32 hexadecimal digits.
std::string data_digest(const Digests& digests);

// Not shared between threads; merge the digests of several.
class DigestSink : public RowSink {
 public:
  void write(const Batch& batch) override;
  void add_row(const schema::Table& table, const Cell* cells);
  const Digests& digests() const { return digests_; }

 private:
  Digests digests_;
  std::string row_;
};

void merge(Digests& into, const Digests& other);

}  // namespace shopmark::seed
