"""A run, a baseline and a history whose every part the page has to show."""

import json
import math
import os
import random

import reports
import script

NAMES = ("sqlite", "mariadb", 'p|g "x" $^2$')
EVIL = 'a|b <b>bold</b> "quoted" \'single\' & {{ 7*7 }} \n\x1b[31m'

PLAN = ["SEARCH p USING INDEX <b> (slug=?)", "  SCAN " + "a_long_name " * 20]
OBSERVED = {"work": {"vm_steps": 1234}, "statements": [
    {"name": "search_page", "calls": 5, "plans": [{"fingerprint": "f", "text": PLAN}],
     "work": {"vm_steps": 1234}}]}


def case(query, title, on, ns, seed, count=25, **changes):
    source = random.Random(f"{query}{on}{seed}")
    samples = [round(ns * math.exp(source.gauss(0, 0.05))) for _ in range(count)]
    ordered = sorted(samples)
    if count >= 100:
        changes["p99"] = ordered[-(-99 * count // 100) - 1]
    return reports.entry(query, title, on, samples=samples, p50=ordered[-(-count // 2) - 1],
                         p95=ordered[-(-95 * count // 100) - 1], **changes)


def run(day=1, factor=1.0, count=25):
    """Three targets, five queries: a plain one, one with a name that is not, one that writes where
    durability differs, one that fails on a target, one that a target did not run."""
    targets = {name: reports.target(durability="durable" if name == "sqlite" else "none",
                                    settings={"work_mem": "4MB <i>", "a": "1"}) for name in NAMES}
    entries = []
    for number, name in enumerate(NAMES):
        ns = 100_000 * 3**number
        entries += [case("baseline_empty_call", "empty call", name, 30, day, count),
                    case("catalog_search", "catalog search", name, factor * ns, day, count),
                    case("evil", EVIL, name, 20 * ns, day, count),
                    case("stock", "stock decrement", name, 9 * ns, day, count, writes=True)]
        if name != "mariadb":
            entries.append(case("order_detail", "order detail", name, 5 * ns, day, count))
        entries.append(reports.failed("broken", "broken query", name, EVIL) if number else
                       case("broken", "broken query", name, ns, day, count))
    made = reports.document(*entries, targets=targets, commit=f"{day:02d}".ljust(40, "c"),
                            observed={"sqlite": {"catalog_search": OBSERVED,
                                                 "order_detail": {"error": EVIL}}})
    made["context"]["date"] = f"2026-11-{day:02d}T12:00:00+00:00"
    return made


def page(folder, count=25):
    """The run's JSON, and where its page is."""
    made, record = run(9, 1.5, count), os.path.join(folder, "record")
    paths = []
    for day in range(1, 9):
        paths.append(os.path.join(folder, f"{day}.json"))
        reports.write(paths[-1], run(day, 1.0 if day < 5 else 1.5, count))
    file, out = os.path.join(folder, "run.json"), os.path.join(folder, "page.html")
    reports.write(file, made)
    for arguments, status in ((("history", "add", *paths, f"--history={record}"), 0),
                              (("report", file, "--html", f"--output={out}",
                                f"--baseline={paths[0]}", f"--history={record}"), 1)):
        done = script.run(*arguments)
        if (done.returncode, done.stderr) != (status, ""):
            raise AssertionError(done.stderr or done.returncode)
    return json.loads(json.dumps(made)), out
