// What is asked of each route, and whether an answer is right: requests whose parameters are drawn
// from the seeded store, and the checks of what comes back. Nothing here knows a socket.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bench/load/routes.h"
#include "bench/load/scenario.h"
#include "seed/generator.h"

namespace shopmark::drive {

// What the later steps of a session need of the earlier answers.
struct Session {
  std::string cart;
  std::int64_t pieces = 0;
  std::int64_t variant_id = 0;  // that was added last
  std::string shipping_method;  // the first that the checkout form offers
  std::string order;
  std::string receipt;  // path and query
  std::int64_t total_cents = 0;
};

// One request: which, and which of its parameters. Equal ones ask for the same.
struct Question {
  Route route = Route::kHome;
  const RouteParameters* parameters = nullptr;  // of its scenario's entry
  std::uint32_t choice = 0;                     // which of the store's rows; any number will do
  std::uint64_t visit = 0;  // its session, unique in a run: what its idempotency key is made of
};

// Immutable once made; may be shared by threads.
class Questions {
 public:
  // `host` as the Host header has it; `token` the bearer token, empty without one. `run_id` makes
  // idempotency keys that no other run has: letters, digits, - and _, at most 40. Reads the schema
  // and makes the rows: about a second for `standard`. Throws schema::SchemaError.
  Questions(const seed::Profile& profile, std::string host, std::string token, std::string run_id);
  ~Questions();

  // Appends the whole HTTP/1.1 request to `out`; with `close`, with "Connection: close".
  void write(const Question& question, const Session& session, bool close, std::string& out) const;

  // Why the answer is not what was asked for, in one line without values of the shop; absent when
  // it is right. `body` may be changed. What the later steps need is put into the session.
  // Out of stock is a right answer to add_to_cart and checkout, after which the session ends:
  // session.cart or session.order is then empty.
  std::optional<std::string> check(const Question& question, Session& session, unsigned status,
                                   std::string& body) const;

 private:
  struct Store;
  std::unique_ptr<const Store> store_;
};

}  // namespace shopmark::drive
