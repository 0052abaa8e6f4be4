#!/usr/bin/env python3
"""Makes the WAL objects that are too large for the tree, from the manifests in src/format/testdata/wal.

usage: make-large-fixtures.py FOLDER

Writes FOLDER/{name}/object.wal for each fixture of which the tree holds only the header, after checking the
header, the length and the SHA-256 of the manifest. With LAKESTREAM_LARGE_FIXTURES=FOLDER the test program
of src/format compares these objects whole.
"""

import hashlib
import json
import pathlib
import struct
import sys


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def payload(salt, size):
    return bytes((31 * salt + 7 * i + i // 256) % 256 for i in range(size))


def build(manifest):
    entries = {section["log_id"]: [] for section in manifest["sections"]}
    region = bytearray()
    for log, records, salt, size in manifest["appends_in_order"]:
        entries[log].append((len(region), size, records))
        region += payload(salt, size)
    index = bytearray(struct.pack(">i", 3))
    for log, listed in entries.items():
        index += struct.pack(">q", log) + varint(len(listed))
        for entry in listed:
            index += b"".join(varint(number) for number in entry)
    header = struct.pack(">i", len(index)) + bytes(index)
    return header, header + bytes(region)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    target = pathlib.Path(sys.argv[1])
    fixtures = pathlib.Path(__file__).resolve().parent.parent / "src/format/testdata/wal"
    for header_file in sorted(fixtures.glob("*/header.bin")):
        folder = header_file.parent
        manifest = json.loads((folder / "manifest.json").read_text())
        header, whole = build(manifest)
        checks = {
            "header": header == header_file.read_bytes(),
            "object_bytes": len(whole) == manifest["object_bytes"],
            "object_sha256": hashlib.sha256(whole).hexdigest() == manifest["object_sha256"],
        }
        for what, good in checks.items():
            if not good:
                sys.exit(f"{folder.name}: {what} differs from the fixture")
        out = target / folder.name / "object.wal"
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(whole)
        print(f"{out}: {len(whole)} bytes")


if __name__ == "__main__":
    main()
