"""The orders that were acknowledged, and those that the store has."""

import csv
from collections import Counter

from console.errors import Failed

_HEAD = ["order", "total_cents"]


def read(path):
    """(number, total) of every acknowledged checkout, in the file's order. Throws Failed."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Failed(f"orders.csv: {error}") from None
    if not lines or len(lines[0]) != len(_HEAD):
        raise Failed(f"orders.csv: its first line is not {','.join(_HEAD)}")
    found = []
    for number, line in enumerate(lines[1:], start=2):
        if len(line) != len(_HEAD) or not line[1].isdecimal():
            raise Failed(f"orders.csv, line {number}: not an order and its total in cents")
        found.append((line[0], int(line[1])))
    return found


def verdict(acknowledged, visits, unanswered):
    """What store.json says. `visits` is what shopmark-seed --visits printed, None where nobody
    could ask; `unanswered` checkouts were sent and not answered as they should be: they may have
    left an order or not."""
    made = {"format": 1,
            "acknowledged": {"orders": len(acknowledged),
                             "total_cents": sum(total for _, total in acknowledged)},
            "unanswered": unanswered, "visits": visits}
    problems = list(_problems(acknowledged, visits, unanswered))
    return made | {"problems": problems, "right": not problems}


def _problems(acknowledged, visits, unanswered):
    counts = Counter(number for number, _ in acknowledged)
    for number in sorted(number for number, count in counts.items() if count > 1):
        yield f"order {number} was acknowledged {counts[number]} times"
    if visits is None:
        yield "the store was not asked for its orders"
        return
    yield from visits["problems"]
    held = set(visits["numbers"])
    if not len(held) == len(visits["numbers"]) == visits["orders"]:
        yield (f"the store says {visits['orders']} orders and gives {len(held)} different numbers "
               f"of {len(visits['numbers'])}")
    for number in sorted(counts.keys() - held):
        yield f"order {number} was acknowledged, and is not in the store"
    others = held - counts.keys()
    if len(others) > unanswered:
        yield (f"{len(others)} orders in the store were not acknowledged, such as {min(others)}, "
               f"and only {unanswered} checkouts were left without an answer")
    total = sum(total for _, total in acknowledged)
    if visits["total_cents"] != total if not others else visits["total_cents"] < total:
        yield (f"the acknowledged orders come to {total} cents, those in the store to "
               f"{visits['total_cents']}")
