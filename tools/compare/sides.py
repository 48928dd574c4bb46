"""Two sides' runs, case by case: what is there to compare, and whether it may be compared."""

from dataclasses import dataclass, field

from console.errors import NotStarted
from report.read import Entry

# Of the run and its machine.
_FACTS = ("host_name", "num_cpus", "build_type", "compiler", "warmup", "percentile_method", "order")
# Of a target, beside its settings.
_TARGET_FACTS = ("engine", "version", "profile", "data_digest", "transport", "isolation",
                 "durability")


@dataclass
class Side:
    """One case on one target, of all files of a side."""
    entries: list[Entry] = field(default_factory=list)  # those that went well
    errors: list[str] = field(default_factory=list)
    parameter_rows: tuple[int, ...] = ()

    def add(self, entry):
        """Throws NotStarted where the entry has other rows than those before."""
        if entry.error is not None:
            self.errors.append(entry.error)
            return
        if self.parameter_rows not in ((), entry.parameter_rows):
            raise NotStarted(f"{entry.query}/{entry.target}: the files of one side have other "
                             "rows than each other")
        self.parameter_rows = entry.parameter_rows
        self.entries.append(entry)

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
            sides.setdefault((entry.target, entry.query), Side()).add(entry)
    return sides


def run_facts(run):
    """What runs have to share, and their machine."""
    return {name: run.facts.get(name, str(run.warmup) if name == "warmup" else "")
            for name in _FACTS}


def target_facts(target):
    """What targets of one name have to share."""
    return {name: getattr(target, name) for name in _TARGET_FACTS} | {
        name: str(value) for name, value in target.settings.items()}


def differences(runs):
    """What the runs, of either side, differ in though it should be the same: one line each."""
    facts = unequal([run_facts(run) for run in runs])
    for target in dict.fromkeys(name for run in runs for name in run.targets):
        described = [target_facts(run.targets[target]) for run in runs if target in run.targets]
        facts += [f"{target} {fact}" for fact in unequal(described)]
    return facts


def unequal(every):
    """What not all of these facts agree on: one line each."""
    names = dict.fromkeys(name for facts in every for name in facts)
    values = {name: dict.fromkeys(facts.get(name, "not set") for facts in every) for name in names}
    return [f"{name}: {' / '.join(different)}" for name, different in values.items()
            if len(different) > 1]
