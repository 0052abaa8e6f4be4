"""Kills `append --offsets` with SIGKILL at random moments, again and again, on one deployment, and checks that
what it acknowledged is there: every byte, at its offset, once; and that reading works at once."""

import argparse
import fcntl
import os
import random
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402
import ledger as ledgers  # noqa: E402

PARTITIONS = 3
STREAM = "s"
CHECK_EVERY = 20
BLOCK_LINES = 10
PAUSE_SECONDS = 0.0005  # between blocks: less than an append takes, so that some are in flight, and little to check
READ_AT_ONCE_SECONDS = 20


class Slowest:
    """The longest that each kind of step took, in seconds: what a stall would show in."""

    def __init__(self):
        self.seconds = {}

    def note(self, step, started):
        took = time.monotonic() - started
        self.seconds[step] = max(took, self.seconds.get(step, 0))
        return took

    def __str__(self):
        return ", ".join(f"{step} {seconds:.1f} s" for step, seconds in self.seconds.items())


class Feeder:
    """Writes the lines of one run into a pipe until told to stop, and knows how many were taken out."""

    def __init__(self, run):
        self.run = run
        self.reading, self.writing = os.pipe()
        os.set_blocking(self.writing, False)
        self.written = 0  # bytes
        self.stopping = threading.Event()
        self.line_bytes = []
        self.thread = threading.Thread(target=self._feed)

    def _feed(self):
        line = 0
        while not self.stopping.wait(PAUSE_SECONDS):
            block = [ledgers.payload(self.run, line + 1 + i) + b"\n" for i in range(BLOCK_LINES)]
            self.line_bytes.extend(map(len, block))
            line += BLOCK_LINES
            left = b"".join(block)
            while left and not self.stopping.is_set():
                if not select.select([], [self.writing], [], 0.05)[1]:
                    continue
                try:
                    count = os.write(self.writing, left)
                except BlockingIOError:
                    continue
                self.written += count
                left = left[count:]

    def stop(self):
        """Lines that were given, and lines that were taken out of the pipe whole."""
        self.stopping.set()
        self.thread.join()
        unread = struct.unpack("i", fcntl.ioctl(self.reading, termios.FIONREAD, b"\0" * 4))[0]
        os.close(self.reading)
        os.close(self.writing)
        taken, count = self.written - unread, 0
        while count < len(self.line_bytes) and taken >= self.line_bytes[count]:
            taken -= self.line_bytes[count]
            count += 1
        return len(self.line_bytes), count


class Acknowledgements:
    """Reads a process's standard output as it comes."""

    def __init__(self, pipe):
        self.pipe = pipe
        self.text = b""
        self.first = threading.Event()
        self.thread = threading.Thread(target=self._read)

    def _read(self):
        parts = []
        while True:
            part = os.read(self.pipe.fileno(), 1 << 16)
            if not part:
                break
            parts.append(part)
            if b"\n" in part:
                self.first.set()
        self.text = b"".join(parts)
        self.first.set()


def one_kill(run, deployment, rng, ledger, slowest):
    """One life of an appender. True when it died with appends in flight after an acknowledgement."""
    feeder = Feeder(run)
    started = time.monotonic()
    process = harness.start("append", STREAM, "--offsets", "-q", "--deployment", deployment, stdin=feeder.reading)
    answers = Acknowledgements(process.stdout)
    feeder.thread.start()
    answers.thread.start()
    if rng.random() < 0.88:
        answers.first.wait(30)
        slowest.note("first acknowledgement", started)
        time.sleep(rng.uniform(0, 0.12))
    else:
        time.sleep(rng.uniform(0, 0.15))
    process.kill()
    code = process.wait()
    answers.thread.join()
    errors = process.stderr.read()
    process.stdout.close()
    process.stderr.close()
    given, taken = feeder.stop()
    ledger.sent[run] = given
    if code != -9:
        raise ledgers.Broken(f"run {run} ended by itself: code {code}, {errors!r}")
    acknowledged = ledger.acknowledge(run, answers.text)
    return acknowledged > 0 and taken > acknowledged


def read_all(deployment, slowest):
    contents = []
    for partition in range(PARTITIONS):
        started = time.monotonic()
        result = harness.run("read", STREAM, "--partition", partition, "--deployment", deployment)
        if result.returncode != 0 or result.stderr:
            raise ledgers.Broken(f"read: code {result.returncode}, {result.stderr!r}")
        took = slowest.note("read", started)
        if took > READ_AT_ONCE_SECONDS:
            raise ledgers.Broken(f"reading partition {partition} did not work at once: it took {took:.1f} s")
        contents.append(result.stdout.split(b"\n")[:-1])
    return contents


def check_single_offsets(deployment, ledger, rng):
    """A place in the whole output could hide a hole that a reader skipped; a read by offset cannot."""
    for partition in range(PARTITIONS):
        for offset in rng.sample(sorted(ledger.acked[partition]), min(3, len(ledger.acked[partition]))):
            result = harness.run("read", STREAM, "--partition", partition, "--from", offset, "--max", 1,
                                 "--deployment", deployment)
            expected = ledgers.payload(*ledger.acked[partition][offset]) + b"\n"
            if result.stdout != expected:
                raise ledgers.Broken(f"offset {offset} of partition {partition} reads {result.stdout[:80]!r}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    harness.BINARY = os.path.abspath(options.binary)
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    rng = random.Random(seed)
    folder = tempfile.mkdtemp(prefix="lakestream-kill-")
    started = time.monotonic()
    try:
        deployment = os.path.join(folder, "deployment")
        made = harness.run("stream", "create", STREAM, "--partitions", PARTITIONS, "--deployment", deployment)
        if made.returncode != 0:
            raise ledgers.Broken(f"stream create: {made.stderr!r}")
        ledger = ledgers.Ledger(PARTITIONS)
        in_flight = 0
        slowest = Slowest()
        for run in range(1, options.kills + 1):
            in_flight += one_kill(run, deployment, rng, ledger, slowest)
            if run % CHECK_EVERY == 0:
                ledger.check(read_all(deployment, slowest))
        contents = read_all(deployment, slowest)
        ledger.check(contents)
        check_single_offsets(deployment, ledger, rng)
        missed = ledgers.catches(ledger, contents)
        # The deployment goes on working.
        last = harness.run("append", STREAM, "--deployment", deployment, stdin=b"after all\n")
        if last.returncode != 0:
            raise ledgers.Broken(f"append after all kills: {last.stderr!r}")
    except (ledgers.Broken, subprocess.TimeoutExpired) as broken:
        print(f"FAILED: {broken}\nthe deployment is kept: {folder}")
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    entries = sum(map(len, contents))
    print(f"{options.kills} kills, {in_flight} with appends in flight after an acknowledgement; "
          f"{len(ledger.lines)} acknowledged, {entries - len(ledger.lines)} more in the log, "
          f"{time.monotonic() - started:.0f} s; slowest: {slowest}")
    if missed:
        print(f"FAILED: the check lets pass: {missed}")
        return 1
    if in_flight * 4 < options.kills * 3:
        print("FAILED: fewer than three kills in four hit appends in flight")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
