"""The two sides of `tools/shopmark ab`: each a target, a folder of statements and a program."""

import filecmp
import io
import os
import re
import shutil
import subprocess
import tarfile
from dataclasses import dataclass

from console.errors import NotStarted
from console.places import ROOT

QUERIES = os.path.join(ROOT, "schema", "queries")
PROGRAM = os.path.join(ROOT, "build", "release", "bin", "shopmark-bench")
TARGET = "sqlite:" + os.path.join(ROOT, "build", "store", "standard.sqlite")

# Of a statement's first line, its name and its dialect.
_HEAD = re.compile(r"^-- name:\s*(\w+)\s*(?:\[(\w+)\])?\s*$", re.MULTILINE)
# A target's name of its own; ours are old and new.
_NAME = re.compile(r"^[A-Za-z0-9_.-]+=(?=[a-z]+:)")


@dataclass(frozen=True)
class Side:
    target: str  # a DSN without a name
    queries: str
    program: str

    def engine(self):
        return self.target.partition(":")[0]


def sides(arguments, scratch):
    """Both sides, and what tells them apart. Folders that have to be made are made in `scratch`."""
    targets = _two(arguments.targets, "--targets") or [
        arguments.target or os.environ.get("SHOPMARK_TARGET") or TARGET] * 2
    if any("," in target for target in targets):
        raise NotStarted("--target is one target; two are --targets=OLD,NEW")
    programs = _two(arguments.builds, "--builds") or [PROGRAM] * 2
    for program in programs:
        if not os.access(program, os.X_OK) or os.path.isdir(program):
            raise NotStarted(f"{program}: no such program; cmake --build --preset release makes it")
    folders, told = _folders(arguments, scratch)
    if arguments.targets:
        told.append("two targets")
    if arguments.builds:
        told.append(f"old is {programs[0]}, new is {programs[1]}")
    if not told:
        raise NotStarted("schema/queries is as in the last commit, so there is nothing to compare; "
                         "edit a statement, or see --help for what else can be compared")
    return [Side(_NAME.sub("", target), folder, program)
            for target, folder, program in zip(targets, folders, programs)], "; ".join(told)


def _two(text, flag):
    if text is None:
        return None
    both = text.split(",")
    if len(both) != 2 or not all(both):
        raise NotStarted(f"{flag} must be OLD,NEW")
    return both


def _folders(arguments, scratch):
    """Both sides' statements, and a line on them unless they are the same."""
    if (arguments.statement is None) != (arguments.file is None):
        raise NotStarted("--statement=NAME and --file=FILE go together")
    if arguments.queries:
        if not os.path.isdir(arguments.queries):
            raise NotStarted(f"--queries={arguments.queries}: no such folder")
        return [QUERIES, arguments.queries], [f"old is schema/queries, new is {arguments.queries}"]
    if arguments.statement is not None:
        new = with_statement(arguments.statement, arguments.file, os.path.join(scratch, "new"))
        return [QUERIES, new], [f"new has {arguments.statement} from {arguments.file}"]
    if arguments.revisions:
        both = arguments.revisions.split("..")
        if len(both) != 2 or not all(both):
            raise NotStarted("--revisions must be OLD..NEW")
        return ([of_revision(revision, os.path.join(scratch, side))
                 for side, revision in zip(("old", "new"), both)],
                [f"statements of {both[0]} and of {both[1]}"])
    if arguments.targets or arguments.builds:
        return [QUERIES, QUERIES], []
    old = of_revision("HEAD", os.path.join(scratch, "old"))
    if _same(old, QUERIES):
        return [QUERIES, QUERIES], []
    return [old, QUERIES], ["old is the last commit's schema/queries, new the working tree's"]


def of_revision(revision, into):
    """schema/queries of a revision, in the new folder `into`."""
    if revision.startswith("-"):
        raise NotStarted(f"{revision}: not a revision")
    done = subprocess.run(["git", "-C", ROOT, "archive", revision, "schema/queries"],
                          capture_output=True, check=False)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["git failed"]
        raise NotStarted(f"schema/queries of {revision}: {said[0]}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(into)
    return os.path.join(into, "schema", "queries")


def with_statement(name, file, into):
    """The tree's statements, but every text of the one of this name from a file: plain SQL for any
    engine, or with its own lines -- name: NAME [DIALECT]."""
    try:
        with open(file, encoding="utf-8") as opened:
            text = opened.read()
    except OSError as error:
        raise NotStarted(f"--file={file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise NotStarted(f"--file={file}: not UTF-8") from None
    heads = _HEAD.findall(text)
    if not heads:
        text = f"-- name: {name}\n{text}"
    for other, _ in heads:
        if other != name:
            raise NotStarted(f"--file={file}: holds {other}, not only {name}")
    shutil.copytree(QUERIES, into)
    for path in sorted(os.path.join(into, each) for each in os.listdir(into)):
        with open(path, encoding="utf-8") as opened:
            whole = opened.read()
        replaced = replace_statement(whole, name, text)
        if replaced is not None:
            with open(path, "w", encoding="utf-8") as opened:
                opened.write(replaced)
            return into
    raise NotStarted(f"--statement={name}: schema/queries has none of that name")


def replace_statement(whole, name, text):
    """`whole` with all texts of a statement replaced by one; none where it has no such one."""
    heads = list(_HEAD.finditer(whole))
    ends = [head.start() for head in heads[1:]] + [len(whole)]
    made, found = whole[:heads[0].start()] if heads else whole, False
    for head, end in zip(heads, ends):
        if head[1] != name:
            made += whole[head.start():end]
        elif not found:
            made, found = made + text.rstrip("\n") + "\n\n", True
    return made if found else None


def changed_statements(old, new):
    """The names of those whose texts are not the same in both folders."""
    before, after = _texts(old), _texts(new)
    return frozenset(name for name, _ in before.keys() | after.keys()
                     if any(before.get(key) != after.get(key)
                            for key in before.keys() | after.keys() if key[0] == name))


def _texts(folder):
    texts = {}
    for file in sorted(os.listdir(folder)):
        if file.endswith(".sql"):
            with open(os.path.join(folder, file), encoding="utf-8", errors="replace") as opened:
                whole = opened.read()
            heads = list(_HEAD.finditer(whole))
            for head, end in zip(heads, [head.start() for head in heads[1:]] + [len(whole)]):
                lines = whole[head.end():end].splitlines()
                texts[head.groups()] = "\n".join(
                    line for line in lines if not line.lstrip().startswith("--")).strip()
    return texts


def _same(one, other):
    compared = filecmp.dircmp(one, other, ignore=[])
    _, unequal, strange = filecmp.cmpfiles(one, other, compared.common_files, shallow=False)
    return not (unequal or strange or compared.left_only or compared.right_only)
