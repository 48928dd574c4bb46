// A run of shopmark-bench from open targets to exit status.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/run/google_flags.h"
#include "fixtures/engine/engine.h"
#include "fixtures/fixture.h"

namespace shopmark::bench {

struct Options {
  std::vector<engine::Target> targets;  // of different names
  FixtureOptions fixture;
  // By name of a target, the folder of its statements where it is not the fixture's.
  std::map<std::string, std::string> queries_of_target;
  std::string parameters_file;
  int warmup = 5;
  int samples = 25;
  bool samples_given = false;
  // Compare every answer with the store's without SQL; without it only rows are counted.
  bool oracle = true;
  // Ask for the answers to all parameters before a case is timed.
  bool verify = true;
  // Samples of each target in turn; 0: each target has all of a case's at once.
  int interleave = 0;
  // Take each statement's plan and count its work once all is timed.
  bool plans = true;
};

// Opens the targets and times the cases. Throws what Fixture::open and read_parameters throw, and
// OutputError, all before anything is measured. The exit status.
int run(const Options& options, const GoogleFlags& flags);

// Calls every case with every parameter once, untimed, compares the answers and prints how many
// rows came.
int check(const Options& options);

}  // namespace shopmark::bench
