#!/usr/bin/python3
"""Runs a program on the engines that are configured; skipped visibly when none of them is.

usage: on_targets.py ENGINE[,ENGINE...] PROGRAM ARGUMENT...

TARGET in an argument becomes their targets, with a comma between. A server is that of
SHOPMARK_BENCH_POSTGRES or SHOPMARK_BENCH_MARIADB, or this checkout's private one, when it is up
(tools/shopmark engines up); SQLite is always there.
"""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
SERVERS = ("postgres", "mariadb")
SKIPPED = 77


def target_of(engine):
    """None where it is not configured."""
    if engine == "sqlite":
        return "sqlite:" + os.path.join(ROOT, "build", "store", "standard.sqlite")
    given = os.environ.get("SHOPMARK_BENCH_" + engine.upper())
    if given:
        return given
    done = subprocess.run([os.path.join(ROOT, "tools", "shopmark"), "engines", "dsn", engine],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def main(engines, *command):
    targets = {engine: target_of(engine) for engine in engines.split(",")}
    for engine, target in targets.items():
        if target is None:
            print(f"{engine} is not configured: tools/shopmark engines up {engine}, or "
                  f"SHOPMARK_BENCH_{engine.upper()}", flush=True)
    configured = ",".join(target for target in targets.values() if target is not None)
    if not configured:
        return SKIPPED
    return subprocess.run([part.replace("TARGET", configured) for part in command],
                          check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) < 3 or not set(sys.argv[1].split(",")) <= {"sqlite", *SERVERS}:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
