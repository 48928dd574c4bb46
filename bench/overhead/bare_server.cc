#include "bench/overhead/bare_server.h"

#include <libpq-fe.h>
#include <mysql.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "fixtures/engine/mariadb/session.h"
#include "fixtures/engine/named_parameters.h"

namespace shopmark::bench {

namespace {

[[noreturn]] void fail(const char* library, const char* message) {
  throw std::runtime_error(std::string(library) + ": " + message);
}

class PostgresQuery final : public BareQuery {
 public:
  PostgresQuery(const engine::Target& target, const std::map<std::string, std::string>& settings,
                const std::string& sql)
      : connection_(PQconnectdb(("postgresql:" + target.address).c_str())) {
    check(PQstatus(connection_.get()) == CONNECTION_OK);
    for (const char* name : {"plan_cache_mode", "client_encoding", "TimeZone"}) {
      const std::string set = std::string("SET ") + name + " = '" + settings.at(name) + "'";
      const Result done(PQexec(connection_.get(), set.c_str()));
      check(PQresultStatus(done.get()) == PGRES_COMMAND_OK);
    }
    const Result done(PQprepare(connection_.get(), "bare", sql.c_str(), 0, nullptr));
    check(PQresultStatus(done.get()) == PGRES_COMMAND_OK);
  }

  std::size_t run(std::string_view value) override {
    clear();
    value_.assign(value);
    const char* values[] = {value_.c_str()};
    const Result result(PQexecPrepared(connection_.get(), "bare", 1, values, nullptr, nullptr, 0));
    check(PQresultStatus(result.get()) == PGRES_TUPLES_OK);
    const int rows = PQntuples(result.get());
    const int columns = PQnfields(result.get());
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        if (PQgetisnull(result.get(), row, column) == 0) read(result.get(), row, column);
      }
    }
    return used();
  }

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  using Result = std::unique_ptr<PGresult, Clear>;

  void check(bool good) const {
    if (!good) fail("libpq", PQerrorMessage(connection_.get()));
  }
  void read(const PGresult* result, int row, int column) {
    constexpr Oid kInt8 = 20;
    const char* text = PQgetvalue(result, row, column);
    const auto length = static_cast<std::size_t>(PQgetlength(result, row, column));
    if (PQftype(result, column) != kInt8) return keep(text, length);
    std::int64_t number = 0;
    std::from_chars(text, text + length, number);
    keep(&number, sizeof number);
  }

  std::unique_ptr<PGconn, Finish> connection_;
  std::string value_;
};

class MariadbQuery final : public BareQuery {
 public:
  MariadbQuery(const engine::Target& target, const std::map<std::string, std::string>& settings,
               const std::string& sql)
      : connection_(mysql_init(nullptr)) {
    const auto address = engine::mariadb::parse_address(target.address);
    const auto optional = [](const std::string& text) {
      return text.empty() ? nullptr : text.c_str();
    };
    mysql_options(connection_.get(), MYSQL_SET_CHARSET_NAME, "utf8mb4");
    check(mysql_real_connect(connection_.get(), optional(address.host), optional(address.user),
                             optional(address.password), address.database.c_str(), address.port,
                             optional(address.socket), 0) != nullptr);
    const std::string set = "SET NAMES utf8mb4 COLLATE " + settings.at("collation_connection");
    check(mysql_query(connection_.get(), set.c_str()) == 0);
    statement_.reset(mysql_stmt_init(connection_.get()));
    check(mysql_stmt_prepare(statement_.get(), sql.data(), sql.size()) == 0);
    parameter_.buffer_type = MYSQL_TYPE_STRING;
    parameter_.buffer = value_.data();
    parameter_.length = &length_;
    check(mysql_stmt_bind_param(statement_.get(), &parameter_) == 0);
    bind_columns();
  }

  std::size_t run(std::string_view value) override {
    clear();
    length_ = value.copy(value_.data(), value_.size());
    check(mysql_stmt_execute(statement_.get()) == 0);
    check(mysql_stmt_store_result(statement_.get()) == 0);
    int code = 0;
    while ((code = mysql_stmt_fetch(statement_.get())) == 0) {
      for (const Column& column : columns_) {
        if (column.is_null != 0) continue;
        if (column.is_number) {
          keep(&column.number, sizeof column.number);
        } else {
          keep(column.text.data(), column.length);
        }
      }
    }
    check(code == MYSQL_NO_DATA);
    mysql_stmt_free_result(statement_.get());
    return used();
  }

 private:
  struct Close {
    void operator()(MYSQL* connection) const { mysql_close(connection); }
    void operator()(MYSQL_STMT* statement) const { mysql_stmt_close(statement); }
    void operator()(MYSQL_RES* result) const { mysql_free_result(result); }
  };
  struct Column {
    bool is_number = false;
    std::int64_t number = 0;
    std::array<char, 1024> text;
    unsigned long length = 0;
    my_bool is_null = 0;
  };

  void check(bool good) const {
    if (good) return;
    const char* said = statement_ == nullptr ? "" : mysql_stmt_error(statement_.get());
    fail("Connector/C", *said != '\0' ? said : mysql_error(connection_.get()));
  }
  void bind_columns() {
    const std::unique_ptr<MYSQL_RES, Close> description(
        mysql_stmt_result_metadata(statement_.get()));
    columns_.resize(mysql_num_fields(description.get()));
    results_.resize(columns_.size());
    for (unsigned int i = 0; i < columns_.size(); ++i) {
      Column& column = columns_[i];
      column.is_number =
          mysql_fetch_field_direct(description.get(), i)->type == MYSQL_TYPE_LONGLONG;
      MYSQL_BIND& result = results_[i];
      result.is_null = &column.is_null;
      result.length = &column.length;
      result.buffer_type = column.is_number ? MYSQL_TYPE_LONGLONG : MYSQL_TYPE_STRING;
      if (column.is_number) {
        result.buffer = &column.number;
      } else {
        result.buffer = column.text.data();
        result.buffer_length = column.text.size();
      }
    }
    check(mysql_stmt_bind_result(statement_.get(), results_.data()) == 0);
  }

  std::unique_ptr<MYSQL, Close> connection_;
  std::unique_ptr<MYSQL_STMT, Close> statement_;
  MYSQL_BIND parameter_ = {};
  std::array<char, 1024> value_ = {};
  unsigned long length_ = 0;
  std::vector<Column> columns_;
  std::vector<MYSQL_BIND> results_;
};

}  // namespace

void BareQuery::keep(const void* data, std::size_t bytes) {
  if (used_ + bytes > buffer_.size()) buffer_.resize(2 * (used_ + bytes));
  std::memcpy(buffer_.data() + used_, data, bytes);
  used_ += bytes;
}

std::unique_ptr<BareQuery> prepare_bare(const engine::Target& target,
                                        const std::map<std::string, std::string>& settings,
                                        std::string_view sql) {
  using engine::NamedParameters;
  using engine::Placeholder;
  const bool is_postgres = target.engine == "postgres";
  const NamedParameters statement(
      target.engine, "bare", sql,
      is_postgres ? Placeholder::kNumbered : Placeholder::kQuestionMark);
  if (statement.size() != 1) throw std::runtime_error("the query has not one parameter");
  if (is_postgres) return std::make_unique<PostgresQuery>(target, settings, statement.sql());
  return std::make_unique<MariadbQuery>(target, settings, statement.sql());
}

}  // namespace shopmark::bench
