"""From a run, its table and its history to the page."""

import os

import jinja2
import markupsafe

from page import figures
from report import render
from report.percentiles import interval, percentile
from report.render import duration, plain
from report.table import BASELINES

_TEMPLATES = os.path.join(os.path.dirname(os.path.realpath(__file__)), "templates")


def html(run, table, baseline=None, courses=()):
    """`courses` are of the history, of any runs; those that are not like this run are left out."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES), autoescape=True, trim_blocks=True,
        lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters["plain"] = lambda value: plain(str(value))
    samples = _samples(run)
    return environment.get_template("page.html").render(
        head=render.head(run, table), warnings=render.warnings_of(run),
        notes=render.notes_of(run, table, None), baseline=baseline,
        targets=list(run.targets.values()),
        groups=[[_row(run, table, row, baseline, number) for number, row in part]
                for part in _numbered(table)],
        details=[_detail(run, table, row, samples, number,
                         [one for one in courses if one.query == row.query])
                 for part in _numbered(table) for number, row in part],
        facts=sorted(run.facts.items()))


def _numbered(table):
    """Queries and baselines, each with the number that names its parts of the page."""
    count = len(table.queries)
    parts = (enumerate(table.queries, start=1), enumerate(table.baselines, start=count + 1))
    return [part for part in map(list, parts) if part]


def _samples(run):
    """Of all repetitions of a case, sorted; by query and target."""
    samples = {}
    for entry in run.entries:
        samples.setdefault((entry.query, entry.target), []).extend(entry.samples)
    return {key: sorted(every) for key, every in samples.items()}


def _row(run, table, row, baseline, number):
    fastest = _fastest(run, row)
    cells = []
    for name in run.targets:
        cell = row.cells.get(name)
        cells.append({
            "errors": cell.errors if cell else [],
            "figures": {percent: render.with_spread(one, table.repetitions > 1)
                        for percent, one in (cell.measures if cell else {}).items()},
            "is_fastest": name in fastest,
            "verdict": baseline.verdicts.get((row.query, name), "") if baseline else ""})
    return {"id": f"q{number}", "title": row.title, "rows": render.rows_of(run, row),
            "cells": cells, "note": render.unequal_writes(run, row)}


def _fastest(run, row):
    """The targets whose median is the least, of several that did the same for an answer."""
    medians = {name: cell.measures[50].value for name, cell in row.cells.items() if cell.measures}
    same_work = len({cell.rows for cell in row.cells.values() if cell.measures}) == 1
    if row.query in BASELINES or len(medians) < 2 or not same_work \
            or render.unequal_writes(run, row):
        return []
    return [name for name, median in medians.items() if median == min(medians.values())]


def _detail(run, table, row, samples, number, courses):
    measured = {name: samples[row.query, name]
                for name, cell in row.cells.items() if cell.measures}
    lines = [_line(name, ordered, row.cells[name], table.repetitions)
             for name, ordered in measured.items()]
    # A line from one point to another needs two.
    drawn = [(_label(one, courses), one) for one in courses if len(one.measured()) > 1]
    identity, observed = f"q{number}", run.observed or {}
    return {
        "id": identity, "title": row.title, "lines": lines,
        "errors": [(name, error) for name, cell in row.cells.items() for error in cell.errors],
        "figure": markupsafe.Markup(figures.distribution(measured, identity)) if measured else "",
        "says": "; ".join(f"{line['target']}: median {line['median']}, p95 {line['p95']}, from "
                          f"{line['least']} to {line['most']} in {line['count']} samples"
                          for line in lines),
        "history": markupsafe.Markup(figures.course(drawn, f"{identity}h")) if drawn else "",
        "history_says": "; ".join(_course_says(label, one) for label, one in drawn),
        "courses": [_course(label, one) for label, one in drawn],
        "observed": [(name, observed[name, row.query]) for name in run.targets
                     if (name, row.query) in observed]}


def _line(name, ordered, cell, repetitions):
    """A target's figures in the table beside the figure."""
    line = {"target": name, "count": len(ordered), "least": duration(ordered[0]),
            "quarter": duration(percentile(ordered, 25)),
            "three_quarters": duration(percentile(ordered, 75)), "most": duration(ordered[-1]),
            "intervals": {}}
    for key, percent in (("median", 50), ("p95", 95), ("p99", 99)):
        shown = (render.with_spread(cell.measures[percent], repetitions > 1)
                 if percent in cell.measures else "-")
        bounds = interval(ordered, percent) if repetitions == 1 and shown != "-" else None
        line[key] = shown
        line["intervals"][key] = "–".join(map(duration, bounds)) if bounds else ""
    return line


def _label(course, courses):
    """The target, and where several courses of it are not joined, the version."""
    several = sum(one.target == course.target for one in courses) > 1
    return f"{course.target} {course.facts['version']}" if several else course.target


def _course_says(label, course):
    points = course.measured()
    said = (f"{label}: {len(course.points)} runs from {points[0].date:%Y-%m-%d} to "
            f"{points[-1].date:%Y-%m-%d}, median from {duration(points[0].figure(50))} to "
            f"{duration(points[-1].figure(50))}")
    for place, step in course.steps.items():
        said += f", {_step(step)} from {course.points[place].date:%Y-%m-%d} on"
    return said


def _course(label, course):
    return {"label": label, "points": [
        {"date": f"{point.date:%Y-%m-%d %H:%M}", "commit": point.commit(), "error": point.error,
         "median": None if point.error else duration(point.figure(50)),
         "p95": None if point.error else duration(point.figure(95)),
         "step": _step(course.steps[place]) if place in course.steps else ""}
        for place, point in enumerate(course.points)]}


def _step(step):
    return f"{step.name()} ×{step.ratio:.2f} ({step.low:.2f}–{step.high:.2f})"
