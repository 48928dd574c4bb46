// Whether what a server sent is whole HTTP/1.1 answers, one behind the other.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace shopmark::http {

struct CheckedAnswers {
  std::vector<unsigned> statuses;  // of those before the problem
  std::string problem;             // the first, in one line; empty when there is none
};

// `may_lack_body`: a request may have been a HEAD. Bodies of JSON must be JSON.
CheckedAnswers check_answers(std::string_view bytes, bool may_lack_body, std::size_t most_body);

}  // namespace shopmark::http
