#include "codec/compression/codecs.h"
#include "codec/compression/gzip_stream.h"

namespace lakestream::internal {

Status CompressGzip(ByteSpan bytes, std::string* out) {
  GzipWriter writer;
  const Status written = writer.Write(bytes, out);
  return written.ok() ? writer.Finish(out) : written;
}

Result<Buffer> DecompressGzip(ByteSpan bytes, std::uint64_t limit) {
  GzipReader reader;
  GrowingOutput output(limit, 4 * bytes.size());
  for (;;) {
    const std::span<std::uint8_t> space = output.Space();
    const Result<std::size_t> made = reader.Read(&bytes, space);
    if (!made.ok()) return made.status();
    output.Filled(*made);
    if (output.beyond_limit()) return TooMuchOutput(Compression::kGzip, limit);
    if (*made == space.size() || !bytes.empty()) continue;
    const Status whole = reader.CheckEnd();
    if (!whole.ok()) return whole;
    return std::move(output).Take();
  }
}

}  // namespace lakestream::internal
