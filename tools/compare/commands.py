"""The command line of `tools/shopmark compare`."""

import argparse

from compare import sides
from console import files, packages
from console.errors import NotStarted

# Of every comparison that does not say otherwise. With 95%, one of unchanged code in 20 would be
# allowed an alarm.
FLOOR, CONFIDENCE = 0.05, 0.99


def add_commands(commands):
    parser = commands.add_parser(
        "compare", help="is it faster or slower", allow_abbrev=False,
        description="Compares two runs, or two sides of several, and gives a verdict on each case.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="verdicts:\n"
               "  faster, slower    the interval of new/old does not hold 1\n"
               "  same              the interval lies within the floor\n"
               "  cannot tell       neither, and how many samples it would take\n"
               "  newly failing, newly passing, failing, only in old, only in new\n"
               "\n"
               "The interval is Welch's t on the logarithms of the medians of repetitions, each\n"
               "call relative to its parameter's median; one repetition has its error from its\n"
               "calls (Maritz and Jarrett, with SciPy). Intervals are widened for the number of\n"
               "cases (Bonferroni) and by --noise, what two runs of unchanged code differ by on\n"
               "this machine.\n"
               "\n"
               "Beneath a case stand the statements whose plan changed, and the engine's own\n"
               "count of work where it did: exact, so that it shows what the clock does not.\n"
               "\n"
               "examples:\n"
               "  tools/shopmark compare before.json after.json\n"
               "  tools/shopmark compare b1.json b2.json b3.json --new a1.json a2.json a3.json\n"
               "\n"
               "exit status: 0 nothing worse; 1 something slower, newly failing or, with\n"
               "--work=fail, more work; 2 the files cannot be read or compared")
    parser.add_argument("old", nargs="+", metavar="OLD",
                        help="JSON written by shopmark-bench; several count as repetitions. "
                             "Without --new, OLD and NEW")
    parser.add_argument("--new", nargs="+", metavar="FILE", help="the new side's files")
    parser.add_argument("--floor", type=share, default=FLOOR, metavar="PERCENT",
                        help="what is too small to matter (default: 5%%)")
    parser.add_argument("--confidence", type=share, default=CONFIDENCE, metavar="PERCENT",
                        help="of the whole table (default: 99%%)")
    parser.add_argument("--noise", type=share, default=None, metavar="PERCENT",
                        help="standard deviation between runs of unchanged code (default: what aa "
                             "measured on this machine, else 5%%)")
    parser.add_argument("--work", choices=("show", "fail"), default="show",
                        help="whether a statement that makes its engine do more work counts as "
                             "worse, whatever the clock says (default: show)")
    parser.add_argument("--force", action="store_true",
                        help="compare runs that differ in more than what is measured")
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    files.add_output(parser)
    parser.set_defaults(run=_compare)


def measured_noise(run):
    """What `shopmark aa` measured of a run's machine and engines, by target and query."""
    known = packages.load("compare.noise", "python3-scipy").load()
    return (lambda target, query: known.of(run, target, query)) if known else None


def share(text):
    """A share from a percentage."""
    try:
        share = float(text.removesuffix("%")) / 100
    except ValueError:
        share = -1
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a percentage above 0 and below 100")
    return share


def _compare(arguments):
    comparison = packages.load("compare.comparison", "python3-scipy")
    render = packages.load("compare.render", "python3-scipy")
    old, new = arguments.old, arguments.new
    if new is None:
        if len(old) != 2:
            raise NotStarted("without --new there must be two files: OLD and NEW")
        old, new = old[:1], old[1:]
    old_runs, new_runs = ([files.read_run(path) for path in paths] for paths in (old, new))
    differences = sides.differences([*old_runs, *new_runs])
    if differences and not arguments.force:
        raise NotStarted("not comparable (--force compares all the same): "
                         + "; ".join(differences))
    compared = comparison.compare(old_runs, new_runs, floor=arguments.floor,
                                  confidence=arguments.confidence, noise=arguments.noise,
                                  noise_of=measured_noise(new_runs[0]),
                                  more_work_fails=arguments.work == "fail")
    files.write(render.as_asked(compared, arguments), arguments.output, [*old, *new])
    return files.FAILED if compared.worse() else files.RIGHT
