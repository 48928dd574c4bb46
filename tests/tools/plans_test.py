#!/usr/bin/python3
"""Plans and work: tools/shopmark plans, and what compare says of them."""

import json
import os
import sys
import tempfile
import unittest

import reports
import script

sys.path.insert(0, os.path.join(script.ROOT, "tools"))

from plans import changes, render  # noqa: E402  (found through that line)
from report import read  # noqa: E402
from report.observed import Observed, Plan, Statement  # noqa: E402

INDEX = ["SEARCH o USING INDEX orders_email (email>?)", "USE TEMP B-TREE FOR ORDER BY"]
SCAN = ["SCAN o", "USE TEMP B-TREE FOR ORDER BY"]
NESTED = ["Limit", "  ->  Nested Loop Left Join",
          "        ->  Index Scan using orders_email on orders o",
          "              Index Cond: ((email)::text >= ?::text)"]


def plan(lines):
    """A fingerprint of its own for each text."""
    return {"fingerprint": f"{abs(hash(tuple(lines))):032x}"[:32], "text": lines}


def statement(name, *plans, calls=5, **work):
    return {"name": name, "calls": calls, "plans": [plan(lines) for lines in plans], "work": work}


def observed(*statements):
    work = {}
    for one in statements:
        for counter, count in one["work"].items():
            work[counter] = work.get(counter, 0) + count
    return {"work": work, "statements": list(statements)}


def document(seen, *entries, on="sqlite"):
    return reports.document(*(entries or [reports.entry()]),
                            observed={on: {"order_detail": seen}})


def without(made):
    del made["context"]["shopmark"]["observed"]
    return made


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, made):
        path = os.path.join(self.folder, name)
        reports.write(path, made)
        return path

    def compare(self, old, new, *arguments):
        return script.run("compare", self.file("old.json", old), self.file("new.json", new),
                          *arguments)


class Reading(Files):
    def parse(self, seen, **ours):
        made = reports.document(reports.entry(), observed=seen, **ours)
        return read.parse(json.dumps(made).encode())

    def test_a_file_without_is_read_as_before(self):
        made = reports.document(reports.entry())
        self.assertIsNone(read.parse(json.dumps(made).encode()).observed)

    def test_every_member_is_read(self):
        seen = observed(statement("find", INDEX, SCAN, vm_steps=7), statement("add", calls=1))
        got = self.parse({"sqlite": {"order_detail": seen, "broken": {"error": "why"}}}).observed
        self.assertEqual(set(got), {("sqlite", "order_detail"), ("sqlite", "broken")})
        one = got["sqlite", "order_detail"]
        self.assertEqual([(s.name, s.calls, len(s.plans), s.work) for s in one.statements],
                         [("find", 5, 2, {"vm_steps": 7}), ("add", 1, 0, {})])
        self.assertEqual(one.statements[0].plans[1].lines, tuple(SCAN))
        self.assertEqual((one.work, one.error), ({"vm_steps": 7}, None))
        self.assertEqual(got["sqlite", "broken"].error, "why")

    def test_what_is_of_another_form_is_named(self):
        def broken(change):
            seen = observed(statement("find", INDEX, vm_steps=7))
            change(seen)
            return {"sqlite": {"order_detail": seen}}
        for seen, *parts in (
                ([], "observed", "object"), ({"sqlite": []}, "observed sqlite", "object"),
                ({"sqlite": {"order_detail": 5}}, "order_detail/sqlite", "object"),
                ({"sqlite": {"order_detail": {"error": 5}}}, "order_detail/sqlite", "error"),
                (broken(lambda seen: seen.pop("statements")), "order_detail/sqlite", "statements"),
                (broken(lambda seen: seen.update(statements=["x"])), "statements", "object"),
                (broken(lambda seen: seen["statements"][0].update(name=1)), "statements 1", "name"),
                (broken(lambda seen: seen["statements"][0].update(calls=0)), "calls"),
                (broken(lambda seen: seen["statements"][0].update(calls=True)), "calls"),
                (broken(lambda seen: seen["statements"][0].update(plans={})), "plans"),
                (broken(lambda seen: seen["statements"][0]["plans"][0].update(text=[5])),
                 "plans 1", "text"),
                (broken(lambda seen: seen["statements"][0]["plans"][0].pop("fingerprint")),
                 "plans 1", "fingerprint"),
                (broken(lambda seen: seen["work"].update(vm_steps=1.5)), "work", "vm_steps"),
                (broken(lambda seen: seen["work"].update(vm_steps=-1)), "vm_steps", "negative")):
            with self.subTest(parts=parts), self.assertRaises(read.NotAReport) as raised:
                self.parse(seen)
            for part in parts:
                self.assertIn(part, str(raised.exception))

    def test_what_contradicts_itself_is_refused(self):
        twice = statement("find", INDEX)
        other = dict(plan(SCAN), fingerprint=plan(INDEX)["fingerprint"])
        for seen in (dict(observed(statement("find", vm_steps=7)), work={"vm_steps": 8}),
                     dict(observed(statement("find", vm_steps=7)), work={}),
                     observed(twice, twice),
                     observed(dict(twice, plans=[plan(INDEX), plan(INDEX)])),
                     observed(dict(twice, plans=[plan(INDEX), other])),
                     observed(dict(twice, plans=[plan(INDEX), dict(plan(INDEX), fingerprint="f")]))):
            with self.subTest(seen=seen), self.assertRaises(read.WrongReport):
                self.parse({"sqlite": {"order_detail": seen}})
        with self.assertRaises(read.WrongReport):
            self.parse({"unknown": {}})


class Between(unittest.TestCase):
    @staticmethod
    def seen(*statements):
        work = {}
        for one in statements:
            for counter, count in one.work.items():
                work[counter] = work.get(counter, 0) + count
        return Observed(statements, work)

    @staticmethod
    def one(*plans, name="find", **work):
        return Statement(name, 1, tuple(Plan(str(lines), tuple(lines)) for lines in plans), work)

    def test_the_same_is_no_change(self):
        self.assertFalse(changes.between(self.seen(self.one(INDEX, steps=3)),
                                         self.seen(self.one(INDEX, steps=3))))

    def test_plans_in_another_order_are_no_change(self):
        self.assertFalse(changes.between(self.seen(self.one(INDEX, SCAN)),
                                         self.seen(self.one(SCAN, INDEX))))

    def test_a_plan_that_changed_is_a_diff(self):
        change = changes.between(self.seen(self.one(INDEX)), self.seen(self.one(SCAN)))
        self.assertEqual(change.plans, (changes.PlanChange(
            "find", "changed", ("-" + INDEX[0], "+" + SCAN[0], " " + INDEX[1])),))

    def test_of_several_plans_only_those_that_differ_are_shown(self):
        change = changes.between(self.seen(self.one(INDEX, SCAN)), self.seen(self.one(SCAN)))
        self.assertEqual(change.plans[0].diff, tuple("-" + line for line in INDEX))

    def test_statements_of_one_side_are_told(self):
        change = changes.between(self.seen(self.one(INDEX, name="a"), self.one(name="c")),
                                 self.seen(self.one(SCAN, name="b"), self.one(name="c")))
        self.assertEqual([(one.statement, one.what) for one in change.plans],
                         [("a", "only in old"), ("b", "only in new")])

    def test_work_is_compared_exactly(self):
        change = changes.between(self.seen(self.one(steps=100_000, sorts=1)),
                                 self.seen(self.one(steps=100_001, scans=4)))
        self.assertEqual(change.work, (changes.WorkChange("scans", 0, 4),
                                       changes.WorkChange("sorts", 1, 0),
                                       changes.WorkChange("steps", 100_000, 100_001)))
        self.assertTrue(change.is_more_work())
        self.assertEqual(render.work_change(change), "other work: scans 0 → 4, sorts 1 → 0 (-100%), "
                                                     "steps 100,000 → 100,001 (+1)")
        less = changes.between(self.seen(self.one(steps=2)), self.seen(self.one(steps=1)))
        self.assertFalse(less.is_more_work())
        self.assertEqual(render.work_change(less), "less work: steps 2 → 1 (-50%)")

    def test_what_is_not_exact_is_no_change_by_itself(self):
        old, new = (self.one(rows=5, shared_buffers=count) for count in (10, 900))
        self.assertFalse(changes.between(self.seen(old), self.seen(new)))
        new = self.one(rows=4, shared_buffers=900)
        change = changes.between(self.seen(old), self.seen(new))
        self.assertFalse(change.is_more_work())
        self.assertEqual(render.work_change(change),
                         "less work: rows 5 → 4 (-20%), shared_buffers about 10 → 900 (+8900%)")

    def test_a_look_that_failed_is_a_note(self):
        change = changes.between(self.seen(self.one()), Observed((), {}, "gone"))
        self.assertTrue(change)
        self.assertIn("new side: gone", change.note)


class Shown(Files):
    def shown(self, seen, *arguments, **options):
        return script.run("plans", self.file("run.json", document(seen, **options)), *arguments)

    def test_statement_plan_fingerprint_and_work(self):
        done = self.shown(observed(statement("find", INDEX, vm_steps=1234),
                                   statement("add", [], vm_steps=1)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, f"""order_detail on sqlite
  work: vm_steps 1,235

  find: 5 calls, vm_steps 1,234
    plan {plan(INDEX)["fingerprint"][:12]}
      {INDEX[0]}
      {INDEX[1]}

  add: 5 calls, vm_steps 1
    plan {plan([])["fingerprint"][:12]}: no step to choose
""")

    def test_lines_fit_and_keep_their_depth(self):
        deep = [*NESTED, " " * 30 + "->  " + "word " * 30]
        done = self.shown(observed(statement("find", deep, ["other"], rows=1)), "--width=60")
        self.assertIn("plan 1 of 2", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 60)
        self.assertEqual(done.stdout.count("word"), 30)
        self.assertIn("\n       -> Nested Loop Left Join\n          -> Index Scan using orders_email "
                      "on orders o\n             Index Cond: ", done.stdout)

    def test_filters_and_names_that_are_not_there(self):
        seen = observed(statement("find", INDEX), statement("add"))
        done = self.shown(seen, "--statement=add", "--query=order_detail", "--target=sqlite")
        self.assertNotIn("find", done.stdout)
        self.assertIn("add: 5 calls", done.stdout)
        for flag, there in (("query", "order_detail"), ("target", "sqlite"), ("statement", "find")):
            script.assert_refused(self, self.shown(seen, f"--{flag}=nothing"), "run.json", flag,
                                  "nothing", there)

    def test_a_case_that_failed_and_a_file_without(self):
        done = self.shown({"error": "the server <b> is\ngone"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("no plans: the server <b> is gone", done.stdout)
        made = without(document({"error": ""}))
        script.assert_refused(self, script.run("plans", self.file("old.json", made)), "old.json",
                              "--plans=false")
        script.assert_refused(self, script.run("plans", os.path.join(self.folder, "none.json")),
                              "none.json")


class Compared(Files):
    OLD = document(observed(statement("find", INDEX, vm_steps=1204)))
    NEW = document(observed(statement("find", SCAN, vm_steps=40233)))

    def test_beneath_the_row_stand_work_and_the_diff(self):
        done = self.compare(self.OLD, self.NEW, "--width=80")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"""
  more work: vm_steps 1,204 → 40,233 (+3242%)
  the plan of find changed:
    -{INDEX[0]}
    +{SCAN[0]}
     {INDEX[1]}
""", done.stdout)
        self.assertIn("another plan in 1; more work in 1.", done.stdout.replace("\n", " "))

    def test_what_did_not_change_stands_beneath_what_did(self):
        old, new = (document(observed(statement(
            "find", ["Limit", "  ->  " + scan, "        Filter: x"])))
                    for scan in ("Index Scan", "Seq Scan"))
        self.assertIn("""
     Limit
    - -> Index Scan
    + -> Seq Scan
         Filter: x
""", self.compare(old, new).stdout)

    def test_more_work_is_worse_when_asked(self):
        self.assertEqual(self.compare(self.OLD, self.NEW, "--work=fail").returncode, 1)
        self.assertEqual(self.compare(self.NEW, self.OLD, "--work=fail").returncode, 0)
        self.assertEqual(self.compare(self.OLD, self.OLD, "--work=fail").returncode, 0)

    def test_nothing_is_said_where_nothing_changed(self):
        done = self.compare(self.OLD, self.OLD)
        for word in ("work", "plan"):
            self.assertNotIn(word, done.stdout)

    def test_markdown_and_json(self):
        done = self.compare(self.OLD, self.NEW, "--format=markdown")
        self.assertIn(f"```diff\n-{INDEX[0]}\n+{SCAN[0]}\n {INDEX[1]}\n```\n", done.stdout)
        self.assertIn("- more work: vm\\_steps 1,204 → 40,233 (+3242%)\n", done.stdout)
        done = self.compare(self.OLD, self.NEW, "--format=json", "--work=fail")
        made = json.loads(done.stdout)
        self.assertEqual(made["worse"], 1)
        self.assertEqual(made["cases"][0]["change"], {
            "more_work": True, "note": "",
            "work": {"vm_steps": {"old": 1204, "new": 40233, "exact": True}},
            "plans": [{"statement": "find", "what": "changed",
                       "diff": ["-" + INDEX[0], "+" + SCAN[0], " " + INDEX[1]]}]})

    def test_a_plan_cannot_break_out_of_its_block(self):
        new = document(observed(statement("fi|nd<b>", ["```", "a\x1b[31m\nb"], vm_steps=1)))
        done = self.compare(self.OLD, new, "--format=markdown")
        self.assertIn("````diff\n+```\n+a [31m b\n````\n", done.stdout)
        self.assertIn("fi\\|nd&lt;b>", done.stdout)

    def test_a_side_without_is_said_once(self):
        for old, new, side in ((without(document(observed())), self.NEW, "old"),
                               (self.OLD, without(document(observed())), "new")):
            done = self.compare(old, new)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout.count("measured without"), 1)
            self.assertIn(f"The {side} side has no plans", done.stdout)

    def test_a_case_that_one_side_did_not_look_at_is_no_change(self):
        for old, new in ((self.OLD, {}), ({}, self.NEW)):
            made = [reports.document(reports.entry(), observed={}) if run == {} else run
                    for run in (old, new)]
            done = self.compare(*made, "--work=fail")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertNotIn("plan", done.stdout)

    def test_other_parameters_make_other_work(self):
        new = document(observed(statement("find", SCAN, vm_steps=9)),
                       reports.entry(parameter_rows=[8, 9]))
        self.assertNotIn("work:", self.compare(self.OLD, new).stdout)

    def test_several_files_of_a_side_have_all_their_plans(self):
        old = [self.file(f"{i}.json", document(observed(statement("find", lines, vm_steps=5))))
               for i, lines in enumerate((INDEX, SCAN))]
        new = self.file("new.json", document(observed(statement("find", SCAN, INDEX, vm_steps=5))))
        done = script.run("compare", *old, "--new", new)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("plan of", done.stdout)


if __name__ == "__main__":
    unittest.main()
