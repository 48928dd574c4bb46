// Which server is there, and what stands behind it.

#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "bench/load/stage.h"

namespace shopmark::drive {

// No such server, or not one of ours. One line, without a secret.
class ServerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ParsedUrl {
  Endpoint endpoint;  // its first address, numeric
  std::string host;   // as the Host header has it
};

// http://HOST:PORT with nothing behind it. Throws std::invalid_argument that says what is wrong, or
// ServerError when the host is unknown.
ParsedUrl parse_url(const std::string& url);

// What GET /admin/info answers; asked once, waiting for at most ten seconds. Throws ServerError.
nlohmann::ordered_json read_server_info(const ParsedUrl& url, const std::string& token);

}  // namespace shopmark::drive
