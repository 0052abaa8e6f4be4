"""The commands that change streams, as their users call them."""

import json
import os
import sys
import time
import unittest

import harness


class Change(harness.TestCase):
    """grow and set."""

    def test_grow_adds_partitions_and_keeps_what_was_there(self):
        self.ok("stream", "create", "s", "--partitions", "2")
        self.ok("append", "s", "-q", stdin=b"a\nb\n")
        self.assertEqual(self.ok("stream", "grow", "s", "--partitions", "4"), b"s has 4 partitions, before 2\n")
        self.assertEqual(self.ok("stream", "grow", "s", "--partitions", "3"), b"s has 4 partitions already\n")
        grown = json.loads(self.ok("stream", "grow", "s", "--partitions", "5", "--json"))
        self.assertEqual((grown["partitions_before"], grown["partitions"]), (4, 5))
        self.ok("append", "s", "--partition", "4", "-q", stdin=b"c\n")
        self.assertEqual(self.ok("read", "s"), b"a\nb\nc\n")
        self.refused(4, "stream", "grow", "none", "--partitions", "2")
        self.refused(2, "stream", "grow", "s", "--partitions", "0")

    def test_an_isolated_partition_shares_no_object(self):
        self.ok("stream", "create", "s", "--binding", "raw", "--partitions", "3")
        said = self.ok("stream", "isolate", "s", "--partition", "1")
        self.assertEqual(said, b"1 partition is now isolated: s\n")
        self.ok("append", "s", "-q", stdin=b"a\nb\nc\n")
        shown = json.loads(self.ok("stream", "describe", "s", "--json"))
        self.assertEqual([one["isolated"] for one in shown["partitions"]], [False, True, False])
        self.assertEqual([logs for logs in self.objects() if 1 in logs], [[1]])
        again = self.ok("stream", "isolate", "s", "--json")
        self.assertEqual(json.loads(again), {"namespace": "default", "name": "s", "partitions": 3, "changed": 2,
                                             "isolated": True})
        said = self.ok("stream", "isolate", "s", "--end")
        self.assertEqual(said, b"3 partitions are no longer isolated: s\n")
        self.assertIn(b"as before", self.ok("stream", "isolate", "s", "--end"))
        began = time.monotonic()
        while not any(1 in logs and len(logs) > 1 for logs in self.objects()):
            self.assertLess(time.monotonic() - began, harness.TIMEOUT, "what is appended together shares an object")
            self.ok("append", "s", "-q", stdin=b"d\ne\nf\n")
        self.assertIn(b"nothing is damaged", self.ok("fsck", "--deep"))
        self.refused(4, "stream", "isolate", "none")
        self.refused(4, "stream", "isolate", "s", "--partition", "3")

    def objects(self):
        """The partitions in each object."""
        found = []
        root = os.path.join(self.deployment, "wal")
        for folder, _, names in os.walk(root):
            for name in names:
                if not name.endswith(".crc32c"):
                    key = os.path.relpath(os.path.join(folder, name), root)
                    sections = json.loads(self.ok("inspect", "wal", key, "--json"))["sections"]
                    found.append([section["log_id"] for section in sections])
        shown = json.loads(self.ok("stream", "describe", "s", "--json"))["partitions"]
        # Ids are given out in any order.
        partitions = {one["log_id"]: one["partition"] for one in shown}
        return sorted(sorted(partitions[log] for log in logs) for logs in found)

    def test_set_and_unset(self):
        self.ok("stream", "create", "s", "--binding", "raw")
        printed = self.ok("stream", "set", "s", "retention=7d", "empty=", "x=a=b").decode()
        self.assertEqual(printed, "empty=\nlakestream.binding=raw\nretention=7d\nx=a=b\n")
        described = json.loads(self.ok("stream", "describe", "s", "--json"))
        self.assertEqual(described["properties"]["x"], "a=b")
        revision = str(described["revision"])
        now = json.loads(self.ok("stream", "set", "s", "--unset", "x", "--unset", "empty", "--revision", revision,
                                 "--json"))
        self.assertEqual(now["properties"], {"lakestream.binding": "raw", "retention": "7d"})
        self.assertTrue(now["changed"])
        self.assertIn("revision", self.refused(1, "stream", "set", "s", "a=b", "--revision", revision))
        self.refused(2, "stream", "set", "s", "lakestream.binding=kafka")
        self.refused(2, "stream", "set", "s", "novalue")
        self.refused(2, "stream", "set", "s")
        self.refused(4, "stream", "set", "none", "a=b")

    def test_what_no_retention_can_be_is_not_set(self):
        self.ok("stream", "create", "s", "--binding", "raw")
        self.assertIn("milliseconds", self.refused(2, "stream", "set", "s", "x=1", "retention.ms=7d"))
        self.assertIn("bytes", self.refused(2, "stream", "set", "s", "retention.bytes=1GiB"))
        self.assertIn("records", self.refused(2, "stream", "set", "s", "lakestream.retention.records="))
        self.refused(2, "stream", "set", "s", "cleanup.policy=none")
        self.assertEqual(self.ok("stream", "set", "s", "retention.ms=-1", "retention.bytes=0", "cleanup.policy=compact"),
                         b"cleanup.policy=compact\nlakestream.binding=raw\nretention.bytes=0\nretention.ms=-1\n")


class Drop(harness.TestCase):
    """drop and purge."""

    def test_drop_is_for_ever(self):
        self.ok("stream", "create", "s", "--partitions", "2", "--binding", "raw")
        self.ok("append", "s", "-q", stdin=b"a\nb\n")
        self.assertEqual(self.ok("stream", "drop", "s"), b"dropped s: 2 partitions; no raw stream can have the name again\n")
        self.assertEqual(json.loads(self.ok("stream", "list", "--json")), [])
        self.assertEqual([line for line in self.ok("inspect", "meta", "--keys").splitlines()
                          if line.startswith(b"index_record")], [])
        for command in (["append", "s"], ["read", "s"], ["stream", "describe", "s"], ["stream", "drop", "s"],
                        ["stream", "grow", "s", "--partitions", "3"]):
            self.refused(4, *command)
        self.assertIn("cannot be used again", self.refused(1, "stream", "create", "s", "--binding", "raw"))
        self.ok("inspect", "meta", "--verify")

    def test_a_slip_of_the_pen_uses_up_no_name(self):
        self.ok("stream", "create", "s")
        self.refused(4, "stream", "drop", "t")
        self.ok("stream", "create", "t")

    def test_a_writer_in_another_process_gives_way(self):
        self.ok("stream", "create", "s", "--binding", "raw")
        writer = self.start("append", "s", "--offsets")
        writer.stdin.write(b"one\n")
        writer.stdin.flush()
        self.assertEqual(writer.stdout.readline(), b"1 0 0\n")
        self.assertIn(b"dropped s", self.ok("stream", "drop", "s"))
        writer.stdin.write(b"two\n")
        writer.stdin.close()
        self.assertEqual(writer.wait(harness.TIMEOUT), 1)
        self.assertIn(b"being deleted", writer.stderr.read())
        self.assertNotIn(b"index_record", self.ok("inspect", "meta", "--keys"))

    def test_purge(self):
        self.ok("stream", "create", "s")
        self.refused(4, "stream", "purge", "s")
        self.ok("stream", "drop", "s")
        report = json.loads(self.ok("stream", "purge", "s", "--json"))
        self.assertEqual(report, {"dropped_streams": 1, "finished_drops": 0, "partitions": 0, "late_logs": 0,
                                  "held": 0})
        self.assertEqual(self.ok("stream", "purge"), b"1 dropped stream: finished 0 drops, removed what was left of 0 "
                                                     b"partitions, late writes in 0 logs\n")


class Topics(harness.TestCase):
    """Streams of Kafka topics go by the topic's name."""

    def test_every_command_takes_the_topic(self):
        self.ok("stream", "create", "orders", "--binding", "kafka", "--partitions", "2")
        listed = json.loads(self.ok("stream", "list", "--json"))
        self.assertRegex(listed[0]["stored_name"], r"^orders-topic-id-[A-Za-z0-9_-]{22}$")
        self.assertEqual(listed[0]["name"], "orders")
        self.assertIn(b"default/orders ", self.ok("stream", "list"))
        described = json.loads(self.ok("stream", "describe", "orders", "--json"))
        self.assertEqual((described["name"], described["stored_name"]), ("orders", listed[0]["stored_name"]))
        self.ok("append", "orders", "-q", stdin=b"a\nb\n")
        self.assertEqual(self.ok("read", "orders", "--partition", "1"), b"b\n")
        self.ok("stream", "grow", "orders", "--partitions", "3")
        self.ok("stream", "set", "orders", "retention.ms=1")
        self.refused(1, "stream", "create", "orders", "--binding", "kafka")
        self.assertEqual(self.ok("stream", "drop", "orders"), b"dropped orders: 3 partitions\n")
        self.ok("stream", "create", "orders", "--binding", "kafka")
        again = json.loads(self.ok("stream", "list", "--json"))
        self.assertEqual(len(again), 1)
        self.assertNotEqual(again[0]["stored_name"], listed[0]["stored_name"])
        self.assertEqual(self.ok("read", "orders"), b"")
        self.refused(2, "stream", "create", "x", "--binding", "cooked")


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
