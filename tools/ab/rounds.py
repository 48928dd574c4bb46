"""One round of one case: a fresh shopmark-bench in which both sides take turns."""

import math
import os
import statistics
import subprocess
from dataclasses import dataclass

from compare import verdict
from compare.sides import Side as Calls
from console.errors import NotStarted
from console.files import read_run
from report.table import BASELINES

OLD, NEW = "old", "new"

# Of a round's timed calls, both sides together: long against what starting costs.
ROUND_SECONDS = 0.5
# More say little more, and every one is kept.
_MOST_SAMPLES = 1_000
# A turn is at least as long as this: shorter, the call that warms up costs more than it is worth.
_TURN_SECONDS = 0.002
# Untimed calls before a round: one of each parameter, unless that takes longer than this.
_WARMUP_SECONDS = 0.25
# Sides that differ by more than this take one turn each in a round: after a few calls of the
# slower, a few of the faster would be timed with cold caches (an index search of 8 us took 180 us
# in turns with a full scan).
_UNEQUAL = 2


@dataclass(frozen=True)
class Size:
    """Calls of each side: timed in a round, in a turn, untimed before."""
    samples: int
    turn: int
    warmup: int


# Of the first round, which is to say what a call takes.
FIRST = Size(10, 5, 2)


@dataclass(frozen=True)
class Round:
    old: object  # report.read.Entry
    new: object
    runs: tuple = ()  # of the program or the two

    def observed(self):
        """Both sides' plans and work; none of a side that was measured without."""
        found = {}
        for run in self.runs:
            found |= {target: one for (target, _), one in (run.observed or {}).items()}
        return found.get(OLD), found.get(NEW)

    def difference(self):
        """Of the logarithms of the medians; above 0 is slower."""
        before, after = verdict.relative(*(Calls([entry], [], entry.parameter_rows)
                                           for entry in (self.old, self.new)))
        return verdict.level(after) - verdict.level(before)


def size(old_calls, new_calls, parameters):
    """For a case whose calls took these nanoseconds: whole rotations of its parameters."""
    medians = [statistics.median(calls) * 1e-9 for calls in (old_calls, new_calls)]
    seconds = max(medians)
    turn = parameters * max(1, math.ceil(_TURN_SECONDS / (seconds * parameters)))
    turns = max(1, min(round(ROUND_SECONDS / (2 * seconds * turn)), _MOST_SAMPLES // turn))
    rotation = max(5, parameters)
    if seconds > _UNEQUAL * min(medians):
        return Size(turns * turn, turns * turn, rotation)
    return Size(turns * turn, turn, rotation if seconds * rotation <= _WARMUP_SECONDS else 1)


class Bench:
    """Runs the program, or the two. Files are written to `folder`."""

    def __init__(self, sides, folder, oracle=True):
        self.sides = dict(zip((OLD, NEW), sides))
        self.folder = folder
        self.oracle = oracle

    def cases(self, expression):
        """The queries that the expression lets through, without the baselines."""
        listed = {}
        for name in self._groups():
            done = self._start([name[0]], "--benchmark_list_tests",
                               f"--benchmark_filter={expression or '.'}")
            for line in done.stdout.splitlines():
                listed.setdefault(line.split("/")[0], None)
        found = [query for query in listed if query not in BASELINES]
        if not found:
            raise NotStarted(f"--filter={expression}: only the baselines match")
        return found

    def round(self, query, number, of, verify):
        """Odd rounds let the new side go first. `verify`: see all answers before,
        and plans and work after."""
        order = (NEW, OLD) if number % 2 else (OLD, NEW)
        entries, runs = {}, []
        for group in self._groups(order):
            path = os.path.join(self.folder, f"{query}.{number:03}.{'-'.join(group)}.json")
            self._start(group, f"--benchmark_filter=^{query}/", f"--samples={of.samples}",
                        f"--interleave={of.turn}", f"--warmup={of.warmup}",
                        f"--verify={str(verify).lower()}", f"--plans={str(verify).lower()}",
                        f"--benchmark_out={path}", "--benchmark_format=csv")
            runs.append(read_run(path))
            entries |= {entry.target: entry for entry in runs[-1].entries}
        if set(entries) != {OLD, NEW}:
            raise NotStarted(f"{query}: not measured on both sides")
        return Round(entries[OLD], entries[NEW], tuple(runs))

    def _groups(self, order=(OLD, NEW)):
        """Sides of one program run in one process."""
        one = len({side.program for side in self.sides.values()}) == 1
        return [order] if one else [(name,) for name in order]

    def _start(self, names, *flags):
        """The targets go through the environment: a command line can be read by anybody."""
        targets = ",".join(f"{name}={self.sides[name].target}" for name in names)
        queries = ",".join(f"{name}={self.sides[name].queries}" for name in names)
        command = [self.sides[names[0]].program, f"--queries={queries}", *flags]
        if not self.oracle:
            command.append("--oracle=false")
        done = subprocess.run(command, capture_output=True, text=True, errors="replace",
                              env=os.environ | {"SHOPMARK_TARGET": targets}, check=False)
        # 1: a case failed, and its entry says how.
        if done.returncode not in (0, 1):
            if done.returncode < 0:
                raise KeyboardInterrupt if done.returncode == -2 else NotStarted(
                    f"{command[0]} ended by signal {-done.returncode}")
            said = [line for line in done.stderr.splitlines() if line.startswith("shopmark-bench:")]
            raise NotStarted((said or [f"shopmark-bench: status {done.returncode}"])[0])
        return done
