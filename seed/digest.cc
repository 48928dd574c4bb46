#include "seed/digest.h"

#include <xxhash.h>

namespace shopmark::seed {

namespace {

void append_little_endian(std::string& to, std::uint64_t value, int bytes) {
  char buffer[8];
  for (int i = 0; i < bytes; ++i) buffer[i] = static_cast<char>((value >> (8 * i)) & 0xff);
  to.append(buffer, static_cast<std::size_t>(bytes));
}

void append_text(std::string& to, std::string_view text) {
  to.push_back('\2');
  append_little_endian(to, text.size(), 4);
  to.append(text);
}

std::string hex128(std::uint64_t high, std::uint64_t low) {
  std::string result(32, '0');
  for (std::size_t i = 0; i < 16; ++i) {
    result[15 - i] = "0123456789abcdef"[(high >> (4 * i)) & 0xf];
    result[31 - i] = "0123456789abcdef"[(low >> (4 * i)) & 0xf];
  }
  return result;
}

void add_row_to(TableDigest& digest, std::string& buffer, const schema::Table& table,
                const Cell* cells) {
  buffer.clear();
  append_text(buffer, table.name);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    switch (cells[i].kind()) {
      case Cell::Kind::kNull:
        buffer.push_back('\0');
        break;
      case Cell::Kind::kInteger:
        buffer.push_back('\1');
        append_little_endian(buffer, static_cast<std::uint64_t>(cells[i].integer()), 8);
        break;
      case Cell::Kind::kText:
        append_text(buffer, cells[i].text());
        break;
    }
  }
  const XXH128_hash_t hash = XXH3_128bits(buffer.data(), buffer.size());
  digest.add({.rows = 1, .high = hash.high64, .low = hash.low64});
}

}  // namespace

std::string text_digest(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return hex128(hash.high64, hash.low64);
}

void TableDigest::add(const TableDigest& other) {
  rows += other.rows;
  low += other.low;
  high += other.high + (low < other.low ? 1 : 0);
}

std::string TableDigest::hex() const { return hex128(high, low); }

std::string data_digest(const Digests& digests) {
  std::string text;
  for (const auto& [table, digest] : digests) {
    if (digest.rows == 0) continue;
    text += table + " " + std::to_string(digest.rows) + " " + digest.hex() + "\n";
  }
  return text_digest(text);
}

void DigestSink::write(const Batch& batch) {
  TableDigest& digest = digests_[batch.table().name];
  for (std::size_t i = 0; i < batch.rows(); ++i) {
    add_row_to(digest, row_, batch.table(), batch.row(i));
  }
}

void DigestSink::add_row(const schema::Table& table, const Cell* cells) {
  add_row_to(digests_[table.name], row_, table, cells);
}

void merge(Digests& into, const Digests& other) {
  for (const auto& [table, digest] : other) into[table].add(digest);
}

}  // namespace shopmark::seed
