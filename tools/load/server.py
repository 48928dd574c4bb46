"""shopmark-server, for as long as a run takes."""

import ctypes
import os
import re
import signal
import subprocess
import time

from console.errors import Failed

START_SECONDS = 120
STOP_SECONDS = 60
_POLL_SECONDS = 0.02
_LISTENING = re.compile(r"^shopmark-server: listening on (http://[0-9.]+:[0-9]+)$", re.MULTILINE)


class Server:
    """On a free port of the loopback. All that it prints goes to the file `log`."""

    def __init__(self, program, target, log, flags):
        self.command = [program, target.argument(), "--listen=127.0.0.1:0", *flags]
        self.log = log
        self.process = None

    @property
    def pid(self):
        return self.process.pid

    def start(self):
        """Its URL, once it listens. Throws Failed."""
        with open(self.log, "ab") as log:
            # A session of its own, so that Ctrl-C reaches it through us, after the driver.
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, start_new_session=True,
                                            preexec_fn=end_with_parent)
        began = time.monotonic()
        while True:
            ended = self.process.poll() is not None
            if found := _LISTENING.search(self._said()):
                return found[1]
            if ended:
                raise Failed(f"shopmark-server ended while starting: {self._last_line()}")
            if time.monotonic() - began > START_SECONDS:
                raise Failed(f"shopmark-server does not listen after {START_SECONDS} s: "
                             f"{self._last_line()}")
            time.sleep(_POLL_SECONDS)

    def stop(self):
        """Throws Failed when it had ended already, does not end, or ends with another status than
        0. Afterwards it does not run, whatever was thrown."""
        if self.process is None:
            return
        process, self.process = self.process, None
        if process.poll() is not None:
            raise Failed(f"shopmark-server ended during the run, {_how(process.returncode)}: "
                         f"{self._last_line()}")
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise Failed(f"shopmark-server was killed: it did not stop in {STOP_SECONDS} s"
                         ) from None
        if process.returncode != 0:
            raise Failed(f"shopmark-server stopped {_how(process.returncode)}: "
                         f"{self._last_line()}")

    def _said(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def _last_line(self):
        lines = [line for line in self._said().splitlines() if line.strip()]
        return lines[-1] if lines else "it said nothing"


def end_with_parent():
    """In a child, before it becomes a program: it is told to stop when this script is killed."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def _how(status):
    return f"by signal {-status}" if status < 0 else f"with status {status}"
