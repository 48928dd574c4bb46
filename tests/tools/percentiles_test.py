#!/usr/bin/python3
"""The script's percentile arithmetic against hand values and against its definition."""

import fractions
import math
import os
import random
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))

from report.percentiles import interval, interval_ranks, percentile  # noqa: E402


class Percentiles(unittest.TestCase):
    def test_hand_values(self):
        one_to_25 = list(range(1, 26))
        one_to_100 = list(range(1, 101))
        for samples, percent, expected in (
                ([7], 50, 7), ([7], 95, 7), ([7], 99, 7),
                ([1, 2], 50, 1), ([1, 2], 95, 2), ([1, 2, 3], 50, 2), ([1, 2, 3, 4], 50, 2),
                ([15, 20, 35, 40, 50], 50, 35), ([15, 20, 35, 40, 50], 95, 50),
                ([3, 3, 3, 9], 50, 3), ([3, 3, 3, 9], 95, 9),
                (one_to_25, 50, 13), (one_to_25, 95, 24), (one_to_25, 99, 25),
                (list(range(1, 21)), 95, 19), (list(range(1, 22)), 95, 20),
                (one_to_100, 50, 50), (one_to_100, 95, 95), (one_to_100, 99, 99)):
            with self.subTest(samples=samples, percent=percent):
                self.assertEqual(percentile(samples, percent), expected)

    def test_definition_holds_for_any_samples(self):
        chance = random.Random(1)
        for count in range(1, 120):
            samples = sorted(chance.randrange(40) for _ in range(count))
            for percent in (1, 50, 75, 95, 99, 100):
                smallest = min(sample for sample in samples
                               if 100 * sum(s <= sample for s in samples) >= percent * count)
                self.assertEqual(percentile(samples, percent), smallest)


class Intervals(unittest.TestCase):
    def exact_ranks(self, count, percent):
        """Summed in fractions."""
        inside = fractions.Fraction(percent, 100)

        def up_to(k):
            return sum(math.comb(count, i) * inside**i * (1 - inside)**(count - i)
                       for i in range(k + 1))
        tail = fractions.Fraction(25, 1000)
        low = max((rank for rank in range(1, count + 1) if up_to(rank - 1) <= tail), default=None)
        high = min((rank for rank in range(1, count + 1) if 1 - up_to(rank - 1) <= tail),
                   default=None)
        return None if low is None or high is None else (low, high)

    def test_hand_values(self):
        # P(B <= 7) = 2.16% for 25 fair coins.
        self.assertEqual(interval_ranks(25, 50), (8, 18))
        self.assertEqual(interval(list(range(101, 126)), 50), (108, 118))
        # Half of 2^-5 is more than 2.5% on each side, of 2^-6 less.
        self.assertIsNone(interval_ranks(5, 50))
        self.assertEqual(interval_ranks(6, 50), (1, 6))
        # 0.95^71 = 2.6%, 0.95^72 = 2.5% less a little.
        self.assertIsNone(interval_ranks(71, 95))
        self.assertEqual(interval_ranks(72, 95)[1], 72)
        self.assertIsNone(interval(list(range(25)), 95))

    def test_ranks_equal_those_of_exact_sums(self):
        for count in [*range(1, 30), 71, 72, 73, 100]:
            for percent in (50, 95):
                with self.subTest(count=count, percent=percent):
                    self.assertEqual(interval_ranks(count, percent),
                                     self.exact_ranks(count, percent))

    def test_many_samples_come_close_to_the_normal_distribution(self):
        low, high = interval_ranks(100_000, 50)
        self.assertAlmostEqual(low, 50_000 - 1.96 * math.sqrt(25_000), delta=2)
        self.assertAlmostEqual(high, 50_000 + 1.96 * math.sqrt(25_000), delta=2)


if __name__ == "__main__":
    unittest.main()
