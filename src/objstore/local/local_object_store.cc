#include "objstore/local/local_object_store.h"

#include <mutex>
#include <optional>
#include <utility>

#include "base/try.h"

namespace lakestream {
namespace {

StillWanted WantedBy(Runtime& runtime, OpContext context) {
  return [clock = &runtime.clock, context = std::move(context)] { return context.Check(clock->Monotonic()); };
}

/// Runs `work` on the pool if the call is still wanted when its turn comes.
template <class R>
Task<R> Blocking(Runtime& runtime, OpContext context, std::function<R()> work) {
  const StillWanted wanted = WantedBy(runtime, std::move(context));
  LS_CO_TRY(wanted());
  auto job = [wanted, work = std::move(work)]() -> R {
    LS_TRY(wanted());
    return work();
  };
  auto run = RunBlocking(runtime, std::move(job));
  co_return co_await run;
}

Status CheckWrite(const std::string& key, PutMode mode) {
  LS_TRY(CheckObjectKey(key));
  if (LocalFiles::IsReserved(key)) {
    return InvalidArgument("the key is a name that the store keeps for itself").With("key", key);
  }
  if (mode == PutMode::kCreate) return OkStatus();
  return Unimplemented("a directory as object store only creates objects").With("key", key);
}

}  // namespace

/// A file that is written part by part. What the pool works with is shared, so that destroying the upload
/// does not take it away.
class LocalObjectStore::Upload final : public ObjectUpload {
 public:
  struct Shared {
    Shared(std::shared_ptr<LocalFiles> f, std::string k, LocalFiles::Draft d)
        : files(std::move(f)), key(std::move(k)), draft(std::move(d)) {}
    const std::shared_ptr<LocalFiles> files;
    const std::string key;
    std::mutex mutex;  // a call that a fault wrapper let go on late may meet another
    std::optional<LocalFiles::Draft> draft;  // none once the upload has ended
    Status failure;                          // what ended it, where something did

    Status Ended() const {
      return failure.ok() ? InvalidArgument("the upload has ended").With("key", key) : failure;
    }
    Status Complete(const StillWanted& wanted) {
      const std::lock_guard lock(mutex);
      if (!draft) return Ended();
      Status done = draft->file.Touch();
      if (done.ok()) done = files->Publish(*draft, key, wanted);
      const StatusCode code = done.code();
      const bool repeatable = code == StatusCode::kAlreadyExists || code == StatusCode::kCancelled ||
                              code == StatusCode::kDeadlineExceeded;
      if (repeatable) return done;
      failure = done;
      draft.reset();
      return done;
    }
  };

  Upload(Runtime& runtime, std::shared_ptr<Shared> shared) : runtime_(runtime), shared_(std::move(shared)) {}

  Task<Status> Append(OpContext context, BufferChain bytes) override {
    std::function<Status()> work = [shared = shared_, bytes = std::move(bytes)] {
      const std::lock_guard lock(shared->mutex);
      return shared->draft ? shared->files->Append(*shared->draft, bytes) : shared->Ended();
    };
    return Blocking<Status>(runtime_, std::move(context), std::move(work));
  }

  Task<Status> Complete(OpContext context) override {
    std::function<Status()> work = [shared = shared_, wanted = WantedBy(runtime_, context)] {
      return shared->Complete(wanted);
    };
    return Blocking<Status>(runtime_, std::move(context), std::move(work));
  }

  Task<Status> Abort(OpContext context) override {
    std::function<Status()> work = [shared = shared_] {
      const std::lock_guard lock(shared->mutex);
      shared->draft.reset();
      return OkStatus();
    };
    return Blocking<Status>(runtime_, std::move(context), std::move(work));
  }

 private:
  Runtime& runtime_;
  const std::shared_ptr<Shared> shared_;
};

LocalObjectStore::LocalObjectStore(Runtime& runtime, std::shared_ptr<LocalFiles> files)
    : runtime_(runtime), files_(std::move(files)) {}
LocalObjectStore::~LocalObjectStore() = default;

Result<std::unique_ptr<LocalObjectStore>> LocalObjectStore::Open(Runtime& runtime, LocalObjectStoreOptions options) {
  LS_ASSIGN(std::shared_ptr<LocalFiles> files, LocalFiles::Open(options, runtime.clock.Wall()));
  return std::unique_ptr<LocalObjectStore>(new LocalObjectStore(runtime, std::move(files)));
}

Task<Status> LocalObjectStore::Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) {
  LS_CO_TRY(CheckWrite(key, mode));
  std::function<Status()> work = [files = files_, key = std::move(key), bytes = std::move(bytes),
                                  temp_name = runtime_.random.Uuid(),
                                  wanted = WantedBy(runtime_, context)]() -> Status {
    LS_ASSIGN(LocalFiles::Draft draft, files->Begin(key, temp_name));
    LS_TRY(files->Append(draft, bytes));
    return files->Publish(draft, key, wanted);
  };
  Task<Status> run = Blocking<Status>(runtime_, std::move(context), std::move(work));
  co_return co_await run;
}

Task<Result<Buffer>> LocalObjectStore::Get(OpContext context, std::string key, ByteRange range) {
  LS_CO_TRY(CheckObjectKey(key));
  std::function<Result<Buffer>()> work = [files = files_, key = std::move(key), range] {
    return files->Get(key, range);
  };
  Task<Result<Buffer>> run = Blocking<Result<Buffer>>(runtime_, std::move(context), std::move(work));
  co_return co_await run;
}

Task<Result<ObjectInfo>> LocalObjectStore::Head(OpContext context, std::string key) {
  LS_CO_TRY(CheckObjectKey(key));
  std::function<Result<ObjectInfo>()> work = [files = files_, key = std::move(key)] { return files->Head(key); };
  Task<Result<ObjectInfo>> run = Blocking<Result<ObjectInfo>>(runtime_, std::move(context), std::move(work));
  co_return co_await run;
}

Task<Result<ListPage>> LocalObjectStore::List(OpContext context, std::string prefix, std::string start_after,
                                              int limit) {
  LS_CO_TRY(CheckListLimit(limit));
  std::function<Result<ListPage>()> work = [files = files_, prefix = std::move(prefix),
                                            start_after = std::move(start_after), limit] {
    return files->List(prefix, start_after, limit);
  };
  Task<Result<ListPage>> run = Blocking<Result<ListPage>>(runtime_, std::move(context), std::move(work));
  co_return co_await run;
}

Task<Status> LocalObjectStore::Delete(OpContext context, std::vector<std::string> keys) {
  for (const std::string& key : keys) LS_CO_TRY(CheckObjectKey(key));
  std::function<Status()> work = [files = files_, keys = std::move(keys)] { return files->Delete(keys); };
  Task<Status> run = Blocking<Status>(runtime_, std::move(context), std::move(work));
  co_return co_await run;
}

Task<Result<std::unique_ptr<ObjectUpload>>> LocalObjectStore::StartUpload(OpContext context, std::string key,
                                                                          PutMode mode) {
  LS_CO_TRY(CheckWrite(key, mode));
  std::function<Result<LocalFiles::Draft>()> work = [files = files_, key, temp_name = runtime_.random.Uuid()] {
    return files->Begin(key, temp_name);
  };
  Task<Result<LocalFiles::Draft>> run =
      Blocking<Result<LocalFiles::Draft>>(runtime_, std::move(context), std::move(work));
  LS_CO_ASSIGN(LocalFiles::Draft draft, co_await run);
  auto shared = std::make_shared<Upload::Shared>(files_, std::move(key), std::move(draft));
  std::unique_ptr<ObjectUpload> upload = std::make_unique<Upload>(runtime_, std::move(shared));
  co_return upload;
}

Task<Result<ObjectLeftovers>> LocalObjectStore::RemoveLeftovers(OpContext context, WallTime before) {
  std::function<Result<ObjectLeftovers>()> work = [files = files_, before] { return files->RemoveLeftovers(before); };
  Task<Result<ObjectLeftovers>> run =
      Blocking<Result<ObjectLeftovers>>(runtime_, std::move(context), std::move(work));
  co_return co_await run;
}

ObjectStoreCapabilities LocalObjectStore::capabilities() const {
  ObjectStoreCapabilities capabilities;
  capabilities.keeps_crc32c = true;
  capabilities.create_only = true;
  capabilities.keys_are_paths = true;
  return capabilities;
}

}  // namespace lakestream
