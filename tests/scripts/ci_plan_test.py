import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import ci_plan  # noqa: E402

CMAKE = {
    "src/base": "lakestream_library(base)\nlakestream_test(base)",
    "src/meta": "lakestream_library(meta)\nadd_subdirectory(lmdb)\nadd_subdirectory(memory)",
    "src/meta/lmdb": "lakestream_test(meta_lmdb LABELS tsan)",
    "src/meta/memory": "lakestream_test(meta_memory)",
    "src/log": "add_subdirectory(reader)\nlakestream_test(log)",
    "src/log/reader": "# not tsan, LABELS\nadd_test(x)\nset_tests_properties(x PROPERTIES\n  LABELS slow)",
    "tests": "add_subdirectory(house)",
    "tests/house": "add_test(NAME house)",
    "tests/docs": 'if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")\n  return()\nendif()\nadd_test(NAME docs)',
}
SOURCES = {
    "src/base/try.h": "",
    "src/base/try.cc": '#include "base/try.h"',
    "src/meta/metadata_store.h": '#include "base/try.h"',
    "src/meta/lmdb/store.cc": '  #  include "meta/metadata_store.h"\n#include <map>',
    "src/meta/memory/store.cc": '#include "store.h"',
    "src/meta/memory/store.h": "",
    "src/log/reader/reader.h": '#include "meta/metadata_store.h"',
    "src/log/log.cc": '#include "log/reader/reader.h"\n// #include "meta/memory/store.h"',
}
USES = ci_plan.dependencies(SOURCES, CMAKE)


class Units(unittest.TestCase):
    def test_a_folder_with_tests_of_its_own_is_one_unit_and_others_are_split(self):
        self.assertEqual(
            ci_plan.find_units(CMAKE), ["src/base", "src/log", "src/meta/lmdb", "src/meta/memory", "tests/house"]
        )

    def test_a_label_is_looked_for_in_all_of_a_unit(self):
        units = ci_plan.find_units(CMAKE)
        self.assertEqual(ci_plan.units_with_label("tsan", units, CMAKE), ["src/meta/lmdb"])
        self.assertEqual(ci_plan.units_with_label("slow", units, CMAKE), ["src/log"])
        self.assertEqual(ci_plan.units_with_label("tsa", units, CMAKE), [])

    def test_a_unit_without_tests_is_told_apart(self):
        texts = {"src/base": "lakestream_test(base)", "src/codec": "lakestream_library(codec)\n# lakestream_test(codec)"}
        self.assertEqual(ci_plan.find_units(texts), ["src/base", "src/codec"])
        self.assertEqual(ci_plan.units_with_tests(["src/base", "src/codec"], texts), ["src/base"])


class WhatTestsStart(unittest.TestCase):
    """A folder is built by itself, so it must name the programs of other folders that its tests start."""

    OWN = re.compile(r"(?:add_executable|add_library|lakestream_library)\s*\(\s*([\w-]+)")
    RUNS = re.compile(r"lakestream_runs\s*\(([^)]*)\)")
    STARTS = re.compile(r"\$<TARGET_FILE:([\w-]+)>")

    def missing(self, text):
        named = set(self.OWN.findall(text)) | set(" ".join(self.RUNS.findall(text)).split())
        return sorted(set(self.STARTS.findall(text)) - named)

    def test_a_program_that_is_not_named_is_seen(self):
        text = "add_test(NAME x COMMAND run $<TARGET_FILE:lakestream> $<TARGET_FILE:own>)\nadd_executable(own own.cc)"
        self.assertEqual(self.missing(text), ["lakestream"])
        self.assertEqual(self.missing(text + "\nlakestream_runs(lakestream)"), [])

    def test_every_folder_names_what_it_starts(self):
        texts = {path: path.read_text() for path in ROOT.glob("*/**/CMakeLists.txt") if "build" not in path.parts}
        self.assertTrue(any(self.STARTS.search(text) for text in texts.values()))
        for path, text in texts.items():
            self.assertEqual(self.missing(text), [], path)


class Changes(unittest.TestCase):
    def test_includes_make_the_dependencies(self):
        self.assertEqual(USES["src/base"], set())
        self.assertEqual(USES["src/meta/lmdb"], {"src/meta"})
        self.assertEqual(USES["src/meta/memory"], set())
        self.assertEqual(USES["src/log"], {"src/log/reader"})

    def test_what_depends_on_a_change_is_affected_through_others_too(self):
        self.assertEqual(
            ci_plan.affected(["src/meta/metadata_store.h"], USES),
            {"src/meta", "src/meta/lmdb", "src/log/reader", "src/log"},
        )
        self.assertEqual(ci_plan.affected(["src/meta/memory/store.cc"], USES), {"src/meta/memory"})
        self.assertEqual(ci_plan.affected(["docs/a.md", "README.md"], USES), set())

    def test_public_headers_and_the_build_itself_affect_everything(self):
        for path in ("include/lakestream/status.h", "cmake/x.cmake", "CMakeLists.txt", "CMakePresets.json"):
            self.assertEqual(ci_plan.affected([path], USES), set(CMAKE), path)
        self.assertEqual(ci_plan.affected(["src/log/CMakeLists.txt"], USES), {"src/log"})


class Planning(unittest.TestCase):
    UNITS = [f"src/{name}" for name in "base codec format model runtime objstore meta log cli server".split()]

    def test_every_unit_is_taken_once_in_five_runs_whatever_the_first(self):
        for first in (0, 3, 1234567):
            taken = []
            for run in range(first, first + 5):
                plan = ci_plan.make_plan(self.UNITS, set(), run)
                taken += [unit for unit, _ in plan.chosen]
                for unit, wait in plan.left_out:
                    self.assertIn(wait, range(1, 5))
                    later = ci_plan.make_plan(self.UNITS, set(), run + wait)
                    self.assertIn((unit, "its turn"), later.chosen)
            self.assertEqual(sorted(taken), sorted(self.UNITS))

    def test_changed_units_come_after_those_whose_turn_it_is_and_none_comes_twice(self):
        plan = ci_plan.make_plan(self.UNITS, set(self.UNITS), 7)
        self.assertEqual(plan.left_out, ())
        self.assertEqual(sorted(u for u, _ in plan.chosen), sorted(self.UNITS))
        reasons = [why for _, why in plan.chosen]
        self.assertEqual(reasons, sorted(reasons, key=lambda why: why != "its turn"))

    def test_a_change_below_a_unit_takes_the_unit_but_no_namesake(self):
        run = next(r for r in range(5) if ci_plan.runs_until_turn("src/log", r) and ci_plan.runs_until_turn("src/lo", r))
        plan = ci_plan.make_plan(["src/lo", "src/log"], {"src/log/reader"}, run)
        self.assertEqual([u for u, _ in plan.chosen], ["src/log"])

    def test_when_all_has_changed_another_unit_comes_first_after_each_round(self):
        firsts = set()
        for run in range(0, 5 * len(self.UNITS), 5):
            plan = ci_plan.make_plan(self.UNITS, set(self.UNITS), run)
            firsts.add([u for u, why in plan.chosen if why != "its turn"][0])
        self.assertGreater(len(firsts), 3)


class InARepository(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name, "clone")
        self.state = Path(folder.name, "state", "ci.json")
        (self.root / "src").mkdir(parents=True)

    def repository(self):
        return ci_plan.Repository(self.root, self.state)

    def commit(self, path):
        (self.root / path).write_text("x")
        identity = ["-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false"]
        for arguments in (["init", "-q"], ["add", "."], [*identity, "commit", "-q", "-m", path]):
            subprocess.run(["git", *arguments], cwd=self.root, check=True)

    def test_without_git_everything_counts_as_changed(self):
        # A folder below another repository would be taken for a part of it; the temporary one is not.
        self.assertIsNone(self.repository().base()[0])
        self.assertEqual(self.repository().run_number(), 0)

    def test_without_a_record_the_last_commits_are_compared(self):
        for i in range(ci_plan.COMMITS_WITHOUT_RECORD):
            self.commit(f"f{i}")
        self.assertIsNone(self.repository().base()[0])
        self.commit("src/last")
        base, _ = self.repository().base()
        self.assertEqual(self.repository().changed_paths(base), ["f1", "f2", "f3", "f4", "src/last"])
        self.assertEqual(self.repository().run_number(), 6)

    def test_a_green_run_is_remembered_and_a_red_one_only_counted(self):
        self.commit("a")
        self.repository().record(7, green=True)
        self.commit("b")
        (self.root / "untracked").write_text("x")
        repository = self.repository()
        self.assertEqual(repository.run_number(), 8)
        self.assertEqual(repository.changed_paths(repository.base()[0]), ["b", "untracked"])
        repository.record(8, green=True)  # not what HEAD is: the untracked file was built too
        self.commit("c")
        self.repository().record(9, green=False)
        repository = self.repository()
        self.assertEqual(repository.run_number(), 10)
        self.assertEqual(repository.changed_paths(repository.base()[0]), ["b", "c", "untracked"])

    def test_a_damaged_record_is_no_record(self):
        self.state.parent.mkdir()
        for text in ("", "{", "[1]", '{"green": "--all", "run": "x"}'):
            self.state.write_text(text)
            self.assertIsNone(self.repository().base()[0], text)
            self.assertEqual(self.repository().run_number(), 0, text)


if __name__ == "__main__":
    unittest.main()
