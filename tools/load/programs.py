"""Our programs, and how they are run."""

import json
import os
import subprocess

from console.errors import Failed, NotStarted
from console.places import ROOT

FOLDER = os.path.join(ROOT, "build", "release", "bin")

# Counting and undoing what shoppers wrote reads every variant and every visitor's order.
_SEED_SECONDS = 900


class Programs:
    def __init__(self, folder=FOLDER):
        self.folder = folder

    def path(self, name):
        path = os.path.join(self.folder, name)
        if not os.access(path, os.X_OK) or os.path.isdir(path):
            raise NotStarted(f"{path}: no such program; "
                             f"cmake --build --preset release --target {name} makes it")
        return path

    def check_scenario(self, settings):
        """Throws NotStarted with what is wrong with it."""
        done = subprocess.run([self.path("shopmark-load"), *settings.load_arguments(), "--check"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", check=False)
        if done.returncode != 0:
            raise NotStarted(complaint(done).removeprefix("shopmark-load: "))

    def seed(self, target, *flags):
        """A finished shopmark-seed. Throws Failed when it takes too long."""
        command = [self.path("shopmark-seed"), target.argument(), *flags]
        try:
            return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  errors="replace", check=False, timeout=_SEED_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failed(f"shopmark-seed {flags[0]} took more than {_SEED_SECONDS} s") from None

    def visits(self, target):
        """What shoppers left in the store. Throws NotStarted where there is no store of ours."""
        done = self.seed(target, "--visits")
        if done.returncode not in (0, 1):
            raise NotStarted(complaint(done))
        try:
            found = json.loads(done.stdout)
        except ValueError:
            found = None
        if not isinstance(found, dict) or not isinstance(found.get("numbers"), list):
            raise Failed(f"shopmark-seed --visits printed no JSON of visits: {complaint(done)}")
        return found

    def undo_visits(self, target):
        """Throws Failed."""
        done = self.seed(target, "--undo_visits")
        if done.returncode != 0:
            raise Failed(f"the visits were not undone: {complaint(done)}; "
                         f"shopmark-seed {target.shown()} --undo_visits does it")


def complaint(done):
    """What a program said last, in a line."""
    lines = [line.strip() for line in (done.stderr or "").splitlines() if line.strip()]
    return lines[-1] if lines else f"status {done.returncode}, without a word"
