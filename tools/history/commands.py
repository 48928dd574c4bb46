"""The command line of `tools/shopmark history`."""

import argparse
import os

from compare.commands import CONFIDENCE, FLOOR, share
from console import files, packages
from console.errors import NotStarted
from history import record


def add_commands(commands):
    parser = commands.add_parser(
        "history", help="how each query's time went", allow_abbrev=False,
        description="Shows how the median of each query went over the runs that were added, and\n"
                    "where it stepped to another level. Runs of another host, build, engine,\n"
                    "version, setting or data have courses of their own. Runs that failed or were\n"
                    "interrupted stay in the record.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="A step is a level that holds for three runs or more, differs by more than\n"
               "--floor, and more surely than --confidence of the whole history (circular binary\n"
               "segmentation, Olshen and others 2004, with Bonferroni for the number of places).\n"
               "\n"
               "examples:\n"
               "  tools/shopmark history add build/report/store.json\n"
               "  tools/shopmark history\n"
               "  tools/shopmark history --query=catalog_search --target=sqlite\n"
               "\n"
               "exit status: 0 shown, or added; 2 a file is no report, contradicts itself or\n"
               "cannot be read or written, or there is none")
    # Not in the parser of `add` too: its default would take the place of what stands before `add`.
    folder = {"metavar": "FOLDER", "help": "where the runs are (default: build/history)"}
    parser.add_argument("--history", default=record.FOLDER, **folder)
    parser.add_argument("--target", metavar="NAME", help="only this target's")
    parser.add_argument("--query", metavar="NAME", help="only this query's, run by run")
    parser.add_argument("--floor", type=share, default=FLOOR, metavar="PERCENT",
                        help="what is too small to be a step (default: 5%%)")
    parser.add_argument("--confidence", type=share, default=CONFIDENCE, metavar="PERCENT",
                        help="that nothing is marked where nothing changed (default: 99%%)")
    parser.add_argument("--noise", type=share, default=None, metavar="PERCENT",
                        help="standard deviation between runs of unchanged code (default: what aa "
                             "measured on this machine, else 5%%)")
    parser.add_argument("--format", choices=("text", "csv", "json"), default="text")
    files.add_output(parser)
    parser.set_defaults(run=_show)
    actions = parser.add_subparsers(metavar="add FILE", title="actions")
    add = actions.add_parser("add", help="add runs to the history", allow_abbrev=False,
                             description="Adds runs to the history. One that is there is not "
                                         "added again.")
    add.add_argument("file", nargs="+", metavar="FILE", help="JSON written by shopmark-bench")
    add.add_argument("--history", default=argparse.SUPPRESS, **folder)
    add.set_defaults(run=_add)


def _add(arguments):
    for path in arguments.file:
        name = record.add(path, arguments.history)
        files.write(f"{path}: added as {name}\n" if name else
                    f"{path}: is in the history already; not added again\n", None, [])
    return files.RIGHT


def _show(arguments):
    course = packages.load("history.course", "python3-scipy")
    render = packages.load("history.render", "python3-scipy")
    recorded = record.read(arguments.history)
    if not recorded:
        raise NotStarted(f"{arguments.history} holds no run yet; tools/shopmark history add FILE")
    # Found among all, so that what is marked does not depend on what is shown.
    courses = course.courses(recorded, floor=arguments.floor, confidence=arguments.confidence,
                             noise=arguments.noise)
    for name in ("target", "query"):
        wanted = getattr(arguments, name)
        known = list(dict.fromkeys(getattr(one, name) for one in courses))
        if wanted is not None and wanted not in known:
            raise NotStarted(f"--{name}={wanted} is not in the history; there are "
                             + ", ".join(known))
        courses = [one for one in courses if wanted in (None, getattr(one, name))]
    if arguments.format == "json":
        content = render.as_json(courses, recorded)
    elif arguments.format == "csv":
        content = render.csv_text(courses)
    elif arguments.query:
        content = render.details(courses, recorded, arguments.width)
    else:
        content = render.overview(courses, recorded, arguments.width)
    files.write(content, arguments.output,
                [os.path.join(arguments.history, one.name) for one in recorded])
    return files.RIGHT
