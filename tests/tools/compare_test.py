#!/usr/bin/python3
"""tools/shopmark compare, on runs whose difference is known."""

import json
import math
import os
import random
import statistics
import sys
import tempfile
import unittest

import numpy
from scipy import stats

import reports
import script

sys.path.insert(0, os.path.join(script.ROOT, "tools"))

from compare import sides, verdict  # noqa: E402  (found through that line)
from report import read  # noqa: E402


def case(samples, query="order_detail", **changes):
    """An entry of these calls; five parameters, unless parameter_rows says otherwise."""
    ordered = sorted(samples)
    return reports.entry(query, query.replace("_", " "), samples=samples,
                         p50=ordered[-(-len(ordered) // 2) - 1],
                         p95=ordered[-(-95 * len(ordered) // 100) - 1], **changes)


def calls(ns, spread=0.01, count=25, seed=1):
    """Times around `ns`, with that standard deviation of their logarithm."""
    source = random.Random(seed)
    return [round(ns * math.exp(source.gauss(0, spread))) for _ in range(count)]


class Compare(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, made):
        path = os.path.join(self.folder, name)
        reports.write(path, made)
        return path

    @staticmethod
    def run_compare(*arguments):
        return script.run("compare", *arguments)

    def compare(self, old, new, *arguments, status=0):
        """What JSON says of two sides, each a list of runs; the first case alone is `.case`."""
        named = [[self.file(f"{side}{number}.json", run) for number, run in enumerate(runs)]
                 for side, runs in (("old", old), ("new", new))]
        done = self.run_compare(*named[0], "--new", *named[1], "--format=json", *arguments)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        return json.loads(done.stdout)

    def verdict_of(self, old, new, *arguments, status=0):
        made = self.compare([reports.document(old)], [reports.document(new)], "--noise=0.1",
                            *arguments, status=status)
        return made["cases"][0]

    def assert_refused(self, done, *parts):
        script.assert_refused(self, done, *parts)


class Verdicts(Compare):
    def test_a_clear_slowdown_is_slower_and_status_1(self):
        one = self.verdict_of(case(calls(1_000_000)), case(calls(1_200_000, seed=2)), status=1)
        self.assertEqual(one["verdict"], "slower")
        self.assertAlmostEqual(one["ratio"], 1.2, delta=0.02)
        self.assertLess(one["low"], 1.2)
        self.assertGreater(one["high"], 1.2)
        self.assertGreater(one["low"], 1.1)

    def test_a_clear_gain_is_faster_and_status_0(self):
        one = self.verdict_of(case(calls(1_200_000)), case(calls(1_000_000, seed=2)))
        self.assertEqual(one["verdict"], "faster")

    def test_same_means_that_the_interval_lies_within_the_floor(self):
        old, new = case(calls(1_000_000)), case(calls(1_010_000, seed=2))
        one = self.verdict_of(old, new)
        self.assertEqual(one["verdict"], "same")
        self.assertGreater(one["low"], 1 / 1.05)
        self.assertLess(one["high"], 1.05)
        # One that is not zero but below the floor is the same too; a finer floor tells it.
        exact = self.verdict_of(case(calls(1_000_000, 0.001)), case(calls(1_020_000, 0.001, seed=2)))
        self.assertGreater(exact["low"], 1)
        self.assertEqual(exact["verdict"], "same")
        finer = self.verdict_of(case(calls(1_000_000, 0.001)), case(calls(1_020_000, 0.001, seed=2)),
                                "--floor=1", status=1)
        self.assertEqual(finer["verdict"], "slower")

    def test_what_is_too_noisy_cannot_be_told_and_needs_more_samples(self):
        one = self.verdict_of(case(calls(1_000_000, 0.3)), case(calls(1_050_000, 0.3, seed=2)))
        self.assertEqual(one["verdict"], "cannot tell")
        self.assertGreater(one["samples_needed"], 50)

    def test_the_noise_of_the_machine_can_be_the_reason(self):
        made = self.compare([reports.document(case(calls(1_000_000)))],
                            [reports.document(case(calls(1_100_000, seed=2)))], "--noise=10")
        self.assertEqual(made["cases"][0]["verdict"], "cannot tell")
        self.assertIsNone(made["cases"][0]["samples_needed"])
        self.assertEqual((made["noise"], made["measured_noise"]), (0.1, 0))

    def test_the_samples_that_it_asks_for_are_about_enough(self):
        def run(seed, count):
            return case(calls(1_000_000, 0.1, count, seed))
        needed = self.verdict_of(run(1, 25), run(2, 25))["samples_needed"]
        self.assertGreater(needed, 25)
        again = self.verdict_of(run(3, 4 * needed), run(4, 4 * needed))
        self.assertEqual(again["verdict"], "same")

    def test_parameters_of_unequal_cost_do_not_hide_a_change(self):
        costs = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
        def mixed(factor, seed):
            source = random.Random(seed)
            return case([round(factor * costs[i % 5] * math.exp(source.gauss(0, 0.01)))
                         for i in range(25)])
        one = self.verdict_of(mixed(1, 1), mixed(1.1, 2), status=1)
        self.assertEqual(one["verdict"], "slower")
        self.assertAlmostEqual(one["ratio"], 1.1, delta=0.02)

    def test_several_files_of_a_side_are_repetitions(self):
        old = [reports.document(case(calls(ns, seed=ns))) for ns in (1_000_000, 1_010_000, 990_000)]
        new = [reports.document(case(calls(ns, seed=ns))) for ns in (1_300_000, 1_310_000,
                                                                     1_290_000)]
        made = self.compare(old, new, "--noise=0.1", status=1)
        self.assertEqual(made["cases"][0]["verdict"], "slower")
        self.assertEqual(made["cases"][0]["old"]["repetitions"], 3)
        # Their spread counts, not that of the calls: here every run is another world.
        wild = [reports.document(case(calls(ns, seed=ns))) for ns in (1_000_000, 1_600_000,
                                                                      700_000)]
        made = self.compare(wild, new, "--noise=0.1")
        self.assertEqual(made["cases"][0]["verdict"], "cannot tell")

    def test_figures_are_those_of_the_report(self):
        one = self.verdict_of(case([5, 1, 4, 2, 3]), case([50, 10, 40, 20, 30]), status=1)
        self.assertEqual(one["old"], {"median_ns": 3, "p95_ns": 5, "repetitions": 1, "samples": 5})
        self.assertEqual(one["new"]["p95_ns"], 50)
        self.assertAlmostEqual(one["ratio"], 10)

    def test_a_case_that_fails_has_a_verdict_and_no_time(self):
        good, bad = case(calls(1_000)), reports.failed(message="rows differ")
        for old, new, expected, status in ((good, bad, "newly failing", 1),
                                           (bad, good, "newly passing", 0),
                                           (bad, bad, "failing", 0)):
            with self.subTest(expected=expected):
                one = self.verdict_of(old, new, status=status)
                self.assertEqual((one["verdict"], one["ratio"]), (expected, None))
                self.assertIn("rows differ", one["reason"])

    def test_one_failed_repetition_fails_the_case(self):
        old = reports.document(case(calls(1_000)))
        new = reports.document(case(calls(1_000), repetitions=2),
                               reports.failed(repetitions=2, repetition_index=1))
        self.assertEqual(self.compare([old], [new], status=1)["cases"][0]["verdict"],
                         "newly failing")

    def test_a_case_on_one_side_alone_is_named(self):
        made = self.compare([reports.document(case(calls(9), "a"), case(calls(9), "b"))],
                            [reports.document(case(calls(9), "b"), case(calls(9), "c"))])
        self.assertEqual([(one["query"], one["verdict"]) for one in made["cases"]],
                         [("a", "only in old"), ("b", "cannot tell"), ("c", "only in new")])

    def test_other_rows_are_other_work(self):
        one = self.verdict_of(case(calls(1_000_000)),
                              case(calls(500_000), parameter_rows=[8, 7, 7, 8, 7]))
        self.assertEqual(one["verdict"], "cannot tell")
        self.assertIn("other rows", one["reason"])

    def test_a_handful_of_calls_tells_nothing(self):
        one = self.verdict_of(case([1_000] * 4), case([2_000] * 4))
        self.assertEqual((one["verdict"], one["ratio"]), ("cannot tell", None))

    def test_baselines_are_no_cases(self):
        made = self.compare([reports.whole_run()], [reports.whole_run()])
        self.assertNotIn("baseline_empty_call", {one["query"] for one in made["cases"]})
        self.assertEqual(len(made["cases"]), 3)


class Arithmetic(unittest.TestCase):
    """Whole tables of 54 cases from known distributions."""

    @staticmethod
    def tables(count, noise, change=0.0):
        """The verdicts of many tables, the runs of which differ by `noise`."""
        source = random.Random(7)
        def side(shift, spread):
            run = source.gauss(0, noise) + shift
            calls = tuple(round(1e6 * math.exp(run + source.gauss(0, spread))) for _ in range(25))
            entry = read.Entry("q", "q", "t", 0, 1, (1,) * 5, calls, tuple(sorted(calls)), None)
            return sides.Side([entry], [], (1,) * 5)
        tables = []
        for _ in range(count):
            pairs = [sides.Pair("q", "q", "t", side(0, spread), side(change, spread))
                     for spread in [0.02, 0.1, 0.3] * 18]
            tables.append([verdict.judge(pair, floor=0.05, confidence=0.95, cases=54, noise=noise)
                           for pair in pairs])
        return tables

    def test_few_tables_of_unchanged_code_have_an_alarm(self):
        tables = self.tables(20, 0.03)
        alarms = sum(any(one.verdict in ("slower", "faster") for one in table) for table in tables)
        self.assertLessEqual(alarms, 1)

    def test_calls_without_any_spread_are_the_same(self):
        entry = read.Entry("q", "q", "t", 0, 1, (1,) * 5, (7,) * 25, (7,) * 25, None)
        side = sides.Side([entry], [], (1,) * 5)
        one = verdict.judge(sides.Pair("q", "q", "t", side, side), floor=0.05, confidence=0.95,
                            cases=54, noise=0)
        self.assertEqual((one.verdict, one.low, one.high), ("same", 1, 1))

    def test_intervals_hold_the_truth(self):
        truth = math.exp(0.2)
        judged = [one for table in self.tables(4, 0.03, 0.2) for one in table]
        self.assertTrue(all(one.low < truth < one.high for one in judged))
        self.assertAlmostEqual(statistics.median(one.ratio for one in judged), truth, delta=0.02)


    def test_the_error_of_a_median_is_that_of_a_bootstrap(self):
        for count in (5, 25, 100, 101):
            logs = numpy.random.default_rng(count).standard_normal(count)
            boot = stats.bootstrap((logs,), numpy.median, n_resamples=5_000, method="percentile",
                                   random_state=numpy.random.default_rng(1)).standard_error
            error = math.sqrt(verdict.median_variance(logs))
            with self.subTest(count=count):
                self.assertAlmostEqual(error / boot, 1, delta=0.06)


class Refusals(Compare):
    def test_runs_that_differ_in_more_than_the_code_are_refused_by_name(self):
        def changed(**target):
            return reports.document(case(calls(9)), targets={"sqlite": reports.target(**target)})
        plain = self.file("plain.json", changed())
        host = reports.document(case(calls(9)))
        host["context"]["host_name"] = "other"
        for made, part in ((changed(profile="smoke"), "sqlite profile: standard / smoke"),
                           (changed(data_digest="f"), "sqlite data_digest"),
                           (changed(version="3.41"), "sqlite version: 3.40.1 / 3.41"),
                           (changed(settings={"synchronous": "1"}),
                            "sqlite synchronous: not set / 1"),
                           (reports.document(case(calls(9)), build_type="Debug"),
                            "build_type: Release / Debug"), (host, "host_name: shop / other")):
            with self.subTest(part=part):
                other = self.file("other.json", made)
                self.assert_refused(self.run_compare(plain, other), part)
                forced = self.run_compare(plain, other, "--force")
                self.assertEqual(forced.returncode, 0, forced.stderr)
                self.assertIn("Compared all the same: " + part, " ".join(forced.stdout.split()))

    def test_files_of_one_side_with_other_rows_are_refused(self):
        one = self.file("one.json", reports.document(case(calls(9))))
        other = self.file("other.json", reports.document(
            case(calls(9), parameter_rows=[8, 7, 7, 8, 7])))
        self.assert_refused(self.run_compare(one, other, "--new", one), "order_detail/sqlite")

    def test_another_commit_or_other_statements_are_what_is_compared(self):
        old = self.file("old.json", reports.document(case(calls(9)), queries_digest="a"))
        new = self.file("new.json", reports.document(case(calls(9)), queries_digest="b",
                                                     commit="2" * 40))
        self.assertEqual(self.run_compare(old, new).returncode, 0)

    def test_a_wrong_command_line_is_one_line(self):
        good = self.file("good.json", reports.whole_run())
        for arguments, part in (((good,), "OLD and NEW"), ((good,) * 3, "OLD and NEW"),
                                ((good, good, "--floor=0"), "--floor"),
                                ((good, good, "--confidence=x"), "--confidence"),
                                ((good, good, "--noise=nan"), "--noise"), ((), "OLD")):
            with self.subTest(arguments=arguments):
                self.assert_refused(self.run_compare(*arguments), part)

    def test_the_output_is_never_an_input(self):
        good = self.file("good.json", reports.whole_run())
        other = self.file("other.json", reports.whole_run())
        self.assert_refused(self.run_compare(good, other, f"--output={other}"), "--output")


class Forms(Compare):
    def setUp(self):
        super().setUp()
        evil = 'a|b <b>\n\x1b[31m'
        self.old = self.file("old.json", reports.document(
            case(calls(1_000_000)), case(calls(1_000), "customer_by_email") | {"title": evil}))
        self.new = self.file("new.json", reports.document(
            case(calls(1_500_000, seed=2)),
            reports.failed("customer_by_email", evil, message=evil)))

    def test_text_has_medians_above_p95_and_fits_a_terminal(self):
        done = self.run_compare(self.old, self.new, "--noise=0.1", "--width=80")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        lines = done.stdout.splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        row = next(i for i, line in enumerate(lines) if line.startswith("order detail"))
        self.assertRegex(lines[row], r"1\.00 ms +1\.\d\d ms +1\.\d\d +1\.4\d–1\.5\d +slower$")
        self.assertRegex(lines[row + 1], r"^ +1\.0\d ms +1\.[45]\d ms$")
        self.assertNotIn("\x1b", done.stdout)
        self.assertTrue(any(line.startswith("a|b <b> [31m") and "FAILED" in line
                            and line.endswith("newly failing") for line in lines))

    def test_markdown_is_a_table_with_its_pipes_escaped(self):
        done = self.run_compare(self.old, self.new, "--noise=0.1", "--format=markdown")
        rows = [line for line in done.stdout.splitlines() if line.startswith("| ")]
        bars = {line.replace("\\|", "").count("|") for line in rows}
        self.assertEqual(len(bars), 1, done.stdout)
        self.assertIn("a\\|b &lt;b>", done.stdout)
        self.assertIn("| slower |", done.stdout)


if __name__ == "__main__":
    unittest.main()
