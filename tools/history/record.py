"""The record: a folder that holds each run's file, whole, under a name made of its date and what it
says."""

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from datetime import datetime, timezone

from console import files
from console.errors import NotStarted
from console.places import ROOT
from report.read import Run

FOLDER = os.path.join(ROOT, "build", "history")


@dataclass(frozen=True)
class Recorded:
    name: str  # of the file in the folder
    date: datetime
    run: Run


def add(path, folder):
    """Adds the run in the file, and says under which name it stands there; none when it stood there
    before. Of several at once none is lost, and a run is there whole or not at all."""
    date = _date(files.read_run(path), path)
    with open(path, "rb") as file:
        content = file.read()
    said = json.dumps(json.loads(content), sort_keys=True).encode("utf-8", "surrogatepass")
    name = f"{date:%Y%m%dT%H%M%SZ}-{hashlib.sha256(said).hexdigest()[:16]}.json"
    try:
        os.makedirs(folder, exist_ok=True)
        # A name that ends otherwise is no run to `read`.
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".adding-") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.chmod(file.name, 0o644)
            # Fails where the name is taken, also in this very moment.
            os.link(file.name, os.path.join(folder, name))
    except FileExistsError as error:
        if not os.path.isdir(folder):
            raise NotStarted(f"{folder}: {error.strerror}") from None
        return None
    except OSError as error:
        raise NotStarted(f"{folder}: {error.strerror}") from None
    return name


def read(folder):
    """Every run of the folder, the oldest first."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except FileNotFoundError:
        names = []
    except OSError as error:
        raise NotStarted(f"{folder}: {error.strerror}") from None
    recorded = []
    for name in names:
        path = os.path.join(folder, name)
        run = files.read_run(path)
        recorded.append(Recorded(name, _date(run, path), run))
    return sorted(recorded, key=lambda one: (one.date, one.name))


def _date(run, path):
    text = run.facts.get("date", "")
    try:
        date = datetime.fromisoformat(text)
    except ValueError:
        raise NotStarted(f"{path}: context: date {text!r} is not a time") from None
    return (date if date.tzinfo else date.replace(tzinfo=timezone.utc)).astimezone(timezone.utc)
