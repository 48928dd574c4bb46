"""Two sides' runs, case by case: what is there to compare, and whether it may be compared."""

from dataclasses import dataclass, field

from console.errors import NotStarted
from report.read import Entry

# Of the run and its machine.
_FACTS = ("host_name", "num_cpus", "build_type", "compiler", "warmup", "percentile_method", "order")


@dataclass
class Side:
    """One case on one target, of all files of a side."""
    entries: list[Entry] = field(default_factory=list)  # those that went well
    errors: list[str] = field(default_factory=list)
    parameter_rows: tuple[int, ...] = ()

    def is_measured(self):
        """Repetitions that went well beside one that failed are no figure."""
        return bool(self.entries) and not self.errors

    def samples(self):
        """How many, of all repetitions."""
        return sum(len(entry.calls) for entry in self.entries)


@dataclass(frozen=True)
class Pair:
    query: str
    title: str
    target: str
    old: Side | None  # none where no file of that side has the case
    new: Side | None


def pairs(old_runs, new_runs):
    """Every case of either side, in the order of the files, target by target."""
    sides = [_sides(runs) for runs in (old_runs, new_runs)]
    titles = {(entry.target, entry.query): entry.title
              for run in [*old_runs, *new_runs] for entry in run.entries}
    targets = list(dict.fromkeys(target for target, _ in titles))
    return [Pair(query, titles[target, query], target, *(side.get((target, query))
                                                         for side in sides))
            for wanted in targets for target, query in titles if target == wanted]


def _sides(runs):
    sides = {}
    for run in runs:
        for entry in run.entries:
            side = sides.setdefault((entry.target, entry.query), Side())
            if entry.error is not None:
                side.errors.append(entry.error)
                continue
            if side.parameter_rows not in ((), entry.parameter_rows):
                raise NotStarted(f"{entry.query}/{entry.target}: the files of one side have other "
                                 "rows than each other")
            side.parameter_rows = entry.parameter_rows
            side.entries.append(entry)
    return sides


def differences(runs):
    """What the runs, of either side, differ in though it should be the same: one line each."""
    facts = {name: [run.facts.get(name, str(run.warmup) if name == "warmup" else "")
                    for run in runs] for name in _FACTS}
    for target in dict.fromkeys(name for run in runs for name in run.targets):
        described = [run.targets[target] for run in runs if target in run.targets]
        for name in ("engine", "version", "profile", "data_digest", "transport", "isolation",
                     "durability"):
            facts[f"{target} {name}"] = [getattr(one, name) for one in described]
        for name in sorted({name for one in described for name in one.settings}):
            facts[f"{target} {name}"] = [str(one.settings.get(name, "not set"))
                                         for one in described]
    return [f"{name}: {' / '.join(dict.fromkeys(values))}" for name, values in facts.items()
            if len(set(values)) > 1]
