"""Checks deployments that are whole and deployments that were damaged in their files."""

import glob
import json
import os
import subprocess
import sys
import unittest

import harness


class TestCase(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.ok("stream", "create", "s", "--partitions", "2", "--binding", "raw")

    def objects(self):
        root = os.path.join(self.deployment, "wal")
        paths = [p for p in glob.glob(os.path.join(root, "**"), recursive=True) if os.path.isfile(p)]
        return sorted(p for p in paths if not p.endswith(".crc32c"))

    def fsck(self, *arguments, code=0):
        """The kinds that were found, as often as they were, and the whole report."""
        result = self.command("fsck", "--json", *arguments)
        self.assertEqual((result.returncode, result.stderr), (code, b""), result.stdout)
        report = json.loads(result.stdout)
        found = report["findings"]
        self.assertEqual(report["damage"], sum(f["severity"] == "damage" for f in found))
        self.assertEqual(report["notes"], sum(f["severity"] == "note" for f in found))
        return sorted(f["kind"] for f in found), report


class Fsck(TestCase):
    def test_a_clean_deployment(self):
        self.assertEqual(self.fsck()[0], [])
        self.ok("append", "s", stdin=b"a\nb\nc\n")
        self.ok("append", "s", "--partition", "0", stdin=b"d\n")
        self.ok("trim", "s", "--partition", "0", "--before", "2")
        for deep in ([], ["--deep"]):
            kinds, report = self.fsck(*deep)
            self.assertEqual(kinds, [])
            self.assertEqual(report["objects"], len(self.objects()))
            self.assertEqual((report["logs"], report["sections"]), (2, report["index_records"]))
            size = sum(os.path.getsize(path) for path in self.objects())
            self.assertEqual(report["bytes_read"], size if deep else 0)
        text = self.ok("fsck").decode()
        self.assertRegex(text, r"^\d+ records \(\d+ index records? of 2 logs\) and \d+ objects? .*: nothing is damaged\n$")

    def test_a_missing_object(self):
        self.ok("append", "s", "--partition", "1", stdin=b"a\nb\n")
        lost = self.objects()
        for path in lost:
            os.remove(path)
        kinds, report = self.fsck(code=5)
        self.assertEqual(set(kinds), {"missing_object"})
        keys = {os.path.relpath(path, os.path.join(self.deployment, "wal")) for path in lost}
        self.assertEqual({f["object"] for f in report["findings"]}, keys)
        result = self.command("fsck")
        self.assertEqual((result.returncode, result.stderr), (5, b""))
        lines = result.stdout.decode().splitlines()
        self.assertTrue(lines[0].startswith("damage: an index record names an object that is not there record="), lines)
        self.assertIn("damaged in", lines[-1])

    def test_cut_and_flipped_objects(self):
        self.ok("append", "s", "--partition", "0", "--raw", stdin=bytes(300_000))
        [path] = self.objects()
        # A block that the header does not touch: only reading everything finds it.
        with open(path, "r+b") as file:
            file.seek(250_000)
            file.write(b"X")
        self.assertEqual(self.fsck()[0], [])
        kinds, report = self.fsck("--deep", code=5)
        self.assertEqual(kinds, ["damaged_object"])
        self.assertIn("checksum", report["findings"][0]["why"])
        os.truncate(path, 200_000)
        kinds, report = self.fsck(code=5)
        self.assertEqual(kinds, ["section_mismatch", "unreadable_object"])

    def test_an_object_without_a_checksum(self):
        self.ok("append", "s", "--partition", "0", stdin=b"a\n")
        [path] = self.objects()
        os.removexattr(path, "user.lakestream.crc32c")
        self.assertEqual(self.fsck()[0], [])
        self.assertEqual(self.fsck("--deep")[0], ["unchecked_object"])

    def test_files_that_no_record_names(self):
        self.ok("append", "s", "--partition", "0", stdin=b"a\n")
        [path] = self.objects()
        name = os.path.basename(path)
        other = os.path.join(os.path.dirname(path), name[:-1] + ("0" if name[-1] != "0" else "1"))
        with open(path, "rb") as source, open(other, "wb") as target:
            target.write(source.read())
        with open(os.path.join(self.deployment, "wal", "README"), "w", encoding="utf-8") as file:
            file.write("what is this")
        # An index record may still come for what was written just now.
        self.assertEqual(self.fsck()[0], ["foreign_object"])
        for age, kind in ((3600, "young_object_in_no_index"), (90_000, "object_in_no_index")):
            stat = os.stat(other)
            os.utime(other, (stat.st_atime, os.stat(path).st_mtime - age))
            self.assertEqual(self.fsck()[0], ["foreign_object", kind])

    def test_damaged_metadata(self):
        self.ok("append", "s", stdin=b"a\nb\n")
        path = os.path.join(self.deployment, "meta", "data.mdb")
        with open(path, "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(data.replace(b"lakestream.binding", b"Lakestream.binding"))
        kinds, report = self.fsck(code=5)
        self.assertEqual(kinds, ["metadata_store"])
        self.assertIn("why", report["findings"][0])

    def test_while_others_write(self):
        writer = self.start("append", "s", stderr=subprocess.DEVNULL)
        for _ in range(5):
            for _ in range(200):
                writer.stdin.write(b"some line\n")
            writer.stdin.flush()
            self.assertEqual(self.fsck()[0], [])
        writer.stdin.close()
        self.assertEqual(writer.wait(timeout=harness.TIMEOUT), 0)
        self.assertEqual(self.fsck("--deep")[0], [])

    def test_what_is_not_there(self):
        result = harness.run("fsck", "--deployment", os.path.join(self.folder, "none"))
        self.assertEqual(result.returncode, 4)
        self.one_line(result)
        result = harness.run("fsck", "--json", "--deployment", os.path.join(self.folder, "none"))
        self.assertEqual(result.returncode, 4)
        self.assertEqual(json.loads(result.stdout)["findings"], [])
        self.assertIn("no deployment", json.loads(result.stdout)["error"])


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
