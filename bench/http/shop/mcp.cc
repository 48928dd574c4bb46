// The Model Context Protocol over HTTP: https://modelcontextprotocol.io/specification/2025-06-18,
// basic/transports ("Streamable HTTP") and basic/lifecycle. Nothing is kept between requests, so
// there are no sessions and no streams: every answer is one JSON text.

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "bench/http/shop/body.h"
#include "bench/http/shop/mcp_tools.h"
#include "bench/http/shop/refusal.h"
#include "bench/http/shop/routes.h"

namespace shopmark::http {

namespace {

// Newest first.
constexpr std::array<std::string_view, 3> kVersions = {"2025-06-18", "2025-03-26", "2024-11-05"};
// Of a client that says none.
constexpr std::string_view kAssumedVersion = "2025-03-26";
constexpr std::size_t kMostMessages = 16;  // of a batch

bool is_known(std::string_view version) {
  return std::find(kVersions.begin(), kVersions.end(), version) != kVersions.end();
}

// The last revisions took several messages in an array; this one does not.
bool takes_batches(std::string_view version) { return version != kVersions.front(); }

// Whether an Accept header has the type, or a range that holds it.
bool accepts(std::string_view header, std::string_view type) {
  const std::string range = std::string(type.substr(0, type.find('/'))) + "/*";
  while (!header.empty()) {
    const std::size_t comma = std::min(header.find(','), header.size());
    std::string_view one = header.substr(0, comma);
    one = one.substr(0, one.find(';'));
    while (!one.empty() && (one.front() == ' ' || one.front() == '\t')) one.remove_prefix(1);
    while (!one.empty() && (one.back() == ' ' || one.back() == '\t')) one.remove_suffix(1);
    const std::string name = absl::AsciiStrToLower({one.data(), one.size()});
    if (name == type || name == range || name == "*/*") return true;
    header.remove_prefix(std::min(comma + 1, header.size()));
  }
  return false;
}

void write_id(JsonWriter& json, const Json& id) {
  json.key("id");
  if (id.is_string()) {
    json.value(id.get_ref<const std::string&>());
  } else if (id.is_number_integer()) {
    json.value(id.get<std::int64_t>());
  } else {
    json.value(std::nullopt);
  }
}

void write_error(JsonWriter& json, const Json& id, const RpcError& error) {
  json.begin_object();
  json.member("jsonrpc", "2.0");
  write_id(json, id);
  json.key("error");
  json.begin_object();
  json.member("code", static_cast<std::int64_t>(error.code()));
  json.member("message", error.what());
  json.end_object();
  json.end_object();
}

bool is_good_id(const Json& id) {
  if (id.is_string()) return true;
  return id.is_number_integer() &&
         (!id.is_number_unsigned() ||
          id.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
}

std::string initialize(JsonWriter& json, const Json& params) {
  const auto version = params.find("protocolVersion");
  if (version == params.end() || !version->is_string()) {
    throw RpcError(RpcError::kInvalidParams, "params.protocolVersion must be a text");
  }
  const auto& wanted = version->get_ref<const std::string&>();
  json.clear();
  json.begin_object();
  json.member("protocolVersion", is_known(wanted) ? wanted : kVersions.front());
  json.raw_member("capabilities", R"({"tools":{"listChanged":false}})");
  json.key("serverInfo");
  json.begin_object();
  json.member("name", "shopmark-server");
  json.member("title", "Shopmark");
  json.member("version", SHOPMARK_VERSION);
  json.end_object();
  json.member("instructions", "Reads the orders and the configuration of one web shop.");
  json.end_object();
  return json.take();
}

// The result of a request, as JSON; `route` becomes the name of what it was.
std::string result_of(Call& call, const std::string& method, const Json& params,
                      std::string_view& route) {
  if (method == "initialize") return initialize(call.json(), params);
  if (method == "ping") return "{}";
  if (method == "tools/list") {
    route = "mcp_tools_list";
    if (params.contains("cursor")) {
      throw RpcError(RpcError::kInvalidParams, "params.cursor: there is one page only");
    }
    return tool_manifest();
  }
  if (method == "tools/call") return call_tool(call, params, route);
  throw RpcError(RpcError::kMethodNotFound, "there is no such method");
}

// Answers a message into `out`. False when there is nothing to answer: a notification, or an answer
// to a request, of which this server makes none.
bool answer_message(Call& call, const Json& message, JsonWriter& out, std::string_view& route) {
  Json id;
  try {
    if (!message.is_object() || message.value("jsonrpc", Json()) != "2.0") {
      throw RpcError(RpcError::kInvalidRequest, "a message must be an object of JSON-RPC 2.0");
    }
    const auto its_id = message.find("id");
    const auto method = message.find("method");
    if (method == message.end()) {
      if (its_id != message.end() && (message.contains("result") || message.contains("error"))) {
        return false;
      }
      throw RpcError(RpcError::kInvalidRequest, "method is missing");
    }
    if (!method->is_string()) {
      throw RpcError(RpcError::kInvalidRequest, "method must be a text");
    }
    if (its_id == message.end()) return false;
    if (!is_good_id(*its_id)) {
      throw RpcError(RpcError::kInvalidRequest, "id must be a text or a whole number");
    }
    id = *its_id;
    const Json params = message.value("params", Json::object());
    if (!params.is_object()) {
      throw RpcError(RpcError::kInvalidParams, "params must be an object");
    }
    const std::string result =
        result_of(call, method->get_ref<const std::string&>(), params, route);
    out.begin_object();
    out.member("jsonrpc", "2.0");
    write_id(out, id);
    out.raw_member("result", result);
    out.end_object();
  } catch (const RpcError& error) {
    write_error(out, id, error);
  }
  return true;
}

Response error_response(JsonWriter& out, unsigned status, const RpcError& error) {
  out.clear();
  write_error(out, Json(), error);
  Response response;
  response.status = status;
  response.body = out.take();
  return response;
}

Response accepted() {
  Response response;
  response.status = 202;
  response.content_type.clear();
  return response;
}

Response answer_batch(Call& call, const Json& messages, JsonWriter& out) {
  if (messages.empty() || messages.size() > kMostMessages) {
    return error_response(out, 400,
                          {RpcError::kInvalidRequest,
                           absl::StrCat("a batch must have 1 to ", kMostMessages, " messages")});
  }
  Response response;
  bool answered = false;
  out.begin_array();
  for (const Json& message : messages) {
    std::string_view route;
    answered = answer_message(call, message, out, route) || answered;
  }
  out.end_array();
  if (!answered) return accepted();
  response.body = out.take();
  return response;
}

}  // namespace

Response mcp(Call& call) {
  JsonWriter& out = call.shop.envelope;
  out.clear();
  const std::string_view accept = call.request.header("accept");
  if (!accepts(accept, "application/json") || !accepts(accept, "text/event-stream")) {
    return error_response(
        out, 406, {RpcError::kRefused, "Accept must list application/json and text/event-stream"});
  }
  if (!has_json_body(call.request)) {
    return error_response(out, 415, {RpcError::kRefused, "Content-Type must be application/json"});
  }
  std::string_view version = call.request.header("mcp-protocol-version");
  if (version.empty()) version = kAssumedVersion;
  if (!is_known(version)) {
    return error_response(out, 400,
                          {RpcError::kRefused, "this MCP-Protocol-Version is not spoken here"});
  }
  const std::optional<Json> message = parse_json(call.request.body);
  if (!message) {
    return error_response(out, 400, {RpcError::kParseError, "the body is not JSON"});
  }
  if (message->is_array()) {
    if (!takes_batches(version)) {
      return error_response(out, 400, {RpcError::kInvalidRequest, "this revision has no batches"});
    }
    return answer_batch(call, *message, out);
  }
  std::string_view route = "mcp";
  if (!answer_message(call, *message, out, route)) return accepted();
  Response response;
  response.body = out.take();
  response.route = route;
  return response;
}

}  // namespace shopmark::http
