"""Reads and checks the JSON that shopmark-bench writes."""

import json
import math
from dataclasses import dataclass, field, replace

from report import recompute
from report.fields import NotAReport, WrongReport
from report.fields import get as _get
from report.observed import Observed
from report.observed import parse as _observed
from report.percentiles import P99_SAMPLES, percentile

FORMAT = 1


@dataclass(frozen=True)
class Target:
    name: str
    engine: str
    version: str
    profile: str
    data_digest: str
    transport: str
    isolation: str
    durability: str  # of what was written: durable, process-safe or none
    settings: dict[str, str]


@dataclass(frozen=True)
class Entry:
    """One repetition of one case: its calls' times in ns, or why it failed."""
    query: str
    title: str
    target: str
    repetition: int
    rows: int | None
    parameter_rows: tuple[int, ...]  # of the parameters that rotate: call i has parameter i modulo
    calls: tuple[int, ...]  # in the order of the calls
    samples: tuple[int, ...]  # the same, sorted
    error: str | None
    writes: bool = False
    answers_digest: str | None = None  # equal ones are equal answers; none where nobody asked


@dataclass(frozen=True)
class Run:
    targets: dict[str, Target]
    entries: list[Entry]
    complete: bool
    warmup: int
    # What else is worth a line: strings, by Google Benchmark's and our own names. Absent when the
    # file does not say.
    facts: dict[str, str] = field(default_factory=dict)
    # By target and query; none where the run had no look at its statements.
    observed: dict[tuple[str, str], Observed] | None = None


def read_file(path):
    """Throws NotAReport, WrongReport or OSError."""
    with open(path, "rb") as file:
        return parse(file.read())


def parse(content):
    """The run in the bytes of a report."""
    if not content.strip():
        raise NotAReport("it is empty")
    try:
        document = json.loads(content.decode("utf-8"), parse_constant=_refuse_constant,
                              parse_float=_float, object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise NotAReport(f"not JSON: byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise NotAReport(f"not JSON: line {error.lineno}, column {error.colno}: "
                         f"{error.msg}") from None
    except RecursionError:
        raise NotAReport("not a report of shopmark-bench: nested too deep") from None
    except ValueError as error:  # a number of thousands of digits
        raise NotAReport(f"not JSON: {error}") from None

    context = document.get("context") if isinstance(document, dict) else None
    if not isinstance(context, dict) or not isinstance(document.get("benchmarks"), list):
        raise NotAReport("JSON, but not a report of shopmark-bench")
    ours = context.get("shopmark")
    if not isinstance(ours, dict):
        raise NotAReport("Google Benchmark's JSON without what shopmark-bench adds to it")
    if ours.get("format") != FORMAT:
        raise NotAReport(f"format {ours.get('format')!r}; this reads format {FORMAT}")

    where = "context.shopmark"
    targets = {name: _target(name, value)
               for name, value in _get(ours, "targets", dict, where).items()}
    complete = _get(ours, "complete", bool, where)
    entries, aggregates = _entries(document["benchmarks"], targets)
    for where, aggregate in aggregates:
        _check_aggregate(aggregate, document["benchmarks"], where)
    if complete and not entries:
        raise NotAReport("it holds only aggregates; the report needs the repetitions themselves, "
                         "so run without --benchmark_report_aggregates_only" if aggregates
                         else "it holds no case")
    return Run(targets, entries, complete, _get(ours, "warmup", int, where),
               _facts(context) | _facts(ours), _observed(ours, targets))


def _refuse_constant(name):
    raise NotAReport(f"not JSON: {name} is no number")


def _float(text):
    value = float(text)
    if math.isinf(value):
        raise NotAReport(f"not JSON of ours: {text[:20]} is beyond every number")
    return value


def _object(pairs):
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise NotAReport(f"not JSON: {twice} stands twice in one object")
    return members


def _facts(owner):
    return {key: str(value) for key, value in owner.items()
            if isinstance(value, (str, int, float)) and value != ""}


def _target(name, value):
    where = f"target {name}"
    if not isinstance(value, dict):
        raise NotAReport(f"{where} is not an object")
    texts = (_get(value, key, str, where)
             for key in ("engine", "version", "profile", "data_digest", "transport", "isolation",
                         "durability"))
    return Target(name, *texts, _get(value, "settings", dict, where))


def _entries(benchmarks, targets):
    entries, aggregates, seen = [], [], set()
    for number, value in enumerate(benchmarks, start=1):
        if not isinstance(value, dict):
            raise NotAReport(f"entry {number} is not an object")
        where = f"entry {number}"
        where = f"entry {_get(value, 'name', str, where)}"
        if _get(value, "run_type", str, where) == "aggregate":
            aggregates.append((where, value))
            continue
        entry = _entry(value, where)
        if entry.target not in targets:
            raise WrongReport(f"{where}: target {entry.target} is not described in the context")
        says, is_engine = _get(value, "engine", str, where), targets[entry.target].engine
        if says != is_engine:
            raise WrongReport(f"{where}: engine says {says}, its target is {is_engine}")
        key = (entry.query, entry.target, entry.repetition)
        if key in seen:
            raise NotAReport(f"{where}: stands twice for repetition {entry.repetition} of "
                              f"{entry.query} on {entry.target}")
        seen.add(key)
        digest = (_get(value, "answers_digest", str, where) if "answers_digest" in value else None)
        entries.append(replace(entry, writes=value.get("writes") is True, answers_digest=digest))
    return entries, aggregates


def _entry(value, where):
    query, title, target = (_get(value, key, str, where) for key in ("query", "title", "target"))
    repetition = _get(value, "repetition_index", int, where) if "repetition_index" in value else 0
    if repetition < 0:
        raise NotAReport(f"{where}: repetition_index is negative")
    if "error_occurred" in value and _get(value, "error_occurred", bool, where):
        return Entry(query, title, target, repetition, None, (), (), (),
                     str(value.get("error_message") or "failed without a message"))
    samples = _get(value, "samples", list, where)
    if not samples or any(type(sample) is not int or not 0 <= sample < 2**63
                          for sample in samples):
        raise NotAReport(f"{where}: samples are not nanoseconds, one or more")
    if not any(samples):
        raise WrongReport(f"{where}: took no time")
    unit, mean = _get(value, "time_unit", str, where), _get(value, "real_time", float, where)
    if unit not in recompute.NS:
        raise NotAReport(f"{where}: time_unit {unit} is none of {', '.join(recompute.NS)}")
    gives = recompute.mean_of(samples, unit)
    if not recompute.same(mean, gives):
        raise WrongReport(f"{where}: real_time says {mean} {unit}, its samples give {gives}")
    iterations = _get(value, "iterations", int, where)
    if iterations != len(samples):
        raise WrongReport(f"{where}: {iterations} iterations, but {len(samples)} samples")
    ordered = tuple(sorted(samples))
    for percent in (50, 95, 99):
        key = f"p{percent}"
        if percent == 99 and key not in value:
            continue
        if percent == 99 and len(ordered) < P99_SAMPLES:
            raise WrongReport(f"{where}: p99 of {len(ordered)} samples; it takes {P99_SAMPLES}")
        says, gives = _get(value, key, int, where), percentile(ordered, percent)
        if says != gives:
            raise WrongReport(f"{where}: {key} says {says}, its samples give {gives}")
    rows = _get(value, "rows", int, where)
    expected = _get(value, "parameter_rows", list, where)
    if rows not in expected[:1]:
        raise WrongReport(f"{where}: rows says {rows}, its parameters' rows are {expected}")
    return Entry(query, title, target, repetition, rows, tuple(expected), tuple(samples), ordered,
                 None)


def _check_aggregate(value, benchmarks, where):
    """What an entry says of all repetitions together must follow from them, where they stand in the
    file too."""
    name = _get(value, "aggregate_name", str, where)
    times = {"real_time": [], "cpu_time": []}
    for other in benchmarks:
        if other["run_type"] == "iteration" and other.get("run_name") == value.get("run_name"):
            if other.get("error_occurred"):
                raise WrongReport(f"{where}: a {name} of repetitions of which one failed")
            for key, of_key in times.items():
                of_key.append(_get(other, key, float, where))
    for key, of_key in times.items():
        gives = recompute.aggregate_of(name, of_key)
        says = _get(value, key, float, where)
        if gives is not None and not recompute.same(says, gives, recompute.scale_of(name, of_key)):
            raise WrongReport(f"{where}: {key} says {says}, the repetitions give {gives}")
