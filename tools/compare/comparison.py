"""The verdicts on all cases of two sides."""

from dataclasses import dataclass

from compare import sides, verdict
from report.table import BASELINES


@dataclass(frozen=True)
class Comparison:
    judged: list  # of (Pair, Verdict)
    floor: float
    confidence: float
    noise: float
    differences: list[str]

    def by_target(self):
        targets = {}
        for pair, one in self.judged:
            targets.setdefault(pair.target, []).append((pair, one))
        return targets

    def worse(self):
        return sum(one.is_worse() for _, one in self.judged)


def compare(old_runs, new_runs, *, floor, confidence, noise=None):
    """Of runs that may be compared; where they differ in more than the code, `differences` says so.
    `noise` of none is what is assumed."""
    pairs = [pair for pair in sides.pairs(old_runs, new_runs) if pair.query not in BASELINES]
    noise = verdict.ASSUMED_NOISE if noise is None else noise
    judged = [(pair, verdict.judge(pair, floor=floor, confidence=confidence, cases=len(pairs),
                                   noise=noise)) for pair in pairs]
    return Comparison(judged, floor, confidence, noise,
                      sides.differences([*old_runs, *new_runs]))
