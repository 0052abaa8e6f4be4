"""cost: what is stored and what was asked for, in the right numbers and at the given prices."""

import json
import os
import re
import sys
import unittest
import urllib.request

import harness

PRICES = ("--put-price", "1000", "--get-price", "2000", "--storage-price", "3")
GIB = 2 ** 30


class Cost(harness.TestCase):
    def cost(self, *arguments, stdin=b""):
        return json.loads(self.ok("cost", "--json", *PRICES, *arguments, stdin=stdin))

    def files(self, root, end=""):
        """Number and bytes of the objects that are there."""
        found = [os.path.getsize(os.path.join(folder, name))
                 for folder, _, names in os.walk(os.path.join(self.deployment, root)) for name in names if name.endswith(end)]
        return len(found), sum(found)

    def test_what_is_stored(self):
        for name, count in (("small", 1), ("large", 40), ("gone", 2)):
            self.ok("stream", "create", name, "--binding", "raw")
            self.ok("append", name, stdin=b"0123456789\n" * count)
        before = self.cost()
        self.assertEqual([stream["stream"] for stream in before["streams"]], ["large", "gone", "small"])
        self.assertEqual([stream["wal_bytes"] for stream in before["streams"]], [400, 20, 10])
        self.assertEqual([stream["compacted_bytes"] for stream in before["streams"]], [0, 0, 0])
        self.assertEqual(before["written_by"]["payload_bytes"], 430)
        self.ok("compact", "--now", "--stream", "small")
        self.ok("compact", "--now", "--stream", "gone")
        self.ok("stream", "drop", "gone")
        after = self.cost()
        stored = {one["kind"]: one for one in after["stored"]}
        for kind, place in (("wal", ("wal",)), ("compacted", ("compacted", ".parquet")), ("companion", ("compacted", ".index"))):
            objects, size = self.files(*place)
            self.assertEqual((stored[kind]["objects"], stored[kind]["bytes"]), (objects, size), kind)
            self.assertAlmostEqual(stored[kind]["usd_a_month"], size / GIB * 3, delta=size / GIB * 0.01)
        streams = {one["stream"]: one for one in after["streams"]}
        self.assertEqual(set(streams), {"small", "large", "default/gone"})
        self.assertEqual(streams["default/gone"]["partitions"], 0)
        self.assertEqual(streams["small"]["wal_bytes"], 0)
        self.assertEqual(streams["small"]["compacted_bytes"], self.files("compacted/default/small")[1])
        self.assertEqual(sum(one["bytes"] for kind, one in stored.items() if kind != "all"), stored["all"]["bytes"])
        of_streams = sum(one["wal_bytes"] + one["compacted_bytes"] for one in after["streams"])
        self.assertEqual(of_streams + after["bytes_of_no_stream"], stored["all"]["bytes"])
        written = after["written_by"]
        self.assertEqual(written["puts"], stored["all"]["objects"])
        self.assertEqual(written["usd"], written["puts"])
        self.assertEqual(written["payload_bytes"], 410)
        self.assertEqual(after["prices"], {"usd_per_1000_puts": 1000, "usd_per_1000_gets": 2000, "usd_per_gb_month": 3})
        text = self.ok("cost").decode()
        for price in ("usd_per_1000_puts  0.005", "usd_per_1000_gets  0.0004", "usd_per_gb_month   0.023"):
            self.assertIn(price, text)

    def test_what_a_process_asks_for(self):
        self.ok("stream", "create", "s", "--binding", "raw")
        append = self.start("append", "s", "--offsets", "--metrics", "0")
        address = re.search(rb"http://\S+", append.stderr.readline()).group(0).decode()
        for _ in range(8):
            append.stdin.write(b"x" * 1023 + b"y\n")
            append.stdin.flush()
            append.stdout.readline()  # acknowledged
        with urllib.request.urlopen(address, timeout=harness.TIMEOUT) as answer:
            scraped = answer.read()
        cost = self.cost("--metrics", "-", stdin=scraped)
        puts = [one for one in cost["requests"] if (one["root"], one["op"]) == ("wal", "put")]
        self.assertEqual([(one["requests"], one["billed_as"]) for one in puts], [(8, "put")])
        age = cost["observed_seconds"]
        self.assertAlmostEqual(puts[0]["a_second"], 8 / age, delta=8 / age * 0.01)
        self.assertAlmostEqual(puts[0]["usd_an_hour"], 8 / age * 3600, delta=8 / age * 36)
        self.assertEqual(cost["together"]["appended_bytes"], 8192)
        other = sum(one["requests"] for one in cost["requests"] if one["billed_as"] == "put") - 8
        self.assertEqual(cost["together"]["puts_per_gib"], (8 + other) * 131072)
        # Two of them, one from a file: everything twice.
        path = os.path.join(self.folder, "scraped")
        with open(path, "wb") as file:
            file.write(scraped)
        both = self.cost("--metrics", path, "--metrics", path)
        self.assertEqual(both["processes"], 2)
        self.assertAlmostEqual(both["together"]["usd_an_hour"], 2 * cost["together"]["usd_an_hour"],
                               delta=cost["together"]["usd_an_hour"] * 0.01)
        self.assertEqual(both["together"]["puts_per_gib"], cost["together"]["puts_per_gib"])

    def test_wrong_use(self):
        self.refused(4, "cost")
        self.assertIn("takes US dollars", self.refused(2, "cost", "--put-price", "-1"))
        self.assertIn("line=1 file=-", self.refused(2, "cost", "--metrics", "-", stdin=b"<html>\n"))
        self.assertIn("not the metrics of a process of Lakestream", self.refused(2, "cost", "--metrics", "-", stdin=b"up 1\n"))
        nothing = self.refused(4, "cost", "--metrics", os.path.join(self.folder, "nothing"))
        self.assertEqual(nothing.count("file="), 1, nothing)


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
