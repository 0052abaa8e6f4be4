"""--metrics: what live processes serve, against docs/metrics.md, and that the numbers are those of what was done."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
import urllib.request

import harness

DOCS = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "metrics.md")
ROW = re.compile(r"^\| `(\w+)` \| (counter|gauge|histogram|summary) \| ([^|]*)\|", re.M)
SAMPLE = re.compile(r'^(\w+)(?:\{(.*)\})? (\S+)$')


def documented():
    with open(DOCS, encoding="utf-8") as file:
        rows = ROW.findall(file.read())
    return {name: (kind, set(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}


class Scrape:
    """What one answer holds: the type of each name, and its samples by name and labels."""

    def __init__(self, text):
        self.types = dict(re.findall(r"^# TYPE (\w+) (\w+)$", text, re.M))
        self.helps = set(re.findall(r"^# HELP (\w+) \S", text, re.M))
        self.samples = {}
        for line in text.splitlines():
            if not line.startswith("#"):
                name, labels, value = SAMPLE.match(line).groups()
                pairs = frozenset(re.findall(r'(\w+)="([^"]*)"', labels or ""))
                self.samples[name, pairs] = float(value)

    def value(self, name, /, **labels):
        return self.samples[name, frozenset(labels.items())]

    def label_names(self, name):
        """Of its samples, without those that belong to a histogram or a summary."""
        family = [name, name + "_bucket", name + "_sum", name + "_count"]
        return {key for (sample, pairs) in self.samples if sample in family for key, _ in pairs} - {"le", "quantile"}


class Metrics(harness.TestCase):
    def serve(self, *arguments, **keywords):
        """A process and the address that it told."""
        process = self.start(*arguments, "--metrics", "0", **keywords)
        for line in process.stderr:
            found = re.search(rb"metrics are served at (http://127\.0\.0\.1:\d+/metrics)", line)
            if found:
                # The rest is read, so that the process never waits for it.
                threading.Thread(target=process.stderr.read, daemon=True).start()
                return process, found.group(1).decode()
        self.fail("no address was told")

    @staticmethod
    def scrape(address):
        with urllib.request.urlopen(address, timeout=harness.TIMEOUT) as answer:
            return Scrape(answer.read().decode())

    def until(self, address, condition):
        deadline = time.monotonic() + harness.TIMEOUT
        while True:
            scrape = self.scrape(address)
            if condition(scrape):
                return scrape
            self.assertLess(time.monotonic(), deadline, scrape.samples)

    def test_the_page_names_what_is_served_and_nothing_else(self):
        self.ok("stream", "create", "s")
        _, address = self.serve("run", stdout=subprocess.DEVNULL)
        self.scrape(address)  # what the server tells of itself begins with the first
        scrape = self.scrape(address)
        pages = documented()
        self.assertGreater(len(pages), 40)
        self.assertEqual({name: kind for name, (kind, _) in pages.items()}, scrape.types)
        for name, (_, labels) in pages.items():
            with self.subTest(name):
                if name.startswith("lakestream_"):
                    self.assertIn(name, scrape.helps)
                    self.assertRegex(name, r"^lakestream_(process|metadata|sessions|objects|writer|reader|leases|job|compaction|retention|collection)_")
                    self.assertEqual(name.endswith("_total"), scrape.types[name] == "counter")
                    self.assertEqual(scrape.types[name] == "histogram", name.endswith("_duration_seconds"))
                    self.assertEqual(scrape.label_names(name), labels)

    def test_an_appender_tells_where_its_time_goes(self):
        self.ok("stream", "create", "s", "--binding", "raw")
        append, address = self.serve("append", "s", "--offsets")
        began = time.monotonic()
        for i in range(20):
            append.stdin.write(b"12345\n")
            append.stdin.flush()
            append.stdout.readline()  # acknowledged
        whole_appends = time.monotonic() - began
        scrape = self.scrape(address)
        self.assertEqual(scrape.value("lakestream_writer_entries_total"), 20)
        self.assertEqual(scrape.value("lakestream_writer_bytes_total"), 100)
        self.assertEqual(scrape.value("lakestream_writer_objects_total"), 20)
        self.assertEqual(scrape.value("lakestream_writer_queued_bytes"), 0)
        self.assertEqual(scrape.value("lakestream_leases_held"), 1)
        self.assertEqual(scrape.value("lakestream_sessions_opened_total"), 1)
        self.assertEqual(scrape.value("lakestream_sessions_alive"), 1)
        self.assertEqual(scrape.value("lakestream_sessions_closed_total"), 0)
        self.assertGreater(scrape.value("lakestream_process_age_seconds"), whole_appends)
        self.assertEqual(scrape.value("lakestream_objects_calls_total", root="wal", op="put", code="ok"), 20)
        parts = [scrape.value(f"lakestream_writer_{part}_duration_seconds_sum") for part in ("queue", "put", "index")]
        whole = scrape.value("lakestream_writer_append_duration_seconds_sum")
        self.assertGreater(min(parts), 0)
        self.assertAlmostEqual(sum(parts), whole, delta=whole * 0.01)
        for part in ("queue", "put", "index", "append"):
            name = f"lakestream_writer_{part}_duration_seconds"
            self.assertEqual(scrape.value(name + "_count"), 20)
            counts = sorted((float(dict(pairs)["le"]), value) for (sample, pairs), value in scrape.samples.items()
                            if sample == name + "_bucket")
            self.assertEqual([value for _, value in counts], sorted(value for _, value in counts))
            self.assertEqual(counts[-1], (float("inf"), 20))
        append.stdin.close()
        self.assertEqual(append.wait(harness.TIMEOUT), 0)

    def test_a_reader_and_jobs_tell_what_they_did(self):
        self.ok("stream", "create", "s", "--binding", "raw")
        for i in range(5):
            self.ok("append", "s", stdin=b"0123456789\n")
        read, address = self.serve("read", "s", "--follow", stdout=subprocess.DEVNULL)
        scrape = self.until(address, lambda s: s.value("lakestream_reader_entries_total") == 5)
        self.assertEqual(scrape.value("lakestream_reader_bytes_total"), 50)
        self.assertEqual(scrape.value("lakestream_reader_failed_reads_total"), 0)
        read.send_signal(signal.SIGTERM)
        read.wait(harness.TIMEOUT)
        self.ok("stream", "set", "s", "lakestream.retention.records=2")
        jobs, address = self.serve("run", "--retain-every", "20ms", "--compact-every", "20ms", stdout=subprocess.DEVNULL)
        scrape = self.until(address, lambda s: s.value("lakestream_retention_index_records_total") == 3)
        self.assertEqual(scrape.value("lakestream_retention_records_total"), 3)
        self.assertEqual(scrape.value("lakestream_retention_bytes_total"), 30)
        passes = lambda s: s.value("lakestream_job_passes_total", name="compaction", outcome="done")
        later = self.until(address, lambda s: passes(s) > passes(scrape))
        self.assertEqual(later.value("lakestream_job_passes_total", name="compaction", outcome="failed"), 0)
        self.assertEqual(later.value("lakestream_compaction_logs"), 1)
        self.assertLess(later.value("lakestream_job_last_success_age_seconds", name="retention"), 30)
        jobs.send_signal(signal.SIGTERM)
        self.assertEqual(jobs.wait(harness.TIMEOUT), 0)

    def test_an_address_that_cannot_be_had(self):
        self.ok("stream", "create", "s")
        _, address = self.serve("run", stdout=subprocess.DEVNULL)
        port = re.search(r":(\d+)/", address).group(1)
        line = self.command("run", "-q", "--metrics", port)
        self.assertEqual(line.returncode, 1, line.stderr)
        self.assertIn(f"metrics cannot be served there address=127.0.0.1:{port}".encode(), line.stderr)
        self.assertIn("--metrics takes HOST:PORT", self.refused(2, "run", "--metrics", "localhost:1"))


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
