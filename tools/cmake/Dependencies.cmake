# Everything that is not ours comes from the distribution. What is missing is named together with
# the Debian package that brings it.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

find_package(benchmark CONFIG QUIET)
find_package(GTest CONFIG QUIET)
find_package(nlohmann_json CONFIG QUIET)
find_package(absl CONFIG QUIET)
find_package(Boost 1.74 CONFIG QUIET)
find_package(OpenSSL QUIET)
find_package(RapidJSON CONFIG QUIET)
pkg_check_modules(SQLITE3 QUIET IMPORTED_TARGET sqlite3)
pkg_check_modules(MARIADB QUIET IMPORTED_TARGET libmariadb)
pkg_check_modules(PQ QUIET IMPORTED_TARGET libpq)
pkg_check_modules(PQXX QUIET IMPORTED_TARGET libpqxx)
pkg_check_modules(XXHASH QUIET IMPORTED_TARGET libxxhash)

set(missing "")
foreach(pair benchmark=libbenchmark-dev GTest=libgmock-dev nlohmann_json=nlohmann-json3-dev
             absl=libabsl-dev SQLITE3=libsqlite3-dev MARIADB=libmariadb-dev
             PQ=libpq-dev PQXX=libpqxx-dev XXHASH=libxxhash-dev Boost=libboost-dev
             OpenSSL=libssl-dev RapidJSON=rapidjson-dev)
  string(REPLACE "=" ";" pair ${pair})
  list(GET pair 0 name)
  list(GET pair 1 package)
  if(NOT ${name}_FOUND)
    list(APPEND missing "${name} (apt-get install ${package})")
  endif()
endforeach()
if(missing)
  list(JOIN missing ", " missing)
  message(FATAL_ERROR "missing: ${missing}")
endif()

# RapidJSON 1.1 brings variables alone.
if(NOT TARGET RapidJSON)
  add_library(RapidJSON INTERFACE IMPORTED)
  target_include_directories(RapidJSON INTERFACE ${RapidJSON_INCLUDE_DIRS}
                                                 ${RAPIDJSON_INCLUDE_DIRS})
endif()
