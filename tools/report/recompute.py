"""Google Benchmark's own figures of a run, computed again: the mean of each repetition's samples,
and what it says of all repetitions together."""

import math
import statistics

NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}

_AGGREGATES = {"mean": statistics.fmean, "median": statistics.median, "stddev": statistics.stdev,
               "cv": lambda times: statistics.stdev(times) / statistics.fmean(times)}


def mean_of(samples, unit):
    return sum(samples) / len(samples) / NS[unit]


def same(says, gives, scale=None):
    """Equal but for what floating-point arithmetic may lose. It computes a deviation as the
    difference of two numbers as large as `scale`."""
    return math.isclose(says, gives, rel_tol=1e-9, abs_tol=1e-6 * scale if scale else 0)


def aggregate_of(name, times):
    """None for one that cannot be computed."""
    return _AGGREGATES[name](times) if name in _AGGREGATES and len(times) > 1 else None


def scale_of(name, times):
    """What `same` wants of an aggregate."""
    return {"stddev": statistics.fmean(times), "cv": 1}.get(name)
