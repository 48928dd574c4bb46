#!/usr/bin/python3
"""shopmark-server and the Model Context Protocol's own client package (client.mjs), which npm
installs into the build folder: the versions and sums of package-lock.json, and no package's
scripts.

usage: mcp_client_test.py SHOPMARK_SERVER BUILD_FOLDER
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent.parent)]

import databases  # noqa: E402  (found through that line)
from server import TOKEN, Server  # noqa: E402

PROGRAM = ""
FOLDER = Path()
SOURCES = ("package.json", "package-lock.json", "client.mjs")


def exit_without_npm():
    missing = [name for name in ("node", "npm") if shutil.which(name) is None]
    if not missing:
        return
    print(f"no {' and no '.join(missing)}; tools/test installs them", file=sys.stderr)
    sys.exit(1 if "SHOPMARK_TEST_REQUIRE_SERVERS" in os.environ else databases.SKIPPED)


def install():
    """The client into FOLDER, unless these very versions are there."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in SOURCES:
        shutil.copy(HERE / name, FOLDER)
    installed = FOLDER / "installed-package-lock.json"
    lock = (HERE / "package-lock.json").read_bytes()
    if installed.exists() and installed.read_bytes() == lock:
        return
    installed.unlink(missing_ok=True)
    done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=FOLDER,
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"npm ci: {done.stdout}{done.stderr}")
    installed.write_bytes(lock)


class McpClient(unittest.TestCase):
    def test_all_that_the_client_tries_holds(self):
        install()
        with tempfile.TemporaryDirectory() as folder:
            target = databases.Sqlite(Path(folder) / "store.sqlite").target
            with Server(PROGRAM, target, Path(folder), "--seed_when_empty=smoke") as server:
                done = subprocess.run(["node", "client.mjs", f"{server.url}/mcp"], cwd=FOLDER,
                                      env=os.environ | {"SHOPMARK_ADMIN_TOKEN": TOKEN},
                                      capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(server.stop(), (0, ""))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertEqual(done.stdout.count("holds: "), 10, done.stdout)


if __name__ == "__main__":
    PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
    exit_without_npm()
    unittest.main(argv=sys.argv[:1])
