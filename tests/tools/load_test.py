#!/usr/bin/python3
"""tools/shopmark load with programs that only pretend: what is started, checked, stopped, undone and
kept, and its tables."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

import bundles
import script

HERE = os.path.dirname(os.path.realpath(__file__))
GOLDEN = os.path.join(HERE, "golden")

# Each is a Python program; STATE is a folder in which they leave what they were told and did, and
# find what they shall do. visits.json there is the store.
HEAD = f"""#!{sys.executable}
import json, os, signal, sys, time
sys.path.insert(0, {HERE!r})
import bundles
STATE = os.environ["STATE"]
NAME = os.path.basename(sys.argv[0])
FLAGS = dict(one[2:].split("=", 1) for one in sys.argv[1:] if one.startswith("--") and "=" in one)

def path(name):
    return os.path.join(STATE, name)

def wish(name, otherwise=None):
    if not os.path.exists(path("wishes.json")):
        return otherwise
    with open(path("wishes.json")) as file:
        return json.load(file).get(name, otherwise)

def tell(line):
    with open(path("told"), "a") as file:
        file.write(NAME.removeprefix("shopmark-") + " " + line + "\\n")
"""

SERVER = HEAD + """
files = [FLAGS["admin_token_file"], FLAGS["receipt_secret_file"]]
tell("starts " + json.dumps({"target": FLAGS["target"], "files": files, "modes": [
    os.stat(file).st_mode & 0o777 for file in files], "tokens": [open(file).read() for file in files],
    "folder_mode": os.stat(os.path.dirname(files[0])).st_mode & 0o777, "pid": os.getpid()}))
if wish("server_cannot_start"):
    sys.exit("shopmark-server: no such store")
def stop(number, frame):
    tell("stops")
    os._exit(wish("server_status", 0))
signal.signal(signal.SIGTERM, stop)
print("a line before")
print("shopmark-server: listening on http://127.0.0.1:4711", flush=True)
while not wish("server_dies"):
    time.sleep(0.05)
sys.exit(3)
"""

LOAD = HEAD + """
if "--check" in sys.argv:
    sys.exit(wish("wrong_scenario") and
             [print("shopmark-load: mix.json: " + wish("wrong_scenario"), file=sys.stderr), 2][1])
tell("starts " + json.dumps({"flags": FLAGS, "scenario": sys.argv[1],
                             "token": open(FLAGS["admin_token_file"]).read()}))
if wish("load_status") == 2:
    sys.exit(2)
def interrupted(number, frame):
    tell("is interrupted")
    bundles.mixed(FLAGS["output"], store=False, target=FLAGS["target_name"])
    os._exit(1)
signal.signal(signal.SIGINT, interrupted)
if wish("load_waits"):
    tell("waits")
    time.sleep(60)
if wish("server_dies"):
    time.sleep(0.5)
made = wish("bundle", "mixed")
target = {"target": FLAGS["target_name"], "engine": FLAGS["target_name"]}
if made == "mixed":
    orders = bundles.mixed(FLAGS["output"], store=False, **target)
else:
    of, (stages, rows) = {"ladder": (bundles.ladder_scenario(), bundles.ladder()),
                          "slo": (bundles.search_scenario(), bundles.search())}[made]
    orders = bundles.write(FLAGS["output"], of, stages, rows, store=False, **target)
with open(path("visits.json"), "w") as file:
    json.dump(bundles.visits_of(orders, **wish("visits", {})), file)
print("what the driver prints")
sys.exit(wish("load_status", 0))
"""

SEED = HEAD + """
mode = next(one[2:] for one in sys.argv[1:] if one in ("--visits", "--undo_visits"))
tell(mode + " " + FLAGS["target"])
if wish("no_store"):
    sys.exit([print("shopmark-seed: target sqlite: it holds no complete store", file=sys.stderr), 2][1])
if mode == "undo_visits":
    if os.path.exists(path("visits.json")):
        os.remove(path("visits.json"))
    sys.exit(wish("undo_status", 0))
found = bundles.visits_of([], carts=0)
if os.path.exists(path("visits.json")):
    with open(path("visits.json")) as file:
        found = json.load(file)
print(json.dumps(found))
sys.exit(1 if found["problems"] else 0)
"""


class Load(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name
        self.bundle = os.path.join(self.scratch, "bundle")
        self.temporary = os.path.join(self.scratch, "tmp")
        self.programs = os.path.join(self.scratch, "programs")
        for folder in (self.temporary, self.programs):
            os.mkdir(folder)
        for name, text in (("server", SERVER), ("load", LOAD), ("seed", SEED)):
            path = os.path.join(self.programs, f"shopmark-{name}")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, stat.S_IRWXU)

    def command(self, *arguments, target="sqlite:somewhere"):
        targets = [f"--target={target}"] if target else []
        return [script.SCRIPT, "load", "mix", f"--output={self.bundle}",
                f"--programs={self.programs}", *targets, *arguments]

    def environment(self, wishes):
        with open(os.path.join(self.scratch, "wishes.json"), "w", encoding="utf-8") as file:
            json.dump(wishes, file)
        return os.environ | {"STATE": self.scratch, "TMPDIR": self.temporary, "COLUMNS": "80"}

    def run_load(self, *arguments, target="sqlite:somewhere", **wishes):
        return subprocess.run(self.command(*arguments, target=target), check=False, text=True,
                              capture_output=True, timeout=60, env=self.environment(wishes))

    def told(self):
        try:
            with open(os.path.join(self.scratch, "told"), encoding="utf-8") as file:
                return [line.rstrip("\n") for line in file]
        except FileNotFoundError:
            return []

    def steps(self):
        """What the programs did, without details."""
        return [" ".join(line.split()[:2]) for line in self.told()]

    def of(self, start):
        [line] = [line for line in self.told() if line.startswith(start)]
        return json.loads(line.removeprefix(start))

    def assert_stopped_and_undone(self):
        self.assertEqual(self.steps()[-1], "seed undo_visits")
        self.assertFalse(os.path.exists(os.path.join(self.scratch, "visits.json")))
        self.assert_nothing_left()

    def assert_nothing_left(self):
        self.assertEqual(os.listdir(self.temporary), [])
        with self.assertRaises(ProcessLookupError):
            os.kill(self.of("server starts ")["pid"], 0)

    def store(self):
        with open(os.path.join(self.bundle, "store.json"), encoding="utf-8") as file:
            return json.load(file)

    def assert_ended(self, done, status, *parts):
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def assert_sums_hold(self):
        done = subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=self.bundle,
                              check=False, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_a_run_is_measured_checked_stopped_and_undone_in_this_order(self):
        done = self.run_load()
        self.assert_ended(done, 0)
        self.assertEqual(self.steps(), ["seed visits", "server starts", "load starts", "seed visits",
                                        "server stops", "seed undo_visits"])
        self.assert_stopped_and_undone()
        self.assert_sums_hold()
        self.assertTrue(self.store()["right"])
        with open(os.path.join(self.bundle, "server.log"), encoding="utf-8") as file:
            self.assertIn("a line before", file.read())
        self.assertEqual(script.run("verify", self.bundle).returncode, 0)
        self.assertNotIn("what the driver prints", done.stdout)
        shown = subprocess.run([script.SCRIPT, "load", "--show", self.bundle, "--width=80"],
                               capture_output=True, text=True, check=True)
        self.assertEqual(shown.stdout, done.stdout)
        reported = subprocess.run([script.SCRIPT, "report", self.bundle, "--width=80"],
                                  capture_output=True, text=True, check=True)
        self.assertEqual(reported.stdout, done.stdout)

    def test_the_programs_are_told_what_they_need_and_secrets_are_for_the_user_alone(self):
        done = self.run_load("--profile=smoke", "--workers=3", target="mine=sqlite:a=b")
        self.assert_ended(done, 0)
        server, driver = self.of("server starts "), self.of("load starts ")
        self.assertEqual((server["target"], server["modes"], server["folder_mode"]),
                         ("mine=sqlite:a=b", [0o600, 0o600], 0o700))
        self.assertEqual([len(token.strip()) for token in server["tokens"]], [64, 64])
        self.assertNotEqual(*server["tokens"])
        self.assertEqual(driver["token"], server["tokens"][0])
        self.assertEqual(driver["scenario"], "mix")
        self.assertEqual(
            {key: value for key, value in driver["flags"].items() if key != "admin_token_file"},
            {"url": "http://127.0.0.1:4711", "output": self.bundle, "profile": "smoke",
             "target_name": "mine", "watch": f"server={server['pid']}"})
        for name in os.listdir(self.bundle):
            with open(os.path.join(self.bundle, name), encoding="utf-8") as file:
                content = file.read()
            for token in server["tokens"]:
                self.assertNotIn(token.strip(), content + done.stdout + done.stderr)

    def test_visits_are_kept_where_that_is_asked_for_and_the_next_run_starts_without(self):
        self.assert_ended(self.run_load("--keep"), 0, "--undo_visits")
        self.assertEqual(self.steps()[-1], "server stops")
        self.assert_nothing_left()
        os.rename(self.bundle, self.bundle + "1")
        os.remove(os.path.join(self.scratch, "told"))
        self.assert_ended(self.run_load(), 0, "undoing what an earlier run left, orders: 40, carts: 3")
        self.assertEqual(self.steps()[:3], ["seed visits", "seed undo_visits", "server starts"])

    def test_a_wrong_scenario_is_said_before_anything_is_done(self):
        done = self.run_load(wrong_scenario="duration_s is missing")
        self.assert_ended(done, 2)
        self.assertEqual(done.stderr, "shopmark load: mix.json: duration_s is missing\n")
        self.assertEqual(self.told(), [])
        self.assertFalse(os.path.exists(self.bundle))

    def test_a_shipped_scenario_is_this_checkouts(self):
        command = self.command()
        command[command.index("mix")] = "storefront_short"
        done = subprocess.run(command, check=False, text=True, capture_output=True, timeout=60,
                              env=self.environment({}))
        self.assert_ended(done, 0, "storefront_short.json against")
        self.assertEqual(self.of("load starts ")["scenario"],
                         os.path.join(script.ROOT, "bench", "scenarios", "storefront_short.json"))

    def test_without_a_store_it_says_what_makes_one_and_starts_nothing(self):
        done = self.run_load("--profile=smoke", no_store=True)
        self.assert_ended(done, 2, "no complete store",
                          "shopmark-seed --target=sqlite:somewhere --profile=smoke makes a store")
        self.assertEqual(self.steps(), ["seed visits"])
        self.assertFalse(os.path.exists(self.bundle))
        done = self.run_load(target="postgres://scott:tiger@h/shop", no_store=True)
        self.assert_ended(done, 2, "no complete store")
        self.assertNotIn("tiger", done.stdout + done.stderr)

    def test_each_difference_between_store_and_bundle_fails_the_run_and_keeps_the_bundle(self):
        for wish, part in (({"problems": ["variant 7 lost 2 pieces"]}, "variant 7"),
                           ({"numbers": ["W-1"], "orders": 1}, "is not in the store"),
                           ({"total_cents": 1}, "cents")):
            with self.subTest(part):
                done = self.run_load(visits=wish)
                self.assert_ended(done, 1, part, "is kept")
                self.assertIn("Home page", done.stdout)
                self.assertFalse(self.store()["right"])
                self.assert_sums_hold()
                self.assertEqual(self.steps()[-1], "seed undo_visits")
                os.rename(self.bundle, os.path.join(self.scratch, part))

    def test_a_driver_that_says_1_fails_the_run_with_all_else_done(self):
        done = self.run_load(load_status=1)
        self.assert_ended(done, 1, "status 1", "is kept")
        self.assertIn("Home page", done.stdout)
        self.assert_stopped_and_undone()
        self.assertTrue(self.store()["right"])

    def test_a_driver_that_cannot_start_is_status_2(self):
        done = self.run_load(load_status=2)
        self.assert_ended(done, 2, "could not start")
        self.assertEqual(done.stdout, "")
        self.assert_stopped_and_undone()

    def test_a_server_that_cannot_start_says_why(self):
        done = self.run_load(server_cannot_start=True)
        self.assert_ended(done, 2, "no such store")
        self.assertNotIn("load starts", self.steps())
        self.assert_stopped_and_undone()

    def test_a_server_that_dies_or_ends_badly_fails_the_run(self):
        self.assert_ended(self.run_load(server_dies=True), 1, "ended during the run, with status 3")
        self.assertEqual(self.steps()[-1], "seed undo_visits")
        os.rename(self.bundle, self.bundle + "1")
        os.remove(os.path.join(self.scratch, "told"))
        self.assert_ended(self.run_load(server_status=5), 1, "with status 5")
        self.assert_stopped_and_undone()

    def test_visits_that_cannot_be_undone_fail_the_run(self):
        self.assert_ended(self.run_load(undo_status=1), 1, "were not undone", "--undo_visits")

    def test_an_interrupt_stops_the_server_undoes_the_visits_and_keeps_the_bundle(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                process = subprocess.Popen(self.command(), env=self.environment({"load_waits": 1}),
                                           text=True, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE)
                began = time.monotonic()
                while "load waits" not in self.steps():
                    self.assertLess(time.monotonic() - began, 30)
                    time.sleep(0.02)
                process.send_signal(number)
                output, errors = process.communicate(timeout=30)
                self.assertEqual(process.returncode, 1, errors)
                self.assertIn("interrupted", errors)
                self.assertIn(f"is kept: {self.bundle}", errors)
                self.assertEqual(self.steps()[-4:],
                                 ["load is", "seed visits", "server stops", "seed undo_visits"])
                self.assert_stopped_and_undone()
                self.assert_sums_hold()
                self.assertFalse(self.store()["right"])
                self.assertIn("Home page", output)
                os.rename(self.bundle, f"{self.bundle}{number}")
                os.remove(os.path.join(self.scratch, "told"))

    def test_a_second_run_keeps_off_the_store_of_the_first(self):
        first = subprocess.Popen(self.command(), env=self.environment({"load_waits": 1}),
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        began = time.monotonic()
        while "load waits" not in self.steps():
            self.assertLess(time.monotonic() - began, 30)
            time.sleep(0.02)
        told = self.told()
        second = self.run_load(f"--output={self.bundle}2", load_waits=1)
        self.assert_ended(second, 2, "--target: sqlite is being measured by another run")
        self.assertEqual(self.told(), told)
        first.send_signal(signal.SIGINT)
        first.wait(30)

    def test_several_targets_are_measured_one_after_another_into_one_table(self):
        done = self.run_load("--target=mariadb://u:secret@h/s,old=sqlite:b")
        self.assert_ended(done, 0)
        self.assertEqual(self.steps().count("load starts"), 3)
        self.assertEqual(sorted(os.listdir(self.bundle)), ["mariadb", "old", "sqlite"])
        self.assertRegex(done.stdout, r"(?m)^ +sqlite +mariadb +old$")
        self.assertNotIn("secret", done.stdout + done.stderr)

    def test_a_wrong_command_line_is_one_line_and_status_2(self):
        os.mkdir(self.bundle)
        with open(os.path.join(self.scratch, "wishes.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        good = [f"--programs={self.programs}", "--target=sqlite:x"]
        for arguments, part in (
                (["mix", *good, f"--output={self.bundle}"], "exists already"),
                (["mix", *good, "--output=/proc/bundle"], "--output=/proc/bundle: "),
                (["mix", *good, "--target=sqlite:y"], "two are called sqlite"),
                (["mix", good[0], "--target=oops"], "--target"),
                (["mix", good[0], "--target=memory:"], "memory:"),
                (["mix", good[0], "--target=sqlite::memory:"], ":memory:"),
                (["mix", good[1], "--programs=/nowhere"], "/nowhere/shopmark-server"),
                (["mix", *good, "--workers=0"], "--workers"),
                (["mix", *good, "--routes="], "--routes"),
                (["mix", *good, "--profile=huge"], "--profile"),
                (["mix", *good, "--show", self.bundle], "either"), ([], "either"),
                (["--show", "/nowhere"], "/nowhere")):
            with self.subTest(arguments):
                script.assert_refused(self, script.run("load", *arguments), part)


class Tables(unittest.TestCase):
    """At 80 columns, as they stand in golden/."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = scratch.name

    def make(self, name, case, **of_target):
        folder = os.path.join(self.scratch, name)
        bundles.write(folder, *case, **of_target)
        return folder

    def three(self, make):
        return [self.make(f"{engine}", make(number), target=engine, engine=engine)
                for number, engine in enumerate(("sqlite", "mariadb", "postgres"), start=1)]

    def assert_golden(self, name, *arguments, status=0):
        done = script.run("load", "--show", *arguments, "--width=80")
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        path = os.path.join(GOLDEN, name)
        if os.environ.get("SHOPMARK_WRITE_GOLDEN"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(done.stdout)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(done.stdout, file.read())

    @staticmethod
    def mixed(number):
        stages = bundles.mixed_stages()
        return bundles.scenario(), stages, bundles.mixed_rows(stages, scale=number)

    def test_the_route_table_of_one_target(self):
        self.assert_golden("load_routes.txt", self.make("one", self.mixed(1)))

    def test_the_route_table_of_three_targets(self):
        self.assert_golden("load_routes_three.txt", *self.three(self.mixed))

    def test_the_route_table_beside_the_published_one(self):
        self.assert_golden("load_routes_published.txt", *self.three(self.mixed), "--published")

    def test_the_capacity_table_beside_the_published_one(self):
        def ladder(number):
            return bundles.ladder_scenario(), *bundles.ladder(
                {"home": {1: 8, 2: None, 3: 2}[number], "product_page": None}, slow=number)
        self.assert_golden("load_capacity.txt", *self.three(ladder), "--published")

    def test_the_table_of_a_search(self):
        self.assert_golden("load_search.txt",
                           self.make("slo", (bundles.search_scenario(), *bundles.search())))

    def test_what_failed_is_said_and_is_status_1(self):
        folder = self.make("one", self.mixed(1))

        def spoil(document):
            load = document["context"]["shopmark"]["load"]
            load["held_rate"] = False
            load["thresholds"][0]["passed"] = False
            document["context"]["shopmark"]["complete"] = False

        bundles.edit_json(os.path.join(folder, "summary.json"), spoil)
        done = script.run("load", "--show", folder)
        self.assertEqual(done.returncode, 1)
        for part in ("could not hold the rate", "missed: storefront p95_ms", "interrupted"):
            self.assertEqual(len(re.findall(part, done.stdout)), 2, textwrap.indent(done.stdout, " "))

    def test_a_run_of_shopmark_bench_is_no_bundle(self):
        import reports
        path = os.path.join(self.scratch, "run.json")
        reports.write(path, reports.whole_run())
        script.assert_refused(self, script.run("load", "--show", path), "tools/shopmark report")

    def test_the_other_commands_read_its_summary(self):
        folder = self.make("one", self.mixed(1))
        summary = os.path.join(folder, "summary.json")
        self.assertEqual(script.run("report", summary).returncode, 0)
        self.assertEqual(script.run("verify", summary).returncode, 0)
        self.assertEqual(script.run("report", summary, "--format=csv").returncode, 0)
        self.assertEqual(script.run("export", summary, "--format=openmetrics").returncode, 0)
        self.assertEqual(script.run("compare", summary, summary).returncode, 0)
        self.assertEqual(script.run("history", "add", summary,
                                    f"--history={self.scratch}/history").returncode, 0)
        script.assert_refused(self, script.run("report", folder, "--format=csv"), "summary.json")


if __name__ == "__main__":
    unittest.main()
