"""Drives the real command as its users do."""

import datetime
import json
import os
import random
import signal
import subprocess
import sys
import unittest

import harness


def flights(count):
    """Lines like an export of a flight database: fields, quotes, now and then an empty one."""
    rng = random.Random(2013)
    lines = []
    for i in range(count):
        carrier = rng.choice(["UA", "AA", "B6", "DL", "\"EV, Inc\""])
        delay = rng.choice(["", str(rng.randint(-30, 400))])
        lines.append(f"2013,{1 + i % 12},{1 + i % 28},{carrier},{rng.randint(1, 6000)},{delay}".encode())
    return b"\n".join(lines) + b"\n"


class RoundTrip(harness.TestCase):
    BINDING = "kafka"  # the default

    def setUp(self):
        super().setUp()
        self.create("s")

    def create(self, name, *options):
        binding = [] if self.BINDING == "kafka" else ["--binding", self.BINDING]
        self.ok("stream", "create", name, *options, *binding)
        properties = json.loads(self.ok("stream", "describe", name, "--json"))["properties"]
        self.assertEqual(properties["lakestream.binding"], self.BINDING)

    def test_bytes_come_back(self):
        rng = random.Random(7)
        cases = {
            "empty": b"",
            "one empty line": b"\n",
            "empty lines": b"\n\n\n",
            "without a last LF": b"a\nb",
            "one byte": b"x",
            "CR is kept": b"a\r\nb\r\n\r\n",
            "every byte": bytes(range(256)) * 3,
            "NUL": b"\0\n\0\0\n",
            "a line of 1 MiB": b"x" * (1 << 20) + b"\ny\n",
            "binary": rng.randbytes(300_000),
            "flights": flights(5000),
        }
        for number, (name, data) in enumerate(cases.items()):
            with self.subTest(name):
                stream = f"case-{number}"
                self.create(stream)
                entries = data.count(b"\n") + (0 if data.endswith(b"\n") or not data else 1)
                summary = json.loads(self.ok("append", stream, "--json", stdin=data))
                self.assertEqual(summary["acknowledged"], entries)
                self.assertEqual(summary["ended_in_lf"], data.endswith(b"\n") or not data)
                flag = [] if summary["ended_in_lf"] else ["--no-final-lf"]
                self.assertEqual(self.ok("read", stream, *flag), data)

    def test_from_a_file(self):
        path = os.path.join(self.folder, "input")
        with open(path, "wb") as file:
            file.write(flights(300))
        self.ok("append", "s", path)
        self.assertEqual(self.ok("read", "s"), flights(300))

    def test_raw_is_one_entry(self):
        data = b"a\nb\n\0"
        summary = json.loads(self.ok("append", "s", "--raw", "--json", stdin=data))
        self.assertEqual(summary["acknowledged"], 1)
        self.assertEqual(self.ok("read", "s", "--format", "raw"), data)
        self.ok("append", "s", "--raw", stdin=b"")
        self.assertEqual(self.ok("read", "s", "--from", "1"), b"\n")

    def test_a_second_run_goes_on(self):
        self.assertEqual(self.ok("append", "s", "--offsets", stdin=b"a\nb\n"), b"1 0 0\n2 0 1\n")
        self.assertEqual(self.ok("append", "s", "--offsets", stdin=b"c\n"), b"1 0 2\n")
        self.assertEqual(self.ok("read", "s"), b"a\nb\nc\n")

    def test_from_and_max(self):
        self.ok("append", "s", stdin=b"0\n1\n2\n3\n4\n")
        self.assertEqual(self.ok("read", "s", "--from", "3"), b"3\n4\n")
        self.assertEqual(self.ok("read", "s", "--from", "1", "--max", "2"), b"1\n2\n")
        self.assertEqual(self.ok("read", "s", "--from", "first", "--max", "1"), b"0\n")
        self.assertEqual(self.ok("read", "s", "--from", "end"), b"")
        beyond = self.command("read", "s", "--from", "9")
        self.assertEqual((beyond.returncode, beyond.stdout), (0, b""))
        self.assertIn(b"end=5", beyond.stderr)

    def test_since(self):
        entries = []
        # Until two of them have times of their own.
        while len({entry["timestamp_ms"] for entry in entries}) < 3:
            self.ok("append", "s", stdin=b"%d\n" % len(entries))
            entries = [json.loads(line) for line in
                       self.ok("read", "s", "--binding", "raw", "--format", "json").splitlines()]
        for entry in entries:
            ms = entry["timestamp_ms"]
            offsets = [other["offset"] for other in entries if other["timestamp_ms"] >= ms]
            lines = b"".join(b"%d\n" % offset for offset in offsets)
            self.assertEqual(self.ok("read", "s", "--since", str(ms)), lines)
            moment = datetime.datetime.fromtimestamp(ms // 1000, datetime.timezone.utc)
            text = moment.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (ms % 1000)
            self.assertEqual(self.ok("read", "s", "--since", text), lines)
            self.assertEqual(self.ok("read", "s", "--since", text, "--max", "1"), b"%d\n" % offsets[0])
        self.assertEqual(len(self.ok("read", "s", "--since", "1d").splitlines()), len(entries))
        late = self.command("read", "s", "--since", str(ms + 1))
        self.assertEqual((late.returncode, late.stdout), (0, b""))
        self.assertIn(b"no entry is that young", late.stderr)
        self.assertIn("--since", self.refused(2, "read", "s", "--since", "noon"))

    def test_partitions_take_turns(self):
        self.create("p", "--partitions", "3")
        out = self.ok("append", "p", "--offsets", stdin=b"a\nb\nc\nd\n")
        self.assertEqual(sorted(out.splitlines()), [b"1 0 0", b"2 1 0", b"3 2 0", b"4 0 1"])
        self.assertEqual(self.ok("read", "p", "--partition", "0"), b"a\nd\n")
        self.ok("append", "p", "--partition", "2", stdin=b"e\n")
        self.assertEqual(self.ok("read", "p"), b"a\nd\nb\nc\ne\n")
        self.assertEqual(self.ok("read", "p", "--max", "3"), b"a\nd\nb\n")

    def test_a_line_over_the_limit_is_refused_by_number(self):
        result = self.command("append", "s", stdin=b"first\n" + b"x" * ((64 << 20) + 1) + b"\nthird\n")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(b"line=2", result.stderr)
        self.assertEqual(self.ok("read", "s"), b"first\n")


class Opaque(RoundTrip):
    """The same with entries that are opaque."""

    BINDING = "raw"


class Streams(harness.TestCase):
    def test_create_makes_the_deployment_and_says_so(self):
        made = self.command("stream", "create", "a", "--partitions", "2")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn(b"made a new deployment", made.stderr)
        self.assertIn(b"default/a: 2 partitions", made.stdout.replace(b"created a", b"created default/a"))
        again = self.command("stream", "create", "ns/b", "--json")
        self.assertEqual((again.returncode, again.stderr), (0, b""))
        created = json.loads(again.stdout)
        self.assertEqual((created["namespace"], created["name"], len(created["logs"])), ("ns", "b", 1))
        listed = json.loads(self.ok("stream", "list", "--json"))
        self.assertEqual([(s["namespace"], s["name"], s["partitions"], s["state"]) for s in listed],
                         [("default", "a", 2, "active"), ("ns", "b", 1, "active")])
        table = self.ok("stream", "list").decode().splitlines()
        self.assertEqual(table[0].split(), ["STREAM", "PARTITIONS", "STATE"])
        self.assertEqual(table[1].split(), ["default/a", "2", "active"])

    def test_a_name_is_taken_once(self):
        self.ok("stream", "create", "a")
        self.assertIn("a", self.refused(1, "stream", "create", "a"))

    def test_what_is_not_there(self):
        for command in (["append", "s"], ["read", "s"], ["trim", "s", "--before", "1"], ["stream", "list"]):
            line = self.refused(4, *command)
            self.assertIn(self.deployment, line)
            self.assertIn("stream create", line)
        self.assertFalse(os.path.exists(self.deployment))
        self.ok("stream", "create", "a")
        for command in (["append", "s"], ["read", "s"], ["trim", "s", "--before", "1"]):
            self.assertIn("stream=s", self.refused(4, *command))
        for command in (["append", "a"], ["read", "a"], ["trim", "a", "--before", "1"]):
            self.assertIn("partition=1", self.refused(4, *command, "--partition", "1"))
        self.assertIn("nowhere", self.refused(4, "append", "a", os.path.join(self.folder, "nowhere")))

    def test_what_is_no_deployment(self):
        path = os.path.join(self.folder, "file")
        open(path, "wb").close()
        result = harness.run("stream", "list", "--deployment", path)
        self.assertEqual(result.returncode, 2)
        self.assertIn(".toml", self.one_line(result))
        self.ok("stream", "create", "a")
        self.assertIn("folder", self.refused(2, "append", "a", self.folder))

    def test_a_bad_name_makes_no_deployment(self):
        for name in ("", "a/b/c", ".", "..", "_x/y", "a\nb", "x.parquet", "n" * 300):
            with self.subTest(name):
                self.refused(2, "stream", "create", name)
        self.assertFalse(os.path.exists(self.deployment))

    def test_default_places(self):
        variables = harness.environment(LAKESTREAM_DEPLOYMENT=self.deployment)
        self.assertEqual(harness.run("stream", "create", "a", env=variables).returncode, 0)
        self.assertEqual(json.loads(self.ok("stream", "list", "--json"))[0]["name"], "a")
        self.assertEqual(harness.run("stream", "create", "b", cwd=self.folder).returncode, 0)
        self.assertTrue(os.path.isdir(os.path.join(self.folder, "data")))

    def test_streams_may_be_named_like_commands(self):
        for name in ("read", "append", "list", "help"):
            self.ok("stream", "create", name)
            self.ok("append", name, stdin=b"x\n")
            self.assertEqual(self.ok("read", name), b"x\n")


class WrongUse(harness.TestCase):
    def test_one_line_and_exit_code_2(self):
        cases = ["", "bogus", "--bogus", "stream", "stream bogus", "stream create", "stream create s --partitions 0",
                 "stream create s --partitions 10001", "append", "append s --partition x", "append s --offsets --json",
                 "append s f g", "read s --from -1", "read s --from 1x", "read s --max 0",
                 "read s --format raw --no-final-lf", "read s --format x", "stream list --log-level x",
                 "inspect", "inspect wal", "inspect index", "inspect index k --hex 00", "stream describe",
                 "trim s", "trim s --before 0", "trim s --before 1 --through 1", "help bogus", "read",
                 "bench fsck --objects 100", "bench gc --records 5"]
        for case in cases:
            with self.subTest(case):
                result = harness.run(*case.split(), cwd=self.folder)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn("lakestream help", self.one_line(result))
        self.assertEqual(os.listdir(self.folder), [])

    def test_trim_of_several_partitions_needs_one(self):
        self.ok("stream", "create", "p", "--partitions", "2")
        self.assertIn("--partition", self.refused(2, "trim", "p", "--before", "1"))

    def test_bench_checks_what_it_measures(self):
        arguments = ["bench", "codec", "--scale", "0.001", "--dir", self.folder]
        done = harness.run(*arguments, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        for fact in ("command", "revision", "versions", "machine", "load", "place"):
            self.assertTrue(report[fact], fact)
        self.assertEqual([b["name"] for b in report["benchmarks"]], ["codec"])
        broken = harness.run(*arguments, "--break")
        self.assertEqual(broken.returncode, 5, broken.stderr)
        self.assertIn(b"benchmark=codec", broken.stderr)
        unknown = harness.run("bench", "bogus", "--dir", self.folder)
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("put-rate", self.one_line(unknown))
        self.assertEqual(os.listdir(self.folder), [], "the temporary folder is gone")

    def test_help_and_version(self):
        for command in (["help"], ["--help"], ["append", "--help"], ["help", "stream", "create"], ["version"],
                        ["--version"]):
            result = harness.run(*command)
            self.assertEqual((result.returncode, result.stderr), (0, b""), command)
            self.assertTrue(result.stdout)
        self.assertRegex(harness.run("version").stdout.decode(), r"^lakestream \d+\.\d+\.\d+, format version 3, \S+")
        self.assertIn(b"Exit codes", harness.run("help").stdout)


class Pipes(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.ok("stream", "create", "s")

    def test_a_reader_that_goes_away_is_no_error(self):
        self.ok("append", "s", stdin=flights(50_000))
        for extra in ([], ["--follow"]):
            reader = self.start("read", "s", *extra, stdin=subprocess.DEVNULL)
            self.assertEqual(reader.stdout.readline(), flights(1))
            reader.stdout.close()
            self.assertEqual(reader.wait(harness.TIMEOUT), 0)
            self.assertEqual(reader.stderr.read(), b"")

    def test_follow_notices_a_reader_that_goes_away_while_nothing_comes(self):
        reader = self.start("read", "s", "--follow", stdin=subprocess.DEVNULL)
        self.ok("append", "s", stdin=b"a\n")
        self.assertEqual(reader.stdout.readline(), b"a\n")
        reader.stdout.close()
        self.assertEqual(reader.wait(harness.TIMEOUT), 0)

    def test_a_full_disk_behind_standard_output_is_an_error(self):
        self.ok("append", "s", stdin=b"a\n")
        with open("/dev/full", "wb") as full:
            reader = self.start("read", "s", stdout=full)
            self.assertEqual(reader.wait(harness.TIMEOUT), 1)
        self.assertIn(b"standard output", reader.stderr.read())

    def test_closed_standard_descriptors_hurt_nothing(self):
        script = '"$0" append s --deployment "$1" <&- >&- 2>&-'
        code = subprocess.run(["sh", "-c", script, harness.BINARY, self.deployment], check=False,
                              timeout=harness.TIMEOUT).returncode
        self.assertEqual(code, 0)
        self.ok("append", "s", stdin=b"a\n")
        self.assertEqual(self.ok("read", "s"), b"a\n")

    def test_follow_across_processes(self):
        reader = self.start("read", "s", "--follow", "--max", "5", stdin=subprocess.DEVNULL)
        writer = self.start("append", "s", "--offsets")
        for i in range(4):
            writer.stdin.write(b"%d\n" % i)
            writer.stdin.flush()
            self.assertEqual(writer.stdout.readline(), b"%d 0 %d\n" % (i + 1, i))
            self.assertEqual(reader.stdout.readline(), b"%d\n" % i)
        writer.stdin.write(b"last")
        writer.stdin.close()
        self.assertEqual(reader.stdout.read(), b"last\n")
        self.assertEqual(reader.wait(harness.TIMEOUT), 0)
        self.assertEqual(writer.wait(harness.TIMEOUT), 0)

    def test_follow_from_the_end_of_all_partitions(self):
        self.ok("stream", "create", "p", "--partitions", "3")
        self.ok("append", "p", stdin=b"old\nold\nold\n")
        reader = self.start("read", "p", "--follow", "--from", "1", stdin=subprocess.DEVNULL)
        self.ok("append", "p", stdin=b"a\nb\nc\n")
        self.assertEqual(sorted(reader.stdout.readline() for _ in range(3)), [b"a\n", b"b\n", b"c\n"])
        reader.send_signal(signal.SIGTERM)
        self.assertEqual(reader.wait(harness.TIMEOUT), 128 + signal.SIGTERM)

    def test_a_signal_ends_append_in_order(self):
        writer = self.start("append", "s", "--offsets")
        writer.stdin.write(b"a\nb\n")
        writer.stdin.flush()
        self.assertEqual(writer.stdout.readline(), b"1 0 0\n")
        self.assertEqual(writer.stdout.readline(), b"2 0 1\n")
        writer.send_signal(signal.SIGINT)
        self.assertEqual(writer.wait(harness.TIMEOUT), 130)
        self.assertIn(b"acknowledged=2", writer.stderr.read())
        self.assertEqual(self.ok("read", "s"), b"a\nb\n")

    def test_two_processes_append_at_once(self):
        count = 20_000
        writers = [self.start("append", "s", "--offsets") for _ in range(2)]
        for which, writer in enumerate(writers):
            path = os.path.join(self.folder, f"input-{which}")
            with open(path, "wb") as file:
                file.write(b"".join(b"%d-%d\n" % (which, i) for i in range(count)))
        # Started again on files, so that neither waits for this test.
        for writer in writers:
            writer.stdin.close()
            self.assertEqual(writer.wait(harness.TIMEOUT), 0)
        writers = [self.start("append", "s", os.path.join(self.folder, f"input-{which}"), "--offsets",
                              stdin=subprocess.DEVNULL) for which in range(2)]
        outputs = [writer.communicate(timeout=harness.TIMEOUT)[0] for writer in writers]
        self.assertEqual([writer.returncode for writer in writers], [0, 0])
        lines = self.ok("read", "s").splitlines()
        self.assertEqual(len(lines), 2 * count)
        for which, output in enumerate(outputs):
            places = [tuple(map(int, line.split())) for line in output.splitlines()]
            self.assertEqual([line for line, _, _ in places], list(range(1, count + 1)))
            for line, _, offset in places:
                self.assertEqual(lines[offset], b"%d-%d" % (which, line - 1))

    def test_quiet(self):
        result = self.command("append", "s", "-q", stdin=b"a\n")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b"", b""))


class Trim(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.ok("stream", "create", "s")

    def test_says_what_happened(self):
        self.ok("append", "s", stdin=b"0\n1\n2\n3\n")
        self.ok("append", "s", stdin=b"4\n5\n")
        self.assertEqual(self.ok("trim", "s", "--before", "2"), b"trim marker 0 -> 2; asked 2\n")
        self.assertEqual(self.ok("trim", "s", "--through", "2"), b"trim marker 2 -> 3; asked 3\n")
        self.assertEqual(self.ok("trim", "s", "--before", "1"), b"trim marker stays at 3; asked 1\n")
        self.assertEqual(self.ok("read", "s"), b"3\n4\n5\n")
        below = self.command("read", "s", "--from", "1")
        self.assertEqual((below.returncode, below.stdout), (0, b"3\n4\n5\n"))
        self.assertIn(b"first=3", below.stderr)
        out = self.ok("trim", "s", "--before", "100")
        self.assertTrue(out.endswith(b"; asked 100, kept the last record\n"), out)
        self.assertTrue(self.ok("read", "s").endswith(b"5\n"))

    def test_of_an_empty_stream(self):
        self.assertEqual(self.ok("trim", "s", "--before", "5")[:27], b"trim marker stays at 0; ask")


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
