#!/usr/bin/env python3
"""Unpacks the fixtures of the tests to inputs of the fuzz targets: unpack_fixtures.py SOURCE_TREE FOLDER.
FOLDER/TARGET/NAME is one input. What an earlier run left there is removed."""

import base64
import gzip
import json
import shutil
import struct
import sys
from pathlib import Path

MAX_BYTES = 128 * 1024


def wal_fixtures(source):
    """(target, name, bytes) of the WAL objects, their index records and keys, and what describes them."""
    for folder in sorted((source / "src/format/testdata/wal").iterdir()):
        for name in ("object.wal", "header.bin"):
            if (folder / name).exists():
                yield "wal_object", f"{folder.name}-{name}", (folder / name).read_bytes()
        text = (folder / "manifest.json").read_bytes()
        yield "json", f"{folder.name}-manifest", text
        for section in json.loads(text)["sections"]:
            name = f"{folder.name}-{section['log_id']}"
            value = base64.b64decode(section["value_base64"])
            yield "entry_index", name, value
            yield "proto_wire", name, value
            yield "base64", name, section["value_base64"].encode()
            yield "index_key", name, section["key"].encode()
            yield "metadata_keys", name, section["key"].encode()


def fastpfor_fixtures(source):
    with gzip.open(source / "src/codec/testdata/fastpfor-java-vectors.txt.gz", "rt") as stream:
        lines = stream.read().splitlines()
    for number, line in enumerate(lines[1::2]):
        words = [int(word) for word in line.split()[1:]]
        yield "fastpfor", f"java-{number:03}", struct.pack(f">{len(words)}I", *words)


def main(source, out):
    shutil.rmtree(out, ignore_errors=True)
    for corpus in (source / "fuzz/corpus").iterdir():
        (out / corpus.name).mkdir(parents=True)  # of some targets it stays empty
    count = 0
    for target, name, content in [*wal_fixtures(source), *fastpfor_fixtures(source)]:
        if len(content) > MAX_BYTES:
            continue
        (out / target).mkdir(parents=True, exist_ok=True)
        (out / target / name).write_bytes(content)
        count += 1
    if count < 250:
        sys.exit(f"only {count} fixtures: they have moved")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
