#!/usr/bin/python3
"""The real shopmark-server over sockets: how it starts, what it refuses, how it stops.

usage: shopmark_server_test.py SHOPMARK_SERVER SOURCE_FOLDER [ENGINE]
"""

import os
import signal
import subprocess
import sys
import tempfile
import unittest
from concurrent import futures
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent)]

import databases  # noqa: E402  (found through that line)
from server import Server  # noqa: E402

PROGRAM = ""
ENGINE = "sqlite"


class ServerTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        if ENGINE == "sqlite":
            cls.store = databases.Sqlite(cls.folder / "store.sqlite")
        else:
            cls.store = databases.of_server(ENGINE, os.environ[databases.VARIABLES[ENGINE]],
                                            f"shopmark_server_test_{os.getpid()}")
            cls.addClassCleanup(cls.store.drop)

    def server(self, *arguments):
        return Server(PROGRAM, self.store.target, self.folder, "--seed_when_empty=smoke",
                      "--workers=3", *arguments)

    def refused(self, *arguments, environment=None):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60,
                              check=False, env=os.environ | (environment or {}))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_serves_and_stops_with_0_when_told(self):
        for with_signal in (signal.SIGTERM, signal.SIGINT):
            with self.server() as server:
                self.assertEqual(server.ask("GET", "/healthz")[0::2], (200, {"status": "ok"}))
                status, headers, home = server.ask("GET", "/")
                self.assertEqual(status, 200)
                self.assertEqual(headers["content-type"], "application/json")
                self.assertEqual(len(home["products"]), 24)
                slug = home["products"][0]["slug"]
                status, _, page = server.ask("GET", f"/products/{slug}")
                self.assertEqual((status, page["product"]["slug"]), (200, slug))
                status, headers, body = server.ask("HEAD", f"/products/{slug}")
                self.assertEqual((status, body), (200, None))
                self.assertGreater(int(headers["content-length"]), 500)
                self.assertEqual(server.ask("GET", "/nothing")[2]["error"], "not_found")
                self.assertEqual(server.stop(with_signal), (0, ""))

    def test_an_order_is_written_and_its_receipt_signed(self):
        with self.server() as server:
            home = server.ask("GET", "/")[2]
            slug = next(p["slug"] for p in home["products"] if p["stock"] > 50)
            variant = max(server.ask("GET", f"/products/{slug}")[2]["variants"],
                          key=lambda variant: variant["stock"])
            status, _, added = server.ask("POST", "/cart/items",
                                          {"variant_id": variant["id"], "quantity": 2})
            self.assertEqual((status, added["outcome"]), (200, "added"))
            form = server.ask("GET", f"/checkout/{added['cart']}")[2]
            order = {"cart": added["cart"], "email": "ann@mail.example",
                     "shipping_method": form["methods"][0]["code"],
                     "ship_to": {"name": "Ann", "line1": "1 Main St", "city": "Boston",
                                 "region": "MA", "postcode": "02101", "country": "US"}}
            with futures.ThreadPoolExecutor() as pool:  # at once, and still one order
                answers = list(pool.map(lambda _: server.ask("POST", "/checkout", order,
                                                             Idempotency_Key="one"), range(6)))
            self.assertEqual([answer[0::2] for answer in answers], [answers[0][0::2]] * 6)
            placed = answers[0][2]
            self.assertEqual((answers[0][0], placed["outcome"]), (200, "placed"))
            [[count]] = self.store.rows("SELECT count(*) FROM orders WHERE number = "
                                        f"'{placed['order']}'")
            self.assertEqual(int(count), 1)
            status, _, receipt = server.ask("GET", placed["receipt"])
            self.assertEqual((status, receipt["order"]["number"]), (200, placed["order"]))
            self.assertEqual(server.ask("GET", placed["receipt"].split("?")[0])[0], 403)
            left = next(v for v in server.ask("GET", f"/products/{slug}")[2]["variants"]
                        if v["id"] == variant["id"])
            self.assertEqual(left["stock"], variant["stock"] - 2)
            number = placed["order"]
        # Without a secret of its own each server has another.
        with self.server() as server:
            self.assertEqual(server.ask("GET", placed["receipt"])[0], 403)
            self.assertEqual(server.staff(f"/admin/orders/{number}")[2]["order"]["number"], number)

    def test_the_staff_is_let_in_with_the_token_of_the_file(self):
        with self.server() as server:
            status, _, info = server.staff("/admin/info")
            self.assertEqual((status, info["workers"]), (200, 3))
            self.assertEqual((info["target"]["engine"], info["target"]["profile"]),
                             (ENGINE, "smoke"))
            self.assertEqual(server.ask("GET", "/admin/info")[0], 401)

    def test_secrets_may_stand_in_the_environment(self):
        with self.server() as server:
            server.stop()
        environment = {"SHOPMARK_ADMIN_TOKEN": "other", "SHOPMARK_RECEIPT_SECRET": "kept"}
        with mock.patch.dict(os.environ, environment):
            server = self.server()
            server.command = [a for a in server.command if "token_file" not in a]
            with server:
                status = server.ask("GET", "/admin/info", Authorization="Bearer other")[0]
                self.assertEqual(status, 200)

    def test_wrong_flags_are_one_line_and_status_2(self):
        target = f"--target={self.store.target}"
        empty = self.folder / "empty"
        empty.write_text("\n", encoding="utf-8")
        words = self.folder / "words"
        words.write_text("two words\n", encoding="utf-8")
        for arguments, text in (
                ([], "--target: is needed"),
                (["--target=oracle:x"], "--target: "),
                (["--target=memory:"], "--target: a store in memory"),
                (["--target=memory:smoke"], "--target: a store in memory"),
                (["--target=sqlite::memory:"], "--target: a store in memory"),
                (["--target=x=sqlite::memory:"], "--target: a store in memory"),
                ([target, "--listen=8080"], "--listen: must be ADDRESS:PORT"),
                ([target, "--listen=127.0.0.1:"], "--listen: must be"),
                ([target, "--listen=127.0.0.1:65536"], "--listen: must be"),
                ([target, "--listen=:80"], "--listen: must be"),
                ([target, "--workers=-1"], "--workers: must be from 0"),
                ([target, "--workers=x"], "--workers: 'x'"),
                ([target, "--queue=0"], "--queue: must be from 1"),
                ([target, "--read_timeout_ms=0"], "--read_timeout_ms: must be"),
                ([target, "--admin_token_file=/nowhere"], "--admin_token_file: file /nowhere"),
                ([target, f"--admin_token_file={self.folder}"], "--admin_token_file: "),
                ([target, f"--admin_token_file={empty}"], "is empty"),
                ([target, f"--receipt_secret_file={empty}"], "--receipt_secret_file: "),
                ([target, f"--admin_token_file={words}"], "more than one word"),
                ([target, "--seed_when_empty=huge"], "--seed_when_empty: 'huge'"),
                ([target, "--port=80"], "--port: no such flag"),
                (["stray"], "stray")):
            with self.subTest(arguments=arguments):
                self.assertIn(text, self.refused(*arguments))
        self.assertIn("--admin_token_file: SHOPMARK_ADMIN_TOKEN is empty",
                      self.refused(target, environment={"SHOPMARK_ADMIN_TOKEN": ""}))

    def test_a_target_without_a_store_and_a_taken_port_are_status_2(self):
        missing = self.store.target.replace("store.sqlite", "none.sqlite")
        if ENGINE != "sqlite":
            missing = self.store.dsn_of("shopmark_no_such_database")
        self.assertIn("shopmark-seed makes a store", self.refused(f"--target={missing}"))
        with self.server() as server:
            self.assertIn("--listen: ", self.refused(f"--target={self.store.target}",
                                                     f"--listen=127.0.0.1:{server.port}"))
        for address in ("localhost:0", "300.0.0.1:0", "192.0.2.1:0"):
            self.assertIn("--listen: ", self.refused(f"--target={self.store.target}",
                                                     f"--listen={address}"))

    def test_a_full_standard_output_is_status_2(self):
        with self.server() as server:
            server.stop()
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, f"--target={self.store.target}",
                                   "--listen=127.0.0.1:0"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard output", done.stderr)

    def test_help_has_examples_and_ends_well(self):
        done = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for text in ("--target=sqlite:", "--listen", "SIGTERM"):
            self.assertIn(text, done.stdout)
        self.assertLessEqual(max(len(line) for line in done.stdout.splitlines()), 80)


if __name__ == "__main__":
    PROGRAM, _, *rest = sys.argv[1:]
    ENGINE = rest[0] if rest else ENGINE
    databases.exit_without_server(ENGINE)
    unittest.main(argv=sys.argv[:1])
