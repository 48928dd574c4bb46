"""The verdicts on all cases of two sides."""

from dataclasses import dataclass, field

from compare import sides, verdict
from plans.changes import Change, of_sides
from report.table import BASELINES


@dataclass(frozen=True)
class Comparison:
    judged: list  # of (Pair, Verdict)
    floor: float
    confidence: float
    noise: float
    differences: list[str]
    # Of plans and work, by target and query; and what is not known of them.
    changes: dict[tuple[str, str], Change] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    more_work_fails: bool = False
    # How the intervals came about, and what was compared; empty: as compare() does.
    method: str = ""
    note: str = ""
    measured_noise: int = 0  # cases whose noise aa measured; the others have `noise`

    def by_target(self):
        targets = {}
        for pair, one in self.judged:
            targets.setdefault(pair.target, []).append((pair, one))
        return targets

    def worse(self):
        return sum(one.is_worse() or (self.more_work_fails and self.change_of(pair).is_more_work())
                   for pair, one in self.judged)

    def change_of(self, pair):
        """None that is a Change as well."""
        return self.changes.get((pair.target, pair.query), Change())


def compare(old_runs, new_runs, *, floor, confidence, noise=None, noise_of=None,
            more_work_fails=False):
    """Of runs that may be compared; where they differ in more than the code, `differences` says so.
    `noise` of none is what was measured, noise_of(target, query), and where that is none, what is
    assumed."""
    pairs = [pair for pair in sides.pairs(old_runs, new_runs) if pair.query not in BASELINES]
    measured = 0
    judged = []
    assumed = verdict.ASSUMED_NOISE if noise is None else noise
    for pair in pairs:
        known = noise_of(pair.target, pair.query) if noise is None and noise_of else None
        measured += known is not None
        judged.append((pair, verdict.judge(pair, floor=floor, confidence=confidence,
                                           cases=len(pairs),
                                           noise=assumed if known is None else known)))
    changed, unknown = of_sides(old_runs, new_runs)
    # Work of other parameters is other work.
    for pair in pairs:
        if pair.old and pair.new and pair.old.parameter_rows != pair.new.parameter_rows:
            changed.pop((pair.target, pair.query), None)
    return Comparison(judged, floor, confidence, assumed,
                      sides.differences([*old_runs, *new_runs]), changed, unknown,
                      more_work_fails, measured_noise=measured)
