"""Compacted files between this project and pyarrow, both ways, and the fixtures against their manifests.
  pyarrow_test.py PARQUET_ROWS SOURCE_TREE"""

import gzip
import hashlib
import json
import pathlib
import tempfile
import unittest

import rows

rows.take_arguments()
try:
    import pyarrow
    import pyarrow.parquet
except ImportError:
    rows.skip("pyarrow")

AVRO = ('{"type":"record","name":"KafkaMessage","fields":[{"name":"payload","type":["null","bytes"],"default":null}]}')


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lakestream-parquet-")
        self.addCleanup(folder.cleanup)
        self.path = str(pathlib.Path(folder.name, "file.parquet"))

    def write(self, values, kind=None, **options):
        table = pyarrow.table({"payload": pyarrow.array(values, kind or pyarrow.binary())})
        pyarrow.parquet.write_table(table, self.path, **options)


class Fixtures(WithFolder):
    def test_each_row_has_the_bytes_of_its_manifest(self):
        seen = 0
        for manifest in sorted(pathlib.Path(rows.ROOT, "src/parquet/testdata").glob("*/manifest.json")):
            listed = json.loads(manifest.read_text())
            found = []
            for name in (file["parquet"] for file in listed["files"]):
                path = manifest.parent / name
                packed = path.with_suffix(".parquet.gz")
                data = path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
                pathlib.Path(self.path).write_bytes(data)
                found += rows.read(self.path)
            sums = [hashlib.sha256(payload).hexdigest() for payload in found]
            self.assertEqual(sums, [row[6] for row in listed["rows_if_at_most_300"]], manifest)
            seen += len(sums)
        self.assertEqual(seen, 307)


class FilesOfPyarrow(WithFolder):
    def test_are_read_whatever_their_options(self):
        values = rows.payloads()
        some = values[:40] * 60  # what a dictionary is for
        for codec in rows.CODECS:
            for dictionary in (False, True):
                for index in (False, True):
                    for version in ("1.0", "2.0"):
                        with self.subTest(codec=codec, dictionary=dictionary, index=index, version=version):
                            self.write(some if dictionary else values, compression=codec, use_dictionary=dictionary,
                                       write_page_index=index, data_page_version=version, data_page_size=20_000,
                                       row_group_size=1000, write_page_checksum=index == (version == "1.0"),
                                       version="2.6" if version == "2.0" else "1.0")
                            self.assertEqual(rows.read(self.path), some if dictionary else values)

    def test_a_column_that_is_required(self):
        schema = pyarrow.schema([pyarrow.field("payload", pyarrow.binary(), nullable=False)])
        values = rows.payloads(100)
        pyarrow.parquet.write_table(pyarrow.table({"payload": values}, schema=schema), self.path)
        self.assertEqual(rows.read(self.path), values)

    def test_one_without_rows(self):
        self.write([])
        self.assertEqual(rows.read(self.path), [])

    def test_what_is_no_compacted_file_is_refused(self):
        self.write(["text"], pyarrow.string())
        self.assertIn("corrupt: parquet column payload is not plain binary", rows.refusal(self.path))
        self.write([b"a", None])
        self.assertIn("corrupt: parquet row has no payload", rows.refusal(self.path))
        self.write([b"a"], compression="brotli")
        self.assertIn("unimplemented: parquet column has a codec that is not read", rows.refusal(self.path))
        self.write([b"a", b"b"], use_dictionary=False, column_encoding="DELTA_BYTE_ARRAY")
        self.assertIn("unimplemented: parquet page has an encoding that is not read", rows.refusal(self.path))
        table = pyarrow.table({"payload": [b"a"], "more": [1]})
        pyarrow.parquet.write_table(table, self.path)
        self.assertIn("corrupt: parquet", rows.refusal(self.path))

    def test_a_flipped_byte_is_seen(self):
        self.write(rows.payloads(100), compression="none", write_page_checksum=True)
        data = bytearray(pathlib.Path(self.path).read_bytes())
        data[len(data) // 2] ^= 1
        pathlib.Path(self.path).write_bytes(data)
        self.assertIn("field=crc", rows.refusal(self.path))


class OwnFiles(WithFolder):
    def test_are_read_by_pyarrow(self):
        values = rows.payloads()
        names = {"none": "UNCOMPRESSED"}
        for codec in rows.CODECS:
            with self.subTest(codec=codec):
                rows.write(self.path, codec, values)
                table = pyarrow.parquet.read_table(self.path, page_checksum_verification=True)
                self.assertEqual(table.column("payload").to_pylist(), values)
                file = pyarrow.parquet.ParquetFile(self.path)
                self.check_footer(file)
                column = file.metadata.row_group(0).column(0)
                self.assertEqual(column.compression, names.get(codec, codec.upper()))
                self.assertGreater(file.metadata.num_row_groups, 1)
                self.assertEqual((column.has_offset_index, column.has_column_index, column.is_stats_set,
                                  column.has_dictionary_page), (True, False, False, False))

    def test_a_flipped_byte_is_seen_by_pyarrow(self):
        rows.write(self.path, "none", [b"a" * 1000])
        data = bytearray(pathlib.Path(self.path).read_bytes())
        data[500] ^= 1
        pathlib.Path(self.path).write_bytes(data)
        with self.assertRaisesRegex(OSError, "checksum|CRC"):
            pyarrow.parquet.read_table(self.path, page_checksum_verification=True)

    def check_footer(self, file):
        self.assertEqual(str(file.schema).split("\n", 1)[1].strip(),
                         "required group field_id=-1 KafkaMessage {\n  optional binary field_id=-1 payload;\n}")
        self.assertEqual(file.metadata.format_version, "1.0")
        self.assertEqual(file.metadata.metadata, {
            b"entrySerDeType": b"KAFKA_BATCHED_RAW_PARQUET", b"rowMetadata": b"lks-1.index", b"schemaType": b"avro",
            b"parquet.avro.schema": AVRO.encode(), b"writer.model.name": b"avro"})  # fmt: skip

    def test_one_without_rows(self):
        rows.write(self.path, "zstd", [])
        self.assertEqual(pyarrow.parquet.read_table(self.path).num_rows, 0)


if __name__ == "__main__":
    unittest.main()
