#include "log/catalog/namespaces.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "log/catalog/stream_lister.h"

namespace lakestream {

namespace {

Status NotEmpty(const std::string& ns) {
  return PreconditionFailed("the namespace has streams").With("namespace", ns);
}

}  // namespace

Task<Status> Namespaces::Create(OpContext context, std::string ns, std::map<std::string, std::string> properties) {
  LS_CO_TRY(CheckNamespaceName(ns));
  NamespaceRecord record;
  record.properties.assign(properties.begin(), properties.end());
  LS_CO_ASSIGN(std::string value, EncodeNamespace(record));
  const std::string key = NamespaceKey(ns);
  const Buffer bytes(std::move(value));
  const Result<WriteAnswer> created =
      co_await access_.meta().CreateIfAbsent(context, CatalogPartition(key), key, bytes, WriteGuard());
  if (created.ok()) co_return OkStatus();
  if (created.status().code() != StatusCode::kAlreadyExists) co_return created.status();
  co_return AlreadyExists("the namespace exists").With("namespace", ns);
}

Task<Result<std::map<std::string, std::string>>> Namespaces::Load(OpContext context, std::string ns) {
  LS_CO_TRY(CheckNamespaceName(ns));
  const std::string key = NamespaceKey(ns);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await access_.meta().Get(std::move(context), CatalogPartition(key), key));
  if (!answer) co_return NotFound("there is no such namespace").With("namespace", ns);
  LS_CO_ASSIGN(const NamespaceRecord record, DecodeNamespace(answer->value.text(), key));
  std::map<std::string, std::string> properties(record.properties.begin(), record.properties.end());
  co_return properties;
}

Task<Result<std::vector<std::string>>> Namespaces::List(OpContext context) {
  RecordPages pages(access_.meta(), NamespaceKeys());
  std::vector<std::string> names;
  const std::string prefix = NamespaceKey("");
  while (true) {
    Task<Result<std::optional<std::vector<MetadataRecord>>>> next = pages.Next(context);
    LS_CO_ASSIGN(const std::optional<std::vector<MetadataRecord>> page, co_await next);
    if (!page) break;
    for (const MetadataRecord& record : *page) {
      std::string ns = record.key.substr(prefix.size());
      if (CheckNamespaceName(ns).ok()) names.push_back(std::move(ns));
    }
  }
  std::sort(names.begin(), names.end());
  co_return names;
}

Task<Result<bool>> Namespaces::HasStreams(OpContext context, std::string ns) {
  StreamLister lister(access_.meta(), ns);
  Task<Result<std::vector<StreamListing>>> next = lister.Next(std::move(context));
  LS_CO_ASSIGN(const std::vector<StreamListing> streams, co_await next);
  co_return !streams.empty();
}

/// A stream that is created meanwhile has put its config before it looks for the namespace: either it makes the record
/// again, or its config is seen here, after the record has gone, and the record comes back.
Task<Result<bool>> Namespaces::Drop(OpContext context, std::string ns) {
  LS_CO_TRY(CheckNamespaceName(ns));
  const std::string key = NamespaceKey(ns);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await access_.meta().Get(context, CatalogPartition(key), key));
  if (!answer) co_return false;
  Task<Result<bool>> before = HasStreams(context, ns);
  LS_CO_ASSIGN(const bool in_use, co_await before);
  if (in_use) co_return NotEmpty(ns);
  const Status deleted = co_await access_.meta().Delete(context, CatalogPartition(key), key, WriteGuard());
  if (!deleted.ok() && deleted.code() != StatusCode::kIndeterminate) co_return deleted;
  Task<Result<bool>> after = HasStreams(context, ns);
  const Result<bool> appeared = co_await after;
  if (appeared.ok() && !*appeared && deleted.ok()) co_return true;
  if (appeared.ok() && !*appeared) co_return deleted;
  Task<Result<std::string>> restore =
      access_.CreateOrRead(context, CatalogPartition(key), key, std::string(answer->value.text()));
  const Result<std::string> restored = co_await restore;
  if (!deleted.ok()) co_return deleted;
  if (!restored.ok()) co_return HalfDone(restored.status());
  co_return appeared.ok() ? NotEmpty(ns) : appeared.status();
}

}  // namespace lakestream
