#include "bench/load/stage.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/load/connection.h"
#include "bench/run/percentiles.h"
#include "seed/generator.h"
#include "tests/bench/load/fake_server.h"

namespace shopmark::drive {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMs;

// What the machine may add to a time, however busy it is; the delays of the tests differ by more.
constexpr std::int64_t kNoise = 150 * kMs;

const Questions& questions() {
  static const Questions all(seed::profile("smoke"), "localhost", "", "test");
  return all;
}

Entry path(const std::string& text = "/", const std::string& contains = {}) {
  Entry entry;
  entry.steps = {Route::kPath};
  entry.parameters.path = text;
  entry.parameters.contains = contains;
  return entry;
}

Scenario scenario(double duration_s, Arrival arrival) {
  Scenario scenario;
  scenario.duration_s = duration_s;
  scenario.drain_s = 3;
  scenario.timeout_s = 10;
  scenario.most_connections = 256;
  scenario.most_in_flight = 10'000;
  Script script;
  script.name = "shop";
  script.arrival = arrival;
  script.entries = {path()};
  scenario.scripts = {script};
  return scenario;
}

Arrival open(double rate) {
  Arrival arrival;
  arrival.rate = rate;
  return arrival;
}

Arrival closed(std::int64_t clients, std::int64_t pipeline = 1) {
  Arrival arrival;
  arrival.clients = clients;
  arrival.pipeline = pipeline;
  return arrival;
}

StageResult run(const Scenario& scenario, std::uint16_t port) {
  return run_stage(scenario, 7, 100, questions(), {"127.0.0.1", port}, nullptr);
}

std::map<Outcome, std::int64_t> outcomes(const StageResult& result) {
  std::map<Outcome, std::int64_t> counts;
  for (const Record& record : result.records) ++counts[record.outcome];
  return counts;
}

std::vector<std::int64_t> responses(const StageResult& result) {
  std::vector<std::int64_t> times;
  for (const Record& record : result.records) {
    if (record.outcome == Outcome::kOk) times.push_back(record.done - record.scheduled);
  }
  return times;
}

// What holds of every record, whatever happened.
void expect_sound(const StageResult& result) {
  std::int64_t before = 0;
  for (const Record& record : result.records) {
    EXPECT_NE(record.outcome, Outcome::kNone);
    EXPECT_GE(record.scheduled, before);
    before = record.scheduled;
    EXPECT_TRUE(record.sent == kNever || record.sent >= record.scheduled);
    EXPECT_TRUE(record.done == kNever || record.done >= record.scheduled);
    EXPECT_TRUE(record.done == kNever || record.sent == kNever || record.done >= record.sent);
    if (record.sent != kNever) {
      EXPECT_GE(record.late(), 0);
      EXPECT_LE(record.late(), record.sent - record.scheduled);
    }
    if (record.outcome == Outcome::kOk) {
      EXPECT_NE(record.sent, kNever);
      EXPECT_NE(record.done, kNever);
      EXPECT_GE(record.status, 200);
    }
    if (record.outcome == Outcome::kRejected || record.outcome == Outcome::kSession) {
      EXPECT_EQ(record.sent, kNever);
      EXPECT_EQ(record.done, kNever);
    }
    EXPECT_EQ(record.measured,
              record.scheduled >= result.measured_from && record.scheduled < result.measured_until);
  }
}

TEST(Stage, HasThePercentilesOfTheServersDelaysToTheRank) {
  // One sample more or fewer in a class moves each percentile into another class.
  std::vector<milliseconds> delays;
  for (const auto& [count, delay] : {std::pair(50, 10), {45, 400}, {4, 900}, {1, 1500}}) {
    for (int i = 0; i < count; ++i) delays.emplace_back(delay);
  }
  const FakeServer server([&](std::uint64_t number, std::string_view) {
    // 37 and 100 have no factor in common: each delay once, in no order.
    return FakeAnswer{fake_response(200, "ok"), delays.at(number * 37 % 100)};
  });
  const StageResult result = run(scenario(1, open(100)), server.port());
  expect_sound(result);
  EXPECT_THAT(outcomes(result), UnorderedElementsAre(testing::Pair(Outcome::kOk, 100)));
  const bench::Percentiles all = bench::percentiles(responses(result));
  EXPECT_GE(all.p50, 10 * kMs);
  EXPECT_LT(all.p50, 10 * kMs + kNoise);
  EXPECT_GE(all.p95, 400 * kMs);
  EXPECT_LT(all.p95, 400 * kMs + kNoise);
  EXPECT_GE(all.p99.value(), 900 * kMs);
  EXPECT_LT(all.p99.value(), 900 * kMs + kNoise);
}

TEST(Stage, ShowsAFreezeOfTheServerInEveryRequestThatWasDue) {
  const auto start = std::chrono::steady_clock::now();
  const auto freeze = start + std::chrono::seconds(4);
  const auto thaw = freeze + std::chrono::seconds(2);
  const FakeServer server([&](std::uint64_t, std::string_view) {
    const auto now = std::chrono::steady_clock::now();
    FakeAnswer answer{fake_response(200, "ok")};
    if (now >= freeze && now < thaw) {
      answer.after = std::chrono::ceil<milliseconds>(thaw - now);
    }
    return answer;
  });
  Scenario frozen = scenario(10, open(200));
  frozen.most_connections = 64;  // fewer than are due meanwhile: the others wait for one
  const StageResult result = run(frozen, server.port());
  expect_sound(result);
  EXPECT_THAT(outcomes(result), UnorderedElementsAre(testing::Pair(Outcome::kOk, 2000)));
  const std::vector<std::int64_t> times = responses(result);
  EXPECT_THAT(times, testing::Each(testing::Ge(0)));
  // 400 were due in the freeze; those of its last moments wait too short to be told apart.
  const auto delayed =
      std::count_if(times.begin(), times.end(), [](std::int64_t time) { return time > 100 * kMs; });
  EXPECT_GE(delayed, 360);
  EXPECT_LE(delayed, 460);
  const std::int64_t p99 = bench::percentiles(times).p99.value();
  EXPECT_GE(p99, 1'850 * kMs);
  EXPECT_LE(p99, 2'000 * kMs + kNoise);
}

TEST(Stage, SendsEachRequestOnceAndNoneBeforeItsTime) {
  std::mutex mutex;
  std::vector<std::string> heads;
  const FakeServer server([&](std::uint64_t, std::string_view head) {
    const std::lock_guard lock(mutex);
    heads.emplace_back(head);
    return FakeAnswer{fake_response(200, "ok")};
  });
  Scenario slow = scenario(2, open(12.5));  // fewer than the connections it may have
  slow.warmup_s = 0.4;
  const StageResult result = run(slow, server.port());
  expect_sound(result);
  ASSERT_EQ(result.records.size(), 30U);
  EXPECT_EQ(server.requests(), 30U);
  EXPECT_THAT(heads, testing::Each(testing::StartsWith("GET / HTTP/1.1\r\n")));
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(result.records[i].scheduled, static_cast<std::int64_t>(i) * 80 * kMs);
    EXPECT_EQ(result.records[i].measured, i >= 5);
    EXPECT_EQ(result.records[i].visit, 100 + i);
  }
}

// What each tenth request gets.
FakeAnswer tenth_of_each_kind(std::uint64_t number, std::string_view) {
  const std::string ok = fake_response(200, "all is well");
  switch (number % 10) {
    case 0:
      return {fake_response(503, "busy")};
    case 1:
      return {fake_response(404, "none")};
    case 2:
      return {fake_response(200, "another body")};
    case 3:
      return {"no HTTP at all\r\n"};
    case 4:
      return {ok.substr(0, ok.size() - 3), milliseconds(0), true};
    case 5:
      return {"", milliseconds(0), true};
    case 6:
      return {"", milliseconds(0), false, true};
    case 7:
      return {ok, milliseconds(2'000)};  // after its time limit
    case 8:
      return {ok, milliseconds(0), false, false, 1};
    default:
      return {ok + fake_response(200, "nobody asked for this one")};
  }
}

TEST(Stage, AccountsForEachKindOfFailure) {
  const FakeServer server(tenth_of_each_kind);
  Scenario bad = scenario(2, open(100));
  bad.timeout_s = 0.7;
  bad.scripts[0].entries = {path("/", "well")};
  const StageResult result = run(bad, server.port());
  expect_sound(result);
  EXPECT_THAT(outcomes(result),
              UnorderedElementsAre(
                  testing::Pair(Outcome::kOk, 40), testing::Pair(Outcome::kStatus5xx, 20),
                  testing::Pair(Outcome::kStatus4xx, 20), testing::Pair(Outcome::kInvalid, 40),
                  testing::Pair(Outcome::kConnection, 60), testing::Pair(Outcome::kTimedOut, 20)));
  std::set<Outcome> complaints;
  for (const Complaint& complaint : result.complaints) {
    EXPECT_FALSE(complaint.reason.empty());
    EXPECT_TRUE(complaints.insert(complaint.outcome).second);
  }
  EXPECT_EQ(complaints.size(), 5U);
  for (const Record& record : result.records) {
    if (record.outcome != Outcome::kTimedOut) continue;
    EXPECT_GE(record.done - record.sent, 700 * kMs);
    EXPECT_EQ(record.status, 0);
  }
}

TEST(Stage, AccountsForEachKindOfFailureOfClients) {
  const FakeServer server(tenth_of_each_kind);
  Scenario bad = scenario(2, closed(8));
  bad.timeout_s = 0.2;
  bad.scripts[0].entries = {path("/", "well")};
  const StageResult result = run(bad, server.port());
  expect_sound(result);
  std::map<Outcome, std::int64_t> counts = outcomes(result);
  for (const Outcome outcome : {Outcome::kOk, Outcome::kStatus5xx, Outcome::kStatus4xx,
                                Outcome::kInvalid, Outcome::kConnection, Outcome::kTimedOut}) {
    EXPECT_GT(counts[outcome], 0) << name_of(outcome);
  }
  const auto sent = std::count_if(result.records.begin(), result.records.end(),
                                  [](const Record& record) { return record.sent != kNever; });
  EXPECT_EQ(server.requests(), static_cast<std::uint64_t>(sent));
}

TEST(Stage, CallsNoAnswerASuccessThatCameAfterItsTime) {
  // Some come between two looks for what is overdue, which are some milliseconds apart.
  const FakeServer server([](std::uint64_t number, std::string_view) {
    return FakeAnswer{fake_response(200, "ok"), milliseconds(95 + number % 20)};
  });
  Scenario tight = scenario(2, open(100));
  tight.timeout_s = 0.1;
  const StageResult result = run(tight, server.port());
  expect_sound(result);
  EXPECT_GT(outcomes(result)[Outcome::kTimedOut], 100);
  for (const Record& record : result.records) {
    if (record.outcome != Outcome::kOk) continue;
    EXPECT_LE(record.done - record.sent, 100 * kMs);
  }
}

TEST(Stage, GivesUpAtTheEndOfTheDrain) {
  const FakeServer server([](std::uint64_t number, std::string_view) {
    return FakeAnswer{fake_response(200, "ok"),
                      number % 2 == 0 ? milliseconds(0) : milliseconds(60'000)};
  });
  for (const Arrival& arrival : {open(20), closed(4)}) {
    Scenario slow = scenario(0.5, arrival);
    slow.drain_s = 0.3;
    const StageResult result = run(slow, server.port());
    expect_sound(result);
    EXPECT_GT(outcomes(result)[Outcome::kTimedOut], 0);
    EXPECT_EQ(outcomes(result).size() - outcomes(result).count(Outcome::kOk), 1U);
    for (const Record& record : result.records) {
      if (record.outcome != Outcome::kTimedOut) continue;
      EXPECT_GE(record.done, 800 * kMs);
      EXPECT_LT(record.done, 800 * kMs + kNoise);
    }
  }
}

TEST(Stage, RejectsWhatComesWhileTooManyAreInFlight) {
  const FakeServer server([](std::uint64_t, std::string_view) {
    return FakeAnswer{fake_response(200, "ok"), milliseconds(1'500)};
  });
  Scenario guarded = scenario(1, open(50));
  guarded.most_in_flight = 12;
  guarded.most_connections = 5;  // those that wait for one are in flight too
  guarded.drain_s = 10;
  const StageResult result = run(guarded, server.port());
  expect_sound(result);
  EXPECT_THAT(outcomes(result), UnorderedElementsAre(testing::Pair(Outcome::kOk, 12),
                                                     testing::Pair(Outcome::kRejected, 38)));
  EXPECT_EQ(server.requests(), 12U);
  EXPECT_EQ(server.used_connections(), 5U);
  // Waiting for the server is not the driver's lateness.
}

TEST(Stage, CountsWhatTheServerRefuses) {
  for (const Arrival& arrival : {open(100), closed(3)}) {
    // The first connection only sees whether it is there.
    const FakeServer server([](std::uint64_t, std::string_view) { return FakeAnswer{}; }, 1);
    const StageResult result = run(scenario(0.5, arrival), server.port());
    expect_sound(result);
    std::map<Outcome, std::int64_t> counts = outcomes(result);
    EXPECT_EQ(counts.size(), 1U);
    EXPECT_EQ(counts[Outcome::kConnection], static_cast<std::int64_t>(result.records.size()));
    EXPECT_TRUE(!arrival.open() || result.records.size() == 50);
    // Clients pause after each failure.
    EXPECT_LE(result.records.size(), 3U * 51);
    EXPECT_GE(result.records.size(), 3U);
  }
}

TEST(Stage, DoesNotStartWithoutAServer) {
  std::uint16_t port = 0;
  {
    port = FakeServer([](std::uint64_t, std::string_view) { return FakeAnswer{}; }).port();
  }
  try {
    run(scenario(1, open(10)), port);
    FAIL() << "it started";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot connect to 127.0.0.1"));
  }
}

TEST(Stage, PipelinesAsDeepAsAsked) {
  const FakeServer server([](std::uint64_t number, std::string_view) {
    return FakeAnswer{fake_response(200, std::to_string(number)), milliseconds(5)};
  });
  const StageResult result = run(scenario(1, closed(2, 10)), server.port());
  expect_sound(result);
  EXPECT_EQ(server.most_waiting(), 10U);
  EXPECT_EQ(server.used_connections(), 2U);
  EXPECT_EQ(outcomes(result).size(), 1U);
  EXPECT_EQ(outcomes(result)[Outcome::kOk], static_cast<std::int64_t>(server.requests()));
}

TEST(Stage, LosesWhatWasPipelinedOnAConnectionThatBreaks) {
  for (const int kind : {0, 1, 2, 3}) {
    const FakeServer server([kind](std::uint64_t number, std::string_view) {
      FakeAnswer answer{fake_response(200, "ok")};
      if (number % 7 != 6) return answer;
      if (kind == 0) answer = {"", milliseconds(0), true};
      if (kind == 1) answer = {"", milliseconds(0), false, true};
      if (kind == 2)
        answer = {fake_response(200, "ok", "Connection: close\r\n"), milliseconds(0), true};
      if (kind == 3) answer = {"HTTP/1.1 200 OK\r\n\r\nto the end", milliseconds(0), true};
      return answer;
    });
    const StageResult result = run(scenario(0.5, closed(3, 10)), server.port());
    expect_sound(result);
    EXPECT_THAT(outcomes(result),
                UnorderedElementsAre(testing::Pair(Outcome::kOk, testing::Gt(10)),
                                     testing::Pair(Outcome::kConnection, testing::Gt(10))))
        << kind;
  }
}

TEST(Stage, OpensAConnectionForEachRequestWhenAsked) {
  for (const bool server_closes : {true, false}) {
    std::atomic<int> without_close{0};
    const FakeServer server([&](std::uint64_t, std::string_view head) {
      if (head.find("Connection: close\r\n") == std::string_view::npos) ++without_close;
      return FakeAnswer{
          fake_response(200, "ok", server_closes ? "Connection: close\r\n" : std::string()),
          milliseconds(0), server_closes};
    });
    for (const Arrival& arrival : {open(100), closed(4)}) {
      const std::uint64_t before = server.used_connections();
      Scenario fresh = scenario(0.5, arrival);
      fresh.new_connections = true;
      const StageResult result = run(fresh, server.port());
      expect_sound(result);
      EXPECT_EQ(outcomes(result).size(), 1U);
      EXPECT_EQ(outcomes(result)[Outcome::kOk],
                static_cast<std::int64_t>(server.used_connections() - before));
      EXPECT_GE(result.records.size(), 20U);
    }
    EXPECT_EQ(without_close, 0);
  }
}

Scenario of_sessions(double duration_s, Arrival arrival) {
  Scenario sessions = scenario(duration_s, arrival);
  sessions.scripts[0].pause_s = 0.1;
  sessions.scripts[0].entries[0].steps = {Route::kHealthz, Route::kPath};
  return sessions;
}

TEST(Stage, AsksASessionsNextStepWhenItIsDueAndTheEarlierIsAnswered) {
  const FakeServer server([](std::uint64_t number, std::string_view head) {
    // The first session's first step takes longer than the pause.
    const bool late = number == 0 && head.find("/healthz") != std::string_view::npos;
    return FakeAnswer{fake_response(200, R"({"status":"ok"})"), milliseconds(late ? 500 : 0)};
  });
  const StageResult result = run(of_sessions(1, open(20)), server.port());
  expect_sound(result);
  std::map<std::uint32_t, std::vector<Record>> visits;
  for (const Record& record : result.records) visits[record.visit].push_back(record);
  EXPECT_EQ(visits.size(), 10U);
  for (const auto& [visit, steps] : visits) {
    ASSERT_EQ(steps[0].route, Route::kHealthz);
    if (steps.size() == 1) continue;  // cut by the end
    ASSERT_EQ(steps[1].route, Route::kPath);
    EXPECT_EQ(steps[1].scheduled, steps[0].scheduled + 100 * kMs);
    EXPECT_GE(steps[1].sent, steps[0].done);
    EXPECT_EQ(steps[1].outcome, Outcome::kOk);
  }
  const std::vector<Record>& first = visits[100];
  EXPECT_GE(first[1].done - first[1].scheduled, 400 * kMs);
  EXPECT_GE(first[1].ready, first[0].done);
}

TEST(Stage, CountsTheStepsThatAFailedOnePrevents) {
  for (const Arrival& arrival : {open(40), closed(2)}) {
    const FakeServer server([](std::uint64_t, std::string_view) {
      return FakeAnswer{fake_response(500, "broken"), milliseconds(20)};
    });
    const StageResult result = run(of_sessions(0.5, arrival), server.port());
    expect_sound(result);
    std::map<Outcome, std::int64_t> counts = outcomes(result);
    EXPECT_EQ(counts.size(), 2U);
    EXPECT_GT(counts[Outcome::kStatus5xx], 5);
    // But those of the sessions at the end.
    EXPECT_GE(counts[Outcome::kSession] + 4, counts[Outcome::kStatus5xx]);
  }
}

TEST(Stage, EndsASessionThatIsOutOfStockWithoutAFailure) {
  const FakeServer server([](std::uint64_t, std::string_view request) {
    const std::size_t at = request.find("\"variant_id\":");
    const std::string variant(request.substr(at, request.find_first_of(",}", at) - at));
    return FakeAnswer{
        fake_response(200, R"({"outcome":"out_of_stock","available":0,)" + variant + "}"),
        milliseconds(5)};
  });
  for (const Arrival& arrival : {open(40), closed(2)}) {
    Scenario sold_out = of_sessions(0.5, arrival);
    sold_out.scripts[0].entries[0].steps = {Route::kAddToCart, Route::kCart};
    const StageResult result = run(sold_out, server.port());
    expect_sound(result);
    EXPECT_GE(result.records.size(), 10U);
    for (const Record& record : result.records) {
      EXPECT_EQ(record.route, Route::kAddToCart);
      EXPECT_EQ(record.outcome, Outcome::kOk);
    }
  }
}

TEST(Stage, SaysWhenTheDriverItselfWasLate) {
  const FakeServer server([](std::uint64_t, std::string_view) {
    return FakeAnswer{fake_response(200, "ok"), milliseconds(1)};
  });
  Scenario late = scenario(2.5, open(200));
  for (const double most : {100.0, 5.0}) {
    late.most_late_percent = most;
    // Whoever looks at the progress, once a second, keeps the loop from its work.
    const StageResult result =
        run_stage(late, 7, 0, questions(), {"127.0.0.1", server.port()},
                  [](const StageProgress&) { std::this_thread::sleep_for(milliseconds(300)); });
    expect_sound(result);
    EXPECT_GT(result.late_percent, 5);
    EXPECT_EQ(result.held_rate, most == 100.0);
  }
}

TEST(Stage, RunsScriptsBesideEachOther) {
  const FakeServer server([](std::uint64_t, std::string_view) {
    return FakeAnswer{fake_response(200, "ok"), milliseconds(10)};
  });
  Scenario both = scenario(1, open(50));
  both.scripts.push_back(both.scripts[0]);
  both.scripts[1].arrival = closed(3);
  both.scripts.push_back(both.scripts[0]);
  both.scripts[2].arrival.rate = 5;
  int reports = 0;
  const StageResult result = run_stage(both, 7, 0, questions(), {"127.0.0.1", server.port()},
                                       [&](const StageProgress& progress) {
                                         ++reports;
                                         EXPECT_EQ(progress.failed, 0);
                                       });
  expect_sound(result);
  EXPECT_GE(reports, 1);
  std::array<int, 3> counts{};
  std::set<std::uint32_t> visits;
  for (const Record& record : result.records) {
    ++counts.at(record.script);
    visits.insert(record.visit);
    EXPECT_EQ(record.outcome, Outcome::kOk);
  }
  EXPECT_EQ(counts[0], 50);
  EXPECT_GT(counts[1], 30);
  EXPECT_EQ(counts[2], 5);
  EXPECT_EQ(visits.size(), result.records.size());
}

// In a process of its own, which has a limit of its own: 0 when it went as it must.
int run_without_descriptors(std::uint16_t port, const Arrival& arrival) {
  const int next = ::open("/dev/null", O_RDONLY);
  // A few are the event loop's, and some may be open already; fewer are left than are needed.
  const auto most = static_cast<rlim_t>(next) + 12;
  const rlimit limit{most, most};
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return 2;
  const StageResult result = run(scenario(0.5, arrival), port);
  expect_sound(result);
  std::map<Outcome, std::int64_t> counts = outcomes(result);
  const bool as_expected =
      counts.size() == 2 && counts[Outcome::kOk] > 0 && counts[Outcome::kClient] > 0;
  return as_expected && !testing::Test::HasFailure() ? 0 : 1;
}

TEST(Stage, TakesExhaustedDescriptorsForTheDriversOwnFailure) {
  const FakeServer server([](std::uint64_t, std::string_view) {
    return FakeAnswer{fake_response(200, "ok"), milliseconds(200)};
  });
  for (const Arrival& arrival : {open(100), closed(20)}) {
    EXPECT_EXIT(std::_Exit(run_without_descriptors(server.port(), arrival)),
                testing::ExitedWithCode(0), "");
  }
}

TEST(Stage, TellsTheMachinesLimitsFromTheServers) {
  const auto outcome = [](int error) {
    return outcome_of(boost::system::error_code(error, boost::system::system_category()));
  };
  EXPECT_EQ(outcome(EADDRNOTAVAIL), Outcome::kClient);
  EXPECT_EQ(outcome(EMFILE), Outcome::kClient);
  EXPECT_EQ(outcome(ENFILE), Outcome::kClient);
  EXPECT_EQ(outcome(ECONNREFUSED), Outcome::kConnection);
  EXPECT_EQ(outcome(ECONNRESET), Outcome::kConnection);
}

int stop_while_it_runs(std::uint16_t port) {
  questions();  // drawn before the time runs
  std::thread stopper([] {
    std::this_thread::sleep_for(milliseconds(1000));
    stop_stages();
  });
  const StageResult result = run(scenario(30, open(100)), port);
  stopper.join();
  expect_sound(result);
  const bool as_expected = result.stopped && result.measured_until >= 400 * kMs &&
                           result.measured_until < 10 * kSecond && result.records.size() >= 40 &&
                           result.records.size() < 1000;
  return as_expected && !testing::Test::HasFailure() ? 0 : 1;
}

TEST(Stage, KeepsWhatItMeasuredWhenItIsStopped) {
  // A process of its own from its start on, which may have threads.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const FakeServer server(
      [](std::uint64_t, std::string_view) { return FakeAnswer{fake_response(200, "ok")}; });
  // That it was stopped is true of the process from then on.
  EXPECT_EXIT(std::_Exit(stop_while_it_runs(server.port())), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace shopmark::drive
