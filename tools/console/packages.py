"""Modules that need a package which not every command has to wait for, or to have."""

import importlib

from console.errors import NotStarted


def load(name, *packages):
    """The module of that name. Throws NotStarted where one of the Debian packages that it needs is
    missing."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise NotStarted(f"{error}; as root: apt-get install {' '.join(packages)}") from None
