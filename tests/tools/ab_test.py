#!/usr/bin/python3
"""The parts of tools/shopmark ab that measure nothing: when it is clear, who goes first, what is
compared, and bad command lines."""

import argparse
import math
import os
import random
import sys
import tempfile
import unittest

import script

sys.path.insert(0, os.path.join(script.ROOT, "tools"))

from ab import experiment, rounds, sequential, variants  # noqa: E402  (found through that line)
from compare import verdict  # noqa: E402
from console.errors import NotStarted  # noqa: E402
from report.read import Entry  # noqa: E402


def entry(target, calls, digest="d", error=None, parameter_rows=(1, 1, 1, 1, 1)):
    return Entry("q", "q", target, 0, 1, parameter_rows, tuple(calls), tuple(sorted(calls)), error,
                 answers_digest=digest)


class Simulated:
    """Stands for the program: rounds whose difference is `change` with a spread of `noise`."""

    def __init__(self, change, noise, seed, **new):
        self.source, self.change, self.noise, self.new = random.Random(seed), change, noise, new
        self.turns = []

    def round(self, query, number, of, verify):
        self.turns.append((number, verify))
        def calls(shift):
            return [round(1e5 * math.exp(shift + self.source.gauss(0, 0.02))) for _ in range(25)]
        return rounds.Round(entry("old", calls(0)), entry("new", calls(
            self.change + self.source.gauss(0, self.noise)), **self.new))


def judged(change, noise, seed, cases=1, seconds=1e9, **new):
    bench = Simulated(change, noise, seed, **new)
    made = experiment.Experiment(bench, [f"q{i}" for i in range(cases)],
                                 experiment.Limits(0.05, 0.95, 30, seconds))
    made.run()
    return [one for _, one in made.judged("t")], made


class Stopping(unittest.TestCase):
    def test_looks_are_planned_and_even_so_that_either_side_goes_first_equally_often(self):
        self.assertEqual(sequential.planned_looks(30), [4, 6, 10, 16, 24, 30])
        self.assertEqual(sequential.planned_looks(4), [4])
        for count in (12, 64, 500):
            self.assertEqual([look % 2 for look in sequential.planned_looks(count)],
                             [0] * len(sequential.planned_looks(count)))

    def test_unchanged_statements_have_few_alarms_however_often_it_is_looked(self):
        for noise in (0.005, 0.03, 0.2):
            alarms = sum(any(one.verdict in (verdict.SLOWER, verdict.FASTER)
                             for one in judged(0, noise, seed, cases=3)[0]) for seed in range(60))
            self.assertLessEqual(alarms, 5, noise)

    def test_a_change_above_the_noise_is_found(self):
        for change, noise, least in ((0.095, 0.02, 59), (0.049, 0.02, 54)):
            found = sum(judged(change, noise, seed)[0][0].verdict == verdict.SLOWER
                        for seed in range(60))
            self.assertGreaterEqual(found, least, change)
        self.assertEqual(judged(-0.2, 0.02, 1)[0][0].verdict, verdict.FASTER)

    def test_it_stops_early_when_it_is_clear_and_goes_on_when_it_is_not(self):
        clear, made = judged(0.3, 0.005, 1)
        self.assertEqual((clear[0].verdict, len(made.cases[0].measured)), (verdict.SLOWER, 4))
        unclear, made = judged(0.045, 0.3, 2)
        self.assertEqual((unclear[0].verdict, len(made.cases[0].measured)),
                         (verdict.CANNOT_TELL, 30))
        self.assertGreater(unclear[0].samples_needed, 30 * 25)

    def test_the_time_ends_it(self):
        one, made = judged(0.045, 0.3, 1, seconds=0)
        self.assertEqual(one[0].verdict, verdict.CANNOT_TELL)
        self.assertLess(len(made.cases[0].measured), sequential.LEAST_ROUNDS)

    def test_the_truth_lies_in_the_interval(self):
        outside = sum(not one.low < math.exp(0.1) < one.high
                      for seed in range(100) for one in judged(0.1, 0.02, seed)[0])
        self.assertLessEqual(outside, 5)


class Rounds(unittest.TestCase):
    def test_answers_are_asked_for_once(self):
        _, made = judged(0.3, 0.005, 1)
        self.assertEqual(made.bench.turns, [(0, True), (1, False), (2, False), (3, False),
                                            (4, False)])

    def test_other_answers_are_newly_failing_and_measured_no_longer(self):
        one, made = judged(0.3, 0.005, 1, digest="other")
        self.assertEqual((one[0].verdict, one[0].rows_equal, one[0].ratio),
                         (verdict.NEWLY_FAILING, False, None))
        self.assertEqual(len(made.bench.turns), 1)

    def test_a_side_that_fails_says_why(self):
        one, _ = judged(0, 0.1, 1, error="wrong result", digest=None)
        self.assertEqual((one[0].verdict, one[0].reason, one[0].rows_equal),
                         (verdict.NEWLY_FAILING, "wrong result", None))

    def test_a_round_takes_whole_rotations_of_the_parameters(self):
        for seconds in (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1):
            for parameters in (1, 3, 5, 7):
                of = rounds.size(*[[round(seconds * 1e9)] * 10] * 2, parameters)
                with self.subTest(seconds=seconds, parameters=parameters):
                    self.assertEqual((of.turn % parameters, of.samples % of.turn), (0, 0))
                    self.assertGreaterEqual(of.samples, parameters)
        self.assertEqual(rounds.size([1_000_000] * 10, [900_000] * 10, 5), rounds.Size(250, 5, 5))
        self.assertEqual(rounds.size([300_000_000], [200_000_000], 5), rounds.Size(5, 5, 1))

    def test_sides_of_very_unequal_cost_take_one_turn_each_after_a_whole_rotation(self):
        for old, new in ((8_000, 35_000_000), (35_000_000, 8_000)):
            self.assertEqual(rounds.size([old] * 10, [new] * 10, 5), rounds.Size(5, 5, 5))
        self.assertEqual(rounds.size([100_000] * 10, [1_000_000] * 10, 5),
                         rounds.Size(250, 250, 5))

    def test_the_difference_is_of_calls_relative_to_their_parameter(self):
        costs = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
        one = rounds.Round(entry("old", costs * 5), entry("new", [round(1.1 * c) for c in costs] * 5))
        self.assertAlmostEqual(one.difference(), math.log(1.1), places=6)

    def test_the_sides_change_places_and_two_programs_take_two_processes(self):
        seen = []
        class Recorder(rounds.Bench):
            def _start(self, names, *flags):
                seen.append(names)
                raise NotStarted("enough")
        for programs, expected in ((("p", "p"), [("old", "new"), ("new", "old")]),
                                   (("p", "q"), [("old",), ("new",)])):
            seen.clear()
            bench = Recorder([variants.Side("sqlite:x", "q", one) for one in programs], "f")
            for number in (0, 1):
                with self.assertRaises(NotStarted):
                    bench.round("q", number, rounds.FIRST, True)
            self.assertEqual(seen, expected)


class Concerned(unittest.TestCase):
    def test_cases_that_ran_a_changed_statement_count_unless_it_cannot_be_told(self):
        class Ran(experiment.Case):
            def statements(self):
                return {"q1": {"a"}, "q2": {"b", "c"}, "q3": None}[self.query]
        cases = [Ran("q1"), Ran("q2"), Ran("q3")]
        for changed, expected in (({"a"}, "q1 q3"), ({"c"}, "q2 q3"), ({"part"}, "q1 q2 q3"),
                                  ({"a", "part"}, "q1 q2 q3"), (set(), "q1 q2 q3")):
            with self.subTest(changed=changed):
                self.assertEqual([case.query for case in experiment.concerned(cases, changed)],
                                 expected.split())

    def test_a_comment_line_changes_no_statement_and_a_dialect_of_it_does(self):
        texts = ("-- name: a\nSELECT 1\n-- name: b\nSELECT 2\n-- name: b [sqlite]\nSELECT 3\n",
                 "-- name: a\n-- one\nSELECT 1\n-- name: b\nSELECT 2\n"
                 "-- name: b [sqlite]\nSELECT 4\n")
        with tempfile.TemporaryDirectory() as old, tempfile.TemporaryDirectory() as new:
            for folder, text in zip((old, new), texts):
                with open(os.path.join(folder, "x.sql"), "w", encoding="utf-8") as opened:
                    opened.write(text)
            self.assertEqual(variants.changed_statements(old, new), {"b"})


class Variants(unittest.TestCase):
    WHOLE = ("-- A file.\n\n-- name: a\nSELECT 1\n\n-- name: b\nSELECT 2\n\n"
             "-- name: b [sqlite]\nSELECT 3\n\n-- name: c\nSELECT 4\n")

    def test_all_texts_of_a_statement_are_replaced_by_one(self):
        self.assertEqual(variants.replace_statement(self.WHOLE, "b", "-- name: b\nSELECT 9\n"),
                         "-- A file.\n\n-- name: a\nSELECT 1\n\n-- name: b\nSELECT 9\n\n"
                         "-- name: c\nSELECT 4\n")
        self.assertIsNone(variants.replace_statement(self.WHOLE, "d", "x"))

    def test_a_statement_from_a_file_is_the_only_difference(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "new.sql")
            with open(file, "w", encoding="utf-8") as opened:
                opened.write("SELECT 1")
            made = variants.with_statement("customer_by_email", file, os.path.join(folder, "new"))
            for name in os.listdir(made):
                texts = []
                for place in (variants.QUERIES, made):
                    with open(os.path.join(place, name), encoding="utf-8") as opened:
                        texts.append(opened.read())
                self.assertEqual(texts[0] == texts[1], name != "customers.sql")
                if name == "customers.sql":
                    self.assertIn("-- name: customer_by_email\nSELECT 1\n", texts[1])

    def test_a_name_that_the_target_had_makes_room_for_old_and_new(self):
        arguments = argparse.Namespace(
            targets="pg15=postgres://a/b?x=y,sqlite:c=d", target=None, builds=f"{script.SCRIPT},{script.SCRIPT}",
            queries=None, statement=None, file=None, revisions=None)
        both, told = variants.sides(arguments, "")
        self.assertEqual([side.target for side in both], ["postgres://a/b?x=y", "sqlite:c=d"])
        self.assertIn("two targets", told)


class Refusals(unittest.TestCase):
    def test_a_wrong_command_line_is_one_line_with_status_2(self):
        program = f"--builds={script.SCRIPT},{script.SCRIPT}"
        for arguments, part in (
                (["--queries=/nowhere", program], "/nowhere"),
                (["--statement=a", program], "--file"),
                (["--statement=a", "--file=/nowhere", program], "--file=/nowhere"),
                (["--statement=a", f"--file={os.path.realpath(__file__)}", program],
                 "--statement=a"),
                (["--revisions=HEAD", program], "OLD..NEW"),
                (["--revisions=no_such..HEAD", program], "no_such"),
                (["--targets=sqlite:a", program], "--targets"),
                (["--target=sqlite:a,sqlite:b", program], "--targets"),
                (["--builds=/nowhere,/nowhere"], "/nowhere"), (["--rounds=3"], "--rounds"),
                (["--time=0"], "--time"), (["--time=nan"], "--time"), (["--oracle=x"], "--oracle"),
                (["--queries=a", "--statement=b"], "--statement")):
            with self.subTest(arguments=arguments):
                script.assert_refused(self, script.run("ab", *arguments), part)


if __name__ == "__main__":
    unittest.main()
