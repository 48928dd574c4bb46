"""From bundles to the rows of their tables."""

import csv
import json
import os
from dataclasses import dataclass

from console import files
from console.errors import NotStarted
from console.places import ROOT
from load import figures
from report.read import Run
from report.table import PUBLISHED_PROFILE

_REFERENCE = os.path.join(ROOT, "tools", "reference")


@dataclass(frozen=True)
class LoadRun:
    folder: str
    run: Run
    load: dict

    @property
    def target(self):
        return next(iter(self.run.targets.values()))

    @property
    def scenario(self):
        return self.load["scenario_name"]

    def runs(self):
        """The stages of each repeat."""
        found = {}
        for stage in self.load["stages"]:
            found.setdefault(stage["run"], []).append(stage)
        return list(found.values())

    def scripts(self):
        """Of every run and stage: (stage, script's figures)."""
        return [(stage, script) for stage in self.load["stages"] for script in stage["scripts"]]

    def routes(self):
        """(script, route) -> title, in the order of the file."""
        return {(script["script"], route["route"]): route["title"]
                for _, script in self.scripts() for route in script["routes"]}

    def failed(self):
        return not self.run.complete or bool(self.misses())

    def misses(self):
        """What was asked of the run and not reached; a line for each."""
        found = []
        # A search or a ladder goes to where something breaks, the driver too.
        if self.load["held_rate"] is False and not self.load["scenario"].keys() & {"slo", "ladder"}:
            found.append("the driver could not hold the rate, so these figures are of another load")
        found += [f"missed: {one['text']}, it was {one['value']}"
                  for one in self.load.get("thresholds", []) if not one["passed"]]
        return found

    def remarks(self):
        """What a reader of a search has to know."""
        missed = self.load.get("slo", {}).get("missed_at")
        if all(stage["held_rate"] for stage in self.load["stages"]
               if "rate" in stage and stage["rate"] == missed):
            return []
        return [f"the driver itself could not hold {missed:g}/s: the limit there is not the server's"]

    def figure(self, script, route, percent):
        """ns: the median of the runs' percentile of response time; none where there is none."""
        return self.load["repeats"].get(f"{script}/{route}", {}).get(f"p{percent}")

    def lost(self, script, route):
        """How many of a route's requests became what, but for the successes."""
        total = {}
        for _, one in self.scripts():
            if one["script"] != script:
                continue
            for counts in one["routes"]:
                if counts["route"] == route:
                    for name, count in _losses(counts).items():
                        total[name] = total.get(name, 0) + count
        return {name: count for name, count in total.items() if count}

    def totals(self, script):
        """Of a script over the runs: the sums of its counts and the medians of its figures."""
        ones = [one for _, one in self.scripts() if one["script"] == script]
        if not ones:
            return None
        offered = sum(one["offered"] for one in ones)
        made = {"requests": offered, "failed": sum(map(figures.failed, ones)),
                "throughput_rps": figures.median(one["throughput_rps"] for one in ones)}
        for times in ("response", "service", "lag"):
            for percent in figures.PERCENTS:
                made[times, percent] = figures.median(
                    (one[times] or {}).get(f"p{percent}") for one in ones)
        return made


def _losses(counts):
    return counts["failed"] | {"timed_out": counts["timed_out"], "rejected": counts["rejected"]}


def read(folder):
    """Throws NotStarted."""
    path = os.path.join(folder, "summary.json") if os.path.isdir(folder) else folder
    run = files.read_run(path)
    with open(path, encoding="utf-8") as file:
        load = json.load(file)["context"]["shopmark"].get("load")
    if not isinstance(load, dict):
        raise NotStarted(f"{path}: a run of shopmark-bench; its table is tools/shopmark report")
    if not run.targets:
        raise NotStarted(f"{path}: describes no target")
    made = LoadRun(folder, run, load)
    try:
        made.scenario, made.routes(), made.misses(), made.remarks()
        [made.totals(script["script"]) for _, script in made.scripts()]
    except (KeyError, TypeError, AttributeError) as error:
        raise NotStarted(f"{path}: load is not of the form that this reads: "
                         f"{type(error).__name__} {error}") from None
    return made


@dataclass(frozen=True)
class Published:
    """Published figures as written, in ms and requests a second."""
    routes: dict[tuple[str, str, str, int], str]  # by script, title, engine and percent
    capacity: dict[tuple[str, str], dict[str, str]]  # by engine and title
    totals: dict[tuple[str, str, str], str]  # by script, figure and engine

    @staticmethod
    def read():
        routes, capacity, totals = {}, {}, {}
        for line in _lines("store_routes.csv"):
            for column, value in line.items():
                for ending, percent in (("_p95_ms", 95), ("_median_ms", 50), ("_p99_ms", 99)):
                    if column.endswith(ending):
                        routes[line["script"], line["route"], column.removesuffix(ending),
                               percent] = value
        for line in _lines("store_capacity.csv"):
            capacity[line["engine"], line["route"]] = line
        for line in _lines("store_script_totals.csv"):
            for engine in line.keys() - {"script", "figure"}:
                totals[line["script"], line["figure"], engine] = line[engine]
        return Published(routes, capacity, totals)

    @staticmethod
    def comparable(run):
        return run.target.profile == PUBLISHED_PROFILE


def _lines(name):
    with open(os.path.join(_REFERENCE, name), newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
