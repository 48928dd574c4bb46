#!/usr/bin/python3
"""What is no report of ours, given to every command of tools/shopmark that reads one: one clear
line that names the file, a status, and nothing else. And names that are no plain words, in every
form of output."""

import json
import os
import tempfile
import unittest

import reports
import script

TEXT = json.dumps(reports.document(reports.entry(), reports.entry("b", "b")))


def changed(old, new):
    made = TEXT.replace(old, new)
    assert made != TEXT, old
    return made.encode()


def wrong_entry(**changes):
    return json.dumps(reports.document(reports.entry() | changes)).encode()


# What is in the file, and whether it is a report that contradicts itself.
BAD = {
    "empty": (b"", False), "blank": (b" \n\n", False), "truncated": (TEXT[:-9].encode(), False),
    "half": (TEXT[:len(TEXT) // 2].encode(), False), "binary": (bytes(range(256)), False),
    "UTF-16": (TEXT.encode("utf-16"), False), "list": (b"[]", False), "null": (b"null", False),
    "number": (b"7", False), "object": (b"{}", False), "deep": (b"[" * 100_000, False),
    "two documents": (TEXT.encode() * 2, False), "long number": (b"9" * 10_000, False),
    "Google Benchmark": (json.dumps({"context": {"date": "", "num_cpus": 2}, "benchmarks": [
        {"name": "a", "run_type": "iteration", "iterations": 1, "real_time": 1.0, "cpu_time": 1.0,
         "time_unit": "ns"}]}).encode(), False),
    "hyperfine": (b'{"results": [{"command": "true", "mean": 0.1, "times": [0.1, 0.1]}]}', False),
    "github-action-benchmark": (b'[{"name": "a", "unit": "ns", "value": 1}]', False),
    "another format": (changed('"format": 1', '"format": 2'), False),
    "NaN": (changed('"cpu_time": 1.0', '"cpu_time": NaN'), False),
    "Infinity": (changed('"cpu_time": 1.0', '"cpu_time": Infinity'), False),
    "-Infinity": (changed('"cpu_time": 1.0', '"cpu_time": -Infinity'), False),
    "beyond every number": (changed('"cpu_time": 1.0', '"cpu_time": 1e999'), False),
    "unit": (changed('"time_unit": "ms"', '"time_unit": "fortnight"'), False),
    "other unit": (changed('"time_unit": "ms"', '"time_unit": "us"'), True),
    "a key twice": (changed('"threads": 1', '"threads": 1, "threads": 2'), False),
    "an entry twice": (json.dumps(reports.document(*[reports.entry()] * 2)).encode(), False),
    "a digit": (changed('"p50": 3', '"p50": 4'), True),
    "no sample": (wrong_entry(samples=[]), False),
    "a text as a sample": (wrong_entry(samples=["5", 1, 4, 2, 3]), False),
    "no time": (wrong_entry(samples=[0] * 5, p50=0, p95=0, real_time=0.0), True),
    "no such target": (wrong_entry(target="x"), True),
}

EXPORTS = ("github-action-benchmark", "bencher", "openmetrics", "csv", "junit")

# FILE, GOOD, OUT and RECORD are those of the test.
READERS = [
    ["report", "FILE"], ["report", "FILE", "--format=markdown"], ["report", "FILE", "--format=csv"],
    ["report", "FILE", "--published", "--output=OUT"], ["report", "FILE", "--html", "--output=OUT"],
    ["report", "GOOD", "--baseline=FILE"], ["report", "GOOD", "--html", "--baseline=FILE"],
    ["verify", "FILE"], ["plans", "FILE"], ["compare", "FILE", "GOOD"], ["compare", "GOOD", "FILE"],
    ["compare", "GOOD", "--new", "GOOD", "FILE", "--force", "--format=json", "--output=OUT"],
    ["history", "add", "FILE", "--history=RECORD"], ["baseline", "set", "FILE", "--baseline=OUT"],
    ["baseline", "show", "--baseline=FILE"],
    *(["export", "FILE", f"--format={form}", "--output=OUT"] for form in EXPORTS)]


class BadInput(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.places = {name: os.path.join(self.folder, name.lower())
                       for name in ("FILE", "GOOD", "OUT", "RECORD")}
        reports.write(self.places["GOOD"], reports.document(reports.entry()))

    def run_reader(self, reader):
        arguments = []
        for argument in reader:
            for name, place in self.places.items():
                argument = argument.replace(name, place)
            arguments.append(argument)
        return script.run(*arguments)

    def assert_all_refuse(self, contradicts=False):
        for reader in READERS:
            with self.subTest(reader=reader):
                # To find that out is what verify is for.
                status = 1 if contradicts and reader[0] == "verify" else 2
                script.assert_refused(self, self.run_reader(reader), self.places["FILE"],
                                      status=status)
                for place in ("OUT", "RECORD"):
                    self.assertFalse(os.path.exists(self.places[place]), place)

    def test_what_is_no_report_is_refused_by_every_command(self):
        for name, (content, contradicts) in BAD.items():
            with open(self.places["FILE"], "wb") as file:
                file.write(content)
            with self.subTest(name=name):
                self.assert_all_refuse(contradicts)

    def test_what_is_not_there_or_no_file_is_refused_by_every_command(self):
        self.assert_all_refuse()
        os.mkdir(self.places["FILE"])
        self.assert_all_refuse()

    def test_names_that_are_no_plain_words_break_no_line(self):
        evil = 'a|b <b>bold</b> "x"\r\n\x1b[31m\u2028\ud800'
        reports.write(self.places["FILE"], reports.document(
            reports.entry(title=evil, on=evil), reports.failed("b", evil, evil, message=evil),
            targets={evil: reports.target(version=evil)}, compiler=evil))
        plainly = 'a|b <b>bold</b> "x" [31m'
        for reader, status in ((["report", "FILE"], 1), (["compare", "FILE", "FILE"], 0),
                               (["report", "FILE", "--baseline=FILE"], 1)):
            shown = self.run_reader(reader)
            with self.subTest(reader=reader):
                self.assertEqual((shown.returncode, shown.stderr), (status, ""))
                self.assertIn(plainly, " ".join(shown.stdout.split()))
                self.assertNotIn("\x1b", shown.stdout)
        for form in EXPORTS:
            done = self.run_reader(["export", "FILE", f"--format={form}"])
            with self.subTest(form=form):
                self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
                self.assertNotIn("\x1b", done.stderr)
        page = self.run_reader(["report", "FILE", "--html"])
        self.assertEqual((page.returncode, page.stderr), (1, ""))
        self.assertNotIn("<b>", page.stdout)
        self.assertIn("a|b &lt;b&gt;bold&lt;/b&gt;", page.stdout)
        self.assertEqual(self.run_reader(["history", "add", "FILE", "--history=RECORD"]).returncode,
                         0)
        shown = self.run_reader(["history", "--history=RECORD", "--query=b"])
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        self.assertIn("FAILED: " + plainly, " ".join(shown.stdout.split()))


if __name__ == "__main__":
    unittest.main()
