"""The tables of load runs as terminal text."""

import textwrap

from load.tables import Published
from report import render, table
from report.render import HEADS, duration, plain

_PERCENTS = (95, 50, 99)
_NS_PER_MS = 1_000_000


def text(runs, published=None, width=80):
    """For a terminal of that many columns; bundles of one scenario stand side by side."""
    scenarios = {}
    for run in runs:
        scenarios.setdefault(run.scenario, []).append(run)
    return "\n".join("\n".join(_scenario(group, published, width)) + "\n"
                     for group in scenarios.values())


def _scenario(runs, published, width):
    named = _named(runs)
    lines = []
    for label, fact in _head(named):
        lines += textwrap.wrap(f"{label:9} {fact}", width, subsequent_indent=" " * 10)
    lines.append("")
    warnings = _warnings(named, width)
    lines += warnings
    scenario = runs[0].load["scenario"]
    if "ladder" in scenario:
        lines += _capacity(named, published)
    elif "slo" in scenario:
        lines += _search(named)
    else:
        lines += _routes(named, published, width) + [""] + _totals(named, published)
        lines += _spreads(named, width)
    lines += _losses(named, width)
    lines += [""] + textwrap.wrap(" ".join(_notes(named, published)), width)
    return lines + ([""] + warnings[:-1] if warnings else [])


def _named(runs):
    """By a name for the column: the target's, told apart where two have the same."""
    named = {}
    for run in runs:
        name, number = plain(run.target.name), 1
        while (key := name if number == 1 else f"{name} {number}") in named:
            number += 1
        named[key] = run
    return named


def _head(named):
    first = next(iter(named.values()))
    facts = render.head(first.run, table.build(first.run))
    known = [fact for fact in facts if fact[0] in ("measured", "build")]
    for name, run in named.items():
        of_target = dict(render.head(run.run, table.build(run.run)))[plain(run.target.name)]
        known.append((name, of_target))
    scenario = first.load["scenario"]
    arrivals = [f"{script['name']} {_arrival(script['arrival'])}" for script in
                scenario["scripts"]] if "ladder" not in scenario else [
        f"{_list(scenario['ladder']['clients'])} clients in turn, cleared while p95 is under "
        f"{scenario['ladder']['p95_ms']:g} ms and nothing fails"]
    if "slo" in scenario:
        arrivals[0] = (f"{plain(scenario['scripts'][0]['name'])} in an open loop, its highest rate "
                       f"from {scenario['slo']['low']:g} to {scenario['slo']['high']:g}/s with "
                       + " and ".join(f"{name} up to {scenario['slo'][f'{name}_ms']:g} ms"
                                      for name in ("p95", "p99") if f"{name}_ms" in scenario["slo"]))
    repeats = scenario.get("repeats", 1)
    known.append(("scenario", f"{plain(first.scenario)}: {', '.join(map(plain, arrivals))}; "
                              f"{scenario['duration_s']:g} s after {scenario['warmup_s']:g} s of "
                              f"warm-up{f', {repeats} times' if repeats > 1 else ''}"))
    return known


def _arrival(arrival):
    if "open" in arrival:
        return (f"{arrival['open']['rate']:g}/s in an open loop "
                f"({arrival['open'].get('spacing', 'constant')})")
    pipeline = arrival["closed"].get("pipeline", 1)
    return (f"{arrival['closed']['clients']} clients in a closed loop"
            + (f", {pipeline} requests deep" if pipeline > 1 else ""))


def _list(numbers):
    return ", ".join(map(str, numbers))


def _warnings(named, width):
    lines = []
    for name, run in named.items():
        for warning in render.warnings_of(run.run) + run.misses() + run.remarks():
            lines += textwrap.wrap(f"{name}: {plain(warning)}", width, subsequent_indent="  ")
    return lines + [""] if lines else []


def _routes(named, published, width):
    """p95, median and p99 beside each other, or where that is too wide, beneath."""
    wide = _route_grid(named, published, stacked=False)
    return wide if max(map(len, wide)) <= width else _route_grid(named, published, stacked=True)


def _route_grid(named, published, stacked):
    bands = [[percent] for percent in _PERCENTS] if stacked else [list(_PERCENTS)]

    def cells(figure):
        """A line for each band: each target's figures, the published ones beside them."""
        return [[value for run in named.values() for percent in band
                 for value in [figure(run, percent, False)]
                 + ([figure(run, percent, True)] if published else [])] for band in bands]

    lines = [["route" if number == 0 else "", *line] for number, line in enumerate(
        cells(lambda run, percent, of_others: "publ." if of_others else HEADS[percent]))]
    bodies, of_script = [], {}
    for run in named.values():
        for (script, route), title in run.routes().items():
            of_script.setdefault(script, {}).setdefault(route, title)
    for script, routes in of_script.items():
        if len(of_script) > 1:
            bodies.append(script)
        for route, title in routes.items():
            def figure(run, percent, of_others, script=script, route=route, title=title):
                if of_others:
                    return published.routes.get((script, title, run.target.engine, percent), "-") \
                        if Published.comparable(run) else "-"
                value = run.figure(script, route, percent)
                if value is not None:
                    return duration(value)
                is_there = (script, route) in run.routes()
                return "failed" if is_there and percent != 99 and run.lost(script, route) else "-"
            bodies.append([[plain(title) if number == 0 else "", *line]
                           for number, line in enumerate(cells(figure))])
    across = len(bands[0]) * (2 if published else 1)
    return _grid(lines, bodies, named, across, 1 if published else 2)


def _grid(heads, bodies, named, across, inner_gap):
    """Lines of equal columns, the first to the left; each target has `across` of them, with its
    name above. A body that is a text is a heading."""
    everything = heads + [line for body in bodies if not isinstance(body, str) for line in body]
    widths = [max(len(line[i]) for line in everything) for i in range(len(everything[0]))]
    gaps = [0] + [2 if i % across == 0 else inner_gap for i in range(len(widths) - 1)]
    names = " " * widths[0]
    for number, name in enumerate(named):
        first = 1 + number * across
        room = sum(gaps[i] + widths[i] for i in range(first, first + across))
        missing = max(len(name) + gaps[first] - room, 0)
        widths[first] += missing
        names += name.rjust(room + missing)

    def shown(line):
        return (line[0].ljust(widths[0]) + "".join(
            " " * gap + cell.rjust(size)
            for gap, cell, size in zip(gaps[1:], line[1:], widths[1:]))).rstrip()

    lines = [names] + [shown(line) for line in heads] + ["-" * (sum(widths) + sum(gaps))]
    for body in bodies:
        lines += [plain(body)] if isinstance(body, str) else map(shown, body)
    return lines


def _totals(named, published):
    """Of each script: what was asked for, what went wrong, and its response, service and lag."""
    scripts = dict.fromkeys(one["script"] for run in named.values() for _, one in run.scripts())
    bodies = []
    for script in scripts:
        is_open = any(stage["kind"] == "open" and one["script"] == script
                      for run in named.values() for stage, one in run.scripts())
        rows = {"requests/s": lambda made: f"{made['throughput_rps']:,.2f}",
                "requests": lambda made: f"{made['requests']:,}",
                "errors": lambda made: _percent(made["failed"], made["requests"])}
        for times in ("response", "service", "lag") if is_open else ("response",):
            for percent in (95, 99):
                rows[f"{times} {HEADS[percent]}"] = lambda made, key=(times, percent): (
                    "-" if made[key] is None else duration(made[key]))
        bodies.append(script)
        for label, figure in rows.items():
            line = [f"  {label}"]
            for run in named.values():
                made = run.totals(script)
                line.append("-" if made is None or not made["requests"] else figure(made))
                if published:
                    line.append(_published_total(published, run, script, label))
            bodies.append([line])
    across = 2 if published else 1
    head = ["script", *(["", "publ."] if published else [""]) * len(named)]
    return _grid([head], bodies, named, across, 1)


_PUBLISHED_TOTALS = {"requests/s": "req_per_s", "requests": "requests", "errors": "errors_percent",
                     "response p95": "p95_ms"}


def _published_total(published, run, script, label):
    if label not in _PUBLISHED_TOTALS or not Published.comparable(run):
        return "-"
    figure = published.totals.get((script, _PUBLISHED_TOTALS[label], run.target.engine), "-")
    return f"{figure}%" if label == "errors" and figure != "-" else figure


def _percent(part, whole):
    if part == 0:
        return "0%"
    share = 100 * part / whole
    return f"{share:.2f}%" if share >= 0.01 else "<0.01%"


def _spreads(named, width):
    """Of the throughput, where it was measured more than once."""
    lines = []
    for name, run in named.items():
        spread = run.load["repeats"].get("throughput")
        if spread and len(run.runs()) > 1:
            lines += textwrap.wrap(
                f"{name}: {spread['median']:,.2f} requests/s, the median of {len(run.runs())} runs; "
                f"sample standard deviation {spread['sample_stdev']:.2f}, coefficient of variation "
                f"{spread['cv_percent']:.2f}%", width, subsequent_indent="  ")
    return [""] + lines if lines else []


def _capacity(named, published):
    """Of each route, a line for each target, and with the published ones, one for those."""
    lines = [_capacity_line("", "clients", "requests/s", "p95", "broke at", "")]
    lines.append("-" * len(lines[0]))
    of_route = {}
    for name, run in named.items():
        for line in run.load["ladder"]:
            title = run.routes().get((line["script"], line["route"]), line["route"])
            of_route.setdefault((line["script"], line["route"]), (title, []))[1].append(
                (name, run, line))
    for title, of_targets in of_route.values():
        lines.append(plain(title))
        for name, run, line in of_targets:
            p95 = line["p95_ms"]
            others = published.capacity.get((run.target.engine, title)) if published and \
                Published.comparable(run) else None
            ratio = ""
            if others and line["req_per_s"]:
                ratio = f"×{line['req_per_s'] / float(others['req_per_s']):.3g}"
            lines.append(_capacity_line(
                f"  {name}", _or_none(line["cleared_at"]),
                "-" if line["req_per_s"] is None else f"{line['req_per_s']:,.0f}",
                "-" if p95 is None else duration(round(p95 * _NS_PER_MS)),
                _or_none(line["broke_at"]), ratio))
            if others:
                lines.append(_capacity_line(
                    "  published", others["cleared_at_vus"], others["req_per_s"],
                    f"{others['p95_ms']} ms", others["broke_at_vus"], ""))
    return [line.rstrip() for line in lines]


def _capacity_line(name, clients, rate, p95, broke, ratio):
    return f"{name:24}{clients:>9}{rate:>13}{p95:>11}{broke:>11}{ratio:>9}"


def _or_none(number):
    return "none" if number is None else str(number)


def _search(named):
    """The highest rate that met the limits."""
    lines = [f"{'':20}{'rate':>11}{'requests/s':>13}{'p95':>11}{'p99':>11}{'missed at':>11}"]
    lines.append("-" * len(lines[0]))
    for name, run in named.items():
        found = run.load["slo"]

        def number(key, found=found):
            return "none" if found.get(key) is None else f"{found[key]:,.4g}" \
                if found[key] < 1000 else f"{found[key]:,.0f}"

        times = ["-" if found.get(key) is None else duration(round(found[key] * _NS_PER_MS))
                 for key in ("p95_ms", "p99_ms")]
        lines.append(f"{name:20}{number('rate'):>11}{number('req_per_s'):>13}{times[0]:>11}"
                     f"{times[1]:>11}{number('missed_at'):>11}")
    return lines


def _losses(named, width):
    """What did not succeed, route by route."""
    lines = []
    for name, run in named.items():
        for (script, route), title in run.routes().items():
            if lost := run.lost(script, route):
                kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(lost.items()))
                lines += textwrap.wrap(f"{name}, {plain(title)}: {plain(kinds)}", width,
                                       subsequent_indent="  ")
    return ["", *lines] if lines else []


def _notes(named, published):
    notes = ["Percentiles are nearest-rank, of successes alone; what failed is counted apart."]
    kinds = {stage["kind"] for run in named.values() for stage in run.load["stages"]}
    if "open" in kinds:
        notes.append("In an open loop response counts from the scheduled moment, service from the "
                     "send, and lag lies between.")
    if "closed" in kinds:
        notes.append("In a closed loop a client asks again once it was answered: a slow server is "
                     "asked less.")
    if any(len(run.runs()) > 1 for run in named.values()):
        notes.append("Each figure is the median of the runs' own.")
    if published:
        notes.append("Published figures (ms) come from other hardware and other software, with "
                     "2.56 ms of network in each route's: compare shapes and ratios.")
        notes += [f"{name} has profile {plain(run.target.profile)}, so nothing published compares "
                  "with it." for name, run in named.items() if not Published.comparable(run)]
    return notes

