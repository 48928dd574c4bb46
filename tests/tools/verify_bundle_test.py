#!/usr/bin/python3
"""tools/shopmark verify of a bundle: what is right passes, and each injected fault is caught."""

import copy
import json
import os
import subprocess
import tempfile
import unittest

import bundles
import script


class VerifyBundle(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.join(scratch.name, "bundle")

    def path(self, name):
        return os.path.join(self.folder, name)

    def assert_right(self):
        done = script.run("verify", self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("every figure follows from its", done.stdout)

    def assert_caught(self, *parts):
        """By name of the file and the figure, one line each."""
        done = script.run("verify", self.folder)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        for line in done.stderr.splitlines():
            self.assertTrue(line.startswith(f"shopmark verify: {self.folder}: "), line)

    def test_what_is_right_passes_whatever_the_arrival(self):
        stages = bundles.mixed_stages()
        cases = {"mixed": (bundles.scenario(), stages, bundles.mixed_rows(stages)),
                 "ladder": (bundles.ladder_scenario(), *bundles.ladder()),
                 "slo": (bundles.search_scenario(), *bundles.search())}
        for name, case in cases.items():
            with self.subTest(name):
                self.folder = os.path.join(os.path.dirname(self.folder), name)
                bundles.write(self.folder, *case)
                self.assert_right()
                done = script.run("verify", self.path("summary.json"))
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_bundle_without_the_stores_part_is_right_as_shopmark_load_leaves_it(self):
        bundles.mixed(self.folder, store=False)
        self.assert_right()

    def test_a_folder_that_is_no_bundle_is_not_verified(self):
        os.mkdir(self.folder)
        script.assert_refused(self, script.run("verify", self.folder), "no bundle")

    def test_sums_are_those_of_sha256sum(self):
        bundles.mixed(self.folder)
        done = subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=self.folder,
                              check=False, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_each_fault_in_the_files_is_caught(self):
        bundles.mixed(self.folder)

        def rewrite(name, change, sums=True):
            def fault():
                with open(self.path(name), encoding="utf-8") as file:
                    lines = file.read().splitlines()
                with open(self.path(name), "w", encoding="utf-8") as file:
                    file.write("\n".join(change(lines)) + "\n")
                if sums:
                    bundles.write_sums(self.folder)
            return fault

        def add_file():
            with open(self.path("more.txt"), "w", encoding="utf-8") as file:
                file.write("x")

        def column(number, value):
            """Changes one of the first measured success of home."""
            def change(lines):
                at = next(i for i, line in enumerate(lines)
                          if ",measured,storefront,home," in line and ",ok," in line)
                cells = lines[at].split(",")
                cells[number] = value(cells[number]) if callable(value) else value
                return lines[:at] + [",".join(cells)] + lines[at + 1:]
            return change

        def more(by):
            return lambda text: str(int(text) + by)

        def later_sends(lines):
            cells = [line.split(",") for line in lines]
            return lines[:1] + [",".join([*cell[:6], more(500)(cell[6]), *cell[7:]])
                                if cell[9] == "ok" else ",".join(cell) for cell in cells[1:]]

        # A request of the warm-up is in no figure: its sum is what holds it.
        drop = {"a success": ",measured,storefront,home,",
                "a rejected": ",rejected", "a timed out": ",timed_out"}
        faults = {
            "a file is missing": (lambda: os.remove(self.path("processes.csv")), "processes.csv"),
            "a file is new": (add_file, "more.txt"),
            "no sums": (lambda: os.remove(self.path("SHA256SUMS")), "SHA256SUMS"),
            "a wrong sum": (rewrite("log.txt", lambda lines: ["another"], sums=False), "log.txt"),
            "a sum is left out": (rewrite("SHA256SUMS", lambda lines: lines[1:], sums=False),
                                  "is not in SHA256SUMS"),
            "a sum stands twice": (rewrite("SHA256SUMS", lambda lines: lines + lines[:1],
                                           sums=False), "twice"),
            "another head": (rewrite("requests.csv", lambda lines: ["a,b", *lines[1:]]),
                             "requests.csv"),
            "a later end": (rewrite("requests.csv", column(7, more(10))), "samples"),
            "later sends": (rewrite("requests.csv", later_sends), "service"),
            "an earlier schedule": (rewrite("requests.csv", column(5, more(-1_000))), "samples"),
            "sent before its schedule": (rewrite("requests.csv", column(6, "1")), "line "),
            "another phase": (rewrite("requests.csv", column(2, "warmup")), "phase warmup"),
            "another route": (rewrite("requests.csv", column(4, "product_page")), "offered"),
            "another script": (rewrite("requests.csv", column(3, "nobody")), "nobody"),
            "another run": (rewrite("requests.csv", column(0, "7")), "run 7"),
            "another stage": (rewrite("requests.csv", column(1, "3")), "stage 3"),
            "another outcome": (rewrite("requests.csv", column(9, "invalid")), "failed.invalid"),
            "an unknown outcome": (rewrite("requests.csv", column(9, "lost")), "'lost'"),
            "an impossible status": (rewrite("requests.csv", column(8, "")), "line "),
            "a success with 503": (rewrite("requests.csv", column(8, "503")), "status 503"),
            "a success behind its time limit": (rewrite("requests.csv", column(7, more(6 * 10**9))),
                                                "longer than timeout_s, 5 s"),
            "later than it can have been": (rewrite("requests.csv", column(10, more(10**9))),
                                            "line "),
            "a late send was in time": (rewrite("requests.csv", lambda lines: [
                line.removesuffix(",20000000") for line in lines]), "late_percent"),
            "a column less": (rewrite("requests.csv", lambda lines: lines + ["1,2,3"]),
                              "columns"),
            "a line twice": (rewrite("requests.csv", lambda lines: lines + lines[-1:]), "offered"),
            "an order less": (rewrite("orders.csv", lambda lines: lines[:-1]), "store.json"),
            "an order more": (rewrite("orders.csv", lambda lines: lines + ["W-9,5"] * 30),
                              "checkouts answered"),
            "another order": (rewrite("orders.csv", lambda lines: [*lines[:-1], "W-x,5"]),
                              "W-x was acknowledged, and is not in the store"),
            "another total": (rewrite("orders.csv",
                                      lambda lines: [*lines[:-1], lines[-1] + "0"]), "cents"),
            "no total": (rewrite("orders.csv", lambda lines: [*lines, "W-x,"]), "orders.csv"),
        }
        for name, part in drop.items():
            faults[f"{name} is dropped"] = (rewrite("requests.csv", lambda lines, part=part: [
                line for line in lines if line != next(one for one in lines if part in one)]),
                "offered")
        self._try(faults)

    def test_each_fault_in_what_the_store_says_is_caught(self):
        bundles.mixed(self.folder)

        def change(function):
            def fault():
                bundles.edit_json(self.path("store.json"), function)
                bundles.write_sums(self.folder)
            return fault

        self._try({
            "a problem": (change(lambda store: store["visits"]["problems"].append("half an order")),
                          "half an order"),
            "an order more": (change(lambda store: (store["visits"]["numbers"].append("W-more"),
                                                    store["visits"].update(orders=31))),
                              "W-more"),
            "fewer orders": (change(lambda store: store["visits"].update(orders=1)), "orders"),
            "another total": (change(lambda store: store["visits"].update(total_cents=5)), "cents"),
            "never asked": (change(lambda store: store.update(visits=None)), "not asked"),
            "another verdict": (change(lambda store: store.update(right=False)), "right"),
            "another count": (change(lambda store: store["acknowledged"].update(orders=1)),
                              "acknowledged"),
            "no form": (change(lambda store: store.pop("visits")), "store.json"),
        })

    def test_every_figure_of_the_summary_that_is_altered_is_caught(self):
        """Each number, text or truth of load's figures and conclusions, one at a time."""
        stages = bundles.mixed_stages()
        for name, case in (("mixed", (bundles.scenario(), stages, bundles.mixed_rows(stages))),
                           ("ladder", (bundles.ladder_scenario(), *bundles.ladder())),
                           ("slo", (bundles.search_scenario(), *bundles.search()))):
            self.folder = os.path.join(os.path.dirname(self.folder), name)
            bundles.write(self.folder, *case)
            with open(self.path("summary.json"), encoding="utf-8") as file:
                whole = json.load(file)
            tried = 0
            for place in figures_of(whole["context"]["shopmark"]["load"]):
                made = copy.deepcopy(whole)
                alter(made["context"]["shopmark"]["load"], place)
                with self.subTest(bundle=name, figure="/".join(map(str, place))):
                    self.assertTrue(self._contradicts(made), "was not caught")
                tried += 1
            self.assertGreater(tried, 50)

    def test_each_fault_in_the_entries_is_caught(self):
        bundles.mixed(self.folder)

        def entries(function):
            def fault():
                bundles.edit_json(self.path("summary.json"),
                                  lambda document: function(document["benchmarks"]))
                bundles.write_sums(self.folder)
            return fault

        def shorten(all_entries):
            entry = all_entries[0]
            entry["samples"].pop()
            self._refigure(entry)

        def swap(all_entries):
            samples = all_entries[0]["samples"]
            samples[0], samples[1] = samples[1], samples[0]

        def faster(all_entries):
            entry = all_entries[0]
            entry["samples"] = [sample // 2 for sample in entry["samples"]]
            self._refigure(entry)

        def failing(all_entries):
            all_entries[0].update(error_occurred=True, error_message="x")

        self._try({
            "a sample is removed": (entries(shorten), "samples"),
            "samples change places": (entries(swap), "order of the schedule"),
            "every sample is halved": (entries(faster), "samples"),
            "a percentile": (entries(lambda them: them[0].update(p95=5)), "p95"),
            "a mean": (entries(lambda them: them[0].update(real_time=5.0)), "real_time"),
            "an entry is dropped": (entries(lambda them: them.pop()), "is missing"),
            "an entry of nothing": (entries(lambda them: them.append(
                them[0] | {"name": "x/y", "query": "x/y"})), "has no requests"),
            "a success that failed": (entries(failing), "succeeded"),
        })

    def _refigure(self, entry):
        samples = entry["samples"]
        entry.update(iterations=len(samples), real_time=sum(samples) / len(samples) / 1e6,
                     p50=bundles.percentile(samples, 50), p95=bundles.percentile(samples, 95))
        if "p99" in entry:
            entry["p99"] = bundles.percentile(samples, 99)

    def _contradicts(self, summary):
        from load import verify
        with open(self.path("summary.json"), "w", encoding="utf-8") as file:
            json.dump(summary, file)
        bundles.write_sums(self.folder)
        return verify.verify(self.folder).problems

    def _try(self, faults):
        """Each on the bundle as it was."""
        kept = {}
        for name in os.listdir(self.folder):
            with open(self.path(name), "rb") as file:
                kept[name] = file.read()
        for title, (fault, part) in faults.items():
            for name in set(os.listdir(self.folder)) - kept.keys():
                os.remove(self.path(name))
            for name, content in kept.items():
                with open(self.path(name), "wb") as file:
                    file.write(content)
            fault()
            with self.subTest(title):
                self.assert_caught(part)


# What describes the run, and is no figure of its requests.
_GIVEN = ("scenario", "scenario_name", "url", "title", "text")


def figures_of(value, place=()):
    """The places of all plain values."""
    if isinstance(value, dict):
        for key, member in value.items():
            if key not in _GIVEN:
                yield from figures_of(member, (*place, key))
    elif isinstance(value, list):
        for number, member in enumerate(value):
            yield from figures_of(member, (*place, number))
    else:
        yield place


def alter(owner, place):
    for key in place[:-1]:
        owner = owner[key]
    was = owner[place[-1]]
    if isinstance(was, bool):
        owner[place[-1]] = not was
    elif isinstance(was, str):
        owner[place[-1]] = was + "x"
    else:
        owner[place[-1]] = 1 if was is None else was + 1


if __name__ == "__main__":
    unittest.main()
