"""Plans, and their changes, for a terminal, as Markdown or JSON."""

import re
import textwrap

from plans.changes import INEXACT
from report.render import markdown_cell, plain


def text(run, cases, width=80, statement=None):
    """Of those (target, query); with `statement`, of statements of that name alone."""
    blocks = []
    for target, query in cases:
        observed = run.observed[target, query]
        lines = [f"{plain(query)} on {plain(target)}"]
        if observed.error is not None:
            lines += _wrapped(f"no plans: {plain(observed.error)}", width, "  ")
        elif statement is None:
            lines += _wrapped(f"work: {work(observed.work)}", width, "  ")
        for one in observed.statements:
            if statement in (None, one.name):
                lines += [""] + _statement(one, width)
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def work(counts):
    """One line."""
    return ", ".join(f"{plain(name)} {'about ' if name in INEXACT else ''}{count:,}"
                     for name, count in sorted(counts.items())) or "nothing counted"


def change_text(change, width=80, indent="  "):
    """The lines beneath a case."""
    lines = _wrapped(plain(change.note), width, indent) if change.note else []
    if change.work:
        lines += _wrapped(work_change(change), width, indent)
    for one in change.plans:
        lines += _wrapped(_headline(one), width, indent)
        lines += _plan(one.diff, width, indent + "  ", marks=1)
    return lines


def change_markdown(change):
    """Lines of Markdown that stand on their own."""
    lines = [f"- {markdown_cell(line)}"
             for line in ([change.note] if change.note else [])
             + ([work_change(change)] if change.work else [])]
    for one in change.plans:
        body = [_visible(line) for line in one.diff]
        fence = "`" * max([3, *(len(run) + 1 for line in body for run in re.findall("`+", line))])
        lines += [f"- {markdown_cell(_headline(one))}", "", f"{fence}diff", *body, fence, ""]
    return lines


def change_json(change):
    return {"more_work": change.is_more_work(),
            "work": {one.counter: {"old": one.old, "new": one.new, "exact": one.is_exact()}
                     for one in change.work},
            "plans": [{"statement": one.statement, "what": one.what, "diff": list(one.diff)}
                      for one in change.plans],
            "note": change.note}


def work_change(change):
    """One line that says first in which direction it went."""
    exact = [one for one in change.work if one.is_exact()]
    more, less = (any(test) for test in ([one.new > one.old for one in exact],
                                         [one.new < one.old for one in exact]))
    kind = "other" if more == less else "more" if more else "less"
    return f"{kind} work: " + ", ".join(map(_counter, change.work))


def _counter(one):
    share = "" if one.old == 0 else f" ({(one.new - one.old) / one.old:+.0%})"
    if one.old and abs(one.new - one.old) * 200 < one.old:
        share = f" ({one.new - one.old:+,})"
    about = "" if one.is_exact() else "about "
    return f"{plain(one.counter)} {about}{one.old:,} → {one.new:,}{share}"


def _headline(one):
    return (f"the plan of {plain(one.statement)} changed:" if one.what == "changed" else
            f"{plain(one.statement)}, {one.what}:")


def _statement(one, width):
    calls = "1 call" if one.calls == 1 else f"{one.calls} calls"
    lines = _wrapped(f"{plain(one.name)}: {calls}, {work(one.work)}", width, "  ")
    for number, plan in enumerate(one.plans, start=1):
        of = f" {number} of {len(one.plans)}" if len(one.plans) > 1 else ""
        lines.append(f"    plan{of} {plain(plan.fingerprint)[:12]}"
                     + ("" if plan.lines else ": no step to choose"))
        lines += _plan(plan.lines, width, "      ")
    return lines


def _plan(plan, width, indent, marks=0):
    """A line keeps its own depth, and goes on beneath itself; in a diff, behind its mark."""
    # PostgreSQL's steps stand six columns deeper each time, and would soon leave no room for words:
    # they get half of that, and a shorter arrow, so that what belongs to a step stands beneath it.
    narrow = any("->  " in line for line in plan)
    lines = []
    for line in map(_visible, plan):
        mark, line = line[:marks], line[marks:]
        words = line.lstrip(" ")
        depth = len(line) - len(words)
        if narrow:
            depth, words = depth // 2, words.replace("->  ", "-> ", 1)
        start = indent + mark + " " * depth
        lines += textwrap.wrap(words, max(width, len(start) + 30), initial_indent=start,
                               subsequent_indent=start + "    ", break_on_hyphens=False,
                               break_long_words=False) or [start.rstrip()]
    return lines


def _visible(line):
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", line)


def _wrapped(string, width, indent):
    return textwrap.wrap(string, width, initial_indent=indent, subsequent_indent=indent + "  ",
                         break_on_hyphens=False)
