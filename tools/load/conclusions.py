"""What a load run concludes from its figures: rungs, ladders, rates, thresholds and repeats, each
computed again from the figures that verify made."""

from load import figures

_NS_PER_MS = 1_000_000


def conclusions(load, stages):
    """(where, what the file says, what follows) of each. A stage has its figures in `made`, by
    script and by (script, route)."""
    scenario = load["scenario"]
    runs = {}
    for (run, number), stage in sorted(stages.items()):
        runs.setdefault(run, {})[number] = stage
    for stage in stages.values():
        if "ladder" in scenario or "slo" in scenario:
            yield (f"run {stage['run']}, stage {stage['stage']}, cleared", stage["cleared"],
                   cleared(stage, scenario))
    yield ("held_rate", load["held_rate"], all(stage["held_rate"] for stage in stages.values()))
    if "ladder" in scenario:
        yield from _ladder(load["ladder"], scenario, stages)
    elif "slo" in scenario:
        yield from _slo(load["slo"], scenario, stages)
    else:
        yield from _repeats(load["repeats"], runs)
        yield from _thresholds(load.get("thresholds", []), scenario, runs)


def cleared(stage, scenario):
    """Whether the driver held the rate, nothing failed and every percentile is below the ladder's
    limit, of each route; or up to those of the search, of the first script as a whole."""
    is_ladder = "ladder" in scenario
    if is_ladder:
        limits = {"p95": scenario["ladder"]["p95_ms"]}
        judged = [counts for key, counts in stage["made"].items() if isinstance(key, tuple)]
        judged = [counts for counts in judged if counts["offered"]]
    else:
        limits = {name: scenario["slo"][f"{name}_ms"] for name in ("p95", "p99")
                  if f"{name}_ms" in scenario["slo"]}
        judged = [stage["made"][scenario["scripts"][0]["name"]]]
    return bool(judged) and stage["held_rate"] and all(
        figures.failed(counts) == 0 and name in counts["response"]
        and (counts["response"][name] < limit * _NS_PER_MS
             or not is_ladder and counts["response"][name] == limit * _NS_PER_MS)
        for counts in judged for name, limit in limits.items())


def _ladder(says, scenario, stages):
    """Of each route the greatest number of clients below the first that did not clear, in every
    run; requests a second and p95 there are the medians of the runs."""
    rungs = {}
    for stage in stages.values():
        for key, counts in stage["made"].items():
            if isinstance(key, tuple) and counts["offered"]:
                rungs.setdefault(key, {}).setdefault(stage["clients"], []).append(
                    (cleared(stage, scenario), counts))
    listed = {(line["script"], line["route"]): line for line in says}
    yield "ladder, routes", sorted(map("/".join, listed)), sorted(map("/".join, rungs))
    for key in sorted(rungs.keys() & listed.keys()):
        best, broke = None, None
        for clients in sorted(rungs[key]):
            if not all(went_well for went_well, _ in rungs[key][clients]):
                broke = clients
                break
            best = clients
        counts = [counts for _, counts in rungs[key].get(best, [])]
        p95 = figures.median(one["response"].get("p95") for one in counts)
        gives = {"cleared_at": best, "broke_at": broke,
                 "req_per_s": figures.median(one["throughput_rps"] for one in counts),
                 "p95_ms": None if p95 is None else p95 / _NS_PER_MS}
        for name, value in gives.items():
            yield f"ladder, {'/'.join(key)}, {name}", listed[key].get(name), value


def _slo(says, scenario, stages):
    """The greatest rate that was met in every run in which it was tried."""
    script, tried = scenario["scripts"][0]["name"], {}
    for stage in stages.values():
        tried.setdefault(stage["rate"], []).append(
            (cleared(stage, scenario), stage["made"][script]))
    met = [rate for rate, ones in tried.items() if all(went_well for went_well, _ in ones)]
    missed = [rate for rate in tried if rate not in met]
    best = max(met, default=None)
    counts = [counts for _, counts in tried.get(best, [])]
    gives = {"rate": best, "missed_at": min(missed, default=None),
             "req_per_s": figures.median(one["throughput_rps"] for one in counts)}
    for name in ("p95", "p99"):
        value = figures.median(one["response"].get(name) for one in counts)
        gives[f"{name}_ms"] = None if value is None else value / _NS_PER_MS
    for name, value in gives.items():
        yield f"slo, {name}", says.get(name), value


def _repeats(says, runs):
    """Medians of each run's percentiles by route; the spread of all scripts' requests a second."""
    routes = dict.fromkeys(key for stages in runs.values() for stage in stages.values()
                           for key in stage["made"] if isinstance(key, tuple))
    named = {"/".join(key) for key in routes}
    yield "repeats, routes", sorted(says.keys() - {"throughput"}), sorted(named)
    for key in routes:
        for percent in figures.PERCENTS:
            yield (f"repeats, {'/'.join(key)}, p{percent}",
                   says.get("/".join(key), {}).get(f"p{percent}"),
                   over_runs(runs, key, lambda counts, name=f"p{percent}":
                             counts["response"].get(name)))
    throughput = figures.spread(
        [sum(counts["throughput_rps"] for stage in stages.values()
             for key, counts in stage["made"].items() if not isinstance(key, tuple))
         for stages in runs.values()])
    for name, value in throughput.items():
        yield f"repeats, throughput, {name}", says.get("throughput", {}).get(name), value


def over_runs(runs, key, figure):
    """The median over the runs of a figure of the one stage that each has."""
    return figures.median(figure(stage["made"][key]) if key in stage["made"] else None
                          for stages in runs.values() for stage in stages.values())


def _thresholds(says, scenario, runs):
    wanted = scenario.get("thresholds", [])
    yield "thresholds, how many", len(says), len(wanted)
    for number, (one, rule) in enumerate(zip(says, wanted)):
        where = f"threshold {one.get('text', number)}"
        key = (rule["script"], rule["route"]) if rule.get("route") else rule["script"]
        value = over_runs(runs, key, lambda counts, name=rule["figure"]: _figure(counts, name))
        limit, at_least = rule.get("least", rule.get("most")), "least" in rule
        yield f"{where}, value", one["value"], value
        yield f"{where}, limit", float(one["limit"]), float(limit)
        yield (f"{where}, passed", one["passed"],
               value is not None and (value >= limit if at_least else value <= limit))


def _figure(counts, name):
    """Of a threshold, in its unit."""
    if name == "throughput_rps":
        return counts[name]
    if name == "failed_percent":
        return 100 * figures.failed(counts) / counts["offered"] if counts["offered"] else None
    value = counts["response"].get(name.removesuffix("_ms"))
    return None if value is None else value / _NS_PER_MS
