// The shop behind the transport: its routes, on the repositories of one target.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "bench/http/handler.h"
#include "fixtures/engine/engine.h"
#include "fixtures/fixture.h"

namespace shopmark::http {

struct ShopOptions {
  // A seeded store. What shoppers wrote to it stays (FixtureOptions::keep_visits is set).
  engine::Target target;
  FixtureOptions fixture;
  // Who knows it may use the staff's routes and MCP; empty: nobody may.
  std::string admin_token;
  std::string receipt_secret;  // signs receipts; must not be empty
  int workers = 0;             // for /admin/info
  // Takes one line, without any value, about an answer that failed; called on any worker's thread.
  // Default: standard error.
  std::function<void(std::string_view)> log;
};

// Each handler opens the target for itself. Throws std::invalid_argument without a secret; the
// factory throws what Fixture::open throws.
HandlerFactory shop_handlers(ShopOptions options);

}  // namespace shopmark::http
