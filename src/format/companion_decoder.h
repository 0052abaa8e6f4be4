#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/compression/gzip_stream.h"
#include "format/companion.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream {

/// Reads a companion piece by piece, as it comes from the store (specification, "Companion files"). Strict: the rows must
/// follow each other (Companion::Add), the offset map must name exactly them, and nothing may stand behind it.
/// What differs from our own bytes and is taken: any size of block; white space, escapes, any order of keys, and other
/// keys in a row, as JSON allows; the map in any order; several gzip members in a row.
///
/// Memory follows the rows that were really there, never a length that the bytes claim: the rows (Companion), a bit a
/// row, and some 130 KiB. A row or a member of the map has at most 4 KiB, the whole at most 1 MiB and 512 bytes a row of
/// `max_rows` before it was compressed. Thread safety: one thread.
///
/// Errors: corrupt, with object=, field= and offset=, which counts decompressed bytes. Within one row or one member of the
/// map in= is the layout's field and element_at= that offset, and field= and offset= say more, as far as there is more
/// to say. resource_exhausted, with limit=, beyond `max_rows` and the bytes above.
class CompanionDecoder {
 public:
  /// `object` names the file in messages. `max_rows`: the rows of the Parquet file where they are known.
  CompanionDecoder(std::string_view object, std::size_t max_rows);

  /// The object's next bytes. After an error it says the same again.
  Status Feed(ByteSpan bytes);
  /// What the bytes were. Requires: called once, after all of them.
  Result<Companion> Finish();

 private:
  enum class State : std::uint8_t { kLength, kOpen, kFirst, kElement, kNext, kAfter, kEnd };
  /// What stands next in the present text.
  enum class Look : std::uint8_t { kByte, kMore, kEnd };

  Status Take(ByteSpan bytes);
  Status Parse();
  /// One step; whether there may be another one before more bytes come.
  Result<bool> Step();
  Result<bool> TakeLength();
  Result<bool> TakeElement();
  Status EndText();
  Result<std::size_t> TakeRow(std::string_view rest);
  Result<std::size_t> TakeMember(std::string_view rest);
  Result<LogEntryHeader> ReadRow(std::string_view row) const;
  Status AddRow(const LogEntryHeader& header);
  Status AddMember(std::optional<std::int64_t> offset, std::int64_t row);

  Look LookAtToken(char* token);
  void Skip(std::size_t bytes);
  /// What there is of the present text.
  std::string_view text() const;
  std::uint64_t position() const { return base_ + begin_; }
  std::string_view field() const;
  Status Fail(std::string_view sentence) const;
  Status InElement(const Status& status) const;

  const std::string object_;
  const std::size_t max_rows_;
  const std::uint64_t max_bytes_;
  Status status_;
  GzipReader gzip_;
  std::vector<std::uint8_t> window_;
  std::size_t begin_ = 0;  ///< of what is not parsed yet
  std::size_t end_ = 0;
  std::uint64_t base_ = 0;  ///< of the window in the decompressed bytes

  State state_ = State::kLength;
  bool in_map_ = false;
  bool empty_block_ = false;  ///< the block before had no rows
  std::uint64_t left_ = 0;    ///< bytes of the present text
  std::size_t elements_ = 0;  ///< of the present text
  Companion companion_;
  std::vector<bool> named_;   ///< rows that the map has named
  std::string metadata_;      ///< of a row, decoded
};

/// A companion that is all there. Errors: those of CompanionDecoder.
Result<Companion> DecodeCompanion(ByteSpan bytes, std::string_view object, std::size_t max_rows);

}  // namespace lakestream
