"""What `shopmark aa` measured of a machine: by how much two runs of unchanged code differ there.

The standard deviation between runs is itself an estimate from a few runs, so its upper 95% bound
counts (its square is distributed as chi-square; G. W. Snedecor, W. G. Cochran, Statistical Methods,
1967, section 3.15)."""

import json
import math
import os
import statistics
from dataclasses import dataclass

from scipy import special

from console.places import ROOT

FILE = os.path.join(ROOT, "build", "report", "noise.json")
FORMAT = 1
_BOUND = 0.95


@dataclass(frozen=True)
class Noise:
    """Of one host, by engine, version and query."""
    date: str
    host: tuple[str, str]
    cases: dict[tuple[str, str, str], float]

    def of(self, run, target, query):
        """The standard deviation of one run's logarithm; none where this machine or engine was not
        measured."""
        described = run.targets.get(target)
        if described is None or host_of(run) != self.host:
            return None
        return self.cases.get((described.engine, described.version, query))


def host_of(run):
    return run.facts.get("host_name", ""), run.facts.get("num_cpus", "")


def upper_bound(deviation, freedom):
    """What the true standard deviation does not exceed, with 95% confidence."""
    return deviation * math.sqrt(freedom / special.chdtri(freedom, _BOUND))


def estimate(levels):
    """From runs' log medians."""
    return upper_bound(statistics.stdev(levels), len(levels) - 1)


def load(path=FILE):
    """None where there is no such file, or it is no longer to be understood: it can be made anew."""
    try:
        with open(path, encoding="utf-8") as file:
            made = json.load(file)
        if made["format"] != FORMAT:
            return None
        return Noise(str(made["date"]), (str(made["host_name"]), str(made["num_cpus"])),
                     {(one["engine"], one["version"], one["query"]): float(one["noise"])
                      for one in made["cases"] if 0 < float(one["noise"]) < math.inf})
    except (OSError, ValueError, KeyError, TypeError):
        return None
