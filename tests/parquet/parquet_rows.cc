// Compacted files from the command line, for the tests beside this file. A payload is its length, four bytes, least
// significant first, and its bytes.
//   parquet_rows write FILE CODEC       payloads from standard input to a file
//   parquet_rows read FILE              all payloads of a file to standard output; each is also read alone
// Exit code 1: refused, the message is on standard error.

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/try.h"
#include "codec/compression/compression.h"
#include "parquet/parquet_file.h"
#include "parquet/writer/parquet_writer.h"

namespace lakestream {
namespace {

std::string LengthBytes(std::size_t size) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(size >> shift));
  return bytes;
}

Status WriteRows(const std::string& path, std::string_view codec, std::string_view input) {
  ParquetWriterOptions options;
  options.record_name = "KafkaMessage";
  options.entry_serde_type = "KAFKA_BATCHED_RAW_PARQUET";
  options.row_metadata = "lks-1.index";
  options.row_group_bytes = 1 << 20;
  const std::optional<Compression> compression = FindCompression(codec);
  if (!compression.has_value()) return InvalidArgument("no such codec").With("codec", codec);
  options.compression = *compression;
  LS_ASSIGN(const std::unique_ptr<ParquetWriter> writer, ParquetWriter::Open(options));
  std::ofstream out(path, std::ios::binary);
  while (input.size() >= 4) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) size |= std::size_t{static_cast<unsigned char>(input[i])} << 8 * i;
    LS_TRY(writer->Add(AsBytes(input.substr(4, size))));
    input.remove_prefix(std::min(input.size(), 4 + size));
    out << writer->TakeOutput().text();
  }
  LS_TRY(writer->Finish());
  out << writer->TakeOutput().text();
  return out.flush() ? OkStatus() : Unavailable("cannot write the file");
}

Result<std::vector<Buffer>> ReadRows(const ParquetFile& opened, const Buffer& file, std::int64_t first,
                                     std::int64_t count) {
  LS_ASSIGN(const ParquetPages pages, opened.FindRows(first, count, 1 << 20));
  const ParquetRange entries = pages.dictionary.value_or(ParquetRange());
  return opened.DecodeRows(pages, file.Slice(pages.data.offset, pages.data.length),
                           file.Slice(entries.offset, entries.length), first,
                           std::min(count, pages.first_row + pages.rows - first));
}

Status ReadFile(const std::string& path, std::ostream& out) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const Buffer file(std::move(bytes));
  LS_ASSIGN(const ParquetFile opened, ParquetFile::Open(path, file.size(), file.span()));
  const std::int64_t step = opened.rows() / 100 + 1;
  for (std::int64_t row = 0; row < opened.rows();) {
    LS_ASSIGN(const std::vector<Buffer> payloads, ReadRows(opened, file, row, opened.rows() - row));
    for (const Buffer& payload : payloads) {
      if (row % step == 0) {
        LS_ASSIGN(const std::vector<Buffer> alone, ReadRows(opened, file, row, 1));
        if (alone.size() != 1 || !(alone[0] == payload)) return Internal("a row differs alone").With("row", row);
      }
      out << LengthBytes(payload.size()) << payload.text();
      ++row;
    }
  }
  return OkStatus();
}

Status Run(const std::vector<std::string>& arguments) {
  if (arguments.size() == 3 && arguments[0] == "write") {
    const std::string input((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());
    return WriteRows(arguments[1], arguments[2], input);
  }
  if (arguments.size() == 2 && arguments[0] == "read") return ReadFile(arguments[1], std::cout);
  return InvalidArgument("usage: parquet_rows write FILE CODEC | read FILE");
}

}  // namespace
}  // namespace lakestream

int main(int count, char** values) {
  const lakestream::Status status = lakestream::Run(std::vector<std::string>(values + 1, values + count));
  if (status.ok()) return 0;
  std::cerr << status.ToString() << "\n";
  return 1;
}
