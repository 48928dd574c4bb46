"""MariaDB, from mariadb-install-db to the DSN."""

import os

from engines import machine, places, servers


class MariaDb(servers.Server):
    NAME, TITLE = "mariadb", "MariaDB"
    USER = "mysql"
    PROGRAMS = {"mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server",
                "mariadb": "mariadb-client"}

    def make_command(self, sizes):
        os.mkdir(self._temporary(), mode=0o700)
        places.give(self._temporary(), self.user)
        # Who can enter the socket's folder may connect; there is no other way in.
        return [self.find_program("mariadb-install-db"), "--no-defaults", f"--datadir={self.data}",
                "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve",
                # The script passes on its other arguments without quotes: no folder among them.
                f"--innodb-log-file-size={sizes.log}M"]

    def command(self, sizes):
        return [self.find_program("mariadbd"), "--no-defaults", f"--datadir={self.data}",
                f"--socket={self.socket()}", f"--pid-file={self._pid_file()}", "--skip-networking",
                # Temporary files belong on the disk of the data; the folder is no database.
                f"--tmpdir={self._temporary()}",
                f"--ignore-db-dirs={os.path.basename(self._temporary())}",
                "--character-set-server=utf8mb4", "--collation-server=utf8mb4_nopad_bin",
                "--local-infile=ON", *self.memory_arguments(sizes)]

    def memory_arguments(self, sizes):
        return [f"--innodb-buffer-pool-size={sizes.cache}M", f"--innodb-log-file-size={sizes.log}M"]

    def client(self, sql):
        return [self.find_program("mariadb"), "--no-defaults", f"--socket={self.socket()}",
                "--user=root", "--batch", "--skip-column-names", "-e", sql]

    def ensure_database(self):
        self.query(f"CREATE DATABASE IF NOT EXISTS {servers.NAME};"
                   f"CREATE USER IF NOT EXISTS {servers.NAME}@localhost;"
                   f"GRANT ALL ON *.* TO {servers.NAME}@localhost WITH GRANT OPTION")

    def facts(self):
        memory = ["innodb_buffer_pool_size", "innodb_log_file_size"]
        durability = ["innodb_flush_log_at_trx_commit", "innodb_doublewrite", "innodb_flush_method",
                      "log_bin"]
        names = ", ".join(f"@@{name}" for name in ["version", *memory, *durability])
        version, *values = self.query(f"SELECT {names}")[0]
        sizes, modes = values[:len(memory)], values[len(memory):]
        return servers.Facts(version.split("-")[0],
                             [f"{name}={int(size) // machine.MIB}MB"
                              for name, size in zip(memory, sizes)],
                             [f"{name}={mode}" for name, mode in zip(durability, modes)])

    def socket(self):
        return os.path.join(self.socket_folder, "mariadb.sock")

    def dsn(self):
        return f"mariadb://{servers.NAME}@localhost/{servers.NAME}?socket={self.socket()}"

    def is_server(self, arguments):
        return (os.path.basename(arguments[0]) in ("mariadbd", "mysqld") and
                f"--datadir={self.data}" in arguments and "--bootstrap" not in arguments)

    def is_helper(self, arguments):
        return f"--datadir={self.data}" in arguments and not self.is_server(arguments)

    def stale_files(self):
        return [self._pid_file(), self.socket()]

    def _temporary(self):
        return os.path.join(self.data, "temporary")

    def _pid_file(self):
        return os.path.join(self.data, "mariadb.pid")
