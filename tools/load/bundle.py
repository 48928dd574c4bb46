"""The folder that a load run leaves: which files, and their sums."""

import hashlib
import os
import re

from console.errors import Failed

SUMS = "SHA256SUMS"
# Those that shopmark-load writes, and what tools/shopmark load adds.
WRITTEN = ("summary.json", "requests.csv", "processes.csv", "environment.json", "log.txt",
           "orders.csv")
ADDED = ("store.json", "server.log")

_LINE = re.compile(r"([0-9a-f]{64}) [ *]([^/\0]+)")


def write_sums(folder):
    """Of every other file."""
    lines = [f"{_sum(folder, name)}  {name}\n" for name in _files(folder)]
    path = os.path.join(folder, SUMS)
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.writelines(lines)
    os.replace(f"{path}.new", path)


def wrong_sums(folder):
    """A line for each file that is missing, not listed, or another than its sum says."""
    try:
        with open(os.path.join(folder, SUMS), encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        return [f"{SUMS}: {getattr(error, 'strerror', None) or error}"]
    problems, listed = [], {}
    for number, line in enumerate(lines, start=1):
        match = _LINE.fullmatch(line)
        if match is None:
            problems.append(f"{SUMS}, line {number}: not a sum and a file's name")
        elif match[2] in listed:
            problems.append(f"{SUMS}, line {number}: {match[2]} stands twice")
        else:
            listed[match[2]] = match[1]
    files = _files(folder)
    for name in sorted({*listed, *WRITTEN} - set(files)):
        problems.append(f"{name}: is missing")
    for name in files:
        if name not in listed:
            problems.append(f"{name}: is not in {SUMS}")
        elif _sum(folder, name) != listed[name]:
            problems.append(f"{name}: is not what its sum in {SUMS} says")
    return problems


def _files(folder):
    found = []
    for place, folders, names in os.walk(folder):
        folders.sort()
        found += [os.path.relpath(os.path.join(place, name), folder) for name in names]
    return sorted(name for name in found if name not in (SUMS, f"{SUMS}.new"))


def _sum(folder, name):
    digest = hashlib.sha256()
    try:
        with open(os.path.join(folder, name), "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except OSError as error:
        raise Failed(f"{os.path.join(folder, name)}: {error.strerror}") from None
    return digest.hexdigest()
