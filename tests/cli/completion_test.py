"""Sources the script in bash and asks it as the shell does."""

import os
import re
import subprocess
import sys
import unittest

import harness

# Sets what bash sets for a completion function, calls it, and prints what it offers.
ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_lakestream 2>/dev/null
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Completion(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.script = os.path.join(self.folder, "completion.bash")
        with open(self.script, "wb") as file:
            file.write(harness.run("completion", "bash").stdout)

    def ask(self, *words):
        result = subprocess.run(["bash", "-c", ASK, "bash", self.script, "lakestream", *words], cwd=self.folder,
                                capture_output=True, text=True, timeout=harness.TIMEOUT, check=True)
        self.assertEqual(result.stderr, "")
        return sorted(line for line in result.stdout.split("\n") if line)

    def commands(self, *path):
        """As the help lists them."""
        text = harness.run("help", *path).stdout.decode()
        part = re.search(r"\nSubcommands:\n((?:  .*\n)+)", text)
        return sorted(re.findall(r"(?m)^  (\w\S*)", part.group(1))) if part else []

    def options(self, *path):
        text = harness.run("help", *path).stdout.decode()
        return sorted(set(re.findall(r"--[a-z0-9-]+", " ".join(re.findall(r"(?m)^  (-\S+)", text)))))

    def test_every_command_and_option_of_the_help(self):
        self.assertGreater(len(self.commands()), 8)
        self.assertEqual(self.ask(""), self.commands())
        seen = 0
        for command in self.commands():
            below = self.commands(command)
            if below:
                self.assertEqual(self.ask(command, ""), below)
            for path in [[command, name] for name in below] or [[command]]:
                with self.subTest(path):
                    self.assertEqual(self.ask(*path, "--"), self.options(*path))
                    seen += 1
        self.assertGreater(seen, 15)

    def test_beginnings(self):
        self.assertEqual(self.ask("ap"), ["append"])
        self.assertEqual(self.ask("stream", "cr"), ["create"])
        self.assertEqual(self.ask("append", "s", "--part"), ["--partition"])
        self.assertEqual(self.ask("nothing"), [])

    def test_files_and_folders(self):
        os.mkdir(os.path.join(self.folder, "some folder"))
        with open(os.path.join(self.folder, "some file"), "w", encoding="utf-8"):
            pass
        self.assertEqual(self.ask("fsck", "--deployment", "some"), ["some file", "some folder"])
        self.assertEqual(self.ask("restore", "x", "--to", "some f"), ["some file", "some folder"])
        self.assertEqual(self.ask("append", "s", "some"), ["some file", "some folder"])
        # What takes a number or a word offers nothing; a stream may be called as a command is.
        self.assertEqual(self.ask("append", "s", "--partition", ""), [])
        self.assertEqual(self.ask("append", "read", "--off"), ["--offsets"])

    def test_zsh_and_others(self):
        bash = harness.run("completion", "bash").stdout
        zsh = harness.run("completion", "zsh").stdout
        self.assertEqual(zsh, b"autoload -U +X bashcompinit && bashcompinit\n" + bash)
        for wrong in (["completion"], ["completion", "fish"]):
            result = harness.run(*wrong)
            self.assertEqual(result.returncode, 2)
            self.one_line(result)


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
