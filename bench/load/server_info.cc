#include "bench/load/server_info.h"

#include <utility>

// Asio 1.74 needs <utility> before it.
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>

namespace shopmark::drive {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Answer = beast::http::response<beast::http::string_body>;

constexpr std::chrono::seconds kPatience{10};
constexpr std::uint64_t kMostBytes = 4 << 20;

// Runs what was begun on the stream until it is done or the time is over.
void finish(asio::io_context& context, const boost::system::error_code& error) {
  context.restart();
  context.run();
  if (error) throw ServerError(error.message());
}

Answer ask(const ParsedUrl& url, const std::string& path, const std::string& token) {
  asio::io_context context;
  beast::tcp_stream stream(context);
  boost::system::error_code error;
  const auto done = [&](boost::system::error_code met, auto...) { error = met; };
  stream.expires_after(kPatience);
  stream.async_connect({asio::ip::make_address(url.endpoint.address), url.endpoint.port}, done);
  finish(context, error);

  beast::http::request<beast::http::empty_body> request(beast::http::verb::get, path, 11);
  request.set(beast::http::field::host, url.host);
  request.set(beast::http::field::authorization, absl::StrCat("Bearer ", token));
  request.set(beast::http::field::connection, "close");
  beast::http::async_write(stream, request, done);
  finish(context, error);

  beast::flat_buffer buffer;
  beast::http::response_parser<beast::http::string_body> parser;
  parser.body_limit(kMostBytes);
  beast::http::async_read(stream, buffer, parser, done);
  finish(context, error);
  return parser.release();
}

}  // namespace

ParsedUrl parse_url(const std::string& url) {
  constexpr std::string_view kScheme = "http://";
  if (!url.starts_with(kScheme)) throw std::invalid_argument("must begin with http://");
  std::string host = url.substr(kScheme.size());
  if (host.ends_with('/')) host.pop_back();
  const std::size_t colon = host.rfind(':');
  std::uint32_t port = 0;
  if (colon == std::string::npos || colon == 0 ||
      host.find_first_of("/?#@ ") != std::string::npos ||
      !absl::SimpleAtoi(host.substr(colon + 1), &port) || port < 1 || port > 65535) {
    throw std::invalid_argument("must be http://HOST:PORT");
  }
  std::string name = host.substr(0, colon);
  if (name.front() == '[' && name.back() == ']') name = name.substr(1, name.size() - 2);
  asio::io_context context;
  asio::ip::tcp::resolver resolver(context);
  boost::system::error_code error;
  const auto found = resolver.resolve(name, std::to_string(port), error);
  if (error || found.empty()) throw ServerError(absl::StrCat("host ", name, " is unknown"));
  return {{found.begin()->endpoint().address().to_string(), static_cast<std::uint16_t>(port)},
          host};
}

nlohmann::ordered_json read_server_info(const ParsedUrl& url, const std::string& token) {
  const std::string path = "/admin/info";
  const std::string where = absl::StrCat("http://", url.host, path);
  Answer answer;
  try {
    answer = ask(url, path, token);
  } catch (const ServerError& error) {
    throw ServerError(absl::StrCat(where, " does not answer: ", error.what()));
  }
  if (answer.result_int() == 401 || answer.result_int() == 403) {
    throw ServerError(
        absl::StrCat(where, " does not know the token (status ", answer.result_int(), ")"));
  }
  auto json = nlohmann::ordered_json::parse(answer.body(), nullptr, false);
  if (answer.result_int() != 200 || !json.is_object() || !json.contains("target") ||
      !json["target"].is_object()) {
    throw ServerError(
        absl::StrCat(where, " is not shopmark-server's answer (status ", answer.result_int(), ")"));
  }
  for (const char* name :
       {"engine", "version", "profile", "data_digest", "transport", "isolation", "durability"}) {
    if (!json["target"].contains(name) || !json["target"][name].is_string()) {
      throw ServerError(absl::StrCat(where, " does not say its target's ", name));
    }
  }
  return json;
}

}  // namespace shopmark::drive
