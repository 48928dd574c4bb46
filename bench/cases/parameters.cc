#include "bench/cases/parameters.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/cases/cases.h"

namespace shopmark::bench {

namespace {

using nlohmann::json;

// Reads the keys of one object; `where` leads every message.
class Reader {
 public:
  Reader(const json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) fail("is not an object");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw ParametersError(where_ + ": " + what);
  }
  [[noreturn]] void fail(std::string_view key, std::string_view what) const {
    fail(std::string("\"").append(key).append("\" ").append(what));
  }

  std::string text(const char* key) const {
    const json& value = at(key);
    if (!value.is_string()) fail(key, "is not text");
    return value.get<std::string>();
  }

  std::int64_t integer(const char* key, std::int64_t least) const {
    const json& value = at(key);
    if (!value.is_number_integer()) fail(key, "is not an integer");
    const std::int64_t number = value.get<std::int64_t>();
    if (number < least) {
      fail(key, "is less than " + std::to_string(least));
    }
    return number;
  }

  bool boolean(const char* key) const {
    const json& value = at(key);
    if (!value.is_boolean()) fail(key, "is not true or false");
    return value.get<bool>();
  }

  std::vector<store::Facet> facets(const char* key) const {
    static constexpr std::pair<std::string_view, store::FacetGroup> kGroups[] = {
        {"category", store::FacetGroup::kCategory},
        {"tag", store::FacetGroup::kTag},
        {"attribute", store::FacetGroup::kAttribute},
        {"option", store::FacetGroup::kOption}};
    const json& list = at(key);
    if (!list.is_array()) fail(key, "is not a list");
    std::vector<store::Facet> facets;
    for (const json& item : list) {
      const Reader reader(item, where_ + ", facet " + std::to_string(facets.size() + 1));
      const std::string group = reader.text("group");
      const auto* found = std::find_if(std::begin(kGroups), std::end(kGroups),
                                       [&](const auto& known) { return known.first == group; });
      if (found == std::end(kGroups)) reader.fail("unknown group \"" + group + "\"");
      facets.push_back({found->second, reader.text("key"),
                        item.contains("value") ? reader.text("value") : std::string()});
    }
    return facets;
  }

 private:
  const json& at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) fail(key, "is missing");
    return *found;
  }

  const json& object_;
  std::string where_;
};

Parameters read_one(const json& object, const Case& timed, const std::string& where) {
  const Reader reader(object, where);
  Parameters parameters;
  parameters.rows = reader.integer("rows", 1);
  for (const std::string_view key : timed.required) {
    if (!object.contains(key)) reader.fail(key, "is missing");
  }
  const auto takes = [&](const std::string& key) {
    return std::count(timed.required.begin(), timed.required.end(), key) +
               std::count(timed.optional.begin(), timed.optional.end(), key) >
           0;
  };
  for (const auto& [key, value] : object.items()) {
    if (key == "rows") continue;
    if (!takes(key)) reader.fail(key, "is not a key of this case");
    if (key == "facets") {
      parameters.filter.facets = reader.facets("facets");
    } else if (key == "on_sale") {
      parameters.filter.on_sale = reader.boolean("on_sale");
    } else if (key == "search") {
      parameters.filter.search = reader.text("search");
    } else if (key == "page") {
      parameters.page = reader.integer("page", 1);
    } else if (key == "slug") {
      parameters.slug = reader.text("slug");
    } else if (key == "text") {
      parameters.text = reader.text("text");
    } else if (key == "number") {
      parameters.number = reader.text("number");
    } else if (key == "email") {
      parameters.email = reader.text("email");
    } else if (key == "token") {
      parameters.token = reader.text("token");
    } else if (key == "from") {
      parameters.period.from = reader.integer("from", 0);
    } else if (key == "until") {
      parameters.period.until = reader.integer("until", 0);
    } else if (key == "limit") {
      parameters.limit = reader.integer("limit", 1);
    } else if (key == "variant_id") {
      parameters.variant_id = reader.integer("variant_id", 1);
    } else if (key == "quantity") {
      parameters.quantity = reader.integer("quantity", 1);
    } else {
      reader.fail(key, "is known to no case");
    }
  }
  return parameters;
}

json read_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw ParametersError(file + ": cannot be read");
  try {
    return json::parse(stream);
  } catch (const json::exception& error) {
    throw ParametersError(file + ": not valid JSON: " + error.what());
  }
}

}  // namespace

ParameterLists read_parameters(const std::string& file, std::string_view profile,
                               const std::vector<Case>& cases) {
  const json document = read_file(file);
  if (!document.is_object() || !document.contains(profile)) {
    throw ParametersError(file + ": no parameters for profile " + std::string(profile));
  }
  const json& of_profile = document.at(std::string(profile));
  ParameterLists lists;
  for (const Case& timed : cases) {
    if (timed.baseline_rows) {
      Parameters parameters;
      parameters.rows = *timed.baseline_rows;
      lists[timed.name] = {parameters};
      continue;
    }
    const std::string where = file + ": " + std::string(profile) + ", " + timed.name;
    if (!of_profile.is_object() || !of_profile.contains(timed.name)) {
      throw ParametersError(where + ": no list");
    }
    const json& list = of_profile.at(timed.name);
    if (!list.is_array() || list.empty()) throw ParametersError(where + ": not a list, or empty");
    std::vector<Parameters>& to = lists[timed.name];
    for (const json& object : list) {
      to.push_back(read_one(object, timed, where + ", parameter " + std::to_string(to.size() + 1)));
    }
  }
  return lists;
}

std::string default_parameters_file() {
  const char* from_environment = std::getenv("SHOPMARK_PARAMETERS");
  return from_environment != nullptr && *from_environment != '\0' ? from_environment
                                                                  : SHOPMARK_PARAMETERS_FILE;
}

}  // namespace shopmark::bench
