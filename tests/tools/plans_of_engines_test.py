#!/usr/bin/python3
"""Plans and work of real runs on one engine: the same for the same, and a dropped index is named.

plans_of_engines_test.py SHOPMARK_SEED SHOPMARK_BENCH ENGINE
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import script

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import databases  # noqa: E402  (found through that line)

from plans.changes import INEXACT  # noqa: E402
from report import read  # noqa: E402

DROPS = {"mariadb": "ALTER TABLE orders DROP INDEX orders_number"}


class PlansOfEngines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="shopmark_plans_")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.database = self.seeded("plans")

    def seeded(self, name):
        """A store of its own."""
        name = f"shopmark_{name}_{os.getpid()}"
        if ENGINE == "sqlite":
            database = databases.Sqlite(os.path.join(self.folder, f"{name}.sqlite"))
        else:
            database = databases.of_server(ENGINE, os.environ[databases.VARIABLES[ENGINE]], name)
            self.addCleanup(database.drop)
        self.run_program(SEED, database, "--profile=smoke")
        return database

    def run_program(self, program, database, *arguments):
        done = subprocess.run([program, f"--target={database.target}", *arguments],
                              capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def measure(self, name, *arguments):
        path = os.path.join(self.folder, name)
        self.run_program(BENCH, self.database, f"--benchmark_out={path}", *arguments)
        return path

    @staticmethod
    def exact(path):
        """By query: plans and work without what is not exact."""
        def of(work):
            return {counter: count for counter, count in work.items() if counter not in INEXACT}
        return {case: (of(seen.work), [(one.name, one.calls, one.plans, of(one.work))
                                       for one in seen.statements])
                for case, seen in read.read_file(path).observed.items()}

    @staticmethod
    def plans(case):
        _, statements = case
        return [plans for _, _, plans, _ in statements]

    def test_plans_and_work_are_exact_in_another_process_and_after_writes(self):
        first = self.exact(self.measure("first.json", "--samples=1", "--warmup=0"))
        self.assertEqual(len(first), 19)
        for case, (work, statements) in first.items():
            # MariaDB's counters know nothing of a statement without a table.
            if case[1] != "baseline_round_trip":
                self.assertGreater(sum(work.values()), 0, case)
            self.assertGreater(len(statements), 0, case)
        self.measure("writes.json", "--samples=150", "--benchmark_filter=stock")
        second = self.exact(self.measure("second.json", "--samples=1", "--warmup=0"))
        # How a table is read that is empty but for one row, the server decides by how it was last.
        for one in (first, second):
            one.pop((ENGINE, "stock_decrement_and_restore"))
        # PostgreSQL may vacuum and analyze on its own between the two, and then plan otherwise.
        planned = [case for case in first if ENGINE != "postgres"
                   or self.plans(second[case]) == self.plans(first[case])]
        self.assertGreater(len(planned), 12)
        for case in planned:
            self.assertEqual(second[case], first[case])

    def test_a_dropped_index_is_named_with_query_verdict_plan_and_work(self):
        arguments = ("--samples=101", "--benchmark_filter=order_search_by_number|admin_order_list")
        old = self.measure("old.json", *arguments)
        self.drop_index(self.database)
        new = self.measure("new.json", *arguments)
        self.assert_dropped_index_is_named(script.run("compare", old, new, "--format=json"))

        shown = script.run("compare", old, new, "--width=80").stdout
        for line in ("the plan of search_orders_by_number changed:", "more work: ", "slower"):
            self.assertIn(line, shown)
        self.assertLessEqual(max(map(len, shown.splitlines())), 80, shown)
        print(shown)

    def test_a_dropped_index_is_named_by_ab(self):
        without = self.seeded("dropped")
        self.drop_index(without)
        self.assert_dropped_index_is_named(script.run(
            "ab", f"--targets={self.database.target},{without.target}", f"--builds={BENCH},{BENCH}",
            "--filter=order_search_by_number|admin_order_list", "--rounds=6", "--format=json"))

    @staticmethod
    def drop_index(database):
        database.rows(DROPS.get(ENGINE, "DROP INDEX orders_number"))

    def assert_dropped_index_is_named(self, done):
        self.assertEqual(done.returncode, 1, done.stderr)
        cases = {case["query"]: case for case in json.loads(done.stdout)["cases"]}
        found = cases["order_search_by_number"]
        self.assertEqual(found["verdict"], "slower")
        self.assertTrue(found["change"]["more_work"])
        (change,) = found["change"]["plans"]
        self.assertEqual((change["statement"], change["what"]),
                         ("search_orders_by_number", "changed"))
        removed, added = ([line for line in change["diff"] if line.startswith(sign)]
                          for sign in "-+")
        self.assertTrue(any("orders_number" in line for line in removed), change["diff"])
        self.assertFalse(any("orders_number" in line for line in added), change["diff"])
        other = cases["admin_order_list_page_1"]
        self.assertEqual((other["change"]["plans"], other["change"]["work"]), ([], {}))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    SEED, BENCH, ENGINE = sys.argv[1:4]
    databases.exit_without_server(ENGINE)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
