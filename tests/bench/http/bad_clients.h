// Thousands of clients that send what was a request before something happened to it, and some good
// ones among them. Each bad request is a function of (seed, its number) alone.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/http/handler.h"
#include "bench/http/server.h"

namespace shopmark::http {

struct BadClients {
  // Good requests with which things happen.
  std::vector<std::string> requests;
  // Asked all the time by others, whose answer has to be 200 with this in its body.
  std::string good_request;
  std::string good_answer;
  std::size_t most_body = 256 * 1024;  // of any answer: nothing gives all there is
  std::uint64_t seed = 1;
  int count = 5'000;
  int threads = 8;
};

struct BadClientsReport {
  int sent = 0;
  int answered = 0;     // with at least a status
  int refused = 0;      // of those, with a 4xx
  int good_served = 0;  // while all that went on
  // One line each, with the request's number: a 5xx, an answer that is none or too long, a
  // connection that was not closed in time, a good request that was not answered, what was left
  // open afterwards.
  std::vector<std::string> problems;
};

// The bytes of one of them.
std::string bad_request(const BadClients& clients, int number);

// Runs them against a server with these handlers in this process. Its time limits are short.
BadClientsReport run_bad_clients(const BadClients& clients, HandlerFactory handlers);

}  // namespace shopmark::http
