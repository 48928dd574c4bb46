// The pass behind the timing: which plans the statements of each case have, and what the engines
// counted while they ran.

#pragma once

#include <vector>

#include "bench/run/case_run.h"
#include "bench/run/document.h"

namespace shopmark::bench {

// Calls each case that has not failed with each of its parameters. By target and query: `work`, the
// sum over its statements, and `statements`, each with its name, `calls`, `plans` and `work`; of a
// case that goes wrong `error` alone, which is its first_error() then. Cases without statements are
// not in it, nor those that a stop came before.
Json observe(const std::vector<CaseRun*>& runs);

}  // namespace shopmark::bench
