#include "schema/schema.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace shopmark::schema {

namespace {

constexpr std::string_view kSpace = " \t\r";

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

bool consume(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_word_character);
}

[[noreturn]] void fail(const std::string& file, int line, const std::string& what) {
  throw SchemaError(file + ":" + std::to_string(line) + ": " + what);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream content;
  // A folder opens like a file on Linux and fails only when it is read.
  if (!stream || !(content << stream.rdbuf()) || stream.bad()) {
    throw SchemaError(path.string() + ": cannot be read");
  }
  return std::move(content).str();
}

// Hands out the lines of a text with their numbers, from 1.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    ++number_;
    return true;
  }
  int number() const { return number_; }

 private:
  std::string_view rest_;
  int number_ = 0;
};

class TableParser {
 public:
  TableParser(std::string_view content, const std::string& file) : lines_(content), file_(file) {}

  std::vector<Table> parse() {
    std::string_view line;
    while (lines_.next(line)) {
      line = trim(line);
      if (line.empty() || line.starts_with("--")) continue;
      if (!consume(line, "CREATE TABLE ") || !line.ends_with(" (")) {
        fail("expected CREATE TABLE name (");
      }
      table_ = Table();
      table_.name = word(line.substr(0, line.size() - 2));
      for (const Table& other : tables_) {
        if (other.name == table_.name) fail("table " + table_.name + " stands here twice");
      }
      parse_body();
      check_table();
      tables_.push_back(std::move(table_));
    }
    return std::move(tables_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    schema::fail(file_, lines_.number(), what);
  }

  std::string word(std::string_view text) const {
    text = trim(text);
    if (!is_word(text)) fail("'" + std::string(text) + "' is not a name");
    return std::string(text);
  }

  void parse_body() {
    std::string_view line;
    while (lines_.next(line)) {
      line = trim(line);
      if (line.empty() || line.starts_with("--")) continue;
      if (line == ");") return;
      if (line.ends_with(',')) line.remove_suffix(1);
      if (consume(line, "PRIMARY KEY ")) {
        if (!table_.primary_key.empty()) fail("a second PRIMARY KEY in " + table_.name);
        table_.primary_key = names(line);
        if (!line.empty()) fail("unexpected text behind PRIMARY KEY");
      } else if (consume(line, "FOREIGN KEY ")) {
        parse_foreign_key(line);
      } else if (consume(line, "CHECK (")) {
        if (!line.ends_with(')')) fail("CHECK ( without its )");
        table_.checks.emplace_back(line.substr(0, line.size() - 1));
      } else {
        parse_column(line);
      }
    }
    fail("table " + table_.name + " does not end with );");
  }

  // A list of names in parentheses, consumed from the front of the text.
  std::vector<std::string> names(std::string_view& text) const {
    const std::size_t end = text.find(')');
    if (!text.starts_with('(') || end == std::string_view::npos) fail("expected ( names )");
    std::string_view list = text.substr(1, end - 1);
    text = trim(text.substr(end + 1));
    std::vector<std::string> result;
    while (true) {
      const std::size_t comma = list.find(',');
      result.push_back(word(list.substr(0, comma)));
      if (comma == std::string_view::npos) return result;
      list.remove_prefix(comma + 1);
    }
  }

  void parse_foreign_key(std::string_view line) {
    ForeignKey key;
    key.columns = names(line);
    const std::size_t open = line.find('(');
    if (!consume(line, "REFERENCES ") || open == std::string_view::npos) {
      fail("expected REFERENCES table (columns)");
    }
    key.table = word(line.substr(0, line.find('(')));
    line.remove_prefix(line.find('('));
    key.referenced = names(line);
    if (!line.empty()) fail("unexpected text behind FOREIGN KEY");
    if (key.columns.size() != key.referenced.size()) fail("FOREIGN KEY of unequal length");
    table_.foreign_keys.push_back(std::move(key));
  }

  void parse_column(std::string_view line) {
    Column column;
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) fail("expected a column: name type [NOT NULL]");
    column.name = word(line.substr(0, space));
    line = trim(line.substr(space));
    column.nullable = !line.ends_with(" NOT NULL");
    if (!column.nullable) line = trim(line.substr(0, line.size() - 9));
    column.declared = line;
    column.type = line == "INTEGER" ? Type::kInteger : Type::kText;
    if (line != "INTEGER" && line != "TEXT" && !is_varchar(line)) {
      fail("'" + std::string(line) + "' is not a type: INTEGER, VARCHAR(n) or TEXT");
    }
    if (has_column(table_, column.name)) fail("column " + column.name + " stands here twice");
    table_.columns.push_back(std::move(column));
  }

  static bool is_varchar(std::string_view type) {
    if (!consume(type, "VARCHAR(") || !type.ends_with(')')) return false;
    type.remove_suffix(1);
    int length = 0;
    const auto [end, error] = std::from_chars(type.data(), type.data() + type.size(), length);
    return error == std::errc() && end == type.data() + type.size() && length > 0;
  }

  static bool has_column(const Table& table, const std::string& name) {
    return std::any_of(table.columns.begin(), table.columns.end(),
                       [&](const Column& column) { return column.name == name; });
  }

  void check_columns(const Table& table, const std::vector<std::string>& columns) const {
    for (const std::string& name : columns) {
      if (!has_column(table, name)) fail("table " + table.name + " has no column " + name);
    }
  }

  void check_table() const {
    if (table_.primary_key.empty()) fail("table " + table_.name + " has no PRIMARY KEY");
    check_columns(table_, table_.primary_key);
    for (const ForeignKey& key : table_.foreign_keys) {
      check_columns(table_, key.columns);
      const auto found = std::find_if(tables_.begin(), tables_.end(),
                                      [&](const Table& table) { return table.name == key.table; });
      if (found == tables_.end() && key.table != table_.name) {
        fail("table " + table_.name + " references " + key.table + ", which does not stand above");
      }
      check_columns(found == tables_.end() ? table_ : *found, key.referenced);
    }
  }

  Lines lines_;
  const std::string& file_;
  std::vector<Table> tables_;
  Table table_;
};

}  // namespace

std::string Table::generated_id() const {
  if (primary_key.size() != 1) return {};
  const std::string& id = primary_key[0];
  const auto is_integer = [&](const Column& column) {
    return column.name == id && column.type == Type::kInteger;
  };
  const auto refers = [&](const ForeignKey& key) {
    return std::find(key.columns.begin(), key.columns.end(), id) != key.columns.end();
  };
  if (std::none_of(columns.begin(), columns.end(), is_integer)) return {};
  return std::any_of(foreign_keys.begin(), foreign_keys.end(), refers) ? std::string() : id;
}

const std::string& Statement::text(std::string_view dialect) const {
  const auto found = by_dialect.find(dialect);
  return found == by_dialect.end() ? common : found->second;
}

Statements Statements::read(const std::string& path) {
  namespace fs = std::filesystem;
  Statements statements;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    statements.parse(read_file(path), path);
    return statements;
  }
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    if (entry.path().extension() == ".sql") files.push_back(entry.path().string());
  }
  if (error) throw SchemaError(path + ": cannot be read: " + error.message());
  if (files.empty()) throw SchemaError(path + ": holds no *.sql file");
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) statements.parse(read_file(file), file);
  return statements;
}

void Statements::parse(std::string_view content, const std::string& file) {
  Lines lines(content);
  std::string_view line;
  std::string name;
  std::string dialect;
  std::string text;
  int name_line = 0;

  const auto finish = [&] {
    if (name_line == 0) return;
    while (!text.empty() && (kSpace.find(text.back()) != std::string_view::npos ||
                             text.back() == '\n' || text.back() == ';')) {
      text.pop_back();
    }
    if (text.empty()) fail(file, name_line, "statement " + name + " has no text");
    Statement& statement = find_or_add(name, file, name_line);
    std::string& place = dialect.empty() ? statement.common : statement.by_dialect[dialect];
    if (!place.empty()) {
      const std::string which = dialect.empty() ? name : name + " [" + dialect + "]";
      fail(file, name_line,
           "statement " + which + " stands here again; first at " + statement.file + ":" +
               std::to_string(statement.line));
    }
    place = std::move(text);
    text.clear();
  };

  while (lines.next(line)) {
    std::string_view stripped = trim(line);
    if (consume(stripped, "-- name:")) {
      finish();
      name_line = lines.number();
      stripped = trim(stripped);
      dialect.clear();
      if (const std::size_t bracket = stripped.find('['); bracket != std::string_view::npos) {
        std::string_view tag = stripped.substr(bracket + 1);
        if (!tag.ends_with(']') || !is_word(tag.substr(0, tag.size() - 1))) {
          fail(file, name_line, "expected -- name: NAME [DIALECT]");
        }
        dialect = tag.substr(0, tag.size() - 1);
        stripped = trim(stripped.substr(0, bracket));
      }
      if (!is_word(stripped)) fail(file, name_line, "expected -- name: NAME [DIALECT]");
      name = stripped;
    } else if (stripped.starts_with("--")) {
      continue;
    } else if (name_line != 0) {
      if (text.empty() && stripped.empty()) continue;
      text.append(line).push_back('\n');
    } else if (!stripped.empty()) {
      fail(file, lines.number(), "text before the first -- name: line");
    }
  }
  finish();
}

Statement& Statements::find_or_add(std::string_view name, const std::string& file, int line) {
  for (Statement& statement : statements_) {
    if (statement.name == name) return statement;
  }
  Statement& statement = statements_.emplace_back();
  statement.name = name;
  statement.file = file;
  statement.line = line;
  return statement;
}

const Statement& Statements::get(std::string_view name) const {
  for (const Statement& statement : statements_) {
    if (statement.name == name) return statement;
  }
  throw SchemaError("no statement is named " + std::string(name));
}

const Table& Schema::table(std::string_view name) const {
  for (const Table& table : tables) {
    if (table.name == name) return table;
  }
  throw SchemaError("no table is named " + std::string(name));
}

std::vector<Table> parse_tables(std::string_view content, const std::string& file) {
  return TableParser(content, file).parse();
}

Schema read_schema(const std::string& folder) {
  const std::filesystem::path path(folder);
  const std::string tables = (path / "tables.sql").string();
  Schema schema;
  schema.tables = parse_tables(read_file(tables), tables);
  schema.indexes = Statements::read((path / "indexes.sql").string());
  return schema;
}

std::string default_folder() {
  const char* folder = std::getenv("SHOPMARK_SCHEMA");
  return folder != nullptr && *folder != '\0' ? folder : SHOPMARK_SCHEMA_FOLDER;
}

}  // namespace shopmark::schema
