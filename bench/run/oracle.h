// What every call of every case must answer: what the store without SQL answers.
//
// Filling that store takes seconds and, for `standard`, 0.6 GB. So the digests of its answers are
// kept in a file, for the next run of the same program with the same parameters; the store itself
// is needed again only to show what an answer should have been. The file is never trusted further
// than that: an answer that is not what the file says is compared with the store's own.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cases/cases.h"
#include "bench/cases/parameters.h"
#include "fixtures/store/store.h"

namespace shopmark::bench {

class Oracle {
 public:
  struct Options {
    const std::vector<Case>* cases = nullptr;
    ParameterLists parameters;
    // Fills the store without SQL. Called when it is needed, and each time after forget().
    std::function<std::unique_ptr<store::Store>()> open;
    // Of the answers' file; empty: none is kept. A file that cannot be read or written, or whose
    // key is another, counts as none.
    std::string file;
    // Of all that the answers depend on: the program, the parameters, the data.
    std::string key;
  };

  explicit Oracle(Options options);
  ~Oracle();
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  // Knows every answer from here on, from the file or by filling the store.
  void prepare();

  // What is wrong with an answer to parameter `index`, empty when nothing is. Then the first line
  // that differs, whole, follows on further lines.
  struct Difference {
    std::string summary;  // one line, shortened
    std::string lines;    // both lines, whole
    bool empty() const { return summary.empty(); }
  };
  Difference compare(const Case& timed, std::size_t index, std::string_view text);

  // Frees the store, so that it is not there while something is timed.
  void forget();

 private:
  using Digests = std::map<std::string, std::vector<std::string>, std::less<>>;

  store::Store& store();
  bool read_file();
  void write_file() const;

  Options options_;
  Digests digests_;
  std::unique_ptr<store::Store> store_;
};

// The first line in which two answers differ.
Oracle::Difference first_difference(std::string_view is, std::string_view must_be);

// Names the program that is running by its bytes. Empty when it cannot be read.
std::string program_digest();
// Beside the program that is running: a folder that goes with it. Empty when its place is unknown.
std::string oracle_folder();

}  // namespace shopmark::bench
