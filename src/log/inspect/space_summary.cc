#include "log/inspect/space_summary.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/try.h"
#include "log/catalog/stream_lister.h"
#include "log/inspect/log_summary.h"

namespace lakestream {
namespace {

constexpr int kObjectsPerPage = 1000;

using Streams = std::map<std::string, SpaceSummary::Stream>;  // by the folder of their files

void Count(SpaceSummary::Objects* objects, std::int64_t bytes) {
  ++objects->objects;
  objects->bytes += bytes;
}

using Sink = std::function<void(std::string_view key, std::int64_t bytes)>;

Task<Status> ListAll(ObjectStore& store, OpContext context, Sink sink) {
  std::optional<std::string> after = "";
  while (after) {
    Task<Result<ListPage>> list = store.List(context, "", *after, kObjectsPerPage);
    LS_CO_ASSIGN(ListPage page, co_await list);
    for (const ObjectInfo& info : page.objects) sink(info.key, static_cast<std::int64_t>(info.size));
    after = std::move(page.next);
  }
  co_return OkStatus();
}

void CountCompacted(std::string_view key, std::int64_t bytes, SpaceSummary* summary, Streams* streams) {
  const bool file = key.ends_with(".parquet");
  if (!file && !key.ends_with(".index")) return Count(&summary->other, bytes);
  Count(file ? &summary->compacted : &summary->companions, bytes);
  const std::string folder(key.substr(0, std::min(key.rfind('/'), key.size())));
  SpaceSummary::Stream& stream = (*streams)[folder];
  if (stream.name.empty()) stream.name = folder;
  stream.compacted_bytes += bytes;
}

Task<Status> AddStream(MetadataStore& meta, OpContext context, StreamMetadata stream, SpaceSummary* summary,
                       Streams* streams) {
  SpaceSummary::Stream& space = (*streams)[stream.id.ns + "/" + stream.id.name];
  space.name = LogicalIdOf(stream).ToString();
  space.logs = static_cast<std::int64_t>(stream.logs.size());
  for (const LogId log : stream.logs) {
    Task<Result<LogSummary>> summarize = SummarizeLog(meta, context, log);
    LS_CO_ASSIGN(const LogSummary of_log, co_await summarize);
    space.wal_bytes += of_log.raw_bytes;
    space.payload_bytes += of_log.payload_bytes;
    summary->damaged += of_log.damaged;
  }
  co_return OkStatus();
}

Task<Status> AddStreams(MetadataStore& meta, StreamCatalog& catalog, OpContext context, SpaceSummary* summary,
                        Streams* streams) {
  StreamLister lister = catalog.ListStreams();
  while (true) {
    Task<Result<std::vector<StreamListing>>> next = lister.Next(context);
    LS_CO_ASSIGN(const std::vector<StreamListing> page, co_await next);
    if (page.empty()) co_return OkStatus();
    for (const StreamListing& listing : page) {
      if (listing.state != LifecycleState::kActive) continue;
      Task<Result<StreamMetadata>> load = catalog.LoadStream(context, listing.id);
      Result<StreamMetadata> stream = co_await load;
      if (stream.status().code() == StatusCode::kNotFound) continue;  // dropped meanwhile
      LS_CO_TRY(stream.status());
      Task<Status> add = AddStream(meta, context, *std::move(stream), summary, streams);
      LS_CO_TRY(co_await add);
    }
  }
}

}  // namespace

SpaceSummary::Objects SpaceSummary::all() const {
  Objects sum;
  for (const Objects* of : {&wal, &compacted, &companions, &other}) {
    sum.objects += of->objects;
    sum.bytes += of->bytes;
  }
  return sum;
}

std::int64_t SpaceSummary::payload_bytes() const {
  std::int64_t sum = 0;
  for (const Stream& stream : streams) sum += stream.payload_bytes;
  return sum;
}

std::int64_t SpaceSummary::shared_bytes() const {
  std::int64_t of_streams = 0;
  for (const Stream& stream : streams) of_streams += stream.bytes();
  return std::max<std::int64_t>(all().bytes - of_streams, 0);
}

Task<Result<SpaceSummary>> SummarizeSpace(MetadataStore& meta, ObjectStore& wal, ObjectStore& compacted,
                                          StreamCatalog& catalog, OpContext context) {
  SpaceSummary summary;
  Streams streams;
  // Records first: what is appended meanwhile is among the objects alone, and no stream has more than there is.
  Task<Status> add = AddStreams(meta, catalog, context, &summary, &streams);
  LS_CO_TRY(co_await add);
  const Sink count_wal = [&summary](std::string_view, std::int64_t bytes) { Count(&summary.wal, bytes); };
  Task<Status> list_wal = ListAll(wal, context, count_wal);
  LS_CO_TRY(co_await list_wal);
  const Sink count_compacted = [&summary, &streams](std::string_view key, std::int64_t bytes) {
    CountCompacted(key, bytes, &summary, &streams);
  };
  Task<Status> list_compacted = ListAll(compacted, std::move(context), count_compacted);
  LS_CO_TRY(co_await list_compacted);
  for (auto& [folder, stream] : streams) summary.streams.push_back(std::move(stream));
  std::stable_sort(summary.streams.begin(), summary.streams.end(),
                   [](const auto& a, const auto& b) { return a.bytes() > b.bytes(); });
  co_return summary;
}

}  // namespace lakestream
