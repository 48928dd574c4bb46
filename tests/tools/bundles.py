"""Makes bundles of load runs for the tests, by hand and without the code under test: every figure by
counting, as its definition reads."""

import csv
import hashlib
import json
import os
import random

import reports

TITLES = {"home": "Home page", "product_page": "Product page", "checkout": "Checkout submit",
          "catalog_deep_page": "Catalog, deep page with filters", "order_list": "Order list"}
WARMUP_S, DURATION_S = 1, 10
HEAD = ["run", "stage", "phase", "script", "route", "scheduled_ns", "sent_ns", "done_ns", "status",
        "outcome", "late_ns"]
KINDS = ("status_4xx", "status_5xx", "invalid", "connection", "session", "client")


def percentile(values, percent):
    """The smallest that at least so many percent of them do not exceed, by counting."""
    for value in sorted(values):
        if 100 * sum(other <= value for other in values) >= percent * len(values):
            return value
    return None


def scenario(**changes):
    return {"format": 1, "title": "A mix", "seed": 1, "warmup_s": WARMUP_S,
            "duration_s": DURATION_S, "drain_s": 1, "timeout_s": 5, "repeats": 2,
            "connections": {"kind": "kept", "most": 8},
            "scripts": [{"name": "storefront", "arrival": {"open": {"rate": 35}},
                         "routes": [{"route": "home"}]},
                        {"name": "admin", "arrival": {"open": {"rate": 5}},
                         "routes": [{"route": "order_list"}]}],
            "thresholds": [{"script": "storefront", "figure": "p95_ms", "most": 500},
                           {"script": "storefront", "route": "home", "figure": "failed_percent",
                            "most": 10},
                           {"script": "admin", "figure": "throughput_rps", "least": 1}]} | changes


def mixed_stages(repeats=2):
    return [{"run": run, "stage": 0, "kind": "open", "rate": 35, "planned_s": DURATION_S,
             "measured_s": float(DURATION_S), "seed_of_rows": run} for run in range(repeats)]


def mixed_rows(stages, scale=1):
    """Successes with known times, and of each failure some."""
    rows = []
    for stage in stages:
        source = random.Random(stage["seed_of_rows"])
        for script, routes in (("storefront", (("home", 120), ("product_page", 40),
                                               ("checkout", 15))),
                               ("admin", (("order_list", 30),))):
            for route, count in routes:
                for number in range(count + 5):
                    warm = number < 5
                    begins = source.randrange(0, WARMUP_S * 10**9) if warm else source.randrange(
                        WARMUP_S * 10**9, (WARMUP_S + DURATION_S) * 10**9)
                    sent = begins + source.randrange(0, 100_000)
                    if (route, number) == ("order_list", 7):
                        sent = begins + 20_000_000
                    done = sent + round(scale * source.randrange(1_000_000, 90_000_000))
                    rows.append([stage["run"], stage["stage"], "warmup" if warm else "measured",
                                 script, route, begins, sent, done, 200, "ok"])
        at = WARMUP_S * 10**9 + 7
        for values in ((at, at, at + 5, 404, "status_4xx"), (at, at, at + 5, 500, "status_5xx"),
                       (at, at + 1, at + 9, 200, "invalid"), (at, at, "", "", "connection"),
                       (at, at + 3, "", "", "timed_out"), (at, "", "", "", "rejected"),
                       (at, "", "", "", "client"), (at, "", "", "", "session")):
            rows.append([stage["run"], stage["stage"], "measured", "storefront", "home", *values])
    return rows


def ladder_scenario():
    made = scenario(repeats=1, ladder={"clients": [2, 4, 8], "p95_ms": 50},
                    scripts=[{"name": "storefront", "arrival": {"closed": {"clients": 2}},
                              "routes": [{"route": "home"}, {"route": "product_page"}]}])
    del made["thresholds"]
    return made


def ladder(first_broken={"home": 8, "product_page": None}, slow=1):
    """Stages and rows: a route's rungs clear until one whose responses take 60 ms and more."""
    stages, rows = [], []
    for route in first_broken:
        for clients in (2, 4, 8):
            number = len(stages)
            stages.append({"run": 0, "stage": number, "kind": "closed", "clients": clients,
                           "planned_s": DURATION_S, "measured_s": float(DURATION_S)})
            broken = clients == first_broken[route]
            for i in range(20 * clients):
                begins = WARMUP_S * 10**9 + i * 1000
                took = round(slow * ((60_000_000 if broken else 1_000_000 * clients) + 10_000 * i))
                rows.append([0, number, "measured", "storefront", route, begins, begins,
                             begins + took, 200, "ok"])
    return stages, rows


def search_scenario():
    made = scenario(repeats=1, slo={"low": 10, "high": 40, "steps": 1, "p95_ms": 50})
    del made["thresholds"]
    return made


def search():
    stages, rows = [], []
    for number, (rate, took) in enumerate(((10, 1_000_000), (40, 70_000_000), (25, 3_000_000))):
        stages.append({"run": 0, "stage": number, "kind": "open", "rate": rate,
                       "planned_s": DURATION_S, "measured_s": float(DURATION_S)})
        for script, route in (("storefront", "home"), ("admin", "order_list")):
            for i in range(rate):
                begins = WARMUP_S * 10**9 + i * 1000
                # The driver itself cannot hold the highest.
                sent = begins + (15_000_000 if rate == 40 else 5)
                rows.append([0, number, "measured", script, route, begins, sent,
                             begins + took + 100 * i, 200, "ok"])
    return stages, rows


def _of(values):
    made = {}
    for percent in (50, 95, 99):
        if values and (percent < 99 or len(values) >= 100):
            made[f"p{percent}"] = percentile(values, percent)
    return made


def _counts(rows, measured_s):
    ok = [row for row in rows if row[9] == "ok"]
    made = {"offered": len(rows), "sent": sum(row[6] != "" for row in rows), "succeeded": len(ok),
            "failed": {kind: sum(row[9] == kind for row in rows) for kind in KINDS},
            "timed_out": sum(row[9] == "timed_out" for row in rows),
            "rejected": sum(row[9] == "rejected" for row in rows),
            "throughput_rps": len(ok) / measured_s}
    return made | {"response": _of([row[7] - row[5] for row in ok]),
                   "service": _of([row[7] - row[6] for row in ok]),
                   "lag": _of([row[6] - row[5] for row in ok])}


def late_of(of, row):
    """Of an open loop's sends the last cell of the line: all that lies before the send."""
    arrivals = {script["name"]: script["arrival"] for script in of["scripts"]}
    return row[6] - row[5] if row[6] != "" and "open" in arrivals[row[3]] else ""


def _lateness(of, rows):
    late = [cell > 10**7 for cell in (late_of(of, row) for row in rows) if cell != ""]
    percent = 100 * sum(late) / len(late) if late else 0.0
    return {"late_percent": percent, "held_rate": percent <= 1}


def _unique(values):
    return list(dict.fromkeys(values))


def summary(of, stages, rows, target="sqlite", profile="standard", engine="sqlite"):
    """The document; `of` is the scenario."""
    made, entries = [], []
    for stage in stages:
        mine = [row for row in rows if row[:2] == [stage["run"], stage["stage"]]
                and row[2] == "measured"]
        scripts = []
        for script in _unique(row[3] for row in mine):
            routes = []
            for route in _unique(row[4] for row in mine if row[3] == script):
                some = [row for row in mine if row[3:5] == [script, route]]
                routes.append({"route": route, "title": TITLES[route]}
                              | _counts(some, stage["measured_s"]))
                entries.append(_entry(of, stage, script, route, some, target, engine))
            whole = [row for row in mine if row[3] == script]
            scripts.append({"script": script} | _counts(whole, stage["measured_s"])
                           | {"routes": routes})
        made.append({key: value for key, value in stage.items() if key != "seed_of_rows"}
                    | _lateness(of, mine) | {"scripts": scripts})
    load = {"scenario": of, "scenario_name": "mix", "url": "http://127.0.0.1:1", "stages": made,
            "held_rate": all(stage["held_rate"] for stage in made)}
    document = reports.document(
        *entries, warmup=0, samples=None,
        targets={target: reports.target(engine=engine, profile=profile)})
    document["context"]["shopmark"]["load"] = load | _conclusions(of, made)
    return document


def _entry(of, stage, script, route, rows, target, engine):
    name = f"{script}/{route}"
    title = TITLES[route]
    if "ladder" in of:
        name, title = f"{name}/clients:{stage['clients']}", f"{title}, {stage['clients']} clients"
    elif "slo" in of:
        name, title = f"{name}/rate:{stage['rate']}", f"{title}, {stage['rate']}/s"
    times = [row[7] - row[5] for row in sorted((row for row in rows if row[9] == "ok"),
                                               key=lambda row: row[5])]
    made = {"name": name, "run_name": name, "run_type": "iteration", "query": name, "title": title,
            "target": target, "engine": engine, "repetition_index": stage["run"], "threads": 1}
    if not times:
        return made | {"error_occurred": True, "error_message": "none succeeded"}
    return made | {"iterations": len(times), "real_time": sum(times) / len(times) / 1e6,
                   "cpu_time": 0.0, "time_unit": "ms", "rows": 1, "parameters": 1,
                   "parameter_rows": [1], "samples": times} | _of(times)


def _conclusions(of, stages):
    if "ladder" in of:
        for stage in stages:
            [route] = stage["scripts"][0]["routes"]
            stage["cleared"] = (route["response"]["p95"] < of["ladder"]["p95_ms"] * 10**6
                                and route["succeeded"] == route["offered"])
        lines = []
        for route in _unique(stage["scripts"][0]["routes"][0]["route"] for stage in stages):
            mine = [stage for stage in stages if stage["scripts"][0]["routes"][0]["route"] == route]
            broken = [stage["clients"] for stage in mine if not stage["cleared"]]
            good = [stage for stage in mine if stage["clients"] < min(broken, default=10**9)]
            best = good[-1]["scripts"][0]["routes"][0] if good else None
            lines.append({"script": "storefront", "route": route,
                          "cleared_at": good[-1]["clients"] if good else None,
                          "req_per_s": best and best["throughput_rps"],
                          "p95_ms": best and best["response"]["p95"] / 1e6,
                          "broke_at": min(broken, default=None)})
        return {"ladder": lines}
    if "slo" in of:
        for stage in stages:
            stage["cleared"] = (stage["scripts"][0]["response"]["p95"]
                                <= of["slo"]["p95_ms"] * 10**6)
        best = max((stage for stage in stages if stage["cleared"]), key=lambda one: one["rate"])
        script = best["scripts"][0]
        return {"slo": {"rate": best["rate"], "req_per_s": script["throughput_rps"],
                        "p95_ms": script["response"]["p95"] / 1e6,
                        "p99_ms": (script["response"]["p99"] / 1e6
                                   if "p99" in script["response"] else None),
                        "missed_at": min((stage["rate"] for stage in stages
                                          if not stage["cleared"]), default=None)}}
    return _mixed_conclusions(of, stages)


def _mixed_conclusions(of, stages):
    repeats, per_run = {}, []
    for stage in stages:
        per_run.append(sum(script["throughput_rps"] for script in stage["scripts"]))
        for script in stage["scripts"]:
            for route in script["routes"]:
                repeats.setdefault(f"{script['script']}/{route['route']}", []).append(
                    route["response"])
    medians = {name: {key: percentile([one[key] for one in ones], 50)
                      for key in ("p50", "p95", "p99") if all(key in one for one in ones)}
               for name, ones in repeats.items()}
    mean = sum(per_run) / len(per_run)
    deviation = ((sum((one - mean) ** 2 for one in per_run) / (len(per_run) - 1)) ** 0.5
                 if len(per_run) > 1 else 0.0)
    medians["throughput"] = {"median": percentile(per_run, 50), "sample_stdev": deviation,
                             "cv_percent": 100 * deviation / mean}
    thresholds = []
    for rule in of.get("thresholds", []):
        values = []
        for stage in stages:
            [counts] = [script for script in stage["scripts"] if script["script"] == rule["script"]]
            if "route" in rule:
                [counts] = [one for one in counts["routes"] if one["route"] == rule["route"]]
            lost = counts["offered"] - counts["succeeded"]
            values.append({"failed_percent": 100 * lost / counts["offered"],
                           "throughput_rps": counts["throughput_rps"],
                           "p95_ms": counts["response"]["p95"] / 1e6}[rule["figure"]])
        value, limit = percentile(values, 50), rule.get("most", rule.get("least"))
        thresholds.append({"text": f"{rule['script']} {rule['figure']}", "value": value,
                           "limit": limit,
                           "passed": value <= limit if "most" in rule else value >= limit})
    return {"repeats": medians, "thresholds": thresholds}


def orders_of(rows):
    """(number, total) of an order for each checkout that was answered."""
    count = sum(row[4] == "checkout" and row[9] == "ok" for row in rows)
    return [(f"W-{number:08}", 1000 + number) for number in range(count)]


def visits_of(acknowledged, **changes):
    """What shopmark-seed --visits would say of a store that has these."""
    return {"orders": len(acknowledged), "pieces": len(acknowledged), "carts": 3, "problems": [],
            "total_cents": sum(total for _, total in acknowledged),
            "numbers": [number for number, _ in acknowledged]} | changes


def store_of(orders, rows, visits):
    unanswered = sum(row[4] == "checkout" and row[9] != "ok" and row[6] != "" for row in rows)
    return {"target": "sqlite", "format": 1,
            "acknowledged": {"orders": len(orders),
                             "total_cents": sum(total for _, total in orders)},
            "unanswered": unanswered, "visits": visits, "problems": [], "right": True}


def write(folder, of, stages, rows, store=True, **of_target):
    """A whole bundle; without the store's part as shopmark-load leaves it. Its orders."""
    os.makedirs(folder)
    orders = orders_of(rows)
    reports.write(os.path.join(folder, "summary.json"), summary(of, stages, rows, **of_target))
    _csv(os.path.join(folder, "requests.csv"), [HEAD, *([*row, late_of(of, row)] for row in rows)])
    _csv(os.path.join(folder, "orders.csv"), [["order", "total_cents"], *orders])
    _csv(os.path.join(folder, "processes.csv"),
         [["t_ns", "process", "pid", "cpu_ms", "rss_bytes", "read_bytes", "write_bytes"]])
    reports.write(os.path.join(folder, "environment.json"), {})
    with open(os.path.join(folder, "log.txt"), "w", encoding="utf-8") as file:
        file.write("a line\n")
    if store:
        reports.write(os.path.join(folder, "store.json"),
                      store_of(orders, rows, visits_of(orders)))
        with open(os.path.join(folder, "server.log"), "w", encoding="utf-8") as file:
            file.write("shopmark-server: listening on http://127.0.0.1:1\n")
    write_sums(folder)
    return orders


def _csv(path, lines):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)


def write_sums(folder):
    with open(os.path.join(folder, "SHA256SUMS"), "w", encoding="utf-8") as sums:
        for name in sorted(set(os.listdir(folder)) - {"SHA256SUMS"}):
            with open(os.path.join(folder, name), "rb") as file:
                sums.write(f"{hashlib.sha256(file.read()).hexdigest()}  {name}\n")


def mixed(folder, **more):
    stages = mixed_stages()
    return write(folder, scenario(), stages, mixed_rows(stages), **more)


def edit_json(path, change):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    change(document)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
