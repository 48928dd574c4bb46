"""From recorded runs to the course of each case: what like runs of it gave, the oldest first.
Unlike are runs of another host, build or way to measure, of another engine, version, setting or
data, and of a case with other rows: each has a course of its own."""

from dataclasses import dataclass, replace

from compare import noise as measured_noise
from compare import sides, verdict
from history import steps
from history.record import Recorded
from report.table import BASELINES, measure

INTERRUPTED = "the run was interrupted before it"


@dataclass(frozen=True)
class Point:
    """What one run gave of a case; a failure has no figures."""
    recorded: Recorded
    side: sides.Side
    error: str | None

    @property
    def date(self):
        return self.recorded.date

    def is_interrupted(self):
        """The run ended before the case; it did not fail."""
        return self.error is INTERRUPTED

    def commit(self):
        """Short; with a plus where changes were not committed."""
        facts = self.recorded.run.facts
        dirty = "+" if facts.get("dirty") == "True" else ""
        return facts.get("commit", "unknown")[:12] + dirty

    def figure(self, percent):
        """In ns; none of a failure."""
        return None if self.error else measure(self.side.entries, percent).value


@dataclass(frozen=True)
class Course:
    target: str
    query: str
    title: str
    facts: dict[str, str]  # what its runs share
    points: list[Point]
    steps: dict[int, steps.Step]  # by the point from which on there is a new level

    def is_like(self, run):
        """Whether the run's case would stand in this course, but for its rows."""
        target = run.targets.get(self.target)
        return target is not None and self.facts == _facts(run, target)

    def measured(self):
        return [point for point in self.points if not point.error]


def courses(record, *, floor, confidence, noise=None):
    """Every case's, target by target; of unlike runs of it, the one that began first comes first.
    `noise` of none is what was measured of a course's machine, else what is assumed."""
    measured = measured_noise.load() if noise is None else None
    found = {}  # lists of Courses by target, facts and query
    for recorded in record:
        run = recorded.run
        keys = {target: (target, tuple(_facts(run, described).items()))
                for target, described in run.targets.items()}
        cases = _cases(run)
        for (target, query), (title, side) in cases.items():
            error = "; ".join(dict.fromkeys(side.errors)) or None
            _place(found.setdefault((*keys[target], query), []), title,
                   Point(recorded, side, error), (*keys[target], query))
        if not run.complete:
            for key, known in found.items():
                if key[:2] in keys.values() and (key[0], key[2]) not in cases:
                    known[-1].points.append(Point(recorded, sides.Side(), INTERRUPTED))
    every = [course for known in found.values() for course in known]
    targets = list(dict.fromkeys(course.target for course in every))
    return [replace(course, steps=_steps(course, len(every), floor, confidence,
                                         noise or _noise_of(course, measured)))
            for course in sorted(every, key=lambda course: targets.index(course.target))]


def _place(known, title, point, key):
    """Adds the point to the newest course of the same rows; a failure has none."""
    rows = point.side.parameter_rows
    for course in reversed(known):
        its_rows = next((one.side.parameter_rows for one in course.measured()), ())
        if () in (rows, its_rows) or rows == its_rows:
            course.points.append(point)
            return
    known.append(Course(key[0], key[2], title, dict(key[1]), [point], {}))


def _noise_of(course, measured):
    run = course.points[-1].recorded.run
    known = measured.of(run, course.target, course.query) if measured else None
    return known or verdict.ASSUMED_NOISE


def _steps(course, count, floor, confidence, noise):
    places = [i for i, point in enumerate(course.points) if not point.error]
    levels = [verdict.level(logs) for logs in
              verdict.relative(*(course.points[i].side for i in places))] if places else []
    found = steps.find(levels, courses=count, floor=floor, confidence=confidence, noise=noise)
    return {places[step.at]: step for step in found}


def _facts(run, target):
    return sides.run_facts(run) | sides.target_facts(target)


def _cases(run):
    """Title and Side of each case of the run."""
    cases = {}
    for entry in run.entries:
        if entry.query not in BASELINES:
            _, side = cases.setdefault((entry.target, entry.query), (entry.title, sides.Side()))
            side.add(entry)
    return cases
