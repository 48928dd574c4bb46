// Whatever clients send and however they leave: no crash, no leak, no hang past the limits, and the
// others are served.

#include "tests/bench/http/bad_clients.h"

#include <gmock/gmock.h>

#include <iostream>
#include <string>

#include "tests/bench/http/fake_shop.h"
#include "tests/bench/http/raw_client.h"

namespace shopmark::http {
namespace {

const std::string kPost = "POST /echo HTTP/1.1\r\nHost: x\r\n";

BadClients clients() {
  BadClients clients;
  clients.requests = {
      get("/number/1"),
      get("/healthz"),
      get("/metrics"),
      get("/echo?a=%2B&b=%20", {"Accept: */*", "User-Agent: a test", "Cookie: a=b; c=d"}),
      "HEAD /number/1 HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /number/1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
      kPost +
          "Content-Type: application/json\r\nContent-Length: 21\r\n\r\n{\"a\":\"b\",\"c\":[1,2,3]}",
      kPost + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
      get("/number/1") + get("/number/2") + get("/number/3"),
  };
  clients.good_request = get("/number/424242");
  clients.good_answer = "424242";
  return clients;
}

TEST(BadClients, FiveThousandOfThemHarmNobody) {
  FakeShop shop;
  const BadClientsReport report = run_bad_clients(clients(), shop.handlers());
  std::cout << report.sent << " sent, " << report.answered << " answered, " << report.refused
            << " of those refused; " << report.good_served << " good ones served\n";
  EXPECT_THAT(report.problems, ::testing::IsEmpty());
  EXPECT_EQ(report.sent, 5'000);
  EXPECT_GT(report.refused, 1'000);
  EXPECT_GT(report.answered - report.refused, 100);
  EXPECT_GT(report.good_served, 20);
}

TEST(BadClients, TheSameSeedAndNumberIsTheSameRequest) {
  BadClients its = clients();
  const std::string request = bad_request(its, 77);
  EXPECT_EQ(bad_request(its, 77), request);
  EXPECT_NE(bad_request(its, 78), request);
  its.seed = 2;
  EXPECT_NE(bad_request(its, 77), request);
}

}  // namespace
}  // namespace shopmark::http
