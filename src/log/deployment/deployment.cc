#include "log/deployment/deployment.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/try.h"
#include "format/deployment_record.h"
#include "log/catalog/catalog_homes.h"
#include "log/deployment/epoch_guard.h"
#include "log/deployment/store_url.h"
#include "log/lease/lease_keeper.h"
#include "meta/lmdb/lmdb_metadata_store.h"
#include "meta/memory/memory_metadata_store.h"
#include "meta/wrap/metrics_metadata_store.h"
#include "meta/wrap/retry_metadata_store.h"
#include "objstore/local/local_object_store.h"
#include "objstore/memory/memory_object_store.h"
#include "objstore/wrap/metrics_object_store.h"
#include "objstore/wrap/retry_object_store.h"
#include "runtime/posix/file_scratch.h"
#include "runtime/posix/posix.h"

namespace lakestream {

namespace {

constexpr int kRecordAttempts = 5;
/// What is left for leases and the metadata store where the writer used up all the time of a Stop.
constexpr Duration kLastSteps = std::chrono::seconds(5);

constexpr std::int64_t kMinFirstFetch = 4096;

struct Urls {
  StoreUrl metadata;
  StoreUrl wal;
  StoreUrl compacted;
};

Result<Urls> ParseUrls(const DeploymentOptions& options) {
  Urls urls;
  LS_ASSIGN(urls.metadata, StoreUrl::Parse(options.metadata_url));
  LS_ASSIGN(urls.wal, StoreUrl::Parse(options.wal_url));
  LS_ASSIGN(urls.compacted, StoreUrl::Parse(options.compacted_url));
  if (urls.metadata.kind == StoreUrl::Kind::kFile) {
    return InvalidArgument("metadata does not live in plain files; use lmdb:///").With("url", options.metadata_url);
  }
  for (const StoreUrl* root : {&urls.wal, &urls.compacted}) {
    if (root->kind != StoreUrl::Kind::kLmdb) continue;
    return InvalidArgument("objects do not live in lmdb; use file:///").With("path", root->path);
  }
  LS_TRY(CheckApart(urls.metadata, urls.wal, urls.compacted));
  return urls;
}

Status CheckReaderOptions(const ReaderOptions& options) {
  const auto refuse = [](std::string_view why) { return InvalidArgument(why); };
  if (options.tail_poll <= Duration::zero()) return refuse("tail_poll is greater than 0");
  if (options.first_fetch_bytes < kMinFirstFetch) return refuse("first_fetch_bytes is at least 4096");
  if (options.whole_object_bytes < 0 || options.cache_bytes < 0)
    return refuse("sizes of the reader are not negative");
  return OkStatus();
}

Result<std::unique_ptr<ObjectStore>> OpenObjects(Runtime& runtime, const StoreUrl& url, bool create) {
  if (url.kind == StoreUrl::Kind::kMemory) {
    return std::unique_ptr<ObjectStore>(std::make_unique<MemoryObjectStore>(runtime));
  }
  LocalObjectStoreOptions local;
  local.directory = url.path;
  local.create = create;
  LS_ASSIGN(std::unique_ptr<LocalObjectStore> store, LocalObjectStore::Open(runtime, local));
  return std::unique_ptr<ObjectStore>(std::move(store));
}

/// A root of a deployment whose record names it.
Result<std::unique_ptr<ObjectStore>> OpenRoot(Runtime& runtime, const StoreUrl& url, bool create) {
  Result<std::unique_ptr<ObjectStore>> store = OpenObjects(runtime, url, create);
  if (store.status().code() != StatusCode::kNotFound) return store;
  return Unavailable("the deployment's objects are not there; is a file system not mounted?").With("path", url.path);
}

/// Beside the objects that are written from it, where there is room for them.
std::unique_ptr<ScratchSpace> MakeScratch(Runtime& runtime, const StoreUrl& compacted) {
  if (compacted.kind == StoreUrl::Kind::kMemory) return std::make_unique<MemoryScratchSpace>();
  return std::make_unique<FileScratchSpace>(runtime, compacted.path);
}

Result<DeploymentRecord> NewRecord(Runtime& runtime, const DeploymentOptions& options, const Urls& urls) {
  DeploymentRecord record;
  record.deployment_id = runtime.random.Uuid();
  record.wal_root = RecordedRoot(urls.metadata, urls.wal);
  record.compacted_root = RecordedRoot(urls.metadata, urls.compacted);
  record.grace_ms = ToMillis(options.times.grace);
  record.publish_deadline_ms = ToMillis(options.times.publish_deadline);
  record.index_deadline_ms = ToMillis(options.times.index_deadline);
  record.compactor_family = options.compactor_family;
  LS_TRY(EncodeDeploymentRecord(record).status());
  return record;
}

Status CheckRoot(std::string_view field, const std::string& recorded, const std::string& asked) {
  if (recorded == asked) return OkStatus();
  return PreconditionFailed("the deployment has its objects elsewhere")
      .With("field", field)
      .With("recorded", recorded)
      .With("asked", asked);
}

}  // namespace

struct Deployment::Parts {
  explicit Parts(Runtime& r, DeploymentOptions o) : runtime(r), options(std::move(o)) {}

  Runtime& runtime;
  DeploymentOptions options;
  const MonotonicTime opened = runtime.Now();
  Urls urls;
  DeploymentRecord record;
  bool stopped = false;

  std::unique_ptr<MetadataStore> meta_store;
  LmdbMetadataStore* lmdb = nullptr;  ///< meta_store, where it is one
  std::unique_ptr<MetricsMetadataStore> meta_metrics;
  std::unique_ptr<RetryMetadataStore> meta;
  std::unique_ptr<EpochGuard> sessions;  ///< the leases' way to `meta`
  std::unique_ptr<ObjectStore> wal_store;
  std::unique_ptr<MetricsObjectStore> wal;  ///< the writer's: it retries under new names
  std::unique_ptr<RetryObjectStore> wal_reads;
  std::unique_ptr<ObjectStore> compacted_store;
  std::unique_ptr<MetricsObjectStore> compacted;
  std::unique_ptr<RetryObjectStore> compacted_reads;
  std::unique_ptr<CatalogHomes> homes;
  std::unique_ptr<ScratchSpace> scratch;
  std::unique_ptr<LeaseKeeper> leases;
  std::unique_ptr<LogWriter> writer;
  std::unique_ptr<LogReader> reader;
  std::unique_ptr<StreamCatalog> catalog;

  Task<Status> OpenMetadata();
  Task<Result<std::optional<DeploymentRecord>>> ReadRecord();
  Task<Status> LoadOrCreate();
  Task<Status> OpenRoots(bool create);
  Task<Result<bool>> HasObjects();
  Task<Status> CheckNothingLost();
  Status CheckRecord();
  Status StartEngine();
};

Task<Status> Deployment::Parts::OpenMetadata() {
  if (urls.metadata.kind == StoreUrl::Kind::kMemory) {
    MemoryMetadataOptions memory;
    memory.shards = 1;
    meta_store = std::make_unique<MemoryMetadataStore>(runtime, memory);
  } else {
    LmdbOptions lmdb_options;
    lmdb_options.directory = urls.metadata.path;
    lmdb_options.create = options.create;
    if (!options.check_metadata) lmdb_options.max_checked_records = 0;
    Task<Result<std::unique_ptr<LmdbMetadataStore>>> open =
        LmdbMetadataStore::Open(runtime, OpContext(), lmdb_options);
    LS_CO_ASSIGN(std::unique_ptr<LmdbMetadataStore> opened, co_await open);
    lmdb = opened.get();
    meta_store = std::move(opened);
  }
  meta_metrics = std::make_unique<MetricsMetadataStore>(runtime, *meta_store);
  meta = std::make_unique<RetryMetadataStore>(runtime, *meta_metrics, MetadataRetryOptions());
  co_return OkStatus();
}

Task<Result<std::optional<DeploymentRecord>>> Deployment::Parts::ReadRecord() {
  const std::string key(kDeploymentKey);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await meta->Get(OpContext(), Partition::OfKey(key), key));
  if (!answer) co_return std::optional<DeploymentRecord>();
  Result<DeploymentRecord> decoded = DecodeDeploymentRecord(answer->value.text());
  if (!decoded.ok()) co_return decoded.status().With("deployment", options.metadata_url);
  co_return std::optional<DeploymentRecord>(*std::move(decoded));
}

/// Finds the record, or makes it once the roots are there. Of an existing deployment no root is made: an empty
/// one in place of one that is gone would look like data loss, and be it.
Task<Status> Deployment::Parts::LoadOrCreate() {
  for (int attempt = 0; attempt < kRecordAttempts; ++attempt) {
    Task<Result<std::optional<DeploymentRecord>>> read = ReadRecord();
    LS_CO_ASSIGN(std::optional<DeploymentRecord> found, co_await read);
    if (found) {
      record = std::move(*found);
      LS_CO_TRY(CheckRecord());
      Task<Status> open = OpenRoots(false);
      co_return co_await open;
    }
    Task<Status> check = CheckNothingLost();
    LS_CO_TRY(co_await check);
    if (!options.create) {
      co_return NotFound("there is no deployment here").With("deployment", options.metadata_url);
    }
    LS_CO_ASSIGN(const DeploymentRecord made, NewRecord(runtime, options, urls));
    Task<Status> open = OpenRoots(true);
    LS_CO_TRY(co_await open);
    LS_CO_ASSIGN(std::string value, EncodeDeploymentRecord(made));
    const std::string key(kDeploymentKey);
    const Buffer bytes(std::move(value));
    const Result<WriteAnswer> created =
        co_await meta->CreateIfAbsent(OpContext(), Partition::OfKey(key), key, bytes, WriteGuard());
    const StatusCode code = created.status().code();
    // Whoever made it, the record that stands is the one that counts.
    if (!created.ok() && code != StatusCode::kAlreadyExists && code != StatusCode::kIndeterminate) {
      co_return created.status();
    }
  }
  co_return Unavailable("the deployment's record comes and goes").With("deployment", options.metadata_url);
}

/// Whether a root holds anything; a root that is not there does not.
Task<Result<bool>> Deployment::Parts::HasObjects() {
  using Opened = Result<std::unique_ptr<ObjectStore>>;
  for (const StoreUrl* root : {&urls.wal, &urls.compacted}) {
    auto open = [this, root]() -> Opened { return OpenObjects(runtime, *root, false); };
    Task<Opened> opening = RunBlocking(runtime, std::move(open));
    const Opened store = co_await opening;
    if (store.status().code() == StatusCode::kNotFound) continue;
    if (!store.ok()) co_return store.status();
    LS_CO_ASSIGN(const ListPage page, co_await (*store)->List(OpContext(), "", "", 1));
    if (!page.objects.empty()) co_return true;
  }
  co_return false;
}

/// Objects without a record are what is left where the metadata is gone. A new deployment over them would hide that
/// for ever. Requires: no record was found.
Task<Status> Deployment::Parts::CheckNothingLost() {
  Task<Result<bool>> look = HasObjects();
  LS_CO_ASSIGN(const bool objects, co_await look);
  if (!objects) co_return OkStatus();
  if (meta != nullptr) {
    // Another process may just have made the deployment and written to it.
    Task<Result<std::optional<DeploymentRecord>>> read = ReadRecord();
    LS_CO_ASSIGN(const std::optional<DeploymentRecord> made, co_await read);
    if (made) co_return OkStatus();
  }
  co_return Corrupt("there are objects here, but not the metadata that belongs to them; bring it back")
      .With("metadata", options.metadata_url)
      .With("wal", options.wal_url);
}

Status Deployment::Parts::CheckRecord() {
  LS_TRY(CheckRoot("wal_root", record.wal_root, RecordedRoot(urls.metadata, urls.wal)));
  return CheckRoot("compacted_root", record.compacted_root, RecordedRoot(urls.metadata, urls.compacted));
}

Task<Status> Deployment::Parts::OpenRoots(bool create) {
  using Opened = Result<std::unique_ptr<ObjectStore>>;
  if (wal_store != nullptr) co_return OkStatus();
  auto open_wal = [this, create]() -> Opened { return OpenRoot(runtime, urls.wal, create); };
  auto open_compacted = [this, create]() -> Opened { return OpenRoot(runtime, urls.compacted, create); };
  Task<Opened> wal_opening = RunBlocking(runtime, std::move(open_wal));
  LS_CO_ASSIGN(wal_store, co_await wal_opening);
  Task<Opened> compacted_opening = RunBlocking(runtime, std::move(open_compacted));
  LS_CO_ASSIGN(compacted_store, co_await compacted_opening);
  wal = std::make_unique<MetricsObjectStore>(runtime, *wal_store);
  wal_reads = std::make_unique<RetryObjectStore>(runtime, *wal, RetryOptions());
  compacted = std::make_unique<MetricsObjectStore>(runtime, *compacted_store);
  compacted_reads = std::make_unique<RetryObjectStore>(runtime, *compacted, RetryOptions());
  co_return OkStatus();
}

Status Deployment::Parts::StartEngine() {
  WriterOptions& writer_options = options.writer;
  writer_options.times.grace = std::chrono::milliseconds(record.grace_ms);
  writer_options.times.publish_deadline = std::chrono::milliseconds(record.publish_deadline_ms);
  writer_options.times.index_deadline = std::chrono::milliseconds(record.index_deadline_ms);
  options.times = writer_options.times;
  writer_options.embedded_names = urls.wal.kind == StoreUrl::Kind::kFile;
  sessions = std::make_unique<EpochGuard>(*meta, record);
  leases = std::make_unique<LeaseKeeper>(runtime, *sessions, writer_options);
  LS_ASSIGN(writer, LogWriter::Open(runtime, *meta, *wal, *leases, writer_options));
  homes = std::make_unique<CatalogHomes>(*meta);
  scratch = MakeScratch(runtime, urls.compacted);
  reader = std::make_unique<LogReader>(runtime, *meta, *wal_reads, *compacted_reads, *homes, options.reader);
  catalog = std::make_unique<StreamCatalog>(runtime, *meta);
  leases->Start();
  writer->Start();
  return OkStatus();
}

Task<Result<std::unique_ptr<Deployment>>> Deployment::Open(Runtime& runtime, DeploymentOptions options) {
  auto parts = std::make_unique<Parts>(runtime, std::move(options));
  LS_CO_ASSIGN(parts->urls, ParseUrls(parts->options));
  LS_CO_TRY(CheckReaderOptions(parts->options.reader));
  Task<Status> open_metadata = parts->OpenMetadata();
  Status opened = co_await open_metadata;
  if (opened.code() == StatusCode::kNotFound) {
    Task<Status> check = parts->CheckNothingLost();
    const Status lost = co_await check;
    if (!lost.ok()) {
      // Unless another process has just made it.
      Task<Status> again = parts->OpenMetadata();
      opened = co_await again;
      if (opened.code() == StatusCode::kNotFound) co_return lost;
    }
  }
  LS_CO_TRY(opened);
  Task<Status> load = parts->LoadOrCreate();
  Status status = co_await load;
  if (status.ok()) status = parts->StartEngine();
  if (!status.ok()) {
    if (parts->lmdb != nullptr) {
      const OpContext last_steps = OpContext().WithDeadline(runtime.Now() + kLastSteps);
      const Status stopped = co_await parts->lmdb->Stop(last_steps);
      (void)stopped;  // what went wrong before is what the caller needs to know
    }
    co_return status;
  }
  co_return std::make_unique<Deployment>(std::move(parts));
}

Deployment::Deployment(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Deployment::~Deployment() = default;

Task<Status> Deployment::Stop(OpContext context) {
  Parts& parts = *parts_;
  if (std::exchange(parts.stopped, true)) co_return OkStatus();
  // The writer needs its leases to the end, and the leases the store.
  const Status writer = co_await parts.writer->Stop(context);
  OpContext last_steps = context;
  last_steps.deadline = std::max(context.deadline, parts.runtime.Now() + kLastSteps);
  const Status leases = co_await parts.leases->Stop(last_steps);
  Status store;
  if (parts.lmdb != nullptr) store = co_await parts.lmdb->Stop(last_steps);
  for (const Status& status : {writer, leases, store}) LS_CO_TRY(status);
  co_return OkStatus();
}

StreamCatalog& Deployment::catalog() { return *parts_->catalog; }
LogWriter& Deployment::writer() { return *parts_->writer; }
LogReader& Deployment::reader() { return *parts_->reader; }

CompactorOptions Deployment::DefaultCompactorOptions() const {
  CompactorOptions options;
  // A writer that never gets an unknown answer never looks for one.
  const bool definite = parts_->meta_store->capabilities().definite_answers;
  options.plan.settle_time = definite ? Duration::zero() : parts_->options.writer.settle_time;
  options.session_timeout = parts_->options.writer.session_timeout;
  if (parts_->urls.wal.kind == StoreUrl::Kind::kFile) options.plan.small_range_cost = model::kSmallRangeCostOnDisk;
  return options;
}

Result<std::unique_ptr<Compactor>> Deployment::MakeCompactor(CompactorOptions options) {
  Parts& parts = *parts_;
  if (parts.record.compactor_family != kCompactorFamily) {
    return PreconditionFailed("compactors of another family work on this deployment")
        .With("family", parts.record.compactor_family);
  }
  const CompactorParts of{parts.runtime, *parts.meta,   *parts.sessions, *parts.wal_reads, *parts.compacted_reads,
                          *parts.leases, *parts.homes, *parts.scratch};
  return std::make_unique<Compactor>(of, std::move(options));
}

RetainerOptions Deployment::DefaultRetainerOptions() const {
  RetainerOptions options;
  options.settle_time = DefaultCompactorOptions().plan.settle_time;
  return options;
}

std::unique_ptr<Retainer> Deployment::MakeRetainer(RetainerOptions options) {
  Parts& parts = *parts_;
  const RetainerParts of{parts.runtime, *parts.meta, *parts.wal_reads, *parts.compacted_reads, *parts.leases,
                         *parts.homes};
  return std::make_unique<Retainer>(of, options);
}

CollectorOptions Deployment::DefaultCollectorOptions() const {
  CollectorOptions options;
  options.grace = parts_->options.times.grace;
  if (parts_->lmdb != nullptr) options.boot_id = BootId();
  return options;
}

std::unique_ptr<Collector> Deployment::MakeCollector(CollectorOptions options) {
  Parts& parts = *parts_;
  const CollectorParts of{parts.runtime, *parts.meta, *parts.wal_reads, *parts.compacted_reads, *parts.catalog};
  return std::make_unique<Collector>(of, std::move(options));
}

const std::string& Deployment::id() const { return parts_->record.deployment_id; }
const DeploymentRecord& Deployment::record() const { return parts_->record; }
const DeploymentOptions& Deployment::options() const { return parts_->options; }

DeploymentStats Deployment::stats() const {
  DeploymentStats stats;
  stats.age = parts_->runtime.Now() - parts_->opened;
  stats.metadata = parts_->meta_metrics->Snapshot();
  stats.wal = parts_->wal->Snapshot();
  stats.compacted = parts_->compacted->Snapshot();
  stats.writer = parts_->writer->stats();
  stats.writer_latency = parts_->writer->latency();
  stats.reader = parts_->reader->stats();
  stats.leases = parts_->leases->stats();
  return stats;
}

Task<Status> Deployment::CopyMetadata(OpContext context, std::string file) {
  if (parts_->lmdb == nullptr) co_return Unimplemented("this metadata store cannot be copied");
  co_return co_await parts_->lmdb->CopyTo(std::move(context), std::move(file));
}

Task<Result<std::uint64_t>> Deployment::VerifyMetadata(OpContext context) {
  if (parts_->lmdb == nullptr) co_return Unimplemented("this metadata store has no check of all its records");
  co_return co_await parts_->lmdb->Verify(std::move(context));
}

MetadataStore& Deployment::metadata() { return *parts_->meta; }
ObjectStore& Deployment::wal() { return *parts_->wal_reads; }
ObjectStore& Deployment::compacted() { return *parts_->compacted_reads; }
LogHomes& Deployment::homes() { return *parts_->homes; }

std::optional<std::string> Deployment::WalFile(const std::string& key) const {
  const StoreUrl& root = parts_->urls.wal;
  if (root.kind != StoreUrl::Kind::kFile) return std::nullopt;
  return root.path + "/" + key;
}

Task<Result<SoftTrimOutcome>> Deployment::SoftTrim(OpContext context, LogId log, Offset through) {
  return lakestream::SoftTrim(parts_->runtime, *parts_->meta, *parts_->leases, std::move(context), log, through);
}

}  // namespace lakestream
