"""Does to a deployment what disks, clocks and people do, and looks at what its users then get: the right bytes or a
clear error, nothing acknowledged lost, nothing doubled."""

import collections
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import harness  # noqa: E402


def lines(first, count, size=0):
    return b"".join(b"%08d" % i + b"." * size + b"\n" for i in range(first, first + count))


def flip(path, bit):
    with open(path, "r+b") as file:
        file.seek(bit // 8)
        byte = file.read(1)[0]
        file.seek(bit // 8)
        file.write(bytes([byte ^ 1 << bit % 8]))


class TestCase(harness.TestCase):
    def mount(self, size):
        os.mkdir(self.deployment)
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.deployment],
                              capture_output=True, check=False)
        if made.returncode != 0:
            self.skipTest("mounting is not allowed here")
        self.addCleanup(subprocess.run, ["umount", "-l", self.deployment], check=True)

    def objects(self):
        """The WAL objects, in the order in which they were written."""
        files = [p for p in pathlib.Path(self.deployment, "wal").rglob("*") if p.is_file()]
        return sorted((p for p in files if p.relative_to(self.deployment).parts[1][0].isdigit()),
                      key=lambda p: p.stat().st_mtime_ns)

    def append_in_objects(self, stream, count):
        """One object for each of `count` entries."""
        for i in range(count):
            self.ok("append", stream, "-q", stdin=lines(i, 1))

    def explained(self, result, code, *words):
        """It ended with this code, and its one line holds these words."""
        self.assertEqual(result.returncode, code, result.stderr)
        text = result.stderr.decode().splitlines()
        self.assertTrue(text and text[-1].startswith("lakestream: "), text)
        for word in words:
            self.assertIn(word, text[-1])


class Disk(TestCase):
    def test_a_full_disk_loses_and_doubles_nothing(self):
        self.mount("8m")
        filler = os.path.join(self.deployment, "filler")
        with open(filler, "wb") as file:
            file.write(bytes(4 << 20))
        self.ok("stream", "create", "s")
        result = self.command("append", "s", "--offsets", stdin=lines(0, 20_000, size=1000))
        self.explained(result, 1, "acknowledged=")
        self.assertIn(b"disk is full", result.stderr)
        acknowledged = [tuple(map(int, line.split())) for line in result.stdout.splitlines()]
        self.assertGreater(len(acknowledged), 100)
        self.assertLess(len(acknowledged), 20_000)
        # Ended with 1: what was not acknowledged was not appended.
        expected = b"".join(lines(line - 1, 1, size=1000) for line, _, _ in acknowledged)
        self.assertEqual([offset for _, _, offset in acknowledged], list(range(len(acknowledged))))
        self.assertEqual(self.ok("read", "s"), expected)
        refused = self.command("append", "s", stdin=lines(0, 5000, size=1000))
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.assertEqual(self.ok("read", "s")[:len(expected)], expected)
        before = self.ok("read", "s")
        os.remove(filler)
        self.ok("append", "s", stdin=b"after\n")
        self.assertEqual(self.ok("read", "s"), before + b"after\n")

    def test_a_read_only_mount(self):
        self.mount("16m")
        self.ok("stream", "create", "s")
        self.ok("append", "s", stdin=lines(0, 10))
        subprocess.run(["mount", "-o", "remount,ro", self.deployment], check=True)
        for arguments, stdin in ((["append", "s"], b"x\n"), (["read", "s"], b""), (["stream", "create", "t"], b"")):
            self.explained(self.command(*arguments, stdin=stdin), 1, "ead-only")
        subprocess.run(["mount", "-o", "remount,rw", self.deployment], check=True)
        self.ok("append", "s", stdin=b"x\n")
        self.assertEqual(self.ok("read", "s"), lines(0, 10) + b"x\n")


class Deployment(TestCase):
    def test_other_roots_are_refused(self):
        self.ok("stream", "create", "s")
        self.ok("append", "s", stdin=b"a\n")
        other = os.path.join(self.folder, "other")
        os.mkdir(other)
        config = os.path.join(self.folder, "other.toml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(f'metadata = "lmdb://{self.deployment}/meta"\nwal = "file://{other}"\n'
                       f'compacted = "file://{self.deployment}/compacted"\n')
        result = harness.run("append", "s", "--deployment", config, stdin=b"b\n")
        self.explained(result, 1, "elsewhere", "wal_root")
        self.assertEqual(os.listdir(other), [])
        self.assertEqual(self.ok("read", "s"), b"a\n")

    def test_a_folder_that_is_no_deployment(self):
        os.mkdir(self.deployment)
        notes = os.path.join(self.deployment, "notes.txt")
        pathlib.Path(notes).write_text("mine", encoding="utf-8")
        for arguments in (["read", "s"], ["append", "s"], ["stream", "list"], ["trim", "s", "--before", "1"]):
            self.refused(4, *arguments)
        self.assertEqual(os.listdir(self.deployment), ["notes.txt"])
        self.assertEqual(pathlib.Path(notes).read_text(encoding="utf-8"), "mine")

    def test_a_root_of_objects_that_is_gone(self):
        self.ok("stream", "create", "s")
        self.ok("append", "s", stdin=b"a\n")
        os.rename(self.deployment + "/wal", self.folder + "/elsewhere")
        for arguments in (["read", "s"], ["append", "s"], ["stream", "create", "t"]):
            self.explained(self.command(*arguments), 1, "objects are not there")
        self.assertFalse(os.path.exists(self.deployment + "/wal"))
        os.rename(self.folder + "/elsewhere", self.deployment + "/wal")
        self.assertEqual(self.ok("read", "s"), b"a\n")

    def test_metadata_that_is_gone(self):
        self.ok("stream", "create", "s")
        self.ok("append", "s", stdin=b"a\n")
        shutil.copytree(self.deployment + "/meta", self.folder + "/backup")
        for gone in ("data.mdb", "."):
            path = os.path.normpath(os.path.join(self.deployment, "meta", gone))
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
            for arguments in (["read", "s"], ["append", "s"], ["stream", "create", "t"]):
                self.explained(self.command(*arguments), 5, "not the metadata")
        shutil.rmtree(self.deployment + "/meta", ignore_errors=True)
        shutil.copytree(self.folder + "/backup", self.deployment + "/meta")
        self.assertEqual(self.ok("read", "s"), b"a\n")

    def test_foreign_files_are_left_alone(self):
        self.ok("stream", "create", "s")
        self.append_in_objects("s", 3)
        hour = self.objects()[0].parent
        foreign = [hour / "notes", hour.parent / "README", pathlib.Path(self.deployment, "wal", "lost+found"),
                   pathlib.Path(self.deployment, "meta", "notes"),
                   pathlib.Path(self.deployment, "meta", "sessions", "notes"),
                   pathlib.Path(self.deployment, "compacted", "notes"), pathlib.Path(self.deployment, "notes")]
        for path in foreign:
            path.write_text("mine", encoding="utf-8")
        self.ok("append", "s", stdin=lines(3, 1))
        self.assertEqual(self.ok("read", "s"), lines(0, 4))
        self.ok("trim", "s", "--before", "2")
        self.ok("stream", "create", "t")
        for path in foreign:
            self.assertEqual(path.read_text(encoding="utf-8"), "mine")


class Files(TestCase):
    """Lost and cut files."""

    def setUp(self):
        super().setUp()
        self.ok("stream", "create", "s")
        self.append_in_objects("s", 5)

    def expect_hole_at(self, hole, *words):
        """Everything but one entry can be read, that one is an error, and appending goes on."""
        result = self.command("read", "s")
        self.explained(result, 5, *words)
        self.assertEqual(result.stdout, lines(0, hole))
        self.assertEqual(self.ok("read", "s", "--from", hole + 1), lines(hole + 1, 4 - hole))
        self.ok("append", "s", stdin=lines(5, 1))
        self.assertEqual(self.ok("read", "s", "--from", hole + 1), lines(hole + 1, 5 - hole))

    def test_a_lost_object(self):
        victim = self.objects()[2]
        victim.unlink()
        self.expect_hole_at(2, victim.name, "does not exist")

    def test_a_cut_object(self):
        victim = self.objects()[2]
        for size in (0, 1, 7, victim.stat().st_size - 1):
            with self.subTest(size=size):
                os.truncate(victim, size)
                result = self.command("read", "s")
                self.explained(result, 5, victim.name)
                self.assertEqual(result.stdout, lines(0, 2))
        self.expect_hole_at(2, victim.name)

    def test_an_object_that_grew(self):
        victim = self.objects()[2]
        with open(victim, "ab") as file:
            file.write(b"x")
        self.expect_hole_at(2, victim.name)

    def test_cut_metadata(self):
        data = os.path.join(self.deployment, "meta", "data.mdb")
        whole = pathlib.Path(data).read_bytes()
        outcomes = collections.Counter()
        for size in [0, 1, 100, 4095] + list(range(4096, len(whole), 4096)) + [len(whole) - 1]:
            with self.subTest(size=size):
                pathlib.Path(data).write_bytes(whole[:size])
                result = self.command("read", "s")
                if result.returncode == 0:
                    self.assertEqual(result.stdout, lines(0, 5))
                else:
                    self.explained(result, 5)
                outcomes[result.returncode] += 1
        self.assertGreater(outcomes[5], 2)
        pathlib.Path(data).write_bytes(whole)
        self.assertEqual(self.ok("read", "s"), lines(0, 5))

    def test_lost_lock_files(self):
        os.remove(os.path.join(self.deployment, "meta", "lock.mdb"))
        shutil.rmtree(os.path.join(self.deployment, "meta", "sessions"))
        self.ok("append", "s", stdin=lines(5, 1))
        self.assertEqual(self.ok("read", "s"), lines(0, 6))


class Bits(TestCase):
    """One flipped bit."""

    EVERY = int(os.environ.get("LAKESTREAM_FLIP_EVERY", "1"))

    def setUp(self):
        super().setUp()
        # Opaque: record batches have checksums of their own.
        self.ok("stream", "create", "s", "--binding", "raw")

    def test_in_an_object(self):
        self.append_in_objects("s", 3)
        victim = self.objects()[1]
        for bit in range(victim.stat().st_size * 8):
            flip(victim, bit)
            if bit % 16 == 0:
                result = self.command("read", "s")
                self.explained(result, 5, victim.name)
                self.assertEqual(result.stdout, lines(0, 1))
            flip(victim, bit)
        self.assertEqual(self.ok("read", "s"), lines(0, 3))

    def append_a_large_object(self):
        """One that readers read by ranges: its bytes and its file."""
        payload = random.Random(2).randbytes(3_000_000)
        self.ok("append", "s", "-q", "--raw", stdin=payload)
        self.assertEqual(self.ok("read", "s", "--format", "raw"), payload)
        [victim] = self.objects()
        return payload, victim

    def expect_every_block_is_checked(self, victim, step):
        size = victim.stat().st_size
        for byte in [*range(0, size, step), size - 1]:
            flip(victim, byte * 8 + byte % 8)
            result = self.command("read", "s", "--format", "raw")
            self.explained(result, 5, victim.name)
            self.assertEqual(result.stdout, b"", byte)
            flip(victim, byte * 8 + byte % 8)

    def test_in_a_large_object_that_is_read_by_ranges(self):
        payload, victim = self.append_a_large_object()
        self.expect_every_block_is_checked(victim, 64 << 10)
        for size in (len(payload), 2 << 20, 70_000):
            whole = victim.read_bytes()
            os.truncate(victim, size)
            self.explained(self.command("read", "s"), 5, victim.name)
            with open(victim, "r+b") as file:
                file.write(whole)
        flip(victim, 16_000_000)
        shown = self.command("inspect", "wal", str(victim.relative_to(self.deployment + "/wal")))
        self.explained(shown, 5, victim.name, "checksum")
        self.assertIn(b"payload_region_size", shown.stdout)
        flip(victim, 16_000_000)
        self.assertEqual(self.ok("read", "s", "--format", "raw"), payload)

    def test_in_a_large_object_whose_blocks_have_no_checksums(self):
        payload, victim = self.append_a_large_object()
        name = "user.lakestream.crc32c"
        os.setxattr(victim, name, os.getxattr(victim, name)[:8])
        self.expect_every_block_is_checked(victim, 500_000)
        self.assertEqual(self.ok("read", "s", "--format", "raw"), payload)

    def test_in_an_object_without_its_checksum_attribute(self):
        # As after a copy that drops extended attributes. The payload has no other checksum; the rest is checked.
        self.append_in_objects("s", 3)
        victim = self.objects()[1]
        for name in os.listxattr(victim):
            os.removexattr(victim, name)
        payload = victim.stat().st_size - 8
        for bit in range(0, payload * 8, self.EVERY):
            flip(victim, bit)
            result = self.command("read", "s")
            flip(victim, bit)
            if result.returncode != 0:
                self.explained(result, 5, victim.name)
            self.assertNotEqual((result.returncode, result.stdout), (0, lines(0, 3)), bit)

    def test_in_a_record_batch_of_an_object_without_its_checksum_attribute(self):
        self.ok("stream", "create", "batches")
        self.ok("append", "batches", "-q", stdin=lines(0, 3))
        [victim] = self.objects()
        for name in os.listxattr(victim):
            os.removexattr(victim, name)
        size = victim.stat().st_size
        batch = 4 + int.from_bytes(victim.read_bytes()[:4], "big")  # behind the index region
        found = 0
        for bit in range(batch * 8, size * 8, 7):
            flip(victim, bit)
            result = self.command("read", "batches")
            flip(victim, bit)
            if 12 <= bit // 8 - batch < 16:  # the leader's epoch: nobody uses it, and no checksum covers it
                self.assertEqual((result.returncode, result.stdout), (0, lines(0, 3)), bit)
                continue
            self.explained(result, 5, "entry_offset=0", "partition=0")
            self.assertEqual(result.stdout, b"", bit)
            found += 1
        self.assertGreater(found, 50)

    CRASHES = {-signal.SIGSEGV: "SIGSEGV", -signal.SIGABRT: "SIGABRT", -signal.SIGBUS: "SIGBUS"}

    def damaged(self, bit, expected, *arguments, stdin=b""):
        """What a command made of damaged metadata: never a wrong answer. LMDB itself may crash."""
        result = self.command(*arguments, stdin=stdin)
        if result.returncode == 0:
            self.assertEqual(result.stdout, expected, bit)
            return "served"
        if result.returncode in self.CRASHES:
            return self.CRASHES[result.returncode]
        self.assertIn(result.returncode, (1, 5), (bit, result.stderr))
        self.assertTrue(result.stderr.splitlines()[-1].startswith(b"lakestream: "), (bit, result.stderr))
        return f"error {result.returncode}"

    def test_in_the_metadata(self):
        # In memory: three commands a flip, and nothing here is about the disk.
        self.deployment += "-in-memory"
        self.mount("64m")
        self.ok("stream", "create", "s")
        self.append_in_objects("s", 20)
        data = os.path.join(self.deployment, "meta", "data.mdb")
        whole = pathlib.Path(data).read_bytes()
        rng = random.Random(1)
        flips = int(os.environ.get("LAKESTREAM_FLIPS", "300"))
        outcomes = collections.Counter()
        for _ in range(flips):
            bit = rng.randrange(len(whole) * 8)
            pathlib.Path(data).write_bytes(whole)
            flip(data, bit)
            seen = [self.damaged(bit, lines(0, 20), "read", "s")]
            if seen == ["served"]:
                seen.append(self.damaged(bit, b"", "append", "s", "-q", stdin=lines(20, 1)))
            if seen == ["served", "served"]:
                seen.append(self.damaged(bit, lines(0, 21), "read", "s"))
            outcomes[", ".join(seen)] += 1
        pathlib.Path(data).write_bytes(whole)
        print(f"\n{flips} flips in {len(whole)} bytes; read, then append, then read: {dict(outcomes)}", file=sys.stderr)
        self.assertEqual(self.ok("read", "s"), lines(0, 20))

    def test_in_the_lock_files(self):
        self.append_in_objects("s", 2)
        lock = os.path.join(self.deployment, "meta", "lock.mdb")
        size = os.stat(lock).st_size
        for bit in range(0, size * 8, 331 * self.EVERY):
            flip(lock, bit)
            self.assertEqual(self.ok("read", "s"), lines(0, 2))


class Clock(TestCase):
    def at(self, seconds, *arguments, stdin=b""):
        env = harness.preloading(os.environ["LAKESTREAM_CLOCK"], SHIFT_CLOCK_SECONDS=str(seconds))
        result = harness.run(*arguments, "--deployment", self.deployment, stdin=stdin, env=env)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_a_clock_set_back_an_hour_and_more(self):
        self.ok("stream", "create", "s")
        self.ok("append", "s", "-q", stdin=lines(0, 1))
        names = {p.name for p in self.objects()}
        self.at(-3600, "append", "s", stdin=lines(1, 1))
        moved = [p for p in self.objects() if p.name not in names]
        self.assertNotEqual(moved[0].parent, self.objects()[0].parent, "the clock of that process was not moved")
        self.at(-2 * 3600, "append", "s", stdin=lines(2, 1))
        self.at(3 * 3600, "append", "s", stdin=lines(3, 1))
        back = self.at(0, "append", "s", stdin=lines(4, 1))
        self.assertIn(b"clock", back.stderr, "a clock an hour behind the deployment is worth a word")
        self.assertEqual(self.ok("read", "s"), lines(0, 5))


if __name__ == "__main__":
    harness.BINARY = sys.argv.pop(1)
    unittest.main()
