"""Where a course of runs steps from one level to another.

Circular binary segmentation (A. B. Olshen, E. S. Venkatraman, R. Lucito, M. Wigler, Biostatistics
5, 2004): of all stretches of a course, the one whose mean differs most surely from that of the
other runs (Student's t with a common variance) is cut out where it differs significantly, and the
parts are searched again. A stretch has two ends, so that a regression that was mended stands out
though the course ends where it began. What is left of the cuts are those whose two sides differ
significantly, and by more than the floor. Significantly means: so that no table of unchanged code
has a step with the given confidence, of all places that were looked at and all courses
(Bonferroni), and by more than what runs of unchanged code differ by on this machine can explain.
A level holds for three runs or more; a single run that was disturbed is no step, and is counted as
the most extreme of its neighbours."""

import math
from dataclasses import dataclass

import numpy
from scipy import special

LEAST_RUNS = 3


@dataclass(frozen=True)
class Step:
    at: int  # the first run of the new level
    ratio: float  # new level to old; above 1 is slower
    low: float
    high: float

    def name(self):
        return "slower" if self.ratio > 1 else "faster"


@dataclass(frozen=True)
class _Test:
    tail: float  # that a single place may be wrong with, on each side
    noise: float

    def half(self, variance, freedom, one, other):
        """Of the interval of the difference of the means of `one` and `other` runs: of their own
        variance, but never narrower than the machine's noise lets it be."""
        width = numpy.maximum(special.stdtrit(freedom, 1 - self.tail) * numpy.sqrt(variance),
                              special.ndtri(1 - self.tail) * self.noise)
        return width * numpy.sqrt(1 / one + 1 / other)


def find(levels, *, courses, floor, confidence, noise):
    """The steps in a course of logarithms; `courses` is how many are searched together, and `noise`
    the standard deviation of one run's logarithm on unchanged code."""
    if len(levels) < 2 * LEAST_RUNS:
        return []
    levels = numpy.asarray(levels, dtype=float)
    places = len(_stretches(len(levels))[0])
    test = _Test((1 - confidence) / (2 * places * courses), noise)
    cuts = _cuts(levels, 0, len(levels), test)
    while cuts:
        steps = _steps(levels, cuts, test)
        unsure = [step for step in steps if step.low <= 1 <= step.high
                  or abs(math.log(step.ratio)) <= math.log1p(floor)]
        if not unsure:
            return steps
        # One at a time, the smallest first: without it the others' sides are longer.
        cuts.remove(min(unsure, key=lambda step: abs(math.log(step.ratio))).at)
    return []


def _without_outliers(levels):
    """Each within the range of the two before and the two after it."""
    padded = numpy.pad(levels, 2, constant_values=numpy.nan)
    near = numpy.stack([padded[shift:shift + len(levels)] for shift in (0, 1, 3, 4)])
    return numpy.clip(levels, numpy.nanmin(near, axis=0), numpy.nanmax(near, axis=0))


def _stretches(count):
    """Beginnings and ends of all stretches of `count` runs that leave levels of enough runs: before
    it, within, and after it, unless it ends with the course. (One that begins with the course is
    the rest of one that ends with it.)"""
    begins, ends = numpy.triu_indices(count + 1, LEAST_RUNS)
    good = (begins >= LEAST_RUNS) & ((ends == count) | (ends <= count - LEAST_RUNS))
    return begins[good], ends[good]


def _cuts(levels, first, last, test):
    """Sorted places between runs of levels[first:last], each the first of a new level."""
    part, count = levels[first:last], last - first
    if count < 2 * LEAST_RUNS:
        return []
    begins, ends = _stretches(count)
    inside, outside = ends - begins, count - (ends - begins)
    calm = _sums(_without_outliers(part), begins, ends)
    difference = calm / inside + calm / outside
    # What was disturbed widens the interval all the same.
    total = _sums(part, begins, ends)
    squares = part.var() * count - total**2 / inside - total**2 / outside
    variance = numpy.maximum(squares, 0) / (count - 2)
    excess = numpy.abs(difference) / test.half(variance, count - 2, inside, outside)
    best = int(numpy.argmax(excess))
    if excess[best] <= 1:
        return []
    edges = [0, int(begins[best]), int(ends[best]), count]
    found = {first + edge for edge in edges[1:] if edge < count}
    for begin, end in zip(edges, edges[1:]):
        found.update(_cuts(levels, first + begin, first + end, test))
    return sorted(found)


def _sums(levels, begins, ends):
    """Of each stretch, relative to the mean of all: the rest has the same sum, but for its sign."""
    sums = numpy.concatenate(([0.0], numpy.cumsum(levels - levels.mean())))
    return sums[ends] - sums[begins]


def _steps(levels, cuts, test):
    parts = numpy.split(levels, cuts)
    freedom = len(levels) - len(parts)
    variance = sum(float(numpy.sum((part - part.mean())**2)) for part in parts) / freedom
    steps = []
    for at, old, new in zip(cuts, parts, parts[1:]):
        difference = float(_without_outliers(new).mean() - _without_outliers(old).mean())
        half = float(test.half(variance, freedom, len(old), len(new)))
        steps.append(Step(at, math.exp(difference), math.exp(difference - half),
                          math.exp(difference + half)))
    return steps
