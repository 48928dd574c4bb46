#!/usr/bin/python3
"""Kills shopmark-server in the midst of checkouts, again and again: what it acknowledged is in the
store, whole and once, and stock adds up. The store is read by shopmark-seed and, beside it, by the
engine's own client.

usage: durability_test.py SHOPMARK_SERVER SHOPMARK_SEED ENGINE
"""

import http.client
import itertools
import json
import os
import random
import re
import select
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import databases  # noqa: E402  (found through that line)

SERVER = SEED = ENGINE = ""
KILLS = 20
SHOPPERS = 4
# A server lives so long before it is killed, in seconds.
LIFE = (0.15, 0.7)
START_SECONDS = 30
# Fewer in all would say little.
LEAST_ACKNOWLEDGED = 20
# Of a life, sent again after it.
MOST_REPEATED = 8

SHIP_TO = {"name": "Ada", "line1": "1 Main St", "city": "Austin", "region": "TX",
           "postcode": "78701", "country": "US"}


class Shop:
    """One running server."""

    def __init__(self, target, log):
        self.process = subprocess.Popen(
            [SERVER, f"--target={target}", "--listen=127.0.0.1:0", "--workers=4"],
            stdout=subprocess.PIPE, stderr=log, text=True,
            # The same each time, since a repeated answer holds a signature.
            env=os.environ | {"SHOPMARK_RECEIPT_SECRET": "a-secret-of-this-test-alone-of-32"})
        began = time.monotonic()
        line = ""
        while not line and time.monotonic() - began < START_SECONDS and self.process.poll() is None:
            if select.select([self.process.stdout], [], [], 0.1)[0]:
                line = self.process.stdout.readline()
        match = re.match(r"shopmark-server: listening on (http://\S+)$", line)
        if not match:
            self.kill()
            log.seek(0)
            raise AssertionError(f"the server does not listen: {line!r}: {log.read()[-500:]}")
        self.address = urlsplit(match[1]).netloc

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def end(self):
        """As it is asked to; its status."""
        self.process.terminate()
        status = self.process.wait(30)
        self.process.stdout.close()
        return status

    def connection(self):
        return http.client.HTTPConnection(self.address, timeout=20)


def ask(connection, path, body=None, **headers):
    """Status and body as they came."""
    if body is None:
        connection.request("GET", path)
    else:
        connection.request("POST", path, json.dumps(body),
                           {"Content-Type": "application/json"} | headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


class Shopper(threading.Thread):
    """Fills a cart and pays it, as fast as it is answered, until the server is gone."""

    def __init__(self, shop, variants, method, keys, source):
        super().__init__(daemon=True)
        self.shop, self.variants, self.method, self.keys = shop, variants, method, keys
        self.source = source
        self.acknowledged = {}  # key: (body, answer)
        self.unanswered = None  # (key, body) of a checkout that was sent
        self.wrong = None

    def run(self):
        try:
            connection = self.shop.connection()
            while self.wrong is None:
                self._buy(connection)
        except (OSError, http.client.HTTPException):
            pass  # it was killed

    def _buy(self, connection):
        cart = {}
        for _ in range(self.source.randrange(1, 4)):
            status, answer = ask(connection, "/cart/items",
                                 {"variant_id": self.source.choice(self.variants), "quantity": 1,
                                  **(cart or {"country": "US"})})
            if status != 200:
                self.wrong = f"add to cart: {status} {answer}"
                return
            cart = {"cart": json.loads(answer)["cart"]} if b"added" in answer else cart
        if not cart:
            return
        key = next(self.keys)
        body = {**cart, "email": f"{key}@example.com", "shipping_method": self.method,
                "ship_to": SHIP_TO}
        self.unanswered = key, body
        status, answer = ask(connection, "/checkout", body, **{"Idempotency-Key": key})
        self.unanswered = None
        if status == 200 and json.loads(answer)["outcome"] == "placed":
            self.acknowledged[key] = body, answer
        elif status != 503 and not (status == 200 and b'"out_of_stock"' in answer):
            self.wrong = f"checkout: {status} {answer}"


class Durability(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        if ENGINE == "sqlite":
            self.store = databases.Sqlite(Path(scratch.name) / "store.sqlite")
        else:
            self.store = databases.of_server(ENGINE, os.environ[databases.VARIABLES[ENGINE]],
                                             f"shopmark_durability_test_{os.getpid()}")
            self.addCleanup(self.store.drop)
        self.log = open(Path(scratch.name) / "server.log", "w+", encoding="utf-8")
        self.addCleanup(self.log.close)
        self.seed("--profile=smoke")
        self.variants = [int(line[0]) for line in self.store.rows(
            "SELECT v.id FROM variants v JOIN products p ON p.id = v.product_id "
            "WHERE p.status = 'active' AND p.published_at < 1788048000 AND v.stock > 20 "
            "ORDER BY v.id LIMIT 200")]
        self.stock = self.levels()

    def seed(self, *flags, status=0):
        done = subprocess.run([SEED, f"--target={self.store.target}", *flags], check=False,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def levels(self):
        return {int(variant): int(stock) for variant, stock in
                self.store.rows("SELECT id, stock FROM variants")}

    def orders(self):
        """Number and total of all that shoppers placed."""
        return {number: int(total) for number, total in self.store.rows(
            "SELECT number, total_cents FROM orders WHERE number LIKE 'W-%'")}

    def start(self):
        shop = Shop(self.store.target, self.log)
        self.addCleanup(shop.kill)
        return shop

    def assert_whole(self):
        """By the engine's own client: no order in part, and all stock accounted for."""
        for what, sql in {
                "orders without items": "NOT EXISTS (SELECT 1 FROM order_items i "
                                        "WHERE i.order_id = o.id)",
                "orders without history": "NOT EXISTS (SELECT 1 FROM order_history h "
                                          "WHERE h.order_id = o.id)",
                "orders without a transaction": "NOT EXISTS (SELECT 1 FROM transactions t "
                                                "WHERE t.order_id = o.id)",
                "orders whose cart is still there": "EXISTS (SELECT 1 FROM carts c "
                                                    "WHERE c.token = o.note)"}.items():
            found = self.store.rows(f"SELECT o.number FROM orders o WHERE o.number LIKE 'W-%' "
                                    f"AND {sql}")
            self.assertEqual(found, [], what)
        taken = {int(variant): int(pieces) for variant, pieces in self.store.rows(
            "SELECT i.variant_id, sum(i.quantity) FROM order_items i "
            "JOIN orders o ON o.id = i.order_id WHERE o.number LIKE 'W-%' GROUP BY i.variant_id")}
        self.assertEqual(self.levels(), {variant: stock - taken.get(variant, 0)
                                         for variant, stock in self.stock.items()})

    def visits(self):
        found = json.loads(self.seed("--visits"))
        self.assertEqual(found["problems"], [])
        orders = self.orders()
        self.assertEqual(sorted(found["numbers"]), sorted(orders))
        self.assertEqual(found["total_cents"], sum(orders.values()))
        return orders

    def assert_kept(self, acknowledged, orders):
        for _, answer in acknowledged.values():
            placed = json.loads(answer)
            self.assertIn(placed["order"], orders)
            self.assertEqual(orders[placed["order"]], placed["total_cents"])

    def assert_same_again(self, shop, shoppers):
        """What was acknowledged is answered with the same bytes, and what was not becomes one
        order, whether there was one or not."""
        connection = shop.connection()
        for shopper in shoppers:
            for key, (body, answer) in itertools.islice(shopper.acknowledged.items(),
                                                        MOST_REPEATED):
                self.assertEqual(ask(connection, "/checkout", body, **{"Idempotency-Key": key}),
                                 (200, answer))
            if shopper.unanswered is None:
                continue
            key, body = shopper.unanswered
            for _ in range(2):
                status, answer = ask(connection, "/checkout", body, **{"Idempotency-Key": key})
                self.assertEqual(status, 200, answer)
                if json.loads(answer)["outcome"] == "placed":
                    shopper.acknowledged[key] = body, answer
        connection.close()

    def test_what_was_acknowledged_outlives_a_kill(self):
        source = random.Random(20260830)
        keys = (f"kill-{number}" for number in itertools.count())
        lock, total, lost = threading.Lock(), 0, 0

        class Keys:
            def __next__(self):
                with lock:
                    return next(keys)

        shop = self.start()
        connection = shop.connection()
        _, answer = ask(connection, "/cart/items",
                        {"variant_id": self.variants[0], "quantity": 1, "country": "US"})
        _, form = ask(connection, f"/checkout/{json.loads(answer)['cart']}")
        method = json.loads(form)["methods"][0]["code"]
        connection.close()
        for _ in range(KILLS):
            shoppers = [Shopper(shop, self.variants, method, Keys(),
                                random.Random(source.random())) for _ in range(SHOPPERS)]
            for shopper in shoppers:
                shopper.start()
            time.sleep(source.uniform(*LIFE))
            shop.kill()
            for shopper in shoppers:
                shopper.join(30)
                self.assertFalse(shopper.is_alive())
                self.assertIsNone(shopper.wrong)
            acknowledged = {key: one for shopper in shoppers
                            for key, one in shopper.acknowledged.items()}
            unanswered = sum(shopper.unanswered is not None for shopper in shoppers)
            total, lost = total + len(acknowledged), lost + unanswered

            shop = self.start()
            orders = self.visits()
            self.assert_kept(acknowledged, orders)
            self.assertLessEqual(len(orders), len(acknowledged) + unanswered)
            self.assert_whole()
            self.assert_same_again(shop, shoppers)
            after = self.visits()
            self.assert_kept({key: one for shopper in shoppers
                              for key, one in shopper.acknowledged.items()}, after)
            self.assertLessEqual(len(after), len(acknowledged) + unanswered)
            self.assert_whole()
            # The next life has the stock of the first.
            self.seed("--undo_visits")
            self.assertEqual(self.orders(), {})
            self.assertEqual(self.levels(), self.stock)
        self.assertEqual(shop.end(), 0)
        self.seed("--profile=smoke", "--verify")
        print(f"{ENGINE}: {KILLS} kills, {total} checkouts acknowledged, {lost} under way",
              file=sys.stderr)
        self.assertGreaterEqual(total, LEAST_ACKNOWLEDGED)
        self.assertGreater(lost, 0, "no kill fell into a checkout")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    SERVER, SEED, ENGINE = sys.argv[1:]
    databases.exit_without_server(ENGINE)
    unittest.main(argv=sys.argv[:1])
