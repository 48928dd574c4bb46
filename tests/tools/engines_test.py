#!/usr/bin/python3
"""tools/shopmark engines, run as its users run it, with the real servers.

Each test has its own checkout: a copy of tools/ in a folder of its own, so that the servers of this
one are left alone. As root, a part of the tests is run as an ordinary user too.
"""

import contextlib
import glob
import io
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

FOLDER = os.path.dirname(os.path.realpath(__file__))
TOOLS = os.path.join(os.path.dirname(os.path.dirname(FOLDER)), "tools")
sys.path.insert(0, TOOLS)

from engines import commands, machine, places, servers  # noqa: E402  (found through that line)

IS_ROOT = os.geteuid() == 0
ORDINARY_USER = "nobody"
MEMORY = "--memory=128M"
ENGINES = ("postgres", "mariadb")


class Checkout:
    """A copy of tools/, and the servers that are started with it."""

    def __init__(self, user=None, mode=0o755):
        self.user = user
        self.folder = tempfile.mkdtemp(prefix="shopmark checkout ")
        os.chmod(self.folder, mode)
        shutil.copytree(TOOLS, os.path.join(self.folder, "tools"),
                        ignore=shutil.ignore_patterns("__pycache__"))
        if user:
            os.chown(self.folder, pwd.getpwnam(user).pw_uid, pwd.getpwnam(user).pw_gid)
        self.home = os.path.join(self.folder, "build", "engines")
        self.places = places.Places([], self.folder)
        self.other_home = f"/var/lib/shopmark/{self.places.key}"
        self.dsns = {}
        user_id = pwd.getpwnam(user).pw_uid if user else os.geteuid()
        self.runtime = f"/tmp/shopmark-{user_id}-{self.places.key}"

    def remove(self):
        self.run("down", "--remove")
        shutil.rmtree(self.folder)
        shutil.rmtree(self.other_home, ignore_errors=True)
        with contextlib.suppress(OSError):  # not there, or another checkout's data is in it too
            os.rmdir(os.path.dirname(self.other_home))

    def start(self, *arguments, **environment):
        as_user = {"user": self.user, "extra_groups": []} if self.user else {}
        return subprocess.Popen(
            [os.path.join(self.folder, "tools", "shopmark"), "engines", *arguments], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/",
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | environment, **as_user)

    def run(self, *arguments, **environment):
        process = self.start(*arguments, **environment)
        process.stdout, process.stderr = process.communicate(timeout=300)
        return process

    def pids(self, *engines):
        """Each engine's pid, as status shows it."""
        done = self.run("status", *engines)
        return [int(pid) for pid in re.findall(r" pid ([0-9]+),", done.stdout)]

    def processes(self):
        """Every process whose command line names this checkout or its key; also hidden helpers."""
        found = []
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            with contextlib.suppress(OSError), open(path, "rb") as file:
                line = file.read().decode(errors="replace")
                if self.folder in line or self.places.key in line:
                    found.append(f"{path}: {line}")
        return found

    def query(self, engine, sql):
        """Through the engine's own client, with nothing but the DSN."""
        if engine not in self.dsns:
            self.dsns[engine] = self.run("dsn", engine).stdout.strip()
        dsn = self.dsns[engine]
        if engine == "postgres":
            command = ["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-c", sql, dsn]
        else:
            user, database, path = re.fullmatch(
                r"mariadb://([a-z]+)@localhost/([a-z]+)\?socket=(/[^%&?]+)", dsn).groups()
            command = ["mariadb", "--no-defaults", f"--user={user}", f"--socket={path}", "--batch",
                       "--skip-column-names", "-e", sql, database]
        as_user = {"user": self.user, "extra_groups": []} if self.user else {}
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, timeout=60, cwd="/", **as_user).stdout.strip()


class EnginesTest(unittest.TestCase):
    maxDiff = None

    def assert_right(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def assert_one_line(self, done, status, *parts):
        """Ended with the status, no output, and one line that holds all parts."""
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)

    def assert_nothing_left(self, checkout):
        self.assertEqual(checkout.processes(), [])
        self.assertFalse(os.path.lexists(checkout.runtime))

    def new_checkout(self, *arguments, **options):
        checkout = Checkout(*arguments, **options)
        self.addCleanup(checkout.remove)
        return checkout


class OneAfterAnother(EnginesTest):
    """Servers that are left running from test to test, to save the time of making them."""
    user = None

    @classmethod
    def setUpClass(cls):
        cls.checkout = Checkout(cls.user)
        cls.addClassCleanup(cls.checkout.remove)
        cls.first = cls.checkout.run("up", MEMORY)

    def setUp(self):
        self.assert_right(self.first)
        self.assert_right(self.checkout.run("up"))


class Common:
    """What root and an ordinary user can both rely on."""

    def test_up_says_what_it_made_and_in_which_time(self):
        for part in ("\npostgres", "\nmariadb", "made and started in", "shared_buffers=128MB",
                     "innodb_buffer_pool_size=128MB"):
            self.assertIn(part, "\n" + self.first.stdout)
        self.assertRegex(self.first.stdout, r"\nup in [0-9.]+ s\n$")

    def test_up_again_leaves_the_servers_alone(self):
        before = self.checkout.pids()
        self.assertEqual(len(before), 2)
        self.assertEqual(self.assert_right(self.checkout.run("up")).count("was running"), 2)
        self.assertEqual(self.checkout.pids(), before)

    def test_a_dsn_leads_to_the_database_as_the_user(self):
        self.assertEqual(self.checkout.query("postgres", "SELECT current_database(), current_user"),
                         "shopmark|shopmark")
        self.assertEqual(self.checkout.query("mariadb", "SELECT database(), current_user()"),
                         "shopmark\tshopmark@localhost")

    def test_servers_run_as_an_ordinary_user(self):
        owners = {os.stat(f"/proc/{pid}").st_uid for pid in self.checkout.pids()}
        self.assertNotIn(0, owners)

    def test_nobody_else_can_reach_the_data_or_the_sockets(self):
        for engine in ENGINES:
            for folder in (os.path.join(self.checkout.home, engine),
                           os.path.join(self.checkout.runtime, engine)):
                self.assertEqual(os.stat(folder).st_mode & 0o077, 0, folder)

    def test_down_leaves_nothing_running_and_keeps_the_data(self):
        for engine in ENGINES:
            self.checkout.query(engine, "CREATE TABLE kept (id INTEGER)")
            self.checkout.query(engine, "INSERT INTO kept VALUES (42)")
        self.assertTrue(self.checkout.processes())
        self.assertEqual(self.assert_right(self.checkout.run("down")).count("stopped"), 2)
        self.assert_nothing_left(self.checkout)
        self.assertEqual(self.assert_right(self.checkout.run("down")).count("was not running"), 2)
        self.assertEqual(self.checkout.run("status").returncode, 1)
        self.assert_right(self.checkout.run("up"))
        for engine in ENGINES:
            self.assertEqual(self.checkout.query(engine, "SELECT id FROM kept"), "42")
            self.checkout.query(engine, "DROP TABLE kept")

    def test_killed_servers_come_back_with_what_was_committed(self):
        for engine in ENGINES:
            self.checkout.query(engine, "CREATE TABLE committed (id INTEGER)")
            self.checkout.query(engine, "INSERT INTO committed VALUES (43)")
        before = self.checkout.pids()
        for pid in before:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.2)
        # Their sockets are still there, and dsn must not be taken in.
        self.assert_one_line(self.checkout.run("dsn"), 1, "postgres is not running")
        self.assertEqual(self.checkout.run("status").stdout.count("not running"), 2)
        self.assertTrue(os.path.exists(os.path.join(self.checkout.home, "postgres",
                                                    "postmaster.pid")))
        self.assert_right(self.checkout.run("up"))
        self.assertFalse(set(before) & set(self.checkout.pids()))
        for engine in ENGINES:
            self.assertEqual(self.checkout.query(engine, "SELECT id FROM committed"), "43")
            self.checkout.query(engine, "DROP TABLE committed")

    def test_down_after_a_kill_leaves_nothing(self):
        for pid in self.checkout.pids():
            os.kill(pid, signal.SIGKILL)
        self.assert_right(self.checkout.run("down"))
        self.assert_nothing_left(self.checkout)


class AsIs(OneAfterAnother, Common):
    """As the user who runs the tests; in CI that is root."""

    def test_no_server_listens_on_tcp(self):
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.assertIn(str(os.fstat(probe.fileno()).st_ino), self.tcp_inodes())
            inodes = self.tcp_inodes()
        seen = 0
        for pid in self.checkout.pids():
            for descriptor in glob.glob(f"/proc/{pid}/fd/*"):
                match = re.fullmatch(r"socket:\[([0-9]+)\]", os.readlink(descriptor))
                if match:
                    seen += 1
                    self.assertNotIn(match[1], inodes)
        self.assertGreaterEqual(seen, 2)

    @staticmethod
    def tcp_inodes():
        inodes = set()
        for path in glob.glob("/proc/net/tcp*"):
            with open(path, encoding="ascii") as file:
                inodes |= {line.split()[9] for line in file.readlines()[1:]}
        return inodes

    def test_durability_is_the_engines_default(self):
        self.assertEqual(
            self.checkout.query("postgres",
                                "SELECT name, setting = boot_val FROM pg_settings WHERE name IN "
                                "('fsync', 'synchronous_commit', 'full_page_writes', "
                                "'wal_sync_method', 'commit_delay', 'wal_level') ORDER BY name"),
            "commit_delay|t\nfsync|t\nfull_page_writes|t\nsynchronous_commit|t\nwal_level|t\n"
            "wal_sync_method|t")
        self.assertEqual(
            self.checkout.query("mariadb",
                                "SELECT variable_name, global_value = default_value "
                                "FROM information_schema.system_variables WHERE variable_name IN "
                                "('innodb_flush_log_at_trx_commit', 'innodb_doublewrite', "
                                "'sync_binlog', 'innodb_flush_method', 'query_cache_type') "
                                "ORDER BY variable_name"),
            "INNODB_DOUBLEWRITE\t1\nINNODB_FLUSH_LOG_AT_TRX_COMMIT\t1\nINNODB_FLUSH_METHOD\t1\n"
            "QUERY_CACHE_TYPE\t1\nSYNC_BINLOG\t1")
        self.assertEqual(self.checkout.query("postgres", "SHOW fsync"), "on")
        self.assertEqual(self.checkout.query("mariadb", "SELECT @@innodb_flush_log_at_trx_commit"),
                         "1")
        shown = self.checkout.run("status").stdout
        self.assertIn("fsync=on, synchronous_commit=on", shown)
        self.assertIn("innodb_flush_log_at_trx_commit=1", shown)

    def test_text_is_utf_8_and_compares_bytewise(self):
        self.assertEqual(self.checkout.query("postgres", "SHOW server_encoding"), "UTF8")
        self.assertEqual(self.checkout.query("postgres", "SELECT 'Z' < 'a', 'é' < 'z'"), "t|f")
        self.assertEqual(self.checkout.query("mariadb",
                                             "SET NAMES utf8mb4 COLLATE utf8mb4_nopad_bin; CREATE "
                                             "TABLE t (a TEXT); INSERT INTO t VALUES ('a'); "
                                             "SELECT SUM(a = 'a '), SUM(a = 'A'), SUM(a = 'a') "
                                             "FROM t; DROP TABLE t"), "0\t0\t1")
        self.assertEqual(self.checkout.query("mariadb", "SELECT @@local_infile"), "1")

    def test_what_the_user_has_set_for_other_servers_does_not_matter(self):
        self.checkout.run("down")
        self.assert_right(self.checkout.run(
            "up", PGPORT="1", PGHOST="/nonexistent", PGUSER="x", PGOPTIONS="-c fsync=off",
            PGDATA="/", MYSQL_HOST="x", MYSQL_UNIX_PORT="/x", TZ="Asia/Tokyo",
            LC_ALL="de_DE.UTF-8", TMPDIR="/nonexistent", XDG_RUNTIME_DIR="/nonexistent"))
        self.assertEqual(self.checkout.query("postgres", "SHOW log_timezone"), "UTC")
        self.assertEqual(self.checkout.query("mariadb", "SELECT @@system_time_zone"), "UTC")

    def test_status_shows_where_everything_is(self):
        shown = self.assert_right(self.checkout.run("status"))
        for part in ("PostgreSQL 1", "MariaDB 1", "running for", self.checkout.runtime,
                     os.path.join(self.checkout.home, "postgres"), "mariadb.sock"):
            self.assertIn(part, shown)

    def test_engines_are_chosen_by_name(self):
        self.assert_right(self.checkout.run("down", "mariadb"))
        self.assert_right(self.checkout.run("status", "postgres"))
        self.assertEqual(self.checkout.run("status", "mariadb").returncode, 1)
        self.assert_one_line(self.checkout.run("dsn", "mariadb"), 1, "mariadb is not running")
        self.assertEqual(self.assert_right(self.checkout.run("dsn", "postgres")),
                         f"postgres://shopmark@/shopmark?host={self.checkout.runtime}/postgres\n")

    def test_logs_show_the_last_lines(self):
        self.checkout.query("postgres", "SELECT unknown_column")
        shown = self.assert_right(self.checkout.run("logs", "postgres", "--lines=3"))
        self.assertEqual(shown.count("\n"), 3)
        self.assertIn("unknown_column", shown)
        both = self.assert_right(self.checkout.run("logs"))
        self.assertIn("postgres.log <==", both)
        self.assertIn("ready for connections", both)

    def test_a_lost_socket_is_made_again(self):
        os.unlink(os.path.join(self.checkout.runtime, "postgres", ".s.PGSQL.5432"))
        os.unlink(os.path.join(self.checkout.runtime, "mariadb", "mariadb.sock"))
        self.assert_one_line(self.checkout.run("dsn"), 1, "postgres is not running")
        done = self.checkout.run("up")
        self.assert_right(done)
        self.assertEqual(done.stderr.count("its socket is gone"), 2)
        for engine in ENGINES:
            self.assertEqual(self.checkout.query(engine, "SELECT 1"), "1")

    def test_a_stale_pid_file_that_names_a_living_process_is_not_believed(self):
        self.checkout.run("down")
        data = os.path.join(self.checkout.home, "postgres")
        owner = os.stat(data)
        as_user = {"user": owner.st_uid, "extra_groups": []} if IS_ROOT else {}
        with subprocess.Popen(["sleep", "60"], **as_user) as other:
            for path in (os.path.join(data, "postmaster.pid"),
                         os.path.join(self.checkout.home, "mariadb", "mariadb.pid")):
                with open(path, "w", encoding="ascii") as file:
                    file.write(f"{other.pid}\n{data}\n0\n5432\n{self.checkout.runtime}\n\n")
                os.chown(path, owner.st_uid, owner.st_gid)
            self.assertEqual(self.checkout.run("status").stdout.count("not running"), 2)
            self.assert_right(self.checkout.run("up"))
            self.assert_right(self.checkout.run("down"))
            self.assertIsNone(other.poll())
            other.kill()

    def test_what_a_killed_server_leaves_running_is_ended(self):
        [pid] = self.checkout.pids("postgres")
        [helper] = [int(line.split("/")[2]) for line in self.checkout.processes()
                    if "checkpointer" in line]
        os.kill(helper, signal.SIGSTOP)
        os.kill(pid, signal.SIGKILL)
        time.sleep(0.2)
        self.assertTrue(os.path.exists(f"/proc/{helper}"))
        self.assertIn("not running", self.checkout.run("status").stdout)
        self.assert_right(self.checkout.run("up", "postgres"))
        self.assertNotIn(str(helper), " ".join(self.checkout.processes()))
        self.assertEqual(self.checkout.query("postgres", "SELECT 1"), "1")

    def test_a_server_that_hangs_is_ended(self):
        with mock.patch.object(servers, "STOP_SECONDS", 0.5):
            server = commands.ENGINES["postgres"](self.checkout.places, lambda message: None)
            main = server.main_process()
            os.kill(main.pid, signal.SIGSTOP)
            self.assertTrue(server.down())
        self.assertEqual(server.processes(), [])

    def test_memory_is_not_changed_behind_a_running_servers_back(self):
        done = self.checkout.run("up", "--memory=256M")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.count("it runs with other memory settings"), 2)
        self.assert_right(self.checkout.run("down"))
        self.assert_right(self.checkout.run("up", "--memory=256M"))
        self.assertEqual(self.checkout.query("postgres", "SHOW shared_buffers"), "256MB")
        self.assertEqual(self.checkout.query("mariadb", "SELECT @@innodb_buffer_pool_size >> 20"),
                         "256")
        self.assert_right(self.checkout.run("up", "--memory=256M"))

    def test_a_dropped_database_is_made_again(self):
        self.checkout.query("postgres", "CREATE DATABASE other")
        dsn = self.checkout.run("dsn", "postgres").stdout.strip()
        subprocess.run(["psql", "-q", "-c", "DROP DATABASE shopmark",
                        dsn.replace("/shopmark?", "/other?")], check=True)
        self.checkout.query("mariadb", "DROP DATABASE shopmark")
        self.assert_right(self.checkout.run("up"))
        self.test_a_dsn_leads_to_the_database_as_the_user()
        self.checkout.query("postgres", "DROP DATABASE other")

    def test_a_server_that_cannot_start_says_why(self):
        self.checkout.run("down")
        control = os.path.join(self.checkout.home, "postgres", "global", "pg_control")
        os.rename(control, control + ".away")
        try:
            done = self.checkout.run("up")
        finally:
            os.rename(control + ".away", control)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^shopmark engines: postgres: it ended while starting: .*"
                                      r"could not find.*logs postgres\)\n$")
        # The other is up all the same, and is shown.
        self.assertIn("mariadb", done.stdout)
        self.assertNotIn("up in", done.stdout)
        self.assert_right(self.checkout.run("status", "mariadb"))

    def test_data_of_another_version_is_refused(self):
        self.checkout.run("down")
        path = os.path.join(self.checkout.home, "postgres", "PG_VERSION")
        with open(path, "r+", encoding="ascii") as file:
            made = file.read()
            file.seek(0)
            file.write("9\n")
            file.truncate()
        try:
            self.assert_one_line(self.checkout.run("up", "postgres"), 2, "made by PostgreSQL 9",
                                 "down --remove postgres")
        finally:
            with open(path, "w", encoding="ascii") as file:
                file.write(made)

    def test_a_data_folder_that_was_deleted_under_a_running_server_is_made_anew(self):
        before = self.checkout.pids("postgres")
        shutil.rmtree(os.path.join(self.checkout.home, "postgres"))
        done = self.checkout.run("up", "postgres")
        self.assert_right(done)
        self.assertIn("made and started", done.stdout)
        self.assertNotEqual(self.checkout.pids("postgres"), before)
        self.assertEqual(self.checkout.query("postgres", "SELECT 1"), "1")


@unittest.skipUnless(IS_ROOT, "only root can become another user")
class OrdinaryUser(OneAfterAnother, Common):
    user = ORDINARY_USER

    def test_everything_belongs_to_the_user(self):
        for path in (self.checkout.home, os.path.join(self.checkout.home, "mariadb"),
                     self.checkout.runtime):
            self.assertEqual(pwd.getpwuid(os.stat(path).st_uid).pw_name, ORDINARY_USER)


class FromNothing(EnginesTest):
    def test_two_ups_at_once_start_one_server_each(self):
        checkout = self.new_checkout()
        both = [checkout.start("up", MEMORY) for _ in range(2)]
        shown = [process.communicate(timeout=300) for process in both]
        self.assertEqual([process.returncode for process in both], [0, 0], shown)
        pids = [sorted(re.findall(r" pid ([0-9]+),", output)) for output, _ in shown]
        self.assertEqual(pids[0], pids[1])
        self.assertEqual(sum(output.count("made and started") for output, _ in shown), 2)
        self.assertEqual(sum(output.count("was running") for output, _ in shown), 2)
        self.assertIn("waiting for another command", shown[0][1] + shown[1][1])

    def test_a_data_folder_that_was_left_half_made_is_remade(self):
        for engine in ENGINES:
            with self.subTest(engine):
                checkout = self.new_checkout()
                first = checkout.start("up", engine, MEMORY)
                self.assertIn("making its data folder", first.stderr.readline())
                half = os.path.join(checkout.home, engine)
                while not os.path.isdir(half) or len(os.listdir(half)) < 2:
                    time.sleep(0.01)
                first.kill()
                first.communicate()
                self.assertFalse(os.path.exists(os.path.join(half, servers.MARK)))
                done = checkout.run("up", engine, MEMORY)
                self.assertIn("made and started", self.assert_right(done))
                self.assertEqual(checkout.query(engine, "SELECT 1"), "1")

    def test_remove_deletes_what_is_stored(self):
        checkout = self.new_checkout()
        self.assert_right(checkout.run("up", "postgres", MEMORY))
        self.assertIn("stopped, removed", self.assert_right(checkout.run("down", "--remove")))
        self.assertEqual(os.listdir(checkout.home), ["lock"])
        self.assert_nothing_left(checkout)

    def test_a_checkout_that_the_server_cannot_enter_keeps_its_data_elsewhere(self):
        if not IS_ROOT:
            self.skipTest("an ordinary user's servers run as that user")
        checkout = self.new_checkout(mode=0o700)
        done = checkout.run("up", "postgres", MEMORY)
        self.assertIn(f"data         {checkout.other_home}/postgres\n", self.assert_right(done))
        self.assertIn(f"cannot enter {checkout.folder}", done.stderr)
        self.assertFalse(os.path.exists(checkout.home))
        self.assertEqual(checkout.query("postgres", "SELECT 1"), "1")


class Refused(EnginesTest):
    def test_a_folder_that_cannot_be_written(self):
        checkout = self.new_checkout()
        with open(os.path.join(checkout.folder, "build"), "w", encoding="ascii"):
            pass
        self.assert_one_line(checkout.run("up"), 2, "build/engines: Not a directory")
        self.assertFalse(os.path.lexists(checkout.runtime))

    def test_a_checkout_of_somebody_else(self):
        checkout = self.new_checkout(mode=0o555)
        checkout.user = ORDINARY_USER if IS_ROOT else None
        self.assert_one_line(checkout.run("up"), 2, "build: Permission denied")
        checkout.user = None
        os.chmod(checkout.folder, 0o755)

    def test_a_data_folder_of_another_user(self):
        if not IS_ROOT:
            self.skipTest("only root can make one")
        checkout = self.new_checkout()
        os.makedirs(os.path.join(checkout.home, "postgres"))
        self.assert_one_line(checkout.run("up", "postgres"), 2, "belongs to user root",
                             "would run as postgres")
        os.rmdir(os.path.join(checkout.home, "postgres"))

    def test_a_socket_folder_that_is_a_link_or_open_to_all(self):
        checkout = self.new_checkout()
        elsewhere = tempfile.mkdtemp()
        self.addCleanup(os.rmdir, elsewhere)
        os.symlink(elsewhere, checkout.runtime)
        self.assert_one_line(checkout.run("up"), 2, checkout.runtime, "remove it")
        self.assertEqual(os.listdir(elsewhere), [])
        os.unlink(checkout.runtime)
        os.mkdir(checkout.runtime)
        os.chmod(checkout.runtime, 0o777)
        self.assert_one_line(checkout.run("up"), 2, checkout.runtime, "remove it")
        os.rmdir(checkout.runtime)

    def test_missing_programs_are_named_by_their_packages(self):
        for programs, package in ((ENGINES[:1], "postgresql"), (ENGINES[1:], "mariadb-server")):
            output = io.StringIO()
            with tempfile.TemporaryDirectory() as empty, contextlib.redirect_stderr(output), \
                    mock.patch.object(machine, "PROGRAM_FOLDERS", ()), \
                    mock.patch.dict(os.environ, {"PATH": empty}):
                parser = commands.argparse.ArgumentParser()
                commands.add_commands(parser.add_subparsers())
                arguments = parser.parse_args(["engines", "up", *programs])
                self.assertEqual(arguments.run(arguments), 2)
            self.assertEqual(output.getvalue().count("\n"), 1)
            self.assertRegex(output.getvalue(), f"not installed: .*apt-get install .*{package}")

    def test_wrong_arguments(self):
        checkout = self.new_checkout()
        for arguments, part in ((["up", "oracle"], "'oracle' is neither postgres nor mariadb"),
                                (["up", "--memory=1M"], "from 64M"),
                                (["up", "--memory=999999G"], "that there are"),
                                (["up", "--memory=-1G"], "is not a size"),
                                (["logs", "--lines=0"], "is not a number from 1"),
                                (["restart"], "restart"), ([], "ACTION")):
            with self.subTest(arguments):
                self.assert_one_line(checkout.run(*arguments), 2, part)

    def test_logs_of_a_server_that_never_ran(self):
        self.assert_one_line(self.new_checkout().run("logs", "mariadb"), 1, "mariadb never ran")


class Sizes(unittest.TestCase):
    def test_the_cache_is_an_eighth_of_the_memory_within_bounds(self):
        self.assertEqual([servers.Sizes.of(memory).cache for memory in (512, 8192, 16000, 262144)],
                         [128, 1024, 1984, 8192])

    def test_other_sizes_follow_the_cache(self):
        self.assertEqual(servers.Sizes.of(16384, 4096),
                         servers.Sizes(cache=4096, cached=8192, work=64, build=1024, log=2048))
        self.assertEqual(servers.Sizes.of(1024, 64),
                         servers.Sizes(cache=64, cached=512, work=4, build=64, log=1024))

    def test_a_containers_limit_counts_as_its_memory(self):
        with mock.patch.object(machine, "_control_group_limits", return_value=[3 << 30]), \
                mock.patch.object(machine, "_machine_memory_bytes", return_value=8 << 30):
            self.assertEqual(machine.memory_bytes(), 3 << 30)

    def test_the_newest_postgresql_comes_first(self):
        with tempfile.TemporaryDirectory() as folder:
            for version in ("9", "15", "16"):
                os.makedirs(os.path.join(folder, version, "bin"))
            with mock.patch.object(machine, "PROGRAM_FOLDERS", (f"{folder}/*/bin",)), \
                    mock.patch.dict(os.environ, {"PATH": ".:relative"}):
                self.assertEqual(machine.search_path().split(":"),
                                 [f"{folder}/{version}/bin" for version in ("16", "15", "9")])


if __name__ == "__main__":
    missing = [name for name in ("initdb", "mariadbd") if machine.find_program(name) is None]
    if missing and not os.environ.get("SHOPMARK_TEST_REQUIRE_SERVERS"):
        print("not installed: " + ", ".join(missing))
        sys.exit(77)
    unittest.main()
