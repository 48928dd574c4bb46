#include "bench/http/shop_handler.h"

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bench/http/shop/routes.h"
#include "bench/http/shop/secrets.h"
#include "bench/http/shop/shop.h"

namespace shopmark::http {

namespace {

// What all handlers of a server have in common.
struct Common {
  engine::Target target;
  FixtureOptions fixture;
  ShopSecrets secrets;
  std::function<void(std::string_view)> log;
};

Response failure(unsigned status, std::string_view code, std::string_view message,
                 std::string_view route) {
  JsonWriter json;
  json.begin_object();
  json.member("error", code);
  json.member("message", message);
  json.end_object();
  Response response;
  response.status = status;
  response.body = json.take();
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  response.route = route;
  return response;
}

class ShopHandler final : public Handler {
 public:
  explicit ShopHandler(std::shared_ptr<const Common> common)
      : common_(std::move(common)),
        shop_(Fixture::open(common_->target, common_->fixture), common_->secrets) {}

  Response handle(const Request& request) override {
    std::string_view route = "unknown";
    try {
      return answer(shop_, request, route);
    } catch (const engine::Error& error) {
      common_->log(std::string(route) + ": " + error.what());
      return failure_of(error, route);
    } catch (const std::exception& error) {
      // What such an error says may hold a value.
      common_->log(std::string(route) + ": " + typeid(error).name());
    }
    return failure(500, "internal", "the server failed; its log says where", route);
  }

  bool usable() const override { return usable_; }

 private:
  Response failure_of(const engine::Error& error, std::string_view route) {
    if (!error.connection_usable() || error.kind() == engine::ErrorKind::kConnection) {
      usable_ = false;
      return failure(503, "database_unavailable", "the database does not answer", route);
    }
    if (error.kind() == engine::ErrorKind::kTimeout ||
        error.kind() == engine::ErrorKind::kRetryable) {
      return failure(503, "busy", "other transactions were in the way for too long", route);
    }
    return failure(500, "internal", "the server failed; its log says where", route);
  }

  std::shared_ptr<const Common> common_;
  Shop shop_;
  bool usable_ = true;
};

void log_to_standard_error(std::string_view line) {
  std::fprintf(stderr, "shopmark-server: %.*s\n", static_cast<int>(line.size()), line.data());
}

}  // namespace

HandlerFactory shop_handlers(ShopOptions options) {
  if (options.receipt_secret.empty()) throw std::invalid_argument("no secret to sign receipts");
  auto common = std::make_shared<Common>();
  common->target = std::move(options.target);
  common->fixture = std::move(options.fixture);
  common->fixture.keep_visits = true;
  if (!options.admin_token.empty()) {
    common->secrets.admin_token_digest = sha256_hex(options.admin_token);
  }
  common->secrets.receipt_secret = std::move(options.receipt_secret);
  common->secrets.workers = options.workers;
  common->log = options.log ? std::move(options.log) : log_to_standard_error;
  return [common = std::shared_ptr<const Common>(std::move(common))] {
    return std::make_unique<ShopHandler>(common);
  };
}

}  // namespace shopmark::http
