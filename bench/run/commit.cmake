# Writes OUTPUT, a header with the commit of SOURCE, on every build; touches it only when it changed.

cmake_minimum_required(VERSION 3.25)

set(commit "unknown")
set(dirty "false")
find_program(git git)
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse HEAD
                  RESULT_VARIABLE status OUTPUT_VARIABLE head ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(status EQUAL 0)
    set(commit ${head})
    execute_process(COMMAND ${git} -C ${SOURCE} status --porcelain --untracked-files=no
                    OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      set(dirty "true")
    endif()
  endif()
endif()

file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"#pragma once

namespace shopmark::bench {

inline constexpr const char* kCommit = \"@commit@\";
inline constexpr bool kDirty = @dirty@;

}  // namespace shopmark::bench
")
