"""The judgement itself, on small logs made by hand."""

import unittest

from ledger import Broken, Ledger, catches, payload


class LedgerTest(unittest.TestCase):
    def setUp(self):
        self.ledger = Ledger(2)
        self.ledger.sent = {1: 6, 2: 4}
        self.ledger.acknowledge(1, b"1 0 0\n2 1 0\n3 0 1\n4 1")
        self.ledger.acknowledge(2, b"1 0 3\n")
        self.contents = [[payload(1, 1), payload(1, 3), payload(1, 5), payload(2, 1)], [payload(1, 2), payload(1, 4)]]

    def test_what_was_promised_and_more(self):
        self.ledger.check(self.contents)
        self.assertEqual(len(self.ledger.lines), 4)  # the cut line counts for nothing

    def test_every_breach_is_caught(self):
        self.assertEqual(catches(self.ledger, self.contents), [])

    def test_acknowledging_twice_is_a_breach(self):
        with self.assertRaises(Broken):
            self.ledger.acknowledge(1, b"3 0 7\n")
        with self.assertRaises(Broken):
            self.ledger.acknowledge(2, b"3 0 1\n")

    def test_a_hole_in_a_run_is_a_breach(self):
        del self.contents[0][2]
        self.ledger.acked[0].pop(3)
        with self.assertRaises(Broken):
            self.ledger.check([[payload(1, 1), payload(1, 5)], []])


if __name__ == "__main__":
    unittest.main()
