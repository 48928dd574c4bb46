#!/usr/bin/python3
"""Stores on servers that are set up in other ways than ours: another locale, collation, time zone,
SQL mode, no local files. Rows and results must not depend on any of it.

usage: other_servers_test.py SHOPMARK_SEED SHOPMARK_BENCH

Each test makes a private server of its own, with the modules of tools/engines.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import databases  # noqa: E402  (found through that line, as is what it finds)
from engines import places, servers  # noqa: E402
from engines.mariadb import MariaDb  # noqa: E402
from engines.postgres import Postgres  # noqa: E402

SEED = BENCH = ""
SIZES = servers.Sizes.of(1024, 128)


class OtherPostgres(Postgres):
    locale = ["--locale=C"]
    settings = []

    def make_command(self, sizes):
        return [argument for argument in super().make_command(sizes)
                if not argument.startswith("--locale")] + self.locale

    def command(self, sizes):
        return super().command(sizes) + self.settings


class OtherMariaDb(MariaDb):
    settings = []

    def command(self, sizes):
        # What is given last counts.
        return super().command(sizes) + self.settings


class OtherServers(unittest.TestCase):
    def start(self, engine, **how):
        """A new server; its DSN."""
        missing = engine.missing_packages()
        if missing:
            if "SHOPMARK_TEST_REQUIRE_SERVERS" in os.environ:
                self.fail(f"not installed: {missing}")
            self.skipTest(f"not installed: {missing}")
        folder = tempfile.mkdtemp(prefix="shopmark-test-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        os.chmod(folder, 0o755)  # the servers' users pass through it
        the_places = places.Places([engine.user_here()], folder)
        the_places.make()
        self.server = engine(the_places, print)
        for name, value in how.items():
            setattr(self.server, name, value)
        self.addCleanup(self.server.down)
        self.server.up(SIZES, True)
        return self.server.dsn()

    def run_program(self, *arguments):
        return subprocess.run(arguments, capture_output=True, text=True, timeout=300, check=False,
                              env=os.environ | {"TZ": "America/Los_Angeles", "LC_ALL": "C.UTF-8",
                                                "PGTZ": "America/Los_Angeles"})

    def expect(self, status, *arguments):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def expect_the_same_store(self, dsn):
        for target in (dsn, databases.of_server(self.server.NAME, dsn, "made_by_seeder").target):
            with self.subTest(target=target):
                self.expect(0, SEED, f"--target={target}", "--profile=smoke")
                self.expect(0, SEED, f"--target={target}", "--profile=smoke", "--verify")
                self.expect(0, BENCH, f"--target={target}", "--check")

    def test_postgres_with_a_collation_of_icu(self):
        dsn = self.start(OtherPostgres,
                         locale=["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=und"],
                         settings=["-c", "timezone=America/Los_Angeles",
                                   "-c", "datestyle=SQL, DMY",
                                   "-c", "default_transaction_isolation=serializable",
                                   "-c", "standard_conforming_strings=off"])
        [[smaller]] = databases.of_server("postgres", dsn, "shopmark").rows("SELECT 'a' < 'B'")
        self.assertEqual(smaller, "t", "the server does not compare bytewise by itself")
        self.expect_the_same_store(dsn)

    def test_postgres_with_the_plainest_locale(self):
        self.expect_the_same_store(self.start(OtherPostgres, locale=["--locale=C"]))

    def test_mariadb_with_a_collation_that_folds_case_and_strict_modes(self):
        dsn = self.start(OtherMariaDb, settings=[
            "--collation-server=utf8mb4_general_ci", "--default-time-zone=-08:00",
            "--sql-mode=ANSI,TRADITIONAL,ONLY_FULL_GROUP_BY,PAD_CHAR_TO_FULL_LENGTH",
            "--transaction-isolation=READ-COMMITTED"])
        [[equal]] = databases.of_server("mariadb", dsn, "shopmark").rows("SELECT 'a' = 'A '")
        self.assertEqual(equal, "1", "the server does not compare bytewise by itself")
        self.expect_the_same_store(dsn)

    def test_mariadb_with_another_character_set_no_modes_and_no_local_files(self):
        self.expect_the_same_store(self.start(OtherMariaDb, settings=[
            "--character-set-server=latin1", "--collation-server=latin1_swedish_ci", "--sql-mode=",
            "--default-time-zone=+05:30", "--local-infile=OFF"]))

    def test_a_server_that_ends_while_it_is_seeded(self):
        for engine in (OtherPostgres, OtherMariaDb):
            with self.subTest(engine=engine.NAME):
                dsn = self.start(engine)
                target = f"--target=mine={dsn}"
                seeder = subprocess.Popen([SEED, target, "--profile=standard"], text=True,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                seeder.stderr.readline()  # rows are on their way
                time.sleep(1)
                os.kill(self.server.main_process().pid, signal.SIGKILL)
                _, errors = seeder.communicate(timeout=60)
                self.assertEqual(seeder.returncode, 1, errors)
                self.assertIn("target mine: ", errors.splitlines()[-1])
                self.assertIn("connect", errors.splitlines()[-1])  # lost, or the next one refused
                self.expect(2, SEED, target, "--profile=smoke")
                self.server.up(SIZES, True)
                self.assertIn("no complete store", self.expect(
                    2, SEED, target, "--profile=smoke", "--verify").stderr)
                self.expect(0, SEED, target, "--profile=smoke")
                self.expect(0, SEED, target, "--profile=smoke", "--verify")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    SEED, BENCH = sys.argv[1:]
    unittest.main(argv=sys.argv[:1])
