"""Looks inside compacted files and companions of another writer, whole and damaged, and into files made here byte by byte."""

import base64
import gzip
import json
import os
import struct
import sys
import unittest

import harness

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
PARQUET = os.path.join(ROOT, "src/parquet/testdata")
COMPANION = os.path.join(ROOT, "src/format/testdata/companion")
NAME = "ursa-00000000-0000-5000-0000-000000000001"
KAFKA = b"KAFKA_BATCHED_RAW_PARQUET"
RAW = b"LAKESTREAM_RAW_PARQUET"


def contents(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def rows_of(fixture, first=0, count=None):
    """[offset, records, time, size, cumulative size] of each row."""
    rows = json.loads(contents(COMPANION, fixture, "manifest.json"))["rows"]
    return [row[:5] for row in rows][first:][:count]


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def companion(rows):
    """As docs/format/companion.md has it."""
    listed = []
    for row in rows:
        header = b"".join(bytes([8 * (i + 1)]) + varint(value) for i, value in enumerate(row))
        metadata = base64.b64encode(b"\x12" + varint(len(header)) + header).decode()
        listed.append({"metadata": metadata, "offset": str(row[0])})
    block = json.dumps(listed).encode()
    names = json.dumps({str(row[0]): i for i, row in enumerate(rows)}).encode()
    return gzip.compress(struct.pack(">i", len(block)) + block + b"\x7f\xff\xff\xff" + struct.pack(">i", len(names)) + names)


def with_serde(data, serde):
    """The same file with another entrySerDeType."""
    size = len(data) - 8 - struct.unpack("<I", data[-8:-4])[0]
    footer = data[size:-8].replace(bytes([len(KAFKA)]) + KAFKA, bytes([len(serde)]) + serde)
    return data[:size] + footer + struct.pack("<I", len(footer)) + b"PAR1"


class Struct(bytes):
    """Of Thrift's compact protocol."""


def thrift(*fields):
    """A field is its number and an int (i32), (int,) (i64), bytes, a struct, or a list of structs."""
    out, last = b"", 0
    for number, value in fields:
        if isinstance(value, Struct):
            kind, body = 12, value
        elif isinstance(value, bytes):
            kind, body = 8, varint(len(value)) + value
        elif isinstance(value, list):
            kind, body = 9, bytes([len(value) << 4 | 12]) + b"".join(value)
        elif isinstance(value, tuple):
            kind, body = 6, varint(value[0] << 1)
        else:
            kind, body = 5, varint(value << 1)
        out += bytes([number - last << 4 | kind]) + body
        last = number
    return Struct(out + b"\0")


def page(payloads, pack=None):
    """A data page of version 1; `pack` compresses it."""
    levels = varint(len(payloads) << 1) + b"\1"
    body = struct.pack("<I", len(levels)) + levels + b"".join(struct.pack("<I", len(p)) + p for p in payloads)
    stored = pack(body) if pack else body
    return thrift((1, 0), (2, len(body)), (3, len(stored)),
                  (5, thrift((1, len(payloads)), (2, 0), (3, 3), (4, 3)))) + stored


def dictionary_pages(payloads):
    """Each payload once, and a data page that names them in their order."""
    entries = b"".join(struct.pack("<I", len(p)) + p for p in payloads)
    body = struct.pack("<I", 2) + varint(len(payloads) << 1) + b"\1" + b"\x08" + varint((len(payloads) + 7) // 8 << 1 | 1)
    body += bytes(range(len(payloads))) + bytes(-len(payloads) % 8)
    return [thrift((1, 2), (2, len(entries)), (3, len(entries)), (7, thrift((1, len(payloads)), (2, 0)))) + entries,
            thrift((1, 0), (2, len(body)), (3, len(body)),
                   (5, thrift((1, len(payloads)), (2, 8), (3, 3), (4, 3)))) + body]


def unindexed(pages, rows, codec=0, dictionary=False):
    """A file of one row group without offset index."""
    chunk = b"".join(pages)
    first = 4 + (len(pages[0]) if dictionary else 0)
    column = [(1, 6), (4, codec), (5, (rows,)), (6, (len(chunk),)), (7, (len(chunk),)), (9, (first,))]
    group = thrift((1, [thrift((2, (4,)), (3, thrift(*column, *[(11, (4,))] * dictionary)))]), (2, (len(chunk),)),
                   (3, (rows,)))
    footer = thrift((1, 1), (2, [thrift((4, b"LogEntry"), (5, 1)), thrift((1, 6), (3, 1), (4, b"payload"))]),
                    (3, (rows,)), (4, [group]), (5, [thrift((1, b"entrySerDeType"), (2, RAW))]))
    return b"PAR1" + chunk + footer + struct.pack("<I", len(footer)) + b"PAR1"


def sized(payloads):
    """Rows of a companion for these payloads."""
    return [[i, 1, 1_700_000_000_000, len(p), sum(map(len, payloads[: i + 1]))] for i, p in enumerate(payloads)]


class TestCase(harness.TestCase):
    def setUp(self):
        super().setUp()
        self.file = os.path.join(self.folder, NAME + ".parquet")
        self.companion = os.path.join(self.folder, NAME + ".index")

    def put(self, parquet, index):
        for path, data in ((self.file, parquet), (self.companion, index)):
            if data is not None:
                with open(path, "wb") as file:
                    file.write(data)

    def put_fixture(self, fixture, name=NAME, serde=KAFKA):
        path = os.path.join(PARQUET, fixture, name + ".parquet")
        data = contents(path) if os.path.exists(path) else gzip.decompress(contents(path + ".gz"))
        self.put(with_serde(data, serde), contents(COMPANION, fixture, name + ".index"))

    def inspect(self):
        """What it shows; it must hold."""
        result = harness.run("inspect", "compacted", self.file, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        return json.loads(result.stdout)

    def damage(self, *said, code=5):
        """What it shows all the same; each of `said` must be in the one line."""
        result = harness.run("inspect", "compacted", self.file, "--json")
        self.assertEqual(result.returncode, code, result.stderr)
        shown = json.loads(result.stdout)
        line = result.stderr.decode()
        self.assertEqual(line, f"lakestream: {shown['error']}\n")
        for part in said:
            self.assertIn(part, line)
        self.assertEqual(harness.run("inspect", "compacted", self.file).returncode, code)
        return shown


class Compacted(TestCase):
    def test_a_file_of_record_batches(self):
        self.put_fixture("kafka-batches")
        shown = self.inspect()
        self.assertEqual((shown["file_size"], shown["root_name"], shown["binding"], shown["num_rows"], shown["rows_checked"]),
                         (16264, "KafkaMessage", "kafka", 13, 13))
        self.assertTrue(shown["created_by"].startswith("parquet-mr version 1.16.0"), shown)
        self.assertEqual(sorted(shown["key_value_metadata"]),
                         ["entrySerDeType", "parquet.avro.schema", "rowMetadata", "schemaType", "writer.model.name"])
        self.assertEqual(shown["row_groups"], [{
            "num_rows": 13, "codec": "UNCOMPRESSED", "total_compressed_size": 15315, "offset_index": True, "pages": 1,
            "smallest_page": 15315, "largest_page": 15315}])
        self.assertEqual(shown["companion"], {
            "file": self.companion, "file_size": 358, "rows": 13, "start_offset": 0, "end_offset": 1131,
            "message_count": 1131, "entry_size_bytes": 15230, "cumulative_size": 15230})
        text = harness.run("inspect", "compacted", self.file).stdout.decode()
        self.assertIn("\n  entrySerDeType       KAFKA_BATCHED_RAW_PARQUET\n", text)
        self.assertTrue(text.endswith("\nrows_checked  13\n"), text)

    def test_files_of_opaque_payloads(self):
        for fixture, name, expected in (("plain-12-entries", NAME, (0, 12)), ("block-split-exact", NAME, (0, 20)),
                                        ("two-files", NAME.replace("5000", "5001"), None)):
            with self.subTest(fixture=fixture):
                self.put_fixture(fixture, name, serde=RAW)
                shown = self.inspect()
                self.assertEqual((shown["binding"], shown["rows_checked"]), ("raw", shown["companion"]["rows"]))
                if expected:
                    self.assertEqual((shown["companion"]["start_offset"], shown["num_rows"]), expected)

    def test_a_file_of_several_row_groups_and_pages(self):
        self.put_fixture("row-groups", serde=RAW)
        shown = self.inspect()
        self.assertEqual(len(shown["row_groups"]), 2)
        self.assertEqual(sum(group["num_rows"] for group in shown["row_groups"]), shown["rows_checked"])
        for group in shown["row_groups"]:
            self.assertGreater(group["pages"], 1)
            self.assertLess(group["smallest_page"], group["largest_page"])

    def test_a_file_without_offset_index(self):
        payloads = [b"a" * (i + 1) for i in range(11)]
        first, second = page(payloads[:4]), page(payloads[4:])
        self.put(unindexed([first, second], 11), companion(sized(payloads)))
        [group] = self.inspect()["row_groups"]
        self.assertEqual((group["offset_index"], group["pages"], group["smallest_page"], group["largest_page"]),
                         (False, 2, len(first), len(second)))
        pages = dictionary_pages(payloads)
        self.put(unindexed(pages, 11, dictionary=True), None)
        shown = self.inspect()
        self.assertEqual((shown["rows_checked"], shown["row_groups"][0]["pages"]), (11, 1))

    def test_large_pages_without_offset_index(self):
        payloads = [bytes([65 + i]) * (40 << 20) for i in range(3)]
        pages = [page([p], lambda data: gzip.compress(data, 1)) for p in payloads]
        self.put(unindexed(pages, 3, codec=2), companion(sized(payloads)))
        shown = self.inspect()
        self.assertEqual((shown["rows_checked"], shown["row_groups"][0]["pages"]), (3, 3))
        self.put(unindexed(pages, 3, codec=2), companion(sized([*payloads[:2], payloads[2][:-1]])))
        self.assertEqual(self.damage("field=entrySize", "row=2")["rows_checked"], 2)
        # The pages have a row more than the file counts.
        pages[1] = page([payloads[1], b"", b""], lambda data: gzip.compress(data, 1))
        self.put(unindexed(pages[:2], 3, codec=2), None)
        self.damage("parquet pages do not make up the rows of their group")


class CompactedDamage(TestCase):
    def test_the_companion_is_missing(self):
        self.put_fixture("kafka-batches")
        os.remove(self.companion)
        shown = self.damage("no companion", f"object={self.companion}")
        # All that the file itself says is shown, and was checked.
        self.assertEqual((shown["rows_checked"], shown["companion"]), (13, {"error": shown["error"]}))

    def test_the_companion_cannot_be_read(self):
        self.put_fixture("kafka-batches")
        self.put(None, contents(self.companion)[:-9])
        shown = self.damage(f"object={self.companion}", "field=gzip")
        self.assertEqual((shown["rows_checked"], shown["companion"]), (13, {"error": shown["error"]}))

    def test_the_companion_lacks_a_row(self):
        self.put_fixture("kafka-batches")
        rows = rows_of("kafka-batches")
        for part in (rows[:-1], rows[1:]):
            self.put(None, companion(part))
            shown = self.damage("another number of rows", f"object={self.companion}", "rows=12 num_rows=13")
            self.assertEqual((shown["rows_checked"], shown["companion"]["rows"]), (13, 12))
        self.put(None, companion(rows[:5] + rows[6:]))
        self.damage("does not begin where the one before it ends", f"object={self.companion}", "row=5")

    def test_the_companion_has_rows_too_many(self):
        self.put_fixture("kafka-batches")
        rows = rows_of("kafka-batches")
        end = rows[-1]
        more = [[end[0] + end[1] + i, 1, 0, 0, end[4]] for i in range(20_000)]
        self.put(None, companion(rows + more))
        self.damage("another number of rows", "rows=20013 num_rows=13")

    def test_sizes_of_the_companion_do_not_add_up(self):
        self.put_fixture("kafka-batches")
        rows = rows_of("kafka-batches")
        rows[4][4] += 1
        self.put(None, companion(rows))
        self.damage("cumulative sizes of two rows do not add up", f"object={self.companion}", "row=4")

    def test_a_payload_has_another_size(self):
        self.put_fixture("kafka-batches")
        rows = rows_of("kafka-batches")
        for step, row in ((1, 3), (-1, 4)):
            rows[row][3] += step
            rows[3][4] += step * (row == 3)
        self.put(None, companion(rows))
        shown = self.damage("payload has another size", f"object={self.file}", "field=entrySize",
                            "size=484 entry_size=485 row=3")
        self.assertEqual(shown["rows_checked"], 3)

    def test_the_companion_is_that_of_another_file(self):
        for name in ("two-files", "plain-12-entries"):
            self.put_fixture("kafka-batches")
            self.put(None, contents(COMPANION, name, NAME + ".index"))
            self.damage("another number of rows", "num_rows=13")
        # As many rows, of the same log, and of the same sizes but for one.
        self.put_fixture("plain-12-entries", serde=RAW)
        rows = [[row[0] + 100, *row[1:]] for row in rows_of("plain-12-entries")]
        rows[-1][3] += 7
        rows[-1][4] += 7
        self.put(None, companion(rows))
        self.damage("payload has another size", "row=11")

    def test_a_batch_has_another_number_of_records(self):
        self.put_fixture("kafka-batches")
        rows = rows_of("kafka-batches")
        rows[6][1] -= 1
        rows[7][0] -= 1
        rows[7][1] += 1
        self.put(None, companion(rows))
        shown = self.damage("another number of records", f"object={self.file}", "field=numberOfMessages",
                            "records=1000 number_of_messages=999 row=6")
        self.assertEqual(shown["rows_checked"], 6)
        # Nobody looks into payloads of another binding.
        self.put(with_serde(contents(self.file), RAW), None)
        self.assertEqual(self.inspect()["rows_checked"], 13)

    def test_payloads_are_no_batches(self):
        self.put_fixture("plain-12-entries")
        shown = self.damage(f"object={self.file}", "batch=0", "row=0")
        self.assertEqual((shown["rows_checked"], shown["companion"]["rows"]), (0, 12))

    def test_a_page(self):
        self.put_fixture("row-groups", serde=RAW)
        data = bytearray(contents(self.file))
        data[5_000_000] ^= 4
        self.put(data, None)
        shown = self.damage("checksum", f"object={self.file}", "field=crc")
        self.assertGreater(shown["rows_checked"], 0)
        self.assertLess(shown["rows_checked"], shown["num_rows"])
        # The companion is shown, and where it is gone too the page is named first.
        self.assertEqual(shown["companion"]["rows"], shown["num_rows"])
        os.remove(self.companion)
        self.assertIn("no companion", self.damage("field=crc")["companion"]["error"])

    def test_the_footer(self):
        self.put_fixture("kafka-batches")
        data = contents(self.file)
        for bad, said in ((data[:-1], "does not end with its magic"), (b"", "too short"), (data[:11], "too short"),
                          (b"x" + data[1:], "does not begin with its magic"),
                          (data[:-8] + b"\xff\xff\xff\x7fPAR1", "longer than its file"),
                          (data.replace(b"\x18\x07payload", b"\x18\x07playoad"), "not the one column payload")):
            with self.subTest(said=said):
                self.put(bad, None)
                shown = self.damage(said, f"object={self.file}")
                self.assertEqual(shown, {"file_size": len(bad), "error": shown["error"]})

    def test_the_binding(self):
        self.put_fixture("kafka-batches")
        data = contents(self.file)
        self.put(with_serde(data, b"KAFKA_PARQUET"), None)
        shown = self.damage("no binding that is known", "entrySerDeType=KAFKA_PARQUET", code=1)
        self.assertEqual((shown["binding"], shown["rows_checked"]), (None, 13))
        self.put(data.replace(b"entrySerDeType", b"entrySerDeTyp_"), None)
        self.damage("lacks a footer key", "field=entrySerDeType")

    def test_what_is_no_compacted_file(self):
        result = harness.run("inspect", "compacted", self.file)
        self.assertEqual(result.returncode, 4)
        self.assertIn(self.file, self.one_line(result))
        for name in ("-", self.companion):
            result = harness.run("inspect", "compacted", name)
            self.assertEqual(result.returncode, 2)
            self.assertIn(".parquet", self.one_line(result))


class Companion(TestCase):
    def test_all_rows(self):
        for fixture in ("kafka-batches", "row-groups"):
            path = os.path.join(COMPANION, fixture, NAME + ".index")
            result = harness.run("inspect", "companion", path, "--json")
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            shown = json.loads(result.stdout)
            rows = rows_of(fixture)
            names = ("offset", "numberOfMessages", "writtenTimestamp", "entrySize", "cumulativeSize")
            self.assertEqual(shown["entries"], [dict(zip(names, row)) for row in rows])
            self.assertEqual((shown["rows"], shown["end_offset"]), (len(rows), rows[-1][0] + rows[-1][1]))
            piped = json.loads(harness.run("inspect", "companion", "-", "--json", stdin=contents(path)).stdout)
            self.assertEqual(piped["entries"], shown["entries"])

    def test_no_rows_and_damage(self):
        result = harness.run("inspect", "companion", "-", "--json", stdin=companion([]))
        self.assertEqual((result.returncode, json.loads(result.stdout)["entries"]), (0, []))
        rows = rows_of("kafka-batches")
        result = harness.run("inspect", "companion", "-", "--json", stdin=companion(rows[:3] + rows[4:]))
        self.assertEqual(result.returncode, 5)
        self.assertIn("row=3", json.loads(result.stdout)["error"])
        result = harness.run("inspect", "companion", self.companion)
        self.assertEqual(result.returncode, 4)
        self.one_line(result)


if __name__ == "__main__":
    harness.BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
