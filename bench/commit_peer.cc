#include "bench/commit_peer.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "base/try.h"

namespace lakestream::bench {
namespace {

constexpr std::int64_t kPage = 4096;

Status WriteAt(const UniqueFd& file, std::string_view bytes, std::int64_t offset) {
  const ssize_t wrote = Uninterrupted([&] { return ::pwrite(file.get(), bytes.data(), bytes.size(), offset); });
  if (wrote != static_cast<ssize_t>(bytes.size())) return ErrnoStatus(errno, "the peer cannot write", "commit-peer");
  return OkStatus();
}

}  // namespace

Result<CommitPeer> CommitPeer::Open(const std::string& directory, std::int64_t pieces, std::int64_t bytes) {
  const std::string path = directory + "/commit-peer";
  CommitPeer peer;
  peer.pieces_ = std::max<std::int64_t>(pieces, 1);
  peer.pages_ = std::max(bytes / kPage, peer.pieces_);
  // Of the largest piece, and never below the page that comes last.
  peer.content_.assign(static_cast<std::size_t>((peer.pages_ / peer.pieces_ + 1) * kPage), 'p');
  peer.file_ = OpenAt(AT_FDCWD, path, O_CREAT | O_RDWR, 0666);
  peer.synchronous_ = OpenAt(AT_FDCWD, path, O_RDWR | O_DSYNC);
  if (!peer.file_.valid() || !peer.synchronous_.valid()) return ErrnoStatus(errno, "the peer cannot be opened", path);
  const std::int64_t file_pages = 1 + peer.pages_ + peer.pieces_;
  const std::string_view page = std::string_view(peer.content_).substr(0, kPage);
  for (std::int64_t i = 0; i < file_pages; ++i) LS_TRY(WriteAt(peer.file_, page, i * kPage));
  if (::fsync(peer.file_.get()) != 0) return ErrnoStatus(errno, "the peer cannot sync", path);
  return peer;
}

Status CommitPeer::Commit() {
  const std::string_view content = content_;
  // The first page is the root's, and a page between two pieces stays as it is.
  std::int64_t at = 1;
  for (std::int64_t i = 0; i < pieces_; ++i) {
    const std::int64_t pages = pages_ * (i + 1) / pieces_ - pages_ * i / pieces_;
    LS_TRY(WriteAt(file_, content.substr(0, static_cast<std::size_t>(pages * kPage)), at * kPage));
    at += pages + 1;
  }
  if (::fdatasync(file_.get()) != 0) return ErrnoStatus(errno, "the peer cannot sync", "commit-peer");
  return WriteAt(synchronous_, content.substr(0, kPage), 0);
}

}  // namespace lakestream::bench
