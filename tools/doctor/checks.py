"""What on a machine disturbs a measurement. Each check gives findings from the files under one root,
so that a test can make a machine of its own."""

import glob
import os
import re
from dataclasses import dataclass

GIB_KIB = 1 << 20

# A load above this for each CPU takes time from what is measured.
LOAD_PER_CPU = 0.25
# Of all time since the start that other guests of the host took.
STOLEN = 0.01
# What the store's pages, the servers and the oracle need.
MEMORY_KIB = 3 * GIB_KIB
DISK_KIB = 4 * GIB_KIB
# Read in some tens of ns. Others take a microsecond: more than the fastest query.
FAST_CLOCKS = ("tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter")
# File systems on which a durable write is none, or is a network's time.
MEMORY_FILE_SYSTEMS = ("tmpfs", "ramfs")
NETWORK_FILE_SYSTEMS = ("nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "ceph", "glusterfs")


@dataclass(frozen=True)
class Finding:
    """Something of the machine. A disturbance has advice: what to do about it."""
    subject: str
    what: str
    advice: str | None = None


def machine(root="/"):
    """All findings of the machine whose files stand under `root`."""
    return [finding for check in (_processor, _frequency, _turbo, _load, _stolen, _quota, _swap,
                                  _memory, _clock, _power) for finding in check(root)]


def _processor(root):
    virtual = "hypervisor" in _words(_read(root, "proc/cpuinfo"), "flags")
    yield Finding("processor", f"{_cpus(root)} CPUs"
                  + (", a virtual machine: its neighbours are not seen" if virtual else ""))


def _frequency(root):
    governors = {}
    for path in _glob(root, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor"):
        governors.setdefault(_read("", path).strip(), []).append(path)
    slow = {name: len(paths) for name, paths in governors.items() if name != "performance"}
    for name, count in slow.items():
        yield Finding("frequency", f"{count} CPUs change their frequency (governor {name})",
                      "as root: cpupower frequency-set --governor performance")
    if governors and not slow:
        yield Finding("frequency", "fixed (governor performance)")


def _turbo(root):
    intel = _read(root, "sys/devices/system/cpu/intel_pstate/no_turbo").strip()
    boost = _read(root, "sys/devices/system/cpu/cpufreq/boost").strip()
    if intel == "0":
        yield Finding("turbo", "on: the first seconds are faster than what follows",
                      "as root: echo 1 >/sys/devices/system/cpu/intel_pstate/no_turbo")
    elif boost == "1":
        yield Finding("turbo", "on: the first seconds are faster than what follows",
                      "as root: echo 0 >/sys/devices/system/cpu/cpufreq/boost")
    elif intel or boost:
        yield Finding("turbo", "off")


def _load(root):
    load = float(_read(root, "proc/loadavg").split()[0])
    busy = load > LOAD_PER_CPU * _cpus(root)
    yield Finding("load", f"{load:.2f} in the last minute",
                  "see what runs (top) and let it end" if busy else None)


def _stolen(root):
    match = re.match(r"cpu +([0-9 ]+)", _read(root, "proc/stat"))
    times = [int(word) for word in match[1].split()] if match else []
    if len(times) < 8 or not sum(times[:8]):
        return
    share = times[7] / sum(times[:8])
    if share > STOLEN:
        yield Finding("neighbours", f"the host gave {share:.0%} of this machine's time to others",
                      "measure on a machine of its own")


def _quota(root):
    for path in ("sys/fs/cgroup/cpu.max", "sys/fs/cgroup/cpu/cpu.cfs_quota_us"):
        words = _read(root, path).split()
        if not words or words[0] in ("max", "-1"):
            continue
        period = words[1] if len(words) > 1 else _read(
            root, "sys/fs/cgroup/cpu/cpu.cfs_period_us").strip() or "100000"
        cpus = int(words[0]) / int(period)
        advice = "give the container whole CPUs (--cpuset-cpus) instead of a share (--cpus)"
        yield Finding("container", f"may use {cpus:.2f} CPUs' time and is stopped after that",
                      advice if cpus < _cpus(root) else None)


def _swap(root):
    memory = _memory_info(root)
    used = memory.get("SwapTotal", 0) - memory.get("SwapFree", 0)
    if used > 0:
        yield Finding("swap", f"{used // 1024} MiB in use",
                      "end what needs the memory, then as root: swapoff -a && swapon -a")


def _memory(root):
    free = _memory_info(root).get("MemAvailable", 0)
    yield Finding("memory", f"{free / GIB_KIB:.1f} GiB available",
                  None if free >= MEMORY_KIB else
                  f"free {MEMORY_KIB // GIB_KIB} GiB: else the store is read from the disk")


def _clock(root):
    name = _read(root, "sys/devices/system/clocksource/clocksource0/current_clocksource").strip()
    if name:
        yield Finding("clock", name, None if name in FAST_CLOCKS else
                      "slow to read; as root, if it is listed in available_clocksource: echo tsc "
                      ">/sys/devices/system/clocksource/clocksource0/current_clocksource")


def _power(root):
    online = [_read("", path).strip() for path in _glob(root, "sys/class/power_supply/*/online")]
    batteries = _glob(root, "sys/class/power_supply/BAT*")
    if batteries and online and "1" not in online:
        yield Finding("power", "running on battery", "plug it in")


def disk(folder, root="/", free_kib=None):
    """Of the file system that the stores are on."""
    if free_kib is None:
        status = os.statvfs(folder)
        free_kib = status.f_bavail * status.f_frsize // 1024
    yield Finding("disk", f"{free_kib / GIB_KIB:.1f} GiB free",
                  None if free_kib >= DISK_KIB else
                  f"free {DISK_KIB // GIB_KIB} GiB for the stores and the servers")
    kind = _file_system(folder, root)
    if kind in MEMORY_FILE_SYSTEMS:
        yield Finding("disk", f"{kind}: a durable write there is none",
                      "put the checkout on a disk; the write row means nothing here")
    elif kind in NETWORK_FILE_SYSTEMS:
        yield Finding("disk", f"{kind}: a durable write is the network's time",
                      "put the checkout on a disk of this machine")


def build(folder):
    """Of the programs that would measure."""
    cache = os.path.join(folder, "CMakeCache.txt")
    text = _read("", cache)
    if not text:
        yield Finding("build", "none yet", "tools/bench builds one")
        return
    kind = re.search(r"^CMAKE_BUILD_TYPE:[A-Z]+=(.*)$", text, re.MULTILINE)
    kind = kind[1] if kind else "of no type"
    good = kind in ("Release", "RelWithDebInfo")
    yield Finding("build", kind, None if good else "cmake --preset release")
    sanitizers = re.search(r"^SHOPMARK_SANITIZE:[A-Z]+=(.+)$", text, re.MULTILINE)
    if sanitizers:
        yield Finding("build", f"with sanitizers ({sanitizers[1]})", "cmake --preset release")


def _read(root, path):
    """The file's text; empty when there is none."""
    try:
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _glob(root, pattern):
    return sorted(glob.glob(os.path.join(glob.escape(root), pattern)))


def _words(text, key):
    match = re.search(rf"^{key}\s*:(.*)$", text, re.MULTILINE)
    return match[1].split() if match else []


def _cpus(root):
    return len(re.findall(r"^processor\s*:", _read(root, "proc/cpuinfo"), re.MULTILINE)) or 1


def _memory_info(root):
    """In KiB."""
    return {key: int(value) for key, value in
            re.findall(r"^(\w+):\s+(\d+) kB$", _read(root, "proc/meminfo"), re.MULTILINE)}


def _file_system(folder, root):
    """The kind of the deepest mount that holds the folder."""
    folder = os.path.realpath(folder)
    best, kind = "", ""
    for line in _read(root, "proc/self/mountinfo").splitlines():
        fields, _, rest = line.partition(" - ")
        point = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields.split()[4])
        if len(point) >= len(best) and os.path.commonpath([point, folder]) == point:
            best, kind = point, rest.split()[0]
    return kind
