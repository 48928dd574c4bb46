// The store as data: tables, what is built after the rows are in, and the named statements, read
// from the files of schema/ at start-up, so that an edited statement needs no rebuild.
//
// Thread rule: everything here is immutable once read and may be shared.

#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace shopmark::schema {

// A file that cannot be read or does not say what it should: names the file and the line.
class SchemaError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Type { kInteger, kText };

struct Column {
  std::string name;
  Type type = Type::kInteger;
  // As written: INTEGER, VARCHAR(n) or TEXT. Engines render it in their own dialect.
  std::string declared;
  bool nullable = false;
};

struct ForeignKey {
  std::vector<std::string> columns;
  std::string table;
  std::vector<std::string> referenced;
};

struct Table {
  std::string name;
  std::vector<Column> columns;
  std::vector<std::string> primary_key;
  std::vector<ForeignKey> foreign_keys;
  // The conditions of the CHECK constraints, without the word and the outer parentheses.
  std::vector<std::string> checks;

  // The column whose values the database makes where none is given: a primary key of one integer
  // that refers to no other table. Empty when there is none.
  std::string generated_id() const;
};

// One named statement: the common text and those of the dialects that need their own.
struct Statement {
  std::string name;
  std::string common;  // empty when every text is a dialect's own
  std::map<std::string, std::string, std::less<>> by_dialect;
  std::string file;  // where it stands, for messages
  int line = 0;

  // The text for a dialect; empty when there is none.
  const std::string& text(std::string_view dialect) const;
};

// Statements in the order of their files. The form of a file:
//
//   -- name: customer_by_email             the common text
//   SELECT ...
//   -- name: revenue_by_month [postgres]   the text for one dialect
//   SELECT ...
//
// Other lines that start with -- are comments and are dropped; the text ends at the next name.
class Statements {
 public:
  // Reads every *.sql file of a folder, or one file.
  static Statements read(const std::string& path);
  // The same from memory; `file` is used in messages.
  void parse(std::string_view content, const std::string& file);

  // Throws SchemaError when there is none of that name.
  const Statement& get(std::string_view name) const;
  const std::vector<Statement>& all() const { return statements_; }

 private:
  Statement& find_or_add(std::string_view name, const std::string& file, int line);

  std::vector<Statement> statements_;
};

struct Schema {
  std::vector<Table> tables;  // a table comes after those that it references
  Statements indexes;

  // Throws SchemaError when there is none of that name.
  const Table& table(std::string_view name) const;
};

// Reads tables.sql and indexes.sql of a folder.
Schema read_schema(const std::string& folder);
std::vector<Table> parse_tables(std::string_view content, const std::string& file);

// The folder of the tree that this was built from, or what SHOPMARK_SCHEMA names.
std::string default_folder();

}  // namespace shopmark::schema
