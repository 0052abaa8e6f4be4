#include "log/deployment/store_url.h"

#include <filesystem>

#include "base/try.h"

namespace lakestream {

namespace {

constexpr std::string_view kMemoryUrl = "memory:";
constexpr std::string_view kLmdbScheme = "lmdb://";
constexpr std::string_view kFileScheme = "file://";

Result<std::string> PathOf(std::string_view url, std::string_view scheme) {
  const std::string_view path = url.substr(scheme.size());
  if (path.empty() || path.front() != '/') {
    return InvalidArgument("a store's url needs an absolute path").With("url", url);
  }
  if (path.find('\0') != std::string_view::npos) return InvalidArgument("a path holds no zero byte").With("url", url);
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  if (normal == "/") return InvalidArgument("the root directory is no place for a store").With("url", url);
  return normal;
}

/// The way from a directory down to another, or "" where it does not lie below.
std::string WayDown(const std::string& from, const std::string& to) {
  const std::string way = std::filesystem::path(to).lexically_relative(from).generic_string();
  return way == ".." || way.starts_with("../") ? std::string() : way;
}

bool Overlap(const StoreUrl& a, const StoreUrl& b) {
  if (a.kind == StoreUrl::Kind::kMemory || b.kind == StoreUrl::Kind::kMemory) return false;
  return !WayDown(a.path, b.path).empty() || !WayDown(b.path, a.path).empty();
}

}  // namespace

Result<StoreUrl> StoreUrl::Parse(std::string_view url) {
  StoreUrl parsed;
  if (url == kMemoryUrl) return parsed;
  if (url.starts_with(kLmdbScheme)) {
    parsed.kind = Kind::kLmdb;
    LS_ASSIGN(parsed.path, PathOf(url, kLmdbScheme));
    return parsed;
  }
  if (url.starts_with(kFileScheme)) {
    parsed.kind = Kind::kFile;
    LS_ASSIGN(parsed.path, PathOf(url, kFileScheme));
    return parsed;
  }
  return InvalidArgument("a store's url begins with lmdb:///, file:/// or memory:").With("url", url);
}

std::string RecordedRoot(const StoreUrl& metadata, const StoreUrl& root) {
  if (root.kind == StoreUrl::Kind::kMemory) return std::string(kMemoryUrl);
  if (metadata.kind == StoreUrl::Kind::kLmdb) {
    const std::string folder = std::filesystem::path(metadata.path).parent_path().string();
    const std::string way = WayDown(folder, root.path);
    if (!way.empty()) return way;
  }
  return std::string(kFileScheme) + root.path;
}

Status CheckApart(const StoreUrl& metadata, const StoreUrl& wal, const StoreUrl& compacted) {
  if (Overlap(wal, compacted)) {
    return InvalidArgument("the wal and the compacted files need directories of their own")
        .With("wal", wal.path)
        .With("compacted", compacted.path);
  }
  for (const StoreUrl* root : {&wal, &compacted}) {
    if (!Overlap(metadata, *root)) continue;
    return InvalidArgument("the metadata needs a directory of its own")
        .With("metadata", metadata.path)
        .With("objects", root->path);
  }
  return OkStatus();
}

}  // namespace lakestream
