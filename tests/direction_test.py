#!/usr/bin/python3
"""Holds the direction schema <- seed <- fixtures <- bench, and who may see which library."""

import os
import re
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

# What the files under a path may include of ours; the longest path that fits a file counts.
MAY_INCLUDE = {
    "schema": ["schema"],
    "seed": ["schema", "seed"],
    "seed/seed_main.cc": ["schema", "seed", "fixtures"],  # the program, not the generator
    "fixtures": ["schema", "seed", "fixtures"],
    "bench": ["schema", "seed", "fixtures", "bench"],
    "tests": ["schema", "seed", "fixtures", "bench", "tests"],
}

# Where a library's headers may be seen: in an engine's folder, and where the bare client is what
# is compared with.
LIBRARIES = {
    r"benchmark/": ["bench"],
    r"(gtest|gmock)/": ["tests"],
    r"sqlite3\.h$": ["fixtures/engine/sqlite", "bench/overhead", "tests"],
    r"(pqxx/|libpq-fe\.h$)": ["fixtures/engine/postgres", "bench/overhead", "tests"],
    r"(mariadb/|mysql/)?mysql\.h$": ["fixtures/engine/mariadb", "bench/overhead", "tests"],
}

# A case knows no SQL.
NO_SQL = "bench/cases"
SQL = re.compile(r'"[^"\n]*\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|BEGIN)\b')

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def under(path, folders):
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def sources(root):
    for top in MAY_INCLUDE:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith((".h", ".cc")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def problems(root):
    """Every include that points the wrong way, as FILE: what; and what could not be checked."""
    found, checked = [], {top: 0 for top in MAY_INCLUDE if "." not in top}
    for path in sources(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            content = file.read()
        allowed = MAY_INCLUDE[max((top for top in MAY_INCLUDE if under(path, [top])), key=len)]
        checked[path.split("/")[0]] += 1
        for kind, header in INCLUDE.findall(content):
            if header.split("/")[0] in checked:
                if kind == "<":
                    found.append(f"{path}: {header} is ours and stands in brackets")
                elif not under(header, allowed):
                    found.append(f"{path}: may not include {header}")
            elif kind == '"' and os.path.exists(
                    os.path.join(root, os.path.dirname(path), header)):
                found.append(f"{path}: {header} is not written from the root")
            for library, folders in LIBRARIES.items():
                if re.match(library, header) and not under(path, folders):
                    found.append(f"{path}: {header} is seen only in {', '.join(folders)}")
        if under(path, [NO_SQL]) and SQL.search(content):
            found.append(f"{path}: a case knows no SQL")
    found += [f"{folder}: nothing was checked" for folder, count in checked.items() if not count]
    return found


class Tree(unittest.TestCase):
    def test_includes_point_one_way(self):
        self.assertEqual(problems(ROOT), [])

    def test_the_script_has_no_cpp(self):
        cpp = [name for _, _, names in os.walk(os.path.join(ROOT, "tools")) for name in names
               if name.endswith((".h", ".cc", ".cpp"))]
        self.assertEqual(cpp, [])


class Rules(unittest.TestCase):
    def check(self, files):
        clean = {"schema/a.h": "", "seed/a.h": "", "fixtures/a.h": "", "bench/a.h": "",
                 "tests/a.h": ""}
        with tempfile.TemporaryDirectory() as root:
            for path, content in (clean | files).items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(content)
            return problems(root)

    def test_what_is_allowed_passes(self):
        self.assertEqual(self.check({
            "seed/a.cc": '#include "schema/a.h"\n#include "absl/time/time.h"\n#include <map>\n',
            "seed/seed_main.cc": '#include "fixtures/a.h"\n',
            "fixtures/engine/sqlite/a.cc": "#include <sqlite3.h>\n",
            "bench/run/a.cc": '#include <benchmark/benchmark.h>\n#include "fixtures/a.h"\n',
            "bench/overhead/a.cc": "#include <sqlite3.h>\n",
            "tests/bench/a.cc": "#include <gmock/gmock.h>\n"}), [])

    def test_each_wrong_direction_is_found(self):
        for lower, upper in (("schema", "seed"), ("seed", "fixtures"), ("fixtures", "bench"),
                             ("bench", "tests")):
            path = f"{lower}/deep/wrong.cc"
            self.assertEqual(self.check({path: f'#include <map>\n  #  include "{upper}/a.h"\n'}),
                             [f"{path}: may not include {upper}/a.h"])

    def test_libraries_out_of_place_are_found(self):
        for path, header in (("fixtures/x.cc", "benchmark/benchmark.h"),
                             ("bench/x.cc", "gtest/gtest.h"),
                             ("fixtures/store/x.cc", "sqlite3.h"),
                             ("fixtures/engine/mariadb/x.cc", "pqxx/pqxx"),
                             ("fixtures/engine/postgres/x.cc", "mysql.h"),
                             ("bench/cases/x.cc", "sqlite3.h")):
            found = self.check({path: f"#include <{header}>\n"})
            self.assertEqual(len(found), 1, found)
            self.assertIn(header, found[0])

    def test_an_include_that_is_not_from_the_root_is_found(self):
        self.assertEqual(self.check({"bench/x.cc": '#include "a.h"\n'}),
                         ["bench/x.cc: a.h is not written from the root"])
        self.assertEqual(self.check({"bench/x.cc": '#include "run/a.h"\n', "bench/run/a.h": ""}),
                         ["bench/x.cc: run/a.h is not written from the root"])
        self.assertEqual(self.check({"seed/x.cc": "#include <fixtures/a.h>\n"}),
                         ["seed/x.cc: fixtures/a.h is ours and stands in brackets"])

    def test_sql_in_a_case_is_found(self):
        self.assertEqual(self.check({"bench/cases/x.cc": 'auto a = "SELECT 1";\n'}),
                         ["bench/cases/x.cc: a case knows no SQL"])

    def test_a_folder_without_sources_is_found(self):
        with tempfile.TemporaryDirectory() as root:
            self.assertEqual(problems(root), [f"{folder}: nothing was checked" for folder in
                                              ("schema", "seed", "fixtures", "bench", "tests")])


if __name__ == "__main__":
    unittest.main()
