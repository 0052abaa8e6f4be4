"""lakestream run: background jobs of several processes on one deployment, beside appends, and how they end."""

import glob
import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import harness

SHIFT = 7200  # seconds; a log without an append for an hour is compacted however small it is


class Jobs:
    """A process of `lakestream run` and the lines that it has written."""

    def __init__(self, test, *arguments, shift=0):
        env = harness.preloading(os.environ["LAKESTREAM_CLOCK"], SHIFT_CLOCK_SECONDS=str(shift))
        self.process = harness.start("run", test.deployment, *arguments, stdin=subprocess.DEVNULL, env=env)
        test.addCleanup(test._end, self.process)
        self.lines = []
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stderr:
            with self._changed:
                self.lines.append(line.decode().rstrip("\n"))
                self._changed.notify_all()

    def wait_for(self, *parts, times=1):
        """Until so many lines hold all parts; the last of them."""
        def found():
            return [line for line in self.lines if all(part in line for part in parts)]
        with self._changed:
            if not self._changed.wait_for(lambda: len(found()) >= times, harness.TIMEOUT):
                raise AssertionError(f"no {times} lines with {parts}:\n" + "\n".join(self.lines))
            return found()[times - 1]

    def stop(self, number=signal.SIGTERM):
        """Asks it to end. How long that took, in seconds."""
        asked = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(harness.TIMEOUT)
        return time.monotonic() - asked


def number(line, name):
    return int(line.split(f" {name}=")[1].split()[0])


class TestCase(harness.TestCase):
    def keys(self):
        text = self.ok("inspect", "meta", "--keys").decode()
        return [line.split()[-1] for line in text.splitlines()]

    def index(self, log):
        """The file types of its records; none while others change them."""
        shown = [self.command("inspect", "index", key, "--json")
                 for key in self.keys() if key.startswith(f"{log:020}-")]
        if any(one.returncode != 0 for one in shown):
            return None
        return [json.loads(one.stdout)["value"]["file_type"] for one in shown]

    def log(self, stream):
        return json.loads(self.ok("stream", "describe", stream, "--json"))["partitions"][0]["log_id"]

    def files(self):
        return glob.glob(f"{self.deployment}/compacted/**/*.parquet", recursive=True)

    def until(self, condition, what):
        """Looks again and again, as an operator would."""
        deadline = time.monotonic() + harness.TIMEOUT
        while not condition():
            self.assertLess(time.monotonic(), deadline, what)


class Run(TestCase):
    def fill(self, stream, appends):
        self.ok("stream", "create", stream, "--binding", "raw")
        for i in range(appends):
            self.ok("append", stream, stdin=f"{i:09}\n".encode())

    def test_two_processes_do_it_all_beside_appends(self):
        self.fill("old", 4)
        self.fill("kept", 6)
        self.ok("stream", "create", "busy", "--binding", "raw")
        old, kept = self.log("old"), self.log("kept")
        self.ok("stream", "set", "kept", "lakestream.retention.records=2")
        before = self.ok("read", "old", "--format", "json")
        append = self.start("append", "busy", "--offsets", stdout=subprocess.DEVNULL)
        append.stdin.write(b"first\n")
        append.stdin.flush()
        both = [Jobs(self, "--compact-every", "50ms", "--retain-every", "70ms", shift=SHIFT) for _ in range(2)]
        self.until(lambda: self.index(old) == ["PARQUET"] * 2, "the log is compacted, its last record by itself")
        self.until(lambda: self.ok("read", "kept", "--format", "text").count(b"\n") == 2, "retention lets go")
        self.until(lambda: len(self.index(kept) or "none yet") <= 2, "what was let go is removed")
        for i in range(200):
            append.stdin.write(f"line {i}\n".encode())
            append.stdin.flush()
        self.assertEqual(self.ok("read", "old", "--format", "json"), before)
        for jobs in both:
            jobs.wait_for("background jobs run compact_every=50ms retain_every=70ms gc_every=10m", "level=info")
        # Each of them had its hand in it, or at least looked: neither waits for the other.
        done = [line for jobs in both for line in jobs.lines if " job=compaction " in line and "level=info" in line]
        self.assertGreaterEqual(sum(number(line, "compacted") for line in done), 2)
        # The collector notices that these clocks are ahead of the disk's; that is its business alone.
        self.assertFalse([line for jobs in both for line in jobs.lines
                          if ("level=warning" in line or "level=error" in line)
                          and not ("the clocks of the stores do not agree" in line and "job=collection" in line)])
        for jobs in both:
            self.assertLess(jobs.stop(), 30)
            self.assertEqual(jobs.process.returncode, 0, jobs.lines)
            jobs.wait_for("background jobs have ended signal=15")
        append.stdin.close()
        self.assertEqual(append.wait(harness.TIMEOUT), 0, append.stderr.read())
        self.assertEqual(self.ok("read", "busy").count(b"\n"), 201)
        # Nothing of them is left: no session, no claim, no lease.
        left = [key for key in self.keys() if "claim" in key or key.startswith("/stream-write-leases/")]
        self.assertEqual(left, [])
        self.assertIn(b"nothing is damaged", self.ok("fsck", "--deep"))

    def test_what_fails_is_named_and_stops_nothing_else(self):
        self.fill("bad", 3)
        self.fill("good", 3)
        bad, good = self.log("bad"), self.log("good")
        for stream in ("bad", "good"):
            self.ok("stream", "set", stream, "lakestream.retention.records=1")
        key = [key for key in self.keys() if key.startswith(f"{bad:020}-")][1]
        record = json.loads(self.ok("inspect", "index", key, "--json"))
        os.remove(f"{self.deployment}/wal/{record['value']['location']}")
        self.ok("stream", "set", "bad", "--unset", "lakestream.retention.records")
        jobs = Jobs(self, "--compact-every", "50ms", "--retain-every", "50ms", shift=SHIFT)
        jobs.wait_for("entries cannot be read and stay as they are", "stream=bad partition=0", f"log={bad}",
                      "from=1 to=2", "level=warning")
        self.until(lambda: self.index(good) == ["PARQUET"], "the others are retained and compacted")
        self.until(lambda: self.index(bad) == ["PARQUET", "RAW", "PARQUET"], "so is what can be read of it")
        jobs.stop(signal.SIGINT)
        self.assertEqual(jobs.process.returncode, 0)
        self.assertEqual(len([line for line in jobs.lines if "entries cannot be read" in line]), 1)

    def test_garbage_is_collected(self):
        config = os.path.join(self.folder, "here.toml")
        with open(config, "w", encoding="utf-8") as file:
            for key, scheme in (("metadata", "lmdb"), ("wal", "file"), ("compacted", "file")):
                file.write(f'{key} = "{scheme}://{self.folder}/{key}"\n')
            file.write('[times]\npublish_deadline = "100ms"\nindex_deadline = "100ms"\ngrace = "2s"\n')
        self.deployment = config
        self.fill("s", 1)
        [named] = glob.glob(f"{self.folder}/wal/**/*-*", recursive=True)
        orphan = named[:-12] + "0" * 12  # as a PUT leaves one that was tried again
        with open(orphan, "wb") as file:
            file.write(b"nothing names this")
        both = [Jobs(self, "--gc-every", "100ms", "--log-level", "debug") for _ in range(2)]
        both[0].wait_for("background jobs run", "gc_every=100ms")
        self.until(lambda: not os.path.exists(orphan), "what nothing names is deleted")
        for jobs in both:
            jobs.wait_for("a pass ended job=collection", "objects=1 ")
            self.assertLess(jobs.stop(), 30)
            self.assertEqual(jobs.process.returncode, 0, jobs.lines)
        told = [line for jobs in both for line in jobs.lines if "an object is garbage" in line and "outcome=deleted" in line]
        self.assertIn(os.path.basename(orphan), told[0])
        self.assertEqual(self.ok("read", "s"), b"000000000\n")
        self.assertIn(b"nothing is damaged", self.ok("fsck", "--deep"))

    def test_compaction_is_left_to_another_family(self):
        folder, self.deployment = self.folder, os.path.join(self.folder, "d.toml")
        with open(self.deployment, "w", encoding="utf-8") as file:
            file.write(f'metadata = "lmdb://{folder}/meta"\nwal = "file://{folder}/wal"\n'
                       f'compacted = "file://{folder}/compacted"\ncompactor_family = "others"\n')
        self.fill("kept", 6)
        self.ok("stream", "set", "kept", "lakestream.retention.records=2")
        self.refused(1, "compact")
        self.refused(1, "compact", "--dry-run")
        jobs = Jobs(self, "--compact-every", "10ms", "--retain-every", "50ms")
        jobs.wait_for("this process does not compact", "family=others", "level=warning")
        self.until(lambda: self.ok("read", "kept", "--format", "text").count(b"\n") == 2, "retention lets go")
        jobs.stop()
        self.assertEqual(jobs.process.returncode, 0)
        self.assertFalse([line for line in jobs.lines if "job=compaction" in line])
        self.assertEqual(json.loads(self.ok("inspect", "meta", "/lakestream/deployment", "--json"))["value"]
                         ["compactor_family"], "others")

    def test_wrong_use(self):
        self.refused(4, "run")
        self.ok("stream", "create", "s")
        self.refused(2, "run", "--compact-every", "0s")
        self.refused(2, "run", self.deployment)


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
