"""Compacted files between this project and parquet-avro, the library of the reference, both ways.
  java_test.py PARQUET_ROWS SOURCE_TREE FOLDER_OF_JARS"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import rows

rows.take_arguments()
JARS = sys.argv.pop(1)
if shutil.which("javac") is None or not list(pathlib.Path(JARS).glob("parquet-avro-*.jar")):
    print("SKIPPED: Java or parquet-avro is not installed (tools/setup.sh test)")
    sys.exit(rows.SKIPPED)

SCHEMA = {"type": "record", "name": "KafkaMessage",
          "fields": [{"name": "payload", "type": ["null", "bytes"], "default": None}]}  # fmt: skip
CODECS = {"none": "UNCOMPRESSED", "snappy": "SNAPPY", "gzip": "GZIP", "lz4": "LZ4_RAW", "zstd": "ZSTD"}


class WithJava(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lakestream-parquet-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        source = pathlib.Path(rows.ROOT, "tests/parquet/java/ParquetRows.java")
        subprocess.run(["javac", "-cp", f"{JARS}/*", "-d", folder.name, source], check=True)

    def java(self, *arguments, data=b""):
        command = ["java", "-Xmx512m", "-cp", f"{self.folder}:{JARS}/*", "ParquetRows", *map(str, arguments)]
        done = subprocess.run(command, input=data, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def read_by_java(self, *paths):
        """Of each file the schema that parquet-avro takes the rows for, and the rows."""
        found = []
        for payload in rows.unpack(self.java("read", *paths)):
            if payload.startswith(b'{"type":"record"'):
                found.append((json.loads(payload), []))
            else:
                found[-1][1].append(payload)
        return found


class OwnFiles(WithJava):
    def test_are_read_by_parquet_avro(self):
        values = rows.payloads()
        paths = [self.folder / f"own-{codec}.parquet" for codec in rows.CODECS]
        for path, codec in zip(paths, rows.CODECS):
            rows.write(path, codec, values)
        found = self.read_by_java(*paths)
        self.assertEqual(len(found), len(rows.CODECS))
        for codec, (schema, payloads) in zip(rows.CODECS, found):
            with self.subTest(codec=codec):
                self.assertEqual(schema, SCHEMA)
                self.assertEqual(payloads, values)


class FilesOfParquetAvro(WithJava):
    def test_are_read(self):
        values = rows.payloads()
        some = values[:40] * 60  # what a dictionary is for
        for kind, written in (("plain", values), ("dictionary", some)):
            paths = {codec: self.folder / f"{kind}-{codec}.parquet" for codec in CODECS}
            files = [f"{CODECS[codec]},{path}" for codec, path in paths.items()]
            self.java("write", json.dumps(SCHEMA), *files, data=rows.pack(written))
            for codec, path in paths.items():
                with self.subTest(codec=codec, kind=kind):
                    self.assertEqual(rows.read(path), written)


if __name__ == "__main__":
    unittest.main()
