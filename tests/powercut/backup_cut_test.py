"""Cuts the power at every moment of a backup and of a restore, and looks at what is left: a copy, or the restored
metadata, is there whole or not at all, and is there once the command has said so."""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import disk  # noqa: E402
import harness  # noqa: E402

BINARY = RECORDER = ""


def run(*arguments):
    return subprocess.run([BINARY, *arguments], capture_output=True, timeout=120, check=False)


class Recording:
    """A stream, a backup of it, and its restore in the place of metadata that was moved away."""

    def __init__(self, folder):
        self.root = os.path.join(folder, "disk")
        os.mkdir(self.root)
        self.inode = str(os.stat(self.root).st_ino)
        self.log = os.path.join(folder, "log")
        self.environment = harness.preloading(RECORDER, RECORD_ROOT=self.root, RECORD_LOG=self.log)
        self.command("stream", "create", "s", "--deployment", self.path("one"))
        self.command("backup", self.path("copy"), "--deployment", self.path("one"))
        self.command("stream", "create", "other", "--deployment", self.path("two"))
        # Moved, not removed: a number that was let go would come again for another file.
        subprocess.run(["mv", self.path("two/meta"), self.path("away")], env=self.environment, timeout=120, check=True)
        self.command("restore", self.path("copy"), "--to", self.path("two"))
        self.lines = pathlib.Path(self.log).read_text(encoding="ascii").splitlines()

    def path(self, name):
        return os.path.join(self.root, name)

    def command(self, *arguments):
        result = subprocess.run([BINARY, *arguments], env=self.environment, capture_output=True, timeout=120, check=False)
        assert result.returncode == 0, (arguments, result.stderr)


def streams(deployment):
    result = run("stream", "list", "--json", "--deployment", deployment)
    return result.returncode, b'"name":"s"' in result.stdout


def broken_promise(said, at):
    """None, or what is wrong with what is left."""
    copy, two = os.path.join(at, "copy"), os.path.join(at, "two")
    if os.path.exists(copy):
        fresh = os.path.join(at, "fresh")
        for root in ("wal", "compacted"):
            os.makedirs(os.path.join(fresh, root))
        result = run("restore", copy, "--to", fresh)
        if result.returncode != 0 or streams(fresh) != (0, True):
            return f"the copy is not whole: {result.stderr.decode()}"
    elif b"copied " in said:
        return "the copy is gone"
    # The stream of the copy and the hold come together.
    restored = streams(two)[1]
    held = b"restore-" in run("hold", "list", "--json", "--deployment", two).stdout
    if restored != held:
        return f"half of a restore is there: {streams(two)}"
    if b"restored " in said and not restored:
        return "what was restored is gone"
    return None


class BackupCut(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="lakestream-powercut-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.recording = Recording(cls.folder)

    def look(self, state, rng):
        at = tempfile.mkdtemp(dir=self.folder)
        try:
            state.build(at, rng)
            return broken_promise(state.said, at)
        finally:
            shutil.rmtree(at)

    def test_whole_or_not_at_all(self):
        lines = self.recording.lines
        state = disk.Disk(self.recording.inode)
        states = 0
        for i, line in enumerate(lines):
            state.play(line)
            # Only names, syncs and words change what is promised.
            if line.split(" ")[0] not in ("rename", "sync", "said", "mkdir", "unlink"):
                continue
            for left in (None, random.Random(i)):
                self.assertIsNone(self.look(state, left), f"after line {i} ({line[:60]})")
                states += 1
        self.assertGreater(sum(line.startswith("rename ") for line in lines), 1)
        print(f"\n{len(lines)} calls recorded, {states} states looked at", file=sys.stderr)

    def test_every_sync_is_needed(self):
        kinds = {
            "of the copy": lambda name, inode, state: name.endswith("metadata.mdb"),
            "of what it is one of": lambda name, inode, state: name.endswith("backup.json"),
            "of the partial folder": lambda name, inode, state: name.endswith("/copy.partial"),
            "of its name": lambda name, inode, state: inode == self.recording.inode,
            "of the restored data": lambda name, inode, state: name.endswith("meta.partial/data.mdb"),
            "of its folder": lambda name, inode, state: name.endswith("/meta.partial"),
            "of its place": lambda name, inode, state: name.endswith("/two"),
        }
        for what, matches in kinds.items():
            with self.subTest(what):
                def ignores(kind, inode, state, matches=matches):
                    return kind == "sync" and matches(state.names.get(inode, ""), inode, state)

                state = disk.Disk(self.recording.inode, ignores)
                wrong = None
                for line in self.recording.lines:
                    state.play(line)
                    if line.startswith("said ") and wrong is None:
                        wrong = self.look(state, None)
                self.assertIsNotNone(wrong, "nothing was lost without it")


if __name__ == "__main__":
    RECORDER = sys.argv.pop()
    BINARY = sys.argv.pop()
    unittest.main()
