// One stage from its start to its end: an event loop that sends each request when it is due.
//
// A sleep may end late by what the system takes to wake a thread, so that the loop sleeps until
// kSpin before the next request is due and looks around without sleeping from then on.

#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>

#include "bench/load/book.h"
#include "bench/load/closed_loop.h"
#include "bench/load/connection.h"
#include "bench/load/open_loop.h"
#include "bench/load/questions.h"
#include "bench/load/scenario.h"
#include "bench/load/stage.h"

namespace shopmark::drive {

// One thread, which may not be changed. Used once.
class Driver {
 public:
  // All must outlive it; `stop` may be set at any time.
  Driver(const Scenario& scenario, std::uint64_t seed, std::uint64_t first_visit,
         const Questions& questions, const boost::asio::ip::tcp::endpoint& server,
         const std::atomic<bool>& stop);

  // Throws std::runtime_error when it cannot connect, though this machine could.
  void check_server();
  StageResult run(const std::function<void(const StageProgress&)>& progress);

 private:
  // Sends what is due; whether there is more that is.
  bool take_up_due();
  void wait(bool more_is_due);
  void poll();
  bool finished(std::int64_t now);
  void report(std::int64_t now, const std::function<void(const StageProgress&)>& progress);
  void judge_rate(StageResult& result) const;

  const Scenario& scenario_;
  const boost::asio::ip::tcp::endpoint server_;
  const std::atomic<bool>& stop_;
  const std::int64_t measured_from_;
  std::int64_t until_;
  std::int64_t give_up_at_;
  bool stopped_ = false;
  Book book_;
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer timer_;
  std::int64_t timer_at_ = 0;  // 0: not set
  std::int64_t next_report_ = 0;
  Clock clock_;
  OpenLoop open_;
  ClosedLoop closed_;
};

}  // namespace shopmark::drive
