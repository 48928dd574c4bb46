#include "bench/load/bundle.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <openssl/evp.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <thread>

#include "bench/run/build_info.h"
#include "bench/run/document.h"

namespace shopmark::drive {

namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

[[noreturn]] void fail(const std::string& path) {
  throw BundleError(absl::StrCat(path, ": ", std::strerror(errno)));
}

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) broken();
  }
  void add(std::string_view bytes) {
    if (EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) != 1) broken();
  }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned int size = 0;
    if (EVP_DigestFinal_ex(context_.get(), digest.data(), &size) != 1) broken();
    return absl::BytesToHexString({reinterpret_cast<const char*>(digest.data()), size});
  }

 private:
  [[noreturn]] static void broken() { throw BundleError("OpenSSL has no SHA-256"); }

  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

std::string sha256_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string buffer(kBufferBytes, '\0');
  Sha256 digest;
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    digest.add(std::string_view(buffer).substr(0, static_cast<std::size_t>(file.gcount())));
  }
  if (!file.eof()) fail(path);
  return digest.hex();
}

void append_time(std::string& text, std::int64_t time) {
  if (time != kNever) absl::StrAppend(&text, time);
  text += ',';
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

std::string sha256_of(std::string_view bytes) {
  Sha256 digest;
  digest.add(bytes);
  return digest.hex();
}

Bundle::Bundle(const std::string& folder) : folder_(folder) {
  std::error_code error;
  const std::filesystem::path path(folder);
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error || !std::filesystem::create_directory(path, error)) {
    throw BundleError(absl::StrCat(folder, ": ", error ? error.message() : "exists already"));
  }
  const auto open = [&](std::ofstream& file, const char* name) {
    file.open(folder_ + '/' + name, std::ios::binary);
    if (!file) fail(folder_ + '/' + name);
  };
  open(requests_, "requests.csv");
  open(orders_, "orders.csv");
  open(log_, "log.txt");
  append(requests_, "requests.csv",
         "run,stage,phase,script,route,scheduled_ns,sent_ns,done_ns,status,outcome,late_ns\n");
  append(orders_, "orders.csv", "order,total_cents\n");
}

void Bundle::append(std::ofstream& file, const char* name, std::string_view text) {
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) fail(folder_ + '/' + name);
}

void Bundle::add_stage(const Scenario& scenario, const StageResult& result, std::int64_t run,
                       std::int64_t stage) {
  std::string text;
  for (const Record& record : result.records) {
    const Script& script = scenario.scripts.at(record.script);
    absl::StrAppend(&text, run, ",", stage, record.measured ? ",measured," : ",warmup,",
                    script.name, ",", std::string(info(record.route).name), ",");
    append_time(text, record.scheduled);
    append_time(text, record.sent);
    append_time(text, record.done);
    if (record.status != 0) absl::StrAppend(&text, record.status);
    absl::StrAppend(&text, ",", std::string(name_of(record.outcome)), ",");
    if (script.arrival.open() && record.sent != kNever) absl::StrAppend(&text, record.late());
    text += '\n';
    if (text.size() < kBufferBytes) continue;
    append(requests_, "requests.csv", text);
    text.clear();
  }
  append(requests_, "requests.csv", text);
  text.clear();
  for (const AcknowledgedOrder& order : result.orders) {
    absl::StrAppend(&text, order.number, ",", order.total_cents, "\n");
  }
  append(orders_, "orders.csv", text);
}

void Bundle::log(const std::string& line) {
  append(log_, "log.txt",
         absl::StrCat(absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ ", absl::Now(), absl::UTCTimeZone()),
                      line, "\n"));
  log_.flush();
}

void Bundle::write(const std::string& name, std::string_view content) {
  std::ofstream file(folder_ + '/' + name, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) fail(folder_ + '/' + name);
}

void Bundle::finish() {
  const auto close = [&](std::ofstream& file, const char* name) {
    file.close();
    if (!file) fail(folder_ + '/' + name);
  };
  close(requests_, "requests.csv");
  close(orders_, "orders.csv");
  close(log_, "log.txt");
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder_)) {
    names.push_back(file.path().filename());
  }
  std::sort(names.begin(), names.end());
  std::string sums;
  for (const std::string& name : names) {
    absl::StrAppend(&sums, sha256_of_file(folder_ + '/' + name), "  ", name, "\n");
  }
  write("SHA256SUMS", sums);
}

std::string environment_text(const std::vector<std::string>& command_line,
                             const Scenario& scenario) {
  const bench::BuildInfo build = bench::build_info();
  utsname system{};
  uname(&system);
  bench::Json json;
  json["date"] = absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone());
  json["host"] = system.nodename;
  json["kernel"] = absl::StrCat(system.sysname, " ", system.release, " ", system.machine);
  json["processors"] = std::thread::hardware_concurrency();
  json["governor"] = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  json["load_average"] = first_line("/proc/loadavg");
  json["memory"] = first_line("/proc/meminfo");
  json["build"] = {{"type", build.build_type},
                   {"compiler", build.compiler},
                   {"commit", build.commit},
                   {"dirty", build.dirty}};
  json["command_line"] = command_line;
  json["scenario_sha256"] = sha256_of(scenario.source.dump());
  return bench::to_text(json) + "\n";
}

}  // namespace shopmark::drive
