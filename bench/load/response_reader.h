// Reads HTTP/1.1 responses as they come, in pieces of any size (RFC 9112): by Content-Length, by
// chunks with trailers, without a body (204, 304), until the connection's end. Interim ones (1xx)
// are skipped.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace shopmark::drive {

class ResponseReader {
 public:
  static constexpr std::size_t kMostHeadBytes = 64 * 1024;  // interim responses and trailers too
  static constexpr std::uint64_t kMostBodyBytes = 256 * 1024 * 1024;

  // Takes bytes up to the end of the response at most; how many. What is left over belongs to the
  // next one. Takes nothing once whole() or problem().
  std::size_t take(std::string_view bytes);
  // The connection has ended: whole() when that is how the response ends.
  void end();

  bool begun() const { return begun_; }
  bool whole() const { return state_ == State::kWhole; }
  // Why this is no HTTP/1.1 response, in words that hold nothing of it; null while it may be one.
  const char* problem() const { return problem_; }

  // Of a whole response. The body is the caller's to change until reset().
  unsigned status() const { return status_; }
  std::string& body() { return body_; }
  // Whether the connection may take another request.
  bool keeps() const { return keeps_; }

  // For the next response. Memory is kept.
  void reset();

 private:
  enum class State : std::uint8_t {
    kStatusLine,
    kHeaders,
    kLength,
    kUntilEnd,
    kChunkSize,
    kChunk,
    kChunkEnd,
    kTrailers,
    kWhole,
  };

  std::size_t take_line(std::string_view bytes);
  std::size_t take_body(std::string_view bytes);
  void read_line(std::string_view line);
  void read_status_line(std::string_view line);
  void read_header(std::string_view line, bool trailer);
  void read_content_length(std::string_view value);
  void read_transfer_encoding(std::string_view value);
  void read_connection(std::string_view value);
  void read_chunk_size(std::string_view line);
  void end_head();
  void start_head();
  void fail(const char* problem) { problem_ = problem; }

  State state_ = State::kStatusLine;
  const char* problem_ = nullptr;
  bool begun_ = false;
  bool keeps_ = true;
  bool old_ = false;      // HTTP/1.0
  bool encoded_ = false;  // has Transfer-Encoding
  bool chunked_ = false;  // as its last
  bool sized_ = false;    // has Content-Length
  bool close_ = false;
  bool keep_alive_ = false;
  unsigned status_ = 0;
  std::uint64_t left_ = 0;  // of the body or the chunk
  std::size_t head_bytes_ = 0;
  std::string line_;  // its beginning, when it came in pieces
  std::string body_;
};

}  // namespace shopmark::drive
