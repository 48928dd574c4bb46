"""The figures of a load run, computed from its requests.

A request counts in the measured phase where its scheduled time lies in it. Response time runs from
the scheduled time to the last byte, service time from the send, and lag is what lies between the
two; each of the successes alone. Percentiles are nearest-rank, p99 from 100 successes on. Over the
repeats a figure is the nearest-rank median of each run's.
"""

import statistics

from load.requests import FAILURES, MEASURED, OK, REJECTED, TIMED_OUT
from report.percentiles import P99_SAMPLES, percentile

PERCENTS = (50, 95, 99)


def of_groups(groups, measured_s):
    """What `context.shopmark.load` says of a route, or of the routes of a script together."""
    outcomes = {name: sum(group.outcomes[name] for group in groups)
                for name in (OK, TIMED_OUT, REJECTED, *FAILURES)}
    times = {"response": [], "service": [], "lag": []}
    for group in groups:
        times["response"] += map(_minus, group.done, group.scheduled)
        times["service"] += map(_minus, group.done, group.sent)
        times["lag"] += map(_minus, group.sent, group.scheduled)
    made = {"offered": sum(outcomes.values()),
            "sent": sum(group.sent_count for group in groups),
            "succeeded": outcomes[OK],
            "failed": {name: outcomes[name] for name in FAILURES if outcomes[name]},
            "timed_out": outcomes[TIMED_OUT], "rejected": outcomes[REJECTED],
            "throughput_rps": outcomes[OK] / measured_s if measured_s > 0 else 0.0}
    return made | {name: percentiles(values) for name, values in times.items()}


def _minus(one, other):
    return one - other


def percentiles(values):
    """By name; without those that there are too few values for."""
    ordered = sorted(values)
    return {f"p{percent}": percentile(ordered, percent) for percent in PERCENTS
            if ordered and (percent != 99 or len(ordered) >= P99_SAMPLES)}


def samples(group):
    """The response times of a route's successes, in the order of their schedule."""
    return [group.done[place] - group.scheduled[place] for place in group.by_schedule()]


def stages_of(requests):
    """By (run, stage): the measured groups by (script, route)."""
    found = {}
    for (run, stage, phase, script, route), group in requests.groups.items():
        if phase == MEASURED:
            found.setdefault((run, stage), {})[script, route] = group
    return found


def median(values):
    """Nearest-rank; none of nothing, or where one of them is not there."""
    values = list(values)
    if not values or any(value is None for value in values):
        return None
    return percentile(sorted(values), 50)


def spread(values):
    """Of the runs' throughput."""
    middle = median(values)
    deviation = statistics.stdev(values) if len(values) > 1 else 0.0
    return {"median": middle, "sample_stdev": deviation,
            "cv_percent": 100 * deviation / statistics.fmean(values) if any(values) else 0.0}


def failed(counts):
    """How many of what was offered did not succeed, of a route's or script's counts."""
    return counts["offered"] - counts["succeeded"]


def name_of(stage, scenario, script, route):
    """Of an entry in `benchmarks`: what its load was is part of it where that changes."""
    if "ladder" in scenario:
        return f"{script}/{route}/clients:{stage.get('clients')}"
    if "slo" in scenario:
        return f"{script}/{route}/rate:{stage.get('rate'):g}"
    return f"{script}/{route}"
