#include "bench/load/driver.h"

#include <poll.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <csignal>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bench/load/schedule.h"

namespace shopmark::drive {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::int64_t kSpin = 200'000;
// A stop, a time limit and a pause are looked after so often.
constexpr std::int64_t kTick = 20'000'000;
constexpr std::int64_t kReportEvery = 1'000'000'000;
constexpr std::int64_t kDrainWhenStopped = 1'000'000'000;
// Between two looks at the clock.
constexpr int kMostSends = 16;
constexpr int kMostHandlers = 64;
// Room for a closed loop's records is made beforehand; what is not used takes no memory.
constexpr double kFastestPerSecond = 150'000;
constexpr double kMostRoom = 8e6;

// Unsynchronized: one thread has it all.
constexpr int kOneThread = BOOST_ASIO_CONCURRENCY_HINT_UNSAFE;

}  // namespace

Driver::Driver(const Scenario& scenario, std::uint64_t seed, std::uint64_t first_visit,
               const Questions& questions, const asio::ip::tcp::endpoint& server,
               const std::atomic<bool>& stop)
    : scenario_(scenario),
      server_(server),
      stop_(stop),
      measured_from_(to_nanoseconds(scenario.warmup_s)),
      until_(to_nanoseconds(scenario.warmup_s + scenario.duration_s)),
      give_up_at_(until_ + to_nanoseconds(scenario.drain_s)),
      book_(scenario, questions, schedule(scenario.scripts, seed, first_visit, until_)),
      io_(kOneThread),
      work_(asio::make_work_guard(io_)),
      timer_(io_),
      open_(io_, clock_, scenario, book_, server),
      closed_(io_, clock_, scenario, seed, first_visit + book_.size(), until_, book_, server) {
  if (!closed_.empty()) {
    const double room =
        std::min(kMostRoom, kFastestPerSecond * (scenario.warmup_s + scenario.duration_s));
    book_.reserve(book_.size() + static_cast<std::size_t>(room));
  }
}

void Driver::check_server() {
  asio::ip::tcp::socket socket(io_);
  error_code error;
  socket.open(server_.protocol(), error);
  if (!error) socket.non_blocking(true, error);
  if (!error) socket.connect(server_, error);
  if (error == asio::error::in_progress || error == asio::error::would_block) {
    pollfd ready{socket.native_handle(), POLLOUT, 0};
    const auto most_ms = static_cast<int>(std::min(scenario_.timeout_s * 1e3, 1e6));
    int failure = ETIMEDOUT;
    if (::poll(&ready, 1, std::max(most_ms, 1)) == 1) {
      socklen_t size = sizeof(failure);
      ::getsockopt(socket.native_handle(), SOL_SOCKET, SO_ERROR, &failure, &size);
    }
    error.assign(failure, boost::system::system_category());
  }
  if (error && outcome_of(error) == Outcome::kConnection) {
    throw std::runtime_error(absl::StrCat("cannot connect to ", server_.address().to_string(),
                                          " port ", server_.port(), ": ", error.message()));
  }
}

StageResult Driver::run(const std::function<void(const StageProgress&)>& progress) {
  std::signal(SIGPIPE, SIG_IGN);
  clock_ = Clock();
  closed_.start(clock_.now());
  next_report_ = kReportEvery;
  while (true) {
    const bool more_is_due = take_up_due();
    const std::int64_t now = clock_.now();
    open_.expire(now);
    closed_.expire(now);
    report(now, progress);
    if (finished(now)) break;
    wait(more_is_due);
  }
  const std::int64_t end = clock_.now();
  open_.give_up(end);
  closed_.give_up(end);
  next_report_ = 0;
  report(end, progress);
  StageResult result = book_.close(std::min(measured_from_, until_), until_);
  result.stopped = stopped_;
  judge_rate(result);
  return result;
}

bool Driver::take_up_due() {
  for (int i = 0; i < kMostSends; ++i) {
    const std::optional<std::int64_t> due = open_.next_due();
    if (!due) return false;
    const std::int64_t now = clock_.now();
    if (*due > now) return false;
    open_.take_up(now);
  }
  return true;
}

void Driver::wait(bool more_is_due) {
  const std::int64_t now = clock_.now();
  std::int64_t wake = now + kTick;
  if (const std::optional<std::int64_t> due = open_.next_due()) {
    wake = std::min(wake, *due - kSpin);
  }
  if (more_is_due || wake <= now) {
    poll();
    return;
  }
  // One that is set for earlier wakes the loop for nothing, which costs less than setting it anew.
  if (timer_at_ == 0 || timer_at_ > wake) {
    timer_at_ = wake;
    timer_.expires_at(clock_.at(wake));
    timer_.async_wait([this](const error_code& error) {
      if (!error) timer_at_ = 0;
    });
  }
  io_.run_one();
  poll();
}

void Driver::poll() {
  for (int i = 0; i < kMostHandlers && io_.poll_one() > 0; ++i) {
  }
}

bool Driver::finished(std::int64_t now) {
  if (stop_.load(std::memory_order_relaxed) && !stopped_ && now < until_) {
    stopped_ = true;
    until_ = now;
    give_up_at_ = std::min(give_up_at_, now + kDrainWhenStopped);
    open_.stop();
    closed_.stop(now);
  }
  if (now >= give_up_at_ && now >= until_) return true;
  return now >= until_ && !open_.next_due() && open_.in_flight() + closed_.in_flight() == 0;
}

void Driver::report(std::int64_t now, const std::function<void(const StageProgress&)>& progress) {
  if (now < next_report_) return;
  next_report_ = now + kReportEvery;
  if (!progress) return;
  StageProgress state;
  state.elapsed_s = static_cast<double>(now) / 1e9;
  state.planned_s = scenario_.warmup_s + scenario_.duration_s;
  state.answered = book_.answered();
  state.failed = book_.failed();
  progress(state);
}

void Driver::judge_rate(StageResult& result) const {
  std::int64_t sends = 0;
  std::int64_t late = 0;
  for (const Record& record : result.records) {
    if (!record.measured || record.sent == kNever || !book_.script_of(record).arrival.open()) {
      continue;
    }
    ++sends;
    if (record.late() > kLate) ++late;
  }
  if (sends == 0) return;
  const double share = static_cast<double>(late) / static_cast<double>(sends);
  result.late_percent = 100 * share;
  result.held_rate = result.late_percent <= scenario_.most_late_percent;
}

}  // namespace shopmark::drive
