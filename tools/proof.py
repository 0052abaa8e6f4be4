#!/usr/bin/env python3
"""Long runs of the simulator that leave a record, and the check of a record.

  tools/proof.py make --minutes 30   every mutant, then fresh seeds in two processes; writes docs/proof/DATE-TIME.md
  tools/proof.py check [RECORD]      runs the seeds whose hashes the record (else the newest) gives, and compares them

`make` wants a release build of a clean tree, so that the record's revision is what ran. A trace follows from the
sources, so `check` uses build/release only where they are those of the record; else it builds the simulator of the
record's revision apart (build/proof), from the repository's history.
"""

import argparse
import concurrent.futures
import datetime
import os
import platform
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import ci_plan

ROOT = Path(__file__).resolve().parents[1]
RECORDS = ROOT / "docs" / "proof"
SIMULATOR = "bin/lakestream-sim"
SAMPLES = 20
PROCESSES = 2
# The last line but for the probes: runs, steps, seconds, virtual hours a minute.
SUM = r"^(\d+) runs, \d+ calls, (\d+) steps, .* in ([\d.]+) s: .*, ([\d.]+) virtual hours/min$"
# What a trace follows from, but for compiler and libraries, which must not matter.
SOURCES = ("include", "sim", "src")


class Failed(Exception):
    """What has to be said to whoever started this."""


@dataclass(frozen=True)
class Run:
    """What one process printed at its end."""

    first: int
    runs: int
    steps: int
    hours: float  # of virtual time
    seconds: float
    probes: dict
    failures: tuple


def git(*arguments):
    return ci_plan.git(ROOT, *arguments)


def parse_run(first, output):
    line = re.search(SUM, output, re.M)
    if not line:
        raise Failed("the simulator did not print its sum:\n" + output[-2000:])
    seconds = float(line.group(3))
    probes = {name: int(hits) for name, hits in re.findall(r"^  (\w+) +(\d+)$", output, re.M)}
    failures = tuple(re.findall(r"^FAILED .*$", output, re.M))
    hours = float(line.group(4)) * seconds / 60
    return Run(first, int(line.group(1)), int(line.group(2)), hours, seconds, probes, failures)


def choose_samples(scenarios, runs):
    """(scenario, seed) of seeds that ran: each scenario in turn, spread over what each process did."""
    samples = []
    for number in range(SAMPLES):
        run = runs[number % len(runs)]
        seeds = run.runs // len(scenarios)  # the last seed may not have met every scenario
        if seeds == 0:
            raise Failed("too short: not every scenario has run")
        samples.append((scenarios[number % len(scenarios)], run.first + number * seeds // SAMPLES))
    return samples


def hash_of(simulator, scenario, seed):
    command = [simulator, "--scenario", scenario, "--seed", str(seed), "--hashes"]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(rf"^{scenario} {seed} ([0-9a-f]{{16}})$", done.stdout, re.M)
    if done.returncode != 0 or not found:
        raise Failed(f"{scenario} {seed}: {(done.stdout + done.stderr)[-500:]}")
    return found.group(1)


@dataclass(frozen=True)
class Record:
    """What of a record can be checked."""

    name: str
    revision: str
    sources: dict  # git's tree of each of SOURCES: a clone without the revision can compare it, too
    samples: list  # of (scenario, seed, hash)


def parse_record(text, name):
    """None for a record that was made before there were hashes."""
    samples = [(s, int(n), h) for s, n, h in re.findall(r"^(\w+) (\d+) ([0-9a-f]{16})$", text, re.M)]
    if not samples:
        return None
    revision = re.search(r"^- Revision: `([0-9a-f]{40})`", text, re.M)
    sources = dict(re.findall(r"^- Tree of `(\w+)`: `([0-9a-f]{40})`$", text, re.M))
    if not revision or sorted(sources) != sorted(SOURCES):
        raise Failed(f"{name} does not name its revision and the trees of its sources")
    if len(samples) != SAMPLES:
        raise Failed(f"{name} has {len(samples)} hashes, not {SAMPLES}")
    return Record(name, revision.group(1), sources, samples)


def read_record(path):
    return parse_record(path.read_text(), path.name)


def newest_record():
    for path in sorted(RECORDS.glob("20*.md"), reverse=True):
        if record := read_record(path):
            return record
    return None


def trees(revision):
    return {folder: git("rev-parse", f"{revision}:{folder}") for folder in SOURCES}


def same_sources(record):
    """Whether what is checked out, with what was changed since, has the sources of the record."""
    return trees("HEAD") == record.sources and git("status", "--porcelain", "--", *SOURCES) == ""


def has_revision(revision):
    return git("cat-file", "-e", revision + "^{commit}") is not None


def build_apart(revision):
    """The simulator of another revision."""
    tree = ROOT / "build" / "proof" / "tree"
    git("worktree", "remove", "--force", str(tree))
    git("worktree", "prune")
    if git("worktree", "add", "--detach", str(tree), revision) is None:
        raise Failed(f"revision {revision} cannot be checked out")
    built = ROOT / "build" / "proof" / "release"
    try:
        configure = ["cmake", "--preset", "release", "-B", str(built), "-DLAKESTREAM_TESTS=ON"]
        for command in (configure, ["cmake", "--build", str(built), "-j2", "--target", "lakestream-sim"]):
            if subprocess.run(command, cwd=tree).returncode != 0:
                raise Failed(f"revision {revision} cannot be built")
    finally:
        git("worktree", "remove", "--force", str(tree))
    return built / SIMULATOR


def check(record):
    same = same_sources(record)
    simulator = ROOT / "build" / "release" / SIMULATOR if same else build_apart(record.revision)
    wrong = [(s, n, h, now) for s, n, h in record.samples if (now := hash_of(simulator, s, n)) != h]
    for scenario, seed, recorded, now in wrong:
        print(f"{scenario} {seed}: recorded {recorded}, now {now}")
    if wrong:
        raise Failed(f"{len(wrong)} of {len(record.samples)} seeds of {record.name} give other traces")
    where = "this tree" if same else f"revision {record.revision[:12]}, built apart"
    print(f"{len(record.samples)} seeds of {record.name} give the recorded traces ({where})")


def run_seeds(simulator, first, minutes):
    command = [simulator, "--minutes", str(minutes), "--seed", str(first), "--require-probes"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, parse_run(first, done.stdout)


def listed(simulator, title):
    """The names below a title of --list."""
    output = subprocess.check_output([simulator, "--list"], text=True)
    return re.findall(r"^  (\w+)", re.search(rf"^{title}\n((?:  .*\n)*)", output, re.M).group(1), re.M)


def render(facts):
    runs = facts["runs"]
    total = sum(run.runs for run in runs)
    seconds = max(run.seconds for run in runs)
    steps = sum(run.steps for run in runs)
    hours = sum(run.hours for run in runs)
    rates = f"{total * 60 / seconds:.0f} runs/min, {steps / seconds / 1e6:.2f} M steps/s"
    firsts = " and ".join(str(run.first) for run in runs)
    probes = {}
    for run in runs:
        for name, hits in run.probes.items():
            probes[name] = probes.get(name, 0) + hits
    width = max(map(len, probes)) + 2
    trees_text = "\n".join(f"- Tree of `{folder}`: `{tree}`" for folder, tree in facts["sources"].items())
    samples = "\n".join(f"{scenario} {seed} {hash_}" for scenario, seed, hash_ in facts["samples"])
    return f"""# {facts["minutes"]} minutes of fresh seeds, {facts["date"]}

- Revision: `{facts["revision"]}` ({facts["subject"]})
{trees_text}
- Command: `tools/proof.py make --minutes {facts["minutes"]}`: {len(runs)} processes of
  `lakestream-sim --minutes {facts["minutes"]} --require-probes`, from seeds {firsts}.
- Machine: {facts["machine"]}
- Outcome: no seed failed, and every probe was hit in both processes; {len(facts["scenarios"])} scenarios.
- {total} runs, {steps} steps, {hours:.0f} hours of virtual time in {seconds:.0f} s: {rates},
  {hours * 60 / seconds:.0f} virtual hours/min, both processes together.

Probes, and in how many runs each was hit:

```
{chr(10).join(f"{name:{width}}{hits}" for name, hits in sorted(probes.items()))}
```

Mutants, and how many seeds each took to be noticed:

```
{facts["mutants"]}
```

Hashes of the traces of {SAMPLES} of these seeds, which CI compares:

```
{samples}
```
"""


def describe_machine():
    compiler = subprocess.check_output(["g++", "--version"], text=True).splitlines()[0]
    kernel = f"{platform.machine()}, Linux {platform.release()}"
    return f"{os.cpu_count()} cores, {kernel}, {compiler}; load at the end {os.getloadavg()[2]:.1f}."


def make(minutes):
    if git("status", "--porcelain") != "":
        raise Failed("the tree is not clean: a record must name what ran")
    simulator = ROOT / "build" / "release" / SIMULATOR
    build = ["cmake", "--build", "build/release", "-j2", "--target", "lakestream-sim"]
    if subprocess.run(build, cwd=ROOT).returncode != 0:
        raise Failed("the simulator cannot be built")
    # First, as they take less than a minute.
    mutants = subprocess.run([simulator, "--mutants"], capture_output=True, text=True)
    if mutants.returncode != 0:
        raise Failed(mutants.stdout)
    killed = re.findall(r"^(\w+) +killed, (\d+) seeds", mutants.stdout, re.M)
    revision = git("rev-parse", "HEAD")
    scenarios = listed(simulator, "Scenarios")
    firsts = [int(revision[:8], 16) + number * 2**40 for number in range(PROCESSES)]
    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        ended = list(pool.map(lambda first: run_seeds(simulator, first, minutes), firsts))
    runs = [run for _, run in ended]
    failures = [line for run in runs for line in run.failures]
    if failures or any(status != 0 for status, _ in ended):
        raise Failed("\n".join(failures) or "a probe was never hit")
    now = datetime.datetime.now(datetime.timezone.utc)
    text = render({
        "minutes": minutes,
        "date": now.strftime("%Y-%m-%d"),
        "revision": revision,
        "sources": trees(revision),
        "subject": git("log", "-1", "--format=%s"),
        "machine": describe_machine(),
        "scenarios": scenarios,
        "runs": runs,
        "mutants": "\n".join(f"{name:32}{seeds}" for name, seeds in killed),
        "samples": [(s, n, hash_of(simulator, s, n)) for s, n in choose_samples(scenarios, runs)],
    })  # fmt: skip
    path = RECORDS / now.strftime("%Y-%m-%d-%H%M.md")
    path.write_text(text)
    print(f"{path.relative_to(ROOT)}: {sum(run.runs for run in runs)} runs, {len(killed)} mutants")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("make", help="runs seeds and writes a record")
    making.add_argument("--minutes", type=int, default=30)
    checking = commands.add_parser("check", help="runs some of a record's seeds again")
    checking.add_argument("record", nargs="?", type=Path)
    arguments = parser.parse_args()
    try:
        if arguments.command == "make":
            make(arguments.minutes)
        else:
            record = read_record(arguments.record) if arguments.record else newest_record()
            if record is None:
                raise Failed("there is no record with hashes")
            check(record)
    except Failed as failure:
        print(f"proof.py: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
