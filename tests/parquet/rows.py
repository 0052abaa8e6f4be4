"""What the tests of foreign readers share: parquet_rows, some payloads, and leaving where a module is missing."""

import random
import struct
import subprocess
import sys

BINARY, ROOT = "", ""
SKIPPED = 77
CODECS = ("none", "snappy", "gzip", "lz4", "zstd")


def take_arguments():
    global BINARY, ROOT
    BINARY, ROOT = sys.argv[1:3]
    del sys.argv[1:3]


def skip(module):
    print(f"SKIPPED: the Python module {module} is not installed (tools/setup.sh test)")
    sys.exit(SKIPPED)


def payloads(count=2500, seed=1):
    """Some of no bytes, some that compress and some that do not, one of 300 000 bytes."""
    draw = random.Random(seed)
    found = [draw.randbytes(draw.randrange(400)) + b"the same again " * draw.randrange(30) for _ in range(count)]
    found[count // 2] = draw.randbytes(300_000)
    found[7] = b""
    return found


def pack(values):
    return b"".join(struct.pack("<I", len(value)) + value for value in values)


def unpack(data):
    found = []
    at = 0
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at)
        found.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return found


def write(path, codec, values):
    subprocess.run([BINARY, "write", path, codec], input=pack(values), check=True)


def read(path):
    return unpack(subprocess.run([BINARY, "read", path], capture_output=True, check=True).stdout)


def refusal(path):
    """The message with which a file is refused."""
    done = subprocess.run([BINARY, "read", path], capture_output=True, check=False)
    assert done.returncode == 1, done
    return done.stderr.decode()
