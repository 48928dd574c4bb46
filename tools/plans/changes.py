"""What is different between two looks at the statements of one case: pure functions."""

import difflib
from dataclasses import dataclass

from report.observed import Observed, Statement

# Compared only beside a counter that is exact: pages of a table fill with old rows until they are
# vacuumed, so PostgreSQL touches more of them for the same rows after writes.
INEXACT = frozenset({"shared_buffers"})


@dataclass(frozen=True)
class PlanChange:
    statement: str
    what: str  # changed, only in old, only in new
    diff: tuple[str, ...]  # a unified diff's lines, without its head


@dataclass(frozen=True)
class WorkChange:
    counter: str
    old: int
    new: int

    def is_exact(self):
        return self.counter not in INEXACT


@dataclass(frozen=True)
class Change:
    plans: tuple[PlanChange, ...] = ()
    work: tuple[WorkChange, ...] = ()
    note: str = ""  # why something could not be compared

    def __bool__(self):
        return bool(self.plans or self.work or self.note)

    def is_more_work(self):
        """By any exact count, whatever became of the others."""
        return any(one.new > one.old for one in self.work if one.is_exact())


def between(old, new):
    """From one Observed to another."""
    for side, one in (("old", old), ("new", new)):
        if one.error is not None:
            return Change(note=f"no plans on the {side} side: {one.error}")
    before = {statement.name: statement for statement in old.statements}
    after = {statement.name: statement for statement in new.statements}
    plans = tuple(change for name in dict.fromkeys([*before, *after])
                  if (change := _plan_change(name, before.get(name), after.get(name))))
    work = [WorkChange(counter, old.work.get(counter, 0), new.work.get(counter, 0))
            for counter in sorted({*old.work, *new.work})]
    work = tuple(one for one in work if one.old != one.new)
    if not plans and not any(one.is_exact() for one in work):
        work = ()
    return Change(plans, work)


def of_sides(old_runs, new_runs):
    """By target and query, those that changed; and one line for each side of which nothing is
    known."""
    sides = [merged(runs) for runs in (old_runs, new_runs)]
    notes = [f"The {name} side has no plans and no work: it was measured without."
             for name, side in zip(("old", "new"), sides) if side is None]
    if notes:
        return {}, notes
    old, new = sides
    changes = {case: between(old[case], new[case]) for case in old if case in new}
    return {case: change for case, change in changes.items() if change}, []


def merged(runs):
    """One look by target and query of the several runs of a side: every plan that any of them had,
    and the work of the first. Nothing where no run has any."""
    looks = [run.observed for run in runs if run.observed is not None]
    if not looks:
        return None
    cases = {}
    for look in looks:
        for case, observed in look.items():
            cases[case] = _union(cases[case], observed) if case in cases else observed
    return cases


def _union(first, other):
    if first.error is not None or other.error is not None:
        return first if first.error is not None else other
    others = {statement.name: statement for statement in other.statements}
    statements = [
        Statement(one.name, one.calls,
                  tuple(dict.fromkeys(one.plans + (others.pop(one.name).plans
                                                   if one.name in others else ()))), one.work)
        for one in first.statements]
    return Observed((*statements, *others.values()), first.work)


def _plan_change(name, old, new):
    if old is None or new is None:
        what = "only in new" if old is None else "only in old"
    elif {plan.fingerprint for plan in old.plans} == {plan.fingerprint for plan in new.plans}:
        return None
    else:
        what = "changed"
    return PlanChange(name, what, tuple(_diff(_others(old, new), _others(new, old))))


def _others(statement, than):
    """The lines of those plans that the other has not."""
    known = {plan.fingerprint for plan in than.plans} if than else set()
    plans = [plan for plan in (statement.plans if statement else ())
             if plan.fingerprint not in known]
    lines = []
    for plan in plans:
        lines += ([f"another plan, {plan.fingerprint[:12]}:"] if lines else []) + list(plan.lines)
    return lines


def _diff(old, new):
    lines = list(difflib.unified_diff(old, new, lineterm=""))[2:]
    # Where the only part begins at the front, there is nothing to find.
    hunks = [line for line in lines if line.startswith("@@")]
    return [line for line in lines if len(hunks) > 1 or not line.startswith("@@")]
