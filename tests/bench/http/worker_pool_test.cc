// Workers and their handlers, seen from a client.

#include "bench/http/worker_pool.h"

#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/bench/http/fake_shop.h"
#include "tests/bench/http/raw_client.h"

namespace shopmark::http {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

ServerOptions with_workers(int workers) {
  ServerOptions options = RunningServer::short_limits();
  options.workers = workers;
  return options;
}

// Sends it until the answer has that status; the last answer.
Answer ask_until(RawClient& client, const std::string& request, unsigned status) {
  Answer answer;
  for (int i = 0; i < 500 && answer.status != status; ++i) {
    client.send(request);
    answer = client.answer();
    if (answer.status != status) std::this_thread::sleep_for(milliseconds(2));
  }
  return answer;
}

TEST(Workers, EachHasAHandlerAndAllWorkAtOnce) {
  RunningServer running(with_workers(5));
  EXPECT_EQ(running.shop.made, 5);
  std::vector<RawClient> clients;
  for (int i = 0; i < 5; ++i) clients.emplace_back(running.server.port()).send(get("/wait"));
  running.shop.await_waiting(5);
  running.shop.release();
  for (auto& client : clients) EXPECT_EQ(client.answer().body, "waited");
}

TEST(Workers, AHandlerThatCanAnswerNoMoreIsReplaced) {
  RunningServer running(with_workers(1));
  RawClient client(running.server.port());
  client.send(get("/break"));
  EXPECT_EQ(client.answer().status, 200U);
  EXPECT_EQ(ask_until(client, get("/number/4"), 200).body, "4");
  EXPECT_EQ(running.shop.made, 2);
  EXPECT_TRUE(running.log.has("can answer no more"));
  client.send(get("/metrics"));
  EXPECT_THAT(client.answer().body, HasSubstr("shopmark_http_handlers_replaced_total 1\n"));
}

TEST(Workers, WithoutAnyTheServerSaysSoUntilThereIsOne) {
  RunningServer running(with_workers(1));
  running.shop.refusals = 20;
  RawClient client(running.server.port());
  client.send(get("/break"));
  EXPECT_EQ(client.answer().status, 200U);
  client.send(get("/healthz") + get("/number/1"));
  Answer answer = client.answer();
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(answer.body, R"({"status":"starting"})");
  answer = client.answer();
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_EQ(ask_until(client, get("/healthz"), 200).body, R"({"status":"ok"})");
  EXPECT_TRUE(running.log.has("no database"));
}

TEST(Workers, OneWithoutAHandlerLeavesTheWorkToTheOthers) {
  RunningServer running(with_workers(2));
  running.shop.refusals = 1'000'000;
  RawClient client(running.server.port());
  client.send(get("/break"));
  EXPECT_EQ(client.answer().status, 200U);
  for (int i = 0; i < 20; ++i) {
    client.send(get("/number/" + std::to_string(i)) + get("/healthz"));
    EXPECT_EQ(client.answer().body, std::to_string(i));
    EXPECT_EQ(client.answer().status, 200U);
  }
  client.send(get("/metrics"));
  EXPECT_THAT(client.answer().body, HasSubstr("shopmark_http_workers_ready 1\n"));
}

TEST(Workers, WhatWaitsForTheLastOneIsToldWhenItIsGone) {
  ServerOptions options = with_workers(1);
  options.queue = 10;
  RunningServer running(options);
  running.shop.refusals = 1'000'000;
  RawClient waiting(running.server.port());
  waiting.send(get("/wait"));
  running.shop.await_waiting(1);
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) clients.emplace_back(running.server.port()).send(get("/break"));
  RawClient client(running.server.port());
  std::string metrics;
  while (metrics.find("shopmark_http_queue_depth 3\n") == metrics.npos) {
    client.send(get("/metrics"));
    metrics = client.answer().body;
    ASSERT_NE(metrics, "");
  }
  running.shop.release();
  int told = 0;
  for (auto& its : clients) {
    const Answer answer = its.answer();
    told += answer.status == 503;
    EXPECT_NE(answer.status, 0U);
  }
  EXPECT_EQ(told, 2);
}

TEST(Workers, ThoseThatCannotStartEndWithTheServer) {
  FakeShop shop;
  shop.refusals = 1'000'000;
  ServerOptions options = with_workers(3);
  Log log;
  options.log = log.writer();
  Server server(options, shop.handlers());
  server.start();
  EXPECT_FALSE(server.wait_until_ready(milliseconds(20)));
  RawClient client(server.port());
  client.send(get("/healthz"));
  EXPECT_EQ(client.answer().body, R"({"status":"starting"})");
}

}  // namespace
}  // namespace shopmark::http
