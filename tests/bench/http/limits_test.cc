// Time limits, and who vanishes.

#include <gmock/gmock.h>

#include <functional>
#include <string>
#include <thread>

#include "tests/bench/http/fake_shop.h"
#include "tests/bench/http/raw_client.h"

namespace shopmark::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;

const std::string kHalfABody = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf";

std::string metrics_of(RunningServer& running) {
  RawClient client(running.server.port());
  client.send(get("/metrics"));
  return client.answer().body;
}

// The connections that are open, but for that which asks, come down to none.
bool comes_to_rest(RunningServer& running) {
  for (int i = 0; i < 400; ++i) {
    const std::string metrics = metrics_of(running);
    if (metrics.find("shopmark_http_connections 1\n") != metrics.npos &&
        metrics.find("shopmark_http_in_flight 0\n") != metrics.npos) {
      return true;
    }
    std::this_thread::sleep_for(milliseconds(5));
  }
  return false;
}

TEST(Limits, ARequestThatStopsHalfwayIsToldSoAndClosed) {
  RunningServer running;
  for (const std::string& half : {std::string("GET / HT"), kHalfABody, get("/echo") + "GET"}) {
    RawClient client(running.server.port());
    client.send(half);
    Answer answer = client.answer();
    if (answer.status == 200) answer = client.answer();
    EXPECT_EQ(answer.status, 408U);
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_TRUE(client.closed(milliseconds(2000)));
  }
}

TEST(Limits, ARequestThatTricklesInDoesNotHoldTheLimitOff) {
  ServerOptions options = RunningServer::short_limits();
  options.idle_timeout = std::chrono::seconds(20);
  RunningServer running(options);
  for (const char* piece : {"A: b\r\n", "\r\n"}) {  // headers without end, and line ends before one
    RawClient client(running.server.port());
    if (piece[0] == 'A') client.send("GET / HTTP/1.1\r\nHost: x\r\n");
    const auto begun = steady_clock::now();
    bool taken = true;
    while (taken && steady_clock::now() - begun < std::chrono::seconds(5)) {
      taken = client.send(piece);
      std::this_thread::sleep_for(milliseconds(10));
    }
    EXPECT_FALSE(taken);
  }
}

TEST(Limits, WhoSaysNothingIsClosedWithoutAWord) {
  RunningServer running;
  RawClient silent(running.server.port());
  RawClient asked_once(running.server.port());
  asked_once.send(get("/number/1"));
  EXPECT_EQ(asked_once.answer().body, "1");
  EXPECT_TRUE(silent.closed());
  EXPECT_TRUE(asked_once.closed());
  EXPECT_EQ(silent.rest(), "");
  EXPECT_EQ(asked_once.rest(), "");
  EXPECT_THAT(metrics_of(running), HasSubstr("shopmark_http_timeouts_total{phase=\"idle\"} 2"));
}

TEST(Limits, AnAnswerThatNobodyTakesIsGivenUp) {
  RunningServer running;
  RawClient client(running.server.port(), 4096);
  client.send(get("/large"));
  const auto begun = steady_clock::now();
  while (metrics_of(running).find("timeouts_total{phase=\"writing\"} 1") == std::string::npos &&
         steady_clock::now() - begun < std::chrono::seconds(5)) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_TRUE(comes_to_rest(running));
  EXPECT_EQ(client.answer().status, 0U);  // not the whole of it
}

TEST(Limits, ASlowReaderWithinTheLimitGetsAll) {
  ServerOptions options = RunningServer::short_limits();
  options.write_timeout = std::chrono::seconds(20);
  RunningServer running(options);
  RawClient client(running.server.port(), 4096);
  client.send(get("/large") + get("/number/1"));
  std::this_thread::sleep_for(milliseconds(50));
  const Answer answer = client.answer(true, std::chrono::seconds(20));
  EXPECT_EQ(answer.body, std::string(FakeShop::kLarge_bytes, 'x'));
  EXPECT_EQ(client.answer().body, "1");
}

TEST(Limits, WhoeverVanishesLeavesNothingBehind) {
  RunningServer running;
  for (const std::string& sent :
       {std::string(), std::string("GE"), kHalfABody, get("/large"), get("/large") + get("/large"),
        get("/number/1") + get("/number/2"), get("/metrics")}) {
    for (const bool orderly : {true, false}) {
      RawClient client(running.server.port());
      client.send(sent);
      if (orderly) {
        client.close();
      } else {
        client.vanish();
      }
    }
  }
  EXPECT_TRUE(comes_to_rest(running));
}

TEST(Limits, WhoVanishesWhileAWorkerIsAtItIsForgotten) {
  RunningServer running;
  RawClient client(running.server.port());
  client.send(get("/wait"));
  running.shop.await_waiting(1);
  client.vanish();
  running.shop.release();
  EXPECT_TRUE(comes_to_rest(running));
}

TEST(Stop, WhatIsInWorkIsAnsweredAndNothingNewIsTaken) {
  RunningServer running;
  const auto port = running.server.port();
  RawClient in_work(port);
  RawClient queued(port);
  RawClient half_sent(port);
  RawClient idle(port);
  RawClient between(port);
  in_work.send(get("/wait") + get("/number/9"));
  running.shop.await_waiting(1);
  queued.send(get("/wait"));
  running.shop.await_waiting(2);
  between.send(get("/healthz"));
  EXPECT_EQ(between.answer().status, 200U);
  half_sent.send(kHalfABody);
  // Read by the loop before the next of its answers.
  EXPECT_THAT(metrics_of(running), HasSubstr("# EOF"));
  running.server.stop();
  EXPECT_TRUE(idle.closed());
  EXPECT_TRUE(between.closed());
  EXPECT_THROW(RawClient{port}, std::runtime_error);
  half_sent.send("-whole");
  running.shop.release();
  EXPECT_EQ(half_sent.answer().body, "POST /echo half-whole");
  for (RawClient* client : {&in_work, &queued}) {
    const Answer answer = client->answer();
    EXPECT_EQ(answer.body, "waited");
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_TRUE(client->closed());
  }
  running.server.wait();
}

TEST(Stop, WhatTakesTooLongIsGivenUp) {
  ServerOptions options = RunningServer::short_limits();
  options.read_timeout = std::chrono::seconds(20);
  RunningServer running(options);
  RawClient half_sent(running.server.port());
  RawClient in_work(running.server.port());
  half_sent.send(kHalfABody);
  in_work.send(get("/wait"));
  running.shop.await_waiting(1);
  running.server.stop();
  EXPECT_EQ(in_work.answer(true, std::chrono::seconds(3)).status, 0U);
  EXPECT_TRUE(half_sent.closed());
  running.shop.release();
  running.server.wait();
}

TEST(Stop, AServerThatNeverStartedOrStopsAtOnceEnds) {
  FakeShop shop;
  const Server never(RunningServer::short_limits(), shop.handlers());
  Server at_once(RunningServer::short_limits(), shop.handlers());
  at_once.start();
  at_once.stop();
  at_once.stop();
  at_once.wait();
  EXPECT_LE(shop.made, 2);
}

}  // namespace
}  // namespace shopmark::http
