#include "objstore/local/checked_read.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "base/try.h"
#include "codec/crc32c.h"
#include "runtime/posix/posix.h"

namespace lakestream {
namespace {

/// Bytes of a file lie at places in memory that differ from their offsets by a multiple of this. Processors copy from
/// the page cache several times slower to a place that is a few bytes further, as large allocations of glibc are.
constexpr std::uint64_t kAlignment = 64;

/// Memory for what the file has from `offset` on. Not zeroed: pread fills it.
struct Bytes {
  std::shared_ptr<std::uint8_t[]> owner;
  std::uint8_t* begin = nullptr;
};

Result<Bytes> Allocate(std::uint64_t size, std::uint64_t offset, const std::string& key) {
  Bytes bytes;
  bytes.owner.reset(new (std::nothrow) std::uint8_t[size + kAlignment]);
  if (!bytes.owner) return ResourceExhausted("no memory for the object").With("key", key).With("bytes", size);
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.owner.get());
  bytes.begin = bytes.owner.get() + (offset % kAlignment + kAlignment - address % kAlignment) % kAlignment;
  return bytes;
}

Status ReadAt(int fd, std::uint64_t offset, std::uint8_t* to, std::uint64_t length, const std::string& key) {
  for (std::uint64_t used = 0; used < length;) {
    const ssize_t got = Uninterrupted(
        [&] { return ::pread(fd, to + used, length - used, static_cast<off_t>(offset + used)); });
    if (got < 0) return ErrnoStatus(errno, "the object could not be read", key);
    if (got == 0) return Corrupt("the object became shorter while it was read").With("key", key);
    used += static_cast<std::uint64_t>(got);
  }
  return OkStatus();
}

/// The wanted part of a file, and what has been read beside it to check it.
class PartReader {
 public:
  PartReader(int fd, std::uint64_t begin, std::uint64_t end, const std::string& key)
      : fd_(fd), begin_(begin), end_(end), key_(key) {}

  Status Start() {
    LS_ASSIGN(wanted_, Allocate(end_ - begin_, begin_, key_));
    return OkStatus();
  }

  Status ReadUnchecked() { return ReadAt(fd_, begin_, wanted_.begin, end_ - begin_, key_); }

  /// Reads the whole block and keeps what is wanted of it.
  Status ReadBlock(std::uint64_t begin, std::uint64_t end, std::uint32_t expected) {
    std::uint32_t crc32c = 0;
    for (std::uint64_t at = begin; at < end;) {
      std::uint64_t stop = std::min(end, at + kReadPieceBytes);
      if (at < begin_) stop = std::min(stop, begin_);
      if (at < end_) stop = std::min(stop, end_);
      LS_ASSIGN(std::uint8_t* const to, PlaceFor(at));
      LS_TRY(ReadAt(fd_, at, to, stop - at, key_));
      crc32c = Crc32c(ByteSpan(to, stop - at), crc32c);
      at = stop;
    }
    if (crc32c == expected) return OkStatus();
    return Corrupt("the object does not match its checksum").With("key", key_).With("offset", begin)
        .With("bytes", end - begin);
  }

  Buffer Take() {
    return Buffer::Share(std::move(wanted_.owner), ByteSpan(wanted_.begin, end_ - begin_));
  }

 private:
  Result<std::uint8_t*> PlaceFor(std::uint64_t at) {
    if (at >= begin_ && at < end_) return wanted_.begin + (at - begin_);
    if (!aside_.owner) {
      LS_ASSIGN(aside_, Allocate(kReadPieceBytes + kAlignment, 0, key_));
    }
    return aside_.begin + at % kAlignment;
  }

  const int fd_;
  const std::uint64_t begin_;
  const std::uint64_t end_;
  const std::string& key_;
  Bytes wanted_;
  Bytes aside_;
};

}  // namespace

Result<Buffer> ReadChecked(int fd, std::uint64_t size, const std::optional<ObjectChecksum>& checksum, ByteRange range,
                           const std::string& key) {
  const std::uint64_t begin = std::min(range.offset, size);
  const std::uint64_t end = begin + std::min(range.length.value_or(size), size - begin);
  const bool has_blocks = checksum && !checksum->blocks.empty();
  if (has_blocks && checksum->size != size) {
    return Corrupt("the object has another size than its checksum").With("key", key).With("bytes", size)
        .With("expected", checksum->size);
  }
  PartReader part(fd, begin, end, key);
  LS_TRY(part.Start());
  if (!checksum) {
    LS_TRY(part.ReadUnchecked());
  } else if (!has_blocks) {
    LS_TRY(part.ReadBlock(0, size, checksum->whole));
  } else if (begin < end) {
    const std::uint64_t block_bytes = checksum->block_bytes;
    for (std::uint64_t i = begin / block_bytes; i * block_bytes < end; ++i) {
      LS_TRY(part.ReadBlock(i * block_bytes, std::min(size, (i + 1) * block_bytes), checksum->blocks.at(i)));
    }
  }
  return part.Take();
}

}  // namespace lakestream
