// What every route works with.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/http/handler.h"
#include "bench/http/shop/json.h"
#include "bench/http/shop/target.h"
#include "fixtures/fixture.h"

namespace shopmark::http {

// The same for all workers.
struct ShopSecrets {
  std::string admin_token_digest;  // SHA-256; empty: the staff's routes are shut
  std::string receipt_secret;
  int workers = 0;
};

// One worker's shop. Refers to the secrets.
struct Shop {
  Shop(Fixture opened, const ShopSecrets& shared)
      : fixture(std::move(opened)), secrets(shared), engine(fixture.info()) {}

  store::Store& store() { return fixture.store(); }
  // The moment at which the shop stands, Unix seconds.
  std::int64_t now() const { return fixture.mark().clock; }

  Fixture fixture;
  const ShopSecrets& secrets;
  engine::EngineInfo engine;
  JsonWriter json;      // for a route's answer; left empty
  JsonWriter envelope;  // for what MCP puts around one
};

// A request on its way through a route. Refers to the request.
struct Call {
  Shop& shop;
  const Request& request;
  std::vector<std::string> names;  // what stands in the path for each * of the route's
  Parameters parameters;

  JsonWriter& json() const { return shop.json; }
  // 200 with what was written.
  Response answer() const {
    Response response;
    response.body = shop.json.take();
    return response;
  }
};

}  // namespace shopmark::http
