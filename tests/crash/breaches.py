"""Copies of a history in which one thing is wrong, and the property that must say so."""

import collections
import re
import subprocess

Verdict = collections.namedtuple("Verdict", "code output judged failed")


class Judge:
    def __init__(self, program, path):
        self.program = program
        self.path = path

    def judge(self, history):
        with open(self.path, "w", encoding="ascii") as file:
            file.write("\n".join(history) + "\n")
        result = subprocess.run([self.program, "--judge", self.path], capture_output=True, check=False, timeout=1200)
        output = (result.stdout + result.stderr).decode()
        judged = re.search(r"^judged: (.*)$", output, re.MULTILINE)
        return Verdict(result.returncode, output, judged.group(1).split() if judged else [],
                       re.findall(r"^FAILED .* property=(\w+):", output, re.MULTILINE))


class NothingToBreak(Exception):
    """The history has nothing of the kind."""


class Places:
    """Where things are in a history."""

    def __init__(self, history):
        self.process_of = {}
        self.lines_of_calls = {}  # (process, call) -> [line of began, line of ended]
        process = None
        for i, line in enumerate(history):
            words = line.split(" ", 2)
            if words[0] == "process":
                process = words[1]
            elif words[0] in ("began", "ended"):
                self.process_of[i] = process
                self.lines_of_calls.setdefault((process, words[1]), []).append(i)


class Copy:
    """The lines of a history, to be changed."""

    def __init__(self, history, places):
        self.lines = list(history)
        self.process_of = places.process_of
        self.lines_of_calls = places.lines_of_calls

    def calls(self, kind):
        """(line of began, line of ended, their words) of the calls of this kind that ended well."""
        for lines in self.lines_of_calls.values():
            if len(lines) < 2:
                continue
            began, ended = self.lines[lines[0]].split(), self.lines[lines[1]].split()
            if began[2] == kind and ended[4] == "ok":
                yield lines[0], lines[1], began, ended

    def one(self, found, last=False):
        """The one in the middle: neither what begins a history nor what ends it."""
        found = list(found)
        if not found:
            raise NothingToBreak
        return found[-1 if last else len(found) // 2]

    def put(self, line, words):
        self.lines[line] = " ".join(words)


def entry_parts(word):
    return list(map(int, word.split(":")))


def word_of(parts):
    return ":".join(map(str, parts))


def untrimmed_appends(copy):
    """Of logs whose marker is 0."""
    logs = {line.split()[1] for line in copy.lines if line.startswith("final ") and " marker 0 " in line}
    return [call for call in copy.calls("append") if call[2][8] in logs]


def final_payload_changed(copy):
    """An acknowledged entry has other bytes at the end."""
    _, _, began, ended = copy.one(untrimmed_appends(copy))
    word = ended[6]
    for i, line in enumerate(copy.lines):
        if line.startswith(f"record {began[8]} ") and f" {word} " in line:
            parts = entry_parts(word)
            copy.lines[i] = line.replace(f" {word} ", f" {word_of(parts[:2] + [-1] + parts[3:])} ")
            return
    raise NothingToBreak


def acknowledged_entry_lost(copy):
    """The last record of a log is not there at the end."""
    _, _, began, _ = copy.one(untrimmed_appends(copy))
    acknowledged = {call[3][6] for call in copy.calls("append") if call[2][8] == began[8]}
    records = [i for i, line in enumerate(copy.lines) if line.startswith(f"record {began[8]} ")]
    if not acknowledged.intersection(copy.lines[records[-1]].split()):
        raise NothingToBreak
    del copy.lines[records[-1]]


def offset_doubled(copy):
    """Two acknowledged appends have one offset."""
    _, first, began, ended = copy.one(copy.calls("append"))
    for _, line, other_began, other in copy.calls("append"):
        if line != first and other_began[8] == began[8]:
            parts = entry_parts(other[6])
            other[6] = word_of([entry_parts(ended[6])[0]] + parts[1:])
            copy.put(line, other)
            return
    raise NothingToBreak


def read_goes_back(copy):
    """A read gives what is before the offset that it was asked for."""
    first, _, began, ended = copy.one(c for c in copy.calls("read") if len(c[3]) > 8)
    began[10] = ended[6]
    copy.put(first, began)


def hole_at_the_end(copy):
    """A record in the middle of a log is missing."""
    logs = [line.split()[1] if line.startswith("record ") else None for line in copy.lines]
    middles = (i for i in range(1, len(logs) - 1) if logs[i] is not None and logs[i - 1] == logs[i] == logs[i + 1])
    del copy.lines[copy.one(middles)]


def marker_back(copy):
    """The trim marker is 0 at the end, after trims."""
    _, _, began, _ = copy.one(c for c in copy.calls("trim") if int(c[3][8]) > 0)
    line = next(i for i, line in enumerate(copy.lines) if line.startswith(f"final {began[8]} "))
    words = copy.lines[line].split()
    words[3] = "0"
    copy.put(line, words)


def failed_append_is_there(copy):
    """An append that is in the log was answered as not done."""
    _, line, _, ended = copy.one(copy.calls("append"))
    copy.put(line, ended[:4] + ["unavailable", "'not%20done", "."])


def extent_too_short(copy):
    """An extent says that a log is empty to which was appended before."""
    _, line, _, ended = copy.one((c for c in copy.calls("extent") if int(c[3][8]) > 0), last=True)
    ended[6] = ended[8] = "0"
    copy.put(line, ended)


def trim_not_seen(copy):
    """An extent says that a log begins at 0, after it was trimmed."""
    _, line, _, ended = copy.one((c for c in copy.calls("extent") if int(c[3][6]) > 0), last=True)
    ended[6] = "0"
    copy.put(line, ended)


def wrong_sum(copy):
    """An append was told another cumulative size."""
    _, line, _, ended = copy.one(untrimmed_appends(copy))
    parts = entry_parts(ended[6])
    parts[3] += 1
    ended[6] = word_of(parts)
    copy.put(line, ended)


def found_damaged(copy):
    """A read was answered with `corrupt`."""
    _, line, _, ended = copy.one(copy.calls("read"))
    copy.put(line, ended[:4] + ["corrupt", "'a%20gap", "."])


def call_without_end(copy):
    """A process ended well and left a call unanswered."""
    exited = {line.split()[1] for line in copy.lines if line.startswith("exited ")}
    _, line, _, _ = copy.one(c for c in copy.calls("extent") if copy.process_of[c[0]] in exited)
    del copy.lines[line]


def another_value(copy):
    """A read saw another entry at an offset."""
    _, line, _, ended = copy.one(c for c in copy.calls("read") if len(c[3]) > 9)
    parts = entry_parts(ended[7])
    parts[2] = entry_parts(ended[8])[2]
    ended[7] = word_of(parts)
    copy.put(line, ended)


def calls_out_of_order(copy):
    """Two appends of one process of one thread have each other's offsets."""
    single = {line.split()[1] for line in copy.lines if line.startswith("process ") and " threads 1 " in line}
    last = {}
    for _, line, began, ended in copy.calls("append"):
        process = copy.process_of[line]
        if process not in single:
            continue
        before = last.get((process, began[8]))
        if before is not None:
            parts, others = entry_parts(ended[6]), entry_parts(before[1][6])
            parts[0], others[0] = others[0], parts[0]
            ended[6], before[1][6] = word_of(parts), word_of(others)
            copy.put(line, ended)
            copy.put(*before)
            return
        last[(process, began[8])] = (line, ended)
    raise NothingToBreak


def tail_sleeps_on(copy):
    """A tail that got entries waits on instead, for longer than a tail may; its process has no trouble and lives on."""
    longer = 20_000_000_000
    first, line, began, ended = copy.one(c for c in copy.calls("tail") if len(c[3]) > 8)
    process = copy.process_of[first]
    until = int(ended[3]) + longer
    copy.put(line, ended[:3] + [str(until), "ok", "next", began[10], "."])
    for i, other in enumerate(copy.lines):
        if other.startswith(f"frozen {process} "):
            copy.lines[i] = ""
        elif other.startswith(f"killed {process} "):
            copy.lines[i] = f"killed {process} at {until + longer} ."
    copy.lines = [one for one in copy.lines if one]


BREACHES = [
    (final_payload_changed, "durable_acknowledgement"),
    (acknowledged_entry_lost, "durable_acknowledgement"),
    (offset_doubled, "real_offsets"),
    (read_goes_back, "monotonic_readers"),
    (hole_at_the_end, "contiguity"),
    (marker_back, "trims_move_on"),
    (failed_append_is_there, "no_phantom"),
    (extent_too_short, "real_time_order"),
    (trim_not_seen, "trims_are_seen"),
    (wrong_sum, "sums"),
    (found_damaged, "nothing_corrupt"),
    (call_without_end, "comes_to_rest"),
    (another_value, "one_value_per_offset"),
    (calls_out_of_order, "call_order"),
    (tail_sleeps_on, "tails_wake"),
]


def try_all(judge, history, judged):
    """Breaks the history in each way; what was not noticed by the property that must."""
    wrong = []
    places = Places(history)
    for breach, wanted in BREACHES:
        copy = Copy(history, places)
        try:
            breach(copy)
        except NothingToBreak:
            wrong.append(f"{breach.__name__}: the history has nothing to break in this way")
            continue
        verdict = judge.judge(copy.lines)
        if wanted not in verdict.failed:
            wrong.append(f"{breach.__name__} is not noticed by {wanted}: {verdict.output}")
    print(f"{len(BREACHES)} broken copies, {len(BREACHES) - len(wrong)} caught by the right property")
    untried = sorted(set(judged) - {wanted for _, wanted in BREACHES})
    if untried:
        wrong.append(f"no broken copy is for {', '.join(untried)}")
    return wrong
