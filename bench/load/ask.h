// The text of requests.

#pragma once

#include <string>

#include "bench/load/questions.h"
#include "bench/load/store_rows.h"

namespace shopmark::drive {

struct Asker {
  std::string host;
  std::string token;  // empty: none
  std::string run_id;
};

// As Questions::write says.
void write_request(const StoreRows& rows, const Asker& asker, const Question& question,
                   const Session& session, bool close, std::string& out);

}  // namespace shopmark::drive
