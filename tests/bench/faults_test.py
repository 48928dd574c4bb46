#!/usr/bin/python3
"""shopmark-bench while its server fails.

faults_test.py SHOPMARK_BENCH SHOPMARK_SEED SOURCE_FOLDER ENGINE

The server of SHOPMARK_TEST_POSTGRES or SHOPMARK_TEST_MARIADB. What restarts a server starts one of
its own.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS))

import databases  # noqa: E402  (found through that line)


class Faults(unittest.TestCase):
    # A server counts a connection whose client is gone until it has noticed.
    ENOUGH = 10

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="shopmark_faults_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out.json"

    def use(self, server):
        """A seeded database of its own on the server."""
        self.database = databases.of_server(ENGINE, server, f"shopmark_faults_{os.getpid()}")
        self.store = self.database.target
        # Not of the database itself, whose connections are killed.
        self.server = databases.of_server(ENGINE, server, self.database.MAINTENANCE)
        self.addCleanup(self.database.drop)
        self.seed("--profile=smoke")

    def seed(self, *arguments):
        run = subprocess.run([SEED, f"--target={self.store}", *arguments], capture_output=True,
                             text=True, timeout=120)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def start(self, entries, *arguments):
        """A run of which so many entries are there."""
        process = subprocess.Popen([BENCH, f"--target={self.store}", f"--benchmark_out={self.out}",
                                    *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True)
        self.addCleanup(process.stderr.close)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            if self.out.exists() and len(self.document()["benchmarks"]) >= entries:
                break
            time.sleep(0.01)
        time.sleep(0.2)
        if process.poll() is not None:
            self.fail("it ended before anything happened to it: " + process.stderr.read())
        return process

    def document(self):
        return json.loads(self.out.read_text(encoding="utf-8"))

    def kill_connections(self):
        if ENGINE == "postgres":
            self.server.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                             f"WHERE datname = '{self.database.name}'")
            return
        for (number,) in self.server.rows("SELECT id FROM information_schema.processlist "
                                          f"WHERE db = '{self.database.name}'"):
            self.server.rows(f"KILL {number}")

    def limit_connections(self, count):
        limit = "CONNECTION LIMIT" if ENGINE == "postgres" else "WITH MAX_USER_CONNECTIONS"
        self.server.rows(f"ALTER {self.user} {limit} {count}")

    def use_as_user_of_few_connections(self):
        """The store's, of which another client has one."""
        name = f"shopmark_few_{os.getpid()}"
        if ENGINE == "postgres":
            self.user, maintenance = f"ROLE {name}", "postgres"
            connected = f"pg_stat_activity WHERE usename = '{name}'"
            self.server.rows(f"CREATE {self.user} LOGIN IN ROLE pg_read_all_data, "
                             "pg_write_all_data")
        else:
            self.user, maintenance = f"USER {name}@localhost", "information_schema"
            connected = f"information_schema.processlist WHERE user = '{name}'"
            self.server.rows(f"CREATE {self.user}")
            self.server.rows(f"GRANT ALL ON {self.database.name}.* TO {name}@localhost")
        self.addCleanup(lambda: self.server.rows(f"DROP {self.user}"))
        self.limit_connections(self.ENOUGH)
        parts = urllib.parse.urlsplit(self.store)
        place = parts.netloc.rpartition("@")[2]
        self.store = urllib.parse.urlunsplit(parts._replace(netloc=f"{name}@{place}"))
        holder = databases.of_server(ENGINE, self.store, maintenance).sleeping()
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        while not self.server.rows(f"SELECT 1 FROM {connected}"):
            self.assertIsNone(holder.poll(), "it cannot connect")
            time.sleep(0.01)

    def finish_without_connections(self, seconds=None):
        """A run whose connection is gone and which gets no other, ever or for so long; by case."""
        self.use(SERVER)
        self.use_as_user_of_few_connections()
        process = self.start(1, "--samples=3000",
                             "--benchmark_filter=order_search_by_number|order_detail|customer")
        self.limit_connections(1)
        self.kill_connections()
        if seconds is not None:
            time.sleep(seconds)
            self.limit_connections(self.ENOUGH)
        found = self.finish(process)
        self.assertFalse(found["order_search_by_number"])
        self.assertTrue(found["order_detail"])
        return found

    def test_connections_that_are_exhausted_for_a_while_cost_one_case(self):
        self.assertFalse(self.finish_without_connections(2)["customer_by_email"])

    def test_connections_that_stay_exhausted_leave_what_was_finished(self):
        self.assertTrue(self.finish_without_connections()["customer_by_email"])

    def finish(self, process):
        """By case: whether it has an error."""
        errors = process.stderr.read()
        self.assertEqual(process.wait(timeout=60), 1, errors)
        self.assertNotIn(urllib.parse.urlsplit(self.store).query, errors)
        document = self.document()
        self.assertIs(document["context"]["shopmark"]["complete"], True)
        for entry in document["benchmarks"]:
            self.assertEqual("error_occurred" in entry, "samples" not in entry)
            self.assertEqual("error_occurred" in entry, "cpu_time" not in entry)
        return {entry["query"]: "error_occurred" in entry for entry in document["benchmarks"]}

    def test_a_killed_connection_costs_its_case_and_no_other(self):
        self.use(SERVER)
        process = self.start(0, "--samples=5000",
                             "--benchmark_filter=order_search_by_number|order_detail|customer")
        self.kill_connections()
        found = self.finish(process)
        self.assertEqual(list(found), ["order_search_by_number", "order_detail",
                                       "customer_by_email"])
        self.assertEqual(sum(found.values()), 1, found)
        self.assertFalse(found["customer_by_email"])

    def test_stock_that_a_killed_connection_held_is_given_back(self):
        self.use(SERVER)
        for _ in range(3):
            self.out.unlink(missing_ok=True)
            process = self.start(1, "--samples=600", "--benchmark_filter=customer|stock")
            self.kill_connections()
            self.assertEqual(self.finish(process), {"customer_by_email": False,
                                                    "stock_decrement_and_restore": True})
            self.seed("--profile=smoke", "--verify")

    def test_a_server_that_is_down_at_the_start_is_one_line_and_status_2(self):
        parts = urllib.parse.urlsplit(SERVER)
        key = "host" if ENGINE == "postgres" else "socket"
        address = urllib.parse.urlunsplit(parts._replace(query=f"{key}={self.folder}/nowhere"))
        run = subprocess.run([BENCH, f"--target={address}", f"--benchmark_out={self.out}"],
                             capture_output=True, text=True, timeout=60)
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertRegex(run.stderr, rf"\Ashopmark-bench: [^\n]*{ENGINE}[^\n]+\n\Z")
        self.assertFalse(self.out.exists())

    def test_a_server_that_restarts_costs_the_case_under_way_and_no_other(self):
        # The path of a socket may not be long, and another user has to get at it.
        checkout = tempfile.mkdtemp(prefix="shopmark_faults_")
        os.chmod(checkout, 0o755)
        shutil.copytree(SOURCE / "tools", pathlib.Path(checkout) / "tools")

        def engines(*arguments):
            return subprocess.run([f"{checkout}/tools/shopmark", "engines", *arguments, ENGINE],
                                  capture_output=True, text=True, timeout=120, check=True).stdout

        self.addCleanup(shutil.rmtree, checkout, ignore_errors=True)
        self.addCleanup(engines, "down", "--remove")
        engines("up", "--memory=128M")
        self.use(engines("dsn").strip())
        process = self.start(1, "--samples=1500",
                             "--benchmark_filter=order_detail|customer|stock")
        engines("down")
        engines("up", "--memory=128M")
        found = self.finish(process)
        self.assertEqual(len(found), 3)
        self.assertEqual(sum(found.values()), 1, found)
        self.assertFalse(found["order_detail"])
        self.seed("--profile=smoke", "--verify")

    def test_a_server_that_stays_away_leaves_what_was_finished(self):
        self.use(SERVER)
        process = self.start(1, "--samples=10000",
                             "--benchmark_filter=order_search_by_number|order_detail|customer")
        # To the run, a database that is gone is a server that is.
        self.database.drop()
        self.kill_connections()
        found = self.finish(process)
        self.assertEqual(found, {"order_search_by_number": False, "order_detail": True,
                                 "customer_by_email": True})


if __name__ == "__main__":
    BENCH, SEED = sys.argv[1:3]
    SOURCE, ENGINE = pathlib.Path(sys.argv[3]), sys.argv[4]
    databases.exit_without_server(ENGINE)
    SERVER = os.environ[databases.VARIABLES[ENGINE]]
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
