#include "bench/run/oracle.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "bench/run/file_digest.h"
#include "seed/digest.h"

namespace shopmark::bench {

namespace {

using nlohmann::json;

std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 160;
  if (text.size() <= kMost) return std::string(text);
  std::size_t end = kMost;
  // Not within a character.
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

// What stands at the front of `text` up to the next line, which is taken off.
std::optional<std::string_view> take_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

Oracle::Difference first_difference(std::string_view is, std::string_view must_be) {
  constexpr std::string_view kNothing = "nothing more";
  for (std::size_t number = 1;; ++number) {
    const std::optional<std::string_view> ours = take_line(is);
    const std::optional<std::string_view> theirs = take_line(must_be);
    if (!ours && !theirs) return {};
    if (ours == theirs) continue;
    std::string_view shown_ours = ours.value_or(kNothing);
    std::string_view shown_theirs = theirs.value_or(kNothing);
    Oracle::Difference difference;
    difference.lines.append("  is:      ").append(shown_ours);
    difference.lines.append("\n  must be: ").append(shown_theirs);
    // Both start alike; what counts comes later on a long line.
    const auto [end, unused] = std::mismatch(shown_ours.begin(), shown_ours.end(),
                                             shown_theirs.begin(), shown_theirs.end());
    const auto equal = static_cast<std::size_t>(end - shown_ours.begin());
    const std::size_t word = shown_ours.rfind(' ', equal);
    if (ours && theirs && word != std::string_view::npos && word <= equal) {
      shown_ours.remove_prefix(word + 1);
      shown_theirs.remove_prefix(std::min(word + 1, shown_theirs.size()));
    }
    const std::string_view row =
        (ours ? *ours : *theirs).substr(0, (ours ? *ours : *theirs).find(' '));
    difference.summary = "wrong result, line " + std::to_string(number) + " (" + shortened(row) +
                         "): " + shortened(shown_ours) + ", must be " + shortened(shown_theirs);
    return difference;
  }
}

Oracle::Oracle(Options options) : options_(std::move(options)) {}
Oracle::~Oracle() = default;

store::Store& Oracle::store() {
  if (store_ == nullptr) store_ = options_.open();
  return *store_;
}

void Oracle::forget() {
  if (store_ == nullptr) return;
  store_.reset();
  // Freed memory that the process keeps would still be missing to the engines.
  ::malloc_trim(0);
}

void Oracle::prepare() {
  if (read_file()) return;
  digests_.clear();
  for (const Case& timed : *options_.cases) {
    std::vector<std::string>& digests = digests_[timed.name];
    for (const Parameters& parameters : options_.parameters.at(timed.name)) {
      digests.push_back(seed::text_digest(timed.call.answer(store(), parameters).text));
    }
  }
  write_file();
}

Oracle::Difference Oracle::compare(const Case& timed, std::size_t index, std::string_view text) {
  std::string& known = digests_.at(timed.name).at(index);
  std::string digest = seed::text_digest(text);
  if (digest == known) return {};
  const Parameters& parameters = options_.parameters.at(timed.name).at(index);
  const Answer right = timed.call.answer(store(), parameters);
  if (right.text != text) return first_difference(text, right.text);
  // The file was wrong.
  known = std::move(digest);
  write_file();
  return {};
}

bool Oracle::read_file() {
  if (options_.file.empty() || options_.key.empty()) return false;
  std::ifstream stream(options_.file, std::ios::binary);
  const json document = json::parse(stream, nullptr, false);
  try {
    if (document.at("key") != options_.key) return false;
    digests_ = document.at("answers").get<Digests>();
  } catch (const json::exception&) {
    return false;
  }
  return std::all_of(options_.cases->begin(), options_.cases->end(), [&](const Case& timed) {
    const auto found = digests_.find(timed.name);
    return found != digests_.end() &&
           found->second.size() == options_.parameters.at(timed.name).size();
  });
}

void Oracle::write_file() const {
  if (options_.file.empty() || options_.key.empty()) return;
  namespace files = std::filesystem;
  std::error_code error;
  files::create_directories(files::path(options_.file).parent_path(), error);
  // Runs side by side each write their own; the last one stays.
  const std::string temporary = options_.file + "." + std::to_string(::getpid());
  {
    std::ofstream stream(temporary, std::ios::binary);
    stream << json{{"key", options_.key}, {"answers", digests_}}.dump(1) << '\n';
    stream.close();
    if (stream) files::rename(temporary, options_.file, error);
  }
  files::remove(temporary, error);
}

std::string program_digest() { return file_digest("/proc/self/exe"); }

std::string oracle_folder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string() : program.string() + ".oracle";
}

}  // namespace shopmark::bench
