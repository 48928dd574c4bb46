"""Reads runs and writes what was made of them, with the manners of every command."""

import argparse
import os
import shutil
import sys

from console.errors import NotStarted
from report import read

RIGHT, FAILED, NOT_STARTED = 0, 1, 2


def read_run(path, wrong=NotStarted):
    """The run in a file. Throws NotStarted, or `wrong` where the file contradicts itself."""
    try:
        return read.read_file(path)
    except OSError as error:
        raise NotStarted(f"{path}: {error.strerror}") from None
    except read.NotAReport as error:
        raise NotStarted(f"{path}: {error}") from None
    except read.WrongReport as error:
        raise wrong(f"{path}: {error}") from None


def make_folder(folder, flag):
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise NotStarted(f"{flag}={folder}: {error.strerror}") from None


def write(content, output, inputs):
    """Writes to the file `output`, or prints; never over one of the `inputs`."""
    try:
        if output is not None:
            for path in inputs:
                if os.path.exists(output) and os.path.samefile(output, path):
                    raise NotStarted(f"--output={output} is the report itself")
            # Names come from the file and may hold halves of characters.
            with open(output, "w", encoding="utf-8", errors="backslashreplace",
                      newline="") as file:
                file.write(content)
        else:
            sys.stdout.reconfigure(errors="backslashreplace", newline="")
            if sys.stdout.encoding.lower() != "utf-8":
                content = content.translate(str.maketrans("µ–×→▁▂▃▄▅▆▇█", "u-x>12345678"))
            sys.stdout.write(content)
            sys.stdout.flush()
    except OSError as error:
        if output is None:
            # Python would try again what is left when it ends, and end with a status of its own.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise NotStarted(f"{output or 'stdout'}: {error.strerror}") from None


def add_output(parser):
    """--output, --width: where, and how wide."""
    parser.add_argument("--output", metavar="FILE", help="write there instead of printing")
    add_width(parser)


def add_width(parser):
    parser.add_argument("--width", type=_width, metavar="COLUMNS", default="auto",
                        help="columns of the text (default: auto, the terminal's)")


def _width(value):
    if value == "auto":
        return max(shutil.get_terminal_size((80, 24)).columns, 40)
    if not value.isascii() or not value.isdigit() or not 40 <= int(value) <= 1000:
        raise argparse.ArgumentTypeError(f"{value!r} is neither auto nor a number from 40 to 1000")
    return int(value)


def wants_colour(output):
    return (output is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
            and os.environ.get("TERM") != "dumb")
