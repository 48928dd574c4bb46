#!/usr/bin/python3
"""What the server's transport costs: requests a second of a route that touches no database, beside
those of nginx (one worker) for a file of the same size. The same client (wrk) over kept connections,
both in turn in every round. Exits 1 when the bar is missed, 2 when it could not start.

Without --target the server gets a small store of its own, in a temporary folder.
Packages: wrk, nginx-light (as root: apt-get install --no-install-recommends wrk nginx-light).
"""

import argparse
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BAR = 0.90  # of nginx's requests a second
ROUTE = "/healthz"
PATIENCE_S = 60  # until a server answers

NGINX = """daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  tcp_nodelay on;
  keepalive_requests 1000000000;
  default_type application/json;
  open_file_cache max=10;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    root {folder}/root;
  }}
}}
"""


def fail(why):
    print(f"server_cost.py: {why}", file=sys.stderr)
    sys.exit(2)


def program(name, package):
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")
    if found is None:
        fail(f"no {name}; as root: apt-get install --no-install-recommends {package}")
    return found


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start(command, url, log):
    """The process, once it answers there with 200, and what it answers."""
    with open(log, "wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
    until = time.monotonic() + PATIENCE_S
    while process.poll() is None and time.monotonic() < until:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return process, answer.read()
        except OSError:
            time.sleep(0.05)
    process.kill()
    process.wait()
    with open(log, encoding="utf-8", errors="replace") as file:
        fail(f"{command[0]} does not answer at {url}: {file.read().strip()[-500:]}")


def rate(wrk, url, arguments):
    done = subprocess.run([wrk, "-t1", f"-c{arguments.connections}", f"-d{arguments.seconds}s", url],
                          capture_output=True, text=True, check=False)
    found = re.search(r"^Requests/sec: +([0-9.]+)", done.stdout, re.MULTILINE)
    if done.returncode or not found:
        fail(f"wrk failed on {url}: {(done.stdout + done.stderr).strip()}")
    if re.search(r"Non-2xx|Socket errors", done.stdout):
        fail(f"{url} did not answer every request: {done.stdout.strip()}")
    return float(found[1])


def measure(wrk, urls, arguments):
    """Requests a second by name, one number a round; who comes first takes turns."""
    rates = {name: [] for name in urls}
    for url in urls.values():  # warm up
        rate(wrk, url, argparse.Namespace(connections=arguments.connections, seconds=1))
    print(f"{'round':<7}" + "".join(f"{name + ', requests/s':>28}" for name in urls)
          + f"{'ratio':>8}", flush=True)
    for number in range(1, arguments.rounds + 1):
        names = list(urls) if number % 2 else list(reversed(urls))
        for name in names:
            rates[name].append(rate(wrk, urls[name], arguments))
        ours, theirs = (rates[name][-1] for name in urls)
        print(f"{number:<7}{ours:>28,.0f}{theirs:>28,.0f}{ours / theirs:>8.2f}", flush=True)
    return rates


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False)
    parser.add_argument("--server", default=os.path.join(ROOT, "build/release/bin/shopmark-server"))
    parser.add_argument("--target")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=48)
    arguments = parser.parse_args()
    wrk, nginx = program("wrk", "wrk"), program("nginx", "nginx-light")
    if not os.access(arguments.server, os.X_OK):
        fail(f"no program {arguments.server}; build shopmark-server, or name one with --server")
    started = []
    # Its worker may be another user.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        try:
            ports = free_port(), free_port()
            ours, theirs = (f"http://127.0.0.1:{port}{ROUTE}" for port in ports)
            target = arguments.target or f"sqlite:{folder}/store.sqlite"
            command = [arguments.server, f"--target={target}", f"--listen=127.0.0.1:{ports[0]}"]
            if not arguments.target:
                command.append("--seed_when_empty=smoke")
            process, body = start(command, ours, os.path.join(folder, "server.log"))
            started.append(process)

            os.mkdir(os.path.join(folder, "root"))
            with open(os.path.join(folder, "root", ROUTE[1:]), "wb") as file:
                file.write(body)
            configuration = os.path.join(folder, "nginx.conf")
            with open(configuration, "w", encoding="utf-8") as file:
                file.write(NGINX.format(folder=folder, port=ports[1]))
            process, same = start([nginx, "-p", folder, "-e", f"{folder}/error.log",
                                   "-c", configuration], theirs, os.path.join(folder, "nginx.log"))
            started.append(process)
            if same != body:
                fail("nginx answers something else than the server")
            rates = measure(wrk, {"shopmark-server": ours, "nginx": theirs}, arguments)
        finally:
            for process in started:
                process.terminate()
                process.wait()
    ratios = [mine / others for mine, others in zip(*rates.values())]
    ratio = statistics.median(ratios)
    medians = ", ".join(f"{name} {statistics.median(its):,.0f}/s" for name, its in rates.items())
    print(f"{len(body)} bytes, {arguments.connections} connections, medians: {medians}")
    print(f"median ratio {ratio:.2f} (from {min(ratios):.2f} to {max(ratios):.2f}), bar {BAR:.2f}"
          + ("" if ratio >= BAR else "  MISSED"))
    return int(ratio < BAR)


if __name__ == "__main__":
    sys.exit(main())
