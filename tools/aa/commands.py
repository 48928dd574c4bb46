"""The command line of `tools/shopmark aa`."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

from ab import commands as ab_commands
from ab import variants
from compare import sides
from compare.commands import CONFIDENCE
from console import files, packages
from console.errors import Failed, NotStarted
from report.render import plain


def add_commands(commands):
    parser = commands.add_parser(
        "aa", help="this machine's own noise", allow_abbrev=False,
        description="Runs the suite against itself, and says by how much runs of unchanged code\n"
                    "differ on this machine, and how often compare calls that faster or slower.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Two runs make a table. Each table is judged with the noise that the runs of the\n"
               "other tables showed: the standard deviation between the logarithms of their\n"
               "medians, of which the upper 95% bound counts. What all runs showed is written to\n"
               "build/report/noise.json, where compare takes it from on the same machine.\n"
               "With --ab every table is a run of ab of the statements against themselves.\n"
               "With --runs it goes on where it was stopped, and judges again what is there.\n"
               "\n"
               "examples:\n"
               "  tools/shopmark aa --tables=20\n"
               "  tools/shopmark aa --target=sqlite:a.sqlite,postgres://shop@db/shop\n"
               "  tools/shopmark aa --ab --tables=5 --filter=order_detail\n"
               "\n"
               "exit status: 0 at most one table in 20 has a false alarm; 1 more have, or a run\n"
               "failed; 2 could not start")
    parser.add_argument("--tables", type=_tables, default=20, metavar="N",
                        help="of two runs each (default: 20)")
    parser.add_argument("--target", metavar="DSN[,DSN]", help="default: $SHOPMARK_TARGET, or "
                                                              "build/store/standard.sqlite")
    parser.add_argument("--filter", metavar="REGEX", help="of the cases' names (default: all)")
    parser.add_argument("--samples", type=_samples, default=25, metavar="N",
                        help="of each case in a run (default: 25)")
    parser.add_argument("--ab", action="store_true", help="tables of ab instead of compare")
    parser.add_argument("--program", default=variants.PROGRAM, metavar="FILE",
                        help="default: this checkout's shopmark-bench")
    parser.add_argument("--runs", metavar="DIR", help="keep the runs there; those that are there "
                                                      "already are not measured again")
    ab_commands.add_limits(parser, None, "99%%, of ab 95%%")
    parser.add_argument("--noise-file", metavar="FILE", help="default: build/report/noise.json")
    parser.set_defaults(run=_aa)


def _tables(text):
    if not text.isascii() or not text.isdigit() or not 3 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 3 to 1000")
    return int(text)


def _samples(text):
    if not text.isascii() or not text.isdigit() or not 5 <= int(text) <= 100_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 5 to 100000")
    return int(text)


def _aa(arguments):
    if not os.access(arguments.program, os.X_OK) or os.path.isdir(arguments.program):
        raise NotStarted(f"{arguments.program}: no such program; cmake --build --preset release "
                         "makes it")
    if arguments.confidence is None:
        arguments.confidence = ab_commands.CONFIDENCE if arguments.ab else CONFIDENCE
    target = arguments.target or os.environ.get("SHOPMARK_TARGET") or variants.TARGET
    with tempfile.TemporaryDirectory(prefix="shopmark-aa-") as scratch:
        named = (_tables_of_ab if arguments.ab else _tables_of_compare)(arguments, target, scratch)
    failing = 0
    for number, alarms in enumerate(named, 1):
        failing += bool(alarms)
        if alarms:
            print(f"table {number}: {', '.join(alarms)}")
    print(f"{failing} of {len(named)} tables have a false alarm; at most "
          f"{max(1, len(named) // 20)} may")
    return files.FAILED if failing > max(1, len(named) // 20) else files.RIGHT


def _tables_of_ab(arguments, target, scratch):
    """Of each table the cases that were called faster or slower."""
    if "," in target:
        raise NotStarted("--ab takes one --target")
    verdict = packages.load("compare.verdict", "python3-scipy")
    arguments.targets, arguments.oracle = None, True
    side = variants.Side(target, variants.QUERIES, arguments.program)
    _say(f"{arguments.tables} tables, which take at most "
         f"{arguments.tables * arguments.time / 60:.0f} minutes for each case")
    named = []
    for number in range(arguments.tables):
        _say(f"table {number + 1} of {arguments.tables}")
        compared = ab_commands.run([side, side], "the same on both sides", arguments,
                                   os.path.join(scratch, str(number)))
        named.append([pair.query for pair, one in compared.judged
                      if one.verdict in (verdict.FASTER, verdict.SLOWER)])
    return named


def _tables_of_compare(arguments, target, scratch):
    tables = packages.load("aa.tables", "python3-scipy")
    folder = arguments.runs or scratch
    files.make_folder(folder, "--runs")
    paths = [os.path.join(folder, f"{number:02}.json") for number in range(2 * arguments.tables)]
    missing = [path for path in paths if not os.path.exists(path)]
    for path in missing:
        started = time.monotonic()
        _measure(arguments, target, path)
        if path == missing[0]:
            minutes = len(missing) * (time.monotonic() - started) / 60
            _say(f"{len(missing)} runs, which take about {minutes:.0f} minutes")
    runs = [files.read_run(path) for path in paths]
    if differences := sides.differences(runs):
        raise NotStarted(f"{folder}: runs that are not comparable: " + "; ".join(differences))
    noises = tables.case_noises(runs)
    _write(arguments.noise_file, runs[0], noises)
    print(f"{'':42}  noise  bound  drift")
    for one in noises:
        print(f"{plain(one.title)[:30]:30}  {plain(one.target)[:10]:10} {one.deviation:6.1%} "
              f"{one.noise:6.1%} {one.drift:+6.1%}")
    print("\nnoise: standard deviation between the medians of runs; bound: what it does not\n"
          "exceed with 95% confidence, which compare takes; drift: from first run to last.\n")
    return [tables.alarms(table) for table in tables.judged_tables(
        runs, floor=arguments.floor, confidence=arguments.confidence)]


def _measure(arguments, target, path):
    """A run that failed or was stopped is not there."""
    made = path + ".part"
    command = [arguments.program, f"--samples={arguments.samples}", "--plans=false",
               f"--benchmark_out={made}", "--benchmark_format=csv"]
    if arguments.filter:
        command.append(f"--benchmark_filter={arguments.filter}")
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                          env=os.environ | {"SHOPMARK_TARGET": target})
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if line.startswith("shopmark-bench:")]
        problem = (said or [f"shopmark-bench: status {done.returncode}"])[0]
        raise NotStarted(problem) if done.returncode == 2 else Failed(problem)
    os.replace(made, path)


def _write(path, run, noises):
    noise = packages.load("compare.noise", "python3-scipy")
    path = path or noise.FILE
    host, cpus = noise.host_of(run)
    made = {"format": noise.FORMAT, "date": run.facts.get("date", ""), "host_name": host,
            "num_cpus": cpus,
            "cases": [{"engine": run.targets[one.target].engine,
                       "version": run.targets[one.target].version, "target": one.target,
                       "query": one.query, "runs": one.runs, "deviation": one.deviation,
                       "noise": one.noise, "drift": one.drift} for one in noises]}
    try:
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(made, file, indent=1)
            file.write("\n")
    except OSError as error:
        raise NotStarted(f"{path}: {error.strerror}") from None


def _say(text):
    print(text, file=sys.stderr, flush=True)
