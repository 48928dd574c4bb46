#include "bench/load/server_info.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

namespace shopmark::drive {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kToken = "very-secret";
constexpr const char* kInfo = R"({"target": {"name": "pg", "engine": "postgres", "version": "15",
  "profile": "tiny", "data_digest": "d", "transport": "tcp", "isolation": "read committed",
  "durability": "full"}, "workers": 4})";

// Answers one request with the same bytes whatever it is.
class TinyServer {
 public:
  TinyServer(const std::string& status, const std::string& body) {
    socket_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (bind(socket_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        listen(socket_, 1) != 0 ||
        getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("no port");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, answer = "HTTP/1.1 " + status + "\r\nContent-Length: " +
                                          std::to_string(body.size()) + "\r\n\r\n" + body] {
      const int peer = accept(socket_, nullptr, nullptr);
      char byte = 0;
      while (request_.find("\r\n\r\n") == std::string::npos && read(peer, &byte, 1) == 1) {
        request_ += byte;
      }
      // A client that is gone has seen enough.
      (void)send(peer, answer.data(), answer.size(), MSG_NOSIGNAL);
      close(peer);
    });
  }
  ~TinyServer() {
    join();
    close(socket_);
  }
  TinyServer(const TinyServer&) = delete;
  TinyServer& operator=(const TinyServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  const std::string& request() {
    join();
    return request_;
  }

 private:
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  int socket_ = -1;
  std::uint16_t port_ = 0;
  std::string request_;
  std::thread thread_;
};

std::string why_not(const std::string& url) {
  try {
    read_server_info(parse_url(url), kToken);
  } catch (const ServerError& error) {
    return error.what();
  }
  return "no error";
}

std::string why_not(const std::string& status, const std::string& body) {
  const TinyServer server(status, body);
  return why_not(server.url());
}

TEST(ParseUrlTest, GivesAddressPortAndHost) {
  const ParsedUrl url = parse_url("http://127.0.0.1:8080/");
  EXPECT_EQ(url.endpoint.address, "127.0.0.1");
  EXPECT_EQ(url.endpoint.port, 8080);
  EXPECT_EQ(url.host, "127.0.0.1:8080");
  EXPECT_EQ(parse_url("http://[::1]:65535").endpoint.address, "::1");
}

TEST(ParseUrlTest, RefusesWhatIsNotASchemeAHostAndAPort) {
  for (const char* url :
       {"", "127.0.0.1:80", "https://127.0.0.1:443", "http://", "http://127.0.0.1", "http://:80",
        "http://127.0.0.1:", "http://127.0.0.1:0", "http://127.0.0.1:65536", "http://127.0.0.1:-1",
        "http://127.0.0.1:80/path", "http://user@127.0.0.1:80", "http://127.0.0.1:80?q=1"}) {
    EXPECT_THROW(parse_url(url), std::invalid_argument) << url;
  }
}

TEST(ServerInfoTest, IsWhatTheServerSaysToTheToken) {
  TinyServer server("200 OK", kInfo);
  const auto info = read_server_info(parse_url(server.url()), kToken);
  EXPECT_EQ(info.at("target").at("profile"), "tiny");
  EXPECT_EQ(info.at("workers"), 4);
  EXPECT_THAT(server.request(), AllOf(HasSubstr("GET /admin/info HTTP/1.1\r\n"),
                                      HasSubstr("Authorization: Bearer very-secret\r\n")));
}

TEST(ServerInfoTest, AClosedPortDoesNotAnswer) {
  std::string url;
  {
    TinyServer server("200 OK", kInfo);
    url = server.url();
    read_server_info(parse_url(url), kToken);
  }
  EXPECT_THAT(why_not(url), HasSubstr(url + "/admin/info does not answer: "));
}

TEST(ServerInfoTest, AWrongTokenIsSaidWithoutIt) {
  for (const char* status : {"401 Unauthorized", "403 Forbidden"}) {
    EXPECT_THAT(why_not(status, "{}"),
                AllOf(HasSubstr("does not know the token"), HasSubstr(std::string(status, 3)),
                      Not(HasSubstr(kToken))));
  }
}

TEST(ServerInfoTest, AnotherServerIsNotOurs) {
  EXPECT_THAT(why_not("404 Not Found", "<html>"), HasSubstr("not shopmark-server's answer"));
  EXPECT_THAT(why_not("200 OK", "<html>"), HasSubstr("not shopmark-server's answer"));
  EXPECT_THAT(why_not("200 OK", "[]"), HasSubstr("not shopmark-server's answer"));
  EXPECT_THAT(why_not("200 OK", R"({"target": 1})"), HasSubstr("not shopmark-server's answer"));
}

TEST(ServerInfoTest, ATargetWithoutAMemberIsNamed) {
  auto json = nlohmann::ordered_json::parse(kInfo);
  json["target"].erase("durability");
  EXPECT_THAT(why_not("200 OK", json.dump()), HasSubstr("does not say its target's durability"));
}

}  // namespace
}  // namespace shopmark::drive
