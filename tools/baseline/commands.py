"""The command line of `tools/shopmark baseline`."""

import argparse
import os

from baseline import stored
from console import files
from console.errors import NotStarted
from report import render, table


def add_commands(commands):
    parser = commands.add_parser(
        "baseline", help="the run that later ones are compared with", allow_abbrev=False,
        description="Keeps a run, whole, as the baseline: ctest -L bench and tools/bench compare\n"
                    "theirs with it, and their table has a column of verdicts.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="examples:\n"
               "  tools/shopmark baseline set build/report/store.json\n"
               "  tools/shopmark baseline show\n"
               "  tools/shopmark report run.json --baseline=stored\n"
               "\n"
               "exit status: 0 done; 2 the file is no whole run, contradicts itself or cannot be\n"
               "read or written, or there is none to show")
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, run, text in (("set", _set, "copies a run there, once it is verified"),
                            ("show", _show, "says what the baseline is"),
                            ("clear", _clear, "removes it")):
        action = actions.add_parser(name, help=text, description=f"{text.capitalize()}.",
                                    allow_abbrev=False)
        if name == "set":
            action.add_argument("file", metavar="FILE", help="JSON written by shopmark-bench")
        action.add_argument("--baseline", metavar="FILE", default=stored.FILE,
                            help="where it is (default: build/report/baseline.json)")
        action.set_defaults(run=run)


def _set(arguments):
    run = stored.keep(arguments.file, arguments.baseline)
    return _describe(run, arguments.baseline)


def _show(arguments):
    if not os.path.exists(arguments.baseline):
        raise NotStarted(f"{arguments.baseline}: there is no baseline; tools/shopmark baseline set "
                         "FILE")
    return _describe(files.read_run(arguments.baseline), arguments.baseline)


def _clear(arguments):
    was = stored.remove(arguments.baseline)
    said = "removed" if was else "there was no baseline"
    files.write(f"{arguments.baseline}: {said}\n", None, [])
    return files.RIGHT


def _describe(run, path):
    rows = table.build(run)
    lines = [f"baseline  {path}"]
    lines += [f"{label:9} {fact}" for label, fact in render.head(run, rows)]
    failed = sum(bool(cell.errors) for row in rows.rows() for cell in row.cells.values())
    if failed:
        lines.append(f"failed    {failed} cases, which have no time to compare with")
    files.write("\n".join(lines) + "\n", None, [])
    return files.RIGHT
