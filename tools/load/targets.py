"""The targets of a load run."""

import fcntl
import hashlib
import os
import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from console.errors import Failed, NotStarted
from console.places import ROOT
from engines import places
from engines.commands import ENGINES

DEFAULT = "sqlite:" + os.path.join(ROOT, "build", "store", "standard.sqlite")

_FORM = re.compile(r"(?:([A-Za-z0-9_.-]+)=)?([a-z0-9_]+):(.*)", re.DOTALL)


@dataclass(frozen=True)
class Target:
    name: str
    dsn: str  # without the name; may hold a password, and is never shown
    engine: str

    def argument(self):
        return f"--target={self.name}={self.dsn}"

    def shown(self):
        """The same for a line that a user may repeat; without what may hold a password."""
        return f"--target={self.dsn if self.engine == 'sqlite' else self.engine + '://...'}"


def parse(texts):
    """Each text is one target or several with a comma between. Throws NotStarted."""
    targets = [_target(part) for text in texts for part in text.split(",")]
    names = [target.name for target in targets]
    for name in names:
        if names.count(name) > 1:
            raise NotStarted(f"--target: two are called {name}; NAME=DSN gives one a name")
    return targets


def _target(text):
    match = _FORM.fullmatch(text)
    if match is None:
        raise NotStarted("--target must be [NAME=]sqlite:PATH, postgres://... or mariadb://...")
    name, engine, address = match.groups()
    if engine == "memory" or (engine, address) == ("sqlite", ":memory:"):
        raise NotStarted("--target=memory: and sqlite::memory: cannot be served: a server's workers "
                         "need a store that they share")
    return Target(name or engine, f"{engine}:{address}", engine)


def lock(target, folder):
    """An open file in `folder`: while it is open, no other run may measure the target. Throws
    NotStarted where one does."""
    dsn = target.dsn
    if target.engine == "sqlite":
        dsn = "sqlite:" + os.path.realpath(dsn.removeprefix("sqlite:"))
    digest = hashlib.sha256(dsn.encode()).hexdigest()[:16]
    path = os.path.join(folder, f".{digest}.lock")
    try:
        file = open(path, "w", encoding="ascii")
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise NotStarted(f"--target: {target.name} is being measured by another run") from None
    except OSError as error:
        raise NotStarted(f"{path}: {error.strerror}") from None
    return file


def engine_process(target):
    """The pid of the engine's first process, where it is a private server of this checkout."""
    if target.engine not in ENGINES:
        return None
    options = parse_qs(urlsplit(target.dsn).query)
    wanted = (options.get("host") or options.get("socket") or [""])[0]
    try:
        users = [engine.user_here() for engine in ENGINES.values()]
        server = ENGINES[target.engine](
            places.Places([user for user in users if places.has_user(user)]), lambda message: None)
    except (Failed, NotStarted, OSError):
        return None
    main = server.main_process() if wanted in (server.socket_folder, server.socket()) else None
    return main.pid if main else None
