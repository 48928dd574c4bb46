// The tools that the shop gives to a client of the Model Context Protocol.

#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "bench/http/shop/body.h"
#include "bench/http/shop/shop.h"

namespace shopmark::http {

// Becomes the error of a JSON-RPC response.
class RpcError : public std::runtime_error {
 public:
  enum Code {
    kParseError = -32700,
    kInvalidRequest = -32600,
    kMethodNotFound = -32601,
    kInvalidParams = -32602,
    kRefused = -32000,  // by the transport's rules
  };
  RpcError(Code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Code code() const { return code_; }

 private:
  Code code_;
};

// The result of tools/list, as JSON.
const std::string& tool_manifest();

// The result of tools/call, as JSON; `route` becomes the tool's name for the metrics. Throws
// RpcError for a tool that there is not and for arguments that are not the tool's.
std::string call_tool(Call& call, const Json& params, std::string_view& route);

}  // namespace shopmark::http
