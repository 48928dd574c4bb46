"""What `load --show`, `report` and `verify` do with the bundle of a load run."""

import os

from console import files
from console.errors import NotStarted
from load import render, tables, verify


def is_bundle(path):
    return os.path.isdir(path)


def show(folders, published, width, output=None):
    """Prints or writes their tables; the exit status. Throws NotStarted."""
    runs = [tables.read(folder) for folder in folders]
    files.write(text(runs, published, width), output, [])
    return files.FAILED if any(run.failed() for run in runs) else files.RIGHT


def text(runs, published, width):
    return render.text(runs, tables.Published.read() if published else None, width)


def verify_bundle(folder, say):
    """Says what contradicts; the exit status. Throws NotStarted."""
    if not os.path.isfile(os.path.join(folder, verify.SUMMARY)):
        raise NotStarted(f"{folder}: no bundle of shopmark-load: it has no {verify.SUMMARY}")
    made = verify.verify(folder)
    for problem in made.problems:
        say(f"{folder}: {problem}")
    if made.problems:
        return files.FAILED
    files.write(f"{folder}: every sum is right, and every figure follows from its "
                f"{made.requests:,} requests; {made.orders:,} orders acknowledged\n", None, [])
    return files.RIGHT
