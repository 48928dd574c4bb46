"""Runs tools/shopmark in the test's own process: SciPy takes long to load."""

import contextlib
import io
import os
import runpy
import subprocess
import sys
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SCRIPT = os.path.join(ROOT, "tools", "shopmark")


def run(*arguments):
    """Its own main function's status and output."""
    # As Python's own are.
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=errors)
               for errors in ("strict", "backslashreplace")]
    status = 0
    with mock.patch.object(sys, "argv", [SCRIPT, *arguments]), \
            contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        try:
            runpy.run_path(SCRIPT, run_name="__main__")
        except SystemExit as ended:
            status = ended.code
    texts = []
    for stream in streams:
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    return subprocess.CompletedProcess(arguments, status, *texts)


def assert_refused(test, done, *parts, status=2):
    """Ended with the status, no output, and one line that holds all parts."""
    test.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
    test.assertEqual(done.stderr.count("\n"), 1, done.stderr)
    for part in parts:
        test.assertIn(part, done.stderr)
