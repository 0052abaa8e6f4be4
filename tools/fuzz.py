#!/usr/bin/env python3
"""Runs the fuzz targets, two at a time, each on its corpus and for a fixed time: tools/fuzz.py [TARGET...]

Builds build/fuzz first. A target fails when it crashes (its input is then shown in Base64 and kept below build/fuzz),
when fewer than 10 000 inputs ran, or when one of its decoders accepted none. What it finds out is thrown away
unless --keep: then inputs that reach new code stay in build/fuzz/found/TARGET, and later runs start from them.
"""

import argparse
import base64
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "fuzz"
MIN_EXECUTIONS = 10_000
MAX_INPUT_BYTES = 8 * 1024  # what is longer in a corpus is cut; the test Fuzz.TARGET takes it whole
# A slow target may take so many times its seconds to come to MIN_EXECUTIONS.
PATIENCE = 6
SHOWN_BYTES = 8 * 1024  # of an input that crashes
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1:quarantine_size_mb=16",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}
SYMBOLIZER = "/usr/bin/llvm-symbolizer-16"


@dataclass
class Outcome:
    """What a target did; `problems` is empty when all is well."""

    target: str
    executions: int = 0
    decoders: dict = field(default_factory=dict)  # name -> [accepted, rejected]
    problems: list = field(default_factory=list)
    output: str = ""
    seconds: float = 0


def list_targets():
    return sorted(path.name[: -len("_fuzz.cc")] for path in (ROOT / "src").rglob("*_fuzz.cc"))


def add_counts(outcome, output):
    """Adds the numbers that one run printed at its end."""
    for name, accepted, rejected in re.findall(r"^fuzz: decoder=(.+) accepted=(\d+) rejected=(\d+)$", output, re.M):
        counts = outcome.decoders.setdefault(name, [0, 0])
        counts[0] += int(accepted)
        counts[1] += int(rejected)
    found = re.search(r"^fuzz: executions=(\d+)$", output, re.M)
    outcome.executions += int(found.group(1)) if found else 0


def judge(outcome):
    """What a run without a crash may still have done wrong."""
    if outcome.executions < MIN_EXECUTIONS:
        outcome.problems.append(f"only {outcome.executions} inputs ran; {MIN_EXECUTIONS} are wanted")
    if not outcome.decoders:
        outcome.problems.append("no decoder said anything")
    for name, (accepted, _) in sorted(outcome.decoders.items()):
        if accepted == 0:
            outcome.problems.append(f"accepted nothing: {name}")


def describe_crash(output, crashes):
    """The inputs that ended a run, as text that can be taken out of a log."""
    lines = ["crashed:"]
    for path in sorted(crashes.iterdir()):
        content = path.read_bytes()
        lines.append(f"  {path} ({len(content)} bytes), in Base64:")
        lines.append("  " + base64.b64encode(content[:SHOWN_BYTES]).decode() + ("..." if content[SHOWN_BYTES:] else ""))
    wrong = re.search(r"^.*(ERROR: .*|runtime error: .*|invariant.*|Assertion .*)$", output, re.M)
    if wrong:
        lines.insert(1, "  " + wrong.group(0).strip())
    return "\n".join(lines)


def environment():
    env = {**os.environ, **SANITIZERS}
    if os.path.exists(SYMBOLIZER):
        env["ASAN_SYMBOLIZER_PATH"] = SYMBOLIZER
    return env


def run_target(target, seconds, keep, more=()):
    outcome = Outcome(target)
    began = time.time()
    found, crashes = BUILD / "found" / target, BUILD / "crashes" / target
    if not keep:
        shutil.rmtree(found, ignore_errors=True)
    shutil.rmtree(crashes, ignore_errors=True)
    for folder in (found, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    corpora = [found, ROOT / "fuzz" / "corpus" / target, BUILD / "fuzz" / "fixtures" / target]
    command = [str(BUILD / "bin" / f"{target}_fuzz"), f"-max_len={MAX_INPUT_BYTES}", "-rss_limit_mb=512",
               "-malloc_limit_mb=64", "-timeout=20", f"-artifact_prefix={crashes}/", "-verbosity=0", "-print_funcs=0", *more,
               *(str(c) for c in corpora if c.is_dir())]  # fmt: skip
    while not outcome.problems:
        left = seconds - (time.time() - began)
        if left < 1 and outcome.executions >= MIN_EXECUTIONS:
            break
        if left < -(PATIENCE - 1) * seconds:
            break
        done = subprocess.run([*command, f"-max_total_time={max(int(left), seconds // 4, 1)}"], cwd=BUILD,
                              env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)  # fmt: skip
        outcome.output = done.stdout
        add_counts(outcome, done.stdout)
        if done.returncode != 0:
            outcome.problems.append(describe_crash(done.stdout, crashes))
    if not outcome.problems:
        judge(outcome)
    outcome.seconds = time.time() - began
    return outcome


def print_outcome(outcome):
    counts = ", ".join(f"{name} {a} accepted, {r} rejected" for name, (a, r) in sorted(outcome.decoders.items()))
    print(f"{outcome.target}: {outcome.executions} inputs in {outcome.seconds:.0f} s; {counts or 'no counts'}", flush=True)
    if outcome.problems:
        print(outcome.output[-20_000:])
        print("\n".join(f"{outcome.target}: {problem}" for problem in outcome.problems), flush=True)


def build():
    for command in (["cmake", "--preset", "fuzz", "-DLAKESTREAM_TESTS=ON"], ["cmake", "--build", "--preset", "fuzz"]):
        if subprocess.run(command, cwd=ROOT, check=False).returncode != 0:
            sys.exit("the fuzz targets were not built")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="default: all of them")
    parser.add_argument("--seconds", type=int, default=20, help="for each target (default %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="targets at a time (default %(default)s)")
    parser.add_argument("--keep", action="store_true", help="start from what earlier runs kept, and keep what is new")
    parser.add_argument("--no-build", action="store_true", help="run what is in build/fuzz")
    parser.add_argument("--list", action="store_true", help="print the targets, and end")
    options = parser.parse_args()
    known = list_targets()
    if options.list:
        print("\n".join(known))
        return 0
    unknown = sorted(set(options.targets) - set(known))
    if unknown or not known:
        parser.error(f"no such target: {' '.join(unknown)}; there are {' '.join(known)}")
    if not options.no_build:
        build()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = []
        runs = [pool.submit(run_target, t, options.seconds, options.keep) for t in options.targets or known]
        for run in concurrent.futures.as_completed(runs):
            outcomes.append(run.result())
            print_outcome(outcomes[-1])
    failed = sorted(o.target for o in outcomes if o.problems)
    print()
    for outcome in outcomes:
        for problem in outcome.problems:
            print(f"{outcome.target}: {problem}")
    print(f"{len(outcomes)} fuzz targets, {sum(o.executions for o in outcomes)} inputs"
          + (f"; FAILED: {' '.join(failed)}" if failed else ", none failed"))  # fmt: skip
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
