#include "bench/cases/cases.h"

#include <gmock/gmock.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "bench/cases/parameters.h"

namespace shopmark::bench {
namespace {

using testing::HasSubstr;

struct Published {
  std::string query;
  std::string title;
  std::int64_t rows = 0;
};

// query,"title",rows,... as the published table has it; titles may be quoted.
std::vector<Published> read_published() {
  std::vector<Published> published;
  std::ifstream file(SHOPMARK_PUBLISHED_QUERIES);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::size_t comma = line.find(',');
    const bool quoted = line[comma + 1] == '"';
    const std::size_t end = quoted ? line.find('"', comma + 2) : line.find(',', comma + 1);
    const std::size_t start = comma + (quoted ? 2 : 1);
    published.push_back({line.substr(0, comma), line.substr(start, end - start),
                         std::stoll(line.substr(end + (quoted ? 2 : 1)))});
  }
  return published;
}

TEST(Cases, AreTwoBaselinesAndThePublishedQueriesInTheirOrder) {
  const std::vector<Published> published = read_published();
  ASSERT_EQ(published.size(), 18U);
  ASSERT_EQ(cases().size(), 20U);
  EXPECT_EQ(cases()[0].name, "baseline_empty_call");
  EXPECT_EQ(cases()[1].name, "baseline_round_trip");
  for (std::size_t i = 0; i < published.size(); ++i) {
    EXPECT_EQ(cases()[i + 2].name, published[i].query);
    EXPECT_EQ(cases()[i + 2].title, published[i].title);
    EXPECT_FALSE(cases()[i + 2].baseline_rows.has_value());
  }
}

TEST(Parameters, OfTheStandardStoreStartWithThePublishedRowsAndAreSeveral) {
  const ParameterLists lists = read_parameters(default_parameters_file(), "standard", cases());
  for (const Published& query : read_published()) {
    EXPECT_EQ(lists.at(query.query).front().rows, query.rows) << query.query;
    // A list of one would measure one lucky row; the page of a first page has no other.
    EXPECT_GE(lists.at(query.query).size(), 1U) << query.query;
  }
}

TEST(Parameters, AreThereForTheSmokeStoreToo) {
  const ParameterLists lists = read_parameters(default_parameters_file(), "smoke", cases());
  EXPECT_EQ(lists.size(), cases().size());
}

class ParametersFile : public testing::Test {
 protected:
  ~ParametersFile() override { std::remove(file_.c_str()); }

  // The parameters of product_page_by_slug, or what is wrong with them.
  std::vector<Parameters> read(const std::string& content) {
    std::ofstream(file_) << content;
    return read_parameters(file_, "smoke", table_).at("listing");
  }
  std::string error(const std::string& content) {
    try {
      read(content);
    } catch (const ParametersError& error) {
      return std::string(error.what()).substr(file_.size());
    }
    return {};
  }
  std::string error_of_list(const std::string& list) {
    return error("{\"smoke\": {\"listing\": " + list + "}}");
  }

  std::string file_ = testing::TempDir() + "shopmark_parameters_" + std::to_string(::getpid());
  std::vector<Case> table_ = {{.name = "listing",
                               .title = "",
                               .required = {"page"},
                               .optional = {"facets", "on_sale", "search"},
                               .call = {}}};
};

TEST_F(ParametersFile, IsReadIntoTypedValues) {
  const std::vector<Parameters> read_ = read(R"({"smoke": {"listing": [
      {"page": 3, "rows": 24},
      {"page": 1, "rows": 1, "on_sale": true, "search": "o'neil", "facets": [
        {"group": "category", "key": "shoes"}, {"group": "option", "key": "Size", "value": "M"}]}
      ]}})");
  ASSERT_EQ(read_.size(), 2U);
  EXPECT_EQ(read_[0].page, 3);
  EXPECT_EQ(read_[0].rows, 24);
  EXPECT_FALSE(read_[0].filter.search.has_value());
  EXPECT_TRUE(read_[1].filter.on_sale);
  EXPECT_EQ(read_[1].filter.search, "o'neil");
  ASSERT_EQ(read_[1].filter.facets.size(), 2U);
  EXPECT_EQ(read_[1].filter.facets[0].group, store::FacetGroup::kCategory);
  EXPECT_EQ(read_[1].filter.facets[1].group, store::FacetGroup::kOption);
  EXPECT_EQ(read_[1].filter.facets[1].value, "M");
}

TEST_F(ParametersFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(error("{}"), ": no parameters for profile smoke");
  EXPECT_EQ(error(R"({"smoke": {}})"), ": smoke, listing: no list");
  EXPECT_THAT(error("{"), HasSubstr(": not valid JSON: "));
  EXPECT_EQ(error_of_list("[]"), ": smoke, listing: not a list, or empty");
  EXPECT_EQ(error_of_list("[7]"), ": smoke, listing, parameter 1: is not an object");
  EXPECT_EQ(error_of_list(R"([{"page": 1, "rows": 1}, {"page": 1}])"),
            ": smoke, listing, parameter 2: \"rows\" is missing");
  EXPECT_EQ(error_of_list(R"([{"rows": 1}])"),
            ": smoke, listing, parameter 1: \"page\" is missing");
  EXPECT_EQ(error_of_list(R"([{"page": "1", "rows": 1}])"),
            ": smoke, listing, parameter 1: \"page\" is not an integer");
  EXPECT_EQ(error_of_list(R"([{"page": 0, "rows": 1}])"),
            ": smoke, listing, parameter 1: \"page\" is less than 1");
  EXPECT_EQ(error_of_list(R"([{"page": 1, "rows": 1, "slug": "x"}])"),
            ": smoke, listing, parameter 1: \"slug\" is not a key of this case");
  EXPECT_EQ(
      error_of_list(R"([{"page": 1, "rows": 1, "facets": [{"group": "colour", "key": "x"}]}])"),
      ": smoke, listing, parameter 1, facet 1: unknown group \"colour\"");
}

// A query that returns nothing wins every benchmark.
TEST_F(ParametersFile, MustExpectARow) {
  EXPECT_EQ(error_of_list(R"([{"page": 1, "rows": 0}])"),
            ": smoke, listing, parameter 1: \"rows\" is less than 1");
}

TEST_F(ParametersFile, ThatIsMissingIsNamed) {
  EXPECT_THROW(read_parameters("/nowhere/parameters.json", "smoke", table_), ParametersError);
}

}  // namespace
}  // namespace shopmark::bench
