#include "bench/load/stage.h"

#include <atomic>
#include <boost/asio/ip/address.hpp>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "bench/load/driver.h"

namespace shopmark::drive {

namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

void stop_stages() noexcept { stop.store(true, std::memory_order_relaxed); }

StageResult run_stage(const Scenario& scenario, std::uint64_t seed, std::uint64_t first_visit,
                      const Questions& questions, const Endpoint& endpoint,
                      const std::function<void(const StageProgress&)>& progress) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(endpoint.address, error);
  if (error) throw std::runtime_error(absl::StrCat("no numeric address: ", endpoint.address));
  Driver driver(scenario, seed, first_visit, questions, {address, endpoint.port}, stop);
  driver.check_server();
  return driver.run(progress);
}

}  // namespace shopmark::drive
