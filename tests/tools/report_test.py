#!/usr/bin/python3
"""tools/shopmark report, run as its users run it."""

import csv
import io
import json
import os
import pty
import subprocess
import tempfile
import unittest

import reports

FOLDER = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(FOLDER))
SCRIPT = os.path.join(ROOT, "tools", "shopmark")


def run(*arguments, **environment):
    """The finished process; its output as text, with line ends as they are."""
    clean = {key: value for key, value in os.environ.items()
             if key not in ("COLUMNS", "NO_COLOR", "TERM")}
    done = subprocess.run([SCRIPT, *arguments], capture_output=True, timeout=30, check=False,
                          env=clean | {"LC_ALL": "C.UTF-8"} | environment)
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    return done


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = os.path.join(self.folder, "run.json")

    def report(self, made, *arguments, **environment):
        reports.write(self.file, made)
        return run("report", self.file, *arguments, **environment)

    def right(self, made, *arguments, **environment):
        done = self.report(made, *arguments, **environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def assert_one_line(self, done, status, *parts):
        """Ended with the status, no output, and one line that holds all parts."""
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def row(self, text, title):
        lines = [line for line in text.splitlines() if line.startswith(title)]
        self.assertEqual(len(lines), 1, text)
        return lines[0]


class Text(ReportTest):
    def assert_golden(self, name, shown):
        path = os.path.join(FOLDER, "golden", name)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(shown, file.read(), f"{path} differs")

    def test_the_table_is_the_golden_one(self):
        shown = self.right(reports.whole_run())
        self.assert_golden("report.txt", shown)
        self.assertLessEqual(max(map(len, shown.splitlines())), 80)

    def test_published_figures_are_the_golden_ones(self):
        shown = self.right(reports.whole_run(), "--published")
        self.assert_golden("report_published.txt", shown)
        self.assertLessEqual(max(map(len, shown.splitlines())), 80)

    def test_the_rows_stand_in_the_order_of_the_file_and_the_baselines_last(self):
        made = reports.whole_run()
        made["benchmarks"].reverse()
        lines = self.right(made).splitlines()
        titles = [line[:29].rstrip() for line in lines]
        order = ["customer by email", "catalog listing, three facets", "catalog listing, page 1",
                 "one-row round trip", "empty call"]
        self.assertEqual([title for title in titles if title in order], order)

    def test_units_change_where_three_digits_would_not_do(self):
        for ns, shown in ((1, "1 ns"), (42, "42 ns"), (999, "999 ns"), (1000, "1.00 µs"),
                          (1234, "1.23 µs"), (9995, "10.0 µs"), (99_949, "99.9 µs"),
                          (99_951, "100 µs"), (999_499, "999 µs"), (999_500, "1.00 ms"),
                          (123_456_789, "123 ms"), (999_600_000, "1.00 s"),
                          (1_234_567_890_123, "1235 s")):
            with self.subTest(ns=ns):
                made = reports.document(reports.entry(samples=[ns], p50=ns, p95=ns))
                row = self.row(self.right(made), "order detail")
                self.assertEqual(row.split("  ")[-1].strip(), shown)

    def test_change_is_against_the_published_figure(self):
        # Published for order_detail on SQLite: p95 0.21 ms, median 0.19 ms.
        for p50, p95, changes in ((190_000, 210_000, ["0%", "0%"]),
                                  (95_000, 420_000, ["-50%", "+100%"]),
                                  (1_900, 2_100_000, ["-99.0%", "×10"]),
                                  (189_900, 210_100, ["0%", "0%"])):
            with self.subTest(p50=p50, p95=p95):
                made = reports.document(reports.entry(samples=[p50, p95], p50=p50, p95=p95))
                words = self.row(self.right(made, "--published"), "order detail").split()
                self.assertEqual([words[-1], words[-5]], changes)
                self.assertEqual([words[-2], words[-6]], ["0.19", "0.21"])

    def test_published_figures_are_those_of_the_engine(self):
        made = reports.document(reports.entry(on="pg", engine="postgres"),
                                targets={"pg": reports.target(engine="postgres")})
        words = self.row(self.right(made, "--published"), "order detail").split()
        self.assertEqual([words[-2], words[-6]], ["1.69", "1.78"])

    def test_another_profile_is_not_compared_with_the_published(self):
        made = reports.document(reports.entry(),
                                targets={"sqlite": reports.target(profile="smoke")})
        shown = self.right(made, "--published")
        words = self.row(shown, "order detail").split()
        self.assertEqual([words[-1], words[-5]], ["-", "-"])
        self.assertIn("sqlite has profile smoke", " ".join(shown.split()))

    def test_p99_stands_where_there_are_samples_for_it(self):
        samples = list(range(1001, 1101))
        made = reports.document(
            reports.entry(samples=samples, p50=1050, p95=1095, p99=1099),
            reports.entry("customer_by_email", "customer by email"))
        shown = self.right(made)
        self.assertEqual(self.row(shown, "query").split(),
                         ["query", "rows", "p95", "median", "p99"])
        self.assertRegex(self.row(shown, "order detail"), r"1\.09 µs  1\.05 µs  1\.10 µs$")
        self.assertRegex(self.row(shown, "customer by email"), r"5 ns +3 ns +-$")
        self.assertIn("5 to 100 a case", shown)

    def test_repetitions_give_the_median_and_the_spread(self):
        def repetition(index, p50, p95):
            return reports.entry(samples=[p50, p95], p50=p50, p95=p95, repetitions=3,
                                 repetition_index=index)
        made = reports.document(repetition(0, 1_000_000, 9_000_000),
                                repetition(1, 3_000_000, 7_000_000),
                                repetition(2, 2_000_000, 8_000_000))
        shown = self.right(made)
        self.assertRegex(self.row(shown, "order detail"),
                         r"  8\.00 ms \(7\.00–9\.00\)  2\.00 ms \(1\.00–3\.00\)$")
        self.assertIn("3 repetitions", shown)

    def test_aggregates_are_passed_over(self):
        made = reports.document(reports.entry(), reports.aggregate("mean", 3e-6, 1.0))
        self.assertEqual(self.right(made), self.right(reports.document(reports.entry())))
        alone = reports.document(reports.aggregate("mean", 3e-6, 1.0))
        self.assert_one_line(self.report(alone), 2, "only aggregates")

    def test_targets_stand_beside_each_other_and_a_gap_is_shown(self):
        made = reports.document(
            reports.entry(on="old"), reports.entry(on="new", samples=[9], p50=9, p95=9),
            reports.entry("customer_by_email", "customer by email", on="new", rows=1),
            targets={"old": reports.target(version="3.39.0"), "new": reports.target()})
        shown = self.right(made)
        self.assertRegex(shown, r"\n +old +new\nquery +rows +p95 +median +p95 +median\n")
        self.assertRegex(self.row(shown, "order detail"), r"8 +5 ns +3 ns +9 ns +9 ns$")
        self.assertRegex(self.row(shown, "customer by email"), r"1 +- +- +5 ns +3 ns$")
        self.assertIn("sqlite 3.39.0", shown)

    def test_a_write_row_says_when_the_targets_differ_in_durability(self):
        def made(tier):
            return reports.document(
                reports.entry(writes=True), reports.entry(on="m", writes=True, engine="memory"),
                reports.entry("customer_by_email", "customer by email", rows=1),
                targets={"sqlite": reports.target(),
                         "m": reports.target(engine="memory", durability=tier)})
        self.assertNotIn("differ", self.right(made("durable")))
        lines = self.right(made("none")).splitlines()
        row = next(i for i, line in enumerate(lines) if line.startswith("order detail"))
        self.assertEqual(lines[row + 1].strip(),
                         "not to be compared, since writes differ in durability: sqlite durable, "
                         "m none")
        self.assertEqual(sum("differ in durability" in line for line in lines), 1)
        self.assertIn("(not to be compared", self.right(made("none"), "--format=markdown"))

    def test_a_table_that_is_too_wide_puts_the_median_beneath(self):
        names = ["one", "two", "three", "four"]
        made = reports.document(*(reports.entry(on=name) for name in names),
                                targets={name: reports.target() for name in names})
        beside = self.right(made, "--width=200")
        self.assertRegex(self.row(beside, "order detail"), r"8( +5 ns +3 ns){4}$")
        beneath = self.right(made, "--width=50")
        self.assertRegex(beneath, r"\norder detail +8( +5 ns){4}\n( +3 ns){4}\n")
        self.assertLessEqual(max(map(len, beneath.splitlines())), 50)
        # Without a terminal auto is 80 columns.
        self.assertEqual(self.right(made, COLUMNS="50"), beneath)
        self.assertEqual(self.right(made), self.right(made, "--width=80"))

    def test_what_is_wrong_with_a_run_is_said(self):
        shown = self.right(reports.document(reports.entry(), build_type="Debug", dirty=True))
        self.assertIn("Not an optimised build (Debug)", shown)
        self.assertIn("1a2b3c4d5e6f with uncommitted changes", shown)
        self.assertNotIn("uncommitted", self.right(reports.whole_run()))

    def test_control_characters_do_not_reach_the_terminal(self):
        made = reports.document(reports.failed(message="a\x1b[2Jb\nc\td\x9be"),
                                compiler="g\x1b]0;x\x07cc")
        shown = self.report(made).stdout
        self.assertNotRegex(shown, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")
        self.assertIn("sqlite: a [2Jb c d e", shown)

    def test_a_terminal_without_utf_8_gets_ascii(self):
        done = self.report(reports.whole_run(), PYTHONIOENCODING="ascii")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(" us", done.stdout)


class Verify(ReportTest):
    """Two repetitions, of 3 and 6 ns a call in the mean, and Google Benchmark's four aggregates."""

    def setUp(self):
        super().setUp()
        self.made = reports.document(
            reports.entry(repetitions=2),
            reports.entry(repetitions=2, repetition_index=1, samples=(10, 2, 8, 4, 6), p50=6, p95=10,
                          cpu_time=3.0),
            reports.aggregate("mean", 4.5e-6, 2.0), reports.aggregate("median", 4.5e-6, 2.0),
            reports.aggregate("stddev", 2.1213203435596424e-6, 2**0.5),
            reports.aggregate("cv", 0.47140452079103173, 0.7071067811865476))

    def verify(self):
        reports.write(self.file, self.made)
        return run("verify", self.file)

    def test_a_run_whose_figures_all_follow_is_right(self):
        done = self.verify()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("10 samples", done.stdout)

    def test_one_changed_digit_in_any_figure_is_found(self):
        for entry in self.made["benchmarks"]:
            for key in entry.keys() & {"p50", "p95", "rows", "iterations", "real_time"}:
                with self.subTest(entry=entry["name"], key=key):
                    kept = entry[key]
                    entry[key] *= 1.0001
                    if isinstance(kept, int):
                        entry[key] = kept + 1
                    if (entry["run_type"], key) != ("aggregate", "iterations"):
                        self.assert_one_line(self.verify(), 1, entry["name"], key)
                    entry[key] = kept
            for index, kept in enumerate(entry.get("samples", [])):
                with self.subTest(entry=entry["name"], sample=index):
                    entry["samples"][index] = kept + 1
                    self.assert_one_line(self.verify(), 1, entry["name"])
                    entry["samples"][index] = kept
        self.assertEqual(self.verify().returncode, 0)

    def test_an_aggregate_over_a_failed_repetition_is_found(self):
        self.made["benchmarks"][1] = reports.failed(repetitions=2, repetition_index=1)
        self.assert_one_line(self.verify(), 1, "order_detail/sqlite_mean", "failed")

    def test_a_unit_that_is_none_is_refused(self):
        self.made["benchmarks"][0]["time_unit"] = "minutes"
        self.assert_one_line(self.verify(), 2, "time_unit minutes")

    def test_a_failed_case_is_status_1(self):
        self.made = reports.document(reports.entry(), reports.failed("cart", "cart"))
        done = self.verify()
        self.assertEqual(done.returncode, 1)
        self.assertIn("cart/sqlite", done.stderr)


class Failures(ReportTest):
    def test_a_failed_case_is_a_row_with_its_message_and_status_1(self):
        made = reports.document(
            reports.entry(), reports.failed("customer_by_email", "customer by email",
                                            message="parameter 2: 0 rows, expected 1 | x"))
        done = self.report(made)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertRegex(done.stdout, r"\ncustomer by email +- +FAILED\n"
                                      r"  sqlite: parameter 2: 0 rows, expected 1 \| x\n")
        self.assertRegex(self.row(done.stdout, "order detail"), "5 ns +3 ns$")
        done = self.report(made, "--format=markdown")
        self.assertEqual(done.returncode, 1)
        self.assertIn("| FAILED: parameter 2: 0 rows, expected 1 \\| x |  |", done.stdout)
        done = self.report(made, "--format=csv")
        self.assertEqual(done.returncode, 1)
        last = list(csv.DictReader(io.StringIO(done.stdout)))[-1]
        self.assertEqual(last["error"], "parameter 2: 0 rows, expected 1 | x")
        self.assertEqual([last["p50_ns"], last["p95_ns"], last["rows"]], ["", "", ""])

    def test_a_failed_case_leaves_no_gap_where_the_median_would_stand_beneath(self):
        made = reports.document(reports.failed(), reports.entry("x", "a title " * 5))
        shown = self.report(made, "--width=60").stdout
        self.assertRegex(shown, r"\norder detail +- +FAILED\n  sqlite: it broke\na title ")

    def test_one_failed_repetition_fails_the_case(self):
        made = reports.document(reports.entry(repetitions=2),
                                reports.failed(repetitions=2, repetition_index=1))
        done = self.report(made)
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED", self.row(done.stdout, "order detail"))
        self.assertIn("it broke (1 of 2 repetitions)", done.stdout)
        self.assertNotIn("5 ns", done.stdout)

    def test_an_interrupted_run_is_marked_and_status_1(self):
        for form in ("text", "markdown"):
            done = self.report(reports.document(reports.entry(), complete=False),
                               f"--format={form}")
            self.assertEqual((done.returncode, done.stderr), (1, ""))
            self.assertIn("INCOMPLETE: run was interrupted", done.stdout)
            self.assertIn("5 ns", done.stdout)
        self.assertEqual(self.report(reports.document(complete=False)).returncode, 1)

    def test_a_percentile_that_is_not_that_of_the_samples_is_refused(self):
        many = list(range(1, 101))
        for made, says in (
                (reports.entry(p50=4), "p50 says 4, its samples give 3"),
                (reports.entry(p95=4), "p95 says 4, its samples give 5"),
                (reports.entry(samples=many, p50=50, p95=95, p99=100),
                 "p99 says 100, its samples give 99"),
                (reports.entry(p99=5), "p99 of 5 samples"),
                (reports.entry(iterations=6), "6 iterations, but 5 samples"),
                (reports.entry(on="other"), "target other")):
            self.assert_one_line(self.report(reports.document(made)), 2, made["name"], says)

    def test_a_file_that_contradicts_itself_is_refused(self):
        for change, part in (
                ({"engine": "mariadb"}, "engine says mariadb, its target is sqlite"),
                ({"rows": 9}, "rows says 9"), ({"parameter_rows": []}, "rows says 8"),
                ({"samples": [0] * 5, "p50": 0, "p95": 0}, "took no time")):
            with self.subTest(change=change):
                made = reports.document(reports.entry() | change)
                self.assert_one_line(self.report(made), 2, "order_detail/sqlite", part)

    def test_a_case_that_stands_twice_is_refused(self):
        self.assert_one_line(self.report(reports.document(reports.entry(), reports.entry())), 2,
                             "order_detail/sqlite", "twice")

    def test_a_case_without_repetition_index_that_stands_twice_is_refused(self):
        plain = reports.entry()
        del plain["repetition_index"]
        self.assertEqual(self.report(reports.document(plain)).returncode, 0)
        self.assert_one_line(self.report(reports.document(plain, plain)), 2, "twice")

    def test_what_is_no_report_is_refused_in_one_line(self):
        plain = reports.whole_run()
        del plain["context"]["shopmark"]
        other = json.dumps(reports.document(reports.entry()))
        for content, part in (
                (b"", "empty"), (b" \n", "empty"), (b"{", "line 1, column 2"),
                (b"\xff{}", "UTF-8"), (b"[]", "not a report"), (b"7", "not a report"),
                (b"{}", "not a report"), (b'{"context": {}}', "not a report"),
                (b"[" * 100_000, "nested too deep"), (b"9" * 10_000, "not JSON"),
                (json.dumps(plain).encode(), "Google Benchmark's JSON without"),
                (other.replace('"format": 1', '"format": 2').encode(), "format 2"),
                (other.replace('"cpu_time": 1.0', '"real_time": NaN').encode(), "NaN"),
                (other.replace('"cpu_time": 1.0', '"real_time": -Infinity').encode(), "Infinity"),
                (other.replace('"cpu_time": 1.0', '"p50": 1').encode(), "p50 stands twice"),
                (other[:-30].encode(), "not JSON")):
            with self.subTest(content=content[:60]):
                with open(self.file, "wb") as file:
                    file.write(content)
                self.assert_one_line(run("report", self.file), 2, self.file, part)

    def test_a_report_without_a_needed_part_is_refused_in_one_line(self):
        for change, part in (
                ({"query": None}, "query is not text"), ({"title": 7}, "title is not text"),
                ({"samples": []}, "samples"), ({"samples": [1.5]}, "samples"),
                ({"samples": [True]}, "samples"), ({"samples": [-1]}, "samples"),
                ({"samples": None}, "samples is not a list"), ({"p50": 3.0}, "p50"),
                ({"p95": None}, "p95"), ({"rows": "8"}, "rows"),
                ({"repetition_index": "0"}, "repetition_index"),
                ({"repetition_index": -1}, "repetition_index is negative"),
                ({"samples": [2**63]}, "samples"), ({"run_type": 7}, "run_type is not text"),
                ({"error_occurred": "false"}, "error_occurred is not true or false")):
            with self.subTest(change=change):
                made = reports.document(reports.entry() | change)
                self.assert_one_line(self.report(made), 2, "order_detail/sqlite", part)
        for key in ("query", "title", "target", "samples", "p50", "p95", "rows", "iterations"):
            with self.subTest(key=key):
                made = reports.document(reports.entry())
                del made["benchmarks"][0][key]
                self.assert_one_line(self.report(made), 2, f"{key} is missing")
        for key in ("targets", "complete", "warmup"):
            with self.subTest(key=key):
                made = reports.document(reports.entry())
                del made["context"]["shopmark"][key]
                self.assert_one_line(self.report(made), 2, f"{key} is missing")
        self.assert_one_line(self.report(reports.document(7)), 2, "entry 1 is not an object")
        self.assert_one_line(self.report(reports.document()), 2, "no case")
        self.assert_one_line(self.report(reports.document(targets={"x": 1})), 2, "target x")

    def test_a_file_that_cannot_be_read_is_refused_in_one_line(self):
        self.assert_one_line(run("report", os.path.join(self.folder, "none.json")), 2, "none.json",
                             "No such file")
        self.assert_one_line(run("report", self.folder), 2, self.folder, "directory")


class Forms(ReportTest):
    def test_csv_has_every_figure_in_nanoseconds(self):
        samples = list(range(1001, 1101))
        made = reports.document(
            reports.entry(samples=samples, p50=1050, p95=1095, p99=1099),
            reports.entry("customer_by_email", 'by "email", all', rows=1))
        shown = self.right(made, "--format=csv", "--published")
        self.assertEqual(shown.split("\r\n"), [
            "query,title,target,engine,repetition,rows,samples,p50_ns,p95_ns,p99_ns,p50_low_ns,"
            "p50_high_ns,p95_low_ns,p95_high_ns,error,published_p50_ns,published_p95_ns",
            # The intervals' ranks for 100 samples: 40 and 61, 90 and 100.
            "order_detail,order detail,sqlite,sqlite,0,8,100,1050,1095,1099,1040,1061,1090,1100,,"
            "190000,210000",
            'customer_by_email,"by ""email"", all",sqlite,sqlite,0,1,5,3,5,,,,,,,10000,20000', ""])
        self.assertNotIn("published", self.right(made, "--format=csv"))

    def test_csv_has_a_line_for_each_repetition(self):
        made = reports.document(reports.entry(repetitions=2),
                                reports.entry(repetitions=2, repetition_index=1))
        lines = list(csv.DictReader(io.StringIO(self.right(made, "--format=csv"))))
        self.assertEqual([line["repetition"] for line in lines], ["0", "1"])

    def test_markdown_is_a_table_with_its_pipes_escaped(self):
        made = reports.document(reports.entry(title="a|b <c> *d*"))
        lines = self.right(made, "--format=markdown").splitlines()
        first = lines.index("| query | rows | p95 | median |")
        self.assertEqual(lines[first + 1:first + 3], [
            "| --- | ---: | ---: | ---: |", "| a\\|b &lt;c> \\*d\\* | 8 | 5 ns | 3 ns |"])

    def test_markdown_names_the_target_of_each_column(self):
        made = reports.document(reports.entry(on="a"), reports.entry(on="b"),
                                targets={"a": reports.target(), "b": reports.target()})
        self.assertIn("\n| query | rows | a p95 | a median | b p95 | b median |\n",
                      self.right(made, "--format=markdown"))


class Program(ReportTest):
    def test_output_goes_to_the_file_that_is_named(self):
        out = os.path.join(self.folder, "table.md")
        self.assertEqual(self.right(reports.whole_run(), "--format=csv", f"--output={out}"), "")
        with open(out, encoding="utf-8", newline="") as file:
            self.assertEqual(file.read(), self.right(reports.whole_run(), "--format=csv"))

    def test_output_that_cannot_be_written_is_refused(self):
        for out in (self.folder, os.path.join(self.folder, "none", "table"), "/dev/full"):
            self.assert_one_line(self.report(reports.whole_run(), f"--output={out}"), 2, out)
        self.assert_one_line(self.report(reports.whole_run(), f"--output={self.file}"), 2,
                             "the report itself")
        self.assertEqual(run("report", self.file).returncode, 0)

    def test_a_refused_report_leaves_the_output_as_it_was(self):
        out = os.path.join(self.folder, "table")
        with open(out, "w", encoding="utf-8") as file:
            file.write("before")
        self.assertEqual(self.report(reports.document(), f"--output={out}").returncode, 2)
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read(), "before")

    def test_a_full_standard_output_is_an_error(self):
        reports.write(self.file, reports.whole_run())
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([SCRIPT, "report", self.file], stdout=full, check=False,
                                  stderr=subprocess.PIPE, timeout=30,
                                  env={**os.environ, "PYTHONUNBUFFERED": ""})
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count(b"\n"), 1, done.stderr)

    def test_a_closed_standard_output_is_an_error(self):
        reports.write(self.file, reports.whole_run())
        done = subprocess.run(["sh", "-c", 'exec "$0" report "$1" >&-', SCRIPT, self.file],
                              stderr=subprocess.PIPE, timeout=30, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (2, b"shopmark: standard output is closed\n"))

    def test_a_reader_that_leaves_early_causes_no_message(self):
        reports.write(self.file, reports.whole_run())
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([SCRIPT, "report", self.file], stdout=writing, check=False,
                              stderr=subprocess.PIPE, timeout=30)
        os.close(writing)
        self.assertEqual(done.stderr, b"")

    def test_colour_only_on_a_terminal_that_wants_it(self):
        made = reports.document(reports.failed())
        self.assertNotIn("\x1b", self.report(made).stdout)

        def on_terminal(**environment):
            ours, theirs = pty.openpty()
            environment = {"TERM": "xterm", "LC_ALL": "C.UTF-8"} | environment
            done = subprocess.run([SCRIPT, "report", self.file], stdout=theirs, check=False,
                                  timeout=30, env=environment)
            self.assertEqual(done.returncode, 1)
            os.close(theirs)
            shown = os.read(ours, 65536)
            os.close(ours)
            return shown
        self.assertIn(b"\x1b[31morder detail", on_terminal())
        self.assertNotIn(b"\x1b", on_terminal(NO_COLOR="1"))
        self.assertNotIn(b"\x1b", on_terminal(TERM="dumb"))

    def test_help_has_examples(self):
        for arguments in (["--help"], ["report", "--help"]):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("tools/shopmark report build/report/store.json\n", done.stdout)

    def test_a_wrong_command_line_is_one_line_and_status_2(self):
        reports.write(self.file, reports.whole_run())
        for arguments, part in (([], "COMMAND"), (["nonsense"], "nonsense"), (["report"], "FILE"),
                                (["report", self.file, "--nonsense"], "--nonsense"),
                                (["report", self.file, "--format=xml"], "xml"),
                                (["report", self.file, "--width=0"], "--width"),
                                (["report", self.file, "--width=9999"], "--width"),
                                (["report", self.file, "--pub"], "--pub")):
            self.assert_one_line(run(*arguments), 2, part)


if __name__ == "__main__":
    unittest.main()
