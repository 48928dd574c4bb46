// Rows on their way from the generator to where they are kept or counted.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"

namespace shopmark::seed {

// One value: NULL, a 64-bit integer or UTF-8 text. Text is not owned.
class Cell {
 public:
  enum class Kind : std::uint8_t { kNull, kInteger, kText };

  Cell() = default;
  Cell(std::nullopt_t) {}
  Cell(std::int64_t value) : integer_(value), kind_(Kind::kInteger) {}
  Cell(int value) : Cell(static_cast<std::int64_t>(value)) {}
  Cell(std::string_view value)
      : text_(value.data()),
        length_(static_cast<std::uint32_t>(value.size())),
        kind_(Kind::kText) {}
  Cell(const std::string& value) : Cell(std::string_view(value)) {}
  Cell(const char* value) : Cell(std::string_view(value)) {}
  template <typename T>
  Cell(const std::optional<T>& value) : Cell(value ? Cell(*value) : Cell()) {}

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  // Only for a cell of that kind.
  std::int64_t integer() const { return integer_; }
  std::string_view text() const { return {text_, length_}; }

 private:
  union {
    std::int64_t integer_ = 0;
    const char* text_;
  };
  std::uint32_t length_ = 0;
  Kind kind_ = Kind::kNull;
};

// Some rows of one table, in the order of its columns. Owns the text of its cells. Movable, not
// copyable.
class Batch {
 public:
  explicit Batch(const schema::Table& table);
  Batch(Batch&&) = default;
  Batch& operator=(Batch&&) = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  const schema::Table& table() const { return *table_; }
  std::size_t rows() const { return cells_.size() / columns_; }
  // Of cells and text.
  std::size_t bytes() const { return bytes_; }
  // The cells of row `i`; as many as the table has columns.
  const Cell* row(std::size_t i) const { return cells_.data() + i * columns_; }

  // Adds a row, copying its text. The number of cells must be the table's.
  void add(const Cell* cells, std::size_t count);
  // Drops the rows and keeps the memory.
  void clear();

 private:
  char* reserve_text(std::size_t bytes);

  const schema::Table* table_;
  std::size_t columns_;
  std::vector<Cell> cells_;
  // Text lives in blocks that never move; `used_` bytes of blocks_[block_] are taken.
  std::vector<std::vector<char>> blocks_;
  std::size_t block_ = 0;
  std::size_t used_ = 0;
  std::size_t bytes_ = 0;
};

// Where rows go. `write` may be called from one thread at a time.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void write(const Batch& batch) = 0;
};

}  // namespace shopmark::seed
