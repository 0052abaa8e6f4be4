"""What a history says beside the judgement of its properties: how long calls took, and what was answered while the write
lock was held by a process that stood still."""

import collections


def died_in_flight(text):
    """Whether a process that was killed had an append under way after one was acknowledged."""
    open_appends, acknowledged = set(), False
    for line in text.splitlines():
        words = line.split(" ", 6)
        if words[0] == "began" and words[2:3] == ["append"]:
            open_appends.add(words[1])
        elif words[0] == "ended":
            open_appends.discard(words[1])
            acknowledged = acknowledged or words[4:6] == ["ok", "entry"]
    return bool(acknowledged and open_appends)


Call = collections.namedtuple("Call", "process kind began ended code message")
Named = collections.namedtuple("Named", "holders answers read_on")


class Calls:
    """The calls that have ended, by a small reading of the lines."""

    def __init__(self, history):
        self.calls = []
        self.slowest = 0.0
        process, began = None, {}
        for line in history:
            words = line.split(" ", 7)
            if words[0] == "process":
                process, began = words[1], {}
            elif words[0] == "began" and len(words) > 6:
                began[words[1]] = (words[2], int(words[6]))
            elif words[0] == "ended" and words[1] in began and len(words) > 5:
                kind, at = began.pop(words[1])
                self.calls.append(Call(process, kind, at, int(words[3]), words[4], words[5]))

    def late(self, frozen, limit):
        """Reads, extents and trims that took longer, without their process having stood still meanwhile."""
        of_process = collections.defaultdict(list)
        for name, start, end in frozen:
            of_process[name].append((start, end))
        late = []
        for call in self.calls:
            if call.kind not in ("read", "extent", "trim"):
                continue
            if any(start <= call.ended and end >= call.began for start, end in of_process[call.process]):
                continue
            seconds = (call.ended - call.began) / 1e9
            self.slowest = max(self.slowest, seconds)
            if seconds > limit:
                late.append(f"{call.kind} of {call.process}: {seconds:.3f} s, {call.code} {call.message}")
        return late

    def naming(self, windows):
        """How many of those that stood still with the write lock were named in how many answers of others, and how many
        reads of others began and ended in that time."""
        holders = answers = read_on = 0
        for name, pid, start, end in windows:
            within = [c for c in self.calls if c.process != name and start <= c.ended and c.began <= end]
            word = f"holder_pid={pid}%20"
            naming = sum(1 for c in within if c.code == "unavailable" and word in c.message)
            holders += naming > 0
            answers += naming
            read_on += sum(1 for c in within if c.kind == "read" and c.code == "ok" and c.began >= start and c.ended <= end)
        return Named(holders, answers, read_on)
