"""requests.csv: what became of every request."""

import csv
from array import array
from collections import Counter
from dataclasses import dataclass, field

from console.errors import Failed

HEAD = ("run", "stage", "phase", "script", "route", "scheduled_ns", "sent_ns", "done_ns", "status",
        "outcome", "late_ns")
WARMUP, MEASURED = "warmup", "measured"

OK, TIMED_OUT, REJECTED = "ok", "timed_out", "rejected"
# Each is counted under its name in `failed`.
FAILURES = ("status_4xx", "status_5xx", "invalid", "connection", "session", "client")
# Of these nothing was sent.
_NEVER_SENT = (REJECTED, "session", "client")
# Beyond, the driver itself was late with a send.
_LATE_NS = 10_000_000
_OUTCOMES = frozenset((OK, TIMED_OUT, REJECTED, *FAILURES))

CHECKOUT = "checkout"

# A file that is wrong is wrong in most lines; this many say so.
_MOST_PROBLEMS = 20


@dataclass
class Group:
    """The requests of one route in one phase of a stage. Times in ns from the stage's start; those
    of the successes, in the order of the file."""
    scheduled: array = field(default_factory=lambda: array("q"))
    sent: array = field(default_factory=lambda: array("q"))
    done: array = field(default_factory=lambda: array("q"))
    outcomes: Counter = field(default_factory=Counter)
    sent_count: int = 0  # of all outcomes
    open_sends: int = 0  # of an open loop
    late_sends: int = 0  # of these, those that the driver itself was late with
    unanswered: int = 0  # sent, and not a success
    first: int | None = None  # scheduled, of all outcomes
    last: int | None = None

    def offered(self):
        return self.outcomes.total()

    def by_schedule(self):
        """The places of the successes, earliest scheduled first."""
        return sorted(range(len(self.scheduled)), key=self.scheduled.__getitem__)


@dataclass
class Requests:
    # By (run, stage, phase, script, route).
    groups: dict[tuple[int, int, str, str, str], Group]
    count: int
    problems: list[str]


def read(path):
    """All requests, and a line for each that cannot have been. Throws Failed when it is no such
    file."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return _read(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Failed(f"requests.csv: {getattr(error, 'strerror', None) or error}") from None


def unanswered_checkouts(path):
    """Those that were sent, and not answered as they should be."""
    return sum(group.unanswered for key, group in read(path).groups.items() if key[4] == CHECKOUT)


def _read(lines):
    if tuple(next(lines, ())) != HEAD:
        raise Failed(f"requests.csv: its first line is not {','.join(HEAD)}")
    groups, problems = {}, []
    for line in lines:
        try:
            run, stage, phase, script, route, scheduled, sent, done, status, outcome, late = line
            key = run, stage, phase, script, route
            group = groups.get(key)
            if group is None:
                _check_key(key)
                group = groups[key] = Group()
            begins = int(scheduled)
            if outcome == OK:
                leaves, ends = int(sent), int(done)
                if not 0 <= begins <= leaves <= ends:
                    raise ValueError("is done before it was sent, or sent before its time")
                if not 100 <= int(status) < 500:
                    raise ValueError(f"succeeded with status {status}")
                group.scheduled.append(begins)
                group.sent.append(leaves)
                group.done.append(ends)
                group.sent_count += 1
            else:
                _add_other(group, begins, sent, done, status, outcome)
            if late:
                if not sent or not 0 <= int(late) <= int(sent) - begins:
                    raise ValueError("was late by more than lies between its time and the send")
                group.open_sends += 1
                group.late_sends += int(late) > _LATE_NS
            group.outcomes[outcome] += 1
            if group.last is None or begins > group.last:
                group.last = begins
            if group.first is None or begins < group.first:
                group.first = begins
        except ValueError as error:
            if len(problems) < _MOST_PROBLEMS:
                problems.append(f"requests.csv, line {lines.line_num}: {_why(error)}")
    numbered = {(int(key[0]), int(key[1]), *key[2:]): group for key, group in groups.items()}
    return Requests(numbered, sum(group.offered() for group in groups.values()), problems)


def _check_key(key):
    run, stage, phase, script, route = key
    if not (run.isdecimal() and stage.isdecimal()):
        raise ValueError("run or stage is no number")
    if phase not in (WARMUP, MEASURED):
        raise ValueError(f"phase {phase!r} is neither {WARMUP} nor {MEASURED}")
    if not script or not route:
        raise ValueError("has no script or no route")


def _add_other(group, begins, sent, done, status, outcome):
    if outcome not in _OUTCOMES:
        raise ValueError(f"outcome {outcome!r} is none of {', '.join(sorted(_OUTCOMES))}")
    leaves = int(sent) if sent else None
    ends = int(done) if done else None
    if begins < 0 or (leaves is not None and leaves < begins) or (
            ends is not None and ends < (begins if leaves is None else leaves)):
        raise ValueError("is done before it was sent, or sent before its time")
    # What waited too long for a connection was given up at a time of its own.
    if ends is not None and leaves is None and outcome != TIMED_OUT:
        raise ValueError(f"was answered without being sent, and {outcome}")
    if outcome in _NEVER_SENT and leaves is not None:
        raise ValueError(f"was sent, and {outcome}")
    if outcome == "status_5xx" and not 500 <= int(status or 0) < 600:
        raise ValueError(f"status_5xx with status {status or 'none'}")
    if outcome == "status_4xx" and not 100 <= int(status or 0) < 500:
        raise ValueError(f"status_4xx with status {status or 'none'}")
    if leaves is not None:
        group.sent_count += 1
        group.unanswered += 1


def _why(error):
    text = str(error)
    if "unpack" in text:
        return f"has not {len(HEAD)} columns"
    return "a time or a status is no number" if "invalid literal" in text else text
