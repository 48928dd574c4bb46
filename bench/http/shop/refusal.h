// A request that is not answered as asked.

#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shopmark::http {

// Thrown on the way to an answer; becomes {"error":CODE,"message":MESSAGE} with the status. The
// message is one line and names what is wrong, without the value.
class Refusal : public std::runtime_error {
 public:
  Refusal(unsigned status, std::string_view code, const std::string& message,
          std::vector<std::pair<std::string, std::string>> headers = {})
      : std::runtime_error(message), status_(status), code_(code), headers_(std::move(headers)) {}

  unsigned status() const { return status_; }
  const std::string& code() const { return code_; }
  const std::vector<std::pair<std::string, std::string>>& headers() const { return headers_; }

 private:
  unsigned status_;
  std::string code_;
  std::vector<std::pair<std::string, std::string>> headers_;
};

}  // namespace shopmark::http
