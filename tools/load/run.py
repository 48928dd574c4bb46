"""One target measured: a server, a load run, the checks behind it, and its bundle."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

from console.errors import Failed, NotStarted
from load import bundle, orders, requests, targets
from load.programs import complaint
from load.server import Server, end_with_parent

# How long an interrupted driver may take to write what it has.
_DRIVER_STOP_SECONDS = 60


@dataclass(frozen=True)
class Settings:
    scenario: str
    profile: str
    keep: bool  # what shoppers wrote
    workers: int | None = None
    routes: str | None = None  # with commas between

    def load_arguments(self):
        """What shopmark-load is to ask for."""
        return [self.scenario] + ([] if self.routes is None else [f"--routes={self.routes}"])


@dataclass
class Outcome:
    target: targets.Target
    bundle: str
    problems: list[str] = field(default_factory=list)  # each a line; already said
    started: bool = False  # whether the driver measured anything
    interrupted: bool = False


class Run:
    """Measures one target; `say` tells the user a line."""

    def __init__(self, programs, settings, target, folder, say):
        self.programs, self.settings, self.target = programs, settings, target
        self.say = say
        self.outcome = Outcome(target, folder)

    def measure(self):
        """Whatever happens, the server is stopped, what shoppers wrote is undone (unless it is to
        be kept), and what there is of the bundle stays."""
        with tempfile.TemporaryDirectory(prefix="shopmark-load-") as private:
            log = os.path.join(private, "server.log")
            server = self._server(private, log)
            verdict = None
            try:
                with interruptible():
                    verdict = self._drive_and_check(server, private)
            except KeyboardInterrupt:
                self.outcome.interrupted = True
                self._problem("interrupted")
            except (Failed, NotStarted) as error:
                self._problem(str(error))
            with uninterrupted():
                if self.outcome.interrupted and self._has_bundle():
                    verdict = self._try_check()
                self._end(server)
                self._complete(verdict, log)
        return self.outcome

    def _server(self, private, log):
        flags = []
        for flag in ("admin_token_file", "receipt_secret_file"):
            path = os.path.join(private, flag)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w",
                      encoding="ascii") as file:
                file.write(os.urandom(32).hex() + "\n")
            flags.append(f"--{flag}={path}")
        if self.settings.workers is not None:
            flags.append(f"--workers={self.settings.workers}")
        open(log, "wb").close()
        return Server(self.programs.path("shopmark-server"), self.target, log, flags)

    def _drive_and_check(self, server, private):
        url = server.start()
        self.say(f"{self.target.name}: {os.path.basename(self.settings.scenario)} against {url}")
        self._drive(url, server, os.path.join(private, "admin_token_file"))
        return self._check()

    def _drive(self, url, server, token):
        watch = [f"server={server.pid}"]
        if (engine := targets.engine_process(self.target)) is not None:
            watch.append(f"engine={engine}")
        command = [self.programs.path("shopmark-load"), *self.settings.load_arguments(),
                   f"--url={url}", f"--output={self.outcome.bundle}",
                   f"--admin_token_file={token}", f"--profile={self.settings.profile}",
                   f"--target_name={self.target.name}", f"--watch={','.join(watch)}"]
        # A session of its own: an interrupt reaches it once, through us. What it prints is not
        # what this command is asked for, the tables are.
        driver = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.__stderr__,
                                  start_new_session=True, preexec_fn=end_with_parent)
        try:
            status = driver.wait()
        except KeyboardInterrupt:
            with uninterrupted():
                _end_driver(driver)
            self.outcome.started = self._has_bundle()
            raise
        self.outcome.started = status != 2 and self._has_bundle()
        if status < 0:
            raise Failed(f"shopmark-load ended by signal {-status}")
        if not self.outcome.started:
            raise NotStarted(f"shopmark-load ended with status {status} and left no bundle"
                             if status != 2 else "shopmark-load could not start")
        if status != 0:
            self._problem(f"shopmark-load ended with status {status}: "
                          "a request or a limit failed; the tables and log.txt say which")

    def _check(self):
        """What store.json is to say."""
        verdict = self._verdict(self.programs.visits(self.target))
        for problem in verdict["problems"]:
            self._problem(f"store: {problem}")
        return verdict

    def _try_check(self):
        try:
            return self._check()
        except (Failed, NotStarted) as error:
            self._problem(str(error))
            return None

    def _verdict(self, visits):
        return orders.verdict(orders.read(self._path("orders.csv")), visits,
                              requests.unanswered_checkouts(self._path("requests.csv")))

    def _end(self, server):
        began = server.process is not None
        try:
            server.stop()
        except Failed as error:
            self._problem(str(error))
        if not began:
            return
        if self.settings.keep:
            self.say(f"{self.target.name}: what shoppers wrote was kept; "
                     f"shopmark-seed {self.target.shown()} --undo_visits undoes it")
            return
        try:
            self.programs.undo_visits(self.target)
        except (Failed, NotStarted) as error:
            self._problem(str(error))

    def _complete(self, verdict, log):
        """Adds to the bundle what only we know."""
        if not self._has_bundle():
            if os.path.getsize(log):
                self.say(f"{self.target.name}: the server said: {_last_line(log)}")
            return
        try:
            with open(self._path("store.json"), "w", encoding="utf-8") as file:
                json.dump({"target": self.target.name} | (verdict or self._verdict(None)),
                          file, indent=1, ensure_ascii=True)
                file.write("\n")
            with open(log, "rb") as source, open(self._path("server.log"), "wb") as copy:
                copy.write(source.read())
            bundle.write_sums(self.outcome.bundle)
        except OSError as error:
            self._problem(f"{error.filename or self.outcome.bundle}: {error.strerror}")
        except Failed as error:
            self._problem(str(error))
        if self.outcome.problems:
            self.say(f"{self.target.name}: the bundle of this run is kept: {self.outcome.bundle}")

    def _has_bundle(self):
        return os.path.isfile(self._path("requests.csv"))

    def _path(self, name):
        return os.path.join(self.outcome.bundle, name)

    def _problem(self, line):
        self.outcome.problems.append(line)
        self.say(f"{self.target.name}: {line}")


def require_store(programs, target, profile, say):
    """Throws NotStarted where the target is no seeded store. What an earlier run left in it is
    undone: a run counts its own orders."""
    try:
        visits = programs.visits(target)
    except NotStarted as error:
        raise NotStarted(
            f"{target.name}: {error}; {os.path.join(programs.folder, 'shopmark-seed')} "
            f"{target.shown()} --profile={profile} makes a store") from None
    if visits["numbers"] or visits.get("carts"):
        say(f"{target.name}: undoing what an earlier run left, orders: {len(visits['numbers'])}, "
            f"carts: {visits.get('carts', 0)}")
        programs.undo_visits(target)


def _end_driver(driver):
    driver.send_signal(signal.SIGINT)
    try:
        driver.wait(_DRIVER_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        driver.kill()
        driver.wait()


def _last_line(log):
    with open(log, encoding="utf-8", errors="replace") as file:
        return complaint(subprocess.CompletedProcess([], 0, stderr=file.read()))


def _interrupt(_, __):
    raise KeyboardInterrupt


@contextlib.contextmanager
def _signals(handler):
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def interruptible():
    """Within, Ctrl-C and SIGTERM raise KeyboardInterrupt."""
    return _signals(_interrupt)


def uninterrupted():
    """Within, both are ignored: what is cleaned up takes limited time."""
    return _signals(signal.SIG_IGN)
