"""The driver of CI: skipped tests and their reasons, the time budget, what it says at the end."""

import concurrent.futures
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import ci  # noqa: E402

GTEST_SKIP_OUTPUT = """[ RUN      ] Disk.Full
/x/disk_test.cc:12: Skipped
cannot mount a
small file system

[  SKIPPED ] Disk.Full (0 ms)
"""
CTEST_FILE = """
add_test(Passes "true")
add_test(Skips "cat" "said")
set_tests_properties(Skips PROPERTIES SKIP_REGULAR_EXPRESSION "\\\\[  SKIPPED \\\\]")
add_test(SkipsByCode "sh" "-c" "echo SKIPPED: no python; exit 77")
set_tests_properties(SkipsByCode PROPERTIES SKIP_RETURN_CODE 77)
add_test(Silent "false")
set_tests_properties(Silent PROPERTIES SKIP_RETURN_CODE 1)
add_test(Disabled "true")
set_tests_properties(Disabled PROPERTIES DISABLED TRUE)
"""


def quiet():
    return contextlib.redirect_stdout(io.StringIO())


class Skips(unittest.TestCase):
    def test_reasons_are_read_from_the_report_that_ctest_makes(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "said").write_text(GTEST_SKIP_OUTPUT)
            Path(folder, "CTestTestfile.cmake").write_text(CTEST_FILE)
            report = Path(folder, "report.xml")
            command = ["ctest", "--test-dir", folder, "--output-junit", str(report)]
            subprocess.run(command, check=True, capture_output=True)
            self.assertEqual(
                sorted(ci.skipped_tests(report)),
                [
                    ("Disabled", "no reason given"),
                    ("Silent", "no reason given"),
                    ("Skips", "cannot mount a small file system"),
                    ("SkipsByCode", "no python"),
                ],
            )

    def test_a_reason_must_be_in_the_list_only_in_ci(self):
        for reason, strict, refused in (("x", True, True), ("x", False, False), ("not here: y", True, False)):
            driver = ci.Driver(strict, allowed_skips=["not here"])
            try:
                driver.check_skips("release", [("Name", reason)])
                self.assertFalse(refused)
            except ci.Failed as failure:
                self.assertTrue(refused)
                self.assertIn("Name: x", str(failure))
            self.assertEqual(driver.skips, [f"release: Name: {reason}"])


class Time(unittest.TestCase):
    def driver(self, used_seconds):
        driver = ci.Driver(strict=True, allowed_skips=[])
        driver.started = time.time() - used_seconds
        return driver

    def test_nothing_optional_is_begun_when_the_budget_is_nearly_spent(self):
        with quiet(), self.assertRaises(ci.OutOfTime):
            self.driver(ci.OPTIONAL_BUDGET - 30).run(["true"], optional=True)
        with quiet():
            self.assertEqual(self.driver(ci.OPTIONAL_BUDGET - 30).run(["echo", "x"]), (0, "x\n"))

    def test_what_runs_when_the_time_is_over_is_ended_with_its_children(self):
        for optional, error in ((True, ci.OutOfTime), (False, ci.Failed)):
            limits = {"OPTIONAL_BUDGET": 2, "WORTH_STARTING": 0, "HARD_LIMIT": 2}
            with tempfile.NamedTemporaryFile() as pid_file, quiet(), mock.patch.multiple(ci, **limits):
                script = f"sleep 100 & echo $! >{pid_file.name}; wait"
                with self.assertRaises(error):
                    self.driver(0).run(["sh", "-c", script], optional=optional)
                child = int(Path(pid_file.name).read_text())
            self.assert_ended(child)

    def assert_ended(self, pid):
        """Waits a while: a killed process whose parent is gone may stay a zombie until init looks."""
        state = Path(f"/proc/{pid}/stat")
        deadline = time.time() + 20
        while state.exists() and ") Z " not in state.read_text():
            self.assertLess(time.time(), deadline, "still running")
            time.sleep(0.01)

    def test_a_command_ends_with_the_driver(self):
        self.check_end("import ci; ci.take_commands_along(); ci.Driver(True, []).run(['sh', '-c', {!r}])")

    def test_a_command_that_another_thread_started_ends_with_the_driver(self):
        self.check_end(
            "import ci, concurrent.futures as c; ci.take_commands_along()\n"
            "with c.ThreadPoolExecutor(1) as pool: list(pool.map(ci.Driver(True, []).run, [['sh', '-c', {!r}]]))"
        )

    def test_a_command_that_is_just_started_ends_with_the_driver(self):
        # The child tells its pid while its start has not returned yet: there the signal comes.
        self.check_end(
            "import ci, subprocess, time; ci.take_commands_along(); start = subprocess.Popen.__init__\n"
            "def slow(self, *a, **k):\n"
            "    start(self, *a, **k)\n"
            "    while not ci.COMMANDS.ending: time.sleep(0.01)\n"
            "subprocess.Popen.__init__ = slow; ci.Driver(True, []).run(['sh', '-c', {!r}])"
        )

    def test_another_thread_does_not_touch_what_the_main_thread_says_of_its_start(self):
        wrote = []

        class Watched(ci.Commands):
            starting = property(lambda _: False, lambda _, value: wrote.append(threading.current_thread()))

        commands = Watched()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            pool.submit(commands.start, ["true"]).result().wait()
        self.assertEqual(set(wrote), {threading.main_thread()})

    def check_end(self, program):
        with tempfile.TemporaryDirectory() as folder:
            pid_file = Path(folder, "pid")
            command = program.format(f"sleep 100 & echo $! >{pid_file}.new; mv {pid_file}.new {pid_file}; wait")
            environment = {**os.environ, "PYTHONPATH": str(ROOT / "tools"), "PYTHONDONTWRITEBYTECODE": "1"}
            with subprocess.Popen([sys.executable, "-c", command], env=environment, stdout=subprocess.DEVNULL) as driver:
                deadline = time.time() + 20
                while not pid_file.exists():
                    self.assertLess(time.time(), deadline, "the command did not start")
                    time.sleep(0.01)
                driver.terminate()
                self.assertEqual(driver.wait(20), 143)
            self.assert_ended(int(pid_file.read_text()))

    def test_a_part_says_what_it_left_out_and_such_a_run_is_no_base(self):
        plan = ci.ci_plan.Plan(chosen=(("src/a", "its turn"), ("src/b", "its turn"), ("src/c", "x")), left_out=(("src/d", 3),))
        driver = self.driver(0)

        def build(part, preset, target="all", optional=False):
            if target == "src/b/all":
                raise ci.OutOfTime()

        driver.build = build
        driver.test = lambda *arguments, **options: self.assertEqual(arguments[2], "src/a")
        with quiet():
            driver.in_rotation("clang", plan, with_tests=["src/a"])
        self.assertEqual(
            driver.parts[0].notes,
            ["took: src/a", "left out, the time budget is spent: src/b src/c", "left out, runs until its turn: src/d 3"],
        )
        self.assertFalse(ci.all_taken(driver.parts))


class Closing(unittest.TestCase):
    def test_the_last_lines_are_those_of_ctest(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, command, status in (("good", "true", None), ("bad", "false", "tests failed: release bad")):
                tree = Path(folder, "build/release", name)
                tree.mkdir(parents=True)
                (tree / "CTestTestfile.cmake").write_text(f'add_test(A "{command}")\nadd_test(B "true")')
                driver = ci.Driver(strict=True, allowed_skips=[])
                driver.everything = lambda preset, d=driver, n=name: (
                    d.parts.append(ci.Part(preset)),
                    d.test(d.parts[-1], preset, n),
                )
                shown = io.StringIO()
                with mock.patch.object(ci, "ROOT", Path(folder)), contextlib.redirect_stdout(shown):
                    self.assertEqual(driver.main(ci=False), 1 if status else 0)
                end = shown.getvalue().rpartition("Minutes by part")[2]
                self.assertEqual(f"FAILED: {status}" in end, bool(status))
                expected = "50% tests passed, 1 tests failed out of 2" if status else "100% tests passed, 0 tests failed out of 2"
                self.assertRegex(end, rf"(?s)\n{expected}\n.*Total Test time \(real\) = ")

    def test_a_folder_without_tests_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "build/release").mkdir(parents=True)
            driver = ci.Driver(strict=True, allowed_skips=[])
            with mock.patch.object(ci, "ROOT", Path(folder)), quiet(), self.assertRaises(ci.Failed):
                driver.test(ci.Part("release"), "release")


class Streams(unittest.TestCase):
    def run_streams(self, status, output):
        driver = ci.Driver(strict=True, allowed_skips=[])
        calls = []
        driver.run = lambda command, env=None: calls.append((command, env)) or (status, output)
        driver.run_streams(1000)
        return calls

    def test_each_store_gets_seeds_from_the_first_on(self):
        calls = self.run_streams(0, "[  PASSED  ] 6 tests.")
        self.assertEqual(len(calls), len(ci.STREAMS))
        for (command, env), (program, test, count) in zip(calls, ci.STREAMS):
            self.assertEqual(command, [f"build/release/bin/{program}", f"--gtest_filter={test}"])
            self.assertEqual(env, {"LAKESTREAM_OP_SEEDS": f"1000..{1000 + count - 1}"})

    def test_a_failure_and_a_filter_that_finds_nothing_fail(self):
        for status, output in ((1, "[  FAILED  ] x"), (0, "[  PASSED  ] 0 tests.")):
            with self.assertRaises(ci.Failed):
                self.run_streams(status, output)


class Proof(unittest.TestCase):
    RECORD = ci.proof.Record("r.md", "0123456789ab" + "0" * 28, {}, [])

    def check(self, record=RECORD, same=True, known=True, run=1, status=0):
        """The notes, and whether the record was checked, as an optional step or not."""
        driver = ci.Driver(strict=True, allowed_skips=[])
        ran = []
        driver.run = lambda command, optional: ran.append(optional) or (status, "")
        facts = {"newest_record": lambda: record, "same_sources": lambda _: same, "has_revision": lambda _: known}
        with mock.patch.multiple(ci.proof, **facts):
            driver.check_proof(run)
        return driver.parts[0].notes[0], ran

    def test_the_same_sources_are_checked_in_every_run(self):
        for run in range(ci.ci_plan.ROTATION):
            self.assertEqual(self.check(run=run, known=False), ("r.md: the recorded traces", [False]))

    def test_other_sources_are_built_in_their_turn(self):
        self.assertEqual(self.check(same=False, run=0), ("r.md: the recorded traces", [True]))
        self.assertEqual(self.check(same=False, run=3), ("left out: its sources are older; they are built in 2 runs", []))

    def test_what_cannot_be_checked_is_said(self):
        note, ran = self.check(same=False, known=False, run=0)
        self.assertEqual((note, ran), ("left out: the history of this clone does not go back to 0123456789ab", []))
        self.assertEqual(self.check(record=None), ("left out: no record in docs/proof has hashes yet", []))

    def test_other_traces_fail(self):
        with self.assertRaises(ci.Failed):
            self.check(status=1)


class Sanitizers(unittest.TestCase):
    def test_leaks_are_looked_for_and_the_caller_has_the_last_word(self):
        with mock.patch.dict(os.environ, {"ASAN_OPTIONS": "detect_leaks=0"}):
            settings = ci.sanitizer_environment("asan")["ASAN_OPTIONS"].split(":")
        self.assertLess(settings.index("detect_leaks=1"), settings.index("detect_leaks=0"))
        self.assertEqual(ci.sanitizer_environment("release"), {})


if __name__ == "__main__":
    unittest.main()
