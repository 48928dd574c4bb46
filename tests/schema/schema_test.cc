#include "schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

namespace shopmark::schema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The message of the SchemaError that a call throws; empty when it throws none.
template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const SchemaError& error) {
    return error.what();
  }
  return "";
}

std::string table_error(const std::string& content) {
  return error_of([&] { parse_tables(content, "tables.sql"); });
}

std::string statement_error(const std::string& content) {
  return error_of([&] {
    Statements statements;
    statements.parse(content, "queries.sql");
  });
}

class Folder : public testing::Test {
 protected:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "schema_test_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() override { std::filesystem::remove_all(path_); }
  void write(const std::string& name, const std::string& content) {
    std::ofstream(path_ / name) << content;
  }

  std::filesystem::path path_;
};

TEST(Tables, AreReadWithColumnsKeysAndChecks) {
  const std::vector<Table> tables = parse_tables(
      "-- A comment.\n"
      "CREATE TABLE parents (\n"
      "  id INTEGER NOT NULL,\n"
      "  PRIMARY KEY (id)\n"
      ");\n"
      "\n"
      "CREATE TABLE children (\n"
      "  parent_id INTEGER NOT NULL,\n"
      "  name VARCHAR(40) NOT NULL,\n"
      "  note TEXT,\n"
      "  -- Another.\n"
      "  PRIMARY KEY (parent_id, name),\n"
      "  FOREIGN KEY (parent_id) REFERENCES parents (id),\n"
      "  CHECK (name IN ('a', 'b'))\n"
      ");\n",
      "tables.sql");
  ASSERT_EQ(tables.size(), 2U);
  const Table& table = tables[1];
  EXPECT_EQ(table.name, "children");
  ASSERT_EQ(table.columns.size(), 3U);
  EXPECT_EQ(table.columns[0].type, Type::kInteger);
  EXPECT_FALSE(table.columns[0].nullable);
  EXPECT_EQ(table.columns[1].type, Type::kText);
  EXPECT_EQ(table.columns[1].declared, "VARCHAR(40)");
  EXPECT_TRUE(table.columns[2].nullable);
  EXPECT_EQ(table.columns[2].declared, "TEXT");
  EXPECT_THAT(table.primary_key, ElementsAre("parent_id", "name"));
  ASSERT_EQ(table.foreign_keys.size(), 1U);
  EXPECT_THAT(table.foreign_keys[0].columns, ElementsAre("parent_id"));
  EXPECT_EQ(table.foreign_keys[0].table, "parents");
  EXPECT_THAT(table.foreign_keys[0].referenced, ElementsAre("id"));
  EXPECT_THAT(table.checks, ElementsAre("name IN ('a', 'b')"));
}

TEST(Tables, NameFileAndLineOfWhatIsWrong) {
  const std::string open = "CREATE TABLE t (\n  id INTEGER NOT NULL,\n";
  EXPECT_EQ(table_error("SELECT 1\n"), "tables.sql:1: expected CREATE TABLE name (");
  EXPECT_EQ(table_error(open), "tables.sql:2: table t does not end with );");
  EXPECT_EQ(table_error(open + ");\n"), "tables.sql:3: table t has no PRIMARY KEY");
  EXPECT_EQ(table_error(open + "  PRIMARY KEY (other)\n);\n"),
            "tables.sql:4: table t has no column other");
  EXPECT_EQ(table_error(open + "  id INTEGER,\n"), "tables.sql:3: column id stands here twice");
  EXPECT_THAT(table_error(open + "  size FLOAT NOT NULL,\n"),
              HasSubstr("tables.sql:3: 'FLOAT' is not a type"));
  EXPECT_THAT(table_error(open + "  size VARCHAR(x),\n"), HasSubstr("is not a type"));
  EXPECT_THAT(table_error(open + "  size VARCHAR(0),\n"), HasSubstr("is not a type"));
  EXPECT_THAT(table_error(open + "  lonely\n"), HasSubstr("expected a column"));
  EXPECT_THAT(table_error(open + "  CHECK (id > 0\n"), HasSubstr("CHECK ( without its )"));
  EXPECT_EQ(table_error(open + "  PRIMARY KEY (id),\n  FOREIGN KEY (id) REFERENCES u (id)\n);\n"),
            "tables.sql:5: table t references u, which does not stand above");
  EXPECT_THAT(table_error(open + "  FOREIGN KEY (id) REFERENCES t (id, id),\n"),
              HasSubstr("unequal length"));
  const std::string whole = open + "  PRIMARY KEY (id)\n);\n";
  EXPECT_EQ(table_error(whole), "");
  EXPECT_EQ(table_error(whole + whole), "tables.sql:5: table t stands here twice");
}

TEST(Statements, KeepTheirTextWithoutCommentsAndTheLastSemicolon) {
  Statements statements;
  statements.parse(
      "-- A file about things.\n"
      "-- name: one\n"
      "-- Serves nobody.\n"
      "SELECT :a\n"
      "  -- in between\n"
      "FROM things;\n"
      "\n"
      "-- name: two [sqlite]\n"
      "SELECT 2\n",
      "queries.sql");
  ASSERT_EQ(statements.all().size(), 2U);
  EXPECT_EQ(statements.get("one").common, "SELECT :a\nFROM things");
  EXPECT_EQ(statements.get("one").file, "queries.sql");
  EXPECT_EQ(statements.get("one").line, 2);
  EXPECT_EQ(statements.get("two").common, "");
  EXPECT_EQ(statements.get("two").text("sqlite"), "SELECT 2");
  EXPECT_EQ(statements.get("two").text("postgres"), "");
}

TEST(Statements, PreferADialectsOwnText) {
  Statements statements;
  statements.parse("-- name: month\nSELECT 1\n-- name: month [postgres]\nSELECT 2\n",
                   "queries.sql");
  ASSERT_EQ(statements.all().size(), 1U);
  EXPECT_EQ(statements.get("month").text("sqlite"), "SELECT 1");
  EXPECT_EQ(statements.get("month").text("postgres"), "SELECT 2");
}

TEST(Statements, NameFileAndLineOfWhatIsWrong) {
  EXPECT_EQ(statement_error("\nSELECT 1\n"), "queries.sql:2: text before the first -- name: line");
  EXPECT_EQ(statement_error("-- name: a\n-- only a comment\n-- name: b\nSELECT 1\n"),
            "queries.sql:1: statement a has no text");
  EXPECT_EQ(statement_error("-- name: a\nSELECT 1\n-- name: b\n;\n"),
            "queries.sql:3: statement b has no text");
  EXPECT_EQ(statement_error("-- name: a\nSELECT 1\n-- name: a\nSELECT 2\n"),
            "queries.sql:3: statement a stands here again; first at queries.sql:1");
  EXPECT_THAT(statement_error("-- name: a [sqlite]\nSELECT 1\n-- name: a [sqlite]\nSELECT 2\n"),
              HasSubstr("statement a [sqlite] stands here again"));
  for (const char* bad : {"-- name:\nSELECT 1\n", "-- name: a b\nSELECT 1\n",
                          "-- name: a [\nSELECT 1\n", "-- name: a [x y]\nSELECT 1\n"}) {
    EXPECT_EQ(statement_error(bad), "queries.sql:1: expected -- name: NAME [DIALECT]") << bad;
  }
  Statements none;
  EXPECT_EQ(error_of([&] { none.get("a"); }), "no statement is named a");
}

TEST_F(Folder, StatementsComeInTheOrderOfTheFilesNames) {
  write("b.sql", "-- name: second\nSELECT 2\n");
  write("a.sql", "-- name: first\nSELECT 1\n");
  write("notes.txt", "not SQL");
  const Statements statements = Statements::read(path_.string());
  ASSERT_EQ(statements.all().size(), 2U);
  EXPECT_EQ(statements.all()[0].name, "first");
  EXPECT_EQ(statements.all()[1].name, "second");
  EXPECT_EQ(statements.all()[1].file, (path_ / "b.sql").string());
  EXPECT_EQ(Statements::read((path_ / "a.sql").string()).all().size(), 1U);
}

TEST_F(Folder, TheSameNameInTwoFilesIsAnError) {
  write("a.sql", "-- name: first\nSELECT 1\n");
  write("b.sql", "-- name: first\nSELECT 2\n");
  EXPECT_THAT(error_of([&] { Statements::read(path_.string()); }), HasSubstr("b.sql:1: "));
}

TEST_F(Folder, WhatCannotBeReadIsNamed) {
  const std::string missing = (path_ / "missing").string();
  EXPECT_EQ(error_of([&] { Statements::read(missing); }), missing + ": cannot be read");
  EXPECT_EQ(error_of([&] { Statements::read(path_.string()); }),
            path_.string() + ": holds no *.sql file");
  EXPECT_EQ(error_of([&] { read_schema(path_.string()); }),
            (path_ / "tables.sql").string() + ": cannot be read");
}

TEST_F(Folder, TheEnvironmentOverridesTheDefaultFolder) {
  const std::string built_in = default_folder();
  setenv("SHOPMARK_SCHEMA", path_.c_str(), 1);
  EXPECT_EQ(default_folder(), path_.string());
  setenv("SHOPMARK_SCHEMA", "", 1);
  EXPECT_EQ(default_folder(), built_in);
  unsetenv("SHOPMARK_SCHEMA");
  EXPECT_EQ(default_folder(), built_in);
}

TEST(TheStore, HasItsTablesAndIndexes) {
  const Schema schema = read_schema(default_folder());
  EXPECT_EQ(schema.tables.size(), 40U);  // 36 and carts, cart_lines, stock_holds, shopmark_seed
  EXPECT_EQ(schema.table("orders").columns.front().name, "id");
  EXPECT_EQ(error_of([&] { schema.table("nothing"); }), "no table is named nothing");
  for (const Statement& index : schema.indexes.all()) {
    // Some are one engine's own, none is nobody's.
    const auto has = [&](const char* dialect) { return !index.text(dialect).empty(); };
    EXPECT_TRUE(has("sqlite") || has("postgres") || has("mariadb")) << index.name;
  }
  for (const Table& table : schema.tables) {
    for (const ForeignKey& key : table.foreign_keys) {
      EXPECT_EQ(schema.table(key.table).primary_key, key.referenced)
          << table.name << " references what is no primary key";
    }
  }
}

}  // namespace
}  // namespace shopmark::schema
