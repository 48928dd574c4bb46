"""The command line of `tools/shopmark export`."""

import argparse

from console import files
from export.formats import FORMATS
from report import table
from report.commands import complain_of


def add_commands(commands):
    parser = commands.add_parser(
        "export", help="a run in another program's format", allow_abbrev=False,
        description="Turns a run into what dashboards and CI services read. A case that failed\n"
                    "has no time: it is named on stderr, and the exit status is 1.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="formats:\n"
               "  github-action-benchmark  JSON for its tool customSmallerIsBetter, in ns\n"
               "  bencher                  Bencher Metric Format, in ns, with 95% intervals\n"
               "  openmetrics              text for Prometheus's textfile collector, in s\n"
               "  csv                      a line for each sample, in ns\n"
               "  junit                    XML, a test case for each query\n"
               "\n"
               "example:\n"
               "  tools/shopmark export build/report/store.json --format=bencher\n"
               "\n"
               "exit status: 0 the run is whole and right; 1 a case failed or the run was\n"
               "interrupted; 2 no report, one that contradicts itself, or it could not be read\n"
               "or written")
    parser.add_argument("file", metavar="FILE", help="JSON written by shopmark-bench")
    parser.add_argument("--format", choices=FORMATS, required=True, metavar="FORMAT",
                        help="one of those below")
    parser.add_argument("--output", metavar="FILE", help="write there instead of printing")
    parser.set_defaults(run=_export)


def _export(arguments):
    run = files.read_run(arguments.file)
    rows = table.build(run)
    files.write(FORMATS[arguments.format](run, rows), arguments.output, [arguments.file])
    return complain_of(run, rows, arguments)
