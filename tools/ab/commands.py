"""The command line of `tools/shopmark ab`."""

import argparse
import signal
import sys
import tempfile

from ab import variants
from compare import commands as compare_commands
from console import files, packages
from console.errors import NotStarted

CONFIDENCE = 0.95
_SECONDS = 30


def add_commands(commands):
    parser = commands.add_parser(
        "ab", help="two variants measured in turns", allow_abbrev=False,
        description="Measures two variants of the statements in turns, until it is clear which is\n"
                    "faster. Without arguments, the last commit's schema/queries against the\n"
                    "working tree's.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="A round is a fresh shopmark-bench in which both sides take turns, so that what\n"
               "drifts on the machine hits both alike; which goes first changes from round to\n"
               "round. Sides of one target and one program share a connection, so that the same\n"
               "process of a server does the work of both. Each round gives one difference of\n"
               "the logarithms of the medians, every call relative to its parameter's median.\n"
               "The interval is Student's t over the rounds.\n"
               "It is looked at after 4, 6, 10, 16, 24 and 30 rounds, and a case is settled when\n"
               "it is clear; the error allowed is shared out among the looks and the cases\n"
               "(Bonferroni), so that stopping early makes no more false alarms. Verdicts, exit\n"
               "status, and what is shown of changed plans and work, are those of compare; a\n"
               "side whose answers are wrong, or are not the other's, is failing.\n"
               "\n"
               "examples:\n"
               "  tools/shopmark ab --filter=order_detail\n"
               "  tools/shopmark ab --queries=my/queries\n"
               "  tools/shopmark ab --statement=customer_by_email --file=new.sql\n"
               "  tools/shopmark ab --revisions=v1..HEAD --target=postgres://shop@db/shop\n"
               "  tools/shopmark ab --targets=postgres://a/shop,postgres://b/shop\n"
               "  tools/shopmark ab --builds=/old/shopmark-bench,/new/shopmark-bench\n"
               "\n"
               "exit status: 0 nothing worse; 1 something slower or newly failing; 2 could not\n"
               "start")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--queries", metavar="DIR", help="the new side's folder of statements")
    what.add_argument("--statement", metavar="NAME", help="one statement, against --file")
    what.add_argument("--revisions", metavar="OLD..NEW", help="of schema/queries")
    parser.add_argument("--file", metavar="FILE", help="the new text of --statement")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--target", metavar="DSN", help="of both sides (default: $SHOPMARK_TARGET, "
                                                       "or build/store/standard.sqlite)")
    where.add_argument("--targets", metavar="OLD,NEW", help="two of them")
    parser.add_argument("--builds", metavar="OLD,NEW", help="two shopmark-bench programs")
    parser.add_argument("--filter", metavar="REGEX",
                        help="of the cases' names (default: those that run a changed statement, or "
                             "all)")
    add_limits(parser)
    parser.add_argument("--oracle", type=_truth, default=True, metavar="BOOL",
                        help="false: for a store that holds other rows; answers are compared with "
                             "each other only")
    parser.add_argument("--output-runs", metavar="DIR", help="keep every round's JSON there")
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    files.add_output(parser)
    parser.set_defaults(run=_ab)


def add_limits(parser, confidence=CONFIDENCE, told="95%%"):
    """What decides when a case is settled; the default confidence, and how help tells of it."""
    parser.add_argument("--floor", type=compare_commands.share, default=compare_commands.FLOOR,
                        metavar="PERCENT", help="what is too small to matter (default: 5%%)")
    parser.add_argument("--confidence", type=compare_commands.share, metavar="PERCENT",
                        default=confidence, help=f"of all cases (default: {told})")
    parser.add_argument("--rounds", type=_rounds, default=30, metavar="N",
                        help="at most, of each case (default: 30)")
    parser.add_argument("--time", type=_seconds, default=_SECONDS, metavar="SECONDS",
                        help=f"at most, of each case (default: {_SECONDS})")


def _truth(text):
    if text not in ("true", "false"):
        raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")
    return text == "true"


def _rounds(text):
    if not text.isascii() or not text.isdigit() or not 4 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 4 to 1000")
    return int(text) + int(text) % 2


def _seconds(text):
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= 86_400:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds up to 86400")
    return seconds


def _ab(arguments):
    render = packages.load("compare.render", "python3-scipy")
    with tempfile.TemporaryDirectory(prefix="shopmark-ab-") as scratch:
        sides, told = variants.sides(arguments, scratch)
        compared = run(sides, told, arguments, arguments.output_runs or scratch)
    files.write(render.as_asked(compared, arguments), arguments.output, [])
    return files.FAILED if compared.worse() else files.RIGHT


def run(sides, told, arguments, folder):
    """The Comparison of two sides; Ctrl-C gives the verdicts so far."""
    comparison = packages.load("compare.comparison", "python3-scipy")
    experiment = packages.load("ab.experiment", "python3-scipy")
    rounds = packages.load("ab.rounds", "python3-scipy")
    files.make_folder(folder, "--output-runs")
    bench = rounds.Bench(sides, folder, arguments.oracle)
    limits = experiment.Limits(arguments.floor, arguments.confidence, arguments.rounds,
                               arguments.time)
    made = experiment.Experiment(bench, bench.cases(arguments.filter), limits, _progress())
    stopped = False
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        # Where only statements differ, and nobody named the cases.
        only_statements = not (arguments.filter or arguments.targets) and (
            sides[0].program == sides[1].program)
        made.run(variants.changed_statements(sides[0].queries, sides[1].queries)
                 if only_statements else frozenset())
    except KeyboardInterrupt:
        stopped = True
    finally:
        signal.signal(signal.SIGINT, previous)
        _clear_progress()
    target = " / ".join(dict.fromkeys(side.engine() for side in sides))
    judged = made.judged(target)
    if not judged:
        raise NotStarted("interrupted before anything was measured")
    equal = [one.rows_equal for _, one in judged]
    note = told[:1].upper() + told[1:] + ". " + (
        "The rows are equal in every case." if all(equal) else
        f"The rows are equal in {sum(one is True for one in equal)} of {len(equal)} cases.")
    if stopped:
        note += " Interrupted: these are the verdicts so far."
    return comparison.Comparison(judged, arguments.floor, arguments.confidence, 0.0, [],
                                 changes={} if "/" in target else
                                 {(target, case.query): case.change()
                                  for case in made.cases if case.first is not None},
                                 method=_method(arguments, len(made.looks)), note=note)


def _method(arguments, looks):
    return (f"All intervals of new/old hold together with {arguments.confidence:.0%} confidence "
            f"(Student's t over rounds in which both take turns, Bonferroni for cases and {looks} "
            f"looks). same: the interval lies within {arguments.floor:.0%}; faster, slower: it "
            "does not hold 1.")


def _progress():
    if not sys.stderr.isatty():
        return lambda case, count: None

    def tell(case, count):
        print(f"\r\x1b[K{case.query}: round {count + 1}", end="", file=sys.stderr, flush=True)
    return tell


def _clear_progress():
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
