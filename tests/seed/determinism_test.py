#!/usr/bin/python3
"""The same rows from every compiler, optimisation, number of threads, time zone and locale.

usage: determinism_test.py SOURCE_FOLDER COMPILER...

Compiles print_digests_main.cc with each compiler at -O0 and -O2, and compares what it prints with
golden_digests.txt: of the smoke profile every table, of the standard profile all tables together.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path()
COMPILERS = []


def seed_sources():
    """The library's files: all of seed/ but the program and its command line."""
    files = sorted((SOURCE / "seed").glob("*.cc"))
    files = [f for f in files if f.name not in ("seed_main.cc", "command_line.cc")]
    return files + [SOURCE / "schema/schema.cc", SOURCE / "tests/seed/print_digests_main.cc"]


class Determinism(unittest.TestCase):
    def setUp(self):
        self.golden = (SOURCE / "tests/seed/golden_digests.txt").read_text().splitlines()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def build(self, compiler, optimisation):
        program = self.folder / "print_digests"
        objects = []
        running = []
        for file in seed_sources():
            target = self.folder / (file.stem + ".o")
            objects.append(str(target))
            command = [compiler, "-std=c++20", optimisation, "-I", str(SOURCE), "-c", str(file),
                       "-o", str(target), '-DSHOPMARK_SCHEMA_FOLDER="unused"']
            running.append(subprocess.Popen(command))
            if len(running) == 2:
                self.assertEqual(running.pop(0).wait(), 0, f"{compiler} failed")
        for process in running:
            self.assertEqual(process.wait(), 0, f"{compiler} failed")
        subprocess.run([compiler, *objects, "-lxxhash", "-pthread", "-o", str(program)], check=True)
        return program

    def digests(self, program, threads, profiles, **environment):
        command = [str(program), str(SOURCE / "schema"), str(threads), *profiles]
        result = subprocess.run(command, env={**os.environ, **environment}, check=True,
                                capture_output=True, text=True)
        lines = result.stdout.splitlines()
        return [l for l in lines if l.startswith("smoke ") or l.split()[1] == "all"]

    def golden_of(self, *profiles):
        lines = [l for l in self.golden if l.split()[0] in profiles]
        self.assertTrue(lines, "the golden file has none of these")
        return lines

    def test_every_compiler_and_optimisation_gives_the_golden_digests(self):
        self.assertTrue(COMPILERS)
        for compiler in COMPILERS:
            for optimisation in ("-O0", "-O2"):
                with self.subTest(compiler=compiler, optimisation=optimisation):
                    program = self.build(compiler, optimisation)
                    self.assertEqual(
                        self.digests(program, 1, ["smoke", "standard"]),
                        self.golden_of("smoke", "standard"))
                    self.assertEqual(
                        self.digests(program, 2, ["smoke"], TZ="Asia/Tokyo",
                                     LC_ALL="de_DE.UTF-8"),
                        self.golden_of("smoke"))

    def test_time_zone_locale_and_threads_change_nothing(self):
        program = self.build(COMPILERS[0], "-O2")
        golden = self.golden_of("smoke", "standard", "million")
        for threads, environment in ((2, {"TZ": "Asia/Tokyo", "LC_ALL": "de_DE.UTF-8"}),
                                     (1, {"TZ": "America/St_Johns", "LC_ALL": "C"})):
            with self.subTest(threads=threads, **environment):
                profiles = ["smoke", "standard"] + (["million"] if threads == 2 else [])
                expected = [l for l in golden if l.split()[0] in profiles]
                self.assertEqual(self.digests(program, threads, profiles, **environment), expected)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    SOURCE = Path(sys.argv[1])
    COMPILERS = sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
