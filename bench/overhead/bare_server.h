// What a C programmer would write by hand against a server's own client library, for the overhead
// benchmark to compare with. Errors throw std::runtime_error.

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fixtures/engine/engine.h"

namespace shopmark::bench {

// One query with one text parameter, :name in its text, prepared once.
class BareQuery {
 public:
  virtual ~BareQuery() = default;
  // Runs it and keeps every column of every row, numbers as such, back to back in one buffer; how
  // many bytes.
  virtual std::size_t run(std::string_view value) = 0;
  const std::vector<char>& buffer() const { return buffer_; }

 protected:
  void clear() { used_ = 0; }
  void keep(const void* data, std::size_t bytes);
  std::size_t used() const { return used_; }

 private:
  std::vector<char> buffer_ = std::vector<char>(1 << 16);
  std::size_t used_ = 0;
};

// In a session of its own with the settings, by name, that ours has where they make a difference.
std::unique_ptr<BareQuery> prepare_bare(const engine::Target& target,
                                        const std::map<std::string, std::string>& settings,
                                        std::string_view sql);

}  // namespace shopmark::bench
