#include "bench/run/build_info.h"

#include "shopmark_commit.h"

namespace shopmark::bench {

BuildInfo build_info() {
#ifdef __clang__
  static constexpr const char* kCompiler = "Clang " __clang_version__;
#else
  static constexpr const char* kCompiler = "GCC " __VERSION__;
#endif
  return {SHOPMARK_BUILD_TYPE, kCompiler, kCommit, kDirty};
}

}  // namespace shopmark::bench
