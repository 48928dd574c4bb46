#include "bench/overhead/recorder.h"

#include <stdexcept>
#include <utility>

namespace shopmark::bench {

namespace {

class RecordingRows final : public engine::Rows {
 public:
  RecordingRows(Recording& recording, std::size_t statement)
      : recording_(recording), statement_(statement) {}

  void start(engine::Rows& inner, std::size_t run) {
    inner_ = &inner;
    run_ = run;
  }
  bool next() override {
    ++recording_.call[run_].steps;
    return inner_->next();
  }
  bool is_null(int column) const override {
    use(column).asked_for_null = true;
    return inner_->is_null(column);
  }
  std::int64_t integer(int column) const override {
    use(column).as_integer = true;
    return inner_->integer(column);
  }
  std::string_view text(int column) const override {
    use(column).as_text = true;
    return inner_->text(column);
  }
  void close() noexcept override {
    if (inner_ != nullptr) inner_->close();
  }

 private:
  ColumnUse& use(int column) const {
    std::vector<ColumnUse>& columns = recording_.statements[statement_].columns;
    const auto index = static_cast<std::size_t>(column);
    if (columns.size() <= index) columns.resize(index + 1);
    return columns[index];
  }

  Recording& recording_;
  std::size_t statement_;
  engine::Rows* inner_ = nullptr;
  std::size_t run_ = 0;
};

class RecordingStatement final : public engine::Statement {
 public:
  RecordingStatement(engine::Statement& inner, Recording& recording, std::size_t statement)
      : inner_(inner), recording_(recording), statement_(statement), rows_(recording, statement) {}

  engine::Rows& query(std::span<const engine::Parameter> parameters) override {
    write_down(parameters, 0);
    rows_.start(inner_.query(parameters), recording_.call.size() - 1);
    return rows_;
  }
  std::int64_t execute(std::span<const engine::Parameter> parameters) override {
    write_down(parameters, 1);
    return inner_.execute(parameters);
  }
  std::vector<std::string> columns() const override { return inner_.columns(); }
  const std::string& name() const override { return inner_.name(); }
  std::vector<std::string> explain(std::span<const engine::Parameter> parameters) override {
    return inner_.explain(parameters);
  }
  void start_counting(std::span<const engine::Parameter> parameters) override {
    inner_.start_counting(parameters);
  }
  engine::Work stop_counting() override { return inner_.stop_counting(); }

 private:
  void write_down(std::span<const engine::Parameter> parameters, std::int64_t steps) {
    RecordedRun run;
    run.statement = statement_;
    run.steps = steps;
    for (const engine::Parameter& parameter : parameters) {
      Binding binding;
      binding.name = parameter.name;
      binding.kind = parameter.value.kind();
      if (binding.kind == seed::Cell::Kind::kInteger) binding.integer = parameter.value.integer();
      if (binding.kind == seed::Cell::Kind::kText) binding.text = parameter.value.text();
      run.bindings.push_back(std::move(binding));
    }
    recording_.call.push_back(std::move(run));
  }

  engine::Statement& inner_;
  Recording& recording_;
  std::size_t statement_;
  RecordingRows rows_;
};

class RecordingConnection final : public engine::Connection {
 public:
  RecordingConnection(engine::Connection& inner, Recording& recording)
      : inner_(inner), recording_(recording) {}

  std::string_view dialect() const override { return inner_.dialect(); }
  engine::EngineInfo info() override { return inner_.info(); }

  engine::Statement& prepare(std::string_view name, std::string_view sql) override {
    engine::Statement& statement = inner_.prepare(name, sql);
    auto& kept = statements_[&statement];
    if (kept == nullptr) {
      kept = std::make_unique<RecordingStatement>(statement, recording_,
                                                  recording_.add_statement(sql));
    }
    return *kept;
  }
  void execute(std::string_view sql) override {
    run_plain(sql);
    inner_.execute(sql);
  }
  void begin(engine::TransactionKind kind) override {
    run_plain(kind == engine::TransactionKind::kWrite ? "BEGIN IMMEDIATE" : "BEGIN");
    inner_.begin(kind);
  }
  void commit() override {
    run_plain("COMMIT");
    inner_.commit();
  }
  void rollback() noexcept override {
    run_plain("ROLLBACK");
    inner_.rollback();
  }
  std::vector<std::string> tables() override { return inner_.tables(); }
  std::string create_table(const schema::Table& table) const override {
    return inner_.create_table(table);
  }
  void begin_load() override { refuse(); }
  std::unique_ptr<engine::BulkLoad> load(const schema::Table&) override { refuse(); }
  void end_load() override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    throw std::logic_error("a recorded connection loads nothing");
  }

  void run_plain(std::string_view sql) {
    auto found = plain_.find(sql);
    if (found == plain_.end()) found = plain_.emplace(sql, recording_.add_statement(sql)).first;
    RecordedRun run;
    run.statement = found->second;
    run.steps = 1;
    recording_.call.push_back(std::move(run));
  }

  engine::Connection& inner_;
  Recording& recording_;
  std::map<engine::Statement*, std::unique_ptr<RecordingStatement>> statements_;
  std::map<std::string, std::size_t, std::less<>> plain_;
};

}  // namespace

std::size_t Recording::add_statement(std::string_view sql) {
  statements.push_back({std::string(sql), {}});
  return statements.size() - 1;
}

std::unique_ptr<engine::Connection> record(engine::Connection& inner, Recording& recording) {
  return std::make_unique<RecordingConnection>(inner, recording);
}

}  // namespace shopmark::bench
