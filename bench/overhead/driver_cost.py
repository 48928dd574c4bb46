#!/usr/bin/python3
"""What shopmark-load itself costs, beside wrk against the same server, in turn in every round:
closed loop on a route that touches no database, an open loop at 5,000/s, and whether both tools
agree on a route with a database.

Without --target the server gets a small store of its own, in a temporary folder. The machine must be
idle: server and driver need a processor each. Exits 1 when a bar is missed, 2 when it could not start.
Package: wrk (as root: apt-get install --no-install-recommends wrk).
"""

import argparse
import csv
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
CLIENTS = 32
SECONDS = 4
AGREE_CLIENTS = 8
LEAST_SHARE = 0.70  # of wrk's requests a second
OPEN_RATE, OPEN_SECONDS = 5000, 10
LEAST_PUNCTUAL = 99.9  # % of sends within a millisecond of schedule
MOST_APART = 10  # % between the two tools
_UNITS = {"us": 1e3, "ms": 1e6, "s": 1e9}


class NotStarted(Exception):
    pass


def wrk(url, path, clients):
    """(requests a second, median in ns)"""
    done = subprocess.run(["wrk", "-t1", f"-c{clients}", f"-d{SECONDS}s", "--latency", url + path],
                          capture_output=True, text=True, check=True, timeout=60)
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise NotStarted(f"wrk met errors: {done.stdout.strip()}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)[1])
    number, unit = re.search(r"50%\s+([\d.]+)(us|ms|s)", done.stdout).groups()
    return rate, float(number) * _UNITS[unit]


class Driver:
    def __init__(self, programs, folder, url, token, profile):
        self.program = os.path.join(programs, "shopmark-load")
        self.folder, self.url, self.token, self.runs = folder, url, token, 0
        self.profile = profile

    def run(self, arrival, route, parameters, seconds):
        """(summary's figures of the script, its bundle)"""
        scenario = {"format": 1, "title": "what the driver costs", "warmup_s": 1,
                    "duration_s": seconds, "drain_s": 5, "timeout_s": 5,
                    "connections": {"kind": "kept", "most": 64},
                    "scripts": [{"name": "cost", "arrival": arrival,
                                 "routes": [{"route": route} | ({"parameters": parameters}
                                                                if parameters else {})]}]}
        self.runs += 1
        path = os.path.join(self.folder, f"scenario{self.runs}.json")
        bundle = os.path.join(self.folder, f"bundle{self.runs}")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(scenario, file)
        done = subprocess.run([self.program, path, f"--url={self.url}", f"--output={bundle}",
                               f"--admin_token_file={self.token}", f"--profile={self.profile}"],
                              capture_output=True, text=True, check=False, timeout=120)
        if done.returncode == 2:
            raise NotStarted(done.stderr.strip())
        with open(os.path.join(bundle, "summary.json"), encoding="utf-8") as file:
            load = json.load(file)["context"]["shopmark"]["load"]
        return load["stages"][0]["scripts"][0], bundle


def punctual(bundle):
    """(% of the measured requests that were sent within a millisecond of schedule, how many)"""
    late = count = 0
    with open(os.path.join(bundle, "requests.csv"), newline="", encoding="utf-8") as file:
        for line in csv.DictReader(file):
            if line["phase"] == "measured":
                count += 1
                sent = line["sent_ns"]
                late += not sent or int(sent) - int(line["scheduled_ns"]) > 1_000_000
    return 100 * (count - late) / count, count


class Bars:
    def __init__(self):
        self.missed = 0

    def say(self, what, text, met):
        self.missed += not met
        print(f"{what:<44} {text}  {'met' if met else 'MISSED'}", flush=True)


def ask(url, token):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


def measure(programs, url, folder, token, rounds):
    with open(token, encoding="ascii") as file:
        secret = file.read()
    profile = ask(url + "/admin/info", secret)["target"]["profile"]
    slug = ask(url + "/catalog?page=1", secret)["products"][0]["slug"]
    driver, bars = Driver(programs, folder, url, token, profile), Bars()
    closed = {"closed": {"clients": CLIENTS}}
    fast, ours, theirs, rates, medians = [], [], [], [], []
    for _ in range(rounds):
        ours.append(driver.run(closed, "healthz", None, SECONDS)[0]["throughput_rps"])
        theirs.append(wrk(url, "/healthz", CLIENTS)[0])
        fast.append(ours[-1] / theirs[-1])
        mine, _ = driver.run({"closed": {"clients": AGREE_CLIENTS}}, "product_page",
                             {"slug": slug}, SECONDS)
        rate, median = wrk(url, f"/products/{slug}", AGREE_CLIENTS)
        rates.append(mine["throughput_rps"] / rate)
        medians.append(mine["response"]["p50"] / median)
    share = statistics.median(fast)
    bars.say("closed loop, /healthz, of wrk's requests/s",
             f"{100 * share:6.1f} %  ({statistics.median(ours):,.0f}/s beside "
             f"{statistics.median(theirs):,.0f}/s; at least {100 * LEAST_SHARE:.0f} %)",
             share >= LEAST_SHARE)
    script, bundle = driver.run({"open": {"rate": OPEN_RATE}}, "healthz", None, OPEN_SECONDS)
    share, count = punctual(bundle)
    bars.say(f"open loop, {OPEN_RATE:,}/s, sent within 1 ms",
             f"{share:8.3f} %  (at least {LEAST_PUNCTUAL} %)", share >= LEAST_PUNCTUAL)
    bars.say(f"open loop, {OPEN_RATE:,}/s, succeeded", f"{script['succeeded']:,} of {count:,}",
             script["succeeded"] == count == OPEN_RATE * OPEN_SECONDS)
    for what, ratios in (("requests/s", rates), ("median", medians)):
        apart = 100 * (statistics.median(ratios) - 1)
        bars.say(f"product page, {AGREE_CLIENTS} clients, {what} beside wrk's",
                 f"{apart:+6.1f} %  (within {MOST_APART} %)", abs(apart) <= MOST_APART)
    return 1 if bars.missed else 0


def seeded(programs, folder):
    """A small store of our own."""
    target = f"sqlite:{folder}/store.sqlite"
    subprocess.run([os.path.join(programs, "shopmark-seed"), f"--target={target}",
                    "--profile=smoke"], check=True, capture_output=True, timeout=120)
    return target


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=os.path.join(ROOT, "build", "release", "bin"),
                        help="folder of shopmark-server, shopmark-load and shopmark-seed")
    parser.add_argument("--target", help="a seeded store, for the server that this starts")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        print("driver_cost.py: wrk is not installed", file=sys.stderr)
        return 2
    server = None
    with tempfile.TemporaryDirectory(prefix="shopmark-driver-cost-") as folder:
        token = os.path.join(folder, "token")
        with open(token, "w", encoding="ascii") as file:
            file.write(os.urandom(16).hex())
        try:
            target = options.target or seeded(options.programs, folder)
            server = subprocess.Popen([os.path.join(options.programs, "shopmark-server"),
                                       f"--target={target}", "--listen=127.0.0.1:0",
                                       f"--admin_token_file={token}"],
                                      stdout=subprocess.PIPE, text=True)
            ready = server.stdout.readline()
            if "http://" not in ready:
                raise NotStarted("the server did not start")
            return measure(options.programs, ready.split()[-1], folder, token, options.rounds)
        except (NotStarted, OSError, subprocess.SubprocessError, ValueError) as error:
            print(f"driver_cost.py: {error}", file=sys.stderr)
            return 2
        finally:
            if server is not None:
                server.terminate()
                server.wait()


if __name__ == "__main__":
    sys.exit(main())
