#include "bench/http/worker_pool.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace shopmark::http {

namespace {

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// What would end the head early, or make two of one.
bool headers_are_sound(const Response& response) {
  return !has_control(response.content_type) &&
         std::none_of(response.headers.begin(), response.headers.end(), [](const auto& header) {
           return has_control(header.first) || has_control(header.second);
         });
}

}  // namespace

Response unavailable(std::string_view code, std::string_view message) {
  Response response;
  response.status = 503;
  response.body = R"({"error":")";
  response.body.append(code).append(R"(","message":")").append(message).append("\"}");
  response.headers.emplace_back("Retry-After", "1");
  response.route = "unavailable";
  return response;
}

WorkerPool::WorkerPool(Options options, HandlerFactory factory, std::function<void()> wake)
    : options_(std::move(options)), factory_(std::move(factory)), wake_(std::move(wake)) {}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::start() {
  for (int i = 0; i < options_.workers; ++i) workers_.push_back(std::make_unique<Worker>());
  for (auto& worker : workers_) {
    worker->thread = std::thread([this, &its = *worker] { run(its); });
  }
}

WorkerPool::Submitted WorkerPool::submit(std::shared_ptr<Work> work) {
  Worker* wanted = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (ready_ == 0 || stopping_) return Submitted::kNoneReady;
    if (idle_.empty()) {
      if (queue_.size() >= options_.queue) return Submitted::kQueueFull;
      queue_.push_back(std::move(work));
      return Submitted::kYes;
    }
    wanted = idle_.back();
    idle_.pop_back();
    wanted->work = std::move(work);
  }
  wanted->wanted.notify_one();
  return Submitted::kYes;
}

void WorkerPool::finished(std::vector<std::shared_ptr<Work>>& into) {
  into.clear();
  const std::lock_guard lock(mutex_);
  into.swap(finished_);
}

int WorkerPool::ready() const {
  const std::lock_guard lock(mutex_);
  return ready_;
}

std::size_t WorkerPool::queued() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

std::uint64_t WorkerPool::replaced() const {
  const std::lock_guard lock(mutex_);
  return replaced_;
}

bool WorkerPool::wait_until_ready(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  return ready_changed_.wait_for(lock, most, [&] { return ready_ == options_.workers; });
}

void WorkerPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    queue_.clear();
    for (auto& worker : workers_) worker->wanted.notify_one();
  }
  for (auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.join();
  }
}

void WorkerPool::run(Worker& worker) {
  while (auto handler = make_handler(worker)) {
    while (auto work = next(worker)) {
      answer(*handler, *work);
      const bool usable = handler->usable();
      // The worker is counted out before its client hears of it.
      if (!usable) not_ready();
      give_back(std::move(work));
      if (!usable) break;
    }
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
  }
}

// Null when the pool stops first.
std::unique_ptr<Handler> WorkerPool::make_handler(Worker& worker) {
  auto wait = options_.first_retry;
  for (std::string last_reason;;) {
    std::string reason;
    try {
      auto handler = factory_();
      const std::lock_guard lock(mutex_);
      ++ready_;
      ready_changed_.notify_all();
      return handler;
    } catch (const std::exception& error) {
      reason = error.what();
    } catch (...) {
      reason = "what the factory threw is no exception";
    }
    if (reason != last_reason) options_.log("no handler for a worker, trying again: " + reason);
    last_reason = std::move(reason);
    std::unique_lock lock(mutex_);
    if (worker.wanted.wait_for(lock, wait, [&] { return stopping_; })) return nullptr;
    wait = std::min(2 * wait, options_.last_retry);
  }
}

// Null when the pool stops.
std::shared_ptr<Work> WorkerPool::next(Worker& worker) {
  std::unique_lock lock(mutex_);
  if (!stopping_ && !queue_.empty()) {
    auto work = std::move(queue_.front());
    queue_.pop_front();
    return work;
  }
  if (stopping_) return nullptr;
  idle_.push_back(&worker);
  worker.wanted.wait(lock, [&] { return worker.work != nullptr || stopping_; });
  return std::move(worker.work);
}

void WorkerPool::answer(Handler& handler, Work& work) const {
  std::string reason;
  try {
    work.response = handler.handle(work.request);
    if (headers_are_sound(work.response)) return;
    reason = "a header of the answer holds a control character";
  } catch (const std::exception& error) {
    reason = error.what();
  } catch (...) {
    reason = "what the handler threw is no exception";
  }
  options_.log("500: " + reason);
  work.response = Response{};
  work.response.status = 500;
  work.response.body = R"({"error":"internal","message":"the server failed; its log says why"})";
  work.response.route = "failed";
}

void WorkerPool::give_back(std::shared_ptr<Work> work) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = finished_.empty();
    finished_.push_back(std::move(work));
  }
  if (first) wake_();
}

// Without any worker, what waits would wait for nobody.
void WorkerPool::not_ready() {
  std::deque<std::shared_ptr<Work>> nobodys;
  {
    const std::lock_guard lock(mutex_);
    ++replaced_;
    if (--ready_ == 0) nobodys.swap(queue_);
  }
  options_.log("a handler can answer no more; another is made");
  for (auto& work : nobodys) {
    work->response = unavailable("not_ready", "no worker is ready");
    give_back(std::move(work));
  }
}

}  // namespace shopmark::http
