"""A private server: made, started, found and stopped, whatever state its files are in.

What lives is read from the process table and from a lock that each process of a server inherits and
so holds until it ends, even one that is not visible from here. Pid files and sockets that a killed
server left behind are never believed.
"""

import fcntl
import os
import signal
import subprocess
import time
from dataclasses import dataclass

from engines import machine, places
from console.errors import Failed, NotStarted

# Recovery after a kill in the midst of seeding takes a while.
START_SECONDS = 300
# A shutdown writes out what is in memory only.
STOP_SECONDS = 120
# What a killed server leaves running ends by itself, unless it hangs.
ORPHAN_SECONDS = 5
POLL_SECONDS = 0.02
# After which the user is told what is waited for.
PATIENCE_SECONDS = 5

# The database and the user that `up` makes. The user may do everything on this server.
NAME = "shopmark"

# In the data folder once it is whole. Without it, the folder is made anew.
MARK = "made-by-shopmark"


@dataclass(frozen=True)
class Sizes:
    """Memory settings, in MiB."""
    # For the server's own cache of pages; the same for all engines.
    cache: int
    # What the server may suppose to be cached by it and by the system together.
    cached: int
    # For one sort or hash of one session, and for building one index.
    work: int
    build: int
    # How much log may be written between checkpoints; the same for all engines.
    log: int

    @staticmethod
    def of(memory, cache=None):
        """For a machine with so much memory, both in MiB. Two servers, the programs and the
        system's file cache share it, so a server's cache takes an eighth, at most 8 GiB."""
        def between(low, value, high):
            return max(low, min(value, high))
        if cache is None:
            cache = between(128, memory // 8 // 64 * 64, 8192)
        return Sizes(cache=cache, cached=max(memory // 2, cache), work=between(4, cache // 64, 64),
                     build=between(64, cache // 4, 1024), log=between(1024, cache // 2, 4096))


@dataclass(frozen=True)
class Facts:
    """What a running server says of itself; settings as name=value."""
    version: str
    memory: list[str]
    durability: list[str]


class Server:
    """What is common to the engines. A subclass has the constants and the methods that are not
    defined here."""

    NAME = TITLE = ""
    # Whom it runs as when root starts it.
    USER = ""
    # The programs it needs, and the Debian package of each.
    PROGRAMS: dict[str, str] = {}
    STOP_SIGNAL = signal.SIGTERM

    def __init__(self, the_places, say):
        """`say` tells the user what takes time."""
        self.places = the_places
        self.say = say
        self.user = self.user_here()
        self.data = the_places.data(self.NAME)
        self.log = the_places.log(self.NAME)
        self.socket_folder = the_places.socket_folder(self.NAME)

    @classmethod
    def user_here(cls):
        """The user it runs as; None for whoever runs this."""
        return cls.USER if os.geteuid() == 0 else None

    @classmethod
    def missing_packages(cls):
        """Packages that are not installed."""
        missing = {package for program, package in cls.PROGRAMS.items()
                   if cls.find_program(program) is None}
        if not places.has_user(cls.user_here()):
            missing.add(next(iter(cls.PROGRAMS.values())))
        return sorted(missing)

    # What an engine says of itself.

    @classmethod
    def find_program(cls, name):
        """The path of one of the programs, or None."""
        return machine.find_program(name)

    def make_command(self, sizes):
        """Fills the data folder, which is there and empty."""
        raise NotImplementedError

    def command(self, sizes):
        """Runs the server."""
        raise NotImplementedError

    def memory_arguments(self, sizes):
        """Those of the command that set memory."""
        raise NotImplementedError

    def client(self, sql):
        """Prints the rows of a statement, columns parted by a tab, as the server's first user."""
        raise NotImplementedError

    def ensure_database(self):
        """Makes the database and its user if they are not there."""
        raise NotImplementedError

    def facts(self):
        """What the server, which answers, says of itself."""
        raise NotImplementedError

    def socket(self):
        raise NotImplementedError

    def dsn(self):
        raise NotImplementedError

    def is_server(self, arguments):
        """Whether a process with this command line is the server itself, or a fresh fork of it."""
        raise NotImplementedError

    def is_helper(self, arguments):
        """Whether it is another process that uses the data folder."""
        raise NotImplementedError

    def check_data(self):
        """NotStarted when the data folder, which is whole, is not for this server."""

    def stale_files(self):
        """What a killed server leaves that keeps the next one from starting."""
        return []

    # What is built on it.

    def processes(self):
        if not places.has_user(self.user):
            return []
        return [process for process in machine.processes(places.user_id(self.user))
                if self.is_server(process.arguments) or self.is_helper(process.arguments)]

    def main_process(self):
        """The server's first process, or None."""
        servers = {process.pid: process for process in self.processes()
                   if self.is_server(process.arguments)}
        for process in servers.values():
            if process.parent not in servers:
                return process
        return None

    def is_reachable(self):
        """Whether it runs and its socket is there; not yet whether it serves statements."""
        return self.main_process() is not None and os.path.exists(self.socket())

    def query(self, sql):
        """The rows of a statement: lists of strings."""
        try:
            done = subprocess.run(self.client(sql), stdin=subprocess.DEVNULL, capture_output=True,
                                  check=False, timeout=30, cwd="/", env=machine.environment())
        except subprocess.TimeoutExpired as error:
            raise Failed("it does not answer") from error
        if done.returncode != 0:
            lines = done.stderr.decode(errors="replace").split("\n")
            raise Failed(f"it refuses a statement: {lines[0]}")
        return [line.split("\t") for line in done.stdout.decode(errors="replace").splitlines()]

    def up(self, sizes, is_sized_by_user):
        """Has it running and serving when this returns; what was done, in words."""
        main = self.main_process()
        if main and not self._is_made():
            self.say("its data folder is gone: stopping it")
            self._stop()
            main = None
        if main and not os.path.exists(self.socket()) and machine.is_listened_on(self.socket()):
            self.say("its socket is gone: stopping it")
            self._stop()
            main = None
        if main:
            if is_sized_by_user and not set(self.memory_arguments(sizes)) <= set(main.arguments):
                raise Failed("it runs with other memory settings: first "
                             f"tools/shopmark engines down {self.NAME}")
            self._await_answer(None, 0)
            self.ensure_database()
            return "was running"

        began = time.monotonic()
        alive = self._await_end(ORPHAN_SECONDS)
        try:
            places.check_data(self.data, self.user)
            is_new = not self._is_made()
            if is_new:
                self.say("making its data folder")
                self._make(sizes, alive)
            self.check_data()
            self._remove_stale_files()
            self.places.make_socket_folder(self.NAME, self.user)
            self._start(sizes, alive)
        finally:
            os.close(alive)
        self.ensure_database()
        return f"{'made and started' if is_new else 'started'} in {time.monotonic() - began:.1f} s"

    def down(self):
        """Has nothing of it running when this returns; whether anything was."""
        was_running = bool(self.processes())
        self._stop()
        self.places.remove_socket_folder(self.NAME)
        return was_running

    def remove(self):
        """Deletes what is stored. Only when it is down."""
        places.remove_data(self.data)
        for path in (self.log, self.places.alive(self.NAME)):
            _unlink(path)

    def log_lines(self, count):
        """The last lines of the log, or None if there never was one."""
        try:
            with open(self.log, encoding="utf-8", errors="replace") as file:
                return [line.rstrip("\n") for line in file][-count:]
        except FileNotFoundError:
            return None

    def _stop(self):
        main = self.main_process()
        if main:
            _signal(main.pid, self.STOP_SIGNAL)
        os.close(self._await_end(STOP_SECONDS if main else ORPHAN_SECONDS))
        self._remove_stale_files()

    def _is_made(self):
        return os.path.lexists(os.path.join(self.data, MARK))

    def _make(self, sizes, alive):
        places.remove_data(self.data)
        os.mkdir(self.data, mode=0o700)
        places.give(self.data, self.user)
        # Should this command be killed, the next one waits until all that this starts has ended.
        done = subprocess.run(
            self.make_command(sizes), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, check=False, cwd="/", env=machine.environment(),
            pass_fds=[alive], **places.as_user(self.user))
        if done.returncode != 0:
            with open(self.log, "ab") as log:
                log.write(done.stdout)
            raise Failed("its data folder could not be made: " +
                         self._complaint(done.stdout.decode(errors="replace").splitlines()))
        mark = os.path.join(self.data, MARK)
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))

    def _start(self, sizes, alive):
        with open(self.log, "ab") as log:
            start = log.tell()
            process = subprocess.Popen(
                self.command(sizes), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                env=machine.environment(), start_new_session=True, umask=0o077, pass_fds=[alive],
                **places.as_user(self.user))
        self._await_answer(process, start)

    def _await_answer(self, process, log_start):
        """Until it serves statements. `process` is what was started by this command."""
        began = time.monotonic()
        told = False
        while True:
            if process.poll() is not None if process else self.main_process() is None:
                with open(self.log, "rb") as log:
                    log.seek(log_start)
                    lines = log.read().decode(errors="replace").splitlines()
                raise Failed(f"it ended while starting: {self._complaint(lines)}")
            try:
                if os.path.exists(self.socket()):
                    self.query("SELECT 1")
                    return
                why = "it has no socket yet"
            except Failed as error:
                why = str(error)
            waited = time.monotonic() - began
            if waited > PATIENCE_SECONDS and not told:
                self.say(f"waiting until it serves, after a crash it has to recover: {why}")
                told = True
            if waited > START_SECONDS:
                raise Failed(f"it was left running, but after {START_SECONDS} s {why}")
            time.sleep(POLL_SECONDS)

    def _await_end(self, patience_seconds):
        """Until no process of it lives; kills those that do after some time. The descriptor of the
        lock that the next server is to hold."""
        alive = os.open(self.places.alive(self.NAME), os.O_RDWR | os.O_CREAT, 0o644)
        began = time.monotonic()
        told = False
        while True:
            left = self.processes()
            if not left:
                try:
                    fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return alive
                except BlockingIOError:
                    pass
            waited = time.monotonic() - began
            if waited > PATIENCE_SECONDS and not told:
                self.say("waiting until it has ended")
                told = True
            if waited > patience_seconds:
                for process in left:
                    _signal(process.pid, signal.SIGKILL)
            if waited > patience_seconds + ORPHAN_SECONDS:
                os.close(alive)
                raise Failed(f"processes {_list(left)} do not end" if left else
                             f"{self.data} is in use by a server that was started in another "
                             "container, or before the checkout was moved")
            time.sleep(POLL_SECONDS)

    def _remove_stale_files(self):
        for path in self.stale_files():
            _unlink(path)

    def _complaint(self, lines):
        """The line of the log that says what is wrong."""
        # PostgreSQL says of each early connection that it is starting up.
        bad = [line for line in lines if "starting up" not in line and
               any(word in line for word in ("FATAL", "PANIC", "ERROR", "error:"))]
        line = (bad or [line for line in lines if line.strip()] or ["it said nothing"])[0]
        return f"{line.strip()} (more: tools/shopmark engines logs {self.NAME})"


def _signal(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def _unlink(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _list(processes):
    return ", ".join(str(process.pid) for process in processes)


def require_packages(servers):
    """NotStarted, with what to install, unless all is there."""
    missing = sorted({package for server in servers for package in server.missing_packages()})
    if missing:
        raise NotStarted(f"not installed: {', '.join(missing)}; as root: "
                         f"apt-get install {' '.join(missing)}")
