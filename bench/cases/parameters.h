// What each call of a case is given, read before anything is timed.
//
// The file is {"PROFILE": {"CASE": [{..., "rows": N}, ...]}}: a list per case, one object per call
// in turn, `rows` what the call must return. Which keys a case takes stands in the table of cases.

#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fixtures/store/catalog.h"
#include "fixtures/store/reports.h"

namespace shopmark::bench {

struct Case;

// One call's arguments; a case reads those that it takes.
struct Parameters {
  store::Filter filter;
  std::int64_t page = 1;
  std::string slug;
  std::string text;
  std::string number;
  std::string email;
  std::string token;
  store::Period period;
  std::int64_t limit = 0;
  std::int64_t variant_id = 0;
  std::int64_t quantity = 0;
  std::int64_t rows = 0;  // expected
};

// By case name; never an empty list.
using ParameterLists = std::map<std::string, std::vector<Parameters>, std::less<>>;

// One line that names the file and what is wrong in it.
class ParametersError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The lists of a profile for these cases, baselines included. Throws ParametersError: no list for
// the profile or a case, a key that is missing, unknown or of the wrong type, no row expected.
ParameterLists read_parameters(const std::string& file, std::string_view profile,
                               const std::vector<Case>& cases);

// The file of the tree that this was built from, or what SHOPMARK_PARAMETERS names.
std::string default_parameters_file();

}  // namespace shopmark::bench
