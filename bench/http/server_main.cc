// shopmark-server: the store of a target over HTTP.

#include <absl/flags/flag.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "bench/http/server.h"
#include "bench/http/shop/secrets.h"
#include "bench/http/shop_handler.h"
#include "fixtures/engine/engine.h"
#include "fixtures/fixture.h"
#include "schema/schema.h"
#include "seed/command_line.h"
#include "seed/generator.h"

ABSL_FLAG(std::string, target, "",
          "The store: [NAME=]sqlite:PATH, postgres://... or mariadb://...; without the flag "
          "$SHOPMARK_TARGET");
ABSL_FLAG(std::string, listen, "127.0.0.1:8080",
          "ADDRESS:PORT; port 0 takes a free one, which the line on standard output tells");
ABSL_FLAG(int, workers, 0,
          "how many requests are worked on at once, each with its own connection to the store; 0: "
          "24, and for SQLite as many as there are processors (at least 2)");
ABSL_FLAG(int, queue, 256, "how many requests may wait for a worker; one more is answered 503");
ABSL_FLAG(int, most_connections, 1000, "how many clients may be connected at once");
ABSL_FLAG(int, most_body_bytes, 64 * 1024, "the largest body that a request may have");
ABSL_FLAG(int, read_timeout_ms, 10'000, "how long a client may take to send a request");
ABSL_FLAG(int, write_timeout_ms, 10'000, "how long a client may take to take an answer");
ABSL_FLAG(int, idle_timeout_ms, 60'000, "how long a connection may be kept without a request");
ABSL_FLAG(int, stop_timeout_ms, 10'000,
          "how long requests in work are waited for after SIGTERM or SIGINT");
ABSL_FLAG(std::string, admin_token_file, "",
          "file that holds the token of the staff's routes and MCP; without the flag "
          "$SHOPMARK_ADMIN_TOKEN; without both these routes answer 403");
ABSL_FLAG(std::string, receipt_secret_file, "",
          "file that holds the secret that signs receipts; without the flag "
          "$SHOPMARK_RECEIPT_SECRET; without both a random one, so that receipts hold until the "
          "server ends");
ABSL_FLAG(std::string, seed_when_empty, "",
          "seed an empty or missing target with this profile: smoke, standard or million");
ABSL_FLAG(std::string, queries, "",
          "folder of the named statements, instead of the source tree's schema/queries");
ABSL_FLAG(std::string, schema, "", "folder of tables.sql and indexes.sql, instead of schema/");

namespace shopmark::http {
namespace {

constexpr int kRight = 0;
constexpr int kFailed = 1;
constexpr int kCouldNotStart = 2;

constexpr int kServerWorkers = 24;
constexpr int kMostWorkers = 1000;
constexpr int kMostMilliseconds = 24 * 60 * 60 * 1000;
constexpr int kMostBytes = 16 * 1024 * 1024;
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kLongestSecret = 4096;
constexpr std::chrono::seconds kLongestStart{60};

const command_line::Program& program() {
  static const command_line::Program it = {
      .name = "shopmark-server",
      .help = R"text(Serves a seeded store over HTTP: the storefront, the staff's routes, MCP.

  shopmark-server --target=sqlite:build/store/standard.sqlite
  shopmark-server --target=sqlite:smoke.sqlite --seed_when_empty=smoke
                  --listen=127.0.0.1:0
  shopmark-server --target="$(tools/shopmark engines dsn postgres)"
                  --admin_token_file=token.txt --workers=24
  curl 'http://127.0.0.1:8080/catalog?page=2'

Prints "shopmark-server: listening on http://ADDRESS:PORT" once it answers, and
what fails on standard error. GET /healthz and /metrics tell how it is. SIGTERM
and SIGINT stop it; requests in work are answered first.

Exit status: 0 stopped as told; 1 failed while running; 2 could not start.
)text",
      .flags = {"target", "listen", "workers", "queue", "most_connections", "most_body_bytes",
                "read_timeout_ms", "write_timeout_ms", "idle_timeout_ms", "stop_timeout_ms",
                "admin_token_file", "receipt_secret_file", "seed_when_empty", "queries", "schema"},
      .passthrough_prefix = ""};
  return it;
}

// A flag that was refused.
class FlagError : public std::runtime_error {
 public:
  FlagError(std::string name, const std::string& why)
      : std::runtime_error(why), flag(std::move(name)) {}
  std::string flag;
};

int say(int status, const std::string& message) {
  std::fprintf(stderr, "%s: %s\n", program().name.c_str(), message.c_str());
  return status;
}

engine::Target read_target(const command_line::Parsed& parsed) {
  std::string text = absl::GetFlag(FLAGS_target);
  if (!parsed.was_given("target")) {
    const char* const from_environment = std::getenv("SHOPMARK_TARGET");
    text = from_environment == nullptr ? "" : from_environment;
  }
  if (text.empty()) {
    throw FlagError("target", "is needed: sqlite:PATH, postgres://... or mariadb://...");
  }
  engine::Target target;
  try {
    target = engine::Target::parse(text);
  } catch (const std::invalid_argument& error) {
    throw FlagError("target", error.what());
  }
  const bool in_memory = target.address.find(":memory:") != std::string::npos ||
                         target.address.find("mode=memory") != std::string::npos;
  if (target.engine == engine::kMemory || (target.engine == "sqlite" && in_memory)) {
    throw FlagError("target", "a store in memory cannot be served: each worker would have its own");
  }
  return target;
}

int number(const char* name, int value, int least, int most) {
  if (value < least || value > most) {
    throw FlagError(name, "must be from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

std::chrono::milliseconds milliseconds(const char* name, int value) {
  return std::chrono::milliseconds(number(name, value, 1, kMostMilliseconds));
}

// 127.0.0.1:8080, [::1]:8080.
void read_listen(ServerOptions& options) {
  const std::string text = absl::GetFlag(FLAGS_listen);
  const std::size_t colon = text.rfind(':');
  unsigned short port = 0;
  bool good = colon != std::string::npos && colon > 0 && colon + 1 < text.size();
  if (good) {
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data() + colon + 1, end, port);
    good = error == std::errc() && stopped == end;
  }
  if (!good) throw FlagError("listen", "must be ADDRESS:PORT, such as 127.0.0.1:8080");
  std::string address = text.substr(0, colon);
  if (address.front() == '[' && address.back() == ']') {
    address = address.substr(1, address.size() - 2);
  }
  options.address = address;
  options.port = port;
}

int workers_for(const engine::Target& target) {
  const int given = number("workers", absl::GetFlag(FLAGS_workers), 0, kMostWorkers);
  if (given > 0) return given;
  if (target.engine != "sqlite") return kServerWorkers;
  return std::max(2, static_cast<int>(std::thread::hardware_concurrency()));
}

// From the flag's file, without its last newline, or the variable; empty when there is neither.
std::string read_secret(const char* flag, const std::string& file, const char* variable) {
  std::string secret;
  if (file.empty()) {
    const char* const from_environment = std::getenv(variable);
    if (from_environment == nullptr) return {};
    secret = from_environment;
  } else {
    try {
      std::ifstream stream(file, std::ios::binary);
      stream.exceptions(std::ios::badbit | std::ios::failbit);
      secret.assign(std::istreambuf_iterator<char>(stream), {});
    } catch (const std::ios_base::failure&) {  // none there, not ours to read, or a folder
      throw FlagError(flag, "file " + file + " cannot be read");
    }
    if (secret.ends_with('\n')) secret.pop_back();
    if (secret.ends_with('\r')) secret.pop_back();
  }
  const std::string where = file.empty() ? std::string(variable) : "file " + file;
  if (secret.empty()) throw FlagError(flag, where + " is empty");
  if (secret.size() > kLongestSecret) throw FlagError(flag, where + " is too large");
  const bool plain = std::all_of(secret.begin(), secret.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7F;
  });
  if (!plain) throw FlagError(flag, where + " holds more than one word of visible characters");
  return secret;
}

FixtureOptions read_fixture() {
  FixtureOptions options;
  const std::string profile = absl::GetFlag(FLAGS_seed_when_empty);
  if (!profile.empty()) {
    try {
      options.seed_when_empty = seed::profile(profile);
    } catch (const std::invalid_argument& error) {
      throw FlagError("seed_when_empty", error.what());
    }
    options.progress = [profile, said = false](const load::Progress&) mutable {
      if (!said) say(kRight, "seeding " + profile + ", which may take a while");
      said = true;
    };
  }
  options.schema_folder = absl::GetFlag(FLAGS_schema);
  if (options.schema_folder.empty()) options.schema_folder = schema::default_folder();
  options.queries_folder = absl::GetFlag(FLAGS_queries);
  if (options.queries_folder.empty()) options.queries_folder = options.schema_folder + "/queries";
  options.keep_visits = true;
  return options;
}

struct Options {
  ServerOptions server;
  ShopOptions shop;
};

Options read_options(const command_line::Parsed& parsed) {
  Options options;
  options.shop.target = read_target(parsed);
  read_listen(options.server);
  options.server.workers = workers_for(options.shop.target);
  options.server.queue =
      static_cast<std::size_t>(number("queue", absl::GetFlag(FLAGS_queue), 1, 1'000'000));
  options.server.most_connections = static_cast<std::size_t>(
      number("most_connections", absl::GetFlag(FLAGS_most_connections), 1, 1'000'000));
  options.server.most_body_bytes = static_cast<std::size_t>(
      number("most_body_bytes", absl::GetFlag(FLAGS_most_body_bytes), 1, kMostBytes));
  options.server.read_timeout =
      milliseconds("read_timeout_ms", absl::GetFlag(FLAGS_read_timeout_ms));
  options.server.write_timeout =
      milliseconds("write_timeout_ms", absl::GetFlag(FLAGS_write_timeout_ms));
  options.server.idle_timeout =
      milliseconds("idle_timeout_ms", absl::GetFlag(FLAGS_idle_timeout_ms));
  options.server.stop_timeout =
      milliseconds("stop_timeout_ms", absl::GetFlag(FLAGS_stop_timeout_ms));
  options.server.stop_on_signals = true;
  options.server.log = [](std::string_view line) { say(kRight, std::string(line)); };
  options.shop.fixture = read_fixture();
  options.shop.admin_token = read_secret("admin_token_file", absl::GetFlag(FLAGS_admin_token_file),
                                         "SHOPMARK_ADMIN_TOKEN");
  options.shop.receipt_secret = read_secret(
      "receipt_secret_file", absl::GetFlag(FLAGS_receipt_secret_file), "SHOPMARK_RECEIPT_SECRET");
  if (options.shop.receipt_secret.empty()) options.shop.receipt_secret = random_hex(kSecretBytes);
  options.shop.workers = options.server.workers;
  options.shop.log = options.server.log;
  return options;
}

std::string url_of(const ServerOptions& options, unsigned short port) {
  const bool is_v6 = options.address.find(':') != std::string::npos;
  return "http://" + (is_v6 ? "[" + options.address + "]" : options.address) + ":" +
         std::to_string(port);
}

// Until it was told to stop. `started`: it answers.
int serve(Options options, bool& started) {
  // Once before there are workers: to seed, and to say at once what is wrong with the target.
  Fixture::open(options.shop.target, options.shop.fixture);
  options.shop.fixture.seed_when_empty.reset();
  options.shop.fixture.progress = {};

  Server server(options.server, shop_handlers(options.shop));
  server.start();
  if (!server.wait_until_ready(kLongestStart)) {
    server.stop();
    server.wait();
    return say(kCouldNotStart, "target " + options.shop.target.name + ": not every one of " +
                                   std::to_string(options.server.workers) +
                                   " workers got a connection; --workers takes fewer");
  }
  std::printf("%s: listening on %s\n", program().name.c_str(),
              url_of(options.server, server.port()).c_str());
  if (std::fflush(stdout) != 0) return say(kCouldNotStart, "standard output cannot be written");
  started = true;
  server.wait();
  return kRight;
}

int run(int argc, char** argv) {
  const command_line::Parsed parsed = command_line::parse(argc, argv, program());
  if (parsed.exit_status) return *parsed.exit_status;
  std::optional<Options> options;
  bool started = false;
  try {
    options = read_options(parsed);
    return serve(*options, started);
  } catch (const FlagError& error) {
    return command_line::flag_error(program(), error.flag, error.what());
  } catch (const ServerError& error) {
    return command_line::flag_error(program(), "listen", error.what());
  } catch (const engine::Error& error) {
    return say(kCouldNotStart, "target " + options->shop.target.name + ": " + error.what());
  } catch (const std::exception& error) {
    return say(started ? kFailed : kCouldNotStart, error.what());
  }
}

}  // namespace
}  // namespace shopmark::http

int main(int argc, char** argv) { return shopmark::http::run(argc, argv); }
