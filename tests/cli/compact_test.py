"""lakestream compact: what becomes Parquet, and that readers never notice."""

import glob
import json
import os
import signal
import sys
import time
import unittest

import harness


class TestCase(harness.TestCase):
    def compact(self, *arguments, **options):
        return self.ok("compact", *arguments, **options).decode()

    def outcomes(self, *arguments):
        return [json.loads(line) for line in self.compact("--json", *arguments).splitlines()]

    def files(self, kind="parquet"):
        return sorted(glob.glob(f"{self.deployment}/compacted/**/*.{kind}", recursive=True))

    def kinds(self):
        text = self.ok("inspect", "meta", "--keys").decode()
        keys = [line.split()[-1] for line in text.splitlines() if line.startswith("index_record")]
        values = [json.loads(self.ok("inspect", "index", key, "--json")) for key in keys]
        return [value["value"]["file_type"] for value in values]


class Compact(TestCase):
    def test_everything_now_and_readers_never_notice(self):
        self.ok("stream", "create", "s", "--partitions", "2")
        for part in range(2):
            for block in range(3):
                lines = "".join(f"{part} {block} {i}\n" for i in range(500)).encode()
                self.ok("append", "s", "--partition", str(part), stdin=lines)
        before = self.ok("read", "s", "--format", "json")
        self.assertEqual(self.kinds(), ["RAW"] * 6)

        self.assertIn("s/0: compact: a small range costs nothing", self.compact("--now", "--dry-run"))
        text = self.compact("--now")
        self.assertRegex(text, r"s/0: compacted 0 to 1000: \d+ entr\w+ of .* into 1 file of .* \(at once\)")
        self.assertRegex(text, r"\n2 logs: 4 ranges compacted, .* into 4 files of ")
        self.assertEqual(self.kinds(), ["PARQUET"] * 4)
        self.assertEqual((len(self.files()), len(self.files("index"))), (4, 4))
        self.assertEqual(self.ok("read", "s", "--format", "json"), before)
        for file in self.files():
            self.ok("inspect", "compacted", file)
        # From within a batch, and across the border of two records.
        self.assertEqual(self.ok("read", "s", "--partition", "1", "--from", "998", "--max", "4").decode(),
                         "1 1 498\n1 1 499\n1 2 0\n1 2 1\n")
        self.assertEqual(self.compact("--now"), "2 logs: 0 ranges compacted, 0 B into 0 files of 0 B\n")
        # Appends go on from where they were.
        self.ok("append", "s", "--partition", "0", stdin=b"last\n")
        self.assertEqual(self.ok("read", "s", "--partition", "0", "--from", "1499").decode(), "0 2 499\nlast\n")
        done = self.outcomes("--now", "--stream", "s")
        self.assertEqual([one["end_offset"] for one in done if one["outcome"] == "compacted"], [1501])
        self.assertIn(b"nothing is damaged", self.ok("fsck", "--deep"))

    def test_small_and_young_ranges_are_left(self):
        self.ok("stream", "create", "s")
        for _ in range(3):
            self.ok("append", "s", stdin=b"a\n")
        self.assertEqual(self.compact(), "1 log: 0 ranges compacted, 0 B into 0 files of 0 B\n")
        self.assertIn("s/0: nothing: the range is still small, and costs little", self.compact("--dry-run"))
        plan = json.loads(self.compact("--dry-run", "--json"))
        self.assertEqual((plan["stream"], plan["partition"], plan["record"]), ("s", 0, "idle"))
        self.assertEqual(self.kinds(), ["RAW"] * 3)

    def test_only_the_named_streams(self):
        for name in ("a", "b", "c"):
            self.ok("stream", "create", name)
            self.ok("append", name, stdin=name.encode() + b"\n")
        done = self.outcomes("--now", "--stream", "a", "--stream", "c", "--stream", "a")
        compacted = [one["stream"] for one in done if one["outcome"] == "compacted"]
        self.assertEqual(sorted(compacted), ["a", "c"])
        self.assertEqual(sorted(self.kinds()), ["PARQUET", "PARQUET", "RAW"])
        self.refused(4, "compact", "--stream", "none")

    def test_raw_streams_have_files_of_their_own_binding(self):
        self.ok("stream", "create", "raw", "--binding", "raw")
        self.ok("append", "raw", stdin=b"\x00\xff\nplain\n")
        self.compact("--now")
        shown = json.loads(self.ok("inspect", "compacted", self.files()[0], "--json"))
        self.assertEqual((shown["binding"], shown["root_name"]), ("raw", "LakestreamEntry"))
        self.assertEqual(self.ok("read", "raw", "--format", "hex"), b"00ff\n706c61696e\n")
        partition = json.loads(self.ok("stream", "describe", "raw", "--json"))["partitions"][0]
        self.assertEqual((partition["entries"], partition["payload_bytes"], partition["end_offset"]), (None, 7, 2))
        self.assertIn("  entries          -\n", self.ok("stream", "describe", "raw").decode())

    def test_what_is_trimmed_is_removed_first(self):
        self.ok("stream", "create", "s", "--binding", "raw")
        for block in range(4):
            self.ok("append", "s", stdin=f"{block}\n".encode())
        self.ok("trim", "s", "--before", "2")
        done = self.outcomes("--now")
        self.assertEqual([one["outcome"] for one in done][:2], ["trimmed", "compacted"])
        self.assertEqual(self.ok("read", "s"), b"2\n3\n")

    def test_a_missing_object_is_passed_over_and_named(self):
        self.ok("stream", "create", "s", "--binding", "raw")
        for block in range(4):
            self.ok("append", "s", stdin=f"{block}\n".encode())
        keys = [line.split()[-1] for line in self.ok("inspect", "meta", "--keys").decode().splitlines()]
        key = next(key for key in keys if "-00000000000000000002-" in key)
        record = json.loads(self.ok("inspect", "index", key, "--json"))
        os.remove(f"{self.deployment}/wal/{record['value']['location']}")
        result = self.command("compact", "--now")
        self.assertEqual(result.returncode, 5)
        self.assertIn(b"entries cannot be read and stay as they are", result.stderr)
        self.assertIn(b"from=1 to=2", result.stderr)
        self.assertEqual(self.kinds(), ["PARQUET", "RAW", "PARQUET", "PARQUET"])
        self.assertEqual(self.command("compact", "--now").returncode, 0)
        self.assertEqual(self.ok("read", "s", "--from", "2"), b"2\n3\n")

    def test_wrong_use(self):
        self.refused(2, "compact", "--watch", "--dry-run")


class Watch(TestCase):
    def compacted_files(self):
        return {name for _, _, names in os.walk(f"{self.deployment}/compacted") for name in names}

    def test_it_goes_on_until_a_signal(self):
        self.ok("stream", "create", "s", "--binding", "raw")
        self.ok("append", "s", stdin=b"a\n")
        watch = self.start("compact", "--watch", "--now", "--json")
        self.assertEqual(json.loads(watch.stdout.readline())["outcome"], "compacted")
        watch.send_signal(signal.SIGTERM)
        watch.communicate(timeout=harness.TIMEOUT)
        self.assertEqual(watch.returncode, 128 + signal.SIGTERM)

    def test_another_process_takes_over_what_a_killed_one_left(self):
        self.ok("stream", "create", "s", "--binding", "raw")
        log = json.loads(self.ok("stream", "describe", "s", "--json"))["partitions"][0]["log_id"]
        left = {"working": 0, "installing": 0, "idle": 0}
        for number in range(30):
            self.ok("append", "s", stdin=b"line\n" * 2000)
            files = self.compacted_files()
            began = time.monotonic()
            compactor = self.start("compact", "--now")
            if number == 0:
                compactor.wait(harness.TIMEOUT)
                whole = time.monotonic() - began
            elif number % 2 == 0:
                time.sleep(whole * number / 20)  # somewhere in its work, wherever that is
            else:
                while self.compacted_files() == files and compactor.poll() is None:
                    pass
            compactor.kill()
            compactor.wait(harness.TIMEOUT)
            record = self.command("inspect", "meta", f"/lakestream/compaction/{log}", "--json")
            if record.returncode == 0:
                left[json.loads(record.stdout)["value"]["state"]] += 1
            self.assertEqual(self.ok("read", "s").count(b"line\n"), 2000 * (number + 1))
        print("kills left the record", left)
        self.assertGreater(left["working"] + left["installing"], 3)
        self.compact("--now")
        self.assertEqual(set(self.kinds()), {"PARQUET"})
        self.assertEqual(self.ok("read", "s"), b"line\n" * 60_000)
        self.assertIn(b"nothing is damaged", self.ok("fsck", "--deep"))


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
