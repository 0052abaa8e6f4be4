#!/usr/bin/env python3
"""Records of long runs: what is read from the simulator, what stands in a record, and that another trace is noticed."""

import contextlib
import io
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import proof  # noqa: E402

REVISION = "0123456789abcdef0123456789abcdef01234567"
TREES = {"include": "1" * 40, "sim": "2" * 40, "src": "3" * 40}
SUM = """8034 runs, 4109361 calls, 330064980 steps, 38959480634255524ns of virtual time in 600.4 s: 803 runs/min, 0.55 M steps/s, 1081.5 virtual hours/min
Probes, and in how many runs each was hit
  late_answer                      69
  tail_woke                        6528
"""
# Stands for the simulator: a hash that follows from scenario and seed.
PROGRAM = """#!/bin/sh
printf '%s %s %016x\\n' "$2" "$4" "$4"
"""


def make_runs(failures=()):
    run = proof.parse_run(100, SUM)
    other = proof.parse_run(900_000, SUM)
    return [run, proof.Run(other.first, *list(vars(other).values())[1:6], tuple(failures))]


def make_record():
    runs = make_runs()
    scenarios = ["calm", "fences", "tails"]
    samples = [(s, n, f"{n:016x}") for s, n in proof.choose_samples(scenarios, runs)]
    facts = {"minutes": 10, "date": "2000-01-01", "revision": REVISION, "sources": TREES, "subject": "Some change", "machine": "2 cores",
             "scenarios": scenarios, "runs": runs, "mutants": "a_rule 3", "samples": samples}  # fmt: skip
    return proof.render(facts), samples


class Reading(unittest.TestCase):
    def test_the_sum_of_a_run(self):
        run = proof.parse_run(100, SUM)
        self.assertEqual((run.first, run.runs, run.steps, run.seconds), (100, 8034, 330064980, 600.4))
        self.assertAlmostEqual(run.hours, 1081.5 * 600.4 / 60)
        self.assertEqual(run.probes, {"late_answer": 69, "tail_woke": 6528})
        self.assertEqual(run.failures, ())

    def test_failures_are_kept_and_no_sum_is_an_error(self):
        self.assertEqual(proof.parse_run(1, "FAILED scenario=calm seed=3: x\n" + SUM).failures, ("FAILED scenario=calm seed=3: x",))
        with self.assertRaises(proof.Failed):
            proof.parse_run(1, "killed")

    def test_samples_are_seeds_that_ran_in_every_scenario_and_process(self):
        runs = make_runs()
        samples = proof.choose_samples(["calm", "fences", "tails"], runs)
        self.assertEqual(len(set(samples)), proof.SAMPLES)
        self.assertEqual({scenario for scenario, _ in samples}, {"calm", "fences", "tails"})
        for number, (_, seed) in enumerate(samples):
            first = runs[number % 2].first
            self.assertTrue(first <= seed < first + 8034 // 3)
        with self.assertRaises(proof.Failed):
            proof.choose_samples([str(i) for i in range(9000)], runs)


class Records(unittest.TestCase):
    def test_what_is_written_is_read_back(self):
        text, samples = make_record()
        self.assertEqual(proof.parse_record(text, "x"), proof.Record("x", REVISION, TREES, samples))
        self.assertIn("16068 runs, 660129960 steps", text)
        self.assertRegex(text, r"(?m)^late_answer +138$")
        self.assertLessEqual(max(map(len, text.splitlines())), 120)

    def test_a_record_without_revision_or_with_few_hashes_is_refused(self):
        text, samples = make_record()
        for broken in (text.replace(REVISION, "main"), text.replace("2" * 40, "2"), text.replace(samples[3][2], "gone")):
            with self.assertRaises(proof.Failed):
                proof.parse_record(broken, "x")
        self.assertIsNone(proof.parse_record("# made before there were hashes", "x"))


class Checking(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("src/a.cc", "sim/a.cc", "include/a.h", "docs/a.md"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text("1")
        (self.root / ".gitignore").write_text("build/\n")
        simulator = self.root / "build/release" / proof.SIMULATOR
        simulator.parent.mkdir(parents=True)
        simulator.write_text(PROGRAM)
        simulator.chmod(simulator.stat().st_mode | stat.S_IXUSR)
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "first")
        self.revision = self.git("rev-parse", "HEAD")
        patch = mock.patch.multiple(proof, ROOT=self.root, RECORDS=self.root / "docs")
        patch.start()
        self.addCleanup(patch.stop)

    def git(self, *arguments):
        identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
        return subprocess.check_output(["git", *identity, *arguments], cwd=self.root, text=True).strip()

    def write(self, name, text):
        """A record of what is committed."""
        for folder, tree in TREES.items():
            text = text.replace(tree, self.git("rev-parse", f"HEAD:{folder}"))
        path = self.root / "docs" / name
        path.write_text(text.replace(REVISION, self.revision))
        return proof.read_record(path)

    def test_the_newest_record_with_hashes_is_taken(self):
        text, _ = make_record()
        self.assertIsNone(proof.newest_record())
        (self.root / "docs" / "2000-01-03.md").write_text("none")
        for name, content in (("2000-01-01-0900.md", text), ("2000-01-02-0800.md", text)):
            self.write(name, content)
        self.assertEqual(proof.newest_record().name, "2000-01-02-0800.md")

    def test_the_same_traces_pass_and_another_one_fails(self):
        text, samples = make_record()
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            proof.check(self.write("2000-01-01-0900.md", text))
            self.assertIn("20 seeds of 2000-01-01-0900.md give the recorded traces (this tree)", shown.getvalue())
            wrong = text.replace(samples[7][2], "f" * 16)
            with self.assertRaises(proof.Failed):
                proof.check(self.write("2000-01-01-1000.md", wrong))
        self.assertIn(f"{samples[7][0]} {samples[7][1]}: recorded ffffffffffffffff, now {samples[7][2]}", shown.getvalue())

    def test_only_the_sources_decide_whether_a_tree_is_that_of_the_record(self):
        record = self.write("2000-01-01-0900.md", make_record()[0])
        self.assertTrue(proof.same_sources(record))
        (self.root / "docs/a.md").write_text("2")
        self.assertTrue(proof.same_sources(record))
        (self.root / "src/b.cc").write_text("new")
        self.assertFalse(proof.same_sources(record))
        (self.root / "src/b.cc").unlink()
        (self.root / "src/a.cc").write_text("2")
        self.assertFalse(proof.same_sources(record))
        self.git("commit", "-q", "-a", "-m", "second")
        self.assertFalse(proof.same_sources(record))
        self.assertTrue(proof.has_revision(self.revision))
        self.assertFalse(proof.has_revision(REVISION))

    def test_with_other_sources_the_revision_is_built_apart(self):
        text, _ = make_record()
        record = self.write("2000-01-01-0900.md", text)
        (self.root / "src/a.cc").write_text("2")
        simulator = self.root / "build/release" / proof.SIMULATOR
        with mock.patch.object(proof, "build_apart", return_value=simulator) as build:
            with contextlib.redirect_stdout(io.StringIO()) as shown:
                proof.check(record)
        build.assert_called_once_with(self.revision)
        self.assertIn("built apart", shown.getvalue())


if __name__ == "__main__":
    unittest.main()
