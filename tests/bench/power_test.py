#!/usr/bin/python3
"""What bench/power/power.py makes of statements and of tries."""

import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench", "power"))

import power  # noqa: E402  (found through that line)


def tries(slower, count, seconds=5.0):
    return [({"verdict": "slower" if i < slower else "same", "ratio": 1.1}, seconds)
            for i in range(count)]


class Power(unittest.TestCase):
    def test_every_text_of_a_statement_asks_for_the_wait(self):
        self.assertEqual(power.slowed("-- A.\n-- name: a\nSELECT 1\n-- name: a [sqlite]\nSELECT 2\n",
                                      5),
                         "-- A.\n-- name: a\n/* busy_wait 5% */\nSELECT 1\n"
                         "-- name: a [sqlite]\n/* busy_wait 5% */\nSELECT 2\n")

    def test_a_bar_is_reached_or_missed(self):
        for slower, count, share, good in ((19, 20, 19 / 20, True), (18, 20, 19 / 20, False),
                                           (15, 20, 15 / 20, True), (14, 20, 15 / 20, False)):
            line, reached = power.row("q", 10, share, tries(slower, count))
            self.assertEqual((reached, "MISSED" in line), (good, not good))
        self.assertFalse(power.row("q", 10, 0.5, tries(20, 20, 31.0))[1])


if __name__ == "__main__":
    unittest.main()
