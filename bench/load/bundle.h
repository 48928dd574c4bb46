// The folder of evidence that a load run leaves. SHA256SUMS comes last: a bundle without it was
// interrupted.

#pragma once

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/load/scenario.h"
#include "bench/load/stage.h"

namespace shopmark::drive {

// One line that names the file.
class BundleError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Bundle {
 public:
  // Makes the folder, which must not exist. Throws BundleError, as everything here does.
  explicit Bundle(const std::string& folder);

  const std::string& folder() const { return folder_; }
  // Appends the requests of a stage to requests.csv and its orders to orders.csv.
  void add_stage(const Scenario& scenario, const StageResult& result, std::int64_t run,
                 std::int64_t stage);
  // A line for log.txt.
  void log(const std::string& line);
  void write(const std::string& name, std::string_view content);
  // Ends the files that are open, and writes SHA256SUMS over all.
  void finish();

 private:
  void append(std::ofstream& file, const char* name, std::string_view text);

  std::string folder_;
  std::ofstream requests_;
  std::ofstream orders_;
  std::ofstream log_;
};

// environment.json: the machine, its kernel and processors' governor, the build, the command line
// without secrets, and the digest of the scenario.
std::string environment_text(const std::vector<std::string>& command_line,
                             const Scenario& scenario);

// Lower-case hexadecimal.
std::string sha256_of(std::string_view bytes);

}  // namespace shopmark::drive
