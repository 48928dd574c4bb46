"""Where a bundle contradicts itself: its sums, and every figure computed again from its requests."""

import json
import math
import os
from dataclasses import dataclass

from console.errors import Failed
from load import bundle, figures, orders, requests
from load.conclusions import conclusions
from report import read
from report.fields import NotAReport, WrongReport

# A bundle that is wrong in one place is wrong in many; `load` shows so many.
MOST_SHOWN = 20

SUMMARY = "summary.json"


@dataclass(frozen=True)
class Verdict:
    problems: list[str]  # a line for each contradiction, which names the file and the figure
    requests: int = 0
    orders: int = 0


def verify(folder):
    """Throws nothing: what cannot be read is a problem."""
    found = list(bundle.wrong_sums(folder))
    try:
        asked = requests.read(os.path.join(folder, "requests.csv"))
        found += asked.problems
        summary = _summary(os.path.join(folder, SUMMARY))
        found += Check(summary, asked).lines()
        acknowledged = orders.read(os.path.join(folder, "orders.csv"))
        found += _orders(folder, asked, acknowledged)
    except Failed as error:
        return Verdict(found + [str(error)])
    return Verdict(found, asked.count, len(acknowledged))


def _summary(path):
    """The document, once the report accepts it: so the percentiles, means and counts of its entries
    follow from their samples."""
    try:
        with open(path, "rb") as file:
            content = file.read()
        run = read.parse(content)
    except OSError as error:
        raise Failed(f"{SUMMARY}: {error.strerror}") from None
    except (NotAReport, WrongReport) as error:
        raise Failed(f"{SUMMARY}: {error}") from None
    document = json.loads(content)
    if not isinstance(document["context"]["shopmark"].get("load"), dict):
        raise Failed(f"{SUMMARY}: context.shopmark has no load")
    return document, run


class Check:
    """Compares what summary.json says with what the requests give."""

    def __init__(self, summary, asked):
        document, self.run = summary
        self.load = document["context"]["shopmark"]["load"]
        self.complete = self.run.complete
        self.asked = asked
        self.found = []

    def lines(self):
        try:
            self._check()
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            self._say("load", f"is not of the form that the verifier knows: "
                              f"{type(error).__name__} {error}")
        return self.found

    def _say(self, where, what):
        self.found.append(f"{SUMMARY}: {where}: {what}")

    def _same(self, where, says, gives):
        """Numbers that are not integers may have lost what floating-point arithmetic loses."""
        if isinstance(says, float) or isinstance(gives, float):
            equal = (isinstance(says, (int, float)) and isinstance(gives, (int, float))
                     and math.isclose(says, gives, rel_tol=1e-6, abs_tol=1e-6))
        else:
            equal = says == gives and isinstance(says, bool) == isinstance(gives, bool)
        if not equal:
            self._say(where, f"says {_shown(says)}, the requests give {_shown(gives)}")

    def _check(self):
        scenario, measured = self.load["scenario"], figures.stages_of(self.asked)
        entries = {(entry.query, entry.repetition): entry for entry in self.run.entries}
        stages = {}
        for stage in self.load["stages"]:
            key = stage["run"], stage["stage"]
            if key in stages:
                self._say(_of(key), "stands twice")
            stages[key] = self._stage(stage, scenario, measured.get(key, {}), entries)
        limit = scenario["timeout_s"] * 1e9 + 1
        for (run, number, _, script, route), group in self.asked.groups.items():
            if any(done - sent > limit for sent, done in zip(group.sent, group.done)):
                self.found.append(f"requests.csv: {_of((run, number))}, {script}/{route}: a success "
                                  f"took longer than timeout_s, {scenario['timeout_s']} s")
        for key in sorted(measured.keys() - stages.keys()):
            self._say(_of(key), "has requests, and does not stand in load.stages")
        for query, repetition in sorted(entries):
            self._say(f"entry {query}, repetition {repetition}", "has no requests")
        self._conclusions(stages)

    def _stage(self, stage, scenario, groups, entries):
        """The figures that its requests give, by (script, route) and by script."""
        where = _of((stage["run"], stage["stage"]))
        self._phase(stage, scenario, where)
        self._rate(stage, scenario, groups.values(), where)
        made, scripts = {}, {script for script, _ in groups}
        for says in stage["scripts"]:
            script = says["script"]
            scripts.discard(script)
            routes = {route: group for (its, route), group in groups.items() if its == script}
            made[script] = self._counts(f"{where}, {script}", says, list(routes.values()), stage)
            for route_says in says["routes"]:
                route = route_says["route"]
                group = routes.pop(route, None)
                made[script, route] = self._counts(f"{where}, {script}/{route}", route_says,
                                                   [group] if group else [], stage)
                if group:
                    self._entry(stage, scenario, script, route, group, entries)
            for route in sorted(routes):
                self._say(f"{where}, {script}/{route}", "has requests, and is not listed")
        for script in sorted(scripts):
            self._say(f"{where}, {script}", "has requests, and is not listed")
        return stage | {"made": made}

    def _phase(self, stage, scenario, where):
        """Every measured request was scheduled in the measured phase, every other before."""
        begins = round(scenario["warmup_s"] * 1e9)
        ends = begins + round(stage["planned_s"] * 1e9)
        if self.complete:
            self._same(f"{where}, planned_s", float(stage["planned_s"]),
                       float(scenario["duration_s"]))
        for (run, number, phase, script, route), group in self.asked.groups.items():
            if (run, number) != (stage["run"], stage["stage"]):
                continue
            least, most = ((begins, ends) if phase == requests.MEASURED else (0, begins))
            if group.first < least or group.last > most:
                self.found.append(f"requests.csv: {where}, {script}/{route}: a request of phase "
                                  f"{phase} was scheduled outside it")

    def _rate(self, stage, scenario, groups, where):
        """What was asked for is the scenario's, and whether the driver held it."""
        arrival = scenario["scripts"][0]["arrival"]
        self._same(f"{where}, kind", stage["kind"], "open" if "open" in arrival else "closed")
        if "slo" in scenario:
            if not scenario["slo"]["low"] <= stage["rate"] <= scenario["slo"]["high"]:
                self._say(f"{where}, rate", "is outside the search's limits")
        elif "ladder" in scenario:
            if stage["clients"] not in scenario["ladder"]["clients"]:
                self._say(f"{where}, clients", "is no rung of the ladder")
        elif "open" in arrival:
            self._same(f"{where}, rate", float(stage["rate"]), float(arrival["open"]["rate"]))
        else:
            self._same(f"{where}, clients", stage["clients"], arrival["closed"]["clients"])
        sends = sum(group.open_sends for group in groups)
        late = 100 * sum(group.late_sends for group in groups) / sends if sends else 0.0
        self._same(f"{where}, late_percent", float(stage["late_percent"]), late)
        self._same(f"{where}, held_rate", stage["held_rate"],
                   late <= scenario.get("most_late_percent", 1))

    def _counts(self, where, says, groups, stage):
        gives = figures.of_groups(groups, stage["measured_s"])
        for name in ("offered", "sent", "succeeded", "timed_out", "rejected"):
            self._same(f"{where}, {name}", says[name], gives[name])
        for name in sorted({*says["failed"], *gives["failed"]}):
            self._same(f"{where}, failed.{name}", says["failed"].get(name, 0),
                       gives["failed"].get(name, 0))
        if says["offered"] != (says["succeeded"] + sum(says["failed"].values())
                               + says["timed_out"] + says["rejected"]):
            self._say(f"{where}, offered", "is not the sum of what became of the requests")
        self._same(f"{where}, throughput_rps", float(says["throughput_rps"]),
                   gives["throughput_rps"])
        for times in ("response", "service", "lag"):
            for percent in figures.PERCENTS:
                name = f"p{percent}"
                self._same(f"{where}, {times}.{name}", (says[times] or {}).get(name),
                           gives[times].get(name))
        return gives

    def _entry(self, stage, scenario, script, route, group, entries):
        name = figures.name_of(stage, scenario, script, route)
        entry = entries.pop((name, stage["run"]), None)
        where = f"entry {name}, repetition {stage['run']}"
        if entry is None:
            self._say(where, "is missing")
        elif entry.error is not None:
            if group.outcomes[requests.OK]:
                self._say(where, f"failed, and {group.outcomes[requests.OK]} requests succeeded")
        else:
            gives = figures.samples(group)
            if list(entry.calls) != gives:
                if sorted(entry.calls) != sorted(gives):
                    self._say(f"{where}, samples", f"{len(entry.calls)} of them are not the "
                                                   f"{len(gives)} that the requests give")
                elif not _same_schedule(entry.calls, group):
                    self._say(f"{where}, samples", "are not in the order of the schedule")

    def _conclusions(self, stages):
        for where, says, gives in conclusions(self.load, stages):
            self._same(where, says, gives)


def _same_schedule(calls, group):
    """Whether they are in the order of the schedule, where some are scheduled for one moment."""
    places, begin = group.by_schedule(), 0
    while begin < len(places):
        end = begin
        while end < len(places) and (group.scheduled[places[end]]
                                     == group.scheduled[places[begin]]):
            end += 1
        gives = sorted(group.done[place] - group.scheduled[place] for place in places[begin:end])
        if sorted(calls[begin:end]) != gives:
            return False
        begin = end
    return True


def _orders(folder, asked, acknowledged):
    """orders.csv against the checkouts that were answered, and store.json's verdict."""
    groups = [group for key, group in asked.groups.items() if key[4] == requests.CHECKOUT]
    answered = sum(group.outcomes[requests.OK] for group in groups)
    if len(acknowledged) > answered:
        yield (f"orders.csv: {len(acknowledged)} orders were acknowledged, and {answered} "
               "checkouts answered")
    try:
        with open(os.path.join(folder, "store.json"), encoding="utf-8") as file:
            says = json.load(file)
        gives = orders.verdict(acknowledged, says["visits"],
                               sum(group.unanswered for group in groups))
    except FileNotFoundError:
        # shopmark-load alone knows no store.
        return
    except (OSError, ValueError, KeyError, TypeError) as error:
        yield f"store.json: not what tools/shopmark load writes: {error}"
        return
    for name in gives:
        if says.get(name) != gives[name]:
            yield f"store.json: {name} says {_shown(says.get(name))}, it is {_shown(gives[name])}"
    yield from (f"store.json: {problem}" for problem in gives["problems"])


def _of(key):
    return f"run {key[0]}, stage {key[1]}"


def _shown(value):
    if value is None:
        return "nothing"
    text = json.dumps(value)
    return text if len(text) <= 80 else text[:77] + "..."
