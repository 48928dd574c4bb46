"""What shopmark-bench saw of each case's statements: their plans, and the engine's count of work."""

from dataclasses import dataclass

from report.fields import NotAReport, WrongReport, get, objects


@dataclass(frozen=True)
class Plan:
    fingerprint: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Statement:
    name: str
    calls: int
    plans: tuple[Plan, ...]  # those that differ, in the order of their first call
    work: dict[str, int]  # of all calls, by the engine's counters; one that is not there is 0


@dataclass(frozen=True)
class Observed:
    """Every parameter of a case called once."""
    statements: tuple[Statement, ...]
    work: dict[str, int]
    error: str | None = None  # then there is nothing else


def parse(ours, targets):
    """By target and query; nothing where the file has none. Throws NotAReport or WrongReport."""
    if "observed" not in ours:
        return None
    observed = {}
    for target, queries in get(ours, "observed", dict, "context.shopmark").items():
        where = f"observed {target}"
        if target not in targets:
            raise WrongReport(f"{where}: the target is not described in the context")
        if not isinstance(queries, dict):
            raise NotAReport(f"{where} is not an object")
        for query, value in queries.items():
            where = f"observed {query}/{target}"
            if not isinstance(value, dict):
                raise NotAReport(f"{where} is not an object")
            observed[target, query] = _case(value, where)
    return observed


def _case(value, where):
    if "error" in value:
        return Observed((), {}, get(value, "error", str, where))
    statements = tuple(_statement(one, place) for one, place in objects(value, "statements", where))
    names = [statement.name for statement in statements]
    if len(set(names)) < len(names):
        raise WrongReport(f"{where}: a statement stands twice")
    prints = {}
    for plan in (plan for statement in statements for plan in statement.plans):
        if prints.setdefault(plan.fingerprint, plan.lines) != plan.lines:
            raise WrongReport(f"{where}: two plans of one fingerprint")
    if len(set(prints.values())) < len(prints):
        raise WrongReport(f"{where}: one plan has two fingerprints")
    work, gives = _work(value, where), {}
    for statement in statements:
        for counter, count in statement.work.items():
            gives[counter] = gives.get(counter, 0) + count
    for counter in sorted({*work, *gives}):
        if work.get(counter, 0) != gives.get(counter, 0):
            raise WrongReport(f"{where}: {counter} says {work.get(counter, 0)}, its statements "
                              f"give {gives.get(counter, 0)}")
    return Observed(statements, work)


def _statement(value, where):
    calls = get(value, "calls", int, where)
    if calls < 1:
        raise NotAReport(f"{where}: calls is not 1 or more")
    plans = tuple(_plan(one, place) for one, place in objects(value, "plans", where))
    if len(set(plans)) < len(plans):
        raise WrongReport(f"{where}: a plan stands twice")
    return Statement(get(value, "name", str, where), calls, plans, _work(value, where))


def _plan(value, where):
    lines = get(value, "text", list, where)
    if not all(isinstance(line, str) for line in lines):
        raise NotAReport(f"{where}: text holds what is not text")
    return Plan(get(value, "fingerprint", str, where), tuple(lines))


def _work(value, where):
    work = get(value, "work", dict, where)
    for counter in work:
        if get(work, counter, int, f"{where}, work") < 0:
            raise NotAReport(f"{where}, work: {counter} is negative")
    return work
