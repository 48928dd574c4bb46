#!/usr/bin/python3
"""The report of a run of the real programs: C++ and the script agree on every percentile, or it
would be refused.

usage: real_run_test.py SHOPMARK_SEED SHOPMARK_BENCH
"""

import csv
import io
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SCRIPT = os.path.join(ROOT, "tools", "shopmark")


class RealRun(unittest.TestCase):
    seed = bench = None

    def test_every_query_of_a_real_run_stands_in_the_report(self):
        with tempfile.TemporaryDirectory() as folder:
            target = f"--target=sqlite:{folder}/store.sqlite"
            out = f"{folder}/run.json"
            subprocess.run([self.seed, target, "--profile=smoke"], check=True, timeout=60)
            subprocess.run([self.bench, target, "--samples=101", "--benchmark_repetitions=2",
                            f"--benchmark_out={out}"], check=True, timeout=200,
                           stdout=subprocess.DEVNULL)
            for form in ("text", "markdown"):
                subprocess.run([SCRIPT, "report", out, f"--format={form}", "--published"],
                               check=True, timeout=60, stdout=subprocess.DEVNULL)
            done = subprocess.run([SCRIPT, "report", out, "--format=csv"], check=True, timeout=60,
                                  capture_output=True, text=True)
        lines = list(csv.DictReader(io.StringIO(done.stdout)))
        with open(os.path.join(ROOT, "tools", "reference", "store_queries.csv"), newline="",
                  encoding="utf-8") as file:
            published = [(line["query"], line["title"]) for line in csv.DictReader(file)]
        for repetition in ("0", "1"):
            ran = [(line["query"], line["title"]) for line in lines
                   if line["repetition"] == repetition]
            self.assertEqual([query for query, _ in ran[:2]],
                             ["baseline_empty_call", "baseline_round_trip"])
            self.assertEqual(ran[2:], published)
        for line in lines:
            self.assertEqual((line["samples"], line["error"]), ("101", ""))
            for figure in ("p50", "p95"):
                self.assertLessEqual(int(line[f"{figure}_low_ns"]), int(line[f"{figure}_ns"]))
                self.assertLessEqual(int(line[f"{figure}_ns"]), int(line[f"{figure}_high_ns"]))
            self.assertLessEqual(int(line["p95_ns"]), int(line["p99_ns"]))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    RealRun.bench = sys.argv.pop()
    RealRun.seed = sys.argv.pop()
    unittest.main()
