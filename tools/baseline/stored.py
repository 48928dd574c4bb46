"""Where the baseline is, and how it gets there and away."""

import os
import tempfile

from console import files
from console.errors import NotStarted
from console.places import ROOT

FILE = os.path.join(ROOT, "build", "report", "baseline.json")


def keep(path, baseline):
    """Copies the run, whole, after it was verified; the run. What was there stays until then."""
    run = files.read_run(path)
    if not run.complete:
        raise NotStarted(f"{path}: the run was interrupted; a baseline is a whole one")
    with open(path, "rb") as file:
        content = file.read()
    folder = os.path.dirname(os.path.abspath(baseline))
    try:
        os.makedirs(folder, exist_ok=True)
        handle, made = tempfile.mkstemp(dir=folder, prefix=".baseline-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(handle)
            os.chmod(made, 0o644)
            os.replace(made, baseline)
        except OSError:
            os.unlink(made)
            raise
    except OSError as error:
        raise NotStarted(f"{baseline}: {error.strerror}") from None
    return run


def remove(baseline):
    """Whether there was one."""
    try:
        os.unlink(baseline)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise NotStarted(f"{baseline}: {error.strerror}") from None
    return True
