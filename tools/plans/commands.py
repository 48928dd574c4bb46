"""The command line of `tools/shopmark plans`."""

import argparse

from console import files
from console.errors import NotStarted
from plans import render


def add_commands(commands):
    parser = commands.add_parser(
        "plans", help="the plans of a run's statements", allow_abbrev=False,
        description="Shows how the engines ran each statement of a case: the plans, as they were "
                    "with the parameters' own values, and the engine's own count of its work, of "
                    "every parameter called once. Values stand as ? in a plan, and costs and "
                    "estimates are left out, so that an unchanged plan has an unchanged "
                    "fingerprint.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="examples:\n"
               "  tools/shopmark plans build/report/store.json --query=order_search_by_email\n"
               "  tools/shopmark plans run.json --target=postgres --statement=order_items\n"
               "\n"
               "exit status: 0 shown; 1 a case has no plans because its call failed; 2 the file\n"
               "cannot be read, or has nothing of that name")
    parser.add_argument("file", metavar="FILE", help="JSON written by shopmark-bench")
    for what in ("target", "query", "statement"):
        parser.add_argument(f"--{what}", metavar="NAME", help=f"only of this {what}")
    files.add_output(parser)
    parser.set_defaults(run=_plans)


def _plans(arguments):
    run = files.read_run(arguments.file)
    if run.observed is None:
        raise NotStarted(f"{arguments.file}: has no plans: it was measured without "
                         "(shopmark-bench takes them unless --plans=false)")
    cases = list(run.observed)
    for what, wanted, names_of in (
            ("target", arguments.target, lambda case: [case[0]]),
            ("query", arguments.query, lambda case: [case[1]]),
            ("statement", arguments.statement,
             lambda case: [one.name for one in run.observed[case].statements])):
        if wanted is None:
            continue
        names = dict.fromkeys(name for case in cases for name in names_of(case))
        cases = [case for case in cases if wanted in names_of(case)]
        if not cases:
            raise NotStarted(f"{arguments.file}: has no {what} {wanted}; it has "
                             f"{', '.join(names) or 'none'}")
    files.write(render.text(run, cases, arguments.width, arguments.statement), arguments.output,
                [arguments.file])
    failed = any(run.observed[case].error is not None for case in cases)
    return files.FAILED if failed else files.RIGHT
