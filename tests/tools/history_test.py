#!/usr/bin/python3
"""tools/shopmark history, on records whose course is known."""

import concurrent.futures
import csv
import io
import json
import math
import os
import random
import sys
import tempfile
import unittest
from unittest import mock

import numpy

import reports
import script

sys.path.insert(0, os.path.join(script.ROOT, "tools"))

from compare import noise  # noqa: E402  (found through that line)
from history import record, steps  # noqa: E402


def run_of(day, *entries, commit="c", **changes):
    made = reports.document(*entries, commit=f"{day:02d}{commit}".ljust(40, "0"), **changes)
    made["context"]["date"] = f"2026-11-{day:02d}T12:00:00+02:00"
    return made


def scaled(factor, query="order_detail", **changes):
    samples = [round(1000 * factor * n) for n in (5, 1, 4, 2, 3)]
    ordered = sorted(samples)
    return reports.entry(query, query.replace("_", " "), samples=samples, p50=ordered[2],
                         p95=ordered[4], **changes)


class History(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.record = os.path.join(self.folder, "record")

    def file(self, name, made):
        path = os.path.join(self.folder, name)
        reports.write(path, made)
        return path

    def add(self, *runs):
        paths = [self.file(f"{number}.json", run) for number, run in enumerate(runs)]
        done = script.run("history", "add", *paths, f"--history={self.record}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def show(self, *arguments):
        done = script.run("history", f"--history={self.record}", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def courses(self, *arguments):
        return json.loads(self.show("--format=json", *arguments))["courses"]


class Record(History):
    def test_a_run_is_kept_whole(self):
        self.add(run_of(1, scaled(1)))
        (name,) = os.listdir(self.record)
        with open(os.path.join(self.record, name), "rb") as kept, \
                open(os.path.join(self.folder, "0.json"), "rb") as given:
            self.assertEqual(kept.read(), given.read())

    def test_the_same_run_is_not_added_twice_however_it_is_written(self):
        self.add(run_of(1, scaled(1)))
        path = os.path.join(self.folder, "indented.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(run_of(1, scaled(1)), file, indent=7)
        done = script.run("history", "add", path, f"--history={self.record}")
        self.assertEqual(done.returncode, 0)
        self.assertIn("in the history already", done.stdout)
        self.assertEqual(len(os.listdir(self.record)), 1)

    def test_of_many_at_once_none_is_lost_and_none_stands_twice(self):
        paths = [self.file(f"{day}.json", run_of(day, scaled(1))) for day in range(1, 11)] * 3
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            names = list(threads.map(lambda path: record.add(path, self.record), paths))
        self.assertEqual(sum(name is not None for name in names), 10)
        self.assertEqual(sorted(filter(None, names)), sorted(os.listdir(self.record)))

    def test_runs_stand_by_their_time_whatever_its_zone(self):
        early, late = run_of(1, scaled(1)), run_of(1, scaled(2))
        early["context"]["date"] = "2026-11-01T03:00:00+02:00"
        late["context"]["date"] = "2026-11-01T02:00:00+00:00"
        self.add(late, early)
        self.assertEqual([point["date"] for point in self.courses()[0]["points"]],
                         ["2026-11-01T01:00:00+00:00", "2026-11-01T02:00:00+00:00"])

    def test_a_run_without_a_time_is_refused(self):
        made = run_of(1, scaled(1))
        for date in ("yesterday", ""):
            made["context"]["date"] = date
            path = self.file("date.json", made)
            with self.subTest(date=date):
                script.assert_refused(self, script.run("history", "add", path,
                                                       f"--history={self.record}"), path, "date")
                self.assertFalse(os.path.exists(self.record))

    def test_a_file_of_the_record_that_is_broken_is_named(self):
        self.add(run_of(1, scaled(1)))
        path = os.path.join(self.record, "x.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write("{")
        script.assert_refused(self, script.run("history", f"--history={self.record}"), path)

    def test_what_cannot_be_is_refused_in_one_line(self):
        good = self.file("good.json", run_of(1, scaled(1)))
        none, taken = os.path.join(self.folder, "none"), os.path.join(good, "x")
        for arguments, part in (((f"--history={none}",), "history add FILE"),
                                (("add", good, f"--history={taken}"), taken),
                                (("add", good, f"--history={good}"), good),
                                (("add", none, f"--history={self.record}"), none),
                                ((f"--history={good}",), good), (("add",), "FILE"),
                                (("--floor=x",), "--floor")):
            with self.subTest(arguments=arguments):
                script.assert_refused(self, script.run("history", *arguments), part)
        self.add(run_of(1, scaled(1)))
        for arguments, part in ((("--query=x",), "order_detail"), (("--target=x",), "sqlite")):
            script.assert_refused(
                self, script.run("history", f"--history={self.record}", *arguments), part)


class Courses(History):
    def test_a_course_has_every_run_with_its_figures(self):
        self.add(run_of(2, scaled(2), dirty=True), run_of(1, scaled(1)))
        (course,) = self.courses()
        self.assertEqual([(point["median_ns"], point["p95_ns"], point["commit"])
                          for point in course["points"]],
                         [(3000, 5000, "01c000000000"), (6000, 10000, "02c000000000+")])

    def test_unlike_runs_have_courses_of_their_own(self):
        plain = run_of(1, scaled(1))
        other_host = run_of(2, scaled(1))
        other_host["context"]["host_name"] = "other"
        unlike = [other_host, run_of(3, scaled(1), build_type="Debug")]
        unlike += [run_of(4 + i, scaled(1), targets={"sqlite": reports.target(**change)})
                   for i, change in enumerate(({"version": "9"}, {"profile": "smoke"},
                                               {"data_digest": "f"}, {"durability": "none"},
                                               {"settings": {"synchronous": "1"}}))]
        unlike.append(run_of(20, scaled(1, parameter_rows=[8, 7, 7, 8, 7])))
        self.add(plain, *unlike, run_of(21, scaled(1)))
        courses = self.courses()
        self.assertEqual(sorted(len(course["points"]) for course in courses), [1] * 8 + [2])
        shown = " ".join(self.show().split())
        self.assertIn("version: 3.40.1 / 9", shown)
        self.assertIn("host_name: shop / other", shown)

    def test_another_commit_or_processor_speed_is_the_same_course(self):
        other = run_of(2, scaled(1), queries_digest="b")
        other["context"]["mhz_per_cpu"] = 2451
        self.add(run_of(1, scaled(1), queries_digest="a"), other)
        self.assertEqual(len(self.courses()), 1)

    def test_failed_and_interrupted_runs_stay_and_have_no_figure(self):
        ended = run_of(3, scaled(1, "a"), complete=False)
        at_once = run_of(4, complete=False)
        failed = reports.failed(message="rows | <b>\nno")
        self.add(run_of(1, scaled(1, "a"), scaled(1)), run_of(2, scaled(1, "a"), failed), ended,
                 at_once)
        points = {course["query"]: course["points"] for course in self.courses()}
        self.assertEqual([point.get("error") for point in points["order_detail"]],
                         [None, "rows | <b>\nno"] + ["the run was interrupted before it"] * 2)
        self.assertEqual([point.get("median_ns") for point in points["a"]],
                         [3000, 3000, 3000, None])
        shown = self.show()
        self.assertIn("4 runs, 2026-11-01 to 2026-11-04. 2 interrupted: 2026-11-03 10:00", shown)
        self.assertIn("xxx", shown)
        self.assertIn("FAILED: rows | <b> no", self.show("--query=order_detail"))

    def test_a_failure_before_the_first_success_is_of_its_course(self):
        self.add(run_of(1, reports.failed()), run_of(2, scaled(1)))
        self.assertEqual([len(course["points"]) for course in self.courses()], [2])

    def test_a_run_of_repetitions_has_the_report_s_own_figure(self):
        self.add(run_of(1, scaled(1, repetitions=2),
                        scaled(3, repetitions=2, repetition_index=1)))
        self.assertEqual(self.courses()[0]["points"][0]["median_ns"], 3000)

    def test_baselines_are_no_cases(self):
        made = reports.whole_run()
        self.add(made)
        self.assertEqual(len(self.courses()), 3)


class Shown(History):
    def setUp(self):
        super().setUp()
        evil = "a|b <b>\n\x1b[31m" + "long " * 5
        self.add(*(run_of(day, scaled(1 if day < 5 else 1.5), scaled(1, "email") | {"title": evil})
                   for day in range(1, 9)))

    def test_a_step_is_marked_where_it_is(self):
        points = self.courses("--query=order_detail")[0]["points"]
        self.assertEqual([point.get("step", {}).get("verdict") for point in points],
                         [None] * 4 + ["slower"] + [None] * 3)
        self.assertAlmostEqual(points[4]["step"]["ratio"], 1.5, delta=0.01)
        lines = self.show("--query=order_detail").splitlines()
        place = next(i for i, line in enumerate(lines) if line.startswith("-- slower: ×1.50"))
        self.assertIn("2026-11-05", lines[place + 1])
        self.assertIn("slower: ×1.50", self.show())
        self.assertIn("from 2026-11-05 10:00, commit 05c000000000 on", self.show())

    def test_what_aa_measured_of_the_machine_counts(self):
        for host, marked in ((("shop", "2"), 0), (("other", "2"), 1)):
            measured = noise.Noise("", host, {("sqlite", "3.40.1", "order_detail"): 0.5})
            with self.subTest(host=host), mock.patch.object(noise, "load", return_value=measured):
                points = self.courses("--query=order_detail")[0]["points"]
                self.assertEqual(sum("step" in point for point in points), marked)

    def test_what_is_marked_does_not_depend_on_what_is_shown(self):
        alone = self.courses("--query=order_detail")[0]
        self.assertIn(alone, self.courses())

    def test_text_fits_a_terminal_and_has_no_control_characters(self):
        for arguments in ((), ("--query=order_detail",), ("--query=email",)):
            shown = self.show("--width=80", *arguments)
            self.assertLessEqual(max(map(len, shown.splitlines())), 80, shown)
            self.assertNotIn("\x1b", shown)

    def test_csv_has_a_line_for_each_run_of_each_case(self):
        lines = list(csv.DictReader(io.StringIO(self.show("--format=csv"))))
        self.assertEqual(len(lines), 16)
        of_query = [line for line in lines if line["query"] == "order_detail"]
        self.assertEqual([line["p50_ns"] for line in of_query], ["3000"] * 4 + ["4500"] * 4)
        self.assertEqual([line["step"] for line in of_query], [""] * 4 + ["slower"] + [""] * 3)

    def test_the_output_is_never_a_file_of_the_record(self):
        (first, *_) = sorted(os.listdir(self.record))
        script.assert_refused(self, script.run(
            "history", f"--history={self.record}",
            f"--output={os.path.join(self.record, first)}"), "--output")


class Steps(unittest.TestCase):
    """From known distributions."""

    def find(self, levels, courses=54):
        return [step.at for step in steps.find(levels, courses=courses, floor=0.05, confidence=0.95,
                                               noise=0.05)]

    def course(self, seed, *parts, spread=0.03):
        source = random.Random(seed)
        return [source.gauss(mean, spread) for mean, count in parts for _ in range(count)]

    def test_a_level_that_changes_is_found_where_it_changes(self):
        for seed in range(10):
            with self.subTest(seed=seed):
                self.assertEqual(self.find(self.course(seed, (0, 10), (0.3, 6))), [10])

    def test_a_regression_that_was_mended_has_two_steps(self):
        for seed in range(10):
            with self.subTest(seed=seed):
                self.assertEqual(self.find(self.course(seed, (0, 10), (0.3, 5), (0, 10))), [10, 15])

    def test_a_stair_has_each_of_its_steps(self):
        self.assertEqual(self.find(self.course(1, (0, 8), (0.3, 8), (0.6, 8))), [8, 16])

    def test_the_interval_holds_the_truth(self):
        (step,) = steps.find(self.course(3, (0, 10), (0.3, 10)), courses=54, floor=0.05,
                             confidence=0.95, noise=0.05)
        self.assertLess(step.low, math.exp(0.3))
        self.assertGreater(step.high, math.exp(0.3))
        self.assertAlmostEqual(math.log(step.ratio), 0.3, delta=0.03)

    def test_few_tables_of_unchanged_code_have_a_step(self):
        source = numpy.random.default_rng(7)
        for name, draw in (("normal", lambda n: source.normal(0, 0.05, n)),
                           ("heavy", lambda n: 0.03 * source.standard_t(3, n))):
            with self.subTest(name=name):
                tables = [any(self.find(draw(20)) for _ in range(54)) for _ in range(20)]
                self.assertLessEqual(sum(tables), 1)

    def test_one_or_two_disturbed_runs_are_no_step(self):
        for place in (0, 7, 15):
            levels = self.course(place, (0, 16))
            levels[place] += 1
            with self.subTest(place=place):
                self.assertEqual(self.find(levels), [])
        levels = self.course(5, (0, 16))
        levels[5] += 0.5
        levels[6] += 0.5
        self.assertEqual(self.find(levels), [])

    def test_one_disturbed_run_does_not_hide_a_step(self):
        levels = self.course(2, (0, 10), (0.4, 10))
        levels[4] += 0.5
        self.assertEqual(self.find(levels), [10])

    def test_what_is_below_the_floor_is_no_step(self):
        levels = self.course(1, (0, 200), (0.03, 200), spread=0.001)
        self.assertEqual(steps.find(levels, courses=1, floor=0.05, confidence=0.95, noise=0.001),
                         [])
        (step,) = steps.find(levels, courses=1, floor=0.01, confidence=0.95, noise=0.001)
        self.assertEqual((step.at, step.name()), (200, "slower"))

    def test_too_few_runs_tell_nothing(self):
        self.assertEqual(self.find([0, 0, 0, 9, 9]), [])
        self.assertEqual(self.find([]), [])
        self.assertEqual(self.find([0, 0, 0, 9, 9, 9]), [3])


if __name__ == "__main__":
    unittest.main()
