"""What this machine has: memory, programs, processes."""

import glob
import os
import shutil
import time
from dataclasses import dataclass

MIB = 1 << 20

# An ordinary user's PATH does not have all of them. The newest PostgreSQL comes first.
PROGRAM_FOLDERS = ("/usr/lib/postgresql/*/bin", "/usr/sbin", "/usr/local/sbin", "/usr/bin", "/bin")


def search_path():
    """The folders of programs: those of PATH, then the places where Debian puts servers."""
    folders = [folder for folder in os.environ.get("PATH", "").split(":") if os.path.isabs(folder)]
    for pattern in PROGRAM_FOLDERS:
        folders += sorted(glob.glob(pattern), key=_numbers, reverse=True)
    return ":".join(folders)


def find_program(name):
    """The path of a program, or None."""
    return shutil.which(name, path=search_path())


def environment():
    """What the servers and their clients see: nothing that the user has set for servers of his own
    (PGPORT, PGOPTIONS, MYSQL_HOST, a time zone, a language) reaches them."""
    return {"PATH": search_path(), "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def memory_bytes():
    """The memory that processes started here may use: the machine's, or less in a container."""
    return min([_machine_memory_bytes(), *_control_group_limits()])


def is_small_shared_memory():
    """Whether /dev/shm is too small for parallel queries, as a container's 64 MiB are."""
    try:
        return shutil.disk_usage("/dev/shm").total < 1024 * MIB
    except OSError:
        return True


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    arguments: tuple[str, ...]


def processes(user_id):
    """The processes of a user. Those that end meanwhile and those that have ended are left out."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/status", encoding="utf-8", errors="replace") as file:
                status = dict(line.split(":", 1) for line in file if ":" in line)
            # The command line is all that root may read of other users' processes in a container.
            with open(f"/proc/{name}/cmdline", "rb") as file:
                arguments = file.read().rstrip(b"\0").split(b"\0")
        except OSError:
            continue
        if int(status["Uid"].split()[1]) == user_id and arguments != [b""]:
            found.append(Process(int(name), int(status["PPid"]),
                                 tuple(map(os.fsdecode, arguments))))
    return found


def uptime_seconds(pid):
    """How long a process has been running, or None if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            # The name, in parentheses, may hold anything.
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    started = int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return max(time.clock_gettime(time.CLOCK_BOOTTIME) - started, 0.0)


def is_listened_on(socket):
    """Whether a process listens on a Unix socket that was made under this path, which may no longer
    lead to it."""
    listening = "00010000"
    try:
        with open("/proc/net/unix", encoding="utf-8", errors="replace") as file:
            lines = [line.split() for line in file]
    except OSError:
        return False
    return any(len(line) == 8 and line[3] == listening and line[7] == socket for line in lines)


def _numbers(path):
    return [int(part) for part in path.split("/") if part.isdigit()]


def _machine_memory_bytes():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _control_group_limits():
    """The limits of the control groups around this process; version 2, then version 1."""
    files = ["/sys/fs/cgroup/memory/memory.limit_in_bytes"]
    try:
        with open("/proc/self/cgroup", encoding="utf-8") as file:
            groups = [line.strip().split(":", 2)[2] for line in file if line.startswith("0::")]
    except OSError:
        groups = []
    for group in groups:
        while group not in ("", "/"):
            files.append(f"/sys/fs/cgroup{group}/memory.max")
            group = os.path.dirname(group)
    files.append("/sys/fs/cgroup/memory.max")
    limits = []
    for path in files:
        try:
            with open(path, encoding="utf-8") as file:
                limits.append(int(file.read()))
        except (OSError, ValueError):  # not there, or "max"
            pass
    return limits
