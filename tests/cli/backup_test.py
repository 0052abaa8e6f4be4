"""Backs deployments up while they are written to, kills that, and brings them back."""

import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest

import harness


class TestCase(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.ok("stream", "create", "s", "--binding", "raw")
        self.copy = os.path.join(self.folder, "copy")

    def lose(self):
        os.rename(os.path.join(self.deployment, "meta"), os.path.join(self.folder, "old-meta"))

    def restore(self, *arguments, backup=None, code=0):
        return self.finished(code, harness.run("restore", backup or self.copy, "--to", self.deployment, *arguments))

    def finished(self, code, result):
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stdout.decode()


class Backup(TestCase):
    def test_lost_metadata_comes_back(self):
        self.ok("append", "s", stdin=b"a\nb\n")
        report = json.loads(self.ok("backup", self.copy, "--json"))
        self.assertEqual(sorted(os.listdir(self.copy)), ["backup.json", "metadata.mdb"])
        self.assertEqual(report["bytes"], os.path.getsize(os.path.join(self.copy, "metadata.mdb")))
        self.assertEqual(report["usable_until_ms"] - report["made_ms"], 86_400_000)
        self.ok("append", "s", stdin=b"lost\n")
        self.assertIn("there is something", self.refused(1, "backup", self.copy))
        line = self.one_line(harness.run("restore", self.copy, "--to", self.deployment))
        self.assertIn("there is metadata here", line)
        self.assertEqual(self.ok("read", "s"), b"a\nb\nlost\n")
        self.lose()
        self.refused(5, "read", "s")
        restored = json.loads(self.restore("--json"))
        [lost] = restored["lost_objects"]
        self.assertEqual((lost["entries"], lost["payload_bytes"]), (1, 4))
        self.assertTrue(os.path.isfile(os.path.join(self.deployment, "wal", lost["object"])))
        self.assertEqual((restored["lost_entries"], restored["lost_bytes"], restored["damage"]), (1, 4, 0))
        self.assertEqual(self.ok("read", "s"), b"a\nb\n")
        self.assertEqual(self.ok("append", "s", "--offsets", stdin=b"c\n"), b"1 0 2\n")
        made = json.loads(self.ok("stream", "create", "t", "--json"))
        self.assertGreater(made["logs"][0], restored["log_ids_above"])
        report = json.loads(self.ok("fsck", "--deep", "--json"))
        self.assertEqual(report["damage"], 0)

    def test_text_and_a_moved_folder(self):
        self.ok("append", "s", stdin=b"a\n")
        self.assertRegex(self.ok("backup", self.copy).decode(), r"^copied \d+ records, \d+ bytes, to .*\nusable until 2")
        self.ok("append", "s", stdin=b"lost\n")
        self.lose()
        os.rename(self.deployment, self.deployment + "-moved")
        self.deployment += "-moved"
        text = self.restore()
        self.assertRegex(text, r"^lost: 20\S+ bytes=\d+ entries=1 payload_bytes=4\nnewer than the copy: 1 object with 1 entry of 4 bytes, ")
        self.assertIn('"lakestream hold release restore-', text)
        os.rename(self.deployment, self.deployment + "-again")
        self.deployment += "-again"
        self.assertEqual(self.ok("read", "s"), b"a\n")
        self.ok("append", "s", stdin=b"b\n")
        self.assertEqual(self.ok("read", "s"), b"a\nb\n")

    def test_a_configuration_goes_along(self):
        config = os.path.join(self.folder, "there.toml")
        with open(config, "w", encoding="utf-8") as file:
            for key, scheme, name in (("metadata", "lmdb", "m"), ("wal", "file", "w"), ("compacted", "file", "c")):
                file.write(f'{key} = "{scheme}://{self.folder}/{name}"\n')
        self.assertEqual(harness.run("stream", "create", "s", "--binding", "raw", "--deployment", config).returncode, 0)
        self.assertEqual(harness.run("append", "s", "--deployment", config, stdin=b"x\n").returncode, 0)
        self.finished(0, harness.run("backup", self.copy, "--deployment", config))
        kept = os.path.join(self.copy, "deployment.toml")
        with open(config, encoding="utf-8") as one, open(kept, encoding="utf-8") as other:
            self.assertEqual(one.read(), other.read())
        shutil.rmtree(os.path.join(self.folder, "m"))
        self.finished(0, harness.run("restore", self.copy, "--to", kept))
        self.assertEqual(harness.run("read", "s", "--deployment", config).stdout, b"x\n")

    def test_while_another_process_appends(self):
        writer = self.start("append", "s", "--offsets", stderr=subprocess.DEVNULL)
        acknowledged = 0
        for number in range(5):
            for line in range(200):
                writer.stdin.write(f"{number}-{line}\n".encode())
            writer.stdin.flush()
            for _ in range(200):
                self.assertTrue(writer.stdout.readline())
                acknowledged += 1
            # What is acknowledged now has to be in the copy; more is under way.
            for line in range(200):
                writer.stdin.write(f"{number}+{line}\n".encode())
            writer.stdin.flush()
            copy = f"{self.copy}-{number}"
            self.ok("backup", copy)
            target = os.path.join(self.folder, f"restored-{number}")
            for root in ("wal", "compacted"):
                shutil.copytree(os.path.join(self.deployment, root), os.path.join(target, root))
            self.finished(0, harness.run("restore", copy, "--to", target, "--json"))
            lines = harness.run("read", "s", "--deployment", target).stdout.splitlines()
            self.assertGreaterEqual(len(lines), acknowledged)
            for _ in range(200):
                self.assertTrue(writer.stdout.readline())
                acknowledged += 1
            whole = self.ok("read", "s").splitlines()
            self.assertEqual(lines, whole[:len(lines)])
            # A deployment of its own from now on.
            self.finished(0, harness.run("append", "s", "--deployment", target, stdin=b"mine\n"))
            self.assertEqual(harness.run("read", "s", "--deployment", target).stdout.splitlines(), lines + [b"mine"])
        writer.stdin.close()
        self.assertEqual(writer.wait(timeout=harness.TIMEOUT), 0)

    def test_killed_in_the_middle(self):
        # Many records, so that a copy takes a while.
        self.ok("stream", "create", "wide", "--partitions", "4000")
        partial = self.copy + ".partial"
        hits = 0
        for _ in range(12):
            process = self.start("backup", self.copy)
            deadline = time.monotonic() + harness.TIMEOUT
            while process.poll() is None and time.monotonic() < deadline:
                if glob.glob(os.path.join(partial, "*")):
                    break
            process.send_signal(signal.SIGKILL)
            process.wait()
            if os.path.exists(self.copy):
                shutil.rmtree(self.copy)
                continue
            hits += os.path.exists(partial)
        self.assertGreaterEqual(hits, 9)
        self.ok("backup", self.copy)
        self.assertFalse(os.path.exists(partial))
        self.lose()
        self.restore()
        self.assertEqual(len(json.loads(self.ok("stream", "describe", "wide", "--json"))["partitions"]), 4000)

    def test_a_restore_that_is_killed_can_be_repeated(self):
        self.ok("append", "s", stdin=b"a\n")
        self.ok("backup", self.copy)
        self.lose()
        partial = os.path.join(self.deployment, "meta.partial")
        for _ in range(8):
            process = harness.start("restore", self.copy, "--to", self.deployment)
            self.addCleanup(self._end, process)
            while process.poll() is None and not glob.glob(os.path.join(partial, "*")):
                pass
            process.send_signal(signal.SIGKILL)
            process.wait()
            if os.path.exists(os.path.join(self.deployment, "meta")):
                self.assertEqual(self.ok("read", "s"), b"a\n")
                shutil.rmtree(os.path.join(self.deployment, "meta"))
        self.restore()
        self.assertFalse(os.path.exists(partial))
        self.assertEqual(self.ok("read", "s"), b"a\n")

    def test_what_is_not_there(self):
        line = self.one_line(harness.run("restore", self.copy, "--to", os.path.join(self.folder, "new")))
        self.assertIn("there is no backup here", line)
        self.refused(1, "backup", os.path.join(self.folder, "none", "copy"))
        result = harness.run("restore", self.copy)
        self.assertEqual(result.returncode, 2)
        self.one_line(result)

    def test_an_old_copy(self):
        self.ok("append", "s", stdin=b"a\n")
        self.ok("backup", self.copy)
        manifest = os.path.join(self.copy, "backup.json")
        with open(manifest, encoding="utf-8") as file:
            fields = json.load(file)
        fields["made_ms"] -= 90_000_000
        with open(manifest, "w", encoding="utf-8") as file:
            json.dump(fields, file)
        self.lose()
        result = harness.run("restore", self.copy, "--to", self.deployment)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"older than the grace", result.stderr)
        shutil.rmtree(os.path.join(self.deployment, "meta"))
        for path in glob.glob(os.path.join(self.deployment, "wal", "**"), recursive=True):
            if os.path.isfile(path):
                os.remove(path)
        result = harness.run("restore", self.copy, "--to", self.deployment, "-q")
        self.assertEqual(result.returncode, 5)
        self.assertIn(b"lakestream fsck", result.stderr)


class Holds(TestCase):
    def test_add_list_release(self):
        self.assertEqual(json.loads(self.ok("hold", "list", "--json")), [])
        self.assertEqual(self.ok("hold", "add", "weekly", "--reason", "copy of sunday"), b"held: weekly\n")
        self.assertIn("hold=weekly", self.refused(1, "hold", "add", "weekly", "--reason", "again"))
        [hold] = json.loads(self.ok("hold", "list", "--json"))
        self.assertEqual((hold["name"], hold["reason"]), ("weekly", "copy of sunday"))
        self.assertRegex(self.ok("hold", "list").decode(), r"^weekly  2\S+Z  copy of sunday\n$")
        self.assertEqual(json.loads(self.ok("inspect", "meta", "/lakestream/holds", "--json"))["kind"],
                         "collection_holds")
        self.assertEqual(json.loads(self.ok("fsck", "--json"))["findings"], [])
        self.ok("hold", "add", "daily", "--reason", "copy of monday")
        self.assertEqual(self.ok("hold", "release", "weekly"), b"released: weekly\n")
        self.assertEqual([hold["name"] for hold in json.loads(self.ok("hold", "list", "--json"))], ["daily"])
        self.refused(4, "hold", "release", "weekly")
        self.refused(2, "hold", "add", "UPPER", "--reason", "r")
        self.refused(2, "hold")


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
