#include "bench/http/metrics.h"

#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>

#include "bench/http/answer_text.h"
#include "tests/bench/http/fake_shop.h"
#include "tests/bench/http/raw_client.h"

namespace shopmark::http {
namespace {

using std::chrono::microseconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(Metrics, CountsByRouteAndClassOfStatus) {
  Metrics metrics;
  metrics.answered("cart", 200, microseconds(90));
  metrics.answered(std::string_view(std::string("cart")), 201, microseconds(100));
  metrics.answered("cart", 404, microseconds(101));
  metrics.answered("home", 503, std::chrono::seconds(11));
  const std::string text = metrics.text({});
  EXPECT_THAT(text, HasSubstr("requests_total{route=\"cart\",class=\"2xx\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("requests_total{route=\"cart\",class=\"4xx\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("requests_total{route=\"home\",class=\"5xx\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("duration_seconds_bucket{route=\"cart\",le=\"0.0001\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("duration_seconds_bucket{route=\"cart\",le=\"0.00025\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("duration_seconds_bucket{route=\"home\",le=\"10.0\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("duration_seconds_bucket{route=\"home\",le=\"+Inf\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("duration_seconds_sum{route=\"cart\"} 0.000291\n"));
  EXPECT_THAT(text, HasSubstr("duration_seconds_sum{route=\"home\"} 11.0\n"));
  EXPECT_THAT(text, EndsWith("# EOF\n"));
}

// Prometheus's own reader is as strict as the format.
TEST(Metrics, TheServersTextIsOpenMetrics) {
  RunningServer running;
  RawClient client(running.server.port());
  client.send(get("/number/1") + get("/nowhere") + get("/throw") + get("/healthz") +
              get("/metrics"));
  for (int i = 0; i < 4; ++i) client.answer();
  const Answer answer = client.answer();
  EXPECT_EQ(answer.header("Content-Type"),
            "application/openmetrics-text; version=1.0.0; charset=utf-8");
  const std::string file = ::testing::TempDir() + "shopmark_metrics_test.txt";
  std::ofstream(file) << answer.body;
  const std::string command =
      "/usr/bin/python3 -c 'import sys\n"
      "from prometheus_client.openmetrics.parser import text_string_to_metric_families\n"
      "for family in text_string_to_metric_families(open(sys.argv[1]).read()):\n"
      "    print(family.name, family.type, len(family.samples))' " +
      file;
  std::string families;
  FILE* const pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::array<char, 4096> bytes;
  while (const std::size_t size = std::fread(bytes.data(), 1, bytes.size(), pipe)) {
    families.append(bytes.data(), size);
  }
  EXPECT_EQ(::pclose(pipe), 0);
  std::remove(file.c_str());
  EXPECT_THAT(families, HasSubstr("shopmark_http_requests counter 4\n"));
  EXPECT_THAT(families, HasSubstr("shopmark_http_request_duration_seconds histogram 72\n"));
  EXPECT_THAT(families, HasSubstr("shopmark_http_workers_ready gauge 1\n"));
}

TEST(AnswerText, TheDateIsThatOfTheSecond) {
  DateText date;
  date.refresh(784'111'777);
  EXPECT_EQ(date.text(), "Sun, 06 Nov 1994 08:49:37 GMT");
  date.refresh(1'788'048'000);
  EXPECT_EQ(date.text(), "Sun, 30 Aug 2026 00:00:00 GMT");
}

}  // namespace
}  // namespace shopmark::http
