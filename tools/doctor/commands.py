"""The command line of `tools/shopmark doctor`."""

import argparse
import os
import statistics
import subprocess
import tempfile
import textwrap
import time

from console.places import ROOT
from doctor import checks
from doctor.checks import Finding
from engines import machine as programs

RIGHT, FAILED = 0, 1
WIDTH = 80

# What needs them is what `tools/packages` calls them for.
_PURPOSES = {"bench": "to measure", "test": "to run every test"}


def add_commands(commands):
    parser = commands.add_parser(
        "doctor", help="what on this machine disturbs a measurement", allow_abbrev=False,
        description="Looks for what on this machine will disturb a measurement, and says what to\n"
                    "do about each. Changes nothing.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="exit status: 0 nothing found; 1 something will disturb; 2 could not start")
    parser.set_defaults(run=run)


def run(_):
    folder = os.path.join(ROOT, "build")
    there = folder if os.path.isdir(folder) else ROOT
    findings = [*checks.machine(), *checks.disk(there), *durable_write(there),
                *checks.build(os.path.join(folder, "release")), *packages(), *servers()]
    for finding in findings:
        mark = "  " if finding.advice is None else "! "
        print(textwrap.fill(f"{mark}{finding.subject:<12}{finding.what}", WIDTH,
                            subsequent_indent=" " * 14))
        if finding.advice:
            print(textwrap.fill(f"{' ' * 14}-> {finding.advice}", WIDTH,
                                subsequent_indent=" " * 17, break_on_hyphens=False))
    disturbances = sum(finding.advice is not None for finding in findings)
    print("\nNothing here will disturb a measurement." if not disturbances else
          f"\n{disturbances} of these will disturb a measurement (marked !).")
    return FAILED if disturbances else RIGHT


def durable_write(folder):
    """What one costs here: no row that writes can be faster."""
    times = []
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            for _ in range(20):
                file.write(b"x" * 4096)
                file.flush()
                began = time.perf_counter()
                os.fdatasync(file.fileno())
                times.append(time.perf_counter() - began)
    except OSError as error:
        yield Finding("disk", f"cannot be written: {error.strerror}", "make build/ writable")
        return
    median_us = statistics.median(times) * 1e6
    yield Finding("disk", f"a durable write takes {median_us:.0f} us",
                  None if median_us >= 10 else
                  "too fast to be one: a cache answers for the disk, and the write row is its time")


def packages():
    """What tools/bench and tools/test would install."""
    wanted = {}
    with open(os.path.join(ROOT, "tools", "packages"), encoding="utf-8") as file:
        for line in file:
            use, _, name = line.strip().partition(" ")
            if use in _PURPOSES:
                wanted[name] = use
    try:
        done = subprocess.run(["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Package}\n",
                               *wanted], capture_output=True, text=True, check=False)
    except OSError:
        yield Finding("packages", "this is no Debian; tools/packages lists what it needs")
        return
    installed = {line.split()[1] for line in done.stdout.splitlines()
                 if line.startswith("installed ")}
    for use, purpose in _PURPOSES.items():
        missing = sorted(name for name in wanted if wanted[name] == use and name not in installed)
        if missing:
            yield Finding("packages", f"missing {purpose}: {', '.join(missing)}",
                          f"as root: apt-get install {' '.join(missing)}")


def servers():
    """Those of this machine that would answer, or take time."""
    names = {"postgres": "PostgreSQL", "mariadbd": "MariaDB", "mysqld": "MySQL"}
    for name, title in names.items():
        pids = [pid for pid in os.listdir("/proc") if pid.isdigit() and _is_server(pid, name)]
        if pids:
            yield Finding("servers", f"{len(pids)} of {title} run")
    for name, title in (("initdb", "PostgreSQL"), ("mariadbd", "MariaDB")):
        if programs.find_program(name) is None:
            yield Finding("servers", f"{title} is not installed; its column needs it, or a --target")


def _is_server(pid, name):
    """A process of that name that no other of that name started."""
    def fields(of):
        with open(f"/proc/{of}/stat", encoding="utf-8", errors="replace") as file:
            before, _, after = file.read().rpartition(")")
        return before.partition("(")[2], after.split()[1]
    try:
        own, parent = fields(pid)
        return own == name and (parent == "0" or fields(parent)[0] != name)
    except (OSError, IndexError):
        return False
