#!/usr/bin/python3
"""tools/shopmark ab with real programs on a smoke store.

ab_real_run_test.py SHOPMARK_SEED SHOPMARK_BENCH
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SCRIPT = os.path.join(ROOT, "tools", "shopmark")


class RealRun(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory(prefix="shopmark_ab_")
        cls.target = f"sqlite:{cls.shared.name}/smoke.sqlite"
        subprocess.run([SEED, f"--target={cls.target}", "--profile=smoke"], check=True,
                       capture_output=True, timeout=120)

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="shopmark_ab_")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def command(self, *arguments):
        return [SCRIPT, "ab", f"--target={self.target}", f"--builds={BENCH},{BENCH}",
                f"--output-runs={self.folder}/runs", *arguments]

    def run_ab(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True,
                              timeout=200, check=False)

    def cases(self, *arguments, status):
        done = self.run_ab("--format=json", *arguments)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        return json.loads(done.stdout)["cases"]

    def queries(self, file, old, new):
        made = os.path.join(self.folder, "queries")
        shutil.copytree(os.path.join(ROOT, "schema", "queries"), made)
        path = os.path.join(made, file)
        with open(path, encoding="utf-8") as opened:
            text = opened.read()
        self.assertIn(old, text)
        with open(path, "w", encoding="utf-8") as opened:
            opened.write(text.replace(old, new))
        return made

    def test_a_statement_that_does_more_work_is_slower_and_its_rows_are_equal(self):
        slow = self.queries("customers.sql", "FROM customers",
                            "FROM (SELECT SUM(o.id) FROM orders o) more, customers")
        one, = self.cases(f"--queries={slow}", "--filter=customer_by_email", status=1)
        self.assertEqual((one["verdict"], one["rows_equal"]), ("slower", True))
        self.assertGreater(one["low"], 1)
        # Every call of every round is kept, and its figures follow from the samples.
        runs = [os.path.join(self.folder, "runs", name)
                for name in os.listdir(os.path.join(self.folder, "runs"))]
        self.assertGreaterEqual(len(runs), 5)
        subprocess.run([SCRIPT, "verify", *runs[:1]], check=True, capture_output=True, timeout=60)

    def test_equal_statements_are_neither_slower_nor_faster(self):
        same = self.queries("customers.sql", "FROM customers", "FROM  customers")
        one, = self.cases(f"--queries={same}", "--filter=customer_by_email",
                          "--confidence=99.99", status=0)
        self.assertIn(one["verdict"], ("same", "cannot tell"))
        self.assertTrue(one["rows_equal"])

    def test_wrong_rows_are_newly_failing_with_an_oracle_and_without(self):
        wrong = self.queries("orders.sql", "o.placed_at DESC, o.id DESC", "o.placed_at DESC, o.id")
        for oracle, reason in (("true", "wrong result"), ("false", "answers")):
            one, = self.cases(f"--queries={wrong}", "--filter=admin_order_list_page_1",
                              f"--oracle={oracle}", status=1)
            self.assertEqual((one["verdict"], one["ratio"]), ("newly failing", None))
            self.assertIn(reason, one["reason"])

    def test_a_broken_statement_and_a_filter_of_nothing_are_one_line(self):
        broken = self.queries("customers.sql", "FROM customers", "FRM customers")
        for arguments, part in (((f"--queries={broken}",), "customer_by_email"),
                                (("--filter=no_such",), "no_such")):
            done = self.run_ab(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertIn(part, done.stderr)

    def test_a_run_that_is_stopped_gives_the_verdicts_so_far(self):
        process = subprocess.Popen(self.command("--filter=customer_by_email|order_detail",
                                                "--floor=0.001"), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True)
        runs = os.path.join(self.folder, "runs")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (
                os.path.isdir(runs) and any(".002." in name for name in os.listdir(runs))):
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        out, error = process.communicate(timeout=60)
        self.assertEqual((process.returncode, error), (0, ""))
        self.assertIn("verdicts so far", " ".join(out.split()))
        self.assertIn("cannot tell", out)


if __name__ == "__main__":
    SEED, BENCH = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
