"""All cases of both sides, round after round, until each is settled."""

import time
from dataclasses import dataclass, field, replace

from ab import rounds, sequential
from compare import verdict
from compare.sides import Pair, Side
from plans.changes import Change, between


@dataclass(frozen=True)
class Limits:
    floor: float
    confidence: float
    rounds: int
    seconds: float  # of each case


@dataclass
class Case:
    """One query: what its rounds said so far, and the verdict once there is one."""
    query: str
    size: rounds.Size | None = None
    measured: list = field(default_factory=list)  # rounds whose calls were timed in full
    first: rounds.Round | None = None
    seconds: float = 0.0
    settled: verdict.Verdict | None = None

    def pair(self, target):
        """Both sides' calls; those of the first round where no other went well."""
        shown = self.measured or [self.first]
        old, new = Side(), Side()
        for one in shown:
            old.add(one.old)
            new.add(one.new)
        return Pair(self.query, self.first.new.title, target, old, new)

    def change(self):
        """Of plans and work."""
        observed = self.first.observed()
        return Change() if None in observed else between(*observed)

    def statements(self):
        """The names of those that it ran; none where it is not known."""
        observed = self.first.observed()
        if any(one is None or one.error is not None for one in observed):
            return None
        return {statement.name for one in observed for statement in one.statements}

    def rows_equal(self):
        """None where a side did not answer to the end."""
        digests = self.first.old.answers_digest, self.first.new.answers_digest
        return None if None in digests else digests[0] == digests[1]


class Experiment:
    """`tell` is called with a Case and its number of rounds before each round."""

    def __init__(self, bench, queries, limits, tell=lambda case, count: None):
        self.bench, self.limits, self.tell = bench, limits, tell
        self.cases = [Case(query) for query in queries]
        self.looks = sequential.planned_looks(limits.rounds)

    def run(self, changed=frozenset()):
        """Ends when every case is settled. May be stopped by KeyboardInterrupt; what was measured
        until then counts. Of `changed`, the names of statements, only cases that ran one of them
        count, as far as that can be told."""
        for case in self.cases:
            self._round(case)
        self.cases = concerned(self.cases, changed)
        while unsettled := [case for case in self.cases if case.settled is None]:
            for case in unsettled:
                self._round(case)

    def judged(self, target):
        """(Pair, Verdict) of every case that was started."""
        return [(case.pair(target),
                 replace(case.settled or self._judge(case), rows_equal=case.rows_equal()))
                for case in self.cases if case.first is not None]

    def _round(self, case):
        started = time.monotonic()
        count = len(case.measured)
        self.tell(case, count)
        if case.first is None:
            case.first = self.bench.round(case.query, 0, rounds.FIRST, verify=True)
            case.settled = self._after_first(case)
            if case.settled is None:
                old, new = case.first.old, case.first.new
                case.size = rounds.size(old.calls, new.calls, len(new.parameter_rows))
        else:
            made = self.bench.round(case.query, count + 1, case.size, verify=False)
            case.measured.append(made)
            case.settled = verdict.absent(case.pair(""))
        case.seconds += time.monotonic() - started
        if case.settled is None and case.first is not None:
            self._look(case)

    def _after_first(self, case):
        settled = verdict.absent(case.pair(""))
        if settled is None and case.rows_equal() is False:
            return verdict.Verdict(verdict.NEWLY_FAILING, reason="its answers are not the old ones")
        old, new = case.first.old, case.first.new
        if settled is None and old.parameter_rows != new.parameter_rows:
            return verdict.Verdict(verdict.CANNOT_TELL, reason="other rows, so other work")
        return settled

    def _look(self, case):
        """A look that the time asks for takes the place of the next planned one."""
        out_of_time = case.seconds >= self.limits.seconds
        count = len(case.measured)
        if count not in self.looks and not out_of_time:
            return
        made = self._judge(case)
        if made.verdict != verdict.CANNOT_TELL or out_of_time or count >= self.looks[-1]:
            case.settled = made

    def _judge(self, case):
        return sequential.judge(
            [one.difference() for one in case.measured],
            samples=sum(len(one.new.calls) for one in case.measured), floor=self.limits.floor,
            confidence=self.limits.confidence, cases=len(self.cases), looks=len(self.looks))


def concerned(cases, changed):
    """Those that ran one of the changed statements: all where nothing is known to have changed, or
    where a changed one was seen in no case, for it may be part of another."""
    ran = {case.query: case.statements() for case in cases}
    if not changed or not changed <= {name for names in ran.values() for name in names or ()}:
        return cases
    return [case for case in cases if ran[case.query] is None or ran[case.query] & changed]
