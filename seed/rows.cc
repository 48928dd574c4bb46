#include "seed/rows.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace shopmark::seed {

namespace {
// Large enough that a block is rare, small enough that a few batches in flight stay small.
constexpr std::size_t kBlockBytes = 64 * 1024;
}  // namespace

Batch::Batch(const schema::Table& table) : table_(&table), columns_(table.columns.size()) {}

void Batch::add(const Cell* cells, std::size_t count) {
  if (count != columns_) {
    throw std::logic_error("a row of " + std::to_string(count) + " cells for table " +
                           table_->name + ", which has " + std::to_string(columns_));
  }
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (cells[i].kind() == Cell::Kind::kText) bytes += cells[i].text().size();
  }
  char* to = reserve_text(bytes);
  const std::size_t first = cells_.size();
  cells_.insert(cells_.end(), cells, cells + count);
  for (std::size_t i = first; i < cells_.size(); ++i) {
    if (cells_[i].kind() != Cell::Kind::kText) continue;
    const std::string_view text = cells_[i].text();
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    cells_[i] = Cell(std::string_view(to, text.size()));
    to += text.size();
  }
  bytes_ += bytes + count * sizeof(Cell);
}

void Batch::clear() {
  cells_.clear();
  block_ = 0;
  used_ = 0;
  bytes_ = 0;
}

char* Batch::reserve_text(std::size_t bytes) {
  while (block_ < blocks_.size() && blocks_[block_].size() - used_ < bytes) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size()) blocks_.emplace_back(std::max(bytes, kBlockBytes), '\0');
  char* result = blocks_[block_].data() + used_;
  used_ += bytes;
  return result;
}

}  // namespace shopmark::seed
