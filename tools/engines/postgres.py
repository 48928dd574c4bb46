"""PostgreSQL, from initdb to the DSN."""

import os
import re
import signal
import subprocess

from engines import machine, servers
from console.errors import NotStarted

PORT = "5432"  # only part of the socket's name


class Postgres(servers.Server):
    NAME, TITLE = "postgres", "PostgreSQL"
    USER = "postgres"
    # Ends the sessions; the default would wait for them.
    STOP_SIGNAL = signal.SIGINT
    PROGRAMS = {"postgres": "postgresql", "initdb": "postgresql", "psql": "postgresql-client"}

    @classmethod
    def find_program(cls, name):
        # All from one version's folder. What Debian has under these names on PATH are scripts that
        # choose a version and read the user's settings for it.
        server = machine.find_program("postgres")
        path = os.path.join(os.path.dirname(os.path.realpath(server)), name) if server else ""
        return path if os.access(path, os.X_OK) else None

    def make_command(self, sizes):
        # Who can enter the socket's folder may connect; there is no other way in.
        return [self.find_program("initdb"), "--pgdata", self.data, f"--username={servers.NAME}",
                "--encoding=UTF8", "--locale=C.UTF-8", "--auth-local=trust", "--auth-host=reject"]

    def command(self, sizes):
        return [self.find_program("postgres"), "-D", self.data, "-k", self.socket_folder,
                "-p", PORT, "-c", "listen_addresses=", "-c", f"cluster_name={self._cluster()}",
                *self.memory_arguments(sizes)]

    def memory_arguments(self, sizes):
        settings = {"shared_buffers": sizes.cache, "effective_cache_size": sizes.cached,
                    "work_mem": sizes.work, "maintenance_work_mem": sizes.build,
                    "max_wal_size": sizes.log}
        arguments = [f"--{name}={size}MB" for name, size in settings.items()]
        if machine.is_small_shared_memory():
            arguments.append("--dynamic_shared_memory_type=mmap")
        return arguments

    def client(self, sql):
        return [self.find_program("psql"), "-X", "-q", "-A", "-t", "-F", "\t",
                "-h", self.socket_folder, "-p", PORT, "-U", servers.NAME, "-d", "postgres",
                "-c", sql]

    def ensure_database(self):
        if not self.query(f"SELECT 1 FROM pg_database WHERE datname = '{servers.NAME}'"):
            self.query(f"CREATE DATABASE {servers.NAME}")

    def facts(self):
        memory = ["shared_buffers", "effective_cache_size", "work_mem", "maintenance_work_mem",
                  "max_wal_size"]
        durability = ["fsync", "synchronous_commit", "full_page_writes", "wal_sync_method"]
        names = ["server_version", *memory, *durability]
        columns = ", ".join(f"current_setting('{name}')" for name in names)
        values = dict(zip(names, self.query(f"SELECT {columns}")[0]))
        return servers.Facts(values["server_version"].split()[0],
                             [f"{name}={values[name]}" for name in memory],
                             [f"{name}={values[name]}" for name in durability])

    def socket(self):
        return os.path.join(self.socket_folder, f".s.PGSQL.{PORT}")

    def dsn(self):
        return f"postgres://{servers.NAME}@/{servers.NAME}?host={self.socket_folder}"

    def is_server(self, arguments):
        return (os.path.basename(arguments[0]) == "postgres" and
                ("-D", self.data) in zip(arguments, arguments[1:]))

    def is_helper(self, arguments):
        # The server's children give themselves titles.
        return (arguments[0].startswith(f"postgres: {self._cluster()}: ") or
                os.path.basename(arguments[0]) == "initdb" and self.data in arguments)

    def check_data(self):
        with open(os.path.join(self.data, "PG_VERSION"), encoding="ascii") as file:
            made = file.read().strip()
        said = subprocess.run([self.find_program("postgres"), "--version"], check=True,
                              capture_output=True, text=True, env=machine.environment()).stdout
        now = re.search(r"[0-9]+", said).group()
        if made != now:
            raise NotStarted(f"{self.data} was made by PostgreSQL {made}, and this is {now}: "
                             f"tools/shopmark engines down --remove {self.NAME}")

    def stale_files(self):
        # Their pid may meanwhile be that of any other process, and then the server would not start.
        return [os.path.join(self.data, "postmaster.pid"), self.socket(), f"{self.socket()}.lock"]

    def _cluster(self):
        return f"shopmark-{self.places.key}"
