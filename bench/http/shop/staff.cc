// What the shop's staff looks at.

#include <chrono>
#include <string>

#include "bench/http/shop/refusal.h"
#include "bench/http/shop/routes.h"
#include "bench/run/build_info.h"
#include "bench/run/target_context.h"

namespace shopmark::http {

namespace {

constexpr std::size_t kLongestText = 160;       // bytes of a number or an address
constexpr std::int64_t kLatest = 253402300799;  // the last second of the year 9999
constexpr std::int64_t kMostProducts = 100;

// The first that is said and is no empty text.
std::string_view text_asked_for(Call& call) {
  const auto text = call.parameters.text("q");
  if (!text || text->empty()) throw Refusal(400, "bad_parameter", "q: is missing or empty");
  if (text->size() > kLongestText) {
    throw Refusal(400, "bad_parameter",
                  "q: must have at most " + std::to_string(kLongestText) + " bytes");
  }
  return *text;
}

std::int64_t a_year_before(std::int64_t moment) {
  using std::chrono::days;
  using std::chrono::floor;
  using std::chrono::seconds;
  const std::chrono::sys_seconds then{seconds(moment)};
  const std::chrono::sys_days day = floor<days>(then);
  std::chrono::year_month_day date(day);
  date -= std::chrono::years(1);
  if (!date.ok()) date = date.year() / date.month() / std::chrono::last;  // 29 February
  const std::chrono::sys_seconds result = std::chrono::sys_days(date) + (then - day);
  return result.time_since_epoch().count();
}

store::Period period_of(Call& call) {
  store::Period period;
  period.until = call.parameters.integer("until", 0, kLatest).value_or(call.shop.now());
  period.from = call.parameters.integer("from", 0, kLatest).value_or(a_year_before(period.until));
  if (period.from >= period.until) {
    throw Refusal(400, "bad_parameter", "from: must lie before until");
  }
  return period;
}

void write_period(JsonWriter& json, store::Period period) {
  json.member("from", period.from);
  json.member("until", period.until);
}

// Every count of the months added up.
void write_totals(JsonWriter& json, const std::vector<store::MonthRevenue>& months) {
  json.begin_object();
  store::MonthRevenue::fields([&](const char* name, auto member) {
    if constexpr (std::is_same_v<decltype(member), std::int64_t store::MonthRevenue::*>) {
      std::int64_t sum = 0;
      for (const store::MonthRevenue& month : months) sum += month.*member;
      json.member(name, sum);
    }
  });
  json.end_object();
}

}  // namespace

Response order_list(Call& call) {
  const std::int64_t page = call.parameters.page();
  JsonWriter& json = call.json();
  json.begin_object();
  json.member("page", page);
  json.member("orders", call.shop.store().orders().list(page));
  json.end_object();
  return call.answer();
}

Response order_search(Call& call) {
  const std::string_view text = text_asked_for(call);
  store::Orders& orders = call.shop.store().orders();
  const bool is_address = text.find('@') != std::string_view::npos;
  JsonWriter& json = call.json();
  json.begin_object();
  json.member("query", text);
  json.member("orders", is_address ? orders.search_by_email(text) : orders.search_by_number(text));
  json.end_object();
  return call.answer();
}

Response order(Call& call) {
  const auto detail = call.shop.store().orders().detail(call.names[0]);
  if (!detail) throw Refusal(404, "no_order", "there is no such order");
  call.json().value(*detail);
  return call.answer();
}

Response customer_search(Call& call) {
  const std::string_view prefix = text_asked_for(call);
  JsonWriter& json = call.json();
  json.begin_object();
  json.member("query", prefix);
  json.member("customers", call.shop.store().customers().search(prefix));
  json.end_object();
  return call.answer();
}

Response summary_report(Call& call) {
  const store::Period period = period_of(call);
  const auto months = call.shop.store().reports().revenue_by_month(period);
  JsonWriter& json = call.json();
  json.begin_object();
  write_period(json, period);
  json.member("months", months);
  json.key("totals");
  write_totals(json, months);
  json.end_object();
  return call.answer();
}

Response product_report(Call& call) {
  const store::Period period = period_of(call);
  const std::int64_t limit = call.parameters.integer("limit", 1, kMostProducts).value_or(10);
  JsonWriter& json = call.json();
  json.begin_object();
  write_period(json, period);
  json.member("products", call.shop.store().reports().top_products(period, limit));
  json.end_object();
  return call.answer();
}

Response info(Call& call) {
  Fixture& fixture = call.shop.fixture;
  nlohmann::ordered_json target = {{"name", fixture.target().name}};
  target.update(bench::target_context(fixture.mark(), call.shop.engine));
  const bench::BuildInfo build = bench::build_info();
  const nlohmann::ordered_json json = {
      {"target", target},
      {"workers", call.shop.secrets.workers},
      {"build",
       {{"commit", build.commit}, {"type", build.build_type}, {"compiler", build.compiler}}}};
  Response response;
  response.body = json.dump();
  return response;
}

}  // namespace shopmark::http
