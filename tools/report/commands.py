"""The command lines of `tools/shopmark report` and `verify`."""

import argparse
import os
import sys

from baseline import stored
from compare.commands import CONFIDENCE, FLOOR
from console import files, packages
from console.errors import Failed, NotStarted
from history import record
from load import show as bundles
from report import render, table

_REFERENCE = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))),
                          "reference", "store_queries.csv")


def add_commands(commands):
    _add_report(commands)
    _add_verify(commands)


def _add_report(commands):
    parser = commands.add_parser(
        "report", help="print a run as a table", allow_abbrev=False,
        description="Prints the p95/median table of a run, a column for each target. Every\n"
                    "figure is computed again from the samples, and a file that says otherwise is\n"
                    "refused. A verdict that something is slower does not change the exit status:\n"
                    "shopmark compare is the gate.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="examples:\n"
               "  tools/shopmark report build/report/store.json\n"
               "  tools/shopmark report build/report/store.json --published\n"
               "  tools/shopmark report run.json --format=csv --output=run.csv\n"
               "  tools/shopmark report run.json --html --output=run.html\n"
               "\n"
               "exit status: 0 the run is whole and right; 1 a case failed or the run was\n"
               "interrupted; 2 no report, one that contradicts itself, or it could not be read\n"
               "or written")
    parser.add_argument("file", metavar="FILE",
                        help="JSON written by shopmark-bench, or the bundle of a load run")
    parser.add_argument("--format", choices=("text", "markdown", "csv"), default="text",
                        help="csv has a line for each repetition, times in ns, and 95%% confidence "
                             "intervals of median and p95 (default: text)")
    parser.add_argument("--html", dest="format", action="store_const", const="html",
                        help="one page for a browser, with figures, that needs no network")
    parser.add_argument("--history", metavar="FOLDER",
                        help="of --html: the runs that its lines are of (default: build/history, "
                             "where there are any)")
    parser.add_argument("--published", action="store_true",
                        help="also show the published figures of the same engine, and the change "
                             "against them")
    parser.add_argument("--baseline", metavar="FILE",
                        help="also give each case's verdict against this earlier run; 'stored' is "
                             "that of shopmark baseline set, when there is one")
    files.add_output(parser)
    parser.set_defaults(run=_report)


def _report(arguments):
    if bundles.is_bundle(arguments.file):
        return _report_bundle(arguments)
    run = files.read_run(arguments.file)
    published = table.Published.read(_REFERENCE) if arguments.published else None
    rows = table.build(run)
    inputs, baseline = [arguments.file], None
    if (path := _baseline_path(arguments.baseline)) is not None:
        inputs.append(path)
        baseline = packages.load("baseline.verdicts", "python3-scipy").against(
            files.read_run(path), run)

    if arguments.format == "html":
        content = _page(run, rows, baseline, arguments)
    elif arguments.format == "csv":
        content = render.csv_text(run, published, baseline)
    elif arguments.format == "markdown":
        content = render.markdown(run, rows, published, baseline)
    else:
        content = render.text(run, rows, published, arguments.width,
                              files.wants_colour(arguments.output), baseline)
    files.write(content, arguments.output, inputs)
    return _status(run, rows)


def _report_bundle(arguments):
    """The tables of a load run; the other formats are those of its summary.json."""
    if arguments.format != "text" or arguments.baseline or arguments.history:
        raise NotStarted(f"{arguments.file} is a bundle: give its summary.json for other formats")
    return bundles.show([arguments.file], arguments.published, arguments.width, arguments.output)


def _page(run, rows, baseline, arguments):
    if arguments.published:
        raise NotStarted("--html has no published figures: leave --published away")
    courses = []
    if recorded := record.read(arguments.history or record.FOLDER):
        course = packages.load("history.course", "python3-scipy")
        courses = [one for one in course.courses(recorded, floor=FLOOR, confidence=CONFIDENCE)
                   if one.is_like(run)]
    elif arguments.history:
        raise NotStarted(f"{arguments.history} holds no run")
    page = packages.load("page.page", "python3-jinja2", "python3-matplotlib")
    return page.html(run, rows, baseline, courses)


def _baseline_path(wanted):
    """None where none is wanted, or none is stored."""
    if wanted != "stored":
        return wanted
    return stored.FILE if os.path.exists(stored.FILE) else None


def _add_verify(commands):
    parser = commands.add_parser(
        "verify", help="compute a run's figures again", allow_abbrev=False,
        description="Computes every published figure of a run again from the samples in the file:\n"
                    "percentiles, means, rows, and what Google Benchmark says of repetitions. Of\n"
                    "the bundle of a load run, every figure from every request, and all sums.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example:\n"
               "  tools/shopmark verify build/report/store.json\n"
               "  tools/shopmark verify build/load/storefront-sqlite-20261202-180000\n"
               "\n"
               "exit status: 0 all follow, and the run is whole; 1 one does not, a case failed or\n"
               "the run was interrupted; 2 no report, or it could not be read")
    parser.add_argument("file", metavar="FILE",
                        help="JSON written by shopmark-bench, or the bundle of a load run")
    parser.set_defaults(run=_verify)


def _verify(arguments):
    if bundles.is_bundle(arguments.file):
        return bundles.verify_bundle(arguments.file, lambda line: print(
            f"shopmark verify: {render.plain(line)}", file=sys.stderr))
    # What does not follow is not read.
    run = files.read_run(arguments.file, wrong=Failed)
    samples = sum(len(entry.samples) for entry in run.entries)
    files.write(f"{len(run.entries)} entries: every figure follows from their {samples} samples\n",
                None, [])
    return complain_of(run, table.build(run), arguments)


def complain_of(run, rows, arguments):
    """Says what is missing of the run; the exit status."""
    lines = [f"{row.query}/{target} has no time: {error}" for row in rows.rows()
             for target, cell in row.cells.items() for error in cell.errors]
    if not run.complete:
        lines.append(f"{arguments.file}: the run was interrupted")
    for line in lines:
        print(f"shopmark {arguments.command}: {render.plain(line)}", file=sys.stderr)
    return _status(run, rows)


def _status(run, rows):
    return files.FAILED if rows.failed() or not run.complete else files.RIGHT
