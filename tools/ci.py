#!/usr/bin/env python3
"""Builds and tests; test.sh calls this when the packages are there.

Without --ci: the release build and all tests. With it: also g++ with ASan and UBSan for everything, each fuzz target
for a fixed time, then clang and TSan for the folders that ci_plan.py names. Those two stop when the time budget is
spent, and say what they left out.
The last lines are ctest's own, of the release build when all is well.
"""

import argparse
import concurrent.futures
import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree
from dataclasses import dataclass, field
from pathlib import Path

import ci_plan
import proof

ROOT = Path(__file__).resolve().parents[1]
JOBS = "2"
OPTIONAL_BUDGET = 40 * 60  # seconds from the start of test.sh; optional work running then is ended
WORTH_STARTING = 60  # with fewer seconds left, an optional folder is not begun
HARD_LIMIT = 80 * 60  # what is not optional fails here, before the CI would cut it off without a word
FUZZ_SECONDS = 10  # for each fuzz target; two run at a time
TEST_TIMEOUT = "300"  # seconds for a test that states none
# Minutes of fresh seeds in the simulator, in two processes at a time; those that must be the same with each compiler.
SIMULATED = {"release": 2, "asan": 1}
COMPARED_SEEDS = (2, 3)  # one process each; the tests with sanitizers run seed 1
# Scenarios of which a run takes seconds, so that they are not among the fresh seeds: one of each in release.
DAYS = ("day", "day_with_a_stuck_log")
# Fresh streams of calls, against the memory stores: the program, its test, and how many.
STREAMS = (("meta_lmdb_test", "*StreamsOfCalls*", 60), ("objstore_conformance_test", "*StreamsAgree*", 60))

SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1:check_initialization_order=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1",
}
SYMBOLIZER = "/usr/bin/llvm-symbolizer-16"


class Failed(Exception):
    """A step failed; what has to be said about it, apart from its output, is the text."""


class OutOfTime(Exception):
    """An optional step was ended, or not begun, because the budget is spent."""


class Commands:
    """The commands that run now, each a process group of its own: they end with the driver, whichever thread started
    them, and also when the signal comes while one is being started."""

    def __init__(self):
        self.running = set()
        self.starting = False  # the main thread, in which signals are handled, starts one
        self.ending = False

    def start(self, command, **options):
        is_main = threading.current_thread() is threading.main_thread()
        if is_main:
            self.starting = True
        try:
            process = subprocess.Popen(command, start_new_session=True, **options)
            self.running.add(process)
        finally:
            if is_main:
                self.starting = False
        if self.ending:
            self.end()
        return process

    def end(self, *_):
        self.ending = True
        for process in list(self.running):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        if not self.starting:
            sys.exit(128 + signal.SIGTERM)


COMMANDS = Commands()


@dataclass
class Part:
    """One line of the summary."""

    name: str
    build_seconds: float = 0
    test_seconds: float = 0
    tests: int = 0
    notes: list = field(default_factory=list)
    closing: str = ""  # the last lines of its last ctest


class Driver:
    def __init__(self, strict, allowed_skips):
        self.strict = strict  # --ci: a skip for a reason that is not in the list fails
        self.allowed_skips = allowed_skips
        self.started = float(os.environ.get("LAKESTREAM_STARTED", time.time()))
        self.parts = []
        self.skips = []

    def elapsed(self):
        return time.time() - self.started

    def run(self, command, env=None, optional=False):
        """Runs a command with its output shown; returns exit status and output."""
        left = (OPTIONAL_BUDGET if optional else HARD_LIMIT) - self.elapsed()
        if optional and left < WORTH_STARTING:
            raise OutOfTime()
        print("+", " ".join(command), flush=True)
        expired = threading.Event()
        output = []
        with COMMANDS.start(
            command, cwd=ROOT, env={**os.environ, "NINJA_STATUS": "[%f/%t, %e s] ", **(env or {})},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        ) as process:  # fmt: skip

            def end():
                expired.set()
                os.killpg(process.pid, signal.SIGKILL)

            timer = threading.Timer(max(left, 1), end)
            timer.start()
            try:
                for line in process.stdout:
                    output.append(line)
                    print(line, end="", flush=True)
                status = process.wait()
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
            finally:
                timer.cancel()
                COMMANDS.running.discard(process)
        if expired.is_set():
            if optional:
                raise OutOfTime()
            raise Failed(f"not finished {HARD_LIMIT // 60} minutes after the start; ended")
        return status, "".join(output)

    def build(self, part, preset, target="all", optional=False):
        began = time.time()
        try:
            if not (ROOT / "build" / preset / "build.ninja").exists() or target == "all":
                if self.run(["cmake", "--preset", preset, "-DLAKESTREAM_TESTS=ON"], optional=optional)[0] != 0:
                    raise Failed(f"cmake failed: {preset}")
            build = ["cmake", "--build", f"build/{preset}", "-j", JOBS, "--target", target]
            if self.run(build, optional=optional)[0] != 0:
                raise Failed(f"the build failed: {preset}")
        finally:
            part.build_seconds += time.time() - began

    def test(self, part, preset, folder="", label=None, optional=False):
        """Runs the tests of a folder; there must be some."""
        began = time.time()
        report = ROOT / "build" / preset / "ctest.xml"
        report.unlink(missing_ok=True)
        command = ["ctest", "--test-dir", f"build/{preset}/{folder}".rstrip("/"), "-j", JOBS, "--output-on-failure",
                   "--timeout", TEST_TIMEOUT, "--no-tests=error", "--output-junit", str(report)]  # fmt: skip
        if label:
            command += ["-L", f"^{label}$"]
        if preset != "release":
            command = fixed_addresses() + command
        try:
            status, output = self.run(command, env=sanitizer_environment(preset), optional=optional)
        finally:
            part.test_seconds += time.time() - began
        found = re.search(r"^\d+% tests passed.*", output, re.MULTILINE | re.DOTALL)
        part.closing = found.group(0).rstrip() if found else output[-500:].rstrip()
        number = re.search(r"tests failed out of (\d+)", part.closing)
        part.tests += int(number.group(1)) if number else 0
        if status != 0:
            raise Failed(f"tests failed: {preset} {folder}".rstrip())
        self.check_skips(preset, skipped_tests(report))

    def check_skips(self, preset, skipped):
        refused = []
        for name, reason in skipped:
            self.skips.append(f"{preset}: {name}: {reason}")
            if not any(text in reason for text in self.allowed_skips):
                refused.append(f"  {name}: {reason}")
        if refused and self.strict:
            raise Failed("tests were skipped for reasons that are not in tests/allowed_skips.txt:\n" + "\n".join(refused))

    def everything(self, preset):
        part = Part(preset)
        self.parts.append(part)
        self.build(part, preset)
        self.test(part, preset)

    def fuzz(self):
        part = Part("fuzz")
        self.parts.append(part)
        self.build(part, "fuzz", "fuzz_targets")
        began = time.time()
        command = ["tools/fuzz.py", "--no-build", "--jobs", JOBS, "--seconds", str(FUZZ_SECONDS)]
        status, output = self.run(fixed_addresses() + command)
        part.test_seconds = time.time() - began
        part.closing = output.rstrip().rpartition("\n\n")[2]  # what is wrong, and the sum
        number = re.search(r"^(\d+) fuzz targets", part.closing, re.MULTILINE)
        part.tests = int(number.group(1)) if number else 0
        if status != 0:
            raise Failed("fuzz targets failed")

    def simulate(self, preset):
        """Fresh seeds in every commit, for a fixed time; in release each mutant, and streams of calls, too."""
        part = Part(f"sim {preset}")
        self.parts.append(part)
        began = time.time()
        prefix = fixed_addresses() if preset != "release" else []
        program = [*prefix, f"build/{preset}/bin/lakestream-sim"]
        first = int(ci_plan.git(ROOT, "rev-parse", "HEAD")[:8], 16)
        seeds = [first, first + 2**32]

        def run_fresh(seed):
            command = [*program, "--minutes", str(SIMULATED[preset]), "--seed", str(seed)]
            return self.run(command, env=sanitizer_environment(preset))[0]

        try:
            with concurrent.futures.ThreadPoolExecutor(len(seeds)) as pool:
                if any(list(pool.map(run_fresh, seeds))):
                    raise Failed(f"a seed failed in the simulator: {preset}")
            if preset == "release" and self.run([*program, "--mutants"])[0] != 0:
                raise Failed("a mutant survived in the simulator")
            if preset == "release":
                for day in DAYS:
                    if self.run([*program, "--scenario", day, "--seed", str(first)])[0] != 0:
                        raise Failed(f"a seed of {day} failed in the simulator")
                self.run_streams(first)
            else:
                self.compare_traces(preset)
        finally:
            part.test_seconds += time.time() - began
        part.notes.append(f"{SIMULATED[preset]} min each of seeds from " + " and ".join(str(seed) for seed in seeds))

    def run_streams(self, first):
        """Each store answers calls drawn from a seed as the memory store does."""
        for program, test, count in STREAMS:
            command = [f"build/release/bin/{program}", f"--gtest_filter={test}"]
            status, output = self.run(command, env={"LAKESTREAM_OP_SEEDS": f"{first}..{first + count - 1}"})
            if status != 0 or "[  PASSED  ] 0 tests" in output:
                raise Failed(f"a stream of calls was answered in another way: {program}")

    def compare_traces(self, preset):
        """A run follows from its seed, whatever the compiler."""

        def hashes_of(built, seed):
            prefix = fixed_addresses() if built != "release" else []
            command = prefix + [f"build/{built}/bin/lakestream-sim", "--seeds", f"{seed}..{seed}", "--hashes"]
            status, output = self.run(command, env=sanitizer_environment(built))
            hashes = re.findall(r"^\w+ \d+ [0-9a-f]{16}$", output, re.MULTILINE)
            if status != 0 or not hashes:
                raise Failed(f"the simulator gave no traces to compare: {built}")
            return hashes

        with concurrent.futures.ThreadPoolExecutor(len(COMPARED_SEEDS)) as pool:
            pairs = [list(pool.map(lambda seed, built=built: hashes_of(built, seed), COMPARED_SEEDS))
                     for built in ("release", preset)]  # fmt: skip
        if pairs[0] != pairs[1]:
            raise Failed(f"the same seeds gave other traces in {preset} than in release")

    def check_proof(self, run):
        """The traces of the newest record; where the sources are no longer its own, its revision is built in its turn."""
        part = Part("proof")
        self.parts.append(part)
        began = time.time()
        try:
            record = proof.newest_record()
            if record is None:
                part.notes.append("left out: no record in docs/proof has hashes yet")
                return
            same = proof.same_sources(record)
            if not same and not proof.has_revision(record.revision):
                part.notes.append(f"left out: the history of this clone does not go back to {record.revision[:12]}")
            elif not same and run % ci_plan.ROTATION != 0:
                part.notes.append(f"left out: its sources are older; they are built in {-run % ci_plan.ROTATION} runs")
            elif self.run(["tools/proof.py", "check"], optional=not same)[0] != 0:
                raise Failed("the seeds of a record in docs/proof give other traces")
            else:
                part.notes.append(f"{record.name}: the recorded traces")
        except OutOfTime:
            part.notes.append("left out, no time is left to build the record's revision")
        except proof.Failed as failure:
            raise Failed(str(failure)) from failure
        finally:
            part.test_seconds += time.time() - began

    def in_rotation(self, preset, plan, with_tests, label=None):
        part = Part(preset)
        self.parts.append(part)
        done = []
        for position, (unit, why) in enumerate(plan.chosen):
            try:
                print(f"\n--- {preset}: {unit} ({why})", flush=True)
                self.build(part, preset, f"{unit}/all", optional=True)
                if unit in with_tests:
                    self.test(part, preset, unit, label, optional=True)
                if unit == "sim" and label is None:
                    self.compare_traces(preset)
                done.append(unit)
            except OutOfTime:
                rest = " ".join(u for u, _ in plan.chosen[position:])
                part.notes.append(f"left out, the time budget is spent: {rest}")
                break
        part.notes.insert(0, "took: " + (" ".join(done) or "nothing"))
        if plan.left_out:
            part.notes.append("left out, runs until its turn: " + ", ".join(f"{u} {n}" for u, n in plan.left_out))

    def summary(self):
        print("\nMinutes by part")
        print(f"  packages   {(self.began_parts - self.started) / 60:5.1f}")
        for part in self.parts:
            times = f"build {part.build_seconds / 60:.1f}, tests {part.test_seconds / 60:.1f}"
            print(f"  {part.name:10} {(part.build_seconds + part.test_seconds) / 60:5.1f}   {times}; {part.tests} tests")
            for note in part.notes:
                print(f"                     {note}")
        print(f"  total      {self.elapsed() / 60:5.1f}")
        if self.skips:
            print("Skipped\n  " + "\n  ".join(self.skips))

    def main(self, ci):
        self.began_parts = time.time()
        repository = ci_plan.Repository(ROOT, state_file())
        try:
            self.everything("release")
            if ci:
                run = repository.run_number()
                clang, tsan, with_tests = make_plans(repository, run)
                self.simulate("release")
                self.everything("asan")
                self.fuzz()
                self.simulate("asan")
                self.check_proof(run)
                self.in_rotation("clang", clang, with_tests)
                self.in_rotation("tsan", tsan, with_tests, label="tsan")
                repository.record(run, green=all_taken(self.parts))
        except Failed as failure:
            if ci:
                repository.record(repository.run_number(), green=False)
            self.summary()
            closing = self.parts[-1].closing
            print(f"\nFAILED: {failure}" + (f"\n\n{closing}" if closing else ""), flush=True)
            return 1
        self.summary()
        print(f"\n{self.parts[0].closing}", flush=True)
        return 0


def take_commands_along():
    """An end from outside ends the commands; else a build would go on alone."""
    signal.signal(signal.SIGTERM, COMMANDS.end)


def all_taken(parts):
    """Whether nothing that had changed was left out for want of time: only then may the next run compare with this."""
    return not any("time budget" in note for part in parts for note in part.notes)


def make_plans(repository, run):
    cmake_texts, sources = repository.read_tree()
    base, why = repository.base()
    uses = ci_plan.dependencies(sources, cmake_texts)
    hit = set(uses) if base is None else ci_plan.affected(repository.changed_paths(base), uses)
    units = ci_plan.find_units(cmake_texts)
    print(f"\nRun number {run} (turn {run % ci_plan.ROTATION} of {ci_plan.ROTATION}); compared with {why}", flush=True)
    clang = ci_plan.make_plan(units, hit, run)
    tsan = ci_plan.make_plan(ci_plan.units_with_label("tsan", units, cmake_texts), hit, run)
    return clang, tsan, ci_plan.units_with_tests(units, cmake_texts)


def allowed_skips():
    lines = (ROOT / "tests/allowed_skips.txt").read_text().splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def state_file():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(cache, "lakestream", "ci.json")


def sanitizer_environment(preset):
    if preset == "release":
        return {}
    # The project's settings first, so that those of the caller win.
    env = {name: f"{value}:{os.environ.get(name, '')}".rstrip(":") for name, value in SANITIZERS.items()}
    if preset in ("clang", "tsan") and os.path.exists(SYMBOLIZER):
        env = {name: f"{value}:external_symbolizer_path={SYMBOLIZER}" for name, value in env.items()}
    return env


def fixed_addresses():
    """Kernels with more than 28 random bits put mappings where these sanitizers keep their shadow."""
    try:
        bits = int(Path("/proc/sys/vm/mmap_rnd_bits").read_text())
    except (OSError, ValueError):
        return []
    prefix = ["setarch", "--addr-no-randomize"]
    if bits <= 28 or subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode != 0:
        return []
    return prefix


def skipped_tests(report):
    """(name, reason) of each skipped test; gtest gives the reason on the lines after "file:line: Skipped"."""
    if not report.exists():
        return []
    found = []
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        if case.find("skipped") is None and case.get("status") not in ("notrun", "disabled"):
            continue
        text = case.findtext("system-out") or ""
        reason = re.search(r": Skipped\n(.+?)(?:\n\s*\n|\n\[)", text, re.DOTALL) or re.search(r"SKIPPED: (.+)", text)
        found.append((case.get("name"), " ".join(reason.group(1).split()) if reason else "no reason given"))
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Builds and tests; see test.sh.")
    parser.add_argument("--ci", action="store_true", help="sanitizers too; skips must be in tests/allowed_skips.txt")
    arguments = parser.parse_args()
    take_commands_along()
    sys.exit(Driver(arguments.ci, allowed_skips()).main(arguments.ci))
