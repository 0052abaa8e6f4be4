#!/usr/bin/env python3
"""The runner of the fuzz targets: what it counts, and what makes a target fail."""

import contextlib
import io
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import fuzz  # noqa: E402

# Stands for a target: says what one of libFuzzer's runs would say.
PROGRAM = """#!/bin/sh
for argument in "$@"; do case $argument in -artifact_prefix=*) crashes=${{argument#*=}} ;; esac; done
{commands}
"""
COUNTS = "echo 'fuzz: executions={}'; echo 'fuzz: decoder=a b accepted={} rejected=7'"


class Targets(unittest.TestCase):
    def run_target(self, commands, seconds=1):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(fuzz, "BUILD", Path(folder)):
            program = Path(folder, "bin", "x_fuzz")
            program.parent.mkdir()
            program.write_text(PROGRAM.format(commands=commands))
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            outcome = fuzz.run_target("x", seconds, keep=False)
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            fuzz.print_outcome(outcome)
        return outcome, output.getvalue()

    def test_a_good_run_prints_its_counts(self):
        outcome, output = self.run_target(COUNTS.format(20_000, 3) + "; sleep 1")
        self.assertEqual(outcome.problems, [])
        self.assertIn("a b 3 accepted, 7 rejected", output)
        self.assertIn("20000 inputs", output)

    def test_few_inputs_fail_after_some_patience(self):
        outcome, output = self.run_target(COUNTS.format(1000, 3) + "; sleep 1.5")
        self.assertGreater(outcome.executions, 1000)
        self.assertIn("10000 are wanted", output)

    def test_a_slow_target_gets_more_time(self):
        outcome, _ = self.run_target(COUNTS.format(4000, 3) + "; sleep 1")
        self.assertEqual((outcome.problems, outcome.executions), ([], 12_000))

    def test_a_decoder_that_accepts_nothing_fails(self):
        _, output = self.run_target(COUNTS.format(20_000, 0) + "; sleep 1")
        self.assertIn("accepted nothing: a b", output)

    def test_no_counts_fail(self):
        _, output = self.run_target("echo 'fuzz: executions=20000'; sleep 1")
        self.assertIn("no decoder said anything", output)

    def test_a_crash_shows_its_input(self):
        _, output = self.run_target("printf abc >${crashes}crash-1; echo '==1==ERROR: AddressSanitizer: x'; exit 77")
        self.assertIn("YWJj", output)
        self.assertIn("ERROR: AddressSanitizer: x", output)
        self.assertIn("3 bytes", output)

    def test_the_project_has_targets_with_a_corpus_each(self):
        targets = fuzz.list_targets()
        self.assertGreaterEqual(len(targets), 20)
        for target in targets:
            files = [p for p in (ROOT / "fuzz" / "corpus" / target).iterdir() if p.is_file()]
            self.assertTrue(files, target)


if __name__ == "__main__":
    unittest.main()
