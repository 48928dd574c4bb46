// The driver's requests, answered by the shop itself: every check of an answer holds on every
// engine.

#include "bench/load/questions.h"

#include <cctype>

#include "bench/load/routes.h"
#include "tests/bench/http/test_shop.h"

namespace shopmark::http {
namespace {

using drive::Question;
using drive::Route;
using drive::Session;

class QuestionsOfShopTest : public ShopTest {
 protected:
  static const drive::Questions& questions() {
    // Of the store that ShopTest seeds.
    static const drive::Questions questions(
        seed::Profile{"small", seed::profile("smoke").products, 100, 200}, "shop",
        std::string(kToken), "test");
    return questions;
  }

  // A request's text, as the transport would hand it over.
  static Request read(const std::string& text) {
    Request request;
    const std::size_t head_end = text.find("\r\n\r\n");
    request.body = text.substr(head_end + 4);
    std::size_t begin = text.find("\r\n") + 2;
    request.method = text.substr(0, text.find(' '));
    request.target = text.substr(request.method.size() + 1,
                                 begin - 2 - request.method.size() - 1 - sizeof("HTTP/1.1"));
    while (begin < head_end + 2) {
      const std::size_t end = text.find("\r\n", begin);
      const std::size_t colon = text.find(": ", begin);
      std::string name = text.substr(begin, colon - begin);
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      request.headers.emplace_back(name, text.substr(colon + 2, end - colon - 2));
      begin = end + 2;
    }
    return request;
  }

  // What is wrong with the answer; "right" when nothing is.
  std::string ask(const Question& question, Session& session) {
    std::string text;
    questions().write(question, session, false, text);
    Response response = handler().handle(read(text));
    const std::string body = response.body;
    const auto why = questions().check(question, session, response.status, response.body);
    return why ? *why + "\n" + text + "\n" + body.substr(0, 500) : "right";
  }
};

TEST_F(QuestionsOfShopTest, EveryAnswerIsRight) {
  const drive::RouteParameters parameters;
  for (const drive::RouteInfo& route : drive::routes()) {
    // The transport answers /healthz itself.
    if (route.after || route.route == Route::kHealthz || route.route == Route::kPath) continue;
    SCOPED_TRACE(route.name);
    for (std::uint32_t choice = 0; choice < 25; ++choice) {
      Session session;
      ASSERT_EQ(ask({route.route, &parameters, choice, choice}, session), "right");
    }
  }
}

TEST_F(QuestionsOfShopTest, DeepPagesHaveTheirFacets) {
  drive::RouteParameters parameters;
  parameters.facets = true;
  for (std::uint32_t choice = 0; choice < 5; ++choice) {
    Session session;
    EXPECT_EQ(ask({Route::kCatalogDeepPage, &parameters, choice, 1}, session), "right");
  }
}

TEST_F(QuestionsOfShopTest, ASessionGoesFromCartToReceipt) {
  drive::RouteParameters parameters;
  parameters.coupon_percent = 50;
  int placed = 0;
  for (std::uint32_t visit = 1000; visit < 1030; ++visit) {
    Session session;
    for (const Route step : {Route::kAddToCart, Route::kCart, Route::kCheckoutForm,
                             Route::kCheckout, Route::kReceipt}) {
      ASSERT_EQ(ask({step, &parameters, visit, visit}, session), "right") << drive::info(step).name;
      if (session.cart.empty() || (step == Route::kCheckout && session.order.empty())) break;
      if (step == Route::kReceipt) ++placed;
    }
  }
  EXPECT_GT(placed, 20);
}

}  // namespace
}  // namespace shopmark::http
