#!/usr/bin/python3
"""tools/bench and tools/test in a copy of the tree's tools, where apt, cmake, ctest and our own
programs only note that they were called."""

import os
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

import reports

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# Notes its name and arguments, does what the test wants of it, and ends with the wanted status.
NOTE = """#!/bin/sh
echo "${0##*/}${*:+ $*}" >>"$CALLS"
if [ -e "$ACTIONS/${0##*/}" ]; then . "$ACTIONS/${0##*/}"; fi
"""


class SetUpTest(unittest.TestCase):
    def setUp(self):
        # This test's own servers are not the tested script's.
        kept = mock.patch.dict(os.environ)
        kept.start()
        self.addCleanup(kept.stop)
        for name in [name for name in os.environ if name.startswith("SHOPMARK_TEST_")]:
            del os.environ[name]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.root = self.path("tree with a blank")
        shutil.copytree(os.path.join(ROOT, "tools"), os.path.join(self.root, "tools"))
        for name in ("fakes", "actions"):
            os.mkdir(self.path(name))
        for name in ("apt-cache", "apt-get", "cmake", "ctest", "id"):
            self.script(self.path("fakes", name), NOTE)
        for name in ("shopmark-seed", "shopmark-bench"):
            self.script(self.path(self.root, "build", "release", "bin", name), NOTE)
        self.script(self.path("fakes", "dpkg-query"), "#!/bin/sh\ncat \"$ACTIONS/installed\"\n")
        self.script(self.path("fakes", "sudo"), 'echo "sudo $*" >>"$CALLS"; exec "$@"\n')
        self.action("id", "echo 0")
        with open(os.path.join(ROOT, "tools", "packages"), encoding="utf-8") as file:
            # Those of overhead nothing installs.
            packages = [line.split()[1] for line in file
                        if not line.startswith(("#", "overhead "))]
        # By the command that makes one needless: there, unless a test takes it away.
        self.by_command = {command: package for package, _, command
                           in (name.partition("|") for name in packages) if command}
        for command in self.by_command:
            self.script(self.path("fakes", command), NOTE)
        self.packages = [name for name in packages if "|" not in name]
        self.install(*self.packages)
        self.touch(self.path(self.root, "build", "release", "build.ninja"))

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def touch(self, path, content=""):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)

    def script(self, path, content):
        self.touch(path, content if content.startswith("#!") else "#!/bin/sh\n" + content)
        os.chmod(path, 0o755)

    def action(self, name, content):
        self.touch(self.path("actions", name), content + "\n")

    def install(self, *packages):
        self.action("installed", "\n".join(f"installed {package}" for package in packages))

    def run_tool(self, name, *arguments, path=None):
        if os.path.exists(self.path("calls")):
            os.remove(self.path("calls"))
        environment = {"PATH": path or f"{self.path('fakes')}:/usr/bin:/bin",
                       "CALLS": self.path("calls"), "ACTIONS": self.path("actions")}
        environment |= {name: value for name, value in os.environ.items()
                        if name.startswith("SHOPMARK_TEST_")}
        return subprocess.run([os.path.join(self.root, "tools", name), *arguments], text=True,
                              capture_output=True, cwd=self.folder, env=environment, timeout=60,
                              check=False)

    def calls(self, *names):
        """What was called, without the question who runs it; only these programs when named."""
        if not os.path.exists(self.path("calls")):
            return []
        with open(self.path("calls"), encoding="utf-8") as file:
            called = [line.rstrip("\n") for line in file]
        return [call for call in called if call.split()[0] != "id"
                and (not names or call.split()[0] in names)]

    def write_report(self, where, *entries):
        """A shell line that leaves a report there, as the benchmark would."""
        made = self.path("made.json")
        reports.write(made, reports.document(*(entries or [reports.entry()])))
        return f'mkdir -p "$(dirname "{where}")" && cp "{made}" "{where}"'


class Install(SetUpTest):
    def test_nothing_is_asked_for_when_nothing_is_missing(self):
        done = self.run_tool("bench")
        self.assertEqual(self.calls("apt-get", "sudo"), [])
        self.assertEqual(self.calls(), ["cmake --build --preset release --target benchmarks",
                                        "ctest --preset bench"],
                         done.stderr)

    def test_what_is_missing_is_installed_with_one_update_before(self):
        missing = {"ninja-build", "libxxhash-dev"}
        self.install(*(set(self.packages) - missing))
        done = self.run_tool("bench")
        update, install = self.calls("apt-get")
        self.assertIn(" update", update)
        self.assertEqual(set(install.split()) & set(self.packages), missing)
        self.assertIn("--no-install-recommends -y", install)
        self.assertIn("installing libxxhash-dev ninja-build\n", done.stdout)

    def test_a_package_that_was_removed_but_not_purged_is_missing(self):
        self.action("installed", "\n".join(
            f"{'config-files' if package == 'g++' else 'installed'} {package}"
            for package in self.packages))
        self.run_tool("bench")
        self.assertRegex(self.calls("apt-get")[1], r" g\+\+$")

    def test_bench_does_not_install_what_only_tests_need(self):
        self.install()
        self.run_tool("bench")
        self.assertNotIn(" clang", self.calls("apt-get")[1])
        self.run_tool("test", "--lint")
        self.assertEqual(set(self.calls("apt-get")[1].split()) & set(self.packages),
                         set(self.packages))

    def test_a_browser_that_the_distribution_does_not_have_is_left_out(self):
        browsers = {"chromium", "chromium-driver"}
        self.install(*(set(self.packages) - browsers))
        self.run_tool("test")
        self.assertEqual(set(self.calls("apt-get")[1].split()) & set(self.packages), browsers)
        # Known before the update, or only after it.
        self.install(*(set(self.packages) - browsers - {"g++"}))
        self.action("apt-cache", 'grep -q " update" "$CALLS"')
        self.run_tool("test")
        self.assertEqual(set(self.calls("apt-get")[1].split()) & set(self.packages),
                         browsers | {"g++"})
        self.install(*(set(self.packages) - browsers))
        self.action("apt-cache", "exit 100")
        done = self.run_tool("test")
        self.assertEqual(self.calls("apt-get"), [])
        self.assertIn("tools/test: there is no package chromium-driver here", done.stdout)

    def bare_path(self):
        """Only what the script itself uses, so that the machine's own programs are not seen."""
        os.mkdir(self.path("bin"))
        for name in ("sh", "sed", "tr", "grep", "readlink", "dirname", "cat", "nproc", "env"):
            os.symlink(shutil.which(name, path="/usr/bin:/bin"), self.path("bin", name))
        return f"{self.path('fakes')}:{self.path('bin')}"

    def test_a_package_whose_command_is_there_is_not_missing(self):
        self.assertEqual(self.by_command, {"node": "nodejs", "npm": "npm"})
        path = self.bare_path()
        self.run_tool("test", path=path)
        self.assertEqual(self.calls("apt-get"), [])
        os.remove(self.path("fakes", "npm"))
        self.run_tool("test", path=path)
        self.assertRegex(self.calls("apt-get")[1], " npm$")
        os.remove(self.path("fakes", "node"))
        self.run_tool("test", path=path)
        self.assertRegex(self.calls("apt-get")[1], " nodejs npm$")
        self.install(*self.packages, "nodejs", "npm")
        self.run_tool("test", path=path)
        self.assertEqual(self.calls("apt-get"), [])
        self.install(*self.packages)
        self.run_tool("bench", path=path)
        self.assertEqual(self.calls("apt-get"), [])

    def test_another_user_goes_through_sudo(self):
        self.install()
        self.action("id", "echo 1000")
        self.run_tool("bench")
        self.assertEqual(len(self.calls("sudo")), 2)
        self.assertRegex(self.calls("sudo")[0], "^sudo env DEBIAN_FRONTEND=noninteractive apt-get")

    def test_without_sudo_the_command_is_printed_and_nothing_started(self):
        self.install(*(set(self.packages) - {"g++"}))
        self.action("id", "echo 1000")
        os.remove(self.path("fakes", "sudo"))
        done = self.run_tool("bench", path=self.bare_path())
        self.assertEqual(done.returncode, 2)
        self.assertIn("apt-get update && apt-get install --no-install-recommends -y g++\n",
                      done.stderr)
        self.assertEqual(self.calls(), [])

    def test_a_failed_installation_ends_it(self):
        self.install()
        self.action("apt-get", "exit 100")
        done = self.run_tool("bench")
        self.assertEqual(done.returncode, 2)
        self.assertIn("tools/bench: apt-get update failed", done.stderr)
        self.assertEqual(self.calls("cmake", "ctest"), [])


class Build(SetUpTest):
    def test_a_tree_is_configured_once(self):
        os.remove(self.path(self.root, "build", "release", "build.ninja"))
        self.run_tool("bench")
        self.assertEqual(self.calls("cmake"),
                         ["cmake --preset release",
                          "cmake --build --preset release --target benchmarks"])

    def test_a_failed_build_ends_it(self):
        self.action("cmake", "exit 1")
        for tool in ("bench", "test"):
            done = self.run_tool(tool)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"tools/{tool}: cmake --build --preset release failed\n", done.stderr)
            self.assertEqual(self.calls("ctest"), [])


class Bench(SetUpTest):
    def test_the_table_and_the_place_of_the_report_are_the_end(self):
        report = os.path.join(self.root, "build", "report", "store.json")
        self.action("ctest", self.write_report(report))
        done = self.run_tool("bench")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\norder detail +8 +5 ns +3 ns\n(.*\n)*\nreport: .*\n$")
        self.assertIn(report, done.stdout.splitlines()[-1])

    def test_a_failed_benchmark_is_status_1_with_the_table_all_the_same(self):
        report = os.path.join(self.root, "build", "report", "store.json")
        self.action("ctest", self.write_report(report) + "; exit 8")
        done = self.run_tool("bench")
        self.assertEqual(done.returncode, 1)
        self.assertIn("order detail", done.stdout)

    def test_a_report_of_an_earlier_run_is_not_shown_for_this_one(self):
        report = os.path.join(self.root, "build", "report", "store.json")
        subprocess.run(["sh", "-c", self.write_report(report)], check=True)
        self.action("ctest", "exit 8")
        done = self.run_tool("bench")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("order detail", done.stdout)

    def test_arguments_go_to_the_program(self):
        report = os.path.join(self.root, "build", "report", "selected.json")
        self.action("shopmark-bench", self.write_report(report))
        done = self.run_tool("bench", "--samples=9", "--benchmark_filter=a|b c")
        store = os.path.join(self.root, "build", "store", "standard.sqlite")
        self.assertEqual(self.calls("ctest", "shopmark-seed", "shopmark-bench"), [
            f"shopmark-seed --target=sqlite:{store} --profile=standard",
            f"shopmark-bench --target=sqlite:{store} --samples=9 --benchmark_filter=a|b c "
            f"--benchmark_out={report}"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("order detail", done.stdout)

    def test_a_target_and_an_output_of_the_users_own_are_kept(self):
        self.action("shopmark-bench", self.write_report(self.path("mine.json")))
        done = self.run_tool("bench", "--target=sqlite:x", "--benchmark_out=mine.json")
        self.assertEqual(self.calls("shopmark-seed", "shopmark-bench"),
                         ["shopmark-bench --target=sqlite:x --benchmark_out=mine.json"])
        self.assertIn("order detail", done.stdout)

    def test_the_status_of_the_program_is_kept(self):
        for status in (1, 2):
            self.action("shopmark-bench", f"exit {status}")
            self.assertEqual(self.run_tool("bench", "--samples=x").returncode, status)

    def test_a_failed_case_in_the_report_is_status_1(self):
        report = os.path.join(self.root, "build", "report", "store.json")
        self.action("ctest", self.write_report(report, reports.failed()))
        done = self.run_tool("bench")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED", done.stdout)


class Test(SetUpTest):
    # What ctest leaves with --output-log FILE.
    LOG = """
while [ "$1" != --output-log ]; do shift; done
printf 'Start 1\\n\\n100%% tests passed, 0 tests failed out of 7\\n\\nTotal\\n' >"$2"
"""

    def setUp(self):
        super().setUp()
        self.action("ctest", self.LOG)
        self.script(self.path(self.root, "tools", "shopmark"), NOTE)
        self.servers_run("false")

    def servers_run(self, command):
        self.action("shopmark", f"case $2 in status) {command} || exit 1 ;; "
                    "dsn) echo \"$3://its-address\" ;; up) [ ! -e broken ] || exit 2 ;; esac")

    def test_all_tests_and_the_checks_of_the_standard_store_are_run(self):
        done = self.run_tool("test")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        every, standard = self.calls("ctest")
        self.assertIn("ctest --preset release ", every)
        self.assertIn("ctest --preset bench ", standard)
        self.assertIn("--tests-regex ^bench_published_", standard)
        self.assertEqual(done.stdout.count("\n100% tests passed, 0 tests failed out of 7\n"), 2)

    def note_servers(self):
        """The run of all tests also notes what it is told of servers."""
        self.action("ctest", 'echo "$2: $SHOPMARK_TEST_POSTGRES $SHOPMARK_TEST_MARIADB'
                    ' ${SHOPMARK_TEST_REQUIRE_SERVERS-}" >>"$CALLS"\n' + self.LOG)

    def test_servers_are_started_for_the_tests_and_stopped_after_them(self):
        self.note_servers()
        self.assertEqual(self.run_tool("test").returncode, 0)
        calls = self.calls("shopmark", "ctest", "release:")
        self.assertIn("release: postgres://its-address mariadb://its-address ", calls)
        self.assertEqual([call for call in calls if " up " in call or " down " in call],
                         ["shopmark engines up postgres --memory=256M",
                          "shopmark engines up mariadb --memory=256M",
                          "shopmark engines down postgres mariadb"])
        self.assertEqual(calls[-1], "shopmark engines down postgres mariadb")

    def test_servers_are_stopped_after_tests_that_fail(self):
        self.action("ctest", self.LOG + "exit 8")
        self.assertEqual(self.run_tool("test").returncode, 1)
        self.assertEqual(self.calls("shopmark")[-1], "shopmark engines down postgres mariadb")

    def test_servers_that_run_already_are_used_and_left(self):
        self.note_servers()
        self.servers_run("true")
        self.assertEqual(self.run_tool("test").returncode, 0)
        self.assertIn("release: postgres://its-address mariadb://its-address ", self.calls())
        self.assertFalse([call for call in self.calls("shopmark") if " up " in call
                          or " down " in call])

    def test_servers_of_the_environment_are_used(self):
        self.note_servers()
        os.environ["SHOPMARK_TEST_MARIADB"] = "mariadb://mine"
        self.assertEqual(self.run_tool("test").returncode, 0)
        self.assertIn("release: postgres://its-address mariadb://mine ", self.calls())
        self.assertNotIn("mariadb", " ".join(self.calls("shopmark")))

    def test_a_server_that_does_not_start_is_missing_and_no_skip_says_that_it_may_not_be(self):
        self.note_servers()
        self.touch(self.path("broken"))
        self.assertEqual(self.run_tool("test").returncode, 0)
        self.assertIn("release:   ", self.calls())
        self.run_tool("test", "--no-skip")
        self.assertIn("release:   1", self.calls())

    def test_a_failure_in_either_run_is_status_1(self):
        for preset in ("release", "bench"):
            self.action("ctest", f'[ "$2" = {preset} ] && failed=8 || failed=0\n'
                        + self.LOG + "exit $failed")
            self.assertEqual(self.run_tool("test").returncode, 1, preset)
            self.assertEqual(len(self.calls("ctest")), 2)

    def test_warnings_are_errors_when_asked(self):
        self.run_tool("test", "--werror")
        self.assertEqual(self.calls("cmake"), ["cmake --preset release -DSHOPMARK_WERROR=ON",
                                               "cmake --build --preset release --target all"])

    def test_the_sanitizers_have_their_own_trees(self):
        self.run_tool("test", "--sanitize")
        self.assertEqual([call.split()[2] for call in self.calls("ctest")],
                         ["release", "bench", "asan", "tsan"])

    def test_lint_reads_every_file_and_fails_for_one_bad(self):
        self.touch(os.path.join(self.root, "bench", "a.h"))
        self.touch(os.path.join(self.root, "seed", "b.cc"))
        for folder in ("schema", "fixtures", "tests"):
            os.mkdir(os.path.join(self.root, folder))
        for name in ("clang-format", "clang-tidy"):
            self.script(self.path("fakes", name), NOTE)
        self.assertEqual(self.run_tool("test", "--lint").returncode, 0)
        form, tidy = self.calls("clang-format", "clang-tidy")
        self.assertIn("bench/a.h", form)
        self.assertIn("seed/b.cc", form)
        self.assertIn("seed/b.cc", tidy)
        for name in ("clang-format", "clang-tidy"):
            self.action(name, "echo 'b.cc: bad'; exit 1")
            done = self.run_tool("test", "--lint")
            self.assertEqual(done.returncode, 1)
            self.assertIn("b.cc: bad", done.stdout)
            self.assertEqual(len(self.calls("ctest")), 2)
            os.remove(self.path("actions", name))


class Usage(SetUpTest):
    def test_help_starts_nothing(self):
        self.install()
        for tool in ("bench", "test"):
            done = self.run_tool(tool, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.startswith(f"usage: tools/{tool} "))
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
            self.assertEqual(self.calls(), [])

    def test_an_unknown_argument_of_test_starts_nothing(self):
        self.install()
        done = self.run_tool("test", "--nonsense")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn("--nonsense", done.stderr)
        self.assertEqual(self.calls(), [])


if __name__ == "__main__":
    unittest.main()
