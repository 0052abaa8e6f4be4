"""Two processes compact a deployment again and again, and are killed at random moments, while others append, read and
trim. Each acknowledged line must be there once and in its order, at every read; nothing may be damaged at the end; and
what a killed one left must not stay. It goes on until enough of the killed ones have left something."""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import dead_sessions  # noqa: E402
import harness  # noqa: E402

PARTITIONS = 3
STREAM = "s"
LINES = 400  # of one append
LIVES = 3  # a compactor lives up to so many times as long as one needs alone
ENOUGH_LEFT = 5  # kills that hit somebody at work
MOST_TIME = 8  # times as long as asked, until there are so many


class Failed(Exception):
    pass


class Loop:
    def __init__(self, seed, seconds):
        self.random = random.Random(seed)
        self.seconds = seconds
        self.life = 0.0  # of a compactor, in seconds, at most
        self.folder = tempfile.mkdtemp(prefix="lakestream-compact-")
        self.deployment = os.path.join(self.folder, "deployment")
        self.began = time.monotonic()
        self.lock = threading.Lock()
        self.appended = [0] * PARTITIONS  # lines, all acknowledged
        self.trimmed = [0] * PARTITIONS
        self.counts = {"appends": 0, "compactions": 0, "kills": 0, "kills_at_work": 0, "left_working": 0,
                       "left_installing": 0, "reads": 0, "trims": 0}
        self.failures = []

    def command(self, *arguments, stdin=b""):
        return harness.run(*arguments, "--deployment", self.deployment, stdin=stdin)

    def ok(self, *arguments, stdin=b""):
        result = self.command(*arguments, stdin=stdin)
        if result.returncode != 0:
            raise Failed(f"{arguments} ended with {result.returncode}: {result.stderr.decode()}")
        return result.stdout

    def running(self):
        past = time.monotonic() - self.began
        enough = self.counts["kills_at_work"] >= ENOUGH_LEFT and self.enough_of_all()
        return past < self.seconds * (1 if enough else MOST_TIME) and not self.failures

    def enough_of_all(self):
        return min(self.counts["compactions"], self.counts["trims"], self.counts["reads"]) >= 3

    def count(self, name):
        with self.lock:
            self.counts[name] += 1

    def guarded(self, work):
        try:
            work()
        except (Failed, subprocess.TimeoutExpired) as failure:
            self.failures.append(str(failure))

    def append(self):
        while self.running():
            self.append_to(self.random.randrange(PARTITIONS))

    def append_to(self, partition):
        first = self.appended[partition]
        lines = "".join(f"{partition} {first + i}\n" for i in range(LINES)).encode()
        self.ok("append", STREAM, "--partition", partition, "-q", stdin=lines)
        self.appended[partition] = first + LINES
        self.count("appends")

    def compact(self):
        """As long as it is left alone, or until it is killed."""
        chance = random.Random(self.random.random())
        while self.running():
            process = harness.start("compact", "--now", "--json", "--deployment", self.deployment)
            try:
                out, error = process.communicate(timeout=chance.uniform(self.life / 50, self.life))
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                self.count("kills")
                self.look_at_what_is_left()
                continue
            if process.returncode != 0:
                raise Failed(f"compact ended with {process.returncode}: {error.decode()} {out.decode()}")
            self.count("compactions")

    def look_at_what_is_left(self):
        """The other one may be at work, and may have put in order already what this one has left."""
        at_work = False
        for log in self.logs:
            result = self.command("inspect", "meta", f"/lakestream/compaction/{log}", "--json")
            if result.returncode != 0:
                continue
            value = json.loads(result.stdout)["value"]
            if value["state"] in ("working", "installing") and dead_sessions.is_dead(self.deployment, value["owner"]):
                self.count(f"left_{value['state']}")
                at_work = True
        if at_work:
            self.count("kills_at_work")

    def needs_alone(self):
        """Seconds of a compactor that nobody disturbs, on this machine and as busy as it is."""
        seconds = []
        for _ in range(5):
            for partition in range(PARTITIONS):
                self.append_to(partition)
            began = time.monotonic()
            self.ok("compact", "--now")
            seconds.append(time.monotonic() - began)
        return sorted(seconds)[2]

    def check(self, partition, at_least):
        """Reads a partition from its start: its lines follow each other from the trim marker's entry to the end."""
        lines = self.ok("read", STREAM, "--partition", partition).decode().split("\n")[:-1]
        numbers = [int(line.split()[1]) for line in lines]
        if any(int(line.split()[0]) != partition for line in lines):
            raise Failed(f"partition {partition} holds a line of another one")
        if numbers and numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            raise Failed(f"partition {partition}: its lines do not follow each other")
        if at_least > 0 and (not numbers or numbers[-1] + 1 < at_least):
            raise Failed(f"partition {partition}: {at_least} lines were acknowledged; it ends with {numbers[-1:]}")
        if numbers and numbers[0] > self.trimmed[partition]:
            raise Failed(f"partition {partition}: begins with {numbers[0]}; trimmed to {self.trimmed[partition]}")

    def read(self):
        while self.running():
            for partition in range(PARTITIONS):
                self.check(partition, self.appended[partition])
                self.count("reads")

    def trim(self):
        chance = random.Random(self.random.random())
        while self.running():
            partition = chance.randrange(PARTITIONS)
            if self.appended[partition] == 0:
                continue
            # Set first: a reader may begin anywhere up to it.
            before = chance.randrange(1, self.appended[partition] + 1)
            self.trimmed[partition] = max(self.trimmed[partition], before)
            self.ok("trim", STREAM, "--partition", partition, "--before", before)
            self.count("trims")
            time.sleep(0.3)  # so that there is something to read

    def run(self):
        self.ok("stream", "create", STREAM, "--partitions", PARTITIONS)
        described = json.loads(self.ok("stream", "describe", STREAM, "--json"))
        self.logs = [partition["log_id"] for partition in described["partitions"]]
        self.life = LIVES * self.needs_alone()
        self.began = time.monotonic()
        threads = [threading.Thread(target=self.guarded, args=(work,))
                   for work in (self.append, self.compact, self.compact, self.read, self.trim)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failures:
            raise Failed(self.failures[0])
        self.ok("compact", "--now")
        for log in self.logs:
            record = json.loads(self.ok("inspect", "meta", f"/lakestream/compaction/{log}", "--json"))
            if record["value"]["state"] != "idle":
                raise Failed(f"the compaction of log {log} is left in {record['value']['state']}")
        for partition in range(PARTITIONS):
            self.check(partition, self.appended[partition])
        checked = json.loads(self.ok("fsck", "--deep", "--json"))
        print(", ".join(f"{name} {count}" for name, count in self.counts.items()))
        print(f"{self.life:.2f} s of life at most; {sum(self.appended)} lines; {checked['index_records']} index records, {checked['objects']} objects, "
              f"{checked['compacted_objects']} compacted, {checked['notes']} notes")
        if not self.enough_of_all():
            raise Failed("too little was done to say anything")
        if self.counts["kills_at_work"] < ENOUGH_LEFT:
            raise Failed(f"of {self.counts['kills']} kills only {self.counts['kills_at_work']} left something behind")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    arguments = parser.parse_args()
    harness.BINARY = os.path.abspath(arguments.binary)
    print("seed", arguments.seed)
    loop = Loop(arguments.seed, arguments.seconds)
    try:
        loop.run()
    except Failed as failure:
        print(f"FAILED: {failure}\nkept: {loop.folder}")
        return 1
    shutil.rmtree(loop.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
