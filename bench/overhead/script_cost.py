#!/usr/bin/python3
"""How long tools/shopmark takes for a table of 54 cases: 18 queries on three engines, of 25 and of
200 samples each. Exits 1 when a bar is missed.

usage: script_cost.py
"""

import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SCRIPT = os.path.join(ROOT, "tools", "shopmark")
ENGINES = ("sqlite", "mariadb", "postgres")
QUERIES = 18
SAMPLES = (25, 200)
RUNS = 5  # of each command, of which the median counts

# Command, its arguments, the seconds that it may take, and the statuses that are right: compare
# finds that something is slower, or not.
COMMANDS = (("report", ("new.json",), 1.0, (0,)),
            ("compare", ("old.json", "new.json"), 3.0, (0, 1)),
            ("report --baseline", ("new.json", "--baseline=old.json"), 3.0, (0,)))


def run_of(samples, seed):
    """What shopmark-bench writes: from 10 µs to 100 ms a call, with a tail."""
    source = random.Random(seed)
    entries = []
    for engine in ENGINES:
        for number in range(QUERIES):
            median_ns = 10_000 * 10_000 ** (number / (QUERIES - 1))
            times = [round(median_ns * math.exp(source.gauss(0, 0.2))) for _ in range(samples)]
            entries.append(entry(f"query_{number}", engine, times))
    targets = {engine: {"engine": engine, "version": "1", "profile": "standard",
                        "data_digest": "0" * 32, "transport": "unix socket",
                        "isolation": "serializable", "durability": "durable", "settings": {}}
               for engine in ENGINES}
    return {"context": {"date": "2026-01-01T00:00:00+00:00", "host_name": "here", "num_cpus": 2,
                        "shopmark": {"format": 1, "build_type": "Release", "warmup": 5,
                                     "complete": True, "targets": targets}},
            "benchmarks": entries}


def entry(query, engine, times):
    ordered = sorted(times)
    made = {"name": f"{query}/{engine}", "run_type": "iteration", "query": query,
            "title": query.replace("_", " "), "target": engine, "engine": engine,
            "iterations": len(times), "real_time": sum(times) / len(times) / 1e6,
            "cpu_time": 1.0, "time_unit": "ms", "rows": 24, "parameter_rows": [24] * 5,
            "samples": times}
    for percent in (50, 95) + (99,) * (len(times) >= 100):
        made[f"p{percent}"] = ordered[-(-percent * len(times) // 100) - 1]
    return made


def seconds_of(command, folder, statuses):
    """Of each run. Ends the program where one goes wrong."""
    taken = []
    for _ in range(RUNS):
        begun = time.monotonic()
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        taken.append(time.monotonic() - begun)
        if done.returncode not in statuses or done.stderr or not done.stdout:
            sys.exit(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr}")
    return taken


def main():
    missed = False
    print(f"{'54 cases, samples each':24}{'command':20}{'median s':>10}{'most s':>10}{'bar':>7}")
    for samples in SAMPLES:
        with tempfile.TemporaryDirectory() as folder:
            for name, seed in (("old.json", 1), ("new.json", 2)):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    json.dump(run_of(samples, seed), file)
            for name, arguments, bar, statuses in COMMANDS:
                taken = seconds_of([SCRIPT, name.split()[0], *arguments], folder, statuses)
                median = statistics.median(taken)
                missed |= median > bar
                print(f"{samples:<24}{name:20}{median:10.2f}{max(taken):10.2f}{bar:7.1f}"
                      + ("  MISSED" if median > bar else ""), flush=True)
    return int(missed)


if __name__ == "__main__":
    if len(sys.argv) != 1:
        sys.exit(__doc__)
    sys.exit(main())
