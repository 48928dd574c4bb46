#!/usr/bin/python3
"""The 18 queries return the published numbers of rows on the standard store.

published_rows_test.py SHOPMARK_BENCH TARGET STORE_QUERIES_CSV
"""

import csv
import subprocess
import sys
import unittest


class PublishedRows(unittest.TestCase):
    def test_first_parameter_of_every_query_returns_the_published_rows(self):
        run = subprocess.run([BENCH, f"--target={TARGET}", "--check"],
                             capture_output=True, text=True, timeout=300)
        sys.stdout.write(run.stdout)
        self.assertEqual(run.returncode, 0, run.stderr)
        returned = {}
        for line in run.stdout.splitlines():
            name, found, rows = line.partition(": rows ")
            if found:
                returned[name.partition("/")[0]] = int(rows.split()[0])
        with open(QUERIES, newline="", encoding="utf-8") as file:
            published = {row["query"]: int(row["rows"]) for row in csv.DictReader(file)}
        self.assertEqual(len(published), 18)
        self.assertEqual({name: returned.get(name) for name in published}, published)


if __name__ == "__main__":
    BENCH, TARGET, QUERIES = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1])
