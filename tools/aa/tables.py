"""From runs of unchanged code to its noise, and to the false alarms of `compare`."""

import math
import statistics
from dataclasses import dataclass

import numpy

from compare import comparison, noise, verdict
from report.table import BASELINES

LEAST_RUNS = 4


@dataclass(frozen=True)
class CaseNoise:
    target: str
    query: str
    title: str
    deviation: float  # between runs' log medians
    noise: float  # its upper bound, which compare takes
    drift: float  # of the log median, from the first run to the last
    runs: int


def levels(runs):
    """By target and query, each run's log median; cases that failed in any run are left out."""
    found = {}
    for run in runs:
        for entry in run.entries:
            if entry.error is None and entry.query not in BASELINES:
                found.setdefault((entry.target, entry.query), []).append(
                    math.log(max(statistics.median(entry.calls), 0.5)))
    return {case: values for case, values in found.items() if len(values) == len(runs)}


def case_noises(runs):
    titles = {(entry.target, entry.query): entry.title for run in runs for entry in run.entries}
    return [CaseNoise(target, query, titles[target, query], statistics.stdev(values),
                      noise.estimate(values), _drift(values), len(values))
            for (target, query), values in levels(runs).items()]


def _drift(values):
    """By the straight line through all runs."""
    slope, _ = numpy.polyfit(range(len(values)), values, 1)
    return float(slope) * (len(values) - 1)


def judged_tables(runs, *, floor, confidence):
    """Of each two runs that follow each other a table, with the noise that the runs of the others
    showed: a table must not be judged by what it says itself."""
    tables = []
    for i in range(0, len(runs) - 1, 2):
        others = runs[:i] + runs[i + 2:]
        known = {case: noise.estimate(values) for case, values in levels(others).items()}
        tables.append(comparison.compare([runs[i]], [runs[i + 1]], floor=floor,
                                         confidence=confidence,
                                         noise_of=lambda target, query, known=known:
                                         known.get((target, query))))
    return tables


def alarms(table):
    """Of a table the cases that it calls faster or slower."""
    return [f"{pair.query}/{pair.target}" for pair, one in table.judged
            if one.verdict in (verdict.FASTER, verdict.SLOWER)]
