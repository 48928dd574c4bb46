// A request's target taken apart: the segments of its path and the parameters of its query.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shopmark::http {

// UTF-8 as Unicode defines it: no overlong form, no surrogate, nothing past U+10FFFF.
bool is_utf8(std::string_view text);

// Every %XX turned into its byte, and for a query + into a blank. Throws Refusal (400) when the
// text is badly encoded, is no UTF-8 or holds a NUL; `what` is for the message.
std::string percent_decoded(std::string_view text, bool is_query, std::string_view what);

// What stands behind the ?, decoded, in its order.
class Parameters {
 public:
  Parameters() = default;
  // Throws Refusal (400) for bad encoding and for more than a request needs.
  explicit Parameters(std::string_view query);

  // Throws Refusal (400) for one that is not among these.
  void allow_only(std::span<const std::string_view> names) const;
  // Throws Refusal (400) when it was given twice.
  std::optional<std::string_view> text(std::string_view name) const;
  // In decimal digits, within the bounds, else Refusal (400).
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t least,
                                      std::int64_t most) const;
  // 1 or 0; absent is 0.
  bool flag(std::string_view name) const;
  // Pages count from 1, which is also what there is without.
  std::int64_t page() const;
  const std::vector<std::pair<std::string, std::string>>& all() const { return all_; }

 private:
  std::vector<std::pair<std::string, std::string>> all_;
};

struct SplitTarget {
  std::vector<std::string> segments;  // decoded; / has none, and a / at the end makes an empty one
  std::string_view query;             // still encoded; of the text that was split
};

// Of /path?query, or of the same behind http://HOST. Throws Refusal (400).
SplitTarget split_target(std::string_view target);

}  // namespace shopmark::http
