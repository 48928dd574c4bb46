"""Verdicts as terminal text, Markdown or JSON."""

import json
import textwrap

from compare import verdict as verdicts
from console import files
from plans import render as plans
from report.render import duration, markdown_cell, plain
from report.table import measure

_HEADS = ("query", "old", "new", "new/old", "interval", "verdict")


def as_asked(comparison, arguments):
    """In the --format of a command line."""
    if arguments.format == "json":
        return as_json(comparison)
    if arguments.format == "markdown":
        return markdown(comparison)
    return text(comparison, arguments.width, files.wants_colour(arguments.output))


def text(comparison, width=80, colour=False):
    lines = [line for note in _notes(comparison) for line in textwrap.wrap(note, width)]
    for target, judged in comparison.by_target().items():
        rows = [(_cells(pair, one), _second_line(pair)) for pair, one in judged]
        widths = [max(len(_HEADS[i]), *(len(line[i]) for cells in rows for line in cells))
                  for i in range(len(_HEADS))]

        def line(cells, widths=widths):
            return "  ".join(cell.ljust(size) if i in (0, len(_HEADS) - 1) else cell.rjust(size)
                             for i, (cell, size) in enumerate(zip(cells, widths))).rstrip()

        lines += ["", plain(target), line(_HEADS),
                  line(("", "median", "median", "", "", "")), line(("", "p95", "p95", "", "", "")),
                  "-" * (sum(widths) + 2 * (len(widths) - 1))]
        for (first, second), (pair, one) in zip(rows, judged):
            mark = "\x1b[31m" if colour and one.is_worse() else ""
            lines.append(f"{mark}{line(first)}{mark and chr(27) + '[0m'}")
            if any(second):
                lines.append(line(second))
            if one.reason or one.samples_needed:
                lines += textwrap.wrap(_reason(one), width, initial_indent="  ",
                                       subsequent_indent="  ")
            lines += plans.change_text(comparison.change_of(pair), width)
    lines += [""] + textwrap.wrap(_summary(comparison) + " " + _method(comparison), width)
    return "\n".join(lines).lstrip("\n") + "\n"


def markdown(comparison):
    lines = [f"- {markdown_cell(note)}" for note in _notes(comparison)]
    for target, judged in comparison.by_target().items():
        lines += ["", f"**{markdown_cell(target)}**", "",
                  "| query | old median | new median | old p95 | new p95 | new/old | interval | "
                  "verdict | |", "| --- |" + " ---: |" * 6 + " --- | --- |"]
        for pair, one in judged:
            first, second = _cells(pair, one), _second_line(pair)
            cells = [first[0], first[1], first[2], second[1], second[2], *first[3:], _reason(one)]
            lines.append("| " + " | ".join(map(markdown_cell, cells)) + " |")
        for pair, _ in judged:
            change = comparison.change_of(pair)
            if change:
                lines += ["", f"{markdown_cell(pair.title)}:", "", *plans.change_markdown(change)]
    lines += ["", markdown_cell(_summary(comparison) + " " + _method(comparison))]
    return "\n".join(lines).lstrip("\n") + "\n"


def as_json(comparison):
    cases = []
    for pair, one in comparison.judged:
        case = {"query": pair.query, "target": pair.target, "verdict": one.verdict,
                "ratio": one.ratio, "low": one.low, "high": one.high,
                "samples_needed": one.samples_needed, "reason": one.reason,
                "change": plans.change_json(comparison.change_of(pair))}
        if one.rows_equal is not None:
            case["rows_equal"] = one.rows_equal
        for name, side in (("old", pair.old), ("new", pair.new)):
            if side is not None and side.is_measured():
                case[name] = {"median_ns": measure(side.entries, 50).value,
                              "p95_ns": measure(side.entries, 95).value,
                              "repetitions": len(side.entries), "samples": side.samples()}
        cases.append(case)
    return json.dumps({"floor": comparison.floor, "confidence": comparison.confidence,
                       "noise": comparison.noise, "measured_noise": comparison.measured_noise,
                       "worse": comparison.worse(),
                       "differences": comparison.differences, "cases": cases}, indent=2) + "\n"


def _cells(pair, one):
    """The figures of the first line: medians, ratio and verdict."""
    ratio = interval = ""
    if one.ratio is not None:
        ratio = f"{one.ratio:.2f}"
        interval = f"{one.low:.2f}–{one.high:.2f}" if one.high < 100 else f"over {one.low:.2f}"
    return (plain(pair.title), _figure(pair.old, 50), _figure(pair.new, 50), ratio, interval,
            one.verdict)


def _second_line(pair):
    """p95 beneath the medians."""
    return ("", _figure(pair.old, 95), _figure(pair.new, 95), "", "", "")


def _figure(side, percent):
    if side is None:
        return ""
    if not side.is_measured():
        return "FAILED" if percent == 50 else ""
    return duration(measure(side.entries, percent).value)


def _reason(one):
    parts = [plain(one.reason)] if one.reason else []
    if one.samples_needed:
        parts.append(f"it would take about {one.samples_needed} samples a side")
    return "; ".join(parts)


def _notes(comparison):
    return ([plain(comparison.note)] if comparison.note else []) + [
        f"Compared all the same: {plain(difference)}"
        for difference in comparison.differences] + comparison.unknown


def _summary(comparison):
    counts = {}
    for _, one in comparison.judged:
        counts[one.verdict] = counts.get(one.verdict, 0) + 1
    pairs = [pair for pair, _ in comparison.judged]
    more = sum(comparison.change_of(pair).is_more_work() for pair in pairs)
    other = sum(bool(comparison.change_of(pair).plans) for pair in pairs)
    return "; ".join([", ".join(f"{count} {verdict}" for verdict, count in counts.items())]
                     + ([f"another plan in {other}"] if other else [])
                     + ([f"more work in {more}"] if more else [])) + "."


def _method(comparison):
    if comparison.method:
        return comparison.method
    noisy = any(one.verdict == verdicts.CANNOT_TELL and one.samples_needed is None
                for _, one in comparison.judged)
    return (("Where cannot tell has no number of samples, two runs of unchanged code differ by more "
             "than is to be told. " if noisy else "") +
            f"All intervals of new/old hold together with {comparison.confidence:.0%} confidence "
            "(Welch's t on the logarithms, Bonferroni for the number of cases), "
            f"{_noise(comparison)} of difference between runs of unchanged code included. "
            f"same: the interval lies within {comparison.floor:.0%}; faster, slower: it does not "
            "hold 1.")


def _noise(comparison):
    if not comparison.measured_noise:
        return f"{comparison.noise:.1%}"
    others = len(comparison.judged) - comparison.measured_noise
    return ("what aa measured on this machine"
            + (f" (of {others} cases, which it did not, {comparison.noise:.1%})" if others else ""))
