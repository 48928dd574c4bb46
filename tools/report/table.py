"""From a run to the rows of its table."""

import csv
from dataclasses import dataclass

from report.percentiles import P99_SAMPLES, percentile

BASELINES = ("baseline_empty_call", "baseline_round_trip")

# The published figures were measured on this profile; on another there is nothing to compare.
PUBLISHED_PROFILE = "standard"


@dataclass(frozen=True)
class Measure:
    """A percentile in ns: the median of what the repetitions gave, with their spread."""
    value: int
    low: int
    high: int


@dataclass(frozen=True)
class Cell:
    """One case on one target: its measures by percent, or its failures."""
    rows: int | None
    measures: dict[int, Measure]
    errors: list[str]


@dataclass(frozen=True)
class Row:
    query: str
    title: str
    cells: dict[str, Cell]  # by target; none where the target did not run the case
    writes: bool = False


@dataclass(frozen=True)
class Table:
    queries: list[Row]  # in the order of the file
    baselines: list[Row]
    percents: list[int]  # 95, 50 and, where some case has it, 99
    repetitions: int  # the most that a case has

    def rows(self):
        return self.queries + self.baselines

    def failed(self):
        return any(cell.errors for row in self.rows() for cell in row.cells.values())


def build(run):
    by_query = {}
    for entry in run.entries:
        by_query.setdefault(entry.query, {}).setdefault(entry.target, []).append(entry)
    rows = [Row(query, next(iter(cells.values()))[0].title,
                {target: _cell(cells[target]) for target in run.targets if target in cells},
                next(iter(cells.values()))[0].writes)
            for query, cells in by_query.items()]
    return Table(
        queries=[row for row in rows if row.query not in BASELINES],
        baselines=[row for row in rows if row.query in BASELINES],
        percents=[95, 50] + [99] * any(99 in cell.measures
                                       for row in rows for cell in row.cells.values()),
        repetitions=max((len(entries) for cells in by_query.values()
                         for entries in cells.values()), default=0))


def _cell(entries):
    failures = [entry.error for entry in entries if entry.error is not None]
    if failures:
        # Repetitions that went well beside one that failed are no figure.
        times = f" ({len(failures)} of {len(entries)} repetitions)" if len(entries) > 1 else ""
        return Cell(None, {}, [error + times for error in dict.fromkeys(failures)])
    percents = [50, 95] + [99] * all(len(entry.samples) >= P99_SAMPLES for entry in entries)
    return Cell(entries[0].rows, {percent: measure(entries, percent) for percent in percents}, [])


def measure(entries, percent):
    """Of a case's repetitions, all of which went well."""
    values = sorted(percentile(entry.samples, percent) for entry in entries)
    return Measure(percentile(values, 50), values[0], values[-1])


@dataclass(frozen=True)
class Published:
    """Published figures in ms, as written, by (query, engine, percent)."""
    figures: dict[tuple[str, str, int], str]

    @staticmethod
    def read(path):
        figures = {}
        with open(path, newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                for column, value in line.items():
                    for ending, percent in (("_p95_ms", 95), ("_median_ms", 50)):
                        if column.endswith(ending):
                            engine = column.removesuffix(ending)
                            figures[line["query"], engine, percent] = value
        return Published(figures)

    def figure(self, query, target, percent):
        """None where nothing comparable was published."""
        if target.profile != PUBLISHED_PROFILE:
            return None
        return self.figures.get((query, target.engine, percent))


@dataclass(frozen=True)
class Baseline:
    """What an earlier run says of this one's cases."""
    verdicts: dict[tuple[str, str], str]  # by (query, target); none where it is not comparable
    note: str
