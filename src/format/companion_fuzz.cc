#include "format/companion.h"

#include <algorithm>
#include <string>

#include "codec/compression/crc32.h"
#include "format/companion_decoder.h"
#include "format/companion_writer.h"
#include "fuzz/fuzz_target.h"

// The input is a companion before gzip, and also one as it is stored. Compressed bytes alone would lead nowhere: hardly a
// change of them has the right checksum.

namespace lakestream {
namespace {

constexpr std::size_t kMaxRows = 1000;
// More would take time from other inputs.
constexpr std::size_t kMaxWritten = 20;
constexpr std::size_t kPiece = 61;

void AppendLittleEndian(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

/// One gzip member of stored blocks: nothing is compressed, because that takes most of the time otherwise.
std::string Stored(ByteSpan bytes) {
  constexpr std::size_t kBlock = 65'535;
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  ByteSpan rest = bytes;
  do {
    const ByteSpan block = rest.first(std::min(kBlock, rest.size()));
    rest = rest.subspan(block.size());
    out += rest.empty() ? '\1' : '\0';
    AppendLittleEndian(out, block.size(), 2);
    AppendLittleEndian(out, ~block.size(), 2);
    out += AsText(block);
  } while (!rest.empty());
  AppendLittleEndian(out, Crc32(bytes), 4);
  AppendLittleEndian(out, bytes.size(), 4);
  return out;
}

Result<Companion> DecodeInPieces(ByteSpan bytes, std::size_t piece) {
  CompanionDecoder decoder("o", kMaxRows);
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(piece, bytes.size()))) {
    const Status fed = decoder.Feed(bytes.first(std::min(piece, bytes.size())));
    if (!fed.ok()) return fed;
  }
  return decoder.Finish();
}

void CheckRows(const Companion& companion) {
  Companion again;
  for (std::size_t i = 0; i < companion.rows(); ++i) {
    const LogEntryHeader header = companion.HeaderOf(i);
    LS_INVARIANT(again.Add(header).ok(), "rows follow each other");
    LS_INVARIANT(companion.FindOffset(header.offset) == i && companion.FindOffset(header.end() - 1) == i,
                 "an entry is found by its offsets");
    LS_INVARIANT(companion.FindTime(header.timestamp_ms) <= i, "and by its time");
  }
  LS_INVARIANT(again == companion, "headers are all there is");
}

void CheckWritten(const Companion& companion) {
  CompanionWriter writer(1 + companion.rows() % 3);
  for (std::size_t i = 0; i < companion.rows(); ++i) {
    LS_INVARIANT(writer.Add(companion.HeaderOf(i)).ok(), "what was read can be written");
  }
  LS_INVARIANT(writer.Finish().ok(), "and ended");
  const Result<Companion> back = DecodeCompanion(AsBytes(writer.Take()), "o", companion.rows());
  LS_INVARIANT(back.ok() && *back == companion, "what is written comes back");
}

void Try(const char* decoder, ByteSpan bytes) {
  const Result<Companion> companion = DecodeCompanion(bytes, "o", kMaxRows);
  const Result<Companion> in_pieces = DecodeInPieces(bytes, kPiece);
  LS_INVARIANT(companion.ok() == in_pieces.ok(), "pieces make no difference");
  const bool taken = FuzzAnswer(decoder, companion.status(), {StatusCode::kCorrupt, StatusCode::kResourceExhausted},
                                {"object=o"});
  if (!taken) {
    const StatusCode code = companion.status().code();
    LS_INVARIANT(code == in_pieces.status().code(), "pieces make no difference to what is wrong");
    return;
  }
  LS_INVARIANT(*companion == *in_pieces, "pieces make no difference to the rows");
  CheckRows(*companion);
  if (companion->rows() > 0 && companion->rows() <= kMaxWritten) CheckWritten(*companion);
}

}  // namespace

void FuzzOne(ByteSpan input) {
  const std::string packed = Stored(input);
  Try("before gzip", AsBytes(packed));
  Try("as stored", input);
}

}  // namespace lakestream
