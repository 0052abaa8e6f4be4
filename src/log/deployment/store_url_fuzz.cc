#include "log/deployment/store_url.h"

#include "fuzz/fuzz_target.h"

namespace lakestream {

void FuzzOne(ByteSpan input) {
  const std::string text(AsText(input));
  const Result<StoreUrl> url = StoreUrl::Parse(text);
  if (!FuzzAnswer("store url", url.status(), {StatusCode::kInvalidArgument})) return;
  if (url->kind == StoreUrl::Kind::kMemory) {
    LS_INVARIANT(url->path.empty(), "memory has no path");
    return;
  }
  const std::string& path = url->path;
  LS_INVARIANT(path.size() > 1 && path.front() == '/' && path.back() != '/', "the path is absolute");
  for (const char* part : {"/../", "/./", "//"}) LS_INVARIANT((path + "/").find(part) == std::string::npos, "and plain");
  const std::string scheme = url->kind == StoreUrl::Kind::kLmdb ? "lmdb://" : "file://";
  const Result<StoreUrl> back = StoreUrl::Parse(scheme + path);
  LS_INVARIANT(back.ok() && back->path == path && back->kind == url->kind, "the plain form comes back");

  StoreUrl meta{StoreUrl::Kind::kLmdb, "/d/meta"};
  StoreUrl root{StoreUrl::Kind::kFile, path};
  StoreUrl other{StoreUrl::Kind::kFile, "/d/compacted"};
  const std::string recorded = RecordedRoot(meta, root);
  LS_INVARIANT(recorded == "file://" + path || recorded == "." || "/d/" + recorded == path, "the record names the root");
  const Status apart = CheckApart(meta, root, other);
  LS_INVARIANT(!apart.ok() || !(path + "/").starts_with("/d/meta/"), "objects do not lie in the metadata");
  LS_INVARIANT(CheckApart(meta, other, root).ok() == apart.ok(), "it does not matter which is which");
}

}  // namespace lakestream
