#include "bench/load/response_reader.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace shopmark::drive {

namespace {

constexpr std::string_view kTokenMarks = "!#$%&'*+-.^_`|~";

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           kTokenMarks.find(c) != std::string_view::npos;
  });
}

// No controls but the tab.
bool is_field_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7F);
  });
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool same_word(std::string_view one, std::string_view other) {
  return absl::EqualsIgnoreCase(absl::string_view(one.data(), one.size()),
                                absl::string_view(other.data(), other.size()));
}

// Each member of a list that commas separate; empty ones are no members.
template <typename Use>
void for_each_member(std::string_view list, const Use& use) {
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view member = trimmed(list.substr(0, comma));
    if (!member.empty()) use(member);
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

void ResponseReader::start_head() {
  state_ = State::kStatusLine;
  keeps_ = true;
  old_ = encoded_ = chunked_ = sized_ = close_ = keep_alive_ = false;
  status_ = 0;
  left_ = 0;
}

void ResponseReader::reset() {
  start_head();
  problem_ = nullptr;
  begun_ = false;
  head_bytes_ = 0;
  line_.clear();
  body_.clear();
}

std::size_t ResponseReader::take(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size() && state_ != State::kWhole && problem_ == nullptr) {
    begun_ = true;
    const std::string_view rest = bytes.substr(taken);
    const bool body =
        state_ == State::kLength || state_ == State::kUntilEnd || state_ == State::kChunk;
    taken += body ? take_body(rest) : take_line(rest);
  }
  return taken;
}

void ResponseReader::end() {
  if (state_ == State::kUntilEnd && problem_ == nullptr) state_ = State::kWhole;
}

std::size_t ResponseReader::take_line(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  const std::size_t taken = end == std::string_view::npos ? bytes.size() : end + 1;
  head_bytes_ += taken;
  // Chunks have as many lines as they like, each no longer than a head.
  if (line_.size() + taken > kMostHeadBytes || head_bytes_ > kMostHeadBytes) {
    fail("its head is too long");
    return taken;
  }
  if (end == std::string_view::npos) {
    line_.append(bytes);
    return taken;
  }
  std::string_view line = bytes.substr(0, end);
  if (!line_.empty()) {
    line_.append(line);
    line = line_;
  }
  if (line.empty() || line.back() != '\r') {
    fail("a line ends without CR");
    return taken;
  }
  line.remove_suffix(1);
  read_line(line);
  line_.clear();
  return taken;
}

std::size_t ResponseReader::take_body(std::string_view bytes) {
  const std::size_t taken =
      state_ == State::kUntilEnd
          ? bytes.size()
          : static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  if (body_.size() + taken > kMostBodyBytes) {
    fail("its body is too long");
    return taken;
  }
  body_.append(bytes.substr(0, taken));
  if (state_ == State::kUntilEnd) return taken;
  left_ -= taken;
  if (left_ == 0) state_ = state_ == State::kLength ? State::kWhole : State::kChunkEnd;
  return taken;
}

void ResponseReader::read_line(std::string_view line) {
  switch (state_) {
    case State::kStatusLine:
      read_status_line(line);
      return;
    case State::kHeaders:
      if (line.empty()) {
        end_head();
      } else {
        read_header(line, false);
      }
      return;
    case State::kChunkSize:
      read_chunk_size(line);
      return;
    case State::kChunkEnd:
      if (!line.empty()) {
        fail("a chunk is longer than it says");
        return;
      }
      state_ = State::kChunkSize;
      return;
    case State::kTrailers:
      if (line.empty()) {
        state_ = State::kWhole;
      } else {
        read_header(line, true);
      }
      return;
    case State::kLength:
    case State::kUntilEnd:
    case State::kChunk:
    case State::kWhole:
      return;
  }
}

void ResponseReader::read_status_line(std::string_view line) {
  constexpr std::string_view kVersion = "HTTP/1.";
  // HTTP/1.1 200 and a blank, with or without a reason after it.
  const bool shaped =
      line.size() >= 13 && line.substr(0, kVersion.size()) == kVersion &&
      (line[7] == '0' || line[7] == '1') && line[8] == ' ' && line[12] == ' ' && line[9] >= '1' &&
      line[9] <= '5' && absl::ascii_isdigit(static_cast<unsigned char>(line[10])) &&
      absl::ascii_isdigit(static_cast<unsigned char>(line[11])) && is_field_text(line);
  if (!shaped) {
    fail("no status line");
    return;
  }
  old_ = line[7] == '0';
  status_ = static_cast<unsigned>((line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0'));
  if (status_ == 101) {
    fail("it switches to a protocol that nobody asked for");
    return;
  }
  state_ = State::kHeaders;
}

void ResponseReader::read_header(std::string_view line, bool trailer) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    fail(trailer ? "a trailer without a name" : "a header without a name");
    return;
  }
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!is_field_text(value)) {
    fail("a header with control characters");
    return;
  }
  // What a trailer says of the framing comes too late to be meant.
  if (trailer) return;
  if (same_word(name, "content-length")) {
    read_content_length(value);
  } else if (same_word(name, "transfer-encoding")) {
    read_transfer_encoding(value);
  } else if (same_word(name, "connection")) {
    read_connection(value);
  }
}

void ResponseReader::read_content_length(std::string_view value) {
  bool any = false;
  for_each_member(value, [&](std::string_view member) {
    any = true;
    std::uint64_t length = 0;
    for (const char c : member) {
      if (!absl::ascii_isdigit(static_cast<unsigned char>(c)) || length > kMostBodyBytes) {
        fail("a Content-Length that is no length");
        return;
      }
      length = length * 10 + static_cast<std::uint64_t>(c - '0');
    }
    if (sized_ && length != left_) fail("two lengths");
    sized_ = true;
    left_ = length;
  });
  if (!any) fail("a Content-Length that is no length");
}

void ResponseReader::read_transfer_encoding(std::string_view value) {
  for_each_member(value, [&](std::string_view member) {
    if (chunked_) fail("something after chunked");
    encoded_ = true;
    chunked_ = same_word(member, "chunked");
  });
}

void ResponseReader::read_connection(std::string_view value) {
  for_each_member(value, [&](std::string_view member) {
    close_ = close_ || same_word(member, "close");
    keep_alive_ = keep_alive_ || same_word(member, "keep-alive");
  });
}

void ResponseReader::end_head() {
  if (status_ < 200) {
    start_head();
    return;
  }
  keeps_ = !close_ && (!old_ || keep_alive_);
  if (status_ == 204 || status_ == 304) {
    state_ = State::kWhole;
    return;
  }
  if (encoded_ && (sized_ || old_)) {
    fail("two ways to tell its length");
  } else if (chunked_) {
    state_ = State::kChunkSize;
  } else if (sized_ && left_ > kMostBodyBytes) {
    fail("its body is too long");
  } else if (sized_) {
    state_ = left_ == 0 ? State::kWhole : State::kLength;
  } else {
    keeps_ = false;
    state_ = State::kUntilEnd;
  }
}

void ResponseReader::read_chunk_size(std::string_view line) {
  // Bytes of the framing are not the head's: as many chunks as there are.
  head_bytes_ = 0;
  std::size_t digits = 0;
  std::uint64_t size = 0;
  while (digits < line.size() && absl::ascii_isxdigit(static_cast<unsigned char>(line[digits]))) {
    const auto c =
        static_cast<unsigned char>(absl::ascii_tolower(static_cast<unsigned char>(line[digits])));
    size = size * 16 + static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    if (size > kMostBodyBytes) {
      fail("a chunk is too long");
      return;
    }
    ++digits;
  }
  const std::string_view extension = trimmed(line.substr(digits));
  if (digits == 0 || (!extension.empty() && extension.front() != ';') ||
      !is_field_text(extension)) {
    fail("a chunk without a size");
    return;
  }
  left_ = size;
  state_ = size == 0 ? State::kTrailers : State::kChunk;
}

}  // namespace shopmark::drive
