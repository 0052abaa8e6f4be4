"""Several processes append, read, tail and trim on one deployment, while one after the other is killed (SIGKILL) and
comes back, or is stopped (SIGSTOP), some of them with the write lock of the metadata store. What they saw and what is
there at the end is judged by the properties of the simulator (lakestream-sim --judge); then copies of that history are
broken, and each must be caught.

By hand, for example: history_loop.py build/release/bin/history_client build/release/bin/lakestream-sim --processes 8
--logs 100 --seconds 120 --kill-every 1. The seed repeats the choices, not the machine's timing."""

import argparse
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import breaches
import history_report
from dead_sessions import dead_sessions, lock_holder_is

PUBLISH_MS = 1000
INDEX_MS = 1000
DEADLINE_MS = 500
TAIL_MS = 8000
FIRST_ANSWER_SECONDS = 60
GRACEFUL_SECONDS = 150
SESSIONS_GONE_SECONDS = 1.0
LOCK_TRIES = 80


class Failed(Exception):
    """What makes the run fail."""


class Life:
    """One life of a process, and what it wrote."""

    def __init__(self, loop, slot, number):
        self.slot = slot
        self.name = f"p{slot}.{number}"
        self.chunks = []
        self.end_line = None
        self.answered = threading.Event()
        threads = loop.rng.choice((1, 1, 2))
        command = [loop.options.client, "run", loop.deployment, "--name", self.name, "--life", loop.next_life(), "--seed",
                   loop.rng.randrange(1 << 32), "--threads", threads, "--deadline-ms", DEADLINE_MS, "--tail-ms", TAIL_MS]
        for option in ("logs", "appenders", "readers", "tailers", "trimmers", "window", "pause_ms"):
            command += ["--" + option.replace("_", "-"), getattr(loop.options, option)]
        if loop.options.break_rule:
            command += ["--break", loop.options.break_rule]
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, bufsize=0)
        self.thread = threading.Thread(target=self._read)
        self.thread.start()

    def _read(self):
        while True:
            part = os.read(self.process.stdout.fileno(), 1 << 16)
            if not part:
                break
            self.chunks.append(part)
            if b" ok entry " in part:
                self.answered.set()
        self.answered.set()

    def send(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.send(signal.SIGKILL)
        at = time.monotonic_ns()
        self.process.wait()
        self._close()
        self.end_line = f"killed {self.name} at {at} ."
        return at

    def end(self):
        """Gracefully; its exit code."""
        code = self.process.wait(GRACEFUL_SECONDS)
        self._close()
        self.end_line = f"exited {self.name} at {time.monotonic_ns()} code {code} ."
        return code

    def _close(self):
        self.thread.join()
        self.process.stdout.close()
        if not self.process.stdin.closed:
            self.process.stdin.close()

    def text(self):
        return b"".join(self.chunks).decode()

    def complaints(self):
        self.errors.seek(0)
        return self.errors.read().decode()


class Looker:
    """Another process that looks who holds leases."""

    def __init__(self, loop):
        self.process = subprocess.Popen([loop.options.client, "look", loop.deployment, "--logs", str(loop.options.logs)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)

    def holders(self):
        self.process.stdin.write(b"\n")
        words = self.process.stdout.readline().split()
        if not words:
            raise Failed("the process that looks for leases has ended")
        return set(map(int, words[1:]))

    def end(self):
        self.process.stdin.close()
        self.process.wait(GRACEFUL_SECONDS)
        self.process.stdout.close()


class Loop:
    def __init__(self, options, folder, rng):
        self.options = options
        self.rng = rng
        self.deployment = os.path.join(folder, "deployment")
        self.folder = folder
        self.lives = []      # all there ever were
        self.running = []    # by slot
        self.numbers = {}
        self.frozen_lines = []
        self.frozen = []     # (name, from, to)
        self.windows = []    # (name, pid, from, to): stopped with the write lock
        self.kills = self.in_flight = self.killed_holders = self.stops = self.long_stops = 0
        self.killed_meanwhile = 0  # while another stood still with the write lock
        self.dead = []             # whose sessions have not been looked for
        self.gone_after_kill = []
        self.gone_after_look = []
        self.standing = None       # who is stopped for longer
        self.standing_holds = False
        self.standing_since = 0

    def next_life(self):
        return len(self.lives) + 1

    def start(self, slot):
        self.numbers[slot] = self.numbers.get(slot, 0) + 1
        life = Life(self, slot, self.numbers[slot])
        self.lives.append(life)
        return life

    def run_client(self, *arguments):
        return subprocess.run([self.options.client, *map(str, arguments)], capture_output=True, check=False, timeout=600)

    def make(self):
        made = self.run_client("make", self.deployment, "--publish-ms", PUBLISH_MS, "--index-ms", INDEX_MS)
        if made.returncode != 0:
            raise Failed(f"the deployment cannot be made: {made.stderr!r}")
        self.running = [self.start(slot) for slot in range(self.options.processes)]
        for life in self.running:
            if not life.answered.wait(FIRST_ANSWER_SECONDS) or life.process.poll() is not None:
                raise Failed(f"{life.name} does not begin: {life.complaints()}")
        self.looker = Looker(self)

    def replace(self, life):
        life = self.start(life.slot)
        self.running[life.slot] = life

    def kill_one(self, life=None):
        """One that has answered, so that there is something to lose."""
        if life is None:
            able = [one for one in self.running if one.answered.is_set() and one is not self.standing]
            if not able:
                return
            life = self.rng.choice(able)
            if life.process.poll() is not None:
                raise Failed(f"{life.name} ended by itself: {life.complaints()}")
        killed = life.kill()
        self.kills += 1
        self.in_flight += history_report.died_in_flight(life.text())
        self.dead.append(life.process.pid)
        self.replace(life)
        if self.standing is None or not self.standing_holds:
            self.gone_after_kill.append((self.look() - killed) / 1e9)
        else:
            self.killed_meanwhile += 1

    def look(self):
        """Until the sessions of the dead are gone; gives the time. While a process stands still with the write lock they
        cannot go."""
        looked = time.monotonic_ns()
        while self.looker.holders().intersection(self.dead) or dead_sessions(self.deployment):
            if time.monotonic_ns() - looked > 30e9:
                raise Failed(f"the sessions of {self.dead} do not end")
            time.sleep(0.002)
        gone = time.monotonic_ns()
        self.gone_after_look.append((gone - looked) / 1e9)
        self.dead = []
        return gone

    def stop(self, life):
        """True where it holds the write lock."""
        life.send(signal.SIGSTOP)
        _, status = os.waitpid(life.process.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            raise Failed(f"{life.name} ended by itself: {life.complaints()}")
        at = time.monotonic_ns()
        self.stops += 1
        self.frozen_lines.append(f"frozen {life.name} at {at} .")
        self.frozen.append([life.name, at, at])
        return lock_holder_is(self.deployment, life.process.pid)

    def go_on(self, life):
        life.send(signal.SIGCONT)
        self.frozen[-1][2] = time.monotonic_ns()

    def begin_stop(self, with_lock):
        """Stops a process; with_lock: tries to find one inside a write transaction."""
        for _ in range(LOCK_TRIES if with_lock else 1):
            life = self.rng.choice(self.running)
            holds = self.stop(life)
            if holds or not with_lock:
                break
            self.go_on(life)
            time.sleep(self.rng.uniform(0.0005, 0.01))
        else:
            return
        self.standing, self.standing_holds, self.standing_since = life, holds, time.monotonic_ns()
        self.long_stops += 1

    def end_stop(self):
        life, self.standing = self.standing, None
        # Looked at again: one that was just about to wait for the lock may have been given it.
        held = self.standing_holds and lock_holder_is(self.deployment, life.process.pid)
        if held:
            self.windows.append((life.name, life.process.pid, self.standing_since, time.monotonic_ns()))
        self.frozen[-1][2] = time.monotonic_ns()
        if held and self.rng.random() < 0.3:
            self.killed_holders += 1
            self.kill_one(life)
            return
        self.go_on(life)
        if self.dead:
            self.look()

    def trouble(self):
        """Kills and stops until the time is over."""
        end = time.monotonic() + self.options.seconds
        next_kill = time.monotonic() + self.options.kill_every
        next_stop = time.monotonic() + self.options.stop_every
        stop_ends = 0
        with_lock = True
        while time.monotonic() < end or self.standing:
            now = time.monotonic()
            if self.standing and now >= stop_ends:
                self.end_stop()
                next_stop = time.monotonic() + self.options.stop_every
            elif self.options.break_rule is None and not self.standing and now >= next_stop:
                self.begin_stop(with_lock)
                with_lock = not with_lock
                long_enough = PUBLISH_MS / 1000 * self.rng.uniform(1.2, 1.8)
                stop_ends = time.monotonic() + (self.options.stop_seconds or long_enough)
                next_stop = time.monotonic() + self.options.stop_every
            elif self.options.break_rule is None and now >= next_kill:
                self.kill_one()
                next_kill += self.options.kill_every
            else:
                time.sleep(self.rng.uniform(0.01, 0.05))

    def finish(self):
        for life in self.running:
            life.process.stdin.close()
        for life in self.running:
            try:
                code = life.end()
            except subprocess.TimeoutExpired:
                raise Failed(f"{life.name} does not end: {life.complaints()}") from None
            if code != 0:
                print(f"{life.name} ended with {code}: {life.complaints()}")
        self.looker.end()

    def write_history(self):
        final = self.run_client("final", self.deployment, "--logs", self.options.logs)
        if final.returncode != 0:
            raise Failed(f"what is there at the end cannot be read: {final.stderr!r}")
        lines = ["history 1 ."]
        for life in self.lives:
            lines += life.text().splitlines()
            lines.append(life.end_line)
        lines += self.frozen_lines
        lines += final.stdout.decode().splitlines()
        return lines

    def abandon(self):
        for life in self.lives:
            if life.process.poll() is None:
                life.kill()


def report(loop, history, seconds):
    options = loop.options
    print(f"{options.processes} processes on {options.logs} logs, {options.seconds:.0f} s of trouble, {seconds:.0f} s in all")
    print(f"{loop.kills} kills, {loop.in_flight} with appends in flight after an acknowledgement, "
          f"{loop.killed_holders} of one that stood still with the write lock, {loop.killed_meanwhile} while another did")
    gone, after_look = max(loop.gone_after_kill, default=0), max(loop.gone_after_look, default=0)
    print(f"sessions of the dead gone at most {gone:.3f} s after the kill, {after_look:.3f} s after another process began "
          f"to look (median {statistics.median(loop.gone_after_look or [0]):.3f} s)")
    print(f"{loop.stops} stops, {loop.long_stops} for longer than publish_deadline, {len(loop.windows)} of these with the "
          f"write lock")
    calls = history_report.Calls(history)
    late = calls.late(loop.frozen, (DEADLINE_MS / 1000 + options.slack))
    named = calls.naming(loop.windows)
    print(f"calls with a deadline of {DEADLINE_MS} ms took at most {calls.slowest:.3f} s where their process went on")
    print(f"of {len(loop.windows)} holders that stood still, {named.holders} were named in {named.answers} answers "
          f"\"unavailable\"; {named.read_on} reads of others were answered meanwhile")
    wrong = []
    if loop.in_flight * 4 < loop.kills * 3:
        wrong.append("fewer than three kills in four hit appends in flight")
    if after_look > SESSIONS_GONE_SECONDS + options.slack:
        wrong.append("sessions of the dead did not end within a second")
    if late:
        wrong.append(f"{len(late)} calls were answered after their deadline, the first: {late[0]}")
    # Others may just have been killed as well, and one that begins has nothing to say yet.
    if len(loop.windows) - named.holders > max(1, len(loop.windows) // 4):
        wrong.append("too few holders were named")
    if loop.windows and named.read_on == 0:
        wrong.append("nobody read while the write lock was held")
    return wrong


def check(loop, history):
    """What the judge says of the history, and of broken copies of it."""
    path = os.path.join(loop.folder, "history")
    judge = breaches.Judge(loop.options.judge, path)
    started = time.monotonic()
    verdict = judge.judge(history)
    print(verdict.output, end="")
    print(f"judged in {time.monotonic() - started:.1f} s: {', '.join(verdict.judged)}")
    if loop.options.break_rule:
        wanted = loop.options.expect.split(",")
        print(f"broken: {loop.options.break_rule}; must fail: {loop.options.expect}; failed: {', '.join(verdict.failed)}")
        return [] if any(name in verdict.failed for name in wanted) else [f"{loop.options.break_rule} is not noticed"]
    if verdict.code != 0:
        return ["a property does not hold"]
    return breaches.try_all(breaches.Judge(loop.options.judge, path + ".broken"), history, verdict.judged)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("client")
    parser.add_argument("judge")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--logs", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--kill-every", type=float, default=1)
    parser.add_argument("--stop-every", type=float, default=2.5)
    parser.add_argument("--stop-seconds", type=float, help="default: a little longer than publish_deadline")
    parser.add_argument("--appenders", type=int, default=2)
    parser.add_argument("--readers", type=int, default=1)
    parser.add_argument("--tailers", type=int, default=2)
    parser.add_argument("--trimmers", type=int, default=1)
    parser.add_argument("--window", type=int, default=8)
    parser.add_argument("--pause-ms", type=int, default=10, help="between the calls of one client, at most")
    parser.add_argument("--slack", type=float, default=1, help="seconds that a busy machine may add to a deadline")
    parser.add_argument("--break", dest="break_rule", help="every process breaks the rule of this mutant of the simulator")
    parser.add_argument("--expect", help="properties of which one must then fail")
    parser.add_argument("--keep", action="store_true", help="the history stays")
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    if options.logs < 2 or options.processes < 2:
        parser.error("two logs, of which one is trimmed, and two processes are the least")
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    folder = tempfile.mkdtemp(prefix="lakestream-history-")
    loop = Loop(options, folder, random.Random(seed))
    started = time.monotonic()
    try:
        loop.make()
        loop.trouble()
        loop.finish()
        history = loop.write_history()
        wrong = [] if options.break_rule else report(loop, history, time.monotonic() - started)
        wrong += check(loop, history)
    except Failed as failed:
        wrong = [str(failed)]
    finally:
        loop.abandon()
    if wrong:
        for one in wrong:
            print(f"FAILED: {one}")
        print(f"kept: {folder}")
        return 1
    if options.keep:
        print(f"kept: {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
