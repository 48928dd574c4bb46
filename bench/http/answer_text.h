// An answer's head as it goes over the wire.

#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "bench/http/handler.h"

namespace shopmark::http {

// "Wed, 02 Dec 2026 17:00:00 GMT", written anew only when the second changes.
class DateText {
 public:
  void refresh(std::time_t now);
  std::string_view text() const { return text_; }

 private:
  std::time_t at_ = -1;
  std::string text_;
};

// `connection`: the value of that header, empty for none. The Content-Length is the body's, also
// where none is sent (HEAD); a status without a body has none.
void append_head(std::string& out, const Response& response, std::string_view date,
                 std::string_view connection);

// Whether an answer of this status may have a body at all.
bool may_have_body(unsigned status);

}  // namespace shopmark::http
