#!/usr/bin/env python3
"""Shows that each fuzz target can find something: plants an out-of-bounds read in what it tests, and runs it.

tools/fuzz_planted.py [TARGET...] [--seconds N]. Works in a copy of the tree, build/planted, one plant at a time, and
prints after how many inputs each was found. Fails when one is not found in time, or when its place has changed so
that it has to be planted anew here. Run by hand after a change to a decoder; docs/testing.md has the last results.
"""

import argparse
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

import fuzz

COPY = fuzz.ROOT / "build" / "planted"
FOUND = re.compile(r"ERROR: AddressSanitizer: (\S+)|(Assertion) '|runtime error: (.*)")


@dataclass(frozen=True)
class Plant:
    path: str
    old: str
    new: str


PLANTS = {
    "duration": Plant("src/base/time.cc", "  const std::string_view unit_name(rest, static_cast<std::size_t>(end - rest));",
                      "  const std::string_view unit_name(rest, static_cast<std::size_t>(end - rest));\n"
                      "  if (error == std::errc() && unit_name[0] == ' ') return Duration(1);"),
    "base64": Plant("src/codec/base64.cc", "if (text.size() % 4 != 0)", "if (text.size() % 4 == 1 || text.size() % 4 == 2)"),
    "byte_reader": Plant("src/codec/byte_reader.cc", "if (remaining() < 8)", "if (remaining() < 7)"),
    "compression": Plant("src/codec/compression/snappy.cc", "if (bytes.size() >= kJavaHeader &&", "if (bytes.size() >= 8 &&"),
    "fastpfor": Plant("src/codec/fastpfor.cc", "if (words_.size() - at_ < width)", "if (words_.size() - at_ + 1 < width)"),
    "proto_wire": Plant("src/codec/byte_reader.cc", "if (remaining() < count)", "if (remaining() < (count & 0xff))"),
    "catalog_keys": Plant("src/format/catalog_keys.cc", "return i < text.size() ?", "return i <= text.size() ?"),
    "catalog_records": Plant("src/format/catalog_records.cc", "    record.retired_mappings.push_back(std::move(mapping));",
                             "    record.retired_mappings.push_back(std::move(mapping));\n"
                             "    if (record.retired_logs[record.retired_mappings.size() - 1].value() < 0) break;"),
    "compaction_record": Plant("src/format/compaction_record.cc", "  if (!key.starts_with(kFamily)) return std::nullopt;",
                               "  if (key.size() < kFamily.size() || key[kFamily.size()] == '-') return std::nullopt;\n"
                               "  if (!key.starts_with(kFamily)) return std::nullopt;"),
    "companion": Plant("src/format/companion_decoder.cc", "static_cast<std::size_t>(row) >= companion_.rows()",
                       "static_cast<std::size_t>(row) > companion_.rows()"),
    "deployment_record": Plant("src/format/deployment_record.cc",
                               "  if (text.size() != 36) return false;\n  for (std::size_t i = 0; i < text.size(); ++i) {",
                               "  for (std::size_t i = 0; i < 36; ++i) {"),
    "entry_index": Plant("src/format/entry_index.cc", "if (field.number > seen.known)", "if (field.number > seen.known + 1)"),
    "file_index": Plant("src/format/file_index.cc", "i == 0 ? -1 : index.files[i - 1].last_offset.value()",
                        "i == 0 ? -1 : index.files[i == 2 ? i + 1 : i - 1].last_offset.value()"),
    "index_key": Plant("src/format/index_key.cc", "if (key.size() != kIndexKeySize)", "if (key.size() < kIndexKeySize - 1)"),
    "json": Plant("src/format/json.cc", "out += kHex[byte & 15];", "out += kHex[byte & 31];"),
    "log_records": Plant("src/format/log_records.cc", "    std::string_view rest = key.substr(family.size());",
                         "    std::string_view rest = key.substr(family.size());\n"
                         "    if (rest[0] == '-') return std::nullopt;"),
    "row_metadata": Plant("src/format/row_metadata.cc", "if (field.number >= kNames.size())", "if (field.number > kNames.size())"),
    "wal_object": Plant("src/format/wal_object.cc", "if (prefix.size() < header.header_size)",
                        "if (prefix.size() + 1 < header.header_size)"),
    "record_batch": Plant("src/kafka/records/batch_header.cc", "if (bytes.size() <= kMagicAt)", "if (bytes.size() < kMagicAt)"),
    "parquet_file": Plant("src/parquet/rle_runs.h", "if (value_bytes > bytes.size() - at)",
                          "if (value_bytes > bytes.size() - at + 1)"),
    "object_key": Plant("src/objstore/object_key.cc", "    if (part.empty() || part", "    if (rest[slash] == '.' || part"),
    "stored_checksum": Plant("src/objstore/local/object_checksum.cc", "text.remove_prefix(std::min(end + 1, text.size()));",
                             "text.remove_prefix(end + 1);"),
    "metrics_text": Plant("src/metrics/metrics_text.cc", "while (size < rest_.size() && IsNameByte(", "while (IsNameByte("),
    "metadata_keys": Plant("src/meta/sequence.cc", "greatest->size() > prefix.size() &&", "greatest->size() >= prefix.size() &&"),
    "stored_record": Plant("src/meta/lmdb/stored_record.cc", "if (rest_.size() < bytes)", "if (rest_.size() + 1 < bytes)"),
    "store_url": Plant("src/log/deployment/store_url.cc", "if (path.empty() || path.front()", "if (path.front()"),
    "deployment_config": Plant("src/log/deployment/deployment_config.cc", "      **text = node.as_string()->get();",
                               "      **text = node.as_string()->get();\n"
                               "      if ((*text)->front() == '~') return Fail(\"a value is no path\", name, line);"),
    "arguments": Plant("src/cli/arguments.cc", "  if (text == \"first\") return from;",
                       "  if (text[5] == 'x' || text == \"first\") return from;"),
    "line_splitter": Plant("src/cli/line_splitter.cc", "'\\n', end_ - scanned_);", "'\\n', end_ - scanned_ + 64);"),
}  # fmt: skip


def copy_tree():
    known = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=fuzz.ROOT,
                           check=True, capture_output=True, text=True).stdout.split("\0")  # fmt: skip
    for path in filter(None, known):
        source, target = fuzz.ROOT / path, COPY / path
        if not source.is_file():
            continue
        if target.exists() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def run(command):
    return subprocess.run(command, cwd=COPY, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace")  # fmt: skip


def try_plant(target, plant, seconds):
    """What was found, or raises with what went wrong."""
    path = COPY / plant.path
    text = path.read_text()
    if text.count(plant.old) != 1:
        raise RuntimeError(f"{plant.path} does not hold this once any more: {plant.old}")
    path.write_text(text.replace(plant.old, plant.new))
    try:
        built = run(["cmake", "--build", "build/fuzz", "-j", "2", "--target", f"{target}_fuzz"])
        if built.returncode != 0:
            raise RuntimeError(built.stdout[-3000:])
        outcome = fuzz.run_target(target, seconds, keep=False, more=("-print_final_stats=1",))
    finally:
        path.write_text(text)
    found = FOUND.search(outcome.output)
    executed = re.search(r"stat::number_of_executed_units: (\d+)", outcome.output)
    if not found or not executed:
        raise RuntimeError(f"not found: {outcome.problems or outcome.executions}\n{outcome.output[-2000:]}")
    return next(filter(None, found.groups())), int(executed.group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="default: all of them")
    parser.add_argument("--seconds", type=int, default=60, help="for each plant (default %(default)s)")
    options = parser.parse_args()
    without = sorted(set(fuzz.list_targets()) - set(PLANTS))
    if without:
        print(f"no plant for: {' '.join(without)}")
    copy_tree()
    fuzz.BUILD = COPY / "build" / "fuzz"
    configured = run(["cmake", "--preset", "fuzz", "-DLAKESTREAM_TESTS=ON"])
    if configured.returncode != 0:
        sys.exit(configured.stdout)
    failed = without
    for target in options.targets or sorted(PLANTS):
        try:
            what, executed = try_plant(target, PLANTS[target], options.seconds)
            print(f"{target}: {what} after {executed} inputs", flush=True)
        except RuntimeError as error:
            print(f"{target}: {error}", flush=True)
            failed.append(target)
    print(f"{len(failed)} failed: {' '.join(failed)}" if failed else "each was found")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
