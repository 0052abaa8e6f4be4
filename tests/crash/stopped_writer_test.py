"""A writer that is stopped between its PUT and its index put for longer than publish_deadline: others read on
meanwhile, and once it continues it moves its entries to a new object, with nothing lost and nothing doubled."""

import json
import os
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402

STOPPED_WRITER = ""
BURSTS = 5
ENTRIES = 20 * BURSTS
STOPPED_SECONDS = 1.6
READ_AT_ONCE_SECONDS = 10

CONFIG = """
metadata = "lmdb://{folder}/meta"
wal = "file://{folder}/wal"
compacted = "file://{folder}/compacted"
[times]
publish_deadline = "{publish_deadline_ms}ms"
"""


class StoppedWriter(harness.TestCase):
    def start_writer(self, publish_deadline_ms):
        """A deployment with this deadline, and a writer that soon stops itself."""
        data = os.path.join(self.folder, "data")
        self.deployment = os.path.join(self.folder, "deployment.toml")
        with open(self.deployment, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(folder=data, publish_deadline_ms=publish_deadline_ms))
        log = json.loads(self.ok("stream", "create", "s", "--binding", "raw", "--json"))["logs"][0]
        command = [STOPPED_WRITER, f"{data}/meta", f"{data}/wal", log, BURSTS, 3, publish_deadline_ms]
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(self._end, process)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status), status)
        return process

    def finish(self, process):
        """Acknowledged offsets by line, and the number of sections that were moved."""
        out, errors = process.communicate(timeout=harness.TIMEOUT)
        self.assertEqual((process.returncode, errors), (0, b""))
        *acknowledged, last = out.decode().splitlines()
        offsets = {int(line): int(offset) for line, _, offset in map(str.split, acknowledged)}
        self.assertEqual(len(offsets), len(acknowledged))
        word, count = last.split()
        self.assertEqual(word, "rewritten_sections")
        return offsets, int(count)

    def check_log(self, offsets, others):
        entries = self.ok("read", "s").split(b"\n")[:-1]
        self.assertEqual(len(entries), ENTRIES + len(others), "something is lost or there twice")
        self.assertEqual(sorted(offsets), list(range(1, ENTRIES + 1)))
        for line, offset in offsets.items():
            self.assertEqual(entries[offset], b"stopped %d" % line)
        for offset, entry in others.items():
            self.assertEqual(entries[offset], entry)

    def test_moves_its_entries_to_a_new_object(self):
        writer = self.start_writer(publish_deadline_ms=1000)
        stopped = time.monotonic()
        before = self.ok("read", "s").split(b"\n")[:-1]
        self.assertLess(time.monotonic() - stopped, READ_AT_ONCE_SECONDS)
        # The third object is there and in no index: its entries are not read.
        self.assertEqual(before, [b"stopped %d" % (i + 1) for i in range(len(before))])
        self.assertGreater(len(before), 0)
        self.assertLess(len(before), ENTRIES)
        placed = self.ok("append", "s", "--offsets", stdin=b"between\n").split()
        self.assertEqual(int(placed[2]), len(before))
        time.sleep(max(0, STOPPED_SECONDS - (time.monotonic() - stopped)))
        writer.send_signal(signal.SIGCONT)
        offsets, rewritten = self.finish(writer)
        self.assertGreater(rewritten, 0)
        self.check_log(offsets, {len(before): b"between"})

    def test_an_object_that_is_young_enough_is_used(self):
        writer = self.start_writer(publish_deadline_ms=60_000)
        time.sleep(STOPPED_SECONDS)
        writer.send_signal(signal.SIGCONT)
        offsets, rewritten = self.finish(writer)
        self.assertEqual(rewritten, 0)
        self.check_log(offsets, {})


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    STOPPED_WRITER = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
