#include "log/isolation/isolation.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/try.h"
#include "format/log_isolation.h"

namespace lakestream {

namespace {

constexpr int kKeysPerPage = 1000;

Partition Here() { return Partition::Named(kLogIsolationPartition); }

}  // namespace

Task<Result<std::vector<LogId>>> ListIsolated(MetadataStore& meta, OpContext context) {
  const KeyBounds bounds = LogIsolationKeys();
  const KeyRange range{Here(), bounds.first, bounds.end};
  std::vector<LogId> logs;
  std::optional<std::string> cursor = "";
  while (cursor) {
    LS_CO_ASSIGN(KeyPage page, co_await meta.List(context, range, *cursor, kKeysPerPage));
    for (const std::string& key : page.keys) {
      if (const std::optional<LogId> log = LogOfIsolationKey(key)) logs.push_back(*log);
    }
    cursor = std::move(page.next);
  }
  std::sort(logs.begin(), logs.end());
  co_return logs;
}

Task<Result<bool>> Isolate(MetadataStore& meta, OpContext context, LogId log) {
  const Buffer value = Buffer::CopyOf(kLogIsolationValue);
  const Result<WriteAnswer> created =
      co_await meta.CreateIfAbsent(std::move(context), Here(), LogIsolationKey(log), value, WriteGuard());
  if (created.status().code() == StatusCode::kAlreadyExists) co_return false;
  LS_CO_TRY(created.status());
  co_return true;
}

Task<Result<bool>> EndIsolation(MetadataStore& meta, OpContext context, LogId log) {
  LS_CO_ASSIGN(const ReadAnswer answer, co_await meta.Get(context, Here(), LogIsolationKey(log)));
  if (!answer) co_return false;
  LS_CO_TRY(co_await meta.Delete(std::move(context), Here(), LogIsolationKey(log), WriteGuard()));
  co_return true;
}

}  // namespace lakestream
