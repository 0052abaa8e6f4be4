"""What the command writes where: formats, progress, log lines, and the exit codes that faults make."""

import json
import os
import pty
import resource
import select
import signal
import subprocess
import sys
import time
import unittest

import harness


class TestCase(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.ok("stream", "create", "s")


class Formats(TestCase):
    def test_json_of_entries(self):
        self.ok("stream", "create", "p", "--partitions", "2", "--binding", "raw")
        self.ok("append", "p", stdin=b"plain\n\xff\x00\n\n\"quoted\"\xc3\xa9\n")
        lines = [json.loads(line) for line in self.ok("read", "p", "--format", "json").splitlines()]
        self.assertEqual([(line["partition"], line["offset"], line["record_count"]) for line in lines],
                         [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)])
        self.assertEqual([line.get("payload") for line in lines], ["plain", "", None, "\"quoted\"\u00e9"])
        self.assertEqual(lines[2]["payload_base64"], "/wA=")
        self.assertTrue(all(line["timestamp_ms"] > 1_600_000_000_000 for line in lines))

    def test_hex_and_raw(self):
        self.ok("append", "s", stdin=b"az\n\n\xff\n")
        self.assertEqual(self.ok("read", "s", "--format", "hex"), b"617a\n\nff\n")
        self.assertEqual(self.ok("read", "s", "--format", "raw"), b"az\xff")
        self.assertEqual(self.ok("read", "s", "--format", "text"), b"az\n\n\xff\n")

    def test_json_of_trim_and_version(self):
        self.ok("append", "s", stdin=b"0\n1\n")
        self.ok("append", "s", stdin=b"2\n")
        trimmed = json.loads(self.ok("trim", "s", "--before", "9", "--json"))
        self.assertEqual((trimmed["stream"], trimmed["partition"], trimmed["asked"]), ("s", 0, 9))
        self.assertEqual((trimmed["trim_marker_before"], trimmed["kept_last_record"]), (0, True))
        self.assertEqual(json.loads(harness.run("version", "--json").stdout)["format_version"], 3)


class Offsets(TestCase):
    def test_append_ends_when_the_reader_of_its_offsets_goes(self):
        writer = self.start("append", "s", "--offsets")
        writer.stdin.write(b"a\n")
        writer.stdin.flush()
        self.assertEqual(writer.stdout.readline(), b"1 0 0\n")
        writer.stdout.close()
        self.assertEqual(writer.wait(harness.TIMEOUT), 1)
        line = writer.stderr.read()
        self.assertIn(b"reader of the offsets went away", line)
        self.assertIn(b"acknowledged=1", line)
        self.assertEqual(self.ok("read", "s"), b"a\n")

    def test_a_full_disk_behind_the_offsets_ends_append(self):
        with open("/dev/full", "wb") as full:
            writer = self.start("append", "s", "--offsets", stdout=full)
            writer.stdin.write(b"a\n")
            writer.stdin.flush()
            self.assertEqual(writer.wait(harness.TIMEOUT), 1)
        self.assertIn(b"standard output", writer.stderr.read())


def read_until(descriptor, wanted):
    """What a terminal got up to `wanted`, or, where that is None, until its other end was closed."""
    seen = b""
    while wanted is None or wanted not in seen:
        if not select.select([descriptor], [], [], harness.TIMEOUT)[0]:
            raise AssertionError(("nothing more came", seen))
        try:
            chunk = os.read(descriptor, 65536)
        except OSError:
            chunk = b""
        if not chunk:
            break
        seen += chunk
    return seen


class Terminal(TestCase):
    def test_append_shows_progress_on_a_terminal_only(self):
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        writer = self.start("append", "s", stderr=theirs)
        os.close(theirs)
        writer.stdin.write(b"a\n")
        writer.stdin.flush()
        self.assertIn(b"1 record, 1 B", read_until(ours, b"1 record, 1 B"))
        writer.stdin.close()
        rest = read_until(ours, None)
        self.assertEqual(writer.wait(harness.TIMEOUT), 0)
        self.assertIn(b"\r\x1b[Kappended 1 record in 1 batch", rest)
        piped = self.command("append", "s", stdin=b"a\n")
        self.assertNotIn(b"\x1b", piped.stderr)

    def check_on_a_terminal(self):
        """What a check that stood still for longer than a line lasts wrote there; nothing where it was too fast."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        check = self.start("fsck", stderr=theirs)
        os.close(theirs)
        while check.poll() is None and not any(name.endswith("data.mdb") for name in open_files(check.pid)):
            pass
        check.send_signal(signal.SIGSTOP)
        time.sleep(0.3)
        check.send_signal(signal.SIGCONT)
        out, _ = check.communicate(timeout=harness.TIMEOUT)
        self.assertIn(b"nothing is damaged", out)
        return read_until(ours, None)

    def test_fsck_shows_progress_on_a_terminal_only(self):
        self.ok("stream", "create", "wide", "--partitions", "1000")
        seen = next(filter(None, (self.check_on_a_terminal() for _ in range(50))), b"")
        self.assertRegex(seen, rb"^\d+ records, \d+ objects, 0 B read(\r\x1b\[K.*)*\r\x1b\[K$")
        self.assertEqual(self.command("fsck").stderr, b"")


def open_files(pid):
    try:
        for descriptor in os.listdir(f"/proc/{pid}/fd"):
            yield os.readlink(f"/proc/{pid}/fd/{descriptor}")
    except OSError:  # closed meanwhile, or the process has ended
        pass


class Logs(TestCase):
    def test_levels(self):
        quiet = self.command("stream", "list")
        self.assertEqual(quiet.stderr, b"")
        result = self.command("stream", "list", "--log-level", "info")
        self.assertRegex(result.stderr.decode(), r"^lakestream: opened the deployment deployment=\S+ id=[0-9a-f-]{36} "
                                                 r"level=info time=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\n$")
        variables = harness.environment(LAKESTREAM_LOG="debug")
        result = harness.run("stream", "list", "--deployment", self.deployment, env=variables)
        self.assertIn(b"level=info", result.stderr)
        result = harness.run("stream", "list", "--deployment", self.deployment, "--log-level", "error", env=variables)
        self.assertEqual(result.stderr, b"")


class Unknown(harness.TestCase):
    def test_an_append_whose_commit_failed_ends_with_3(self):
        config = os.path.join(self.folder, "deployment.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f'metadata = "lmdb://{self.folder}/meta"\nwal = "file://{self.folder}/wal"\n'
                       f'compacted = "file://{self.folder}/compacted"\n[writer]\nsettle_time = "1s"\n')
        self.deployment = config
        self.ok("stream", "create", "s")
        # Python ignores SIGXFSZ, and so does the child: a write beyond the limit then fails.
        writer = self.start("append", "s", "--offsets", restore_signals=False)
        writer.stdin.write(b"a\n")
        writer.stdin.flush()
        self.assertEqual(writer.stdout.readline(), b"1 0 0\n")
        # An object is smaller than this; the pages of the metadata store lie behind it.
        resource.prlimit(writer.pid, resource.RLIMIT_FSIZE, (4096, 4096))
        out, err = writer.communicate(b"b\n", timeout=harness.TIMEOUT)
        self.assertEqual((writer.returncode, out), (3, b""), err)
        self.assertIn(b"first_failed_line=2 acknowledged=1 not_appended=0 unknown=1", err)
        self.assertEqual(self.ok("read", "s").splitlines()[0], b"a")


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
