#!/usr/bin/python3
"""tools/shopmark export, its output read by the programs that it is for, or by libraries of
others; and our own JSON, read by Google Benchmark's compare.py."""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

import junitparser
from prometheus_client.openmetrics import parser as openmetrics

import reports

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
COMPARE = "/usr/share/benchmark/compare.py"
# A name that every format has to escape in its own way.
EVIL = 'a"b\\c\n<b>|,\x1b[31m\N{DUCK}'


class ExportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = os.path.join(self.folder, "run.json")

    def export(self, made, form, status=0, *arguments):
        reports.write(self.file, made)
        done = subprocess.run(
            [os.path.join(ROOT, "tools", "shopmark"), "export", self.file, f"--format={form}",
             *arguments], capture_output=True, check=False, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        self.stderr = done.stderr.decode()
        return done.stdout.decode()

    @staticmethod
    def failing_run():
        """One case that is right beside one that failed."""
        return reports.document(reports.entry(), reports.failed("cart", "cart", message=EVIL))

    def assert_tells_of_the_failure(self):
        self.assertEqual(self.stderr.count("\n"), 1, self.stderr)
        self.assertIn("cart/sqlite has no time: a\"b", self.stderr)

    def test_github_action_benchmark_gets_figures_where_smaller_is_better(self):
        samples = list(range(1001, 1101))
        made = reports.document(reports.entry(samples=samples, p50=1050, p95=1095, p99=1099))
        commit = made["context"]["shopmark"]["commit"]
        self.assertEqual(json.loads(self.export(made, "github-action-benchmark")), [
            {"name": "order_detail/sqlite median", "unit": "ns", "value": 1050,
             "range": "1040 to 1061", "extra": f"rows: 8\ncommit: {commit}"},
            {"name": "order_detail/sqlite p95", "unit": "ns", "value": 1095,
             "range": "1090 to 1100", "extra": f"rows: 8\ncommit: {commit}"}])

    def test_bencher_gets_values_with_bounds_where_there_are_samples_for_them(self):
        samples = list(range(1001, 1101))
        made = reports.document(
            reports.entry(samples=samples, p50=1050, p95=1095, p99=1099),
            reports.entry("customer_by_email", "customer by email", rows=1))
        self.assertEqual(json.loads(self.export(made, "bencher")), {
            "order_detail/sqlite": {
                "latency": {"value": 1050, "lower_value": 1040, "upper_value": 1061},
                "latency-p95": {"value": 1095, "lower_value": 1090, "upper_value": 1100}},
            "customer_by_email/sqlite": {"latency": {"value": 3}, "latency-p95": {"value": 5}}})

    def test_repetitions_are_bounded_by_the_least_and_the_greatest(self):
        made = reports.document(*(
            reports.entry(repetitions=3, repetition_index=index, samples=[ns, ns, 9_000], p50=ns,
                          p95=9_000) for index, ns in enumerate((700, 500, 800))))
        latency = json.loads(self.export(made, "bencher"))["order_detail/sqlite"]["latency"]
        self.assertEqual(latency, {"value": 700, "lower_value": 500, "upper_value": 800})

    def metrics(self, text):
        """{(sample's name, query, quantile or None): value} as Prometheus's own parser sees it."""
        return {(sample.name, sample.labels.get("query"), sample.labels.get("quantile")):
                sample.value for family in openmetrics.text_string_to_metric_families(text)
                for sample in family.samples}

    def test_openmetrics_is_read_by_the_parser_of_prometheus(self):
        samples = list(range(1001, 1101))
        made = reports.document(reports.entry(samples=samples, p50=1050, p95=1095, p99=1099))
        self.assertEqual(self.metrics(self.export(made, "openmetrics")), {
            ("shopmark_call_seconds", "order_detail", "0.5"): 1050e-9,
            ("shopmark_call_seconds", "order_detail", "0.95"): 1095e-9,
            ("shopmark_call_seconds", "order_detail", "0.99"): 1099e-9,
            ("shopmark_call_seconds_sum", "order_detail", None): sum(samples) / 1e9,
            ("shopmark_call_seconds_count", "order_detail", None): 100,
            ("shopmark_rows", "order_detail", None): 8,
            ("shopmark_failed", "order_detail", None): 0,
            ("shopmark_target_info", None, None): 1})

    def test_openmetrics_escapes_labels(self):
        made = reports.document(reports.entry(on=EVIL), targets={EVIL: reports.target()})
        families = openmetrics.text_string_to_metric_families(self.export(made, "openmetrics"))
        targets = {sample.labels["target"] for family in families for sample in family.samples}
        self.assertEqual(targets, {'a"b\\c <b>|, [31m\N{DUCK}'})

    def test_csv_has_a_line_for_each_call_in_its_order(self):
        lines = list(csv.DictReader(io.StringIO(
            self.export(self.failing_run(), "csv", 1), newline="")))
        self.assert_tells_of_the_failure()
        self.assertEqual([line["ns"] for line in lines], ["5", "1", "4", "2", "3", ""])
        self.assertEqual([line["sample"] for line in lines], ["0", "1", "2", "3", "4", ""])
        self.assertEqual({line["query"] for line in lines[:5]}, {"order_detail"})
        self.assertEqual(lines[5]["query"], "cart")
        self.assertTrue(lines[5]["error"].startswith('a"b'))

    def test_junit_is_read_by_a_library_of_others(self):
        shown = self.export(self.failing_run(), "junit", 1)
        self.assert_tells_of_the_failure()
        suites = list(junitparser.JUnitXml.fromstring(shown.encode()))
        self.assertEqual([(suite.name, suite.tests, suite.failures) for suite in suites],
                         [("sqlite", 2, 1)])
        cases = {case.name: case for case in suites[0]}
        self.assertEqual(cases["order_detail"].time, 3e-9)
        self.assertTrue(cases["order_detail"].is_passed)
        self.assertIn("<b>|", cases["cart"].result[0].message)

    def test_a_failed_case_has_no_time_in_any_format(self):
        for form in ("github-action-benchmark", "bencher", "openmetrics"):
            with self.subTest(form=form):
                shown = self.export(self.failing_run(), form, 1)
                self.assert_tells_of_the_failure()
                if form == "openmetrics":
                    self.assertEqual({(name, value) for (name, query, _), value
                                      in self.metrics(shown).items() if query == "cart"},
                                     {("shopmark_failed", 1)})
                else:
                    self.assertNotIn("cart", shown)

    def test_an_interrupted_run_is_status_1(self):
        self.export(reports.document(reports.entry(), complete=False), "csv", 1)
        self.assertIn("interrupted", self.stderr)

    def test_what_is_no_report_is_one_line_and_status_2(self):
        for content in (b"", b"{}", b"\xff", b"[1, NaN]"):
            with self.subTest(content=content):
                with open(self.file, "wb") as file:
                    file.write(content)
                done = subprocess.run([os.path.join(ROOT, "tools", "shopmark"), "export",
                                       self.file, "--format=csv"], text=True, capture_output=True,
                                      check=False, timeout=60)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertIn(self.file, done.stderr)

    def test_output_goes_to_the_file_that_is_named(self):
        named = os.path.join(self.folder, "out.json")
        self.assertEqual(self.export(reports.whole_run(), "bencher", 0, f"--output={named}"), "")
        with open(named, encoding="utf-8") as file:
            self.assertIn("customer_by_email/sqlite", json.load(file))


class GoogleBenchmark(unittest.TestCase):
    def test_its_compare_reads_our_json(self):
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for name, ns in (("old", 2_000_000), ("new", 1_000_000)):
                names.append(os.path.join(folder, f"{name}.json"))
                reports.write(names[-1], reports.document(
                    reports.entry(samples=[ns] * 5, p50=ns, p95=ns, real_time=ns / 1e6)))
            done = subprocess.run([sys.executable, COMPARE, "--no-color", "benchmarks", *names],
                                  text=True, capture_output=True, check=False, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        line = next(line for line in done.stdout.splitlines() if line.startswith("order_detail"))
        self.assertIn(" -0.5000 ", line)
        self.assertRegex(line, r" 2 +1 ")


if __name__ == "__main__":
    unittest.main()
