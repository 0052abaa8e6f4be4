"""What was promised, and whether a stream holds it: the judgement of the crash tests."""

import zlib


class Broken(Exception):
    """A promise that the log did not keep."""


def payload(run, line, length=120):
    """A line that nobody else writes and that says by itself whether it is whole."""
    head = f"{run}:{line}:"
    body = head + "x" * max(0, length - len(head) - 9)
    return f"{body}:{zlib.crc32(body.encode()):08x}".encode()


def parse(entry):
    """(run, line) that the entry says it is; whoever asks compares it with that payload."""
    try:
        run, line, _ = entry.split(b":", 2)
        return int(run), int(line)
    except ValueError:
        raise Broken(f"an entry is damaged: {entry[:80]!r}") from None


class Ledger:
    """Acknowledgements of many runs of `append --offsets`, each of which wrote payload(run, line) for its
    lines 1, 2, ... to partition (line - 1) mod `partitions`."""

    def __init__(self, partitions):
        self.partitions = partitions
        self.acked = [{} for _ in range(partitions)]  # offset -> (run, line)
        self.lines = set()                            # (run, line) acknowledged
        self.sent = {}                                # run -> lines given to it

    def acknowledge(self, run, text):
        """Notes what a run printed; a last line that was cut by its death counts for nothing."""
        count = 0
        for record in text.split(b"\n")[:-1]:
            line, partition, offset = map(int, record.split())
            if partition != (line - 1) % self.partitions:
                raise Broken(f"line {line} went to partition {partition}")
            if (run, line) in self.lines:
                raise Broken(f"line {line} of run {run} was acknowledged twice")
            other = self.acked[partition].setdefault(offset, (run, line))
            if other != (run, line):
                raise Broken(f"offset {offset} of partition {partition} was acknowledged twice: {other}, {(run, line)}")
            self.lines.add((run, line))
            count += 1
        return count

    def check(self, contents):
        """`contents`: the entries of each partition from offset 0 on, so that an entry's place is its offset."""
        seen = set()
        for partition, entries in enumerate(contents):
            following = {}  # run -> the line that must come next on this partition
            for offset, entry in enumerate(entries):
                run, line = parse(entry)
                if entry != payload(run, line) or line > self.sent.get(run, 0):
                    raise Broken(f"offset {offset} of partition {partition} holds what nobody wrote: {entry[:80]!r}")
                if (run, line) in seen:
                    raise Broken(f"line {line} of run {run} is there twice")
                seen.add((run, line))
                expected = following.get(run, partition + 1)
                if line != expected:
                    raise Broken(f"run {run} on partition {partition}: line {line} where {expected} comes next")
                following[run] = line + self.partitions
                promised = self.acked[partition].get(offset)
                if promised is not None and promised != (run, line):
                    raise Broken(f"offset {offset} of partition {partition} holds {(run, line)}, not {promised}")
            beyond = [offset for offset in self.acked[partition] if offset >= len(entries)]
            if beyond:
                raise Broken(f"partition {partition} ends at {len(entries)}; {len(beyond)} acknowledged offsets are lost")


def catches(ledger, contents):
    """Breaks each promise once and says which breaches `check` let pass: none, or it proves nothing."""
    def copy():
        return [list(entries) for entries in contents]

    partition = max(range(len(contents)), key=lambda p: len(ledger.acked[p]))
    offset = sorted(ledger.acked[partition])[len(ledger.acked[partition]) // 2]
    last = max(ledger.acked[partition])
    breaches = {}
    lost = copy()
    del lost[partition][offset]
    breaches["an acknowledged entry is lost in the middle"] = lost
    cut = copy()
    del cut[partition][last:]
    breaches["an acknowledged entry is lost at the end"] = cut
    doubled = copy()
    doubled[partition].append(doubled[partition][offset])
    breaches["an entry is there twice"] = doubled
    changed = copy()
    changed[partition][offset] = changed[partition][offset][:-1] + b"?"
    breaches["a byte is changed"] = changed
    swapped = copy()
    swapped[partition][offset], swapped[partition][offset - 1] = swapped[partition][offset - 1], swapped[partition][offset]
    breaches["two entries change places"] = swapped
    foreign = copy()
    foreign[partition].append(payload(10**9, partition + 1))
    breaches["an entry nobody wrote"] = foreign
    missed = []
    for name, broken in breaches.items():
        try:
            ledger.check(broken)
            missed.append(name)
        except Broken:
            pass
    return missed
