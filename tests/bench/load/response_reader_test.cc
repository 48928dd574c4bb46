#include "bench/load/response_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace shopmark::drive {
namespace {

using testing::ElementsAre;

struct Read {
  std::vector<std::string> responses;  // status and body
  bool keeps = true;                   // the last
  bool problem = false;
  bool open = false;  // the connection ended within a response
};

bool operator==(const Read& one, const Read& other) {
  return one.responses == other.responses && one.keeps == other.keeps &&
         one.problem == other.problem && one.open == other.open;
}

std::ostream& operator<<(std::ostream& out, const Read& read) {
  for (const std::string& response : read.responses) out << "[" << response << "] ";
  return out << (read.keeps ? "kept" : "closed") << (read.problem ? ", a problem" : "")
             << (read.open ? ", cut off" : "");
}

// `bytes` in pieces of `size`, then the connection's end.
Read read(std::string_view bytes, std::size_t size) {
  Read result;
  ResponseReader reader;
  const auto collect = [&] {
    if (!reader.whole()) return;
    result.responses.push_back(std::to_string(reader.status()) + " " + reader.body());
    result.keeps = reader.keeps();
    reader.reset();
  };
  for (std::size_t at = 0; at < bytes.size() && reader.problem() == nullptr; at += size) {
    std::string_view piece = bytes.substr(at, size);
    while (!piece.empty() && reader.problem() == nullptr) {
      piece.remove_prefix(reader.take(piece));
      collect();
    }
  }
  result.problem = reader.problem() != nullptr;
  if (!result.problem) {
    reader.end();
    collect();
    result.open = reader.begun();
  }
  return result;
}

struct Case {
  const char* what;
  std::string bytes;
  Read expected;
};

std::vector<Case> valid() {
  return {
      {"a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", {{"200 hello"}}},
      {"no reason", "HTTP/1.1 200 \r\ncontent-length:5\r\n\r\nhello", {{"200 hello"}}},
      {"blanks around a value",
       "HTTP/1.1 200 OK\r\nContent-Length: \t 5 \t\r\n\r\nhello",
       {{"200 hello"}}},
      {"the same length twice",
       "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nContent-Length: 5\r\n\r\nhello",
       {{"200 hello"}}},
      {"empty", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", {{"200 "}}},
      {"204 without a body", "HTTP/1.1 204 No Content\r\n\r\n", {{"204 "}}},
      {"304 whose length is the other answer's",
       "HTTP/1.1 304 Not Modified\r\nContent-Length: 1000\r\n\r\n",
       {{"304 "}}},
      {"chunks",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n "
       "world\r\n0\r\n\r\n",
       {{"200 hello world"}}},
      {"chunks with extensions and trailers",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nTrailer: X-Sum\r\n\r\n"
       "00A ;name=\"value\"\r\n0123456789\r\n0\r\nX-Sum: 45\r\nContent-Length: 7\r\n\r\n",
       {{"200 0123456789"}}},
      {"no chunk but the last",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       {{"200 "}}},
      {"a chunk that holds line ends",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n\r\n\r\n\r\n0\r\n\r\n",
       {{"200 \r\n\r\n"}}},
      {"until the end", "HTTP/1.1 200 OK\r\n\r\nall of it", {{"200 all of it"}, false}},
      {"empty until the end", "HTTP/1.1 200 OK\r\n\r\n", {{"200 "}, false}},
      {"an encoding that is not chunked ends with the connection",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nbytes",
       {{"200 bytes"}, false}},
      {"interim ones first",
       "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
       "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
       {{"200 ok"}}},
      {"an interim one with a length has no body",
       "HTTP/1.1 102 Processing\r\nContent-Length: 9\r\n\r\n"
       "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
       {{"200 ok"}}},
      {"two in one read",
       "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
       "HTTP/1.1 503 Service Unavailable\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb\r\n0\r\n\r\n",
       {{"200 a", "503 b"}}},
      {"one that ends the connection",
       "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 2\r\n\r\nok",
       {{"200 ok"}, false}},
      {"HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", {{"200 ok"}, false}},
      {"HTTP/1.0 that stays",
       "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
       {{"200 ok"}}},
      {"cut off in its head", "HTTP/1.1 200 OK\r\nContent-Le", {{}, true, false, true}},
      {"cut off in its body",
       "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
       {{}, true, false, true}},
      {"cut off in its chunks",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
       {{}, true, false, true}},
      {"nothing", "", {{}}},
  };
}

std::vector<Case> malformed() {
  const Read problem{{}, true, true, false};
  const auto head = [](const std::string& header) {
    return "HTTP/1.1 200 OK\r\n" + header + "\r\n\r\nbody";
  };
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  return {
      {"no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", problem},
      {"another version", "HTTP/2.0 200 OK\r\n\r\n", problem},
      {"a status of two digits", "HTTP/1.1 20 OK\r\n\r\n", problem},
      {"a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", problem},
      {"a status out of range", "HTTP/1.1 600 OK\r\n\r\n", problem},
      {"an empty line first", "\r\nHTTP/1.1 200 OK\r\n\r\n", problem},
      {"lines without CR", "HTTP/1.1 200 OK\nContent-Length: 0\n\n", problem},
      {"another protocol", "HTTP/1.1 101 Switching Protocols\r\n\r\n", problem},
      {"a header without a colon", head("Content-Length"), problem},
      {"a blank before the colon", head("Content-Length : 4"), problem},
      {"a folded header", head("X: a\r\n b"), problem},
      {"a control character", head(std::string("X: a\0b", 6)), problem},
      {"a length that is none", head("Content-Length: four"), problem},
      {"a negative length", head("Content-Length: -4"), problem},
      {"an empty length", head("Content-Length:"), problem},
      {"a length past 64 bits", head("Content-Length: 18446744073709551620"), problem},
      {"two lengths", head("Content-Length: 4\r\nContent-Length: 5"), problem},
      {"a length and chunks", head("Content-Length: 4\r\nTransfer-Encoding: chunked"), problem},
      {"chunks, then something else", head("Transfer-Encoding: chunked, gzip"), problem},
      {"chunks in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       problem},
      {"a chunk without a size", chunked + "\r\nhello", problem},
      {"a chunk's size with a sign", chunked + "+5\r\nhello\r\n0\r\n\r\n", problem},
      {"a chunk's size past 64 bits", chunked + "10000000000000005\r\nhello\r\n", problem},
      {"a chunk longer than it says", chunked + "4\r\nhello\r\n0\r\n\r\n", problem},
      {"a trailer without a name", chunked + "0\r\n: x\r\n\r\n", problem},
      {"a head without an end", head("X: " + std::string(70'000, 'x')), problem},
  };
}

TEST(ResponseReader, ReadsAnyValidResponseOnceHoweverItIsCut) {
  for (const Case& one : valid()) {
    for (std::size_t size = 1; size <= std::max<std::size_t>(one.bytes.size(), 1); ++size) {
      ASSERT_EQ(read(one.bytes, size), one.expected) << one.what << ", " << size << " at a time";
    }
  }
}

TEST(ResponseReader, RefusesWhatIsNoResponseHoweverItIsCut) {
  for (const Case& one : malformed()) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{7}, one.bytes.size()}) {
      ASSERT_EQ(read(one.bytes, size), one.expected) << one.what << ", " << size << " at a time";
    }
  }
}

TEST(ResponseReader, LeavesTheNextResponseAlone) {
  ResponseReader reader;
  const std::string first = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na";
  EXPECT_EQ(reader.take(first + "HTTP/1.1"), first.size());
  EXPECT_TRUE(reader.whole());
  EXPECT_EQ(reader.take("HTTP/1.1"), 0U);
}

TEST(ResponseReader, TakesManyChunksAndOneLongBody) {
  std::string bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 50'000; ++i) bytes += "1\r\nx\r\n";
  bytes +=
      "0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + std::string(1'000'000, 'y');
  const Read result = read(bytes, 16 * 1024);
  EXPECT_THAT(result.responses,
              ElementsAre("200 " + std::string(50'000, 'x'), "200 " + std::string(1'000'000, 'y')));
}

}  // namespace
}  // namespace shopmark::drive
