// Whether an answer is what was asked for.

#pragma once

#include <optional>
#include <string>

#include "bench/load/questions.h"
#include "bench/load/store_rows.h"

namespace shopmark::drive {

// As Questions::check says.
std::optional<std::string> check_answer(const StoreRows& rows, const Question& question,
                                        Session& session, unsigned status, std::string& body);

}  // namespace shopmark::drive
