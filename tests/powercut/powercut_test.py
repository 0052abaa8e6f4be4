"""Cuts the power at many moments of making a deployment, appending and trimming, and looks at what is left: whatever
was acknowledged before the cut is there, nothing is there twice, and work goes on."""

import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import disk  # noqa: E402
import harness  # noqa: E402

BINARY = RECORDER = ""
ONE_BY_ONE = 30
AT_ONCE = 400
CUTS = int(os.environ.get("LAKESTREAM_CUTS", "120"))


def run(deployment, *arguments, stdin=b""):
    return subprocess.run([BINARY, *arguments, "--deployment", deployment], input=stdin, capture_output=True,
                          timeout=120, check=False)


def entry(number):
    return b"entry-%05d" % number


class Recording:
    """The life of a deployment, as lines of the recorder."""

    def __init__(self, folder):
        self.root = os.path.join(folder, "disk")
        os.mkdir(self.root)
        self.inode = str(os.stat(self.root).st_ino)
        self.log = os.path.join(folder, "log")
        self.deployment = os.path.join(self.root, "deployment")
        self.environment = harness.preloading(RECORDER, RECORD_ROOT=self.root, RECORD_LOG=self.log)
        self.live()
        self.lines = pathlib.Path(self.log).read_text(encoding="ascii").splitlines()

    def start(self, *arguments):
        return subprocess.Popen([BINARY, *arguments, "--deployment", self.deployment, "-q"], env=self.environment,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def finish(self, process, stdin=b""):
        out = process.communicate(stdin, timeout=120)[0]
        assert process.returncode == 0, process.args
        return out

    def live(self):
        self.finish(self.start("stream", "create", "s"))
        slow = self.start("append", "s", "--offsets")
        for i in range(ONE_BY_ONE):
            slow.stdin.write(entry(i) + b"\n")
            slow.stdin.flush()
            assert slow.stdout.readline().split()[2] == b"%d" % i
        self.finish(slow)
        many = b"".join(entry(i) + b"\n" for i in range(ONE_BY_ONE, ONE_BY_ONE + AT_ONCE))
        self.finish(self.start("append", "s", "--offsets"), many)
        self.finish(self.start("trim", "s", "--before", "10"))


class Promise:
    """What had been said when the power went."""

    def __init__(self, said):
        text = said.decode()
        self.created = "created s" in text
        self.acknowledged = len(re.findall(r"^\d+ 0 \d+$", text, re.MULTILINE))
        self.trimmed = 10 if "trim marker" in text else 0


def begin_again(deployment):
    """Where making the stream was cut off, it can be made."""
    for arguments, stdin in ((["stream", "create", "s"], b""), (["append", "s"], b"first\n")):
        result = run(deployment, *arguments, stdin=stdin)
        if result.returncode != 0:
            return f"{arguments} ended with {result.returncode}: {result.stderr.decode()}"
    return None


def broken_promise(promise, deployment, go_on):
    """None, or what is wrong with what is left."""
    read = run(deployment, "read", "s", "--no-final-lf")
    if read.returncode != 0:
        if not promise.created and (read.returncode == 4 or b"still being created" in read.stderr):
            return begin_again(deployment)
        return f"read ended with {read.returncode}: {read.stderr.decode()}"
    entries = read.stdout.split(b"\n") if read.stdout else []
    first = int(entries[0][6:]) if entries else 0
    if entries != [entry(i) for i in range(first, first + len(entries))]:
        return "the entries are not those that were appended, in their order"
    # A trim that nobody was told of may have happened, or not.
    if first not in ((promise.trimmed,) if promise.trimmed else (0, 10)):
        return f"the first entry is {first}"
    if first + len(entries) < promise.acknowledged:
        return f"{promise.acknowledged} entries were acknowledged, {first + len(entries)} are there"
    if go_on:
        append = run(deployment, "append", "s", "--offsets", stdin=b"after\n")
        offset = first + len(entries)
        if append.returncode != 0 or append.stdout != b"1 0 %d\n" % offset:
            return f"the next append gave {append.stdout} {append.stderr}"
    return None


class PowerCut(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="lakestream-powercut-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.recording = Recording(cls.folder)

    def look(self, state, rng, go_on):
        at = tempfile.mkdtemp(dir=self.folder)
        try:
            state.build(at, rng)
            return broken_promise(Promise(state.said), os.path.join(at, "deployment"), go_on)
        finally:
            shutil.rmtree(at)

    def test_the_recording_is_whole(self):
        """All that was done is in it: with every sync at the end, it is the deployment itself."""
        state = disk.Disk(self.recording.inode)
        for line in self.recording.lines:
            state.play(line)
        for inode in state.inodes.values():
            inode.sync()
        at = os.path.join(self.folder, "whole")
        os.mkdir(at)
        state.build(at)
        for name in ("meta/data.mdb", "wal"):
            left = subprocess.run(["diff", "-r", os.path.join(self.recording.deployment, name),
                                   os.path.join(at, "deployment", name)], capture_output=True, check=False)
            self.assertEqual((left.returncode, left.stdout), (0, b""))
        self.assertEqual(Promise(state.said).acknowledged, ONE_BY_ONE + AT_ONCE)

    def test_nothing_acknowledged_is_lost(self):
        lines = self.recording.lines
        rng = random.Random(20)
        # Every moment of the first steps, when the deployment is made, and some of all later ones.
        first_append = next(i for i, line in enumerate(lines) if Promise(self.said(line)).acknowledged)
        cuts = set(rng.sample(range(first_append), min(first_append, CUTS)))
        cuts |= set(rng.sample(range(first_append, len(lines)), CUTS))
        cuts |= {i for i, line in enumerate(lines) if line.startswith("said ")}
        state = disk.Disk(self.recording.inode)
        states = 0
        for i, line in enumerate(lines):
            state.play(line)
            if i not in cuts:
                continue
            for left in (None, random.Random(i)):
                wrong = self.look(state, left, go_on=states % 5 == 0)
                self.assertIsNone(wrong, f"after line {i} ({line[:60]}), {'synced' if left is None else 'some more'}")
                states += 1
        print(f"\n{len(lines)} calls recorded, {len(cuts)} cuts, {states} states looked at", file=sys.stderr)

    @staticmethod
    def said(line):
        return bytes.fromhex(line[5:]) if line.startswith("said ") else b""

    def test_every_sync_is_needed(self):
        """Taken as not made, each kind of sync loses something: else this test could not see it missing."""

        kinds = {
            "of an object": ("sync", lambda name, inode, state: name.startswith("/deployment/wal/") and "-" in name),
            "of an object's folder": ("sync", lambda name, inode, state: name.startswith("/deployment/wal/")
                                      and isinstance(state.inodes[inode], disk.Directory)),
            "of the metadata": ("sync", lambda name, inode, state: name.endswith("data.mdb")),
            "of the metadata's root": ("through", lambda name, inode, state: name.endswith("data.mdb")),
            "of the metadata's folder": ("sync", lambda name, inode, state: name == "/deployment/meta"),
        }
        for what, (which, matches) in kinds.items():
            with self.subTest(what):
                def ignores(kind, inode, state, which=which, matches=matches):
                    if kind != which:
                        return False
                    if state.names.get(inode) == "?":  # an object before it has its name
                        return what == "of an object"
                    return matches(state.names.get(inode, ""), inode, state)

                state = disk.Disk(self.recording.inode, ignores)
                wrong = None
                for line in self.recording.lines:
                    state.play(line)
                    if line.startswith("said ") and wrong is None:
                        wrong = self.look(state, None, False)
                self.assertIsNotNone(wrong, "nothing was lost without it")


if __name__ == "__main__":
    RECORDER = sys.argv.pop()
    BINARY = sys.argv.pop()
    unittest.main()
