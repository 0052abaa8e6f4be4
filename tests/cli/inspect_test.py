"""Looks inside a real deployment, whole and damaged."""

import base64
import glob
import json
import os
import subprocess
import sys
import unittest

import harness

# The examples of the specification: a WAL object, and the values of a RAW and of a PARQUET index record.
WAL = "00000013000000030000000000000007" "020005020503010102030405060708"
RAW = ("0803120e372d30303030303030312e77616c1800200128033008380840ffffff"
       "ffffffffffff0148025212080110081a0c000000020000000000008182")


class TestCase(harness.TestCase):
    def setUp(self):
        super().setUp()
        # Entries are one line each, so that their sizes are plain.
        self.ok("stream", "create", "s", "--binding", "raw")

    def json(self, *arguments, **keywords):
        return json.loads(self.ok(*arguments, "--json", **keywords))

    def objects(self):
        root = os.path.join(self.deployment, "wal")
        paths = [p for p in glob.glob(os.path.join(root, "**"), recursive=True) if os.path.isfile(p)]
        return root, sorted(p for p in paths if not p.endswith(".crc32c"))

    def log_id(self, stream="s"):
        return self.json("stream", "describe", stream)["partitions"][0]["log_id"]


class Wal(TestCase):
    def test_a_file(self):
        path = os.path.join(self.folder, "object.wal")
        with open(path, "wb") as file:
            file.write(bytes.fromhex(WAL))
        result = harness.run("inspect", "wal", path, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        shown = json.loads(result.stdout)
        self.assertEqual(shown["index_version"], 3)
        self.assertEqual(shown["sections"], [{
            "log_id": 7, "entry_count": 2, "message_count": 3, "entry_size_bytes": 8,
            "entries": [{"payload_offset": 0, "payload_size": 5, "record_count": 2},
                        {"payload_offset": 5, "payload_size": 3, "record_count": 1}]}])
        piped = harness.run("inspect", "wal", "-", "--json", stdin=bytes.fromhex(WAL))
        self.assertEqual(piped.stdout, result.stdout)
        text = harness.run("inspect", "wal", path).stdout.decode()
        self.assertIn("    payload_offset  payload_size  record_count\n"
                      "                 0             5             2\n", text)

    def test_an_object_of_the_deployment_by_key_and_by_path(self):
        self.ok("append", "s", stdin=b"ab\n\ncde\n")
        root, paths = self.objects()
        entries = []
        for path in paths:
            shown = self.json("inspect", "wal", os.path.relpath(path, root))
            self.assertEqual(shown["crc32c"], shown["stored_crc32c"])
            self.assertEqual(shown["object_size"], os.path.getsize(path))
            for section in shown["sections"]:
                self.assertEqual(section["log_id"], self.log_id())
                entries += [entry["payload_size"] for entry in section["entries"]]
            by_path = json.loads(harness.run("inspect", "wal", path, "--json").stdout)
            self.assertNotIn("stored_crc32c", by_path)
            self.assertEqual(by_path["sections"], shown["sections"])
        self.assertEqual(sorted(entries), [0, 2, 3])

    def test_an_object_without_payload_bytes(self):
        self.ok("append", "s", stdin=b"\n")
        root, paths = self.objects()
        shown = self.json("inspect", "wal", os.path.relpath(paths[0], root))
        self.assertEqual(shown["payload_region_size"], 0)

    def test_damage_is_named_and_what_is_left_is_shown(self):
        self.ok("append", "s", stdin=b"abc\n")
        root, [path] = self.objects()
        key = os.path.relpath(path, root)
        with open(path, "r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"X")
        result = self.command("inspect", "wal", key, "--json")
        self.assertEqual(result.returncode, 5, result.stderr)
        shown = json.loads(result.stdout)
        self.assertIn("checksum", shown["error"])
        self.assertNotEqual(shown["crc32c"], shown["stored_crc32c"])
        self.assertEqual(len(shown["sections"]), 1)
        self.assertIn(key.encode(), result.stderr)
        with open(path, "r+b") as file:
            file.truncate(9)
        result = self.command("inspect", "wal", key)
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn(b"object_size    9\n", result.stdout)
        self.assertIn(b"field=index_length offset=0", result.stderr)

    def test_what_is_not_there(self):
        self.assertIn("key=nothing", self.refused(4, "inspect", "wal", "nothing"))
        result = harness.run("inspect", "wal", "nothing", cwd=self.folder)
        self.assertEqual(result.returncode, 4)
        self.assertIn("--deployment", self.one_line(result))
        result = harness.run("inspect", "wal", self.folder)
        self.assertEqual(result.returncode, 2)
        self.one_line(result)


class Index(TestCase):
    def test_the_value_from_hex_base64_file_and_pipe(self):
        path = os.path.join(self.folder, "value")
        with open(path, "wb") as file:
            file.write(bytes.fromhex(RAW))
        shown = json.loads(harness.run("inspect", "index", "--hex", RAW, "--json").stdout)
        self.assertEqual(shown, {
            "version": 3, "location": "7-00000001.wal", "file_type": "RAW", "index_type": "COMPACT",
            "message_count": 3, "entry_size_bytes": 8, "file_size": 8, "offset_in_file": -1, "entry_count": 2,
            "entry_offsets": {"compression_type": "FastPFOR", "uncompressed_size": 8, "compressed_payload_size": 12,
                              "entry_ends": [2, 3]}})
        for arguments in (["--base64", base64.b64encode(bytes.fromhex(RAW)).decode()], [path]):
            result = harness.run("inspect", "index", *arguments, "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout), shown)
        piped = harness.run("inspect", "index", "-", "--json", stdin=bytes.fromhex(RAW))
        self.assertEqual(json.loads(piped.stdout), shown)

    def test_a_record_by_its_key(self):
        self.ok("append", "s", stdin=b"ab\n")
        key = f"{self.log_id():020}-{1:020}-{2:020}"
        shown = self.json("inspect", "index", key)
        self.assertEqual((shown["log_id"], shown["start_offset"], shown["end_offset"], shown["cumulative_size"]),
                         (self.log_id(), 0, 1, 2))
        self.assertEqual((shown["partition"], shown["kind"]), (str(self.log_id()), "index_record"))
        self.assertEqual((shown["value"]["message_count"], shown["value"]["entry_size_bytes"]), (1, 2))
        self.assertTrue(os.path.isfile(os.path.join(self.deployment, "wal", shown["value"]["location"])))
        self.assertIn("nothing", self.refused(4, "inspect", "index", "nothing"))
        self.refused(4, "inspect", "index", f"{self.log_id():020}-{9:020}-{9:020}")

    def test_damage(self):
        result = harness.run("inspect", "index", "--hex", RAW[:20], "--json")
        self.assertEqual(result.returncode, 5)
        self.assertEqual(json.loads(result.stdout)["version"], 3)
        self.assertIn(b"offset=", result.stderr)
        for bad in (["--hex", "0"], ["--hex", "xy"], ["--base64", "A"]):
            result = harness.run("inspect", "index", *bad)
            self.assertEqual(result.returncode, 2)
            self.one_line(result)


class Meta(TestCase):
    def test_records_of_a_stream(self):
        self.ok("append", "s", stdin=b"a\nb\n")
        self.ok("append", "s", stdin=b"c\n")
        self.ok("trim", "s", "--before", "2")
        log = self.log_id()
        marker = self.json("inspect", "meta", f"/mark-deleted-offsets/{log}")
        self.assertEqual((marker["kind"], marker["partition"]), ("trim_marker", str(log)))
        self.assertEqual(marker["value"], {"offset": 2})
        config = self.json("inspect", "meta", "/admin/streams/default/s")
        self.assertEqual((config["kind"], config["value"]["partitions"]), ("stream_config", 1))
        self.assertEqual(config["value"]["properties"], {"lakestream.binding": "raw"})
        self.assertEqual(self.json("inspect", "meta", "/streams/default/s-partition-0")["value"]["streamId"], log)
        deployment = self.json("inspect", "meta", "/lakestream/deployment")
        self.assertEqual(deployment["value"]["format_version"], 3)
        text = self.ok("inspect", "meta", f"/mark-deleted-offsets/{log}").decode()
        self.assertRegex(text, r"(?m)^created_ms +\d+  \d{4}-\d\d-\d\dT")
        self.assertIn("value\n  offset  2\n", text)

    def test_listings(self):
        self.ok("append", "s", stdin=b"a\n")
        lines = [json.loads(line) for line in self.ok("inspect", "meta", "--json").splitlines()]
        kinds = {line["kind"] for line in lines}
        self.assertLessEqual({"index_record", "deployment", "namespace", "stream_config", "partition", "log_id_mapping",
                              "log_registration", "log_id_generator"}, kinds)
        self.assertNotIn("unknown", kinds)
        prefix = f"{self.log_id():020}-"
        some = self.ok("inspect", "meta", "--keys", prefix).decode().splitlines()
        self.assertTrue(some[0].startswith("KIND"))
        self.assertTrue(all(prefix in line for line in some[1:]) and len(some) == 2, some)
        none = self.command("inspect", "meta", "--keys", "/nothing")
        self.assertEqual((none.returncode, none.stdout), (0, b""))
        self.assertIn("--keys", self.refused(4, "inspect", "meta", "/nothing"))

    def test_a_lease_names_its_process(self):
        writer = self.start("append", "s", "--offsets")
        writer.stdin.write(b"a\n")
        writer.stdin.flush()
        self.assertEqual(writer.stdout.readline(), b"1 0 0\n")
        [lease] = self.json("stream", "describe", "s")["leases"]
        self.assertEqual((lease["partition"], lease["process"]), (0, writer.pid))
        key = f"/stream-write-leases/{self.log_id()}/{lease['token']}"
        record = self.json("inspect", "meta", key)
        self.assertEqual((record["kind"], record["process"], record["session"], record["value"]),
                         ("write_lease", writer.pid, lease["session"], {"token": lease["token"]}))
        writer.kill()
        writer.wait()
        self.assertEqual(self.json("stream", "describe", "s")["leases"], [])
        self.refused(4, "inspect", "meta", key)


class Describe(TestCase):
    def test_json_and_text(self):
        self.ok("stream", "create", "p", "--partitions", "2", "--binding", "raw")
        self.ok("append", "p", "--partition", "1", stdin=b"a\nbc\n")
        self.ok("append", "p", "--partition", "1", stdin=b"def\n")
        self.ok("trim", "p", "--partition", "1", "--before", "2")
        shown = self.json("stream", "describe", "p")
        self.assertEqual((shown["namespace"], shown["name"], shown["state"]), ("default", "p", "active"))
        self.assertEqual(shown["properties"], {"lakestream.binding": "raw"})
        empty, full = shown["partitions"]
        self.assertEqual((empty["partition"], empty["first_offset"], empty["end_offset"], empty["last_append_ms"]),
                         (0, 0, 0, None))
        self.assertEqual((full["first_offset"], full["end_offset"], full["trim_marker"]), (2, 3, 2))
        self.assertEqual((full["entries"], full["payload_bytes"], full["cumulative_size"]), (3, 6, 6))
        self.assertEqual((full["fenced"], full["leases"], full["damaged_records"]), (False, 0, 0))
        self.assertGreaterEqual(full["index_records"], 2)
        text = self.ok("stream", "describe", "p").decode()
        self.assertIn("\n  partition  log_id  first_offset  end_offset ", text)
        self.assertIn("leases     none\n", text)
        self.assertIn("stream=x", self.refused(4, "stream", "describe", "x"))


class Damage(TestCase):
    def test_read_of_a_damaged_object_ends_with_5(self):
        self.ok("append", "s", stdin=b"abcdef\n")
        _, [path] = self.objects()
        with open(path, "r+b") as file:
            file.seek(-1, os.SEEK_END)
            byte = file.read(1)
            file.seek(-1, os.SEEK_END)
            file.write(bytes([byte[0] ^ 1]))
        line = self.refused(5, "read", "s")
        self.assertIn("checksum", line)
        self.assertIn(os.path.basename(path), line)

    def test_read_of_a_missing_object_ends_with_5(self):
        self.ok("append", "s", stdin=b"abcdef\n")
        _, [path] = self.objects()
        os.remove(path)
        self.assertIn(os.path.basename(path), self.refused(5, "read", "s"))


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
