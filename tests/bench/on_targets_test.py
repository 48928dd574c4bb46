#!/usr/bin/python3
"""bench/on_targets.py in a tree of its own, where the private servers are what a test says."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77


class OnTargets(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        for name in ("bench", "tools"):
            (self.root / name).mkdir()
        shutil.copy(ROOT / "bench" / "on_targets.py", self.root / "bench")

    def servers_that_run(self, *names):
        script = self.root / "tools" / "shopmark"
        script.write_text('#!/bin/sh\ncase "$3" in\n'
                          + "".join(f"{name}) echo {name}://private ;;\n" for name in names)
                          + "*) echo it is down >&2; exit 1 ;;\nesac\n", encoding="utf-8")
        script.chmod(0o755)

    def run_on(self, *arguments, **environment):
        clean = {key: value for key, value in os.environ.items()
                 if not key.startswith("SHOPMARK_BENCH_")}
        return subprocess.run(["/usr/bin/python3", self.root / "bench" / "on_targets.py",
                               *arguments], capture_output=True, text=True, check=False,
                              timeout=60, env=clean | environment)

    def test_the_targets_of_all_configured_engines_are_put_in(self):
        self.servers_that_run("mariadb", "postgres")
        done = self.run_on("sqlite,mariadb,postgres", "echo", "--target=TARGET", "x",
                           SHOPMARK_BENCH_POSTGRES="postgres://given")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"--target=sqlite:{self.root}/build/store/standard.sqlite,"
                                      "mariadb://private,postgres://given x\n")

    def test_one_that_is_not_configured_is_named_and_left_out(self):
        self.servers_that_run("mariadb")
        done = self.run_on("mariadb,postgres", "echo", "TARGET")
        said, printed = done.stdout.splitlines()
        self.assertTrue(said.startswith("postgres is not configured"))
        self.assertIn("SHOPMARK_BENCH_POSTGRES", said)
        self.assertEqual((done.returncode, printed), (0, "mariadb://private"))

    def test_none_is_a_skip_and_the_program_is_not_run(self):
        self.servers_that_run()
        done = self.run_on("mariadb", "echo", "ran")
        self.assertEqual(done.returncode, SKIPPED)
        self.assertNotIn("ran", done.stdout.split())

    def test_the_programs_status_is_kept(self):
        self.servers_that_run()
        self.assertEqual(self.run_on("sqlite", "false").returncode, 1)

    def test_an_unknown_engine_is_refused(self):
        self.servers_that_run()
        done = self.run_on("oracle", "echo", "ran")
        self.assertEqual((done.returncode, done.stdout), (1, ""))


if __name__ == "__main__":
    unittest.main()
