"""From two sides of a case to a verdict.

Every call's time is divided by the median of its own parameter's calls on both sides, so that
parameters of unequal cost do not hide a change. Each repetition gives the median of that; a side's
estimate is the mean of its repetitions' logarithms. The ratio's interval is Welch's t interval of
the difference (B. L. Welch, Biometrika 34, 1947). A side of one repetition has its error from its own
calls: what endless bootstrapping of their median would give, in closed form (J. S. Maritz, R. G.
Jarrett, Journal of the American Statistical Association 73, 1978). What two runs of unchanged code
differ by on this machine is added to either. The intervals of a table hold together with the given confidence: each is
widened for their number (Bonferroni)."""

import functools
import math
import statistics
from dataclasses import dataclass, replace

import numpy
from scipy import special  # scipy.stats has the same, but takes a second to load

FASTER, SLOWER, SAME, CANNOT_TELL = "faster", "slower", "same", "cannot tell"
NEWLY_FAILING, NEWLY_PASSING, FAILING = "newly failing", "newly passing", "failing"
ONLY_OLD, ONLY_NEW = "only in old", "only in new"

# Where `shopmark aa` has not measured this machine's: a standard deviation of the logarithm.
ASSUMED_NOISE = 0.05

# Fewer calls tell nothing of how much they vary.
LEAST_CALLS = 5


@dataclass(frozen=True)
class Verdict:
    verdict: str
    ratio: float | None = None  # new to old; above 1 is slower
    low: float | None = None
    high: float | None = None
    # A side, of one that cannot tell; none where the machine's noise is the reason.
    samples_needed: int | None = None
    reason: str = ""
    rows_equal: bool | None = None  # both sides' answers; none where nobody compared them

    def is_worse(self):
        return self.verdict in (SLOWER, NEWLY_FAILING)


@dataclass(frozen=True)
class _Estimate:
    mean: float
    variance: float
    freedom: float


def judge(pair, *, floor, confidence, cases, noise):
    """The verdict on a Pair; `cases` is how many are judged together. `noise` is the standard
    deviation of one run's logarithm on unchanged code."""
    missing = absent(pair)
    if missing:
        return missing
    old, new = pair.old, pair.new
    if old.parameter_rows != new.parameter_rows:
        return Verdict(CANNOT_TELL, reason="other rows than before, so other work")
    if min(side.samples() for side in (old, new)) < LEAST_CALLS:
        return Verdict(CANNOT_TELL, samples_needed=LEAST_CALLS,
                       reason=f"fewer than {LEAST_CALLS} calls")
    old_logs, new_logs = relative(old, new)
    before, after = _estimate(old_logs), _estimate(new_logs)
    difference = after.mean - before.mean
    sampling = before.variance + after.variance
    between_runs = 2 * noise**2
    if sampling + between_runs == 0:
        return of_interval(difference, 0, floor)
    # Welch and Satterthwaite's; the noise counts as known.
    freedom = (sampling + between_runs)**2 / max(
        sum(one.variance**2 / one.freedom for one in (before, after)), 1e-300)
    quantile = float(special.stdtrit(freedom, 1 - (1 - confidence) / (2 * cases)))
    half = quantile * math.sqrt(sampling + between_runs)
    made = of_interval(difference, half, floor)
    if made.verdict != CANNOT_TELL:
        return made
    # The interval would have to end before 0, or both its ends lie within the floor.
    wanted = max(abs(difference), math.log1p(floor) - abs(difference)) / quantile
    room = wanted**2 - between_runs
    if room <= 0:
        return made
    samples = max(side.samples() for side in (old, new))
    return replace(made, samples_needed=math.ceil(samples * max(sampling / room, 1)))


def of_interval(difference, half, floor):
    """What the interval of a difference of logarithms says."""
    low, high = difference - half, difference + half
    shown = {"ratio": math.exp(difference), "low": math.exp(low),
             # Too far to tell is as good as endless, and JSON has no infinity.
             "high": math.exp(min(high, 700))}
    limit = math.log1p(floor)
    if -limit <= low and high <= limit:
        return Verdict(SAME, **shown)
    if low > 0:
        return Verdict(SLOWER, **shown)
    return Verdict(FASTER if high < 0 else CANNOT_TELL, **shown)


def absent(pair):
    """The verdict where a side has no time."""
    if pair.old is None or pair.new is None:
        return Verdict(ONLY_NEW if pair.old is None else ONLY_OLD)
    was, now = pair.old.is_measured(), pair.new.is_measured()
    if was and not now:
        return Verdict(NEWLY_FAILING, reason=pair.new.errors[0])
    if now and not was:
        return Verdict(NEWLY_PASSING, reason=pair.old.errors[0])
    return Verdict(FAILING, reason=pair.new.errors[0]) if not now else None


def relative(*sides):
    """Each side's repetitions as logarithms relative to the medians of the calls' parameters on all
    sides."""
    count = len(sides[0].parameter_rows)
    # A clock's tick may be longer than the call.
    logs = [[numpy.log(numpy.maximum(entry.calls, 0.5)) for entry in side.entries]
            for side in sides]
    every = [one for side in logs for one in side]
    centres = [numpy.median(numpy.concatenate([one[i::count] for one in every]))
               for i in range(min(count, max(map(len, every))))]
    return [[one - numpy.resize(centres, len(one)) for one in side] for side in logs]


def level(repetitions):
    """The mean of the medians of what `relative` gives of a side."""
    return statistics.fmean(float(numpy.median(logs)) for logs in repetitions)


def _estimate(repetitions):
    medians = [float(numpy.median(logs)) for logs in repetitions]
    if len(medians) > 1:
        return _Estimate(statistics.fmean(medians), statistics.variance(medians) / len(medians),
                         len(medians) - 1)
    logs = repetitions[0]
    return _Estimate(medians[0], median_variance(logs), len(logs) - 1)


def median_variance(values):
    """The square of the standard error of the values' median."""
    weights, ordered = _median_weights(len(values)), numpy.sort(values)
    mean = weights @ ordered
    return float(weights @ (ordered - mean)**2)


@functools.lru_cache
def _median_weights(count):
    """How often each of the sorted values is the median of a bootstrap's resample. Of an even
    number it is one of the two in the middle, at random: no less than the error of their mean."""
    edges = numpy.arange(count + 1) / count
    return numpy.mean([numpy.diff(special.betainc(rank, count - rank + 1, edges))
                       for rank in ((count + 1) // 2, count // 2 + 1)], axis=0)
