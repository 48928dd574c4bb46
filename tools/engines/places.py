"""The folders of this checkout's servers.

HOME/lock              held by the command that changes something
HOME/<engine>/         the data folder
HOME/<engine>.log      what the server says
HOME/<engine>.alive    held by each process of the server for as long as it lives
RUNTIME/<engine>/      the socket's folder, which only the server's user (and root) may enter

HOME is build/engines. A checkout that the servers' users cannot enter, as one under root's own
folder, has its HOME in /var/lib/shopmark. RUNTIME is in /tmp: a socket's path has at most 107
bytes, and the runtime folder of a login session goes away at its end, which a server outlives.
"""

import hashlib
import os
import pwd
import shutil
import stat
import subprocess

from engines import machine
from console.errors import Failed, NotStarted
from console.places import ROOT


class Places:
    def __init__(self, users, checkout=ROOT):
        """`users` are those whom the servers run as; names, or None for whoever runs this."""
        self.key = hashlib.sha256(os.fsencode(checkout)).hexdigest()[:10]
        self.runtime = f"/tmp/shopmark-{os.geteuid()}-{self.key}"
        self.home = os.path.join(checkout, "build", "engines")
        # Why the home is not in the checkout; empty when it is.
        self.note = ""
        other = f"/var/lib/shopmark/{self.key}"
        for user in users:
            folder = _deepest_there(self.home)
            if user is not None and os.path.isdir(folder) and not _can_enter(user, folder):
                self.note = f"user {user} cannot enter {checkout}: data is in {other}"
        if self.note:
            self.home = other

    def make(self):
        """Makes the two folders; NotStarted when they cannot be made or are not safe to use."""
        try:
            missing = os.path.relpath(self.home, folder := _deepest_there(self.home))
            for name in missing.split("/"):
                folder = os.path.join(folder, name)
                _make_folder(folder, 0o755)
            # As root, the servers' users pass through it to their own folders.
            _make_folder(self.runtime, 0o711 if os.geteuid() == 0 else 0o700)
        except OSError as error:
            raise NotStarted(f"{error.filename}: {error.strerror}") from error
        _check_ours(self.runtime, os.geteuid())

    def make_socket_folder(self, engine, user):
        folder = self.socket_folder(engine)
        if _make_folder(folder, 0o700):
            give(folder, user)
        _check_ours(folder, user_id(user))

    def socket_folder(self, engine):
        return os.path.join(self.runtime, engine)

    def data(self, engine):
        return os.path.join(self.home, engine)

    def log(self, engine):
        return os.path.join(self.home, f"{engine}.log")

    def lock(self):
        return os.path.join(self.home, "lock")

    def alive(self, engine):
        return os.path.join(self.home, f"{engine}.alive")

    def remove_socket_folder(self, engine):
        """Only once nothing of the server lives."""
        shutil.rmtree(self.socket_folder(engine), ignore_errors=True)
        try:
            os.rmdir(self.runtime)
        except OSError:
            pass  # the other server's socket is in it


def user_id(user):
    return os.geteuid() if user is None else pwd.getpwnam(user).pw_uid


def has_user(user):
    if user is None:
        return True
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True


def give(path, user):
    """Makes a path the server's own."""
    if user is not None:
        entry = pwd.getpwnam(user)
        os.chown(path, entry.pw_uid, entry.pw_gid, follow_symlinks=False)


def as_user(user):
    """The arguments of subprocess that run a program as a user."""
    if user is None:
        return {}
    entry = pwd.getpwnam(user)
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


def check_data(path, user):
    """NotStarted when something stands in the data folder's place that this server does not own."""
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(there.st_mode):
        raise NotStarted(f"{path} is not a folder")
    if there.st_uid != user_id(user):
        raise NotStarted(f"{path} belongs to user {_name(there.st_uid)}, and the server would run "
                         f"as {_name(user_id(user))}: use the same user, or remove the folder")


def remove_data(path):
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise Failed(f"cannot remove {error.filename}: {error.strerror}") from error


def _make_folder(path, mode):
    """Whether it was not there before."""
    try:
        os.mkdir(path)
    except FileExistsError:
        return False
    os.chmod(path, mode)  # whatever the umask
    return True


def _check_ours(path, owner):
    """Anybody may have made a folder of this name in /tmp, or a link."""
    there = os.lstat(path)
    if not stat.S_ISDIR(there.st_mode) or there.st_uid != owner or there.st_mode & 0o022:
        raise NotStarted(f"{path} is not a folder that only {_name(owner)} can write: remove it")


def _deepest_there(path):
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return path


def _can_enter(user, folder):
    """Asks the system itself, which knows of access lists."""
    done = subprocess.run(["/usr/bin/test", "-x", folder], check=False, cwd="/",
                          env=machine.environment(), **as_user(user))
    return done.returncode == 0


def _name(user):
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)
