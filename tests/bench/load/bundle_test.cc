#include "bench/load/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/bench/load/made_up.h"

namespace shopmark::drive {
namespace {

using ::testing::HasSubstr;

class BundleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "shopmark-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    parent_ = pattern;
    folder_ = parent_ + "/a/bundle";
  }
  void TearDown() override { std::filesystem::remove_all(parent_); }

  std::string text_of(const std::string& name) const {
    std::ifstream file(folder_ + '/' + name);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  // As anyone would check them.
  bool sums_are_right() const {
    const std::string command =
        "cd '" + folder_ + "' && sha256sum --check --strict --quiet SHA256SUMS >/dev/null 2>&1";
    return std::system(command.c_str()) == 0;  // NOLINT(concurrency-mt-unsafe)
  }

  std::string parent_;
  std::string folder_;
};

TEST_F(BundleTest, EveryRequestIsALineAndWhatNeverHappenedIsEmpty) {
  const Scenario scenario = scenario_with({}, kOpen);
  Record warmup = answered(0, 9, 4);
  warmup.measured = false;
  Record broken = failed(20, Outcome::kStatus5xx);
  broken.sent = 21;
  broken.begun = broken.ready = 20;
  broken.done = 25;
  broken.status = 503;
  broken.route = Route::kSearch;
  Bundle bundle(folder_);
  bundle.add_stage(scenario, result_of({warmup, broken, failed(30, Outcome::kRejected)}), 1, 2);
  bundle.finish();
  EXPECT_EQ(text_of("requests.csv"),
            "run,stage,phase,script,route,scheduled_ns,sent_ns,done_ns,status,outcome,late_ns\n"
            "1,2,warmup,shop,home,0,4,9,200,ok,4\n"
            "1,2,measured,shop,search,20,21,25,503,status_5xx,1\n"
            "1,2,measured,shop,home,30,,,,rejected,\n");
}

TEST_F(BundleTest, OrdersOfAllStagesAreKept) {
  const Scenario scenario = scenario_with({}, kOpen);
  StageResult result = result_of({});
  result.orders = {{"W-1", 1234}, {"W-2", 0}};
  Bundle bundle(folder_);
  bundle.add_stage(scenario, result, 0, 0);
  result.orders = {{"W-3", 5}};
  bundle.add_stage(scenario, result, 1, 0);
  bundle.finish();
  EXPECT_THAT(text_of("orders.csv"), HasSubstr("\nW-1,1234\nW-2,0\nW-3,5\n"));
}

TEST_F(BundleTest, TheSumsAreOfAllFilesAsSha256sumChecksThem) {
  Bundle bundle(folder_);
  bundle.log("begun");
  bundle.write("summary.json", "{}\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/SHA256SUMS")) << "comes last";
  bundle.finish();
  EXPECT_TRUE(sums_are_right());
  const std::string sums = text_of("SHA256SUMS");
  for (const char* name : {"log.txt", "orders.csv", "requests.csv", "summary.json"}) {
    EXPECT_THAT(sums, HasSubstr(std::string("  ") + name + "\n"));
  }
  std::ofstream(folder_ + "/summary.json") << "{ }\n";
  EXPECT_FALSE(sums_are_right());
}

TEST_F(BundleTest, AFolderThatExistsIsRefused) {
  std::filesystem::create_directories(folder_);
  try {
    Bundle bundle(folder_);
    FAIL() << "was overwritten";
  } catch (const BundleError& error) {
    EXPECT_THAT(error.what(), HasSubstr(folder_ + ": exists already"));
  }
}

TEST_F(BundleTest, AParentThatIsAFileIsRefusedWithItsName) {
  std::ofstream(parent_ + "/a") << "x";
  try {
    Bundle bundle(folder_);
    FAIL() << "was made";
  } catch (const BundleError& error) {
    EXPECT_THAT(error.what(), HasSubstr(folder_));
  }
}

TEST(Sha256Test, OfAbcIsAsTheStandardSays) {
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(EnvironmentTest, NamesMachineBuildCommandAndScenario) {
  const Scenario scenario = scenario_with({}, kOpen);
  const auto json =
      nlohmann::json::parse(environment_text({"shopmark-load", "storefront"}, scenario));
  EXPECT_EQ(json.at("command_line").at(1), "storefront");
  EXPECT_EQ(json.at("scenario_sha256"), sha256_of(scenario.source.dump()));
  for (const char* name : {"date", "host", "kernel", "processors", "governor", "build"}) {
    EXPECT_TRUE(json.contains(name)) << name;
  }
}

}  // namespace
}  // namespace shopmark::drive
