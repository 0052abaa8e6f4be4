"""Which folders the second compilers (clang, TSan) build and test in this run of CI.

Release and g++ with sanitizers always take everything. clang and TSan take what changed since the last green run with
all that depends on it, and every folder in rotation, so that each is seen within ROTATION runs. No file is read and
no command is run here but by `Repository`; the rest are functions of their arguments.
"""

import json
import os
import re
import subprocess
import zlib
from dataclasses import dataclass
from pathlib import Path

ROTATION = 5
# Without a record of a green run, what these many commits touched counts as changed.
COMMITS_WITHOUT_RECORD = 5
TOP_FOLDERS = ("src", "sim", "tests", "fuzz", "bench", "examples")
CODE_SUFFIXES = (".h", ".cc", ".inc")
# A change here can change the build of everything.
EVERYTHING = re.compile(r"include/|cmake/|CMakePresets\.json$|CMakeLists\.txt$")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
ONLY_RELEASE = re.compile(r'^if\(NOT CMAKE_BUILD_TYPE STREQUAL "Release"\)', re.MULTILINE)
DEFINES_TESTS = re.compile(r"^[ \t]*(add_test|lakestream_test)[ \t]*\(", re.MULTILINE)


@dataclass(frozen=True)
class Plan:
    chosen: tuple  # pairs (folder, why), in the order in which they are built
    left_out: tuple  # pairs (folder, runs until it is its turn)


def find_units(cmake_texts):
    """The folders that are built and tested one by one, from the CMakeLists.txt text of each folder.

    A folder that has tests of its own is one unit with all below it (that is what ctest runs there); one that only
    adds others is replaced by those. What only the release build has is none.
    """

    def expand(folder):
        if ONLY_RELEASE.search(cmake_texts[folder]):
            return []
        below = sorted(f for f in cmake_texts if f.rpartition("/")[0] == folder)
        if not below or DEFINES_TESTS.search(cmake_texts[folder]):
            return [folder]
        return [unit for child in below for unit in expand(child)]

    roots = [f for f in cmake_texts if f.rpartition("/")[0] not in cmake_texts]
    return sorted(unit for root in roots for unit in expand(root))


def folder_of(path, folders):
    """The deepest of `folders` that contains `path`, or None."""
    while "/" in path:
        path = path.rpartition("/")[0]
        if path in folders:
            return path
    return None


def dependencies(sources, folders):
    """For each folder the folders whose headers it includes. `sources` maps path to text."""
    uses = {folder: set() for folder in folders}
    for path, text in sources.items():
        user = folder_of(path, folders)
        if user is None:
            continue
        for header in INCLUDE.findall(text):
            for candidate in ("src/" + header, header, path.rpartition("/")[0] + "/" + header):
                if candidate in sources:
                    used = folder_of(candidate, folders)
                    if used not in (None, user):
                        uses[user].add(used)
                    break
    return uses


def affected(changed_paths, uses):
    """The folders that a change of these paths can break: their own and all that depend on those."""
    if any(EVERYTHING.match(path) for path in changed_paths):
        return set(uses)
    reached = {folder_of(path, uses) for path in changed_paths} - {None}
    while True:
        more = {user for user, used in uses.items() if used & reached} - reached
        if not more:
            return reached
        reached |= more


def runs_until_turn(unit, run):
    """0 when it is the unit's turn in run number `run`. By name, so that a new folder moves no other one's turn."""
    return (zlib.crc32(unit.encode()) - run) % ROTATION


def make_plan(units, affected_folders, run):
    """What to take, those whose turn it is first: they are not to be starved by a long list of changes."""
    due = [u for u in units if runs_until_turn(u, run) == 0]
    hit = [u for u in units if u not in due and any((f + "/").startswith(u + "/") for f in affected_folders)]

    def turned(some):
        # When time runs out, it is not always the same ones that lose.
        start = (run // ROTATION) % len(some) if some else 0
        return some[start:] + some[:start]

    chosen = [(u, "its turn") for u in turned(due)] + [(u, "changed, or uses what changed") for u in turned(hit)]
    taken = set(due) | set(hit)
    return Plan(tuple(chosen), tuple((u, runs_until_turn(u, run)) for u in units if u not in taken))


def git(root, *arguments):
    """Output, or None when git is missing or says no."""
    # CI may have cloned as another user than it runs as.
    command = ["git", "-c", "safe.directory=*", "-c", "core.quotePath=off", *arguments]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


class Repository:
    """Facts about this checkout; works, with everything counted as changed, outside a git repository."""

    def __init__(self, root, state_file):
        self.root = Path(root)
        self.state_file = Path(state_file)
        try:
            state = json.loads(self.state_file.read_text())
        except (OSError, ValueError):
            state = None
        self.state = state if isinstance(state, dict) else {}

    def git(self, *arguments):
        return git(self.root, *arguments)

    def run_number(self):
        if isinstance(self.state.get("run"), int):
            return self.state["run"] + 1
        # No record survives here: landings are counted instead, in a shallow clone the commit stands for itself.
        if self.git("rev-parse", "--is-shallow-repository") == "true":
            return int(self.git("rev-parse", "HEAD")[:8], 16)
        return int(self.git("rev-list", "--count", "--first-parent", "HEAD") or 0)

    def base(self):
        """(commit, why) to compare with; commit is None when everything counts as changed."""
        green = self.state.get("green")
        if isinstance(green, str) and self.git("cat-file", "-e", green + "^{commit}") is not None:
            return green, "the last green run here"
        before = self.git("rev-parse", "--verify", "--quiet", f"HEAD~{COMMITS_WITHOUT_RECORD}")
        if before:
            return before, f"{COMMITS_WITHOUT_RECORD} commits ago (no record of a green run here)"
        return None, "no commit to compare with: everything counts as changed"

    def changed_paths(self, base):
        tracked = self.git("diff", "--name-only", "--no-renames", base)
        new = self.git("ls-files", "--others", "--exclude-standard")
        return [p for p in f"{tracked or ''}\n{new or ''}".splitlines() if p]

    def record(self, run, green):
        """Remembers this run; the commit only if it passed and is what was really built."""
        self.state["run"] = run
        head = self.git("rev-parse", "HEAD")
        if green and head and self.git("status", "--porcelain") == "":
            self.state["green"] = head
        try:
            self.state_file.parent.mkdir(parents=True, exist_ok=True)
            self.state_file.write_text(json.dumps(self.state) + "\n")
        except OSError:
            pass  # The next run compares with older commits instead.

    def read_tree(self):
        """(CMakeLists.txt texts by folder, source texts by path) below the top folders."""
        cmake_texts, sources = {}, {}
        for top in TOP_FOLDERS:
            for folder, below, names in os.walk(self.root / top):
                below.sort()
                for name in sorted(names):
                    path = Path(folder, name)
                    relative = path.relative_to(self.root).as_posix()
                    if name == "CMakeLists.txt":
                        cmake_texts[relative.rpartition("/")[0]] = path.read_text()
                    elif name.endswith(CODE_SUFFIXES):
                        sources[relative] = path.read_text(errors="replace")
        return cmake_texts, sources


def units_that_say(pattern, units, cmake_texts):
    """The units in which some CMakeLists.txt matches."""
    return [u for u in units if any((f + "/").startswith(u + "/") and pattern.search(t) for f, t in cmake_texts.items())]


def units_with_tests(units, cmake_texts):
    return units_that_say(DEFINES_TESTS, units, cmake_texts)


def units_with_label(label, units, cmake_texts):
    return units_that_say(re.compile(rf"\bLABELS\b[^)]*\b{re.escape(label)}\b"), units, cmake_texts)
