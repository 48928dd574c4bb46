"""A database of a test's own, for each engine, and a way into it that is not Shopmark's."""

import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

TOOLS = Path(__file__).resolve().parent.parent / "tools"
sys.path.insert(0, str(TOOLS))

from engines import machine  # noqa: E402  (found through that line)

VARIABLES = {"postgres": "SHOPMARK_TEST_POSTGRES", "mariadb": "SHOPMARK_TEST_MARIADB"}
SKIPPED = 77


def exit_without_server(engine):
    """Ends a test program that has no server to run on: visibly skipped, or failed where that is
    asked for."""
    variable = VARIABLES.get(engine)
    if variable is None or variable in os.environ:
        return
    print(f"no server: {variable} is not set; tools/test starts one", file=sys.stderr)
    sys.exit(1 if "SHOPMARK_TEST_REQUIRE_SERVERS" in os.environ else SKIPPED)


class Sqlite:
    def __init__(self, path):
        self.path = Path(path)
        self.target = f"sqlite:{path}"

    def rows(self, sql):
        """The rows of a statement, if any, as lists of texts; NULL is empty."""
        with sqlite3.connect(self.path) as database:
            rows = database.execute(sql).fetchall()
        database.close()
        return [["" if cell is None else str(cell) for cell in row] for row in rows]

    def drop(self):
        self.path.unlink(missing_ok=True)


class Server:
    """One on the server of a DSN, by its command line client."""

    def __init__(self, dsn, name):
        self.dsn, self.name = dsn, name
        self.target = self.dsn_of(name)

    def dsn_of(self, database):
        return re.sub(r"/[^/?]*(\?.*)?$", lambda rest: f"/{database}{rest[1] or ''}", self.dsn)

    def rows(self, sql):
        return self._run(self.name, sql)

    def drop(self):
        self._run(self.MAINTENANCE, f"DROP DATABASE IF EXISTS {self.name}")

    def _run(self, database, sql):
        done = subprocess.run(self._client(database, sql), capture_output=True, text=True,
                              check=False, env=machine.environment() | self._secrets())
        if done.returncode != 0:
            raise AssertionError(f"{sql}: {done.stderr}")
        return [line.split("\t") for line in done.stdout.splitlines()]

    def sleeping(self):
        """A client that is connected and does nothing for a minute."""
        return subprocess.Popen(self._client(self.name, f"SELECT {self.SLEEP}(60)"),
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                env=machine.environment() | self._secrets())

    def _secrets(self):
        """What the client is told in its environment."""
        return {}


class Postgres(Server):
    MAINTENANCE, SLEEP = "postgres", "pg_sleep"

    def _client(self, database, sql):
        return [machine.find_program("psql"), "-X", "-q", "-A", "-t", "-F", "\t",
                self.dsn_of(database), "-c", sql]

    def drop(self):
        self._run(self.MAINTENANCE, f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")


class Mariadb(Server):
    MAINTENANCE, SLEEP = "mysql", "sleep"

    def _client(self, database, sql):
        place = urlsplit(self.dsn)
        where = [f"--{name}={values[0]}" for name, values in parse_qs(place.query).items()]
        where += [f"--port={place.port}"] if place.port else []
        return [machine.find_program("mariadb"), "--no-defaults", *where,
                f"--host={place.hostname or 'localhost'}",
                f"--user={unquote(place.username or '')}", "--batch", "--skip-column-names",
                "-e", sql, database]

    def _secrets(self):
        return {"MYSQL_PWD": unquote(urlsplit(self.dsn).password or "")}


def of_server(engine, dsn, name):
    return {"postgres": Postgres, "mariadb": Mariadb}[engine](dsn, name)
