"""The command line of `tools/shopmark load`."""

import argparse
import os
import sys
import time

from console import files
from console.errors import NotStarted
from console.places import ROOT
from load import programs, run, show, tables, targets, verify
from report.render import plain

FOLDER = os.path.join(ROOT, "build", "load")


def add_commands(commands):
    parser = commands.add_parser(
        "load", help="measure the store behind a server", allow_abbrev=False,
        description="Starts shopmark-server on a free port of the loopback, runs shopmark-load\n"
                    "against it, compares the orders in the store with those that were\n"
                    "acknowledged, stops the server, undoes what shoppers wrote, and prints the\n"
                    "tables. Several targets are measured one after another.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Each run leaves a bundle, a folder with every request's times, the figures, the\n"
               "use of CPU and memory, logs and sums: tools/shopmark verify BUNDLE computes all\n"
               "of it again.\n"
               "\n"
               "examples:\n"
               "  tools/shopmark load storefront\n"
               "  tools/shopmark load capacity --target=sqlite:build/store/standard.sqlite \\\n"
               "      --target=\"$(tools/shopmark engines dsn postgres)\" --published\n"
               "  tools/shopmark load capacity --routes=product_page\n"
               "  tools/shopmark load --show build/load/storefront-*\n"
               "\n"
               "exit status: 0 all right; 1 a request, a limit or a check failed, or it was\n"
               "interrupted; 2 could not start")
    parser.add_argument("scenario", metavar="SCENARIO", nargs="?",
                        help="a file, or one of bench/scenarios: storefront, mcp, capacity, slo, "
                             "each also as NAME_short")
    parser.add_argument("--target", metavar="DSN", action="append",
                        help="[NAME=]DSN of a seeded store; may be given again (default: "
                             "$SHOPMARK_TARGET, or sqlite:build/store/standard.sqlite)")
    parser.add_argument("--show", metavar="BUNDLE", nargs="+",
                        help="measure nothing; print the tables of these bundles")
    parser.add_argument("--output", metavar="FOLDER",
                        help="the bundle, which must not exist yet; of several targets, the folder "
                             "of their bundles (default: build/load/SCENARIO-TARGET-DATE)")
    parser.add_argument("--profile", choices=("smoke", "standard", "million"), default="standard",
                        help="of the store (default: standard)")
    parser.add_argument("--workers", metavar="COUNT", type=_count,
                        help="of the server (default: the server's)")
    parser.add_argument("--routes", metavar="NAME,...",
                        help="only these routes of the scenario, and the sessions that hold one")
    parser.add_argument("--keep", action="store_true",
                        help="leave the orders and carts that the run wrote in the store")
    parser.add_argument("--published", action="store_true",
                        help="also show the published figures of the same engine")
    parser.add_argument("--programs", metavar="FOLDER", default=programs.FOLDER,
                        help="where shopmark-server, -load and -seed are (default: "
                             "build/release/bin)")
    files.add_width(parser)
    parser.set_defaults(run=_run)


def _scenario(name):
    """The file of a scenario of this checkout; other texts as they are."""
    path = os.path.join(ROOT, "bench", "scenarios", f"{name}.json")
    return path if "/" not in name and os.path.isfile(path) else name


def _count(text):
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 10000")
    return int(text)


def _run(arguments):
    if (arguments.show is None) == (arguments.scenario is None):
        raise NotStarted("either a SCENARIO or --show=BUNDLE")
    if arguments.routes == "":
        raise NotStarted("--routes: names no route")
    if arguments.show is not None:
        return show.show(arguments.show, arguments.published, arguments.width)
    chosen = targets.parse(arguments.target or
                           [os.environ.get("SHOPMARK_TARGET") or targets.DEFAULT])
    ours = programs.Programs(arguments.programs)
    for name in ("shopmark-server", "shopmark-load", "shopmark-seed"):
        ours.path(name)
    settings = run.Settings(_scenario(arguments.scenario), arguments.profile, arguments.keep,
                            arguments.workers, arguments.routes)
    folders = _folders(arguments, chosen)
    ours.check_scenario(settings)
    files.make_folder(FOLDER, "build/load")
    _held = [targets.lock(target, FOLDER) for target in chosen]
    for target in chosen:
        run.require_store(ours, target, arguments.profile, _say)
    outcomes = []
    for target, folder in zip(chosen, folders):
        outcomes.append(run.Run(ours, settings, target, folder, _say).measure())
        if outcomes[-1].interrupted:
            break
    measured = [outcome for outcome in outcomes if outcome.started]
    for outcome in measured:
        if not outcome.interrupted:
            _check_bundle(outcome)
    if measured:
        _print_tables(measured, arguments)
    if not measured:
        return files.FAILED if any(one.interrupted for one in outcomes) else files.NOT_STARTED
    return files.FAILED if any(one.problems for one in outcomes) else files.RIGHT


def _folders(arguments, chosen):
    """A bundle's folder for each target, none of which exists."""
    scenario = os.path.basename(arguments.scenario).removesuffix(".json")
    date = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    if arguments.output is None:
        folders = [os.path.join(FOLDER, f"{scenario}-{target.name}-{date}") for target in chosen]
    elif len(chosen) == 1:
        folders = [arguments.output]
    else:
        folders = [os.path.join(arguments.output, target.name) for target in chosen]
    for folder in folders:
        if os.path.lexists(folder):
            raise NotStarted(f"--output: {folder} exists already")
        # Where it cannot be made, that is known before anything is started.
        files.make_folder(folder, "--output")
        os.rmdir(folder)
    return folders


def _check_bundle(outcome):
    """What `verify` would say of it."""
    found = verify.verify(outcome.bundle).problems
    for problem in found[:verify.MOST_SHOWN]:
        _say(f"{outcome.target.name}: {problem}")
    outcome.problems += found


def _print_tables(measured, arguments):
    readable = []
    for outcome in measured:
        try:
            readable.append(tables.read(outcome.bundle))
        except NotStarted as error:
            _say(f"{outcome.target.name}: {error}")
            outcome.problems.append(str(error))
        else:
            _say(f"{outcome.target.name}: bundle {os.path.relpath(outcome.bundle)}")
    if readable:
        files.write(show.text(readable, arguments.published, arguments.width),
                    None, [])


def _say(line):
    print(f"shopmark load: {plain(line)}", file=sys.stderr, flush=True)
