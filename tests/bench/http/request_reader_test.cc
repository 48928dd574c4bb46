#include "bench/http/request_reader.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace shopmark::http {
namespace {

constexpr ReadLimits kLimits{400, 100, 50};

struct Read {
  Reading reading = Reading::kMore;
  Request request;
  Refusal refusal;
  bool keep_alive = false;
  std::string left;
};

// As the bytes come, `step` at a time.
Read read(std::string_view bytes, std::size_t step) {
  boost::beast::flat_buffer buffer(kLimits.header_bytes + 512);
  RequestReader reader(kLimits);
  Read result;
  while (result.reading == Reading::kMore && !bytes.empty()) {
    const std::string_view piece =
        bytes.substr(0, std::min(step, buffer.max_size() - buffer.size()));
    std::memcpy(buffer.prepare(piece.size()).data(), piece.data(), piece.size());
    buffer.commit(piece.size());
    bytes.remove_prefix(piece.size());
    result.reading = reader.read(buffer, result.request);
  }
  result.refusal = reader.refusal();
  if (result.reading == Reading::kWhole) result.keep_alive = reader.keep_alive();
  result.left.assign(static_cast<const char*>(buffer.cdata().data()), buffer.size());
  result.left += bytes;
  return result;
}

std::string post(std::string_view lines, std::string_view body) {
  std::string request = "POST /a HTTP/1.1\r\nHost: x\r\n";
  return request.append(lines).append("\r\n").append(body);
}

TEST(RequestReader, ARequestIsTheSameInWhateverPiecesItComes) {
  const std::string bytes = post("Content-Length: 5\r\nX-Thing: A b \r\n", "hello");
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    const Read its = read(bytes, step);
    ASSERT_EQ(its.reading, Reading::kWhole) << step;
    EXPECT_EQ(its.request.method, "POST");
    EXPECT_EQ(its.request.target, "/a");
    EXPECT_EQ(its.request.body, "hello");
    EXPECT_EQ(its.request.header("x-thing"), "A b");
    EXPECT_TRUE(its.keep_alive);
    EXPECT_EQ(its.left, "");
  }
}

TEST(RequestReader, AChunkedBodyIsPutTogetherAndItsTrailersAreNoHeaders) {
  const std::string bytes = post("Transfer-Encoding: chunked\r\n",
                                 "3\r\nabc\r\n5;ext=1\r\ndefgh\r\n0\r\nX-Late: 1\r\n\r\nNEXT");
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    const Read its = read(bytes, step);
    ASSERT_EQ(its.reading, Reading::kWhole) << step;
    EXPECT_EQ(its.request.body, "abcdefgh");
    EXPECT_EQ(its.request.header("x-late"), "");
    EXPECT_EQ(its.left, "NEXT");
  }
}

TEST(RequestReader, WhatBelongsToTheNextRequestStays) {
  const Read its = read("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\n", 1000);
  EXPECT_EQ(its.request.target, "/1");
  EXPECT_EQ(its.left, "GET /2 HTTP/1.1\r\n");
}

TEST(RequestReader, ALineEndTooManyBeforeARequestIsSkipped) {
  EXPECT_EQ(read("\r\n\r\nGET /1 HTTP/1.1\r\nHost: x\r\n\r\n", 1).request.target, "/1");
}

TEST(RequestReader, ATargetWithSchemeAndHostIsThePathOfIt) {
  EXPECT_EQ(read("GET http://x:80/a?b HTTP/1.1\r\nHost: x\r\n\r\n", 1000).request.target, "/a?b");
  EXPECT_EQ(read("GET HTTP://x HTTP/1.1\r\nHost: x\r\n\r\n", 1000).request.target, "/");
  EXPECT_EQ(read("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 1000).request.target, "*");
}

TEST(RequestReader, TheVersionAndTheConnectionHeaderSayWhetherItIsKept) {
  EXPECT_FALSE(read("GET / HTTP/1.0\r\n\r\n", 1000).keep_alive);
  EXPECT_TRUE(read("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 1000).keep_alive);
  EXPECT_FALSE(read("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 1000).keep_alive);
}

TEST(RequestReader, WhatIsNoRequestIsRefusedInWhateverPiecesItComes) {
  const std::string host = "Host: x\r\n";
  const std::vector<std::pair<unsigned, std::string>> cases = {
      {400, "GET / HTTP/1.1\r\n\r\n"},  // no host
      {400, "GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n"},
      {400, "G@T / HTTP/1.1\r\n" + host + "\r\n"},
      {400, "GET\r\n\r\n"},
      {400, "GET / HTTP/9.9\r\n" + host + "\r\n"},
      {400, "GET / HTTP/2.0\r\n" + host + "\r\n"},
      {400, "GET x HTTP/1.1\r\n" + host + "\r\n"},
      {400, "GET * HTTP/1.1\r\n" + host + "\r\n"},
      {400, "GET / HTTP/1.1\r\nBad Name: x\r\n" + host + "\r\n"},
      {400, "GET / HTTP/1.1\r\nName : x\r\n" + host + "\r\n"},
      {400, "GET / HTTP/1.1\r\nName: \x01\r\n" + host + "\r\n"},
      {400, std::string("GET /\0 HTTP/1.1\r\n\r\n", 19)},
      {400, post("Content-Length: -1\r\n", "")},
      {400, post("Content-Length: 1x\r\n", "a")},
      {400, post("Content-Length: 18446744073709551616\r\n", "a")},
      {400, post("Content-Length: 3\r\nContent-Length: 4\r\n", "abcd")},
      {400, post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "abc")},
      {400, post("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "abc")},
      {400, post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {400, post("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {400, post("Transfer-Encoding: chunked\r\n", "zz\r\nab\r\n")},
      {400, post("Transfer-Encoding: chunked\r\n", "2\r\nabXX0\r\n\r\n")},
      {400, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {400, post("Transfer-Encoding: gzip\r\n", "abc")},
      {400, post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")},
      {400, post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n")},
      {417, post("Expect: a miracle\r\nContent-Length: 1\r\n", "a")},
      {413, post("Content-Length: 51\r\n", "")},
      {413, post("Content-Length: 9223372036854775807\r\n", "")},
      {413, post("Transfer-Encoding: chunked\r\n", "20\r\n" + std::string(32, 'a') + "\r\n20\r\n")},
      {414, "GET /" + std::string(120, 'a') + " HTTP/1.1\r\n" + host + "\r\n"},
      {414, "GET /" + std::string(2000, 'a')},
      {431, "GET / HTTP/1.1\r\nA: " + std::string(2000, 'a')},
      {431, post("Transfer-Encoding: chunked\r\n", "1;" + std::string(2000, 'a'))},
  };
  for (const auto& [status, bytes] : cases) {
    for (const std::size_t step : {1U, 7U, 300U}) {
      const Read its = read(bytes, step);
      EXPECT_EQ(its.reading, Reading::kRefused) << bytes;
      EXPECT_EQ(its.refusal.status, status) << bytes << "\nby " << step;
    }
  }
}

TEST(RequestReader, ManySmallHeadersAreTooLargeAsOneLargeIs) {
  std::string bytes = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 100; ++i) bytes += "A: b\r\n";
  for (const std::size_t step : {1U, 6U, 300U, 5000U}) {
    const Read its = read(bytes, step);
    EXPECT_EQ(its.reading, Reading::kRefused) << step;
    EXPECT_EQ(its.refusal.status, 431U) << step;
  }
}

}  // namespace
}  // namespace shopmark::http
