// What a client sees of the transport, through real sockets.

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

constexpr std::string_view kGood = R"({"status":"ok"})";

TEST(Server, AnswersARequestWithHeadAndBody) {
  RunningServer running;
  RawClient client(running.server.port());
  client.send("POST /echo?a=%2B HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
  const Answer answer = client.answer();
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.body, "POST /echo?a=%2B hello");
  EXPECT_EQ(answer.header("Content-Type"), "text/plain");
  EXPECT_THAT(answer.header("Date"), HasSubstr(" GMT"));
  EXPECT_EQ(answer.header("Connection"), "");
}

TEST(Server, AnswersPipelinedRequestsInTheirOrder) {
  RunningServer running;
  RawClient client(running.server.port());
  std::string requests;
  for (int i = 0; i < 300; ++i) {
    requests += i % 3 == 0 ? get("/healthz") : get("/number/" + std::to_string(i));
  }
  std::thread sender([&] { client.send(requests); });
  for (int i = 0; i < 300; ++i) {
    const Answer answer = client.answer();
    ASSERT_EQ(answer.status, 200U) << i;
    EXPECT_EQ(answer.body, i % 3 == 0 ? std::string(kGood) : std::to_string(i));
  }
  sender.join();
}

TEST(Server, LongAnswersKeepTheirPlaceAmongPipelinedOnes) {
  RunningServer running;
  RawClient client(running.server.port());
  client.send(get("/healthz") + get("/metrics") + get("/healthz") + get("/large") +
              get("/number/1"));
  EXPECT_EQ(client.answer().body, kGood);
  EXPECT_THAT(client.answer().body, HasSubstr("# EOF"));
  EXPECT_EQ(client.answer().body, kGood);
  EXPECT_EQ(client.answer().body.size(), FakeShop::kLarge_bytes);
  EXPECT_EQ(client.answer().body, "1");
}

TEST(Server, ABodyThatNobodyLooksAtDoesNotBreakTheNextRequest) {
  RunningServer running;
  RawClient client(running.server.port());
  const std::string body(60'000, 'G');
  for (const char* target : {"/number/7", "/nowhere", "/throw", "/healthz"}) {
    client.send("POST " + std::string(target) +
                " HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n" + body + get("/number/8"));
    EXPECT_NE(client.answer().status, 0U) << target;
    EXPECT_EQ(client.answer().body, "8") << target;
  }
}

TEST(Server, ReadsARequestByteByByte) {
  RunningServer running;
  RawClient client(running.server.port());
  for (const char byte :
       std::string("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "3\r\nabc\r\n0\r\n\r\n")) {
    ASSERT_TRUE(client.send({&byte, 1}));
  }
  EXPECT_EQ(client.answer().body, "POST /echo abc");
}

TEST(Server, AHeadRequestHasTheLengthAndNoBody) {
  RunningServer running;
  RawClient client(running.server.port());
  for (const auto& [target, length] :
       {std::pair("/number/12345", "5"), {"/healthz", "15"}, {"/large", "4000000"}}) {
    client.send("HEAD " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n\r\n" + get("/number/2"));
    const Answer answer = client.answer(false);
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.header("Content-Length"), length);
    EXPECT_EQ(client.answer().body, "2") << target;
  }
}

TEST(Server, A204HasNeitherLengthNorBody) {
  RunningServer running;
  RawClient client(running.server.port());
  client.send(get("/empty") + get("/number/2"));
  const Answer answer = client.answer();
  EXPECT_EQ(answer.status, 204U);
  EXPECT_EQ(answer.header("Content-Length"), "");
  EXPECT_EQ(client.answer().body, "2");
}

TEST(Server, AClientThatWaitsForTheWordGetsItBeforeItsBody) {
  RunningServer running;
  RawClient client(running.server.port());
  client.send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(client.answer(false).status, 100U);
  client.send("abc");
  EXPECT_EQ(client.answer().body, "POST /echo abc");
  // With the body there already there is no word.
  client.send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_EQ(client.answer().body, "POST /echo abc");
  // Nor where the body will not be taken.
  client.send(
      "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 999999\r\n\r\n");
  EXPECT_EQ(client.answer().status, 413U);
  EXPECT_TRUE(client.closed());
}

TEST(Server, AnOldOrClosingClientIsClosedAfterItsAnswer) {
  RunningServer running;
  for (const char* request : {"GET /number/1 HTTP/1.0\r\n\r\n",
                              "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"}) {
    RawClient client(running.server.port());
    client.send(request);
    const Answer answer = client.answer();
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_TRUE(client.closed(milliseconds(1000)));
  }
}

TEST(Server, AClientThatEndedItsSideIsStillAnswered) {
  RunningServer running;
  RawClient client(running.server.port());
  client.send(get("/number/3"));
  client.half_close();
  EXPECT_EQ(client.answer().body, "3");
  EXPECT_TRUE(client.closed(milliseconds(1000)));
}

TEST(Server, WhatIsRefusedIsToldWholeAndClosed) {
  RunningServer running;
  const std::vector<std::pair<unsigned, std::string>> cases = {
      {400, "nonsense\r\n\r\n"},
      {400, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"},  // a client that wants TLS
      {400, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
      {413, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n" +
                std::string(500'000, 'x')},
      {414, get("/" + std::string(10'000, 'a'))},
      {431, get("/", {"A: " + std::string(30'000, 'a')})},
  };
  for (const auto& [status, bytes] : cases) {
    RawClient client(running.server.port());
    client.send(bytes);
    const Answer answer = client.answer();
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_THAT(answer.body, HasSubstr(R"({"error":")"));
    EXPECT_TRUE(client.closed(milliseconds(1000)));
    EXPECT_FALSE(client.was_reset()) << status;
  }
  EXPECT_EQ(running.shop.handled, 0);
}

TEST(Server, AnUnknownMethodIsTheShopsAndARefusedOneOfItsOwnSaysWhichItTakes) {
  RunningServer running;
  RawClient client(running.server.port());
  client.send("BREW /echo HTTP/1.1\r\nHost: x\r\n\r\nDELETE /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.answer().body, "BREW /echo ");
  const Answer refused = client.answer();
  EXPECT_EQ(refused.status, 405U);
  EXPECT_EQ(refused.header("Allow"), "GET, HEAD");
}

TEST(Server, WhatAHandlerThrowsIsLoggedAndNotTold) {
  RunningServer running;
  RawClient client(running.server.port());
  client.send(get("/throw") + get("/split") + get("/throw_number") + get("/number/1"));
  for (int i = 0; i < 3; ++i) {
    const Answer answer = client.answer();
    EXPECT_EQ(answer.status, 500U);
    EXPECT_THAT(answer.body, ::testing::Not(HasSubstr("secret")));
    EXPECT_EQ(answer.header("X-Other"), "");
  }
  EXPECT_EQ(client.answer().body, "1");
  EXPECT_TRUE(running.log.has("secret reason"));
  EXPECT_TRUE(running.log.has("control character"));
}

TEST(Server, WithAFullQueueOneMoreIsToldToComeBackInItsPlace) {
  RunningServer running;  // two workers, two may wait
  std::vector<RawClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back(running.server.port()).send(get("/wait"));
    if (i < 2) running.shop.await_waiting(i + 1);
  }
  RawClient client(running.server.port());
  Answer answer;
  // The last two may be on their way to the queue still.
  do {
    client.send(get("/healthz") + get("/metrics"));
    EXPECT_EQ(client.answer().body, kGood);
    answer = client.answer();
    ASSERT_NE(answer.status, 0U);
  } while (answer.body.find("shopmark_http_queue_depth 2") == answer.body.npos);
  client.send(get("/healthz") + get("/number/5") + get("/healthz") + get("/number/5"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client.answer().body, kGood);
    answer = client.answer();
    EXPECT_EQ(answer.status, 503U);
    EXPECT_EQ(answer.header("Retry-After"), "1");
  }
  running.shop.release();
  for (auto& waiting : clients) EXPECT_EQ(waiting.answer().body, "waited");
  client.send(get("/number/5"));
  EXPECT_EQ(client.answer().body, "5");
}

TEST(Server, AConnectionTooManyIsToldSo) {
  ServerOptions options = RunningServer::short_limits();
  options.most_connections = 3;
  options.idle_timeout = std::chrono::seconds(20);
  RunningServer running(options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(running.server.port()).send(get("/healthz"));
    EXPECT_EQ(clients.back().answer().status, 200U);
  }
  for (int i = 0; i < 40; ++i) {
    RawClient one_more(running.server.port());
    one_more.send(get("/healthz"));
    const unsigned status = one_more.answer().status;
    EXPECT_EQ(status, i == 0 ? 503U : status);
    EXPECT_NE(status, 200U);
    EXPECT_TRUE(one_more.closed());
  }
  clients.front().send(get("/healthz"));
  EXPECT_EQ(clients.front().answer().status, 200U);
  clients.clear();
  // Their ends have to be noticed first.
  unsigned status = 0;
  for (int i = 0; i < 100 && status != 200; ++i) {
    RawClient client(running.server.port());
    client.send(get("/healthz"));
    status = client.answer().status;
  }
  EXPECT_EQ(status, 200U);
}

TEST(Server, AnAddressInUseOrNoneIsNamed) {
  RunningServer running;
  ServerOptions options;
  options.port = running.server.port();
  for (const char* address : {"127.0.0.1", "localhost", "192.0.2.1"}) {
    options.address = address;
    try {
      const Server second(options, running.shop.handlers());
      ADD_FAILURE() << address;
    } catch (const ServerError& error) {
      EXPECT_THAT(error.what(), HasSubstr(address));
    }
  }
}

}  // namespace
}  // namespace shopmark::http
