#include "format/companion_writer.h"

#include <limits>
#include <utility>

#include "base/invariant.h"
#include "base/try.h"
#include "codec/base64.h"
#include "codec/byte_writer.h"
#include "format/companion_layout.h"
#include "format/row_metadata.h"

namespace lakestream {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

std::size_t DigitsOf(std::uint64_t number) {
  std::size_t digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

/// Of `{"0":0,"2":1}`.
std::uint64_t MapBytes(const Companion& rows) {
  std::uint64_t bytes = 2 + (rows.rows() - 1);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    bytes += 3 + DigitsOf(static_cast<std::uint64_t>(rows.OffsetOf(i).value())) + DigitsOf(i);
  }
  return bytes;
}

}  // namespace

CompanionWriter::CompanionWriter(std::size_t rows_per_block) : rows_per_block_(rows_per_block) {
  LS_INVARIANT(rows_per_block >= 1 && rows_per_block <= kCompanionBlockRows, "a block has 1 to 10 000 rows");
}

Status CompanionWriter::Add(const LogEntryHeader& header) {
  LS_TRY(rows_.Add(header));
  block_ += block_rows_ == 0 ? '[' : ',';
  block_ += kRowBegin;
  block_ += Base64Encode(AsBytes(EncodeRowMetadata(RowMetadata{header, std::nullopt})));
  block_ += kRowMiddle;
  block_ += std::to_string(header.offset.value());
  block_ += kRowEnd;
  ++block_rows_;
  return block_rows_ == rows_per_block_ ? FlushBlock() : OkStatus();
}

Status CompanionWriter::FlushBlock() {
  if (block_rows_ == 0) block_ += '[';
  block_ += ']';
  std::string length;
  AppendInt32(length, static_cast<std::int32_t>(block_.size()));
  LS_TRY(gzip_.Write(AsBytes(length), &out_));
  LS_TRY(gzip_.Write(AsBytes(block_), &out_));
  block_.clear();
  block_rows_ = 0;
  return OkStatus();
}

Status CompanionWriter::WriteMap() {
  const std::uint64_t bytes = MapBytes(rows_);
  if (bytes >= kCompanionSentinel) return InvalidArgument("offset map is too long").With("bytes", bytes);
  std::string piece;
  AppendInt32(piece, kCompanionSentinel);
  AppendInt32(piece, static_cast<std::int32_t>(bytes));
  for (std::size_t i = 0; i < rows_.rows(); ++i) {
    piece += i == 0 ? '{' : ',';
    piece += '"';
    piece += std::to_string(rows_.OffsetOf(i).value());
    piece += "\":";
    piece += std::to_string(i);
    if (piece.size() < kPieceBytes) continue;
    LS_TRY(gzip_.Write(AsBytes(piece), &out_));
    piece.clear();
  }
  piece += '}';
  return gzip_.Write(AsBytes(piece), &out_);
}

Status CompanionWriter::Finish() {
  if (rows_.rows() == 0) return InvalidArgument("a companion has no rows");
  LS_TRY(FlushBlock());
  LS_TRY(WriteMap());
  LS_TRY(gzip_.Finish(&out_));
  rows_.ShrinkToFit();
  return OkStatus();
}

std::string CompanionWriter::Take() { return std::exchange(out_, std::string()); }

}  // namespace lakestream
