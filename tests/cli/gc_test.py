"""Collects garbage of a deployment whose grace is short."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest

import harness

# Ten times the two deadlines. Passes are made until the grace has passed, however long that takes here.
GRACE = 5
TIMES = f'[times]\npublish_deadline = "300ms"\nindex_deadline = "200ms"\ngrace = "{GRACE}s"\n'
LONGEST = 120


class Gc(harness.TestCase):
    def setUp(self):
        super().setUp()
        config = os.path.join(self.folder, "here.toml")
        with open(config, "w", encoding="utf-8") as file:
            for key, scheme in (("metadata", "lmdb"), ("wal", "file"), ("compacted", "file")):
                file.write(f'{key} = "{scheme}://{self.folder}/{key}"\n')
            file.write(TIMES)
        self.deployment = config
        self.ok("stream", "create", "s", "--binding", "raw")
        self.ok("append", "s", stdin=b"a\n")

    def objects(self, root="wal"):
        found = []
        for folder, _, names in os.walk(os.path.join(self.folder, root)):
            found += [os.path.relpath(os.path.join(folder, name), os.path.join(self.folder, root)) for name in names]
        return sorted(name for name in found if not name.endswith(".crc32c"))

    def orphan(self):
        """A WAL object that nothing names, as a PUT leaves it that was tried again."""
        name = self.objects()[0][:-12] + "0" * 12
        with open(os.path.join(self.folder, "wal", name), "wb") as file:
            file.write(b"nothing names this")
        return name

    def gc(self, *arguments):
        """The objects that are told of, and the report."""
        lines = [json.loads(line) for line in self.ok("gc", "--json", *arguments).splitlines()]
        outcome = "would be deleted" if "--dry-run" in arguments else "deleted"
        for line in lines[:-1]:
            self.assertEqual(line["outcome"], outcome)
        return [line["object"] for line in lines[:-1]], lines[-1]

    def test_garbage_goes_and_entries_stay(self):
        [named] = self.objects()
        orphan = self.orphan()
        began = time.monotonic()
        deleted = []
        while not deleted:
            self.assertLess(time.monotonic() - began, LONGEST)
            deleted, report = self.gc()
            self.assertEqual(report["wal"]["all"]["objects"], 2)
        self.assertGreater(time.monotonic() - began, 2 * GRACE, "older than the grace, then unnamed for the grace")
        self.assertEqual(deleted, ["wal/" + orphan])
        self.assertEqual(report["wal"]["deleted"], {"objects": 1, "bytes": 18})
        self.assertEqual(self.objects(), [named])
        self.assertEqual(self.objects("compacted"), [])
        self.assertEqual(self.ok("read", "s"), b"a\n")
        self.assertEqual(json.loads(self.ok("fsck", "--deep", "--json"))["findings"], [])
        self.assertRegex(self.ok("gc").decode(), r"^1 objects of \d+ B: 1 named, 0 young, 0 \(0 B\) waiting, 0 \(0 B\) deleted")

    def test_what_unfinished_uploads_left_goes(self):
        folder = os.path.join(self.folder, "compacted", ".tmp")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "half"), "wb") as file:
            file.write(b"half a file")
        began = time.monotonic()
        while True:
            self.assertLess(time.monotonic() - began, LONGEST)
            _, report = self.gc()
            if report["compacted"]["leftovers"]["objects"]:
                break
        self.assertGreater(time.monotonic() - began, GRACE)
        self.assertEqual(report["compacted"]["leftovers"], {"objects": 1, "bytes": 11})
        self.assertEqual(os.listdir(folder), [])

    def test_what_is_young_or_named_or_foreign(self):
        [named] = self.objects()
        orphan = self.orphan()
        with open(os.path.join(self.folder, "wal", "notes.txt"), "w", encoding="utf-8") as file:
            file.write("mine")
        told, report = self.gc("--dry-run")
        self.assertEqual((told, report["pass"], report["wal"]["foreign"]), ([], 0, {"objects": 1, "bytes": 4}))
        self.assertIn(": named, by 0000", self.ok("gc", "--explain", "wal/" + named).decode())
        young = json.loads(self.ok("gc", "--json", "--explain", "wal/" + orphan))
        self.assertEqual((young["verdict"], young["not_before_ms"] - young["modified_ms"]), ("young", 2000 * GRACE))
        self.assertIn("foreign", self.ok("gc", "--explain", "wal/notes.txt").decode())
        self.assertEqual(self.command("gc", "--explain", "wal/other").returncode, 4)
        self.assertIn("an object is named by", self.refused(2, "gc", "--explain", "notes.txt"))
        self.assertIn("one of", self.refused(2, "gc", "--dry-run", "--watch"))

    def test_a_watch_collects_what_a_drop_leaves_and_ends_in_order(self):
        self.ok("stream", "drop", "s")
        watch = self.start("gc", "--watch", "--json", stdout=subprocess.PIPE)
        began = time.monotonic()
        for line in watch.stdout:  # until the report of a pass that deleted something
            if json.loads(line).get("wal", {}).get("deleted", {}).get("objects"):
                break
            self.assertLess(time.monotonic() - began, LONGEST)
        watch.send_signal(signal.SIGTERM)
        watch.stdout.read()
        self.assertEqual(watch.wait(), 128 + signal.SIGTERM)
        self.assertEqual(self.objects(), [])

    def test_a_hold_keeps_it(self):
        orphan = self.orphan()
        self.ok("hold", "add", "audit", "--reason", "a look at it")
        began = time.monotonic()
        while True:
            self.assertLess(time.monotonic() - began, LONGEST)
            told, report = self.gc()
            self.assertEqual((told, report["holds"]), ([], ["audit"]))
            if report["wal"]["garbage"]["objects"] == 1:
                break
        self.assertIn(orphan, self.objects())
        self.assertIn("nothing is deleted while there are holds: audit", self.ok("gc").decode())
        self.ok("hold", "release", "audit")
        self.assertEqual(self.gc()[0], ["wal/" + orphan])


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
