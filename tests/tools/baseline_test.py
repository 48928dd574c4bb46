#!/usr/bin/python3
"""tools/shopmark baseline, and the verdicts of one in the report."""

import csv
import io
import json
import os
import sys
import tempfile
import unittest
from unittest import mock

import reports
import script

sys.path.insert(0, os.path.join(script.ROOT, "tools"))

from baseline import stored  # noqa: E402  (found through that line)
from compare import noise  # noqa: E402


def case(ns, query="order_detail", title="order detail", **changes):
    """Calls of that time, more or less a thousandth."""
    samples = [ns + ns * i // 1000 for i in (0, 1, -1, 1, 0)] * 5
    ordered = sorted(samples)
    return reports.entry(query, title, samples=samples, p50=ordered[12], p95=ordered[23], **changes)


class BaselineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.baseline = os.path.join(self.folder, "kept", "baseline.json")
        # As if that were where the stored one is.
        place = mock.patch.object(stored, "FILE", self.baseline)
        place.start()
        self.addCleanup(place.stop)

    def file(self, name, made):
        path = os.path.join(self.folder, name)
        reports.write(path, made)
        return path

    def right(self, *arguments, status=0):
        done = script.run(*arguments)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        return done.stdout

    def set(self, made):
        return self.right("baseline", "set", self.file("set.json", made),
                          f"--baseline={self.baseline}")


class Stored(BaselineTest):
    def test_a_run_is_kept_whole_shown_and_cleared(self):
        self.set(reports.document(case(9_000_000)))
        said = self.set(reports.document(case(1_000_000)))
        with open(self.baseline, "rb") as kept, \
                open(os.path.join(self.folder, "set.json"), "rb") as given:
            self.assertEqual(kept.read(), given.read())
        self.assertEqual(os.listdir(os.path.dirname(self.baseline)), ["baseline.json"])
        shown = self.right("baseline", "show", f"--baseline={self.baseline}")
        self.assertEqual(shown, said)
        self.assertIn("measured  2026-12-01T22:04:21+00:00 on shop", shown)
        for said in ("removed", "there was no baseline"):
            self.assertIn(said, self.right("baseline", "clear", f"--baseline={self.baseline}"))
        script.assert_refused(self, script.run("baseline", "show", f"--baseline={self.baseline}"),
                              "baseline set")

    def test_what_is_no_whole_run_is_refused_and_changes_nothing(self):
        self.set(reports.document(case(1_000_000)))
        with open(self.baseline, "rb") as file:
            before = file.read()
        ended = self.file("ended.json", reports.document(reports.entry(), complete=False))
        torn = os.path.join(self.folder, "torn.json")
        with open(torn, "w", encoding="utf-8") as file:
            file.write("{")
        for path in (ended, torn):
            script.assert_refused(self, script.run("baseline", "set", path,
                                                   f"--baseline={self.baseline}"), path)
        with open(self.baseline, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_a_place_that_cannot_be_written_is_named(self):
        good = self.file("good.json", reports.document(case(1_000_000)))
        for place in (os.path.join(good, "x"), self.folder):
            script.assert_refused(
                self, script.run("baseline", "set", good, f"--baseline={place}"), place)
        script.assert_refused(self, script.run("baseline", "clear", f"--baseline={self.folder}"),
                              self.folder)

    def test_a_wrong_command_line_is_one_line(self):
        for arguments, part in (((), "ACTION"), (("set",), "FILE"), (("keep",), "keep")):
            script.assert_refused(self, script.run("baseline", *arguments), part)


class Verdicts(BaselineTest):
    def setUp(self):
        super().setUp()
        self.old = reports.document(
            case(1_000_000), case(1_000_000, "b", "b"), case(1_000_000, "c", "c"),
            case(1_000_000, "d", "d"), case(1_000_000, "gone", "gone"),
            case(70, "baseline_empty_call", "empty call"))
        self.new = reports.document(
            case(2_000_000), case(400_000, "b", "b"), case(1_010_000, "c", "c"),
            reports.failed("d", "d", message="broke"), case(1, "new", "new"),
            case(90, "baseline_empty_call", "empty call"))
        self.run_file = self.file("new.json", self.new)

    def test_each_case_has_its_verdict_in_the_table_and_the_status_is_the_run_s(self):
        self.set(self.old)
        shown = self.right("report", self.run_file, "--baseline=stored", status=1)
        rows = {line.split("  ")[0]: line for line in shown.splitlines()}
        for title, verdict in (("order detail", "slower ×2.00"), ("b", "faster ×0.40"),
                               ("c", "cannot tell"), ("new", "only in new"),
                               ("d", "newly failing"), ("query", "verdict")):
            self.assertTrue(rows[title].endswith("  " + verdict), rows[title])
        self.assertTrue(rows["empty call"].endswith("90 ns"))
        self.assertIn("Cases that the baseline alone has: 1.", " ".join(shown.split()))
        self.assertLessEqual(max(map(len, shown.splitlines())), 80)
        # Slower is no reason for a status of its own.
        slower = self.file("slower.json", reports.document(case(2_000_000)))
        self.assertIn("slower ×2.00", self.right("report", slower, "--baseline=stored"))

    def test_the_verdicts_are_those_of_compare(self):
        old = self.file("old.json", self.old)
        judged = json.loads(script.run("compare", old, self.run_file, "--format=json").stdout)
        lines = csv.DictReader(io.StringIO(self.right(
            "report", self.run_file, f"--baseline={old}", "--format=csv", status=1)))
        shown = {line["query"]: line["verdict"].split(" ×")[0] for line in lines}
        self.assertEqual(shown.pop("baseline_empty_call"), "")
        self.assertEqual(shown, {one["query"]: one["verdict"] for one in judged["cases"]
                                 if one["verdict"] != "only in old"})

    def test_what_aa_measured_of_the_machine_counts(self):
        self.set(self.old)
        self.assertIn("shopmark aa", self.right("report", self.run_file, "--baseline=stored",
                                                status=1))
        measured = noise.Noise("", ("shop", "2"), {("sqlite", "3.40.1", "order_detail"): 0.5})
        with mock.patch.object(noise, "load", return_value=measured):
            shown = self.right("report", self.run_file, "--baseline=stored", status=1)
        self.assertNotIn("slower", shown)
        self.assertNotIn("shopmark aa", shown)

    def test_a_table_of_three_targets_fits_a_terminal(self):
        names = ("sqlite", "mariadb", "postgres")
        targets = {name: reports.target() for name in names}
        old, new = (self.file(f"{ns}.json", reports.document(
            *(case(ns, title="catalog listing, three facets", on=name) for name in names),
            targets=targets)) for ns in (1_000_000, 1_500_000))
        lines = self.right("report", new, f"--baseline={old}", "--width=80").splitlines()
        self.assertLessEqual(max(map(len, lines)), 80)
        self.assertIn(["slower", "×1.50"] * 3, [line.split() for line in lines])

    def test_markdown_has_the_verdicts(self):
        old = self.file("old.json", self.old)
        lines = self.right("report", self.run_file, f"--baseline={old}", "--format=markdown",
                           status=1).splitlines()
        self.assertIn("| query | rows | p95 | median | verdict |", lines)
        self.assertIn("| d | - | FAILED: broke |  | newly failing |", lines)

    def test_what_is_not_comparable_is_said_and_has_no_column(self):
        self.set(reports.document(case(1_000_000),
                                  targets={"sqlite": reports.target(version="9")}))
        shown = self.right("report", self.run_file, "--baseline=stored", status=1)
        self.assertIn("not comparable: sqlite version: 9 / 3.40.1.", " ".join(shown.split()))
        self.assertNotIn("verdict", shown)

    def test_without_a_baseline_the_table_is_as_ever(self):
        self.assertEqual(self.right("report", self.run_file, "--baseline=stored", status=1),
                         self.right("report", self.run_file, status=1))
        script.assert_refused(self, script.run("report", self.run_file, "--baseline=none.json"),
                              "none.json")

    def test_the_output_is_never_the_baseline(self):
        old = self.file("old.json", self.old)
        script.assert_refused(self, script.run("report", self.run_file, f"--baseline={old}",
                                               f"--output={old}"), "--output")


if __name__ == "__main__":
    unittest.main()
