"""A run in the forms that other programs read. Names of cases never change between runs:
QUERY/TARGET. A case that failed has no time in any of them."""

import csv
import io
import json
import re
from xml.etree import ElementTree

from report.percentiles import interval, percentile
from report.render import plain

_NS_PER_S = 1_000_000_000


def github_action_benchmark(run, table):
    """The input of github-action-benchmark's tool customSmallerIsBetter."""
    figures = []
    for name, _, cell in _measured(table):
        for label, percent in (("median", 50), ("p95", 95)):
            measure = cell.measures[percent]
            figures.append({"name": f"{name} {label}", "unit": "ns", "value": measure.value,
                            "range": _range(run, name, percent, measure),
                            "extra": f"rows: {cell.rows}\ncommit: {_commit(run)}"})
    return json.dumps(figures, indent=2) + "\n"


def bencher(run, table):
    """Bencher Metric Format (https://bencher.dev/docs/reference/bencher-metric-format/): `latency`,
    the median, is its own measure in ns."""
    metrics = {}
    for name, _, cell in _measured(table):
        metrics[name] = {}
        for measure_name, percent in (("latency", 50), ("latency-p95", 95)):
            measure = cell.measures[percent]
            low, high = _bounds(run, name, percent, measure)
            metric = {"value": measure.value}
            if low is not None:
                metric |= {"lower_value": low, "upper_value": high}
            metrics[name][measure_name] = metric
    return json.dumps(metrics, indent=2) + "\n"


def openmetrics(run, table):
    """OpenMetrics 1.0 text: a summary of all samples for each case, and whether it failed."""
    lines = ["# TYPE shopmark_call_seconds summary", "# UNIT shopmark_call_seconds seconds",
             "# HELP shopmark_call_seconds Times of single calls; nearest-rank quantiles."]
    for name, row, cell in _measured(table):
        labels = _labels(run, row.query, name)
        for percent in sorted(cell.measures):
            quantile = f'{labels},quantile="{percent / 100}"'
            seconds = cell.measures[percent].value / _NS_PER_S
            lines.append(f"shopmark_call_seconds{{{quantile}}} {seconds!r}")
        samples = [sample for entry in _entries(run, name) for sample in entry.samples]
        lines += [f"shopmark_call_seconds_sum{{{labels}}} {sum(samples) / _NS_PER_S!r}",
                  f"shopmark_call_seconds_count{{{labels}}} {len(samples)}"]
    lines += ["# TYPE shopmark_rows gauge", "# HELP shopmark_rows Rows of the first parameter."]
    lines += [f"shopmark_rows{{{_labels(run, row.query, name)}}} {cell.rows}"
              for name, row, cell in _measured(table)]
    lines += ["# TYPE shopmark_failed gauge", "# HELP shopmark_failed 1 for a case that failed."]
    lines += [f"shopmark_failed{{{_labels(run, row.query, name)}}} {int(bool(cell.errors))}"
              for name, row, cell in _cells(table)]
    lines += ["# TYPE shopmark_target info", "# HELP shopmark_target What was measured."]
    lines += [f'shopmark_target_info{{target="{_escape(target.name)}",'
              f'engine="{_escape(target.engine)}",version="{_escape(target.version)}",'
              f'profile="{_escape(target.profile)}",data_digest="{_escape(target.data_digest)}",'
              f'commit="{_escape(_commit(run))}"}} 1' for target in run.targets.values()]
    return "\n".join(lines + ["# EOF"]) + "\n"


def samples_csv(run, _):
    """Tidy: a line for each sample, in the order of the calls, or for a failure."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["commit", "profile", "target", "engine", "query", "repetition", "sample",
                     "ns", "error"])
    for entry in run.entries:
        target = run.targets[entry.target]
        start = [_commit(run), target.profile, entry.target, target.engine, entry.query,
                 entry.repetition]
        if entry.error is not None:
            writer.writerow([*start, "", "", plain(entry.error)])
        for number, sample in enumerate(entry.calls):
            writer.writerow([*start, number, sample, ""])
    return out.getvalue()


def junit(run, table):
    """JUnit's XML: a suite for each target, a case for each query, its median as the time."""
    root = ElementTree.Element("testsuites")
    for target in run.targets.values():
        cells = [(row, cell) for _, row, cell in _cells(table, target.name)]
        suite = ElementTree.SubElement(
            root, "testsuite", name=_xml(target.name), tests=str(len(cells)), errors="0",
            skipped="0", failures=str(sum(bool(cell.errors) for _, cell in cells)),
            time=_seconds(sum(cell.measures[50].value for _, cell in cells if cell.measures)))
        for row, cell in cells:
            median = cell.measures[50].value if cell.measures else 0
            case = ElementTree.SubElement(suite, "testcase", classname=_xml(target.name),
                                          name=_xml(row.query), time=_seconds(median))
            for error in cell.errors:
                ElementTree.SubElement(case, "failure", message=_xml(error), type="failed")
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(
        root, encoding="unicode") + "\n"


# By the names of --format.
FORMATS = {"github-action-benchmark": github_action_benchmark, "bencher": bencher,
           "openmetrics": openmetrics, "csv": samples_csv, "junit": junit}


def _cells(table, target=None):
    """(name, row, cell) of every case that ran."""
    return [(f"{row.query}/{name}", row, cell) for row in table.rows()
            for name, cell in row.cells.items() if target in (None, name)]


def _measured(table):
    return [(name, row, cell) for name, row, cell in _cells(table) if not cell.errors]


def _entries(run, name):
    return [entry for entry in run.entries if f"{entry.query}/{entry.target}" == name]


def _bounds(run, name, percent, measure):
    """Of one repetition, the 95% interval of its percentile, if it has samples enough; of several,
    the least and the greatest of theirs."""
    entries = _entries(run, name)
    if len(entries) > 1:
        return measure.low, measure.high
    return interval(entries[0].samples, percent) or (None, None)


def _range(run, name, percent, measure):
    low, high = _bounds(run, name, percent, measure)
    return "" if low is None else f"{low} to {high}"


def _commit(run):
    return run.facts.get("commit", "unknown")


def _labels(run, query, name):
    target = run.targets[name.removeprefix(f"{query}/")]
    return (f'query="{_escape(query)}",target="{_escape(target.name)}",'
            f'engine="{_escape(target.engine)}"')


def _escape(value):
    return plain(value).replace("\\", "\\\\").replace('"', '\\"')


def _xml(value):
    """What XML 1.0 can hold."""
    return re.sub("[\ud800-\udfff\ufffe\uffff]", "\ufffd", plain(value))


def _seconds(ns):
    return f"{ns / _NS_PER_S:.9f}"
