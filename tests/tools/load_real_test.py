#!/usr/bin/python3
"""tools/shopmark load with the real programs on a small store of an engine: each short scenario runs,
its bundle verifies, its tables hold every route, and the store is afterwards as it was.

usage: load_real_test.py PROGRAMS_FOLDER ENGINE
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import databases  # noqa: E402  (found through that line)

SCRIPT = str(databases.TOOLS / "shopmark")
PROGRAMS = ENGINE = ""


class LoadReal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        if ENGINE == "sqlite":
            cls.store = databases.Sqlite(Path(cls.scratch.name) / "store.sqlite")
        else:
            cls.store = databases.of_server(ENGINE, os.environ[databases.VARIABLES[ENGINE]],
                                            f"shopmark_load_test_{os.getpid()}")
            cls.addClassCleanup(cls.store.drop)
        cls.seed("--profile=smoke")

    @classmethod
    def seed(cls, *flags):
        done = subprocess.run([os.path.join(PROGRAMS, "shopmark-seed"),
                               f"--target={cls.store.target}", *flags], check=False,
                              capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        return done.stdout

    def script(self, *arguments):
        done = subprocess.run([SCRIPT, *arguments], check=False, capture_output=True, text=True,
                              timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def load(self, scenario, *more):
        """Its bundle and its tables."""
        bundle = os.path.join(self.scratch.name, scenario + "".join(more))
        tables = self.script("load", scenario, f"--target=here={self.store.target}",
                             "--profile=smoke", f"--programs={PROGRAMS}", f"--output={bundle}",
                             "--width=80", *more)
        return bundle, tables

    def orders(self, bundle):
        with open(os.path.join(bundle, "orders.csv"), newline="", encoding="utf-8") as file:
            return list(csv.reader(file))[1:]

    def assert_sound(self, bundle, tables):
        self.script("verify", bundle)
        self.assertEqual(self.script("report", bundle, "--width=80"), tables)
        summary = os.path.join(bundle, "summary.json")
        self.script("report", summary)
        self.script("export", summary, "--format=openmetrics")
        with open(summary, encoding="utf-8") as file:
            context = json.load(file)["context"]["shopmark"]
        self.assertTrue(context["complete"])
        self.assertEqual(list(context["targets"]), ["here"])
        self.assertEqual(context["targets"]["here"]["profile"], "smoke")
        with open(os.path.join(bundle, "processes.csv"), newline="", encoding="utf-8") as file:
            self.assertIn("server", {line["process"] for line in csv.DictReader(file)})
        subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=bundle, check=True)
        # Every route that was asked for has its line.
        titles = {route["title"] for stage in context["load"]["stages"]
                  for one in stage["scripts"] for route in one["routes"]}
        if "slo" in context["load"]["scenario"]:
            self.assertGreater(len(context["load"]["stages"]), 1)
        else:
            self.assertGreater(len(titles), 1)
            for title in titles:
                self.assertIn(title, tables)
        # What was written is undone.
        self.assertEqual(json.loads(self.seed("--visits"))["orders"], 0)
        self.seed("--profile=smoke", "--verify")

    def test_storefront(self):
        bundle, tables = self.load("storefront_short")
        self.assert_sound(bundle, tables)
        self.assertGreater(len(self.orders(bundle)), 0)
        with open(os.path.join(bundle, "store.json"), encoding="utf-8") as file:
            store = json.load(file)
        self.assertTrue(store["right"])
        self.assertEqual(sorted(store["visits"]["numbers"]),
                         sorted(number for number, _ in self.orders(bundle)))

    def test_mcp(self):
        self.assert_sound(*self.load("mcp_short"))

    def test_capacity(self):
        self.assert_sound(*self.load("capacity_short"))

    def test_slo(self):
        self.assert_sound(*self.load("slo_short"))

    def test_orders_that_are_kept_are_those_that_were_acknowledged(self):
        bundle, _ = self.load("storefront_short", "--keep")
        visits = json.loads(self.seed("--visits"))
        self.assertEqual(sorted(visits["numbers"]),
                         sorted(number for number, _ in self.orders(bundle)))
        self.assertEqual(dict(self.store.rows("SELECT number, total_cents FROM orders "
                                              "WHERE number LIKE 'W-%'")),
                         dict(self.orders(bundle)))
        self.seed("--undo_visits")
        self.seed("--profile=smoke", "--verify")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    PROGRAMS, ENGINE = sys.argv[1:]
    databases.exit_without_server(ENGINE)
    unittest.main(argv=sys.argv[:1])
