// A fixed number of threads, each with a handler of its own, behind a bounded queue.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/http/handler.h"

namespace shopmark::http {

// A request on its way to a worker and back. Between submit() and finished() it belongs to the
// pool.
class Work {
 public:
  virtual ~Work() = default;
  Request request;
  Response response;
  // The one who submitted it calls this, on his own thread.
  virtual void answered() = 0;
};

// Of what went wrong: not ready, or one too many.
Response unavailable(std::string_view code, std::string_view message);

class WorkerPool {
 public:
  struct Options {
    int workers = 1;
    std::size_t queue = 256;
    std::chrono::milliseconds first_retry{100};
    std::chrono::milliseconds last_retry{5'000};
    std::function<void(std::string_view)> log;
  };
  enum class Submitted { kYes, kQueueFull, kNoneReady };

  // `wake` is called on a worker's thread when finished() has something to give, once until then.
  WorkerPool(Options options, HandlerFactory factory, std::function<void()> wake);
  ~WorkerPool();

  void start();
  Submitted submit(std::shared_ptr<Work> work);
  // Replaces what `into` holds by all work that was answered since the last call.
  void finished(std::vector<std::shared_ptr<Work>>& into);

  int ready() const;
  std::size_t queued() const;
  std::uint64_t replaced() const;  // handlers that were no longer usable
  bool wait_until_ready(std::chrono::milliseconds most);

  // What waits is dropped. Returns when every worker has ended what it was in.
  void stop();

 private:
  struct Worker {
    std::thread thread;
    std::condition_variable wanted;
    std::shared_ptr<Work> work;  // handed over while it was idle
  };

  void run(Worker& worker);
  std::unique_ptr<Handler> make_handler(Worker& worker);
  std::shared_ptr<Work> next(Worker& worker);
  void answer(Handler& handler, Work& work) const;
  void give_back(std::shared_ptr<Work> work);
  void not_ready();

  const Options options_;
  const HandlerFactory factory_;
  const std::function<void()> wake_;

  mutable std::mutex mutex_;  // of all below
  std::condition_variable ready_changed_;
  std::deque<std::shared_ptr<Work>> queue_;
  std::vector<Worker*>
      idle_;  // the last to become so is the first to be wanted: its caches are warm
  std::vector<std::shared_ptr<Work>> finished_;
  int ready_ = 0;
  std::uint64_t replaced_ = 0;
  bool stopping_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace shopmark::http
