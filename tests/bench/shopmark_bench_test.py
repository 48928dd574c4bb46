#!/usr/bin/python3
"""The real shopmark-bench on a smoke store.

shopmark_bench_test.py SHOPMARK_BENCH SHOPMARK_SEED SOURCE_FOLDER
"""

import contextlib
import csv
import json
import math
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest


def strict(text):
    """RFC 8259 only: Python's reader takes NaN and doubled keys otherwise."""

    def refuse(constant):
        raise ValueError(constant + " is not JSON")

    def unique(pairs):
        keys = [key for key, _ in pairs]
        if len(keys) != len(set(keys)):
            raise ValueError("a key twice")
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, object_pairs_hook=unique)


def nearest_rank(samples, percent):
    return sorted(samples)[math.ceil(percent * len(samples) / 100) - 1]


def iterations(document):
    return [entry for entry in document["benchmarks"] if entry["run_type"] == "iteration"]


class ShopmarkBench(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory(prefix="shopmark_bench_")
        cls.store = os.path.join(cls.shared.name, "smoke.sqlite")
        subprocess.run([SEED, f"--target=sqlite:{cls.store}", "--profile=smoke"], check=True,
                       capture_output=True, timeout=120)

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="shopmark_bench_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out.json"

    def command(self, *arguments):
        return [BENCH, f"--target=sqlite:{self.store}", *arguments]

    def run_bench(self, *arguments, **options):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True,
                              timeout=120, **options)

    def measure(self, *arguments, status=0, **options):
        """The document of a run that ends with `status`."""
        run = self.run_bench(f"--benchmark_out={self.out}", *arguments, **options)
        self.assertEqual(run.returncode, status, run.stderr)
        return strict(self.out.read_text(encoding="utf-8"))

    def assert_refused(self, run, *parts):
        """One line on stderr, nothing on stdout, status 2."""
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertRegex(run.stderr, r"\Ashopmark-bench: [^\n]+\n\Z")
        for part in parts:
            self.assertIn(part, run.stderr)

    def assert_store_as_seeded(self):
        run = subprocess.run([SEED, f"--target=sqlite:{self.store}", "--profile=smoke",
                              "--verify"], capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def queries(self):
        with open(SOURCE / "tests/reference/store_queries.csv", newline="",
                  encoding="utf-8") as file:
            return [(row["query"], row["title"]) for row in csv.DictReader(file)]

    def parameters(self):
        return strict((SOURCE / "bench/cases/parameters.json").read_text(encoding="utf-8"))

    # ---- plans and work

    def test_each_query_has_the_plans_and_the_work_of_its_statements(self):
        document = self.measure("--samples=1", "--warmup=0")
        observed = document["context"]["shopmark"]["observed"]
        self.assertEqual(set(observed), {"sqlite"})
        queries = [query for query, _ in self.queries()]
        self.assertEqual(list(observed["sqlite"]), ["baseline_round_trip", *queries])
        parameters = self.parameters()["smoke"]
        for query in queries:
            one = observed["sqlite"][query]
            self.assertEqual(set(one), {"work", "statements"})
            self.assertGreater(one["work"]["vm_steps"], 0)
            names = [statement["name"] for statement in one["statements"]]
            self.assertEqual(len(names), len(set(names)))
            for counter, total in one["work"].items():
                self.assertEqual(total, sum(statement["work"].get(counter, 0)
                                            for statement in one["statements"]))
            for statement in one["statements"]:
                self.assertGreater(statement["calls"], 0)
                prints = [plan["fingerprint"] for plan in statement["plans"]]
                self.assertEqual(len(prints), len(set(prints)))
                for plan in statement["plans"]:
                    self.assertRegex(plan["fingerprint"], r"\A[0-9a-f]{32}\Z")
        email = observed["sqlite"]["customer_by_email"]["statements"]
        self.assertEqual([(one["name"], one["calls"]) for one in email],
                         [("customer_by_email", len(parameters["customer_by_email"]))])
        self.assertIn("customers_email", email[0]["plans"][0]["text"][0])
        detail = observed["sqlite"]["order_detail"]["statements"]
        self.assertEqual(len(detail), 7)
        # Nothing that was bound is in the file.
        content = self.out.read_text(encoding="utf-8")
        for value in [one[key] for query, key in (("customer_by_email", "email"),
                                                  ("order_detail", "number"),
                                                  ("product_page_by_slug", "slug"))
                      for one in parameters[query]]:
            self.assertNotIn(str(value), content)
        self.assert_store_as_seeded()

    def test_plans_and_work_are_the_same_in_every_run(self):
        runs = [self.measure("--samples=3", *arguments)["context"]["shopmark"]["observed"]
                for arguments in ((), ("--warmup=0",))]
        self.assertEqual(*runs)

    def test_plans_can_be_left_out(self):
        document = self.measure("--samples=1", "--plans=false", "--benchmark_filter=customer")
        self.assertNotIn("observed", document["context"]["shopmark"])

    # ---- what a run says

    def test_runs_the_baselines_and_the_published_queries_with_every_field(self):
        document = self.measure()
        parameters = self.parameters()["smoke"]
        names = [("baseline_empty_call", "empty call"),
                 ("baseline_round_trip", "one-row round trip"), *self.queries()]
        entries = document["benchmarks"]
        self.assertEqual([(entry["query"], entry["title"]) for entry in entries], names)
        for index, entry in enumerate(entries):
            query = entry["query"]
            with self.subTest(query):
                rows = [one["rows"] for one in parameters.get(query, [])]
                if query.startswith("baseline_"):
                    rows = [0 if query == "baseline_empty_call" else 1]
                name = f"{query}/sqlite/iterations:25/manual_time"
                expected = {
                    "name": name, "run_name": name, "family_index": index,
                    "per_family_instance_index": 0, "run_type": "iteration", "repetitions": 1,
                    "repetition_index": 0, "threads": 1, "iterations": 25, "time_unit": "ms",
                    "target": "sqlite", "engine": "sqlite", "parameters": len(rows),
                    "parameter_rows": rows, "rows": rows[0]}
                self.assertEqual({key: entry[key] for key in expected}, expected)
                samples = entry["samples"]
                self.assertEqual(len(samples), 25)
                self.assertTrue(all(type(sample) is int and sample > 0 for sample in samples))
                self.assertEqual(entry["p50"], nearest_rank(samples, 50))
                self.assertEqual(entry["p95"], nearest_rank(samples, 95))
                self.assertNotIn("p99", entry)
                self.assertAlmostEqual(entry["real_time"], sum(samples) / 25 * 1e-6, places=9)
                self.assertGreater(entry["cpu_time"], 0)
                self.assertAlmostEqual(entry["client_cpu"], entry["cpu_time"] * 1e6, delta=1)
        context = document["context"]
        self.assertLessEqual({"date", "host_name", "executable", "num_cpus", "mhz_per_cpu",
                              "caches", "load_avg", "library_build_type"}, set(context))
        ours = context["shopmark"]
        expected = {"format": 1, "warmup": 5, "samples": 25, "complete": True,
                    "percentile_method": "nearest-rank", "order": "target by target",
                    "results": "equal to the oracle's"}
        self.assertEqual({key: ours[key] for key in expected}, expected)
        self.assertRegex(ours["commit"], r"\A([0-9a-f]{40}|unknown)\Z")
        self.assertIs(type(ours["dirty"]), bool)
        target = ours["targets"]["sqlite"]
        self.assertEqual((target["engine"], target["profile"], target["seed"], target["clock"]),
                         ("sqlite", "smoke", 20260830, 1788048000))
        self.assertRegex(target["data_digest"], r"\A[0-9a-f]{32}\Z")
        self.assertEqual(target["settings"]["journal_mode"], "wal")
        self.assert_store_as_seeded()

    def test_samples_and_warmup_are_what_the_flags_say(self):
        document = self.measure("--samples=120", "--warmup=0", "--benchmark_filter=customer")
        entry, = document["benchmarks"]
        self.assertEqual(len(entry["samples"]), 120)
        self.assertEqual(entry["p99"], nearest_rank(entry["samples"], 99))
        self.assertEqual(document["context"]["shopmark"]["warmup"], 0)
        self.assertEqual(document["context"]["shopmark"]["samples"], 120)

    def test_check_calls_every_parameter_and_prints_its_rows(self):
        run = self.run_bench("--check")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        for query, parameters in self.parameters()["smoke"].items():
            rows = " ".join(str(one["rows"]) for one in parameters)
            self.assertIn(f"{query}/sqlite: rows {rows}\n", run.stdout)
        self.assertTrue(run.stdout.endswith("\nevery answer is the oracle's\n"), run.stdout)
        self.assert_store_as_seeded()

    def test_interleaved_targets_have_all_their_samples(self):
        document = self.measure(f"--target=a=sqlite:{self.store},b=sqlite:{self.store}",
                                "--interleave=4", "--samples=10", "--benchmark_repetitions=2",
                                "--benchmark_filter=order_detail|stock|baseline")
        found = [(entry["query"], entry["target"], entry["repetition_index"], len(entry["samples"]))
                 for entry in iterations(document)]
        self.assertEqual(found, [(query, target, repetition, 10)
                                 for query in ["baseline_empty_call", "baseline_round_trip",
                                               "order_detail", "stock_decrement_and_restore"]
                                 for target in "ab" for repetition in (0, 1)])
        self.assertEqual(document["context"]["shopmark"]["order"], "interleaved in blocks of 4")
        self.assert_store_as_seeded()

    def test_a_store_in_memory_is_a_target_with_the_rows_of_the_others(self):
        document = self.measure(f"--target=floor=memory:,sqlite:{self.store}",
                                "--benchmark_filter=order_detail|stock")
        targets = document["context"]["shopmark"]["targets"]
        self.assertEqual(list(targets), ["floor", "sqlite"])
        self.assertEqual(targets["floor"]["data_digest"], targets["sqlite"]["data_digest"])
        self.assertEqual([(target["engine"], target["durability"], target["transport"])
                          for target in targets.values()],
                         [("memory", "none", "in process"), ("sqlite", "durable", "in process")])
        self.assertEqual([entry["target"] for entry in document["benchmarks"]],
                         ["floor", "sqlite"] * 2)
        run = self.run_bench("--target=memory:smoke", "--check")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("order_detail/memory: rows ", run.stdout)
        self.assert_refused(self.run_bench("--target=memory:huge"), "huge", "smoke")

    def test_several_targets_stand_beside_each_other(self):
        document = self.measure(f"--target=a=sqlite:{self.store},b=sqlite:{self.store}",
                                "--benchmark_filter=order_detail|stock")
        self.assertEqual([(entry["query"], entry["target"]) for entry in document["benchmarks"]],
                         [("order_detail", "a"), ("order_detail", "b"),
                          ("stock_decrement_and_restore", "a"),
                          ("stock_decrement_and_restore", "b")])
        self.assertEqual(set(document["context"]["shopmark"]["targets"]), {"a", "b"})

    def test_a_locale_changes_nothing(self):
        environment = dict(os.environ, LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")
        document = self.measure("--samples=1200", "--benchmark_filter=customer", env=environment)
        self.assertEqual(len(document["benchmarks"][0]["samples"]), 1200)

    def test_an_empty_target_is_seeded_when_asked_to(self):
        path = self.folder / "new.sqlite"
        run = subprocess.run([BENCH, f"--target=sqlite:{path}", "--seed_when_empty=smoke",
                              "--check"], capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stderr, "seeding smoke, which may take a while\n")

    # ---- Google Benchmark's flags

    def test_repetitions_interleaved_have_their_own_samples_and_aggregates(self):
        document = self.measure("--benchmark_repetitions=3", "--samples=10",
                                "--benchmark_enable_random_interleaving=true",
                                "--benchmark_filter=^order_|customer")
        per_query = {}
        for entry in iterations(document):
            self.assertAlmostEqual(entry["real_time"], sum(entry["samples"]) / 10 * 1e-6, places=9)
            per_query.setdefault(entry["query"], []).append(entry["repetition_index"])
        self.assertEqual(len(per_query), 4)
        self.assertTrue(all(found == [0, 1, 2] for found in per_query.values()), per_query)
        aggregates = [entry for entry in document["benchmarks"]
                      if entry["run_type"] == "aggregate"]
        self.assertEqual(len(aggregates), 16)
        for entry in aggregates:
            self.assertEqual((entry["target"], entry["engine"]), ("sqlite", "sqlite"))
            self.assertIn(entry["query"], per_query)

    def test_aggregates_alone(self):
        document = self.measure("--benchmark_repetitions=2", "--samples=5",
                                "--benchmark_report_aggregates_only", "--benchmark_filter=customer")
        self.assertEqual([entry["aggregate_name"] for entry in document["benchmarks"]],
                         ["mean", "median", "stddev", "cv"])

    def test_display_aggregates_only_leaves_the_file_whole(self):
        document = self.measure("--benchmark_repetitions=2", "--samples=5",
                                "--benchmark_display_aggregates_only",
                                "--benchmark_filter=customer")
        self.assertEqual(len(iterations(document)), 2)

    def test_min_time_takes_as_many_samples_as_it_needs(self):
        document = self.measure("--benchmark_min_time=0.02",
                                "--benchmark_filter=customer|empty_call")
        empty, customer = document["benchmarks"]
        self.assertEqual(customer["name"], "customer_by_email/sqlite/manual_time")
        self.assertGreater(len(customer["samples"]), 100)
        self.assertEqual(customer["iterations"], len(customer["samples"]))
        self.assertEqual(len(empty["samples"]), 25)

    def test_samples_win_over_min_time(self):
        document = self.measure("--benchmark_min_time=0.02", "--samples=7",
                                "--benchmark_filter=customer")
        self.assertEqual(len(document["benchmarks"][0]["samples"]), 7)

    def test_min_warmup_time_does_not_get_into_the_samples(self):
        document = self.measure("--benchmark_min_warmup_time=0.01", "--benchmark_filter=customer")
        self.assertEqual(len(document["benchmarks"][0]["samples"]), 25)

    def test_the_document_goes_to_standard_output_as_json(self):
        run = self.run_bench("--benchmark_format=json", "--benchmark_filter=customer")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(len(strict(run.stdout)["benchmarks"]), 1)

    def test_csv_is_google_benchmarks_own(self):
        run = self.run_bench("--benchmark_format=csv", "--benchmark_filter=customer")
        self.assertEqual(run.returncode, 0, run.stderr)
        header, row = csv.reader(run.stdout.splitlines())
        self.assertEqual(header[:5], ["name", "iterations", "real_time", "cpu_time", "time_unit"])
        self.assertEqual(row[:2], ["customer_by_email/sqlite/iterations:25/manual_time", "25"])

    def test_the_console_has_google_benchmarks_lines_and_no_alarm(self):
        run = self.run_bench("--benchmark_filter=customer", "--benchmark_color=false")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stdout, r"(?m)^customer_by_email/sqlite/iterations:25/manual_time +"
                                     r"[\d.]+ ms +[\d.]+ ms +25 .*p50=.*p95=")
        self.assertNotIn("WARNING", run.stderr)

    def test_names_are_listed_without_any_store(self):
        run = subprocess.run([BENCH, "--target=sqlite:/nowhere/at/all", "--benchmark_list_tests"],
                             capture_output=True, text=True, timeout=60)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(len(run.stdout.splitlines()), 20)
        self.assertIn("order_detail/sqlite/iterations:25/manual_time\n", run.stdout)

    def test_help_shows_the_flags(self):
        run = self.run_bench("--help")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        for flag in ["--target", "--samples", "--check", "--benchmark_"]:
            self.assertIn(flag, run.stdout)
        self.assertLessEqual(max(len(line) for line in run.stdout.splitlines()), 80)

    # ---- what goes wrong

    def test_bad_flags_are_one_line_and_status_2(self):
        for argument, part in [("--sample=3", "--sample"), ("--samples=0", "--samples"),
                               ("--samples=many", "--samples"), ("--warmup=-1", "--warmup"),
                               ("--benchmark_fliter=x", "--benchmark_fliter"),
                               ("--benchmark_min_time=1s", "--benchmark_min_time"),
                               ("--benchmark_repetitions=0", "--benchmark_repetitions"),
                               ("--benchmark_format=xml", "--benchmark_format"),
                               ("--benchmark_out_format=csv", "--benchmark_out_format"),
                               ("--benchmark_filter=nothing_is_so", "--benchmark_filter"),
                               ("--benchmark_filter=(", "--benchmark_filter"),
                               ("--samples=1000001", "--samples"),
                               ("--warmup=1000001", "--warmup"),
                               ("--interleave=-1", "--interleave"),
                               ("--interleave=x", "--interleave"),
                               ("--seed_when_empty=huge", "--seed_when_empty"),
                               ("--target=oracle:x", "--target"), ("--target=", "must not be empty"),
                               (f"--target=sqlite:{self.store},sqlite:x", "--target"),
                               ("--queries=/nowhere/at/all", "/nowhere/at/all"),
                               ("--parameters=/nowhere/at/all", "/nowhere/at/all"),
                               ("argument", "argument")]:
            with self.subTest(argument):
                environment = {key: value for key, value in os.environ.items()
                               if key != "SHOPMARK_TARGET"}
                self.assert_refused(
                    self.run_bench(argument, env=environment, cwd=self.folder), part)

    def test_interleaving_needs_a_number_of_samples(self):
        self.assert_refused(self.run_bench("--interleave=5", "--benchmark_min_time=0.1"),
                            "--interleave")

    def test_check_takes_no_flag_of_google_benchmarks(self):
        self.assert_refused(self.run_bench("--check", "--benchmark_filter=x"), "--check")

    def test_a_target_that_is_not_there_is_named(self):
        self.assert_refused(self.run_bench("--target=sqlite:/nowhere/at/all.sqlite"),
                            "/nowhere/at/all.sqlite")

    def test_a_profile_without_parameters_is_named(self):
        file = self.folder / "parameters.json"
        file.write_text('{"standard": {}}', encoding="utf-8")
        self.assert_refused(self.run_bench(f"--parameters={file}"), str(file), "smoke")

    def test_a_wrong_row_count_is_an_error_entry_and_the_rest_is_finished(self):
        parameters = self.parameters()
        expected = parameters["smoke"]["order_detail"][1]["rows"]
        parameters["smoke"]["order_detail"][1]["rows"] += 1
        file = self.folder / "parameters.json"
        file.write_text(json.dumps(parameters), encoding="utf-8")
        document = self.measure(f"--parameters={file}", status=1)
        self.assertEqual(len(document["benchmarks"]), 20)
        self.assertIs(document["context"]["shopmark"]["complete"], True)
        for entry in document["benchmarks"]:
            if entry["query"] != "order_detail":
                self.assertNotIn("error_occurred", entry)
                continue
            self.assertIs(entry["error_occurred"], True)
            self.assertRegex(entry["error_message"],
                             rf"\Aorder_detail, parameter 2 of \d+: {expected} rows?, "
                             rf"expected {expected + 1}\Z")
            for key in ["real_time", "cpu_time", "p50", "p95", "samples", "rows"]:
                self.assertNotIn(key, entry)
        check = self.run_bench(f"--parameters={file}", "--check")
        self.assertEqual(check.returncode, 1)
        self.assertIn("order_detail/sqlite: FAILED: order_detail, parameter 2", check.stdout)

    def changed_store(self, *statements):
        """A copy of the store that these statements have changed."""
        path = self.folder / "changed.sqlite"
        with contextlib.closing(sqlite3.connect(self.store)) as store:
            store.execute("VACUUM INTO ?", (str(path),))
        with contextlib.closing(sqlite3.connect(path)) as store:
            for statement in statements:
                store.execute(statement)
            store.commit()
        return path

    def test_a_wrong_answer_is_an_error_with_the_row_and_never_a_time(self):
        number = self.parameters()["smoke"]["order_detail"][1]["number"]
        store = self.changed_store("UPDATE order_items SET name = 'changed' "
                                   "WHERE position = 2 AND order_id = "
                                   f"(SELECT id FROM orders WHERE number = '{number}')")
        run = self.run_bench(f"--target=sqlite:{store}", f"--benchmark_out={self.out}",
                             "--benchmark_filter=order_detail|customer")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertRegex(run.stderr, r"shopmark-bench: order_detail/sqlite, parameter 2 answers "
                                     r"wrong:\n  is:      items\[1\] position=2 .* name='changed' .*"
                                     r"\n  must be: items\[1\] position=2 .* name='")
        document = strict(self.out.read_text(encoding="utf-8"))
        wrong, right = document["benchmarks"]
        self.assertRegex(wrong["error_message"],
                         r"\Aorder_detail, parameter 2 of \d+: wrong result, line \d+ \(items\[1\]\)"
                         r": name='changed' .*, must be name='.*")
        for key in ["real_time", "cpu_time", "client_cpu", "p50", "p95", "samples", "rows"]:
            self.assertNotIn(key, wrong)
        self.assertEqual(len(right["samples"]), 25)
        check = self.run_bench(f"--target=sqlite:{store}", "--check")
        self.assertEqual(check.returncode, 1)
        self.assertIn("order_detail/sqlite: FAILED: order_detail, parameter 2", check.stdout)
        self.assertNotIn("every answer", check.stdout)
        # The number of rows is right, and nobody looks further.
        document = self.measure(f"--target=sqlite:{store}", "--oracle=false")
        self.assertEqual(document["context"]["shopmark"]["results"], "rows counted")

    def test_another_order_of_equal_rows_is_a_wrong_answer(self):
        copy = self.copy_of_queries(
            lambda text: text.replace("o.placed_at DESC, o.id DESC", "o.placed_at DESC, o.id"),
            "orders.sql")
        run = self.run_bench(f"--queries={copy}", "--check")
        self.assertEqual(run.returncode, 1, run.stdout)
        self.assertIn("admin_order_list_page_1/sqlite: FAILED", run.stdout)

    def test_stock_that_is_not_given_back_is_a_wrong_answer(self):
        copy = self.copy_of_queries(
            lambda text: text.replace("stock + (SELECT h.quantity", "stock + 1 + (SELECT h.quantity"),
            "stock.sql")
        store = self.changed_store()
        run = self.run_bench(f"--target=sqlite:{store}", f"--queries={copy}",
                             "--benchmark_filter=stock", f"--benchmark_out={self.out}")
        self.assertEqual(run.returncode, 1)
        message = strict(self.out.read_text(encoding="utf-8"))["benchmarks"][0]["error_message"]
        self.assertRegex(message, r"wrong result, .*after=\d+, must be after=\d+")

    def test_rows_of_another_generator_are_refused_unless_only_counted(self):
        store = self.changed_store("UPDATE shopmark_seed SET value = 'x' WHERE name = 'data_digest'")
        self.assert_refused(self.run_bench(f"--target=sqlite:{store}", "--check"), "--oracle=false")
        run = self.run_bench(f"--target=sqlite:{store}", "--check", "--oracle=false")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("answers not compared", run.stdout)

    def test_the_answers_are_kept_beside_the_program_and_a_wrong_file_does_no_harm(self):
        program = self.folder / "program"
        shutil.copy2(BENCH, program)
        command = [str(program), f"--target=sqlite:{self.store}", "--check"]
        answers = self.folder / "program.oracle" / "smoke.json"
        for spoil in [None, lambda text: text[:len(text) // 2],
                      lambda text: re.sub('"[0-9a-f]{32}"', '"' + "0" * 32 + '"', text)]:
            if spoil is not None:
                answers.write_text(spoil(whole), encoding="utf-8")
            run = subprocess.run(command, capture_output=True, text=True, timeout=120)
            self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
            whole = answers.read_text(encoding="utf-8")
        self.assertEqual([path.name for path in answers.parent.iterdir()], ["smoke.json"])

    def copy_of_queries(self, edit, name="customers.sql"):
        copy = self.folder / "queries"
        shutil.copytree(SOURCE / "schema/queries", copy)
        file = copy / name
        text = file.read_text(encoding="utf-8")
        edited = edit(text)
        self.assertNotEqual(edited, text)
        file.write_text(edited, encoding="utf-8")
        return copy

    def test_a_broken_statement_is_named_before_anything_is_measured(self):
        copy = self.copy_of_queries(lambda text: re.sub(r"\bFROM customers\b", "FRM customers",
                                                        text))
        self.assert_refused(
            self.run_bench(f"--queries={copy}", f"--benchmark_out={self.out}"),
            "customer_by_email", f"{copy}/customers.sql:")
        self.assertFalse(self.out.exists())

    def test_another_column_is_named(self):
        copy = self.copy_of_queries(lambda text: re.sub(r"\blocale\b", "locale AS language", text))
        self.assert_refused(self.run_bench(f"--queries={copy}"), "customer_by_email", "locale")

    def test_targets_have_statements_of_their_own(self):
        copy = self.copy_of_queries(lambda text: re.sub(r"\bFROM customers\b",
                                                        "FROM customers /* b */", text))
        both = f"--target=a=sqlite:{self.store},b=sqlite:{self.store}"
        filter_ = "--benchmark_filter=customer_by_email"
        ours = self.measure(both, filter_, f"--queries=b={copy}")["context"]["shopmark"]
        self.assertNotIn("queries_digest", ours)
        a, b = (ours["targets"][name]["queries_digest"] for name in "ab")
        self.assertNotEqual(a, b)
        ours = self.measure(both, filter_, f"--queries=a={copy},b={copy}")["context"]["shopmark"]
        self.assertEqual(ours["queries_digest"], b)
        for queries, part in ((f"b={copy},c={copy}", "'c'"), (f"b={copy},b={copy}", "two folders"),
                              (f"b={copy},a=", "a has no folder"), ("b=/nowhere", "/nowhere")):
            with self.subTest(queries=queries):
                self.assert_refused(self.run_bench(both, f"--queries={queries}"), part)

    def test_equal_digests_are_equal_answers_with_an_oracle_or_without(self):
        copy = self.copy_of_queries(
            lambda text: text.replace("o.placed_at DESC, o.id DESC", "o.placed_at DESC, o.id"),
            "orders.sql")
        both = [f"--target=a=sqlite:{self.store},b=sqlite:{self.store}",
                "--benchmark_filter=admin_order_list_page_1"]
        def digests(*arguments):
            return [entry["answers_digest"]
                    for entry in iterations(self.measure(*both, *arguments))]
        right, also_right = digests()
        self.assertEqual(right, also_right)
        a, b = digests("--oracle=false", f"--queries=b={copy}")
        self.assertEqual(a, right)
        self.assertNotEqual(b, right)

    def test_a_missing_statement_is_named(self):
        copy = self.copy_of_queries(lambda text: text.replace("customer_by_email", "customer"))
        self.assert_refused(self.run_bench(f"--queries={copy}"), "customer_by_email")

    def test_nothing_matched_leaves_the_file_alone(self):
        self.out.write_text("[]", encoding="utf-8")
        self.assert_refused(self.run_bench(f"--benchmark_out={self.out}",
                                           "--benchmark_filter=nothing"), "--benchmark_filter")
        self.assertEqual(self.out.read_text(encoding="utf-8"), "[]")

    def test_an_output_that_cannot_be_opened_is_found_before_measuring(self):
        for path in ["/nowhere/at/all.json", "/proc/at_all.json", str(self.folder)]:
            with self.subTest(path):
                self.assert_refused(self.run_bench(f"--benchmark_out={path}"), path)

    def test_a_full_device_is_status_1(self):
        run = self.run_bench("--benchmark_out=/dev/full", "--benchmark_filter=customer")
        self.assertEqual(run.returncode, 1)
        self.assertIn("/dev/full: No space left on device", run.stderr)

    def test_a_full_standard_output_is_status_1(self):
        for form in ["json", "console"]:
            with open("/dev/full", "w", encoding="utf-8") as full:
                run = subprocess.run(self.command(f"--benchmark_format={form}",
                                                  "--benchmark_filter=customer"),
                                     stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(run.returncode, 1, form)
            self.assertIn("standard output", run.stderr)

    def test_the_output_may_be_a_pipe(self):
        run = self.run_bench("--benchmark_out=/dev/stdout", "--benchmark_filter=customer")
        self.assertEqual(run.returncode, 0, run.stderr)
        document = strict(run.stdout[run.stdout.index("\n{\n"):])
        self.assertEqual(len(document["benchmarks"]), 1)

    def test_a_full_disk_keeps_the_last_good_document(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

        run = self.run_bench(f"--benchmark_out={self.out}", "--samples=8000",
                             "--benchmark_filter=order_search|order_detail|customer|baseline|slug",
                             preexec_fn=limit)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn(str(self.out), run.stderr)
        document = strict(self.out.read_text(encoding="utf-8"))
        self.assertIs(document["context"]["shopmark"]["complete"], False)
        self.assertGreater(len(document["benchmarks"]), 0)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["out.json"])

    # ---- interruptions

    def start(self, *arguments):
        """A run of which the first document is there."""
        process = subprocess.Popen(self.command(f"--benchmark_out={self.out}", *arguments),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        deadline = time.monotonic() + 60
        while not self.out.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        self.assertIsNone(process.poll())
        return process

    def test_ctrl_c_at_any_moment_leaves_a_valid_document_and_the_store_as_it_was(self):
        moments = random.Random(20260830)
        for number in (signal.SIGINT, signal.SIGTERM) * 3:
            self.out.unlink(missing_ok=True)
            # The stock case alone writes, so half of the runs are nothing else.
            only_stock = moments.random() < 0.5
            process = self.start("--samples=200000", "--benchmark_filter=" +
                                 ("stock" if only_stock else "."))
            time.sleep(moments.uniform(0, 0.4))
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=60), 1)
            self.assertIn("interrupted", process.stderr.read())
            document = strict(self.out.read_text(encoding="utf-8"))
            self.assertIs(document["context"]["shopmark"]["complete"], False)
            for entry in document["benchmarks"]:
                self.assertNotIn("error_occurred", entry)
                self.assertEqual(len(entry["samples"]), 200000)
            self.assert_store_as_seeded()

    def test_after_kill_9_the_next_start_puts_the_store_right(self):
        moments = random.Random(1788048000)
        for _ in range(6):
            self.out.unlink(missing_ok=True)
            process = self.start("--samples=1000000", "--benchmark_filter=stock")
            time.sleep(moments.uniform(0, 0.2))
            process.kill()
            self.assertEqual(process.wait(timeout=60), -signal.SIGKILL)
            document = strict(self.out.read_text(encoding="utf-8"))
            self.assertEqual(document["benchmarks"], [])
            self.assertIs(document["context"]["shopmark"]["complete"], False)
            self.measure("--benchmark_filter=round_trip")
            self.assert_store_as_seeded()


if __name__ == "__main__":
    BENCH, SEED = sys.argv[1:3]
    SOURCE = pathlib.Path(sys.argv[3])
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
