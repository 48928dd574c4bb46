#!/usr/bin/python3
"""Runs a benchmark of our own cost on the server that the environment names; without one, is skipped
visibly.

usage: on_server.py ENGINE BENCHMARK [SHOPMARK_SEED]

With the seeder, the server's database is seeded first.
"""

import os
import subprocess
import sys

VARIABLES = {"postgres": "SHOPMARK_TEST_POSTGRES", "mariadb": "SHOPMARK_TEST_MARIADB"}
SKIPPED = 77


def main(engine, benchmark, seeder=None):
    variable = VARIABLES[engine]
    target = os.environ.get(variable)
    if target is None:
        print(f"no server: {variable} is not set; tools/shopmark engines dsn prints it")
        return SKIPPED
    if seeder is not None:
        # A store that is there already is left as it is.
        seeded = subprocess.run([seeder, f"--target={target}", "--profile=standard"], check=False)
        if seeded.returncode != 0:
            return seeded.returncode
    return subprocess.run([benchmark, f"--target={target}"], check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in VARIABLES:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
