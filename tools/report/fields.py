"""Members of a report's JSON, and how one that is wrong is told."""


class NotAReport(Exception):
    """The file is not one that this can read."""


class WrongReport(Exception):
    """The file is a report, but it contradicts itself."""


_NAMES = {str: "text", int: "an integer", float: "a number", bool: "true or false", list: "a list",
          dict: "an object"}


def get(owner, key, kind, where):
    """The member of an object, of that kind."""
    value = owner.get(key)
    # JSON's numbers are floats only where they are written so.
    allowed = (int, float) if kind is float else kind
    if not isinstance(value, allowed) or (kind is not bool and isinstance(value, bool)):
        problem = f"is not {_NAMES[kind]}" if key in owner else "is missing"
        raise NotAReport(f"{where}: {key} {problem}")
    return value


def objects(owner, key, where):
    """A list of objects, each with its own place."""
    for number, value in enumerate(get(owner, key, list, where), start=1):
        if not isinstance(value, dict):
            raise NotAReport(f"{where}: {key} holds what is not an object")
        yield value, f"{where}, {key} {number}"
