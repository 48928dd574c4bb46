#!/usr/bin/python3
"""Whether `shopmark ab` sees what it must: statements slowed by 10% and by 5%, again and again.

  cmake --preset power && cmake --build --preset power
  bench/power/power.py
  bench/power/power.py --target=postgres://... --queries=catalog_search --tries=5

Every statement of a copy of schema/queries asks for a busy wait (fixtures/engine/busy_wait.h), which
the build of preset `power` gives it, so the case is slowed by that share but for what it does
outside of its statements; the median of the ratios that ab gives says how far that is true.

Exit status: 0 every bar is reached; 1 one is missed; 2 it could not start.
"""

import argparse
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SCRIPT = os.path.join(ROOT, "tools", "shopmark")
PROGRAM = os.path.join(ROOT, "build", "power", "bin", "shopmark-bench")

# Of 0.1 ms and more on SQLite.
QUERIES = ("product_page_by_slug", "cart_pricing_5_lines", "catalog_search",
           "catalog_listing_deep_page")
# By how many percent, and which share of the tries must say so.
BARS = ((10, 19 / 20), (5, 15 / 20))
SECONDS = 30
# ab may end the round in which its time runs out.
GRACE = 3

_HEAD = re.compile(r"^(-- name: .*)$", re.MULTILINE)


def slowed(text, percent):
    return _HEAD.sub(rf"\1\n/* busy_wait {percent}% */", text)


def slowed_queries(percent, into):
    shutil.copytree(os.path.join(ROOT, "schema", "queries"), into)
    for name in os.listdir(into):
        path = os.path.join(into, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(slowed(text, percent))
    return into


def one_try(query, queries, target):
    """The case as ab's JSON has it, and the seconds that it took."""
    command = [SCRIPT, "ab", f"--builds={PROGRAM},{PROGRAM}", f"--queries={queries}",
               f"--filter=^{query}/", f"--time={SECONDS - GRACE}", "--format=json"]
    environment = os.environ | ({"SHOPMARK_TARGET": target} if target else {})
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    seconds = time.monotonic() - started
    if done.returncode not in (0, 1) or not done.stdout:
        print(f"power.py: {done.stderr.strip() or 'ab gave nothing'}", file=sys.stderr)
        sys.exit(2)
    case, = json.loads(done.stdout)["cases"]
    return case, seconds


def row(query, percent, share, tries):
    """A line of the table, and whether the bar is reached: of (case, seconds)."""
    found = sum(case["verdict"] == "slower" for case, _ in tries)
    wanted = math.ceil(share * len(tries) - 1e-9)
    seconds = [one for _, one in tries]
    ratios = [case["ratio"] for case, _ in tries if case["ratio"] is not None]
    good = found >= wanted and max(seconds) <= SECONDS
    return (f"{query:27} {percent:3}% {statistics.median(ratios or [math.nan]):9.3f} "
            f"{found:3} of {len(tries):<3} {wanted:4} {statistics.median(seconds):6.1f} "
            f"{max(seconds):6.1f}  {'' if good else 'MISSED'}").rstrip(), good


def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", help="DSN (default: as ab)")
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--queries", default=",".join(QUERIES), help="names, a comma between")
    arguments = parser.parse_args()
    if arguments.tries < 1:
        parser.error("--tries must be at least 1")
    if not os.access(PROGRAM, os.X_OK):
        parser.error(f"{PROGRAM}: no such program; cmake --preset power && cmake --build --preset "
                     "power")
    queries = arguments.queries.split(",")
    print(f"{'query':27} {'by':>4} {'new/old':>9} {'slower':>9} {'bar':>4} {'s':>6} {'most s':>6}")
    good = True
    with tempfile.TemporaryDirectory(prefix="shopmark-power-") as scratch:
        for percent, share in BARS:
            folder = slowed_queries(percent, os.path.join(scratch, str(percent)))
            for query in queries:
                tries = [one_try(query, folder, arguments.target) for _ in range(arguments.tries)]
                line, reached = row(query, percent, share, tries)
                print(line, flush=True)
                good = good and reached
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
