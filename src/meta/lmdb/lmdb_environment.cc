#include "meta/lmdb/lmdb_environment.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>

#include "base/logging.h"
#include "base/try.h"
#include "meta/lmdb/file_system.h"
#include "meta/lmdb/store_check.h"
#include "runtime/posix/directories.h"
#include "runtime/posix/posix.h"

namespace lakestream {
namespace {

/// What may lie in a directory that becomes a store: whoever made it before may have died on the way.
constexpr std::array<std::string_view, 6> kOwnNames = {".", "..", "lock.mdb", "sessions", "changes", "lost+found"};
constexpr Duration kCloseLook = std::chrono::milliseconds(5);
constexpr int kMaxMapRounds = 100;
constexpr Duration kLongestWait = std::chrono::seconds(1);
constexpr Duration kReapTime = std::chrono::seconds(2);

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

Status MakeDirectory(const LmdbOptions& options) {
  std::error_code error;
  const bool there = std::filesystem::is_directory(options.directory, error);
  if (!there && Exists(options.directory)) {
    return InvalidArgument("the metadata store's path is no directory").With("directory", options.directory);
  }
  if (!there && !options.create) {
    return NotFound("the metadata store's directory does not exist").With("directory", options.directory);
  }
  return options.create ? MakeDirectories(options.directory) : OkStatus();
}

/// A directory is a store, or becomes one only where it holds nothing else.
Status CheckContents(const LmdbOptions& options) {
  if (Exists(options.directory + "/data.mdb")) return OkStatus();
  if (!options.create) {
    return NotFound("the directory holds no metadata store").With("directory", options.directory);
  }
  DIR* const listing = opendir(options.directory.c_str());
  if (listing == nullptr) {
    return Unavailable("the metadata store's directory cannot be read")
        .With("directory", options.directory)
        .With("error", std::strerror(errno));
  }
  Status foreign;
  while (const dirent* entry = readdir(listing)) {
    const std::string_view name = entry->d_name;
    if (std::find(kOwnNames.begin(), kOwnNames.end(), name) != kOwnNames.end()) continue;
    foreign = InvalidArgument("a new metadata store needs an empty directory")
                  .With("directory", options.directory)
                  .With("found", name);
  }
  closedir(listing);
  return foreign;
}

Status CheckOptions(const LmdbOptions& options) {
  if (options.directory.empty()) return InvalidArgument("the metadata store needs a directory");
  if (options.shards < 1 || options.shards > kMaxLmdbShards) {
    return InvalidArgument("the number of shards is out of range").With("shards", options.shards);
  }
  if (options.map_size < (std::uint64_t{1} << 20)) {
    return InvalidArgument("the map of the metadata store is too small").With("map_size", options.map_size);
  }
  return OkStatus();
}

}  // namespace

struct LmdbEnvironment::Registry {
  /// Device and inode of the directory, and the fork generation, since a child must not use its parent's.
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
  struct Entry {
    std::weak_ptr<LmdbEnvironment> environment;
    LmdbEnvironment* address = nullptr;
    int stores = 0;
  };
  std::mutex mutex;
  std::map<Key, Entry> entries;
};

LmdbEnvironment::Registry& LmdbEnvironment::TheRegistry() {
  static Registry* const registry = new Registry;
  return *registry;
}

LmdbEnvironment::LmdbEnvironment(Runtime& runtime, const LmdbOptions& options, std::unique_ptr<LmdbMap> map,
                                 std::shared_ptr<ChangePage> page)
    : runtime_(runtime),
      directory_(options.directory),
      generation_(ForkGeneration()),
      map_(std::move(map)),
      locks_(options.directory + "/sessions"),
      hub_(runtime.executor),
      page_(std::move(page)),
      writer_(std::make_shared<LmdbWriter>(runtime, options.directory, *map_, locks_, hub_, *page_)) {}

LmdbEnvironment::~LmdbEnvironment() {
  if (!registered_) return;
  Registry& registry = TheRegistry();
  // LMDB's is closed under the lock: until then nobody may open the directory again.
  const std::lock_guard lock(registry.mutex);
  map_.reset();
  std::erase_if(registry.entries, [this](const auto& entry) { return entry.second.address == this; });
}

bool LmdbEnvironment::Detach() {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  for (auto& [key, entry] : registry.entries) {
    if (entry.address != this) continue;
    const bool last = --entry.stores == 0;
    if (last) page_->Close();
    return last;
  }
  return true;
}

Result<LmdbEnvironment::Opened> LmdbEnvironment::OpenOrShare(Runtime& runtime, const LmdbOptions& options) {
  LS_TRY(CheckOptions(options));
  LS_TRY(MakeDirectory(options));
  LS_TRY(CheckFileSystem(options.directory));
  struct stat info;
  if (stat(options.directory.c_str(), &info) != 0) {
    return Unavailable("the metadata store's directory cannot be examined").With("error", std::strerror(errno));
  }
  const Registry::Key key{info.st_dev, info.st_ino, ForkGeneration()};
  Registry& registry = TheRegistry();
  // Outlives the lock: its destructor takes it.
  std::shared_ptr<LmdbEnvironment> shared;
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.entries.find(key);
  if (found != registry.entries.end()) {
    shared = found->second.environment.lock();
    if (!shared || found->second.stores == 0) return Opened{nullptr, true};
    if (&shared->runtime_.executor != &runtime.executor) {
      return InvalidArgument("the metadata store is open in this process with another runtime")
          .With("directory", options.directory);
    }
    ++found->second.stores;
    return Opened{shared};
  }
  LS_TRY(CheckContents(options));
  LS_ASSIGN(shared, OpenNew(runtime, options));
  registry.entries[key] = Registry::Entry{shared, shared.get(), 1};
  shared->registered_ = true;
  return Opened{shared};
}

Result<std::shared_ptr<LmdbEnvironment>> LmdbEnvironment::OpenNew(Runtime& runtime, const LmdbOptions& options) {
  LS_ASSIGN(std::unique_ptr<LmdbMap> map, LmdbMap::Open(options.directory, options.map_size));
  LS_ASSIGN(std::shared_ptr<ChangePage> page, ChangePage::Open(options.directory));
  std::shared_ptr<LmdbEnvironment> made(new LmdbEnvironment(runtime, options, std::move(map), std::move(page)));
  made->writer_->SetOwner(made);
  LS_TRY(made->locks_.Prepare());
  // Also where the store existed: whoever made it may have died before this.
  LS_TRY(SyncDirectory(options.directory));
  return made;
}

Task<Result<std::shared_ptr<LmdbEnvironment>>> LmdbEnvironment::Open(Runtime& runtime, OpContext context,
                                                                      LmdbOptions options) {
  // What is opened later, lock files above all, must not depend on the working directory.
  if (!options.directory.empty()) options.directory = std::filesystem::absolute(options.directory).string();
  while (true) {
    LS_CO_TRY(context.Check(runtime.Now()));
    auto open = [&runtime, options] { return OpenOrShare(runtime, options); };
    auto opening = RunBlocking(runtime, std::move(open));
    LS_CO_ASSIGN(Opened opened, co_await opening);
    if (!opened.closing) {
      Status ready = co_await MakeReady(opened.environment, context, options);
      if (ready.ok()) co_return std::move(opened.environment);
      opened.environment->Detach();
      co_return ready;
    }
    const Status slept = co_await SleepFor(runtime, context, kCloseLook);
    if (!slept.ok()) {
      co_return Unavailable("the metadata store is still being closed in this process")
          .With("directory", options.directory);
    }
  }
}

Task<Status> LmdbEnvironment::MakeReady(std::shared_ptr<LmdbEnvironment> environment, OpContext context,
                                        LmdbOptions options) {
  LmdbEnvironment& env = *environment;
  Runtime& runtime = env.runtime_;
  auto load = [environment] { return environment->LoadHeader(); };
  auto loading = RunBlocking(runtime, load);
  Status loaded = co_await loading;
  if (loaded.code() == StatusCode::kNotFound && options.create) {
    auto request = std::make_shared<WriteRequest>(runtime.executor, context);
    WriteOp& create = request->ops.emplace_back();
    create.kind = WriteOp::Kind::kCreateStore;
    create.shard = options.shards;
    LS_CO_TRY(co_await env.writer_->Execute(context, request));
    LS_CO_TRY(create.status);
    auto loading_again = RunBlocking(runtime, load);
    loaded = co_await loading_again;
  }
  LS_CO_TRY(loaded);
  // Before anything is read or written that damage could change.
  if (!env.verified_ && options.max_checked_records > 0) {
    const Result<std::uint64_t> verified = co_await env.Verify(context, options.max_checked_records);
    LS_CO_TRY(verified.status());
    env.verified_ = true;
  }

  auto find = [environment] { return environment->FindDeadSessions(); };
  auto finding = RunBlocking(runtime, std::move(find));
  LS_CO_ASSIGN(std::vector<SessionNumber> dead, co_await finding);
  if (dead.empty()) co_return OkStatus();
  // Whoever meets one of their records later ends them too, so a stopped writer must not keep this from opening.
  const OpContext brief = context.WithDeadline(runtime.Now() + kReapTime);
  const Status ended = co_await env.EndDeadSessions(brief, std::move(dead));
  if (!ended.ok()) Log(LogLevel::kWarning, "dead sessions of the metadata store were not ended", ended);
  co_return OkStatus();
}

Status LmdbEnvironment::LoadHeader() {
  const LmdbMap::ReadScope scope(*map_);
  if (scope.rc() != 0) {
    return LmdbError(scope.rc(), "the metadata store cannot be read").With("directory", directory_);
  }
  std::string_view bytes;
  const int rc = scope.txn().Get(StoreHeaderKey(), &bytes);
  if (rc == 0) {
    LS_ASSIGN(const StoreHeader header, DecodeStoreHeader(bytes));
    shards_ = header.shards;
    return OkStatus();
  }
  if (rc != MDB_NOTFOUND) return LmdbError(rc, "the metadata store's header cannot be read");
  LmdbCursor cursor(scope.txn());
  LmdbTxn::Found any;
  if (cursor.Last(&any) == 0) {
    return InvalidArgument("the LMDB file is not a metadata store of this project").With("directory", directory_);
  }
  return NotFound("the directory holds no metadata store").With("directory", directory_);
}

Result<std::map<SessionNumber, SessionOwner>> LmdbEnvironment::LoadSessions() {
  std::map<SessionNumber, SessionOwner> known;
  const LmdbMap::ReadScope scope(*map_);
  if (scope.rc() != 0) return LmdbError(scope.rc(), "the sessions of the metadata store cannot be read");
  LmdbCursor cursor(scope.txn());
  LmdbTxn::Found found;
  const std::string prefix = SessionPrefix();
  for (int rc = cursor.Seek(prefix, &found); rc == 0; rc = cursor.Next(&found)) {
    const std::optional<SessionNumber> session = SessionOfKey(found.key);
    if (!session) break;
    LS_ASSIGN(known[*session], DecodeSessionOwner(*session, found.value));
  }
  return known;
}

Result<std::vector<SessionNumber>> LmdbEnvironment::FindDeadSessions() {
  LS_ASSIGN(const std::vector<SessionNumber> files, locks_.List());
  const Result<std::map<SessionNumber, SessionOwner>> sessions = LoadSessions();
  LS_TRY(sessions.status());
  const std::map<SessionNumber, SessionOwner>& known = *sessions;
  std::vector<SessionNumber> dead;
  for (const auto& [session, owner] : known) {
    LS_ASSIGN(const bool alive, locks_.IsAlive(session, owner));
    if (!alive) dead.push_back(session);
  }
  // A session is committed with its lock held, so a free file without a record is what a crash left behind.
  for (const SessionNumber session : files) {
    if (!known.contains(session) && !locks_.IsOwn(session)) locks_.RemoveIfFree(session);
  }
  return dead;
}

Status LmdbEnvironment::CheckProcess() const {
  if (generation_ == ForkGeneration()) return OkStatus();
  return Unavailable("the process was forked after it opened the metadata store").With("directory", directory_);
}

LmdbStats LmdbEnvironment::stats() const {
  const LmdbWriter::Stats writer = writer_->stats();
  LmdbStats stats;
  stats.commits = writer.commits;
  stats.operations = writer.operations;
  stats.sessions_ended = writer.sessions_ended;
  stats.map_changes = map_->changes();
  stats.map_size = map_->map_size();
  return stats;
}

Task<Status> LmdbEnvironment::EndDeadSessions(OpContext context, std::vector<SessionNumber> sessions) {
  auto request = std::make_shared<WriteRequest>(runtime_.executor, context);
  for (const SessionNumber session : sessions) {
    WriteOp& op = request->ops.emplace_back();
    op.kind = WriteOp::Kind::kEndSession;
    op.session = session;
    op.only_if_dead = true;
  }
  LS_CO_TRY(co_await writer_->Execute(std::move(context), request));
  for (const WriteOp& op : request->ops) LS_CO_TRY(op.status);
  co_return OkStatus();
}

Task<Result<std::uint64_t>> LmdbEnvironment::Verify(OpContext context, std::uint64_t max_records) {
  auto verify = [self = shared_from_this(), context, max_records] { return self->VerifySnapshot(context, max_records); };
  for (int round = 0; round < kMaxMapRounds; ++round) {
    auto verifying = RunBlocking(runtime_, verify);
    LS_CO_ASSIGN(const std::optional<std::uint64_t> records, co_await verifying);
    if (records) co_return *records;
    LS_CO_TRY(co_await FollowMap(context));
  }
  co_return Unavailable("the map of the metadata store grows faster than it can be followed");
}

Result<std::optional<std::uint64_t>> LmdbEnvironment::VerifySnapshot(const OpContext& context,
                                                                    std::uint64_t max_records) {
  const LmdbMap::ReadScope scope(*map_);
  if (scope.rc() == MDB_MAP_RESIZED) return std::optional<std::uint64_t>();
  if (scope.rc() != 0) return LmdbError(scope.rc(), "the metadata store cannot be read");
  const LmdbTxn txn = scope.txn();
  LS_ASSIGN(const StoreCounters counters, LoadCounters(txn));
  if (counters.digest.records > max_records) return std::optional<std::uint64_t>(0);
  const auto checked = CheckStore(txn, [this, &context] { return context.Check(runtime_.Now()); });
  if (!checked.ok()) return checked.status().With("directory", directory_);
  return std::optional<std::uint64_t>(*checked);
}

Task<Status> LmdbEnvironment::CopyTo(OpContext context, std::string file) {
  auto copy = [self = shared_from_this(), file] { return self->CopySnapshot(file); };
  for (int round = 0; round < kMaxMapRounds; ++round) {
    LS_CO_TRY(context.Check(runtime_.Now()));
    auto copying = RunBlocking(runtime_, copy);
    LS_CO_ASSIGN(const bool copied, co_await copying);
    if (copied) co_return OkStatus();
    LS_CO_TRY(co_await FollowMap(context));
  }
  co_return Unavailable("the map of the metadata store grows faster than it can be followed");
}

Result<bool> LmdbEnvironment::CopySnapshot(const std::string& file) {
  const UniqueFd target = OpenAt(AT_FDCWD, file, O_WRONLY | O_CREAT | O_TRUNC, 0640);
  if (!target.valid()) return ErrnoStatus(errno, "the copy's file cannot be made", file);
  const int rc = map_->CopyTo(target.get());
  if (rc == MDB_MAP_RESIZED) return false;
  if (rc != 0) return LmdbError(rc, "the metadata cannot be copied").With("file", file);
  if (fsync(target.get()) != 0) return ErrnoStatus(errno, "the copy cannot be synced", file);
  // Looked at last: a store that was moved away meanwhile lacks what others write to the one in its place.
  LS_TRY(map_->CheckFile());
  return true;
}

Task<Result<std::uint64_t>> LmdbEnvironment::ClaimCopy(OpContext context, std::int64_t least_version,
                                                       std::int64_t skip) {
  auto load = [self = shared_from_this()] { return self->LoadSessions(); };
  auto loading = RunBlocking(runtime_, std::move(load));
  LS_CO_ASSIGN(const auto sessions, co_await loading);
  auto request = std::make_shared<WriteRequest>(runtime_.executor, context);
  for (const auto& session : sessions) {
    WriteOp& end = request->ops.emplace_back();
    end.kind = WriteOp::Kind::kEndSession;
    end.session = session.first;
  }
  WriteOp& raise = request->ops.emplace_back();
  raise.kind = WriteOp::Kind::kRaiseVersions;
  raise.version = least_version;
  raise.first_delta = skip;
  LS_CO_TRY(co_await writer_->Execute(std::move(context), request));
  for (const WriteOp& op : request->ops) LS_CO_TRY(op.status);
  co_return sessions.size();
}

Task<Status> LmdbEnvironment::FollowMap(OpContext context) {
  auto request = std::make_shared<WriteRequest>(runtime_.executor, context);
  request->ops.emplace_back().kind = WriteOp::Kind::kNothing;
  co_return co_await writer_->Execute(std::move(context), request);
}

void LmdbEnvironment::FollowOthers() {
  if (following_.exchange(true)) return;
  const std::weak_ptr<LmdbEnvironment> weak = weak_from_this();
  runtime_.blocking.Submit([weak, page = page_] {
    while (!page->closed()) {
      const ChangePage::Others others = page->AwaitOthers(kLongestWait);
      const std::shared_ptr<LmdbEnvironment> self = weak.lock();
      if (!self) return;
      if (others.all) {
        self->hub_.TouchAll();
      } else if (!others.slots.empty()) {
        self->hub_.Touch(others.slots);
      }
    }
  });
}

}  // namespace lakestream
