"""Nearest-rank percentiles and their intervals from order statistics."""

import functools
import math

# From this many samples on a p99 says something.
P99_SAMPLES = 100

# What an interval leaves to each side.
_TAIL = 0.025


def percentile(ordered, percent):
    """The smallest of the sorted samples that at least `percent` % of them do not exceed."""
    rank = -(-percent * len(ordered) // 100)
    return ordered[rank - 1]


def interval(ordered, percent):
    """Two samples that hold the true percentile between them with 95% confidence, whatever the
    distribution; None when there are too few samples for that.

    H. A. David, H. N. Nagaraja, Order Statistics (2003), section 7.1.
    """
    ranks = interval_ranks(len(ordered), percent)
    if ranks is None:
        return None
    low, high = ranks
    return ordered[low - 1], ordered[high - 1]


@functools.lru_cache
def interval_ranks(count, percent):
    """The ranks of `interval`, from 1: the number of samples up to the true percentile is binomial,
    and it is below `low`, or `high` and more, with at most 2.5% probability each."""
    low = _tail_rank(count, percent)
    high = count + 1 - _tail_rank(count, 100 - percent)
    return (low, high) if low >= 1 and high <= count else None


def _tail_rank(count, percent):
    """The largest rank with P(B < rank) <= 2.5%, where B is binomial(count, percent / 100)."""
    log_in, log_out = math.log(percent / 100), math.log1p(-percent / 100)
    below, rank = 0.0, 0
    while True:
        below += math.exp(math.lgamma(count + 1) - math.lgamma(rank + 1)
                          - math.lgamma(count - rank + 1)
                          + rank * log_in + (count - rank) * log_out)
        if below > _TAIL:
            return rank
        rank += 1
