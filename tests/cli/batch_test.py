"""Record batches: looked at, appended and read."""

import json
import os
import sys
import unittest

import harness

TESTDATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/kafka/records/testdata")


def fixture(name):
    return os.path.join(TESTDATA, name + ".bin")


def payload(name):
    with open(fixture(name), "rb") as file:
        return file.read()


class Inspect(harness.TestCase):
    def inspect(self, *arguments, **keywords):
        result = harness.run("inspect", "batch", *arguments, "--json", **keywords)
        return result.returncode, json.loads(result.stdout), result.stderr.decode()

    def test_what_a_payload_holds(self):
        code, shown, said = self.inspect(fixture("three-batches"))
        self.assertEqual((code, said), (0, ""))
        self.assertEqual((shown["payload_size"], shown["record_count"]), (429, 9))
        self.assertEqual([(b["payload_offset"], b["record_count"], b["first_record"], b["codec"], b["crc"])
                          for b in shown["batches"]],
                         [(0, 2, 0, "none", "7fb05e4f"), (121, 3, 2, "gzip", "2265341a"), (270, 4, 5, "zstd", "0c64787c")])
        self.assertEqual(self.inspect("-", stdin=payload("three-batches"))[1], shown)

    def test_the_fields_of_a_batch(self):
        _, shown, _ = self.inspect(fixture("v2-idempotent"))
        self.assertEqual(shown["batches"], [{
            "payload_offset": 0, "size_bytes": 204, "magic": 2, "record_count": 5, "first_record": 0, "codec": "none",
            "base_offset": 0, "last_offset": 4, "timestamp_type": "create_time", "base_timestamp": 1700000000000,
            "max_timestamp": 1700000000004, "producer_id": 4711, "producer_epoch": 3, "base_sequence": 77,
            "partition_leader_epoch": -1, "transactional": False, "control": False, "crc": "b3e371ed"}])
        _, old, _ = self.inspect(fixture("magic0-none"))
        self.assertEqual([(b["magic"], b["record_count"], b["timestamp_type"]) for b in old["batches"]], [(0, 1, "none")] * 3)

    def test_a_bad_one_is_shown_and_named(self):
        for name, said in (("control", "control batch"), ("transactional", "transactional batch"), ("crc", "checksum"),
                           ("base-offset", "base_offset=10"), ("count", "record_count=4"), ("truncated", "cut off")):
            with self.subTest(name):
                code, shown, error = self.inspect(fixture("bad-" + name))
                self.assertEqual(code, 5)
                self.assertIn(said, error)
                self.assertIn("batch=0", shown["error"])
                self.assertEqual(len(shown["batches"]), 0 if name == "truncated" else 1)
        code, shown, error = self.inspect("-", stdin=b"")
        self.assertEqual((code, shown["batches"]), (5, []))
        code, shown, error = self.inspect("-", stdin=payload("three-batches") + payload("bad-crc"))
        self.assertEqual((code, shown["record_count"], len(shown["batches"])), (5, 9, 4))
        self.assertIn("batch=3", error)

    def test_what_is_not_there(self):
        result = harness.run("inspect", "batch", os.path.join(self.folder, "nowhere"))
        self.assertEqual(result.returncode, 4)
        self.assertIn("nowhere", self.one_line(result))


class Records(harness.TestCase):
    """Streams of binding kafka."""

    def setUp(self):
        super().setUp()
        self.ok("stream", "create", "s", "--binding", "kafka")

    def records(self, *arguments):
        return [json.loads(line) for line in self.ok("read", "s", "--format", "json", *arguments).splitlines()]

    def entries(self):
        """(offset, records) of each entry."""
        lines = self.ok("read", "s", "--binding", "raw", "--format", "json").splitlines()
        return [(line["offset"], line["record_count"]) for line in map(json.loads, lines)]

    def test_every_byte_comes_back_with_each_codec(self):
        data = bytes(range(256)) * 40 + b"\r\n\n\n" + b"x" * 1_500_000 + b"\nlast"
        for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
            with self.subTest(codec):
                self.ok("stream", "create", codec, "--binding", "kafka", "--partitions", "2")
                self.ok("append", codec, "--partition", "1", "--compression", codec, stdin=data)
                self.assertEqual(self.ok("read", codec, "--no-final-lf"), data)
                shown = self.ok("read", codec, "--binding", "raw", "--format", "raw", "--max", "1")
                result = harness.run("inspect", "batch", "-", "--json", stdin=shown)
                self.assertEqual((result.returncode, json.loads(result.stdout)["batches"][0]["codec"]), (0, codec))

    def test_key_headers_and_time(self):
        before = self.records()
        self.assertEqual(before, [])
        self.ok("append", "s", "--key", "k", "--header", "a=1", "--header", "b=", "--timestamp", "1700000000123", stdin=b"x\n")
        self.ok("append", "s", stdin=b"\xff\n")
        first, second = self.records()
        self.assertEqual(first, {"partition": 0, "offset": 0, "timestamp_ms": 1700000000123, "key": "k",
                                 "headers": [{"key": "a", "value": "1"}, {"key": "b", "value": ""}], "value": "x"})
        self.assertEqual((second["key"], second["headers"], second["value_base64"]), (None, [], "/w=="))
        self.assertGreater(second["timestamp_ms"], 1_700_000_000_123)
        self.assertEqual(self.ok("read", "s", "--format", "full", "--max", "1"),
                         b"0\t2023-11-14T22:13:20.123Z\tk\ta=1,b=\tx\n")

    def test_from_and_max_inside_a_batch(self):
        self.ok("append", "s", "--batch", "4", stdin=b"".join(b"%d\n" % i for i in range(10)))
        self.assertEqual(self.entries(), [(0, 4), (4, 4), (8, 2)])
        for start in range(10):
            self.assertEqual(self.ok("read", "s", "--from", start), b"".join(b"%d\n" % i for i in range(start, 10)))
            self.assertEqual(self.ok("read", "s", "--from", start, "--max", "3"),
                             b"".join(b"%d\n" % i for i in range(start, min(10, start + 3))))
        self.assertEqual(self.ok("read", "s", "--from", "10"), b"")
        self.assertEqual([r["offset"] for r in self.records("--from", "6", "--max", "3")], [6, 7, 8])

    def test_trim_inside_a_batch(self):
        self.ok("append", "s", "--batch", "4", stdin=b"0\n1\n2\n3\n")
        self.ok("append", "s", stdin=b"4\n")
        self.assertEqual(self.ok("trim", "s", "--before", "2"), b"trim marker 0 -> 2; asked 2\n")
        self.assertEqual(self.ok("read", "s"), b"2\n3\n4\n")
        self.assertEqual(self.ok("read", "s", "--format", "raw", "--max", "1"), b"2")

    def test_offsets_of_lines(self):
        self.ok("stream", "create", "p", "--binding", "kafka", "--partitions", "3")
        out = self.ok("append", "p", "--offsets", stdin=b"".join(b"%d\n" % i for i in range(8)))
        self.assertEqual(sorted(out.splitlines()), sorted(b"%d %d %d" % (i + 1, i % 3, i // 3) for i in range(8)))
        self.assertEqual(self.ok("append", "p", "--offsets", "--partition", "2", "--batch", "2", stdin=b"a\nb\nc\n"),
                         b"1 2 2\n2 2 3\n3 2 4\n")
        self.assertEqual(self.ok("read", "p", "--partition", "1"), b"1\n4\n7\n")

    def test_a_line_goes_at_once_unless_a_batch_is_to_be_full(self):
        writer = self.start("append", "s", "--offsets")
        for i in range(3):
            writer.stdin.write(b"x\n")
            writer.stdin.flush()
            self.assertEqual(writer.stdout.readline(), b"%d 0 %d\n" % (i + 1, i))
        writer.stdin.close()
        self.assertEqual(writer.wait(harness.TIMEOUT), 0)
        self.assertEqual(self.entries(), [(0, 1), (1, 1), (2, 1)])
        full = self.start("append", "s", "--offsets", "--batch", "2")
        full.stdin.write(b"x\n")
        full.stdin.flush()
        full.stdin.write(b"y\nz")
        full.stdin.close()
        self.assertEqual(full.stdout.read(), b"1 0 3\n2 0 4\n3 0 5\n")
        self.assertEqual(self.entries()[3:], [(3, 2), (5, 1)])

    def test_follow_sees_records(self):
        self.ok("append", "s", "--batch", "3", stdin=b"0\n1\n2\n")
        reader = self.start("read", "s", "--follow", "--from", "2", "--max", "3")
        self.assertEqual(reader.stdout.readline(), b"2\n")
        self.ok("append", "s", stdin=b"3\n4\n5\n")
        self.assertEqual(reader.stdout.read(), b"3\n4\n")
        self.assertEqual(reader.wait(harness.TIMEOUT), 0)

    def test_raw_is_one_record(self):
        summary = json.loads(self.ok("append", "s", "--raw", "--json", stdin=b"a\nb\n\0"))
        self.assertEqual((summary["acknowledged"], summary["entries"]), (1, 1))
        self.assertEqual(self.ok("read", "s", "--format", "raw"), b"a\nb\n\0")

    def test_a_payload_is_appended_as_it_is(self):
        for name, count in (("three-batches", 9), ("v2-snappy", 20), ("v2-lz4", 20), ("magic1-none", 4), ("magic0-none", 3)):
            with self.subTest(name):
                self.ok("stream", "create", name, "--binding", "kafka")
                summary = json.loads(self.ok("append", name, fixture(name), "--payload", "--json"))
                self.assertEqual((summary["acknowledged"], summary["entries"]), (count, 1))
                self.assertEqual(self.ok("read", name, "--binding", "raw", "--format", "raw"), payload(name))
                lines = [json.loads(line) for line in self.ok("read", name, "--format", "json").splitlines()]
                self.assertEqual([line["offset"] for line in lines], list(range(count)))
                self.assertEqual([line["key"] for line in lines],
                                 [None if i % 5 == 3 else f"key-{i}" for i in range(count)])

    def test_a_bad_payload_changes_nothing(self):
        for name in ("bad-crc", "bad-control", "bad-transactional", "bad-base-offset", "bad-count", "bad-truncated"):
            result = self.command("append", "s", fixture(name), "--payload", "-q")
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("batch=0", self.one_line(result))
        self.refused(1, "append", "s", "--payload", "-q", stdin=b"")
        self.assertEqual(self.entries(), [])

    def test_opaque_streams_take_no_batches(self):
        self.ok("stream", "create", "opaque", "--binding", "raw")
        for options in (["--key", "k"], ["--header", "a=b"], ["--timestamp", "1"], ["--compression", "zstd"],
                        ["--batch", "2"], ["--payload"]):
            self.assertIn("opaque", self.refused(2, "append", "opaque", *options, stdin=b"x\n"))
        self.ok("append", "opaque", stdin=b"x\n")
        self.assertEqual(self.ok("read", "opaque", "--format", "json").count(b"record_count"), 1)

    def test_entries_that_are_no_batches_are_damage(self):
        self.ok("stream", "create", "opaque", "--binding", "raw")
        self.ok("append", "opaque", stdin=b"x\n")
        self.assertIn("entry_offset=0", self.refused(5, "read", "opaque", "--binding", "kafka"))

    def test_what_is_wrong_inside_an_entry_names_the_object(self):
        self.ok("stream", "create", "opaque", "--binding", "raw")
        self.ok("append", "opaque", fixture("v2-one-record"), "--raw")
        wal = os.path.join(self.deployment, "wal")
        before = {os.path.join(folder, name) for folder, _, names in os.walk(wal) for name in names}
        self.ok("append", "opaque", fixture("bad-crc"), "--raw")
        new = {os.path.join(folder, name) for folder, _, names in os.walk(wal) for name in names} - before
        self.assertEqual(len(self.ok("read", "opaque", "--binding", "kafka", "--max", "1").splitlines()), 1)
        said = self.refused(5, "read", "opaque", "--binding", "kafka", "--from", "1")
        for part in ("checksum", "field=crc", "batch=0", "entry_offset=1", "partition=0"):
            self.assertIn(part, said)
        self.assertIn(said.split("wal_object=")[1].strip(), {os.path.relpath(path, wal) for path in new})


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
