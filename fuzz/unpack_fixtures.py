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


def companion_fixtures(source):
    """Companions as they are and before gzip, and the metadata of their rows."""
    for folder in sorted((source / "src/format/testdata/companion").iterdir()):
        for number, path in enumerate(sorted(folder.glob("*.index"))):
            content = path.read_bytes()
            yield "companion", f"{folder.name}-{number}", content
            yield "companion", f"{folder.name}-{number}-plain", gzip.decompress(content)
        rows = json.loads((folder / "manifest.json").read_bytes())["rows"]
        for row in rows[:5]:
            yield "row_metadata", f"{folder.name}-{row[0]}", base64.b64decode(row[5])


def fastpfor_fixtures(source):
    with gzip.open(source / "src/codec/testdata/fastpfor-java-vectors.txt.gz", "rt") as stream:
        lines = stream.read().splitlines()
    for number, line in enumerate(lines[1::2]):
        words = [int(word) for word in line.split()[1:]]
        yield "fastpfor", f"java-{number:03}", struct.pack(f">{len(words)}I", *words)


def kafka_fixtures(source):
    for path in sorted((source / "src/kafka/records/testdata").glob("*.bin")):
        yield "record_batch", path.stem, path.read_bytes()


def parquet_fixtures(source):
    for path in sorted((source / "src/parquet/testdata").glob("*/*.parquet")):
        yield "parquet_file", f"{path.parent.name}-{path.stem}", path.read_bytes()


def main(source, out):
    shutil.rmtree(out, ignore_errors=True)
    for corpus in (source / "fuzz/corpus").iterdir():
        (out / corpus.name).mkdir(parents=True)  # of some targets it stays empty
    count = 0
    fixtures = [wal_fixtures, companion_fixtures, fastpfor_fixtures, kafka_fixtures, parquet_fixtures]
    for target, name, content in [one for unpack in fixtures for one in unpack(source)]:
        if len(content) > MAX_BYTES:
            continue
        (out / target).mkdir(parents=True, exist_ok=True)
        (out / target / name).write_bytes(content)
        count += 1
    if count < 250:
        sys.exit(f"only {count} fixtures: they have moved")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
