# The functions that the folders' CMakeLists.txt use. Flags reach a target only through
# shopmark_flags.

add_library(shopmark_flags INTERFACE)
target_compile_options(shopmark_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                -Wnon-virtual-dtor -Woverloaded-virtual)
# GCC 12.2 at -O3 calls an unrelated function (memcpy) where it guesses that a virtual call ends in a
# thunk of a class with two bases; seen in Rows::nullable_integer, as compiled beside MariaDB's
# PreparedStatement.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(shopmark_flags INTERFACE -fno-devirtualize-speculatively)
endif()
if(SHOPMARK_WERROR)
  target_compile_options(shopmark_flags INTERFACE -Werror)
endif()
if(SHOPMARK_SANITIZE)
  set(sanitize_flags -fsanitize=${SHOPMARK_SANITIZE} -fno-sanitize-recover=all
                     -fno-omit-frame-pointer)
  target_compile_options(shopmark_flags INTERFACE ${sanitize_flags})
  target_link_options(shopmark_flags INTERFACE ${sanitize_flags})
endif()
# Includes are written from the root.
target_include_directories(shopmark_flags INTERFACE ${CMAKE_SOURCE_DIR})

# shopmark_library(NAME SOURCES a.cc... LIBRARIES public... PRIVATE_LIBRARIES private...)
function(shopmark_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;PRIVATE_LIBRARIES")
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC shopmark_flags ${arg_LIBRARIES}
                                PRIVATE ${arg_PRIVATE_LIBRARIES})
endfunction()

# shopmark_program(NAME SOURCES a.cc... LIBRARIES ...): an executable in the build tree's bin/.
function(shopmark_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE shopmark_flags ${arg_LIBRARIES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()

# What the tests with the label http run, so that these can be built alone.
add_custom_target(http_tests)

# shopmark_label(TEST LABELS label... PROGRAMS target...): labels the ctest test; the programs are what
# it runs.
function(shopmark_label test)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LABELS;PROGRAMS")
  set_tests_properties(${test} PROPERTIES LABELS "${arg_LABELS}")
  if("http" IN_LIST arg_LABELS)
    add_dependencies(http_tests ${arg_PROGRAMS})
  endif()
endfunction()

# shopmark_engine_test(NAME ENGINES sqlite... SOURCES a.cc... LIBRARIES ... [LABEL label]
#                      [TIMEOUT seconds]): one GoogleTest binary as a ctest test NAME.ENGINE on each
# engine (tests/fixtures/engine/main.cc), with the label engine and that one. Without a server it is
# skipped.
function(shopmark_engine_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL;TIMEOUT" "ENGINES;SOURCES;LIBRARIES")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  add_executable(${name} ${arg_SOURCES} ${CMAKE_SOURCE_DIR}/tests/fixtures/engine/main.cc)
  target_link_libraries(${name} PRIVATE shopmark_flags shopmark_engine ${arg_LIBRARIES}
                                        GTest::gmock)
  foreach(engine ${arg_ENGINES})
    add_test(NAME ${name}.${engine} COMMAND ${name})
    set_tests_properties(${name}.${engine}
                         PROPERTIES TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77
                                    ENVIRONMENT SHOPMARK_TEST_ENGINE=${engine})
    shopmark_label(${name}.${engine} LABELS engine ${arg_LABEL} PROGRAMS ${name})
  endforeach()
endfunction()

# shopmark_test(NAME LABEL label... SOURCES a.cc... LIBRARIES ... [TIMEOUT seconds]): one GoogleTest
# binary as one ctest test.
function(shopmark_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "LABEL;SOURCES;LIBRARIES")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE shopmark_flags ${arg_LIBRARIES} GTest::gmock_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT})
  shopmark_label(${name} LABELS ${arg_LABEL} PROGRAMS ${name})
endfunction()
