"""What the tests of the command share: the binary, folders of their own, and how it is run."""

import os
import shutil
import subprocess
import tempfile
import unittest

BINARY = os.environ.get("LAKESTREAM_BINARY", "")
TIMEOUT = 120


def environment(**more):
    """The caller's variables without those that would change what the command does."""
    variables = {k: v for k, v in os.environ.items() if k != "LAKESTREAM_DEPLOYMENT"}
    variables.update(more)
    return variables


def preloading(library, **more):
    """An environment in which a library stands before all others; a sanitizer's runtime must put up with that."""
    options = os.environ.get("ASAN_OPTIONS", "")
    return environment(LD_PRELOAD=library, ASAN_OPTIONS=f"{options}:verify_asan_link_order=0".lstrip(":"), **more)


def run(*arguments, stdin=b"", cwd=None, env=None):
    return subprocess.run([BINARY, *map(str, arguments)], input=stdin, capture_output=True, cwd=cwd,
                          env=env or environment(), timeout=TIMEOUT, check=False)


def start(*arguments, **keywords):
    pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    pipes.update(keywords)
    return subprocess.Popen([BINARY, *map(str, arguments)], **pipes)


class TestCase(unittest.TestCase):
    """Each test has an empty folder; `self.deployment` is a path in it where nothing is yet."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="lakestream-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.deployment = os.path.join(self.folder, "deployment")

    def command(self, *arguments, stdin=b""):
        return run(*arguments, "--deployment", self.deployment, stdin=stdin)

    def start(self, *arguments, **keywords):
        process = start(*arguments, "--deployment", self.deployment, **keywords)
        self.addCleanup(self._end, process)
        return process

    @staticmethod
    def _end(process):
        if process.poll() is None:
            process.kill()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass
        process.wait()

    def ok(self, *arguments, stdin=b""):
        """Standard output of a command that must end with 0."""
        result = self.command(*arguments, stdin=stdin)
        self.assertEqual(result.returncode, 0, (arguments, result.stderr))
        return result.stdout

    def refused(self, code, *arguments, stdin=b""):
        """The one line of a command that must end with `code`."""
        result = self.command(*arguments, stdin=stdin)
        self.assertEqual(result.returncode, code, (arguments, result.stderr))
        return self.one_line(result)

    def one_line(self, result):
        text = result.stderr.decode()
        self.assertTrue(text.startswith("lakestream: ") and text.endswith("\n"), text)
        self.assertEqual(text.count("\n"), 1, text)
        self.assertEqual(result.stdout, b"")
        return text
