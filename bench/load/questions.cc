#include "bench/load/questions.h"

#include <utility>

#include "bench/load/answers.h"
#include "bench/load/ask.h"
#include "bench/load/store_rows.h"

namespace shopmark::drive {

struct Questions::Store {
  StoreRows rows;
  Asker asker;
};

Questions::Questions(const seed::Profile& profile, std::string host, std::string token,
                     std::string run_id)
    : store_(std::make_unique<const Store>(Store{
          read_store_rows(profile), {std::move(host), std::move(token), std::move(run_id)}})) {}

Questions::~Questions() = default;

void Questions::write(const Question& question, const Session& session, bool close,
                      std::string& out) const {
  write_request(store_->rows, store_->asker, question, session, close, out);
}

std::optional<std::string> Questions::check(const Question& question, Session& session,
                                            unsigned status, std::string& body) const {
  return check_answer(store_->rows, question, session, status, body);
}

}  // namespace shopmark::drive
