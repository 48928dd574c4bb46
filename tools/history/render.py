"""Courses as terminal text, CSV or JSON."""

import csv
import io
import json
import textwrap

from compare import sides
from report.render import duration, plain

_BLOCKS = "▁▂▃▄▅▆▇█"
_FAILED = "x"  # in a line of blocks
_LEAST_LINE, _MOST_LINE = 8, 20
_FIGURES = 28  # columns of the figures beside it
_BAR = 24


def overview(courses, record, width):
    """A line for each case: its first and last median, the course between, and its steps."""
    lines = []
    for group in _groups(courses):
        lines += ["", *_about(group, courses, width), ""]
        size = max(len("query"), *(len(plain(course.title)) for course in group))
        runs = min(max(width - size - _FIGURES, _LEAST_LINE), _MOST_LINE)
        lines.append(f"{'query':{size}}  runs     first      last  course of the median"[:width])
        lines.append("-" * (size + _FIGURES + runs))
        for course in group:
            measured = course.measured()
            ends = [duration(point.figure(50)) for point in (measured[0], measured[-1])
                    ] if measured else ["-", "-"]
            lines.append(f"{plain(course.title):{size}}  {len(course.points):4}  {ends[0]:>8}  "
                         f"{ends[1]:>8}  {line_of(course, runs)}")
            for place, step in course.steps.items():
                lines += textwrap.wrap(_step(step) + ", from " + _run(course.points[place]) + " on",
                                       width, initial_indent="  ", subsequent_indent="    ")
            if course.points[-1].error:
                lines += textwrap.wrap("last: " + _failure(course.points[-1]), width,
                                       initial_indent="  ", subsequent_indent="    ")
    return _whole(lines, record, courses, width)


def details(courses, record, width):
    """A line for each run of each case."""
    lines = []
    for group in _groups(courses):
        lines += ["", *_about(group, courses, width)]
        for course in group:
            lines += ["", plain(course.title),
                      f"{'date, UTC':16}  {'commit':13}  {'median':>8}  {'p95':>8}", "-" * 76]
            most = max((point.figure(50) for point in course.measured()), default=1)
            for place, point in enumerate(course.points):
                if place in course.steps:
                    lines.append(f"-- {_step(course.steps[place])} --")
                start = f"{point.date:%Y-%m-%d %H:%M}  {plain(point.commit()):13}  "
                if point.error:
                    lines += textwrap.wrap(start + _failure(point), width,
                                           subsequent_indent=" " * 33)
                    continue
                bar = "█" * max(round(_BAR * point.figure(50) / most), 1)
                lines.append(f"{start}{duration(point.figure(50)):>8}  "
                             f"{duration(point.figure(95)):>8}  {bar}")
    return _whole(lines, record, courses, width)


def line_of(course, runs):
    """The medians of the last runs as blocks, between the least and the greatest of the course; x
    for a failure."""
    levels = [point.figure(50) for point in course.measured()]
    if not levels:
        return _FAILED * len(course.points[-runs:])
    # What differs by less than a quarter is no mountain.
    least, most = min(levels), max(max(levels), 1.25 * min(levels))

    def block(point):
        if point.error:
            return _FAILED
        share = (point.figure(50) - least) / (most - least) if most > least else 0
        return _BLOCKS[round(share * (len(_BLOCKS) - 1))]
    return "".join(map(block, course.points[-runs:]))


def csv_text(courses):
    """A line for each run of each case; `course` tells unlike runs apart."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["target", "query", "title", "course", "date", "commit", "file", "repetitions",
                     "samples", "p50_ns", "p95_ns", "error", "step", "step_ratio", "step_low",
                     "step_high"])
    numbers = {}
    for course in courses:
        key = course.target, course.query
        numbers[key] = numbers.get(key, -1) + 1
        for place, point in enumerate(course.points):
            step = course.steps.get(place)
            writer.writerow([
                course.target, course.query, course.title, numbers[key], point.date.isoformat(),
                point.commit(), point.recorded.name, len(point.side.entries), point.side.samples(),
                *("" if point.error else point.figure(percent) for percent in (50, 95)),
                point.error or "",
                *((step.name(), step.ratio, step.low, step.high) if step else [""] * 4)])
    return out.getvalue()


def as_json(courses, record):
    return json.dumps({
        "runs": [{"file": one.name, "date": one.date.isoformat(), "complete": one.run.complete,
                  "cases": len(one.run.entries)} for one in record],
        "courses": [{
            "target": course.target, "query": course.query, "title": course.title,
            "facts": course.facts, "points": [_point(course, place)
                                              for place in range(len(course.points))]}
                    for course in courses]}, indent=2) + "\n"


def _point(course, place):
    point, step = course.points[place], course.steps.get(place)
    made = {"file": point.recorded.name, "date": point.date.isoformat(), "commit": point.commit()}
    if point.error:
        made |= {"error": point.error}
    else:
        made |= {"median_ns": point.figure(50), "p95_ns": point.figure(95)}
    if step:
        made |= {"step": {"verdict": step.name(), "ratio": step.ratio, "low": step.low,
                          "high": step.high}}
    return made


def _groups(courses):
    """The courses that share target and facts, in their order."""
    groups = {}
    for course in courses:
        groups.setdefault((course.target, *course.facts.items()), []).append(course)
    return list(groups.values())


def _about(group, courses, width):
    facts = group[0].facts
    lines = textwrap.wrap(plain(
        f"{group[0].target}: {facts['engine']} {facts['version']}, profile {facts['profile']}, "
        f"data {facts['data_digest'][:12]}; {facts['host_name'] or 'an unknown host'}, "
        f"{facts['num_cpus'] or '?'} CPUs, {facts['build_type'] or 'unknown build'}"),
        width, subsequent_indent="  ")
    others = list({tuple(course.facts.items()): course.facts for course in courses
                   if course.target == group[0].target}.values())
    if len(others) > 1:
        lines += textwrap.wrap("One of several courses, not joined, since they differ in "
                               + plain("; ".join(sides.unequal(others))), width,
                               initial_indent="  ", subsequent_indent="  ")
    return lines


def _whole(lines, record, courses, width):
    interrupted = [one for one in record if not one.run.complete]
    notes = [f"{len(record)} runs, {record[0].date:%Y-%m-%d} to {record[-1].date:%Y-%m-%d}."]
    if interrupted:
        notes.append(f"{len(interrupted)} interrupted: "
                     + ", ".join(f"{one.date:%Y-%m-%d %H:%M}" for one in interrupted) + ".")
    if any(point.error for course in courses for point in course.points):
        notes.append(f"{_FAILED}: failed, or the run ended before it.")
    lines = lines[1:] if lines else ["No case yet."]
    return "\n".join([*lines, "", *textwrap.wrap(" ".join(notes), width)]) + "\n"


def _step(step):
    return f"{step.name()}: ×{step.ratio:.2f} ({step.low:.2f}–{step.high:.2f})"


def _failure(point):
    return point.error if point.is_interrupted() else f"FAILED: {plain(point.error)}"


def _run(point):
    return f"{point.date:%Y-%m-%d %H:%M}, commit {plain(point.commit())}"
