"""lakestream retain: streams keep what they ask for, to the entry, and the rest goes."""

import glob
import json
import os
import signal
import sys
import time
import unittest

import harness


class TestCase(harness.TestCase):
    def fill(self, name="s", appends=6, binding="raw"):
        """One entry of 10 bytes and one record for each append."""
        self.ok("stream", "create", name, "--binding", binding)
        for number in range(appends):
            self.ok("append", name, stdin=f"line {number:05}\n".encode())

    def retain(self, *arguments):
        return self.ok("retain", *arguments).decode()

    def outcomes(self, *arguments):
        return [json.loads(line) for line in self.retain("--json", *arguments).splitlines()]

    def ends(self):
        text = self.ok("inspect", "meta", "--keys").decode()
        keys = [line.split()[-1] for line in text.splitlines() if line.startswith("index_record")]
        return [int(key.split("-")[1]) for key in keys]

    def files(self):
        return [path for path in glob.glob(f"{self.deployment}/compacted/**/*", recursive=True) if os.path.isfile(path)]


class Retain(TestCase):
    def test_bytes_records_and_time(self):
        self.fill()
        self.assertEqual(self.retain(), "1 log: trimmed 0 records of 0 B, removed 0 index records and 0 files\n")
        self.ok("stream", "set", "s", "retention.bytes=45")
        self.assertEqual(self.retain(), "s/0: trimmed 1 record of 10 B, up to 1 (bytes); keeps 5 of 50 B; "
                                        "removed 1 index record and 0 files of 10 B\n"
                                        "1 log: trimmed 1 record of 10 B, removed 1 index record and 0 files\n")
        self.ok("stream", "set", "s", "lakestream.retention.records=3")
        outcome = self.outcomes()[0]
        self.assertEqual((outcome["outcome"], outcome["trim_marker_before"], outcome["trim_marker"], outcome["reason"]),
                         ("trimmed", 1, 3, "records"))
        self.assertEqual((outcome["kept_records"], outcome["kept_bytes"]), (3, 30))
        self.ok("stream", "set", "s", "retention.ms=86400000")
        self.assertEqual(self.outcomes()[0]["outcome"], "kept")
        time.sleep(0.01)
        self.ok("stream", "set", "s", "retention.ms=1")
        outcome = self.outcomes()[0]
        self.assertEqual((outcome["trim_marker"], outcome["reason"], outcome["last_record_stays"]), (5, "time", True))
        self.assertEqual(self.ends(), [6])
        self.assertEqual(self.ok("read", "s").count(b"\n"), 1)
        # Appends go on from where they were.
        self.ok("append", "s", stdin=b"0123456789\n")
        self.assertEqual(self.ends(), [6, 7])
        self.assertIn(b"nothing is damaged", self.ok("fsck", "--deep"))

    def test_compacted_ranges_to_the_entry_and_files_with_them(self):
        self.fill()
        self.ok("compact", "--now")
        self.assertEqual(self.ends(), [5, 6])
        before = self.ok("read", "s", "--format", "json").splitlines()
        self.ok("stream", "set", "s", "retention.bytes=31")
        self.assertEqual(self.outcomes()[0]["trim_marker"], 2)
        self.assertEqual(self.ok("read", "s", "--format", "json").splitlines(), before[2:])
        self.assertEqual(len(self.files()), 4)
        self.ok("stream", "set", "s", "retention.bytes=10")
        outcome = self.outcomes()[0]
        self.assertEqual((outcome["trim_marker"], outcome["removed_index_records"], outcome["removed_files"]), (5, 1, 1))
        self.assertEqual(len(self.files()), 2)
        self.assertEqual(self.ok("read", "s", "--format", "json").splitlines(), before[5:])
        self.assertIn(b"nothing is damaged", self.ok("fsck", "--deep"))

    def test_a_dry_run_changes_nothing(self):
        self.fill()
        self.assertIn("s/0: has no retention\n", self.retain("--dry-run"))
        self.ok("stream", "set", "s", "retention.bytes=1000")
        self.assertIn("s/0: keeps all: 6 records of 60 B\n", self.retain("--dry-run"))
        self.ok("stream", "set", "s", "retention.bytes=20")
        text = self.retain("--dry-run")
        self.assertIn("s/0: would trim 4 records of 40 B, up to 4 (bytes); keeps 2 of 20 B; would remove 4 index", text)
        self.assertEqual(self.ends(), [1, 2, 3, 4, 5, 6])
        self.assertEqual(self.ok("read", "s").count(b"\n"), 6)

    def test_only_the_named_streams(self):
        for name in ("a", "b", "c"):
            self.fill(name, 3)
            self.ok("stream", "set", name, "lakestream.retention.records=1")
        done = self.outcomes("--stream", "a", "--stream", "c", "--stream", "a")
        self.assertEqual(sorted(one["stream"] for one in done), ["a", "c"])
        self.assertEqual(self.ok("read", "b").count(b"\n"), 3)
        self.refused(4, "retain", "--stream", "none")

    def test_what_was_trimmed_by_hand_is_removed(self):
        self.fill()
        self.ok("trim", "s", "--before", "3")
        self.assertEqual(self.retain().splitlines()[0], "s/0: removed 3 index records and 0 files of 30 B")
        self.assertEqual(self.ends(), [4, 5, 6])

    def test_damage_stops_no_other_stream(self):
        self.fill("bad", 4)
        self.fill("good", 3)
        self.ok("compact", "--now")
        for name in ("bad", "good"):
            self.ok("stream", "set", name, "lakestream.retention.records=2")
        for file in self.files():
            if "/bad" in file and file.endswith(".index"):
                os.remove(file)
        result = self.command("retain")
        self.assertEqual(result.returncode, 5)
        self.assertIn(b"stream=bad", result.stderr)
        self.assertIn(b"good/0: trimmed 1 record", result.stdout)
        self.assertEqual(self.ok("stream", "describe", "bad", "--json").count(b'"trim_marker":0'), 1)

    def test_wrong_use(self):
        self.refused(2, "retain", "--watch", "--dry-run")


class RetainWatch(TestCase):
    def test_it_goes_on_until_a_signal(self):
        self.fill()
        self.ok("stream", "set", "s", "lakestream.retention.records=1")
        watch = self.start("retain", "--watch", "--json")
        self.assertEqual(json.loads(watch.stdout.readline())["trim_marker"], 5)
        watch.send_signal(signal.SIGTERM)
        watch.communicate(timeout=harness.TIMEOUT)
        self.assertEqual(watch.returncode, 128 + signal.SIGTERM)


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
