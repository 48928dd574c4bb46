#!/usr/bin/python3
"""tools/shopmark doctor: its checks on machines made for them, and the command on this one."""

import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))

from doctor import checks, commands  # noqa: E402  (found through that line)

# A quiet machine of two CPUs.
QUIET = {
    "proc/cpuinfo": "processor\t: 0\nflags\t\t: fpu sse2\n\nprocessor\t: 1\nflags\t\t: fpu sse2\n",
    "proc/loadavg": "0.10 0.20 0.30 1/100 4711\n",
    "proc/stat": "cpu  1000 0 1000 97000 0 0 0 100 0 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n",
    "proc/meminfo": "MemTotal:  16000000 kB\nMemAvailable:  8000000 kB\n"
                    "SwapTotal:  1000000 kB\nSwapFree:  1000000 kB\n",
    "proc/self/mountinfo": "22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
                           "23 22 0:20 / /mnt/in\\040memory rw - tmpfs tmpfs rw\n"
                           "24 22 0:21 / /mnt/in\\040memory/disk rw - xfs /dev/sdb rw\n"
                           "25 22 0:22 / /net rw - nfs4 server:/export rw\n",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
    "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
    "sys/devices/system/cpu/intel_pstate/no_turbo": "1\n",
    "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
    "sys/fs/cgroup/cpu.max": "max 100000\n",
}


class Machine(unittest.TestCase):
    def machine(self, changes):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for path, text in (QUIET | changes).items():
            if text is None:
                continue
            path = os.path.join(folder.name, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return folder.name

    def disturbances(self, changes):
        return {finding.subject: finding for finding in checks.machine(self.machine(changes))
                if finding.advice}

    def test_a_quiet_machine_has_none(self):
        self.assertEqual(self.disturbances({}), {})

    def test_a_machine_that_says_nothing_of_itself_has_but_its_memory(self):
        self.assertEqual(set(self.disturbances({path: None for path in QUIET
                                                if path != "proc/loadavg"})), {"memory"})

    def test_each_disturbance_is_found_with_its_figure(self):
        for subject, path, text, part in (
                ("frequency", "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "schedutil\n",
                 "1 CPUs change their frequency (governor schedutil)"),
                ("turbo", "sys/devices/system/cpu/intel_pstate/no_turbo", "0\n", "on"),
                ("load", "proc/loadavg", "0.51 0 0 1/1 1\n", "0.51"),
                ("neighbours", "proc/stat", "cpu 100 0 100 700 0 0 0 100 0 0\n", "10%"),
                ("container", "sys/fs/cgroup/cpu.max", "150000 100000\n", "1.50 CPUs"),
                ("swap", "proc/meminfo", QUIET["proc/meminfo"].replace("Free:  1000000",
                                                                       "Free:  897600"), "100 MiB"),
                ("memory", "proc/meminfo", QUIET["proc/meminfo"].replace("8000000", "1048576"),
                 "1.0 GiB"),
                ("clock", "sys/devices/system/clocksource/clocksource0/current_clocksource",
                 "acpi_pm\n", "acpi_pm")):
            with self.subTest(subject=subject):
                found = self.disturbances({path: text})
                self.assertEqual(set(found), {subject})
                self.assertIn(part, found[subject].what)

    def test_turbo_of_other_drivers_is_found(self):
        self.assertEqual(set(self.disturbances({
            "sys/devices/system/cpu/intel_pstate/no_turbo": None,
            "sys/devices/system/cpu/cpufreq/boost": "1\n"})), {"turbo"})

    def test_a_quota_of_version_1_is_found(self):
        changes = {"sys/fs/cgroup/cpu.max": None,
                   "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000\n",
                   "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}
        self.assertIn("0.50 CPUs", self.disturbances(changes)["container"].what)
        self.assertEqual(self.disturbances(
            changes | {"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n"}), {})

    def test_a_quota_of_all_the_cpus_is_no_disturbance(self):
        self.assertEqual(self.disturbances({"sys/fs/cgroup/cpu.max": "200000 100000\n"}), {})

    def test_a_battery_is_one_when_no_mains_is_online(self):
        supply = "sys/class/power_supply"
        battery = {f"{supply}/BAT0/status": "Discharging\n"}
        self.assertEqual(set(self.disturbances(battery | {f"{supply}/AC/online": "0\n"})),
                         {"power"})
        self.assertEqual(self.disturbances(battery | {f"{supply}/AC/online": "1\n"}), {})

    def test_a_disk_is_known_by_the_deepest_mount(self):
        root = self.machine({})
        for folder, parts in (("/home", []), ("/mnt/in memory", ["tmpfs"]),
                              ("/mnt/in memory/sub", ["tmpfs"]), ("/mnt/in memory/disk/x", []),
                              ("/network", []), ("/net/x", ["nfs4"])):
            with self.subTest(folder=folder):
                found = [finding.what for finding in checks.disk(folder, root, 100 << 20)
                         if finding.advice]
                self.assertEqual([what.split(":")[0] for what in found], parts)

    def test_a_full_disk_is_found(self):
        root = self.machine({})
        found = list(checks.disk("/home", root, checks.DISK_KIB - 1))
        self.assertEqual([bool(finding.advice) for finding in found], [True])

    def test_only_an_optimised_build_without_sanitizers_is_right(self):
        for cache, advised in (("CMAKE_BUILD_TYPE:STRING=Release\n", []),
                               ("CMAKE_BUILD_TYPE:STRING=Debug\n", ["Debug"]),
                               ("CMAKE_BUILD_TYPE:STRING=Release\n"
                                "SHOPMARK_SANITIZE:STRING=thread\n", ["with sanitizers (thread)"]),
                               ("other\n", ["of no type"]), (None, ["none yet"])):
            with self.subTest(cache=cache):
                folder = self.machine({"CMakeCache.txt": cache})
                self.assertEqual([finding.what for finding in checks.build(folder)
                                  if finding.advice], advised)


class Command(unittest.TestCase):
    def test_the_status_tells_whether_something_was_found(self):
        done = subprocess.run([os.path.join(ROOT, "tools", "shopmark"), "doctor"], text=True,
                              capture_output=True, check=False, timeout=60)
        marked = [line for line in done.stdout.splitlines() if line.startswith("! ")]
        self.assertEqual((done.returncode, done.stderr), (int(bool(marked)), ""))
        self.assertEqual(done.stdout.count("              -> "), len(marked))
        self.assertIn("a durable write takes", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_a_folder_that_cannot_be_written_is_found(self):
        finding, = commands.durable_write("/proc")
        self.assertIn("cannot be written", finding.what)
        self.assertTrue(finding.advice)


if __name__ == "__main__":
    unittest.main()
