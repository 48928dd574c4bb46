"""When two sides' rounds are clear enough, and what they say.

A round is a fresh process in which both sides take turns; it gives one difference of the logarithms
of their medians. Rounds are independent of each other, calls within one are not (caches, memory
layout, a neighbour's burst), so the interval is Student's t over the rounds' differences. It is
looked at a planned number of times, always after an even number of rounds, so that either side went
first equally often; each look and each case has its share of the error allowed to all of them
(Bonferroni, O. J. Dunn, Journal of the American Statistical Association 56, 1961; for looks at
growing data: P. Armitage, C. K. McPherson, B. C. Rowe, Journal of the Royal Statistical Society A
132, 1969). So stopping at the first clear one makes no more false alarms than were allowed."""

import math
import statistics
from dataclasses import replace

from scipy import special

from compare import verdict

LEAST_ROUNDS = 4
ROUNDS = 30
_GROWTH = 1.45  # of the rounds from look to look


def planned_looks(rounds):
    """After how many rounds there is a look, the last after `rounds`: 4, 6, 10, 16, 24, 30."""
    looks, look = [], LEAST_ROUNDS
    while look < rounds:
        looks.append(look)
        look = 2 * round(look * _GROWTH / 2 + 0.25)
    return [*looks, rounds]


def judge(differences, *, samples, floor, confidence, cases, looks):
    """The verdict after these rounds. `samples` is how many a side took in all of them, `looks` how
    many looks were planned."""
    count = len(differences)
    if count < LEAST_ROUNDS:
        return verdict.Verdict(verdict.CANNOT_TELL,
                               reason=f"{count} rounds; it takes {LEAST_ROUNDS}")
    mean = statistics.fmean(differences)
    error = statistics.stdev(differences) / math.sqrt(count)
    quantile = float(special.stdtrit(count - 1, 1 - (1 - confidence) / (2 * cases * looks)))
    made = verdict.of_interval(mean, quantile * error, floor)
    if made.verdict != verdict.CANNOT_TELL:
        return made
    # The interval shrinks with the root of the rounds, whatever they say.
    wanted = max(abs(mean), math.log1p(floor) - abs(mean))
    return replace(made, samples_needed=math.ceil(samples * (quantile * error / wanted)**2))
