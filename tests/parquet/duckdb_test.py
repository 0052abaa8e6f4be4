"""Compacted files of this project read by DuckDB, and files of DuckDB read here.
  duckdb_test.py PARQUET_ROWS SOURCE_TREE"""

import pathlib
import tempfile
import unittest

import rows

rows.take_arguments()
try:
    import duckdb
except ImportError:
    rows.skip("duckdb")


class Duckdb(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lakestream-parquet-")
        self.addCleanup(folder.cleanup)
        self.path = str(pathlib.Path(folder.name, "file.parquet"))
        self.database = duckdb.connect()
        self.addCleanup(self.database.close)

    def ask(self, query):
        return self.database.execute(query).fetchall()

    def test_reads_files_of_this_project(self):
        values = rows.payloads()
        for codec in rows.CODECS:
            with self.subTest(codec=codec):
                rows.write(self.path, codec, values)
                found = self.ask(f"SELECT payload FROM read_parquet('{self.path}')")
                self.assertEqual([row[0] for row in found], values)
                keys = dict(self.ask(f"SELECT key, value FROM parquet_kv_metadata('{self.path}')"))
                self.assertEqual(keys[b"entrySerDeType"], b"KAFKA_BATCHED_RAW_PARQUET")
                # Filters and aggregates go by row groups.
                longest = self.ask(f"SELECT count(*), max(octet_length(payload)) FROM read_parquet('{self.path}')"
                                   " WHERE octet_length(payload) > 0")  # fmt: skip
                self.assertEqual(longest, [(sum(1 for v in values if v), max(map(len, values)))])

    def test_writes_files_that_are_read_here(self):
        values = rows.payloads(300)
        self.database.execute("CREATE TABLE t (payload BLOB)")
        self.database.executemany("INSERT INTO t VALUES (?)", [[value] for value in values])
        for codec in ("uncompressed", "snappy", "gzip", "zstd", "lz4_raw"):
            with self.subTest(codec=codec):
                self.database.execute(f"COPY t TO '{self.path}' (FORMAT parquet, COMPRESSION {codec})")
                self.assertEqual(rows.read(self.path), values)


if __name__ == "__main__":
    unittest.main()
