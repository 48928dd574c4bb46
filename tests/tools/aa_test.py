#!/usr/bin/python3
"""tools/shopmark aa: the noise that it finds, the false alarms that it counts, and what compare
makes of it."""

import json
import math
import os
import random
import sys
import tempfile
import unittest

import reports
import script

sys.path.insert(0, os.path.join(script.ROOT, "tools"))

from aa import tables  # noqa: E402  (found through that line)
from compare import comparison, noise  # noqa: E402
from report import read  # noqa: E402


def runs(count, deviation, cases=54, seed=1, drift=0.0):
    """Of unchanged code, between which each case differs by that much, and drifts."""
    source = random.Random(seed)
    made = []
    for number in range(count):
        entries = []
        for case in range(cases):
            level = source.gauss(0, deviation) + drift * number / (count - 1)
            calls = tuple(round(1e6 * math.exp(level + source.gauss(0, 0.01))) for _ in range(25))
            entries.append(read.Entry(f"q{case}", f"q {case}", "sqlite", 0, 1, (1,) * 5, calls,
                                      tuple(sorted(calls)), None))
        target = read.Target("sqlite", "sqlite", "3.40", "smoke", "d", "in process", "s", "durable",
                             {})
        made.append(read.Run({"sqlite": target}, entries, True, 5,
                             {"host_name": "shop", "num_cpus": "2", "date": "today"}))
    return made


class Tables(unittest.TestCase):
    def test_few_tables_of_unchanged_code_have_an_alarm_whatever_the_noise(self):
        for deviation in (0.005, 0.05, 0.3):
            judged = tables.judged_tables(runs(40, deviation, seed=3), floor=0.05, confidence=0.95)
            self.assertEqual(len(judged), 20)
            self.assertLessEqual(sum(bool(tables.alarms(table)) for table in judged), 1, deviation)

    def test_a_table_is_not_judged_by_the_noise_that_it_shows_itself(self):
        made = runs(10, 0.01, cases=3)
        slow = runs(10, 0.01, cases=3, seed=9)
        for entry in slow[9].entries:
            object.__setattr__(entry, "calls", tuple(2 * one for one in entry.calls))
        judged = tables.judged_tables([*made[:9], slow[9]], floor=0.05, confidence=0.95)
        self.assertEqual([len(tables.alarms(table)) for table in judged], [0, 0, 0, 0, 3])

    def test_the_noise_is_the_deviation_and_its_bound_lies_above(self):
        one = tables.case_noises(runs(200, 0.05, cases=1))[0]
        self.assertAlmostEqual(one.deviation, 0.05, delta=0.008)
        self.assertLess(one.deviation, one.noise)
        self.assertLess(one.noise, 1.2 * one.deviation)
        self.assertEqual((one.query, one.runs), ("q0", 200))

    def test_the_bound_holds_in_19_of_20_estimates(self):
        source = random.Random(5)
        below = sum(noise.estimate([source.gauss(0, 1) for _ in range(10)]) < 1
                    for _ in range(1000))
        self.assertTrue(30 <= below <= 72, below)

    def test_the_drift_goes_from_the_first_run_to_the_last(self):
        self.assertAlmostEqual(tables.case_noises(runs(20, 0.001, cases=1, drift=0.1))[0].drift, 0.1,
                               delta=0.005)

    def test_a_case_that_failed_once_has_no_noise(self):
        made = runs(6, 0.01, cases=2)
        made[2].entries[1] = read.Entry("q1", "q 1", "sqlite", 0, None, (), (), (), "broke")
        self.assertEqual([one.query for one in tables.case_noises(made)], ["q0"])


class Compare(unittest.TestCase):
    def known(self, folder, **changes):
        path = os.path.join(folder, "noise.json")
        made = {"format": 1, "date": "today", "host_name": "shop", "num_cpus": "2", "cases": [
            {"engine": "sqlite", "version": "3.40", "query": "q0", "noise": 0.25}]} | changes
        with open(path, "w", encoding="utf-8") as file:
            json.dump(made, file)
        return noise.load(path)

    def test_noise_counts_on_the_machine_and_the_engine_where_it_was_measured(self):
        run = runs(2, 0.01, cases=2)[0]
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.known(folder).of(run, "sqlite", "q0"), 0.25)
            self.assertIsNone(self.known(folder).of(run, "sqlite", "q1"))
            self.assertIsNone(self.known(folder).of(run, "other", "q0"))
            self.assertIsNone(self.known(folder, host_name="b").of(run, "sqlite", "q0"))
            self.assertIsNone(self.known(folder, cases=[
                {"engine": "sqlite", "version": "3.41", "query": "q0", "noise": 0.25}]).of(
                    run, "sqlite", "q0"))

    def test_a_file_that_cannot_be_understood_counts_as_none(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIsNone(noise.load(os.path.join(folder, "none")))
            for changes in ({"format": 2}, {"cases": 3}, {"cases": [{"noise": "x"}]}):
                self.assertIsNone(self.known(folder, **changes))

    def test_measured_noise_widens_the_interval_and_a_given_one_wins(self):
        old, new = runs(2, 0.0, cases=1)
        def width(**how):
            (_, one), = comparison.compare([old], [new], floor=0.05, confidence=0.95, **how).judged
            return math.log(one.high / one.low)
        wide = width(noise_of=lambda target, query: 0.25)
        assumed = width(noise_of=lambda target, query: None)
        self.assertGreater(wide, 3 * assumed)
        self.assertEqual(assumed, width())
        self.assertLess(width(noise=0.001, noise_of=lambda target, query: 0.25), assumed)


class KeptRuns(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for number in range(6):
            calls = [1000 + number + 10 * i for i in range(25)]
            self.write(number, reports.document(
                reports.entry(samples=calls, p50=calls[12], p95=calls[23])))

    def write(self, number, document):
        reports.write(os.path.join(self.folder, f"{number:02}.json"), document)

    def judge(self):
        # Nothing is missing, so the program is not called.
        return script.run("aa", "--tables=3", f"--runs={self.folder}", f"--program={script.SCRIPT}",
                          f"--noise-file={self.folder}/noise")

    def test_runs_that_are_there_are_judged_again(self):
        done = self.judge()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("0 of 3 tables have a false alarm", done.stdout)
        self.assertEqual(noise.load(os.path.join(self.folder, "noise")).host, ("shop", "2"))

    def test_runs_of_another_machine_are_refused(self):
        other = reports.document(reports.entry())
        other["context"]["host_name"] = "another"
        self.write(3, other)
        script.assert_refused(self, self.judge(), "host_name")

    def test_a_run_that_failed_is_not_kept(self):
        os.remove(os.path.join(self.folder, "05.json"))
        self.assertNotEqual(self.judge().returncode, 0)
        self.assertNotIn("05.json", os.listdir(self.folder))


class Refusals(unittest.TestCase):
    def test_a_wrong_command_line_is_one_line_with_status_2(self):
        for arguments, part in ((["--tables=2"], "--tables"),
                                (["--runs=/dev/null/a", f"--program={script.SCRIPT}"], "--runs"),
                                (["--samples=4"], "--samples"),
                                (["--program=/nowhere"], "/nowhere"),
                                (["--ab", "--target=sqlite:a,sqlite:b", f"--program={script.SCRIPT}"],
                                 "--target")):
            with self.subTest(arguments=arguments):
                script.assert_refused(self, script.run("aa", *arguments), part)


if __name__ == "__main__":
    unittest.main()
