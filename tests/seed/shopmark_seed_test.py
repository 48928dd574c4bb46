#!/usr/bin/python3
"""The real shopmark-seed: what it prints, what it refuses, and its exit status.

usage: shopmark_seed_test.py SHOPMARK_SEED SOURCE_FOLDER [ENGINE]
"""

import itertools
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import databases  # noqa: E402  (found through that line)

PROGRAM = ""
SOURCE = Path()
ENGINE = "sqlite"
NUMBERS = itertools.count(1)


class ShopmarkSeed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.store = self.new_store()

    def new_store(self):
        if ENGINE == "sqlite":
            return databases.Sqlite(self.folder / f"store-{next(NUMBERS)}.sqlite")
        store = databases.of_server(ENGINE, os.environ[databases.VARIABLES[ENGINE]],
                                    f"shopmark_seed_test_{os.getpid()}_{next(NUMBERS)}")
        self.addCleanup(store.drop)
        return store

    def make_empty(self):
        """The database, without a table."""
        if ENGINE == "sqlite":
            return
        maintenance = databases.of_server(ENGINE, self.store.dsn, self.store.MAINTENANCE)
        maintenance.rows(f"CREATE DATABASE {self.store.name}")

    def only_sqlite(self):
        if ENGINE != "sqlite":
            self.skipTest("of a file")

    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120)

    def seed(self, *arguments):
        return self.run_program(f"--target={self.store.target}", "--profile=smoke", *arguments)

    def expect(self, result, status, *texts):
        self.assertEqual(result.returncode, status, result.stdout + result.stderr)
        for text in texts:
            self.assertIn(text, result.stdout + result.stderr)
        return result

    def expect_one_line(self, result, status, *texts):
        self.expect(result, status, *texts)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual(result.stdout, "")

    def golden(self, profile):
        lines = (SOURCE / "tests/seed/golden_digests.txt").read_text().splitlines()
        return [line.split()[1:] for line in lines if line.split()[0] == profile]

    def test_help_has_examples_and_ends_well(self):
        result = self.expect(self.run_program("--help"), 0, "Examples:", "--target", "--verify")
        self.assertEqual(result.stderr, "")
        self.assertLessEqual(max(len(line) for line in result.stdout.splitlines()), 80)

    def test_wrong_flags_are_one_line_and_status_2(self):
        target = f"--target={self.store.target}"
        for arguments, text in ((["--plofile=smoke"], "--plofile: no such flag"),
                                (["--profile=huge", target], "--profile: 'huge'"),
                                ([], "--target: is needed"),
                                (["--target=oracle:x"], "--target: "),
                                ([target, "--schema=/nowhere"], "--schema: /nowhere"),
                                ([target, "--verify", "--force"], "exclude each other"),
                                ([target, "--visits", "--undo_visits"], "exclude each other"),
                                ([target, "--visits", "--verify"], "exclude each other"),
                                (["stray"], "stray")):
            with self.subTest(arguments=arguments):
                self.expect_one_line(self.run_program(*arguments), 2, text)
        self.expect_one_line(self.seed("--verify"), 2, f"target {ENGINE}")  # it was not made

    def test_digest_needs_no_target_and_is_the_golden_one(self):
        result = self.expect(self.run_program("--digest", "--profile=smoke"), 0)
        self.assertEqual([line.split() for line in result.stdout.splitlines()],
                         self.golden("smoke"))

    def test_a_full_standard_output_is_a_failure(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([PROGRAM, "--digest", "--profile=smoke"], stdout=full,
                                    stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("standard output", result.stderr)

    def test_seeds_says_so_and_verifies(self):
        digest = self.golden("smoke")[-1][-1]
        result = self.expect(self.seed(), 0, "seeded smoke", "44011 rows", digest)
        self.assertIn("100 %", result.stderr)
        self.assertNotIn("\r", result.stderr)
        self.expect(self.seed("--verify"), 0, "verified smoke", digest)
        self.expect(self.seed(), 0, "seeded already")
        self.expect(self.seed("--verify"), 0, digest)

    def test_verify_names_each_table_that_differs(self):
        self.expect(self.seed(), 0)
        [[refund]] = self.store.rows("SELECT MIN(transaction_id) FROM refund_items")
        for change in ("UPDATE customers SET note = '' WHERE id = 7 AND note IS NULL",
                       "UPDATE customers SET note = NULL WHERE id = 8 AND note = ''",
                       "UPDATE customers SET name = 'Another' WHERE id = 9",
                       f"DELETE FROM refund_items WHERE transaction_id = {refund}"):
            self.store.rows(change)
        result = self.expect(self.seed("--verify"), 1, "table customers differs",
                             "table refund_items differs")
        self.assertEqual(len(result.stderr.splitlines()), 2, result.stderr)

    def visits(self, status):
        """What --visits prints, whatever the profile."""
        result = self.run_program(f"--target={self.store.target}", "--visits")
        self.expect(result, status)
        self.assertEqual(result.stderr, "")
        self.assertEqual(result.stdout.count("\n"), 1, result.stdout)
        return json.loads(result.stdout)

    def test_visits_are_counted_checked_and_undone(self):
        self.expect(self.seed(), 0)
        nothing = {"orders": 0, "pieces": 0, "total_cents": 0, "carts": 0, "numbers": [],
                   "problems": []}
        self.assertEqual(self.visits(0), nothing)
        # An order of two pieces, as a shopper's would be but for its history and transaction.
        [[order]] = self.store.rows("SELECT MAX(id) + 1 FROM orders")
        [[variant, product]] = self.store.rows(
            "SELECT id, product_id FROM variants WHERE stock > 2 ORDER BY id LIMIT 1")
        number = "W-" + "0" * 32
        self.store.rows(f"UPDATE variants SET stock = stock - 2 WHERE id = {variant}")
        self.store.rows(
            "INSERT INTO orders (id, number, email, status, currency, subtotal_cents, "
            "discount_cents, shipping_cents, tax_cents, total_cents, refunded_cents, "
            "ship_to_name, ship_to_line1, ship_to_city, ship_to_postcode, ship_to_country, "
            f"placed_at, updated_at) VALUES ({order}, '{number}', 'x', 'paid', 'EUR', 20, 0, 0, 0, "
            "20, 0, 'x', 'x', 'x', 'x', 'DE', 1, 1)")
        self.store.rows(
            "INSERT INTO order_items (order_id, position, product_id, variant_id, sku, name, "
            "quantity, unit_price_cents, discount_cents, tax_cents, total_cents) VALUES "
            f"({order}, 1, {product}, {variant}, 'x', 'x', 2, 10, 0, 0, 20)")
        self.store.rows("INSERT INTO carts (id, token, shipping_method, country, created_at) "
                        "VALUES (999, 'w-0', 'x', 'DE', 1)")
        self.assertEqual(self.visits(1), {
            "orders": 1, "pieces": 2, "total_cents": 20, "carts": 1, "numbers": [number],
            "problems": [f"order {number}: has no history", f"order {number}: has no transaction",
                         f"order {number}: was charged 0 cents, the order says 20"]})
        self.expect(self.seed("--verify"), 1, "table orders differs")
        undone = self.run_program(f"--target={self.store.target}", "--undo_visits")
        self.expect(undone, 0, "undid 1 orders of 2 pieces and 1 carts")
        self.expect(self.seed("--verify"), 0)
        self.assertEqual(self.visits(0), nothing)

    def test_visits_of_what_is_no_store_are_status_2(self):
        for flag in ("--visits", "--undo_visits"):
            self.expect_one_line(self.run_program(f"--target={self.store.target}", flag), 2,
                                 f"target {ENGINE}")
        self.make_empty()
        self.store.rows("CREATE TABLE mine (id INTEGER)")
        for flag in ("--visits", "--undo_visits"):
            self.expect_one_line(self.run_program(f"--target={self.store.target}", flag), 2,
                                 "no complete store")

    def test_verify_of_what_is_no_store_is_status_2(self):
        self.expect_one_line(self.seed("--verify"), 2, f"target {ENGINE}")
        self.expect_one_line(self.seed("--verify"), 2, f"target {ENGINE}")  # it was not made
        self.make_empty()
        self.store.rows("CREATE TABLE mine (id INTEGER)")
        self.expect_one_line(self.seed("--verify"), 2, "no complete store")

    def test_another_profile_is_refused_until_forced(self):
        self.expect(self.seed(), 0)
        self.expect_one_line(self.run_program(f"--target={self.store.target}"), 2,
                             "profile smoke", "standard", "--force")
        self.expect_one_line(self.run_program(f"--target={self.store.target}", "--verify"), 2,
                             "profile smoke")
        self.expect(self.seed("--force"), 0, "dropping", "seeded smoke")
        self.expect(self.seed("--verify"), 0)

    def test_a_store_of_another_generator_is_refused_until_forced(self):
        self.expect(self.seed(), 0)
        self.store.rows(f"UPDATE shopmark_seed SET value = '{'0' * 32}' WHERE name = 'data_digest'")
        self.expect_one_line(self.seed(), 2, "another version of the generator", "--force")
        self.expect(self.seed("--force"), 0)

    def test_a_store_of_another_schema_is_refused_until_forced(self):
        self.expect(self.seed(), 0)
        schema = self.folder / "schema"
        shutil.copytree(SOURCE / "schema", schema)
        tables = (schema / "tables.sql").read_text()
        (schema / "tables.sql").write_text(tables.replace("phone VARCHAR(40)", "phone VARCHAR(41)"))
        (schema / "indexes.sql").write_text(
            (schema / "indexes.sql").read_text()
            + "\n-- name: one_more\nCREATE INDEX one_more ON customers (name)\n")
        self.expect_one_line(self.seed(f"--schema={schema}"), 2, "another schema", "--force")
        self.expect(self.seed(f"--schema={schema}", "--force"), 0)

    def test_tables_of_others_are_never_touched(self):
        self.make_empty()
        self.store.rows("CREATE TABLE orders (mine VARCHAR(20))")
        self.store.rows("INSERT INTO orders VALUES ('precious')")
        for force in ([], ["--force"]):
            self.expect_one_line(self.seed(*force), 2, "left alone")
        self.assertEqual(self.store.rows("SELECT * FROM orders"), [["precious"]])

    def test_a_server_that_is_not_there_is_one_line_without_its_address(self):
        for target in ("postgres://scott:tiger@/shop?host=/nowhere",
                       "mariadb://scott:tiger@localhost/shop?socket=/nowhere/s.sock",
                       "postgres://scott:tiger@127.0.0.1:1/shop",
                       "mariadb://scott:tiger@127.0.0.1:1/shop"):
            for mode in ([], ["--verify"], ["--force"]):
                with self.subTest(target=target, mode=mode):
                    result = self.run_program(f"--target=mine={target}", *mode)
                    self.expect_one_line(result, 2, "target mine")
                    self.assertNotIn("tiger", result.stderr)
                    self.assertNotIn("scott:", result.stderr)

    def test_a_file_that_is_no_database_is_refused(self):
        self.only_sqlite()
        self.store.path.write_bytes(b"not a database, not at all\n" * 100)
        self.expect_one_line(self.seed(), 2, "target sqlite")
        self.assertIn(b"not a database", self.store.path.read_bytes())

    def test_an_interrupted_seed_is_made_anew(self):
        interrupted = 0
        for delay in (0.01, 0.03, 0.06, 0.1, 0.2, 0.3):
            process = subprocess.Popen(
                [PROGRAM, f"--target={self.store.target}", "--profile=standard", "--force"],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            # The clock starts once rows are on their way, not while what was left is dropped: killed
            # between the two, the database is empty and nothing was interrupted.
            while " rows, " not in (line := process.stderr.readline()):
                self.assertTrue(line, "it ended without a row")
            time.sleep(delay)
            process.send_signal(signal.SIGINT if delay < 0.1 else signal.SIGKILL)
            process.communicate()
            self.assertNotEqual(process.returncode, 0)
            result = self.expect(self.seed("--verify"), 2, "no complete store")
            interrupted += result.returncode == 2
        self.assertEqual(interrupted, 6)
        self.expect(self.seed(), 0, "interrupted", "seeded smoke")
        self.expect(self.seed("--verify"), 0)

    def test_a_second_seeder_is_refused_and_the_first_unharmed(self):
        for _ in range(20):
            self.store = self.new_store()
            first = subprocess.Popen(
                [PROGRAM, f"--target={self.store.target}", "--profile=smoke"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            first.stderr.readline()  # it is at work
            first.send_signal(signal.SIGSTOP)
            second = self.seed()
            first.send_signal(signal.SIGCONT)
            output, errors = first.communicate(timeout=60)
            self.assertEqual(first.returncode, 0, errors)
            self.assertIn("seeded smoke", output)
            self.expect(self.seed("--verify"), 0)
            if "seeded already" in second.stdout:
                continue  # the first was through before it could be stopped
            self.expect_one_line(second, 2, f"target {ENGINE}", "another process")
            return
        self.fail("no seeder could be stopped at work")

    def test_progress_on_a_terminal_is_one_line_written_over(self):
        terminal, other_end = pty.openpty()
        process = subprocess.Popen(
            [PROGRAM, f"--target={self.store.target}", "--profile=smoke"],
            stdout=subprocess.PIPE, stderr=other_end)
        os.close(other_end)
        text = b""
        while True:
            try:
                block = os.read(terminal, 4096)
            except OSError:  # the other end was closed
                break
            if not block:
                break
            text += block
        os.close(terminal)
        process.communicate()
        self.assertEqual(process.returncode, 0)
        self.assertIn(b"\r", text.replace(b"\r\n", b""))
        self.assertEqual(text.count(b"\n"), 1, text)
        self.assertIn(b"rows/s", text)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    PROGRAM, SOURCE = sys.argv[1], Path(sys.argv[2])
    ENGINE = sys.argv[3] if len(sys.argv) == 4 else ENGINE
    databases.exit_without_server(ENGINE)
    unittest.main(argv=sys.argv[:1])
