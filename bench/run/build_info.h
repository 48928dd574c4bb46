// What this binary was built from.

#pragma once

namespace shopmark::bench {

struct BuildInfo {
  const char* build_type;  // Release, Debug, ...
  const char* compiler;
  const char* commit;  // of the last build; "unknown" outside git
  bool dirty;          // tracked files differed from the commit
};

BuildInfo build_info();

}  // namespace shopmark::bench
