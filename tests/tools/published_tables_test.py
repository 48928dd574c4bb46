#!/usr/bin/python3
"""The rows of each table of a seeded standard store, against the published ones.

usage: published_tables_test.py STORE.sqlite
"""

import csv
import os
import sqlite3
import sys
import unittest

REFERENCE = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "reference",
                         "store_tables.csv")

# Products, customers, orders and the small configuration tables are exact, the others within 1%.
EXACT = {"products", "customers", "orders", "attributes", "categories", "coupons", "coupon_scopes",
         "sales", "sale_rules", "sale_tiers", "shipping_methods", "shipping_zones", "tags",
         "tax_rates", "tax_zones"}


class PublishedTables(unittest.TestCase):
    store = None

    def test_every_table_has_the_published_rows(self):
        with open(REFERENCE, newline="", encoding="utf-8") as file:
            published = {line["table"]: int(line["rows"]) for line in csv.DictReader(file)}
        self.assertEqual(len(published), 36)
        self.assertLessEqual(EXACT, published.keys())
        connection = sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)
        self.addCleanup(connection.close)
        for table, rows in published.items():
            with self.subTest(table=table):
                (count,) = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()
                if table in EXACT:
                    self.assertEqual(count, rows)
                else:
                    self.assertLessEqual(abs(count - rows), rows * 0.01, f"{count}, not {rows}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    PublishedTables.store = sys.argv.pop()
    unittest.main()
