#include "tests/bench/http/bad_clients.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <random>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "tests/bench/http/answer_check.h"
#include "tests/bench/http/raw_client.h"

namespace shopmark::http {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kClosedWithin = std::chrono::seconds(10);

// No distribution: they differ from library to library.
class Draw {
 public:
  Draw(std::uint64_t seed, int number)
      : engine_(seed * 1'000'003 + static_cast<std::uint64_t>(number)) {}
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }
  char byte() { return static_cast<char>(below(256)); }

 private:
  std::mt19937_64 engine_;
};

// In front of the empty line.
void add_lines(std::string& request, std::string_view lines) {
  const std::size_t end = request.find("\r\n\r\n");
  request.insert(end == request.npos ? request.size() : end + 2, lines);
}

// A line about the body's length that is wrong, contradicts another, or is somebody's trick.
std::string_view framing_trick(Draw& draw) {
  static constexpr std::string_view kTricks[] = {
      "Content-Length: 3\r\nContent-Length: 30\r\n",
      "Content-Length: 0\r\nContent-Length: 0\r\n",
      "Content-Length: 99999999999999999999\r\n",
      "Content-Length: -5\r\n",
      "Content-Length: 5, 6\r\n",
      "Content-Length: 0x10\r\n",
      "Content-Length:\r\n",
      "Content-Length: 70000\r\n",
      "Content-Length: 7\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding: chunked\r\nContent-Length: 7\r\n",
      "Transfer-Encoding: chunked\r\n",
      "Transfer-Encoding: xchunked\r\n",
      "Transfer-Encoding : chunked\r\n",
      "Transfer-Encoding: chunked, chunked\r\n",
      "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding:\tchunked\r\n",
      "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
      "Transfer-Encoding: chunked\r\n\r\n5\r\nab\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n0;a=\"\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nContent-Length: 4\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n\r\n\r\n",
      "Expect: 100-continue\r\nContent-Length: 10\r\n",
      "Expect: 200-maybe\r\n",
      "Connection: upgrade\r\nUpgrade: websocket\r\n",
      "Host: a\r\nHost: b\r\n",
      "Connection: ,,,close,,\r\n",
      " folded: x\r\n",
      "X: a\r\n b\r\n\tc\r\n",
      "X: a\rb\r\n",
      "X: a\nb: c\r\n",
      ": no name\r\n",
  };
  return kTricks[draw.below(std::size(kTricks))];
}

std::string large_headers(Draw& draw) {
  std::string lines;
  if (draw.below(2) == 0) return lines.append("X: ").append(draw.below(40'000), 'a').append("\r\n");
  const std::size_t count = draw.below(4'000);
  for (std::size_t i = 0; i < count; ++i) lines += "A: b\r\n";
  return lines;
}

// Another value of a parameter in the query.
void spoil_parameter(std::string& request, Draw& draw) {
  static constexpr std::string_view kValues[] = {"",
                                                 "-1",
                                                 "0",
                                                 "1e9",
                                                 "9223372036854775807",
                                                 "9223372036854775808",
                                                 "99999999999999999999999999",
                                                 "%00",
                                                 "a%00b",
                                                 "%ff%fe",
                                                 "%c3%28",
                                                 "%ed%a0%80",
                                                 "%",
                                                 "%2",
                                                 "+",
                                                 "%2B%2B",
                                                 "%25%25%5f_",
                                                 "'%20OR%20''='",
                                                 "%22%5c%0a",
                                                 ":::",
                                                 "a&a=b&a=c",
                                                 "1&page=2"};
  const std::size_t line_end = std::min(request.find("\r\n"), request.size());
  const std::size_t equals = request.find('=');
  if (equals >= line_end) return;
  const std::size_t end = std::min(request.find_first_of("& ", equals), line_end);
  request.replace(equals + 1, end - equals - 1, kValues[draw.below(std::size(kValues))]);
}

// Another value of a member in the body, whose length is told right.
void spoil_member(std::string& request, Draw& draw) {
  static constexpr std::string_view kValues[] = {"null",
                                                 "true",
                                                 "-1",
                                                 "0",
                                                 "1.5",
                                                 "1e400",
                                                 "99999999999999999999999",
                                                 "9223372036854775807",
                                                 "\"\"",
                                                 "\"\\u0000\"",
                                                 "\"\\ud800\"",
                                                 "\"\xff\"",
                                                 "\"'; DROP TABLE orders; --\"",
                                                 "[]",
                                                 "{}",
                                                 "{\"a\":",
                                                 "nul"};
  const std::size_t body = request.find("\r\n\r\n");
  if (body == request.npos || body + 4 == request.size()) return;
  std::vector<std::size_t> colons;
  for (std::size_t at = body; (at = request.find(':', at + 1)) != request.npos;) {
    colons.push_back(at);
  }
  if (colons.empty()) return;
  const std::size_t colon = colons[draw.below(colons.size())];
  const std::size_t end = std::min(request.find_first_of(",}", colon), request.size());
  std::string value(kValues[draw.below(std::size(kValues))]);
  if (draw.below(8) == 0) value.assign(draw.below(30'000), '[');
  if (draw.below(8) == 0) {
    value.assign(draw.below(30'000) + 2, 'a');
    value.front() = value.back() = '"';
  }
  request.replace(colon + 1, end - colon - 1, value);
  const std::string length = "Content-Length: ";
  const std::size_t at = request.find(length);
  if (at == request.npos || at > body) return;
  const std::size_t digits = at + length.size();
  request.replace(digits, request.find("\r\n", digits) - digits,
                  std::to_string(request.size() - request.find("\r\n\r\n") - 4));
}

void happen(std::string& request, Draw& draw) {
  const std::size_t at = draw.below(request.size() + 1);
  switch (draw.below(13)) {
    case 0:
      for (std::size_t i = draw.below(8) + 1; i > 0 && !request.empty(); --i) {
        char& byte = request[draw.below(request.size())];
        byte = static_cast<char>(byte ^ (1 << draw.below(8)));
      }
      return;
    case 1:
      request.resize(at);
      return;
    case 2:
      for (std::size_t i = draw.below(20) + 1; i > 0; --i) request.insert(at, 1, draw.byte());
      return;
    case 3:
      request.erase(at, draw.below(30) + 1);
      return;
    case 4:  // a piece of it again
      request.insert(at, request.substr(draw.below(request.size() + 1), draw.below(200)));
      return;
    case 5:
      add_lines(request, framing_trick(draw));
      return;
    case 6:
      add_lines(request, large_headers(draw));
      return;
    case 7: {  // a target that is long, or not text
      const std::size_t space = request.find(' ');
      if (space == request.npos) return;
      static constexpr std::string_view kTargets[] = {"/%00",
                                                      "/%",
                                                      "/%zz",
                                                      "/..%2f..%2fetc/passwd",
                                                      "*",
                                                      "/?page=9223372036854775807",
                                                      "/\xff\xfe",
                                                      "?",
                                                      "//",
                                                      "http://",
                                                      "/#x",
                                                      "/?q=%c3%28",
                                                      "/?page=-1&&&=",
                                                      "",
                                                      "/ /",
                                                      "http://a:99999/x",
                                                      "/\t",
                                                      "/?q=+%2B+"};
      request.insert(space + 1, kTargets[draw.below(std::size(kTargets))]);
      if (draw.below(4) == 0) request.insert(space + 2, draw.below(20'000), 'a');
      return;
    }
    case 8:
    case 9:
      spoil_parameter(request, draw);
      return;
    case 10:
    case 11:
      spoil_member(request, draw);
      return;
    default:  // nothing to do with HTTP
      request.clear();
      for (std::size_t i = draw.below(400); i > 0; --i) request += draw.byte();
      return;
  }
}

class Run {
 public:
  Run(const BadClients& clients, HandlerFactory handlers)
      : clients_(clients), server_(limits(), std::move(handlers)) {}

  BadClientsReport all() {
    server_.start();
    if (!server_.wait_until_ready(std::chrono::seconds(30))) {
      problem("the server does not become ready");
      return report_;
    }
    // With it open, what engines open for themselves too.
    served("before");
    std::this_thread::sleep_for(milliseconds(50));
    const std::size_t with_server = open_descriptors();
    std::atomic<bool> over = false;
    std::thread good([&] {
      while (!over) served("meanwhile");
    });
    std::vector<std::thread> bad;
    for (int i = 0; i < clients_.threads; ++i) {
      bad.emplace_back([&] {
        for (int number = next_++; number < clients_.count; number = next_++) one(number);
      });
    }
    for (auto& thread : bad) thread.join();
    over = true;
    good.join();
    comes_to_rest();
    // The last one's end has to be noticed still.
    for (int i = 0; i < 500 && open_descriptors() > with_server; ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    if (open_descriptors() > with_server) problem("descriptors were left open");
    served("afterwards");
    server_.stop();
    server_.wait();
    return report_;
  }

 private:
  static ServerOptions limits() {
    ServerOptions options;
    options.workers = 4;
    options.queue = 100;
    options.read_timeout = milliseconds(400);
    options.idle_timeout = milliseconds(400);
    options.write_timeout = milliseconds(2'000);
    options.linger_timeout = milliseconds(200);
    // Of a handler's failure the 500 tells.
    options.log = [](std::string_view) {};
    return options;
  }

  static std::size_t open_descriptors() {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

  void problem(const std::string& what) {
    const std::lock_guard lock(mutex_);
    report_.problems.push_back(what);
  }

  void served(const std::string& when) {
    RawClient client(server_.port());
    client.send(clients_.good_request);
    const Answer answer = client.answer(true, kClosedWithin);
    if (answer.status != 200 || answer.body.find(clients_.good_answer) == answer.body.npos) {
      return problem("a good request " + when + " was answered " + std::to_string(answer.status) +
                     ": " + answer.body.substr(0, 200));
    }
    const std::lock_guard lock(mutex_);
    ++report_.good_served;
  }

  void one(int number) {
    Draw draw(clients_.seed + 1, number);
    const std::string bytes = bad_request(clients_, number);
    try {
      RawClient client(server_.port());
      const std::size_t manner = draw.below(100);
      const std::size_t half = bytes.empty() ? 0 : draw.below(bytes.size());
      if (manner < 10) {
        client.send(std::string_view(bytes).substr(0, half));
        client.vanish();
      } else if (manner < 20) {
        client.send(bytes);
        client.vanish();
      } else if (manner < 25) {
        client.send(std::string_view(bytes).substr(0, half));
        client.close();
      } else {
        client.send(std::string_view(bytes).substr(0, half));
        if (manner < 26) trickle(client, std::string_view(bytes).substr(half));
        if (manner >= 26) client.send(std::string_view(bytes).substr(half));
        // A few say nothing more and wait for the server's limits.
        if (manner < 98) client.half_close();
        const bool closed = client.closed(kClosedWithin);
        if (!closed) problem(std::to_string(number) + ": was not closed");
        judge(number, bytes, client.rest());
      }
    } catch (const std::exception& error) {
      problem(std::to_string(number) + ": " + error.what());
    }
    const std::lock_guard lock(mutex_);
    ++report_.sent;
  }

  // Longer than the server waits.
  static void trickle(RawClient& client, std::string_view bytes) {
    const auto until = std::chrono::steady_clock::now() + limits().read_timeout + milliseconds(100);
    for (const char byte : bytes) {
      if (std::chrono::steady_clock::now() > until || !client.send({&byte, 1})) return;
      std::this_thread::sleep_for(milliseconds(5));
    }
  }

  // None at all is well: there may have been no whole request, or a reset took it back.
  void judge(int number, const std::string& request, const std::string& answer) {
    const CheckedAnswers checked =
        check_answers(answer, request.find("HEAD") != request.npos, clients_.most_body);
    if (!checked.problem.empty()) problem(std::to_string(number) + ": " + checked.problem);
    for (const unsigned status : checked.statuses) {
      if (status >= 500) {
        problem(std::to_string(number) + ": was answered " + std::to_string(status) + " " +
                answer.substr(0, 500));
      }
    }
    if (checked.statuses.empty()) return;
    const std::lock_guard lock(mutex_);
    ++report_.answered;
    report_.refused += std::any_of(checked.statuses.begin(), checked.statuses.end(),
                                   [](unsigned status) { return status >= 400; });
  }

  // No connection is left but that which asks.
  void comes_to_rest() {
    std::string metrics;
    for (int i = 0; i < 500; ++i) {
      RawClient client(server_.port());
      client.send(get("/metrics"));
      metrics = client.answer().body;
      if (metrics.find("shopmark_http_connections 1\n") != metrics.npos &&
          metrics.find("shopmark_http_in_flight 0\n") != metrics.npos) {
        return;
      }
      std::this_thread::sleep_for(milliseconds(10));
    }
    problem("connections are left open");
  }

  const BadClients& clients_;
  std::atomic<int> next_ = 0;
  std::mutex mutex_;
  BadClientsReport report_;
  Server server_;
};

}  // namespace

std::string bad_request(const BadClients& clients, int number) {
  Draw draw(clients.seed, number);
  std::string request = clients.requests[draw.below(clients.requests.size())];
  for (std::size_t i = draw.below(3) + 1; i > 0; --i) happen(request, draw);
  // A good one behind it, which must not be taken for its body, nor the other way round.
  if (draw.below(5) == 0) request += clients.good_request;
  return request;
}

BadClientsReport run_bad_clients(const BadClients& clients, HandlerFactory handlers) {
  return Run(clients, std::move(handlers)).all();
}

}  // namespace shopmark::http
