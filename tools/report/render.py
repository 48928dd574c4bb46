"""A table as terminal text, Markdown or CSV."""

import csv
import io
import re
import textwrap
from dataclasses import dataclass

from report.percentiles import interval, percentile
from report.table import PUBLISHED_PROFILE

HEADS = {50: "median", 95: "p95", 99: "p99"}
_NS_PER_MS = 1_000_000
_DURABILITY = {"none": "not durable"}
_UNITS = (("ns", 1), ("µs", 1_000), ("ms", _NS_PER_MS), ("s", 1_000_000_000))


def text(run, table, published=None, width=80, colour=False, baseline=None):
    """For a terminal of that many columns. The median stands beside the p95, or where that is too
    wide, beneath it; a table that is too wide even so stays whole."""
    lines = []
    for label, fact in head(run, table):
        lines += textwrap.wrap(f"{label:9} {fact}", width, subsequent_indent=" " * 10)
    warnings = [_red(line, colour) for warning in warnings_of(run)
                for line in textwrap.wrap(warning, width)]
    columns = _measures(run, table, published, baseline)
    grid = _grid(run, table, columns, width, stacked=False, colour=colour)
    if max(map(_visible, grid)) > width:
        grid = _grid(run, table, columns, width, stacked=True, colour=colour)
    lines += warnings + [""] + grid + [""]
    if baseline:
        lines += [*textwrap.wrap(plain(baseline.note), width), ""]
    lines += textwrap.wrap(" ".join(notes_of(run, table, published)), width)
    if warnings:
        lines += [""] + warnings
    return "\n".join(lines) + "\n"


def markdown(run, table, published=None, baseline=None):
    lines = [f"- {label}: {markdown_cell(fact)}" for label, fact in head(run, table)] + [""]
    for warning in warnings_of(run):
        lines += [f"**{markdown_cell(warning)}**", ""]
    columns = _measures(run, table, published, baseline)
    heads = ["query", "rows"]
    for target in run.targets:
        prefix = f"{target} " if len(run.targets) > 1 else ""
        heads += [markdown_cell(prefix + column.long_head) for column in columns]
    lines += [f"| {' | '.join(heads)} |",
              "| --- |" + " ---: |" * (len(heads) - 1)]
    for row in table.rows():
        unequal = unequal_writes(run, row)
        cells = [markdown_cell(row.title + (f" ({unequal})" if unequal else "")), rows_of(run, row)]
        for target in run.targets.values():
            cell = row.cells.get(target.name)
            if cell is not None and cell.errors:
                failure = "FAILED: " + "; ".join(cell.errors)
                cells += [markdown_cell(failure)] + [
                    column.of_failure(row, target) for column in columns[1:]]
            else:
                cells += [column.value(row, cell, target) for column in columns]
        lines.append(f"| {' | '.join(cells)} |")
    if baseline:
        lines += ["", markdown_cell(baseline.note)]
    lines += ["", markdown_cell(" ".join(notes_of(run, table, published)))]
    return "\n".join(lines) + "\n"


def csv_text(run, published=None, baseline=None):
    """RFC 4180, one line for each repetition of each case, times in ns. The intervals hold the true
    percentile with 95% confidence and are empty where the samples are too few for that."""
    out = io.StringIO()
    writer = csv.writer(out)
    heads = ["query", "title", "target", "engine", "repetition", "rows", "samples", "p50_ns",
             "p95_ns", "p99_ns", "p50_low_ns", "p50_high_ns", "p95_low_ns", "p95_high_ns", "error"]
    if published:
        heads += ["published_p50_ns", "published_p95_ns"]
    if baseline:
        heads.append("verdict")
    writer.writerow(heads)
    for entry in run.entries:
        target = run.targets[entry.target]
        times = [""] * 7
        if entry.error is None:
            p99 = percentile(entry.samples, 99) if len(entry.samples) >= 100 else ""
            times = [percentile(entry.samples, 50), percentile(entry.samples, 95), p99,
                     *(interval(entry.samples, 50) or ("", "")),
                     *(interval(entry.samples, 95) or ("", ""))]
        line = [entry.query, entry.title, entry.target, target.engine, entry.repetition,
                "" if entry.rows is None else entry.rows, len(entry.samples), *times,
                entry.error or ""]
        if published:
            figures = [published.figure(entry.query, target, percent) for percent in (50, 95)]
            line += ["" if figure is None else round(float(figure) * _NS_PER_MS)
                     for figure in figures]
        if baseline:
            line.append(baseline.verdicts.get((entry.query, entry.target), ""))
        writer.writerow(line)
    return out.getvalue()


def duration(ns):
    """Three digits and the unit that suits them."""
    unit = _unit(ns)
    return f"{_digits(ns, unit)} {unit}"


def change(measured_ns, published_ms):
    """How the measured time differs from the published one."""
    ratio = measured_ns / (float(published_ms) * _NS_PER_MS)
    if ratio >= 10:
        return f"×{ratio:.0f}"
    percents = (ratio - 1) * 100
    # Close to -100% whole percents would hide a factor.
    shown = f"{percents:+.1f}%" if ratio < 0.1 else f"{percents:+.0f}%"
    return "0%" if shown in ("+0%", "-0%") else shown


def plain(string):
    """One line without control characters: names and messages come from a file."""
    return re.sub(r"\s+", " ", re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", string)).strip()


def _unit(ns):
    for unit, size in _UNITS[:-1]:
        if ns < 999.5 * size:
            return unit
    return _UNITS[-1][0]


def _digits(ns, unit):
    value = ns / dict(_UNITS)[unit]
    if unit == "ns" or value >= 99.95:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def markdown_cell(string):
    escaped = re.sub(r"([\\|`*_\[\]])", r"\\\1", plain(string))
    return escaped.replace("&", "&amp;").replace("<", "&lt;")


def head(run, table):
    """What has to be known of the run: (label, fact)."""
    facts = run.facts
    build = "commit " + facts.get("commit", "unknown")[:12]
    if facts.get("dirty") == "True":
        build += " with uncommitted changes"
    cpu = f"{facts.get('num_cpus', '?')} CPUs"
    if "mhz_per_cpu" in facts:
        cpu += f" at {facts['mhz_per_cpu']} MHz"
    counts = sorted({len(entry.samples) for entry in run.entries if entry.samples}) or [0]
    samples = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    samples += f" a case, after {run.warmup} untimed calls"
    if table.repetitions > 1:
        samples += f"; {table.repetitions} repetitions"
    known = [("measured", f"{facts.get('date', 'at an unknown time')} on "
                          f"{facts.get('host_name', 'an unknown host')}, {cpu}"),
             ("build", "; ".join([build, facts.get("build_type", "unknown build type"),
                                 facts.get("compiler", "unknown compiler")]))]
    for target in run.targets.values():
        known.append((target.name, f"{target.engine} {target.version}, {target.transport}, writes "
                                  f"{_DURABILITY.get(target.durability, target.durability)}, profile "
                                  f"{target.profile}, data {target.data_digest[:12]}"))
    known.append(("samples", samples))
    return [(plain(label), plain(fact)) for label, fact in known]


def warnings_of(run):
    warnings = []
    if not run.complete:
        warnings.append("INCOMPLETE: run was interrupted; only what was finished stands here")
    build_type = run.facts.get("build_type")
    if build_type not in ("Release", "RelWithDebInfo"):
        warnings.append(f"Not an optimised build ({plain(build_type or 'unknown')}): these times "
                        "are no measurement")
    return warnings


def notes_of(run, table, published):
    notes = ["Percentiles are nearest-rank: the smallest sample that at least p% of the samples do "
             "not exceed. The p95 of a few dozen samples describes this run; it is not a gate."]
    if table.repetitions > 1:
        notes.append("Each figure is the median of the repetitions' percentiles, with the least "
                     "and the greatest in brackets.")
    if published:
        notes.append("Published figures (publ., in ms) come from other hardware and other "
                     "software: compare shapes and ratios, not times.")
        for target in run.targets.values():
            if target.profile != PUBLISHED_PROFILE:
                notes.append(f"Target {plain(target.name)} has profile {plain(target.profile)}, "
                             f"the published ones {PUBLISHED_PROFILE}: not compared.")
    if run.facts.get("library_build_type") == "debug":
        notes.append("The distribution's Google Benchmark calls itself a debug build; these times "
                     "do not depend on it.")
    if run.facts.get("cpu_scaling_enabled") == "True":
        notes.append("CPU frequency scaling was on: times vary more.")
    return notes


@dataclass(frozen=True)
class _Column:
    """One figure of a case on a target."""
    percent: int | None  # none of a verdict
    head: str
    long_head: str
    gap: int  # blanks before it, in text
    value: object  # (row, cell or None, target) -> text

    def of_failure(self, row, target):
        """Beside a case that failed, which has a verdict but no figure."""
        return "" if self.percent else self.value(row, None, target)


def _measures(run, table, published, baseline):
    columns = []
    for percent in table.percents:
        def measured(row, cell, target, percent=percent):
            measure = cell and cell.measures.get(percent)
            return with_spread(measure, table.repetitions > 1) if measure else "-"

        columns.append(_Column(percent, HEADS[percent], HEADS[percent], 2, measured))
        if not published or percent == 99:
            continue

        def figure(row, cell, target, percent=percent):
            return published.figure(row.query, target, percent) or "-"

        def changed(row, cell, target, percent=percent):
            measure = cell and cell.measures.get(percent)
            was = published.figure(row.query, target, percent)
            return change(measure.value, was) if measure and was else "-"

        columns.append(_Column(percent, "publ.", f"published {HEADS[percent]}, ms", 1, figure))
        columns.append(_Column(percent, "change", "change", 1, changed))
    if baseline and baseline.verdicts:
        def verdict(row, cell, target):
            return baseline.verdicts.get((row.query, target.name), "")

        columns.append(_Column(None, "verdict", "verdict", 2, verdict))
    return columns


def with_spread(measure, spread):
    if not spread:
        return duration(measure.value)
    unit = _unit(measure.value)
    return (f"{_digits(measure.value, unit)} {unit} "
            f"({_digits(measure.low, unit)}–{_digits(measure.high, unit)})")


def unequal_writes(run, row):
    """What stands beside a row that writes, where that means another thing on each target."""
    tiers = {name: target.durability for name, target in run.targets.items() if name in row.cells}
    if not row.writes or len(set(tiers.values())) < 2:
        return ""
    return "not to be compared, since writes differ in durability: " + ", ".join(
        f"{name} {tier}" for name, tier in tiers.items())


def rows_of(run, row):
    """The number of rows; one for each target where they differ."""
    counts = ["-" if row.cells.get(target) is None or row.cells[target].rows is None
              else str(row.cells[target].rows) for target in run.targets]
    known = set(counts) - {"-"}
    return "/".join(counts) if len(known) > 1 else (known or {"-"}).pop()


def _grid(run, table, columns, width, stacked, colour):
    """The table's lines. Stacked, a case has a line for each percentile, and one for its verdict."""
    groups = [[column for column in columns if column.percent == percent]
              for percent in dict.fromkeys(column.percent for column in columns)]
    bands = groups if stacked else [columns]

    def lines_of(first, second, figures):
        """One line a band: the first two cells, then each target's figures."""
        return [([first, second] if band is bands[0] else ["", ""])
                + [figure for target in run.targets.values() for figure in figures(target, band)]
                for band in bands]

    def figures_of(row):
        def figures(target, band):
            cell = row.cells.get(target.name)
            if cell is not None and cell.errors:
                return ["FAILED" if column is columns[0] else column.of_failure(row, target)
                        for column in band]
            return [column.value(row, cell, target) for column in band]
        return figures

    # Stacked bands share their columns, and a band without published figures leaves them empty.
    across = max(len(band) for band in bands)

    def padded(figures):
        return lambda target, band: figures(target, band) + [""] * (across - len(band))

    heads = lines_of("query", "rows", padded(lambda target, band: [c.head for c in band]))
    bodies = {row.query: lines_of(plain(row.title), rows_of(run, row), padded(figures_of(row)))
              for row in table.rows()}
    everything = heads + [line for lines in bodies.values() for line in lines]
    widths = [max(len(line[i]) for line in everything) for i in range(len(everything[0]))]
    widest = max(bands, key=len)
    gaps = [0, 2] + [column.gap for _ in run.targets for column in widest]
    # A target's name stands over its figures and may need more room than they do.
    names = ""
    if len(run.targets) > 1:
        names = " " * (widths[0] + gaps[1] + widths[1])
        for number, name in enumerate(run.targets):
            first = 2 + number * across
            group = range(first, first + across)
            room = sum(gaps[i] + widths[i] for i in group)
            missing = len(plain(name)) + gaps[first] - room
            widths[first] += max(missing, 0)
            names += plain(name).rjust(room + max(missing, 0))

    def line(cells):
        shown = cells[0].ljust(widths[0])
        for gap, cell, size in zip(gaps[1:], cells[1:], widths[1:]):
            shown += " " * gap + cell.rjust(size)
        return shown.rstrip()

    rule = "-" * (sum(widths) + sum(gaps))
    lines = ([names] if names else []) + [line(cells) for cells in heads] + [rule]
    for part in (table.queries, table.baselines):
        if part is table.baselines and part:
            lines.append(rule)
        for row in part:
            for cells in bodies[row.query]:
                shown = line(cells)
                failed = any(cell.errors for cell in row.cells.values())
                if shown:  # a failed case has no further percentiles to stack
                    lines.append(_red(shown, colour) if failed else shown)
            notes = [f"{target}: {error}" for target, cell in row.cells.items()
                     for error in cell.errors] + [unequal_writes(run, row)]
            for note in filter(None, map(plain, notes)):
                lines += textwrap.wrap(note, width, initial_indent="  ", subsequent_indent="    ")
    return lines


def _red(line, colour):
    return f"\x1b[31m{line}\x1b[0m" if colour else line


def _visible(line):
    return len(re.sub(r"\x1b\[\d+m", "", line))
