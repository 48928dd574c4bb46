#!/usr/bin/python3
"""The real shopmark-seed: what it prints, what it refuses, and its exit status.

usage: shopmark_seed_test.py SHOPMARK_SEED SOURCE_FOLDER
"""

import os
import pty
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = ""
SOURCE = Path()


class ShopmarkSeed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.store = self.folder / "store.sqlite"

    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=120)

    def seed(self, *arguments):
        return self.run_program(f"--target=sqlite:{self.store}", "--profile=smoke", *arguments)

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
        target = f"--target=sqlite:{self.store}"
        for arguments, text in ((["--plofile=smoke"], "--plofile: no such flag"),
                                (["--profile=huge", target], "--profile: 'huge'"),
                                ([], "--target: is needed"),
                                (["--target=oracle:x"], "--target: "),
                                ([target, "--schema=/nowhere"], "--schema: /nowhere"),
                                ([target, "--verify", "--force"], "exclude each other"),
                                (["stray"], "stray")):
            with self.subTest(arguments=arguments):
                self.expect_one_line(self.run_program(*arguments), 2, text)
        self.assertFalse(self.store.exists())

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
        before = self.store.read_bytes()
        self.expect(self.seed(), 0, "seeded already")
        self.assertEqual(self.store.read_bytes(), before)

    def test_verify_names_each_table_that_differs(self):
        self.expect(self.seed(), 0)
        with sqlite3.connect(self.store) as database:
            database.execute("UPDATE customers SET note = '' WHERE id = 7 AND note IS NULL")
            database.execute("UPDATE customers SET note = NULL WHERE id = 8 AND note = ''")
            database.execute("UPDATE customers SET name = name || '!' WHERE id = 9")
            database.execute("DELETE FROM refund_items WHERE rowid IN "
                             "(SELECT rowid FROM refund_items LIMIT 1)"
                             if self.has_rowid(database, "refund_items") else
                             "DELETE FROM refund_items WHERE transaction_id = "
                             "(SELECT min(transaction_id) FROM refund_items)")
        database.close()
        result = self.expect(self.seed("--verify"), 1, "table customers differs",
                             "table refund_items differs")
        self.assertEqual(len(result.stderr.splitlines()), 2, result.stderr)

    @staticmethod
    def has_rowid(database, table):
        return not database.execute("SELECT wr FROM pragma_table_list WHERE name = ?",
                                    (table,)).fetchone()[0]

    def test_verify_of_what_is_no_store_is_status_2(self):
        self.expect_one_line(self.seed("--verify"), 2, "target sqlite")
        self.assertFalse(self.store.exists())
        sqlite3.connect(self.store).execute("CREATE TABLE mine (id INTEGER)")
        self.expect_one_line(self.seed("--verify"), 2, "no complete store")

    def test_another_profile_is_refused_until_forced(self):
        self.expect(self.seed(), 0)
        self.expect_one_line(self.run_program(f"--target=sqlite:{self.store}"), 2,
                             "profile smoke", "standard", "--force")
        self.expect_one_line(self.run_program(f"--target=sqlite:{self.store}", "--verify"), 2,
                             "profile smoke")
        self.expect(self.seed("--force"), 0, "dropping", "seeded smoke")
        self.expect(self.seed("--verify"), 0)

    def test_a_store_of_another_generator_is_refused_until_forced(self):
        self.expect(self.seed(), 0)
        with sqlite3.connect(self.store) as database:
            changed = database.execute("UPDATE shopmark_seed SET value = ? WHERE name = ?",
                                       ("0" * 32, "data_digest")).rowcount
        database.close()
        self.assertEqual(changed, 1)
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
        database = sqlite3.connect(self.store)
        database.execute("CREATE TABLE orders (mine TEXT)")
        database.execute("INSERT INTO orders VALUES ('precious')")
        database.commit()
        for force in ([], ["--force"]):
            self.expect_one_line(self.seed(*force), 2, "left alone")
        self.assertEqual(database.execute("SELECT * FROM orders").fetchall(), [("precious",)])
        database.close()

    def test_a_file_that_is_no_database_is_refused(self):
        self.store.write_bytes(b"not a database, not at all\n" * 100)
        self.expect_one_line(self.seed(), 2, "target sqlite")
        self.assertIn(b"not a database", self.store.read_bytes())

    def test_an_interrupted_seed_is_made_anew(self):
        interrupted = 0
        for delay in (0.01, 0.03, 0.06, 0.1, 0.2, 0.3):
            process = subprocess.Popen(
                [PROGRAM, f"--target=sqlite:{self.store}", "--profile=standard", "--force"],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            # The clock starts once rows are on their way.
            process.stderr.readline()
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
        for attempt in range(20):
            self.store = self.folder / f"store-{attempt}.sqlite"
            first = subprocess.Popen(
                [PROGRAM, f"--target=sqlite:{self.store}", "--profile=smoke"],
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
            self.expect_one_line(second, 2, "target sqlite", "another process")
            return
        self.fail("no seeder could be stopped at work")

    def test_progress_on_a_terminal_is_one_line_written_over(self):
        terminal, other_end = pty.openpty()
        process = subprocess.Popen(
            [PROGRAM, f"--target=sqlite:{self.store}", "--profile=smoke"],
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
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    PROGRAM, SOURCE = sys.argv[1], Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
