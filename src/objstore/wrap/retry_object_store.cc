#include "objstore/wrap/retry_object_store.h"

#include <algorithm>
#include <utility>

#include "base/invariant.h"
#include "base/logging.h"
#include "base/try.h"
#include "codec/crc32c.h"

namespace lakestream {
namespace {

Status StatusOf(const Status& status) { return status; }
template <class T>
Status StatusOf(const Result<T>& result) {
  return result.status();
}

std::uint32_t ChainCrc32c(const BufferChain& bytes, std::uint32_t seed = 0) {
  for (const Buffer& part : bytes.parts()) seed = Crc32c(part.span(), seed);
  return seed;
}

}  // namespace

/// Counts the attempts of one call and waits between them.
class RetryObjectStore::Attempts {
 public:
  Attempts(Runtime& runtime, const RetryOptions& options) : runtime_(runtime), options_(options) {}

  int made() const { return made_; }
  /// True after a wait, when another attempt may be made.
  Task<bool> Another(OpContext context) {
    if (made_ >= options_.max_attempts) co_return false;
    Duration most = options_.first_wait;
    for (int i = 1; i < made_ && most < options_.max_wait; ++i) most *= 2;
    most = std::min(most, options_.max_wait);
    const auto draw = runtime_.random.Below(static_cast<std::uint64_t>(most.count()) + 1);
    const MonotonicTime until = runtime_.Now() + Duration(static_cast<std::int64_t>(draw));
    if (until >= context.deadline) co_return false;
    if (context.retry_budget && !context.retry_budget->TryTake()) co_return false;
    const Status slept = co_await SleepUntil(runtime_, std::move(context), until);
    ++made_;
    co_return slept.ok();
  }

 private:
  Runtime& runtime_;
  const RetryOptions& options_;
  int made_ = 1;
};

RetryObjectStore::RetryObjectStore(Runtime& runtime, ObjectStore& inner, RetryOptions options)
    : ForwardingObjectStore(inner), runtime_(runtime), options_(options) {
  LS_INVARIANT(options.max_attempts >= 1, "the first attempt counts");
  LS_INVARIANT(options.first_wait >= Duration::zero(), "a wait is not negative");
  LS_INVARIANT(options.max_wait >= Duration::zero(), "a wait is not negative");
}
RetryObjectStore::~RetryObjectStore() = default;

template <class R>
Task<R> RetryObjectStore::Retry(OpContext context, std::function<Task<R>(OpContext)> call) {
  Attempts attempts(runtime_, options_);
  while (true) {
    R answer = co_await call(context);
    if (StatusOf(answer).code() != StatusCode::kUnavailable) co_return answer;
    const bool another = co_await attempts.Another(context);
    if (!another) co_return StatusOf(answer).With("attempts", attempts.made());
    Log(LogLevel::kInfo, "a call to the object store is made again", StatusOf(answer));
  }
}

Task<RetryObjectStore::Found> RetryObjectStore::Look(OpContext context, std::string key, std::uint64_t size,
                                                     Sum crc32c) {
  const Result<ObjectInfo> info = co_await Head(std::move(context), std::move(key));
  if (!info.ok()) {
    co_return info.status().code() == StatusCode::kNotFound ? Found::kNothing : Found::kUnknown;
  }
  const bool ours = info->size == size && info->crc32c.has_value() && *info->crc32c == crc32c();
  co_return ours ? Found::kOurs : Found::kUnknown;
}

Task<Status> RetryObjectStore::RetryWrite(OpContext context, std::string key, std::uint64_t size, Sum crc32c,
                                          PutMode mode, std::function<Task<Status>(OpContext)> call) {
  Attempts attempts(runtime_, options_);
  // The first answer that left open whether the object was written. From then on no failure of a later
  // attempt can say that it was not.
  Status open;
  while (true) {
    const Status answer = co_await call(context);
    if (answer.ok()) co_return answer;
    const StatusCode code = answer.code();
    if (open.ok() && code == StatusCode::kIndeterminate) open = answer;
    if (open.ok() && code != StatusCode::kUnavailable) co_return answer;
    if (!open.ok()) {
      const Found found = co_await Look(context, key, size, crc32c);
      if (found == Found::kOurs) co_return OkStatus();
      const bool repeat = found == Found::kNothing && mode == PutMode::kCreate &&
                          (code == StatusCode::kIndeterminate || code == StatusCode::kUnavailable);
      if (!repeat) co_return open.With("attempts", attempts.made());
    }
    const bool another = co_await attempts.Another(context);
    if (!another) co_return (open.ok() ? answer : open).With("attempts", attempts.made());
    Log(LogLevel::kInfo, "a call to the object store is made again", answer);
  }
}

Task<Status> RetryObjectStore::Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) {
  ObjectStore* store = &inner();
  const std::uint64_t size = bytes.size();
  Sum crc32c = [bytes] { return ChainCrc32c(bytes); };
  return RetryWrite(std::move(context), key, size, std::move(crc32c), mode,
                    [store, key, bytes = std::move(bytes), mode](OpContext c) {
                      return store->Put(std::move(c), key, bytes, mode);
                    });
}

Task<Result<Buffer>> RetryObjectStore::Get(OpContext context, std::string key, ByteRange range) {
  ObjectStore* store = &inner();
  return Retry<Result<Buffer>>(std::move(context), [store, key = std::move(key), range](OpContext c) {
    return store->Get(std::move(c), key, range);
  });
}

Task<Result<ObjectInfo>> RetryObjectStore::Head(OpContext context, std::string key) {
  ObjectStore* store = &inner();
  return Retry<Result<ObjectInfo>>(std::move(context), [store, key = std::move(key)](OpContext c) {
    return store->Head(std::move(c), key);
  });
}

Task<Result<ListPage>> RetryObjectStore::List(OpContext context, std::string prefix, std::string start_after,
                                              int limit) {
  ObjectStore* store = &inner();
  return Retry<Result<ListPage>>(
      std::move(context),
      [store, prefix = std::move(prefix), start_after = std::move(start_after), limit](OpContext c) {
        return store->List(std::move(c), prefix, start_after, limit);
      });
}

Task<Status> RetryObjectStore::Delete(OpContext context, std::vector<std::string> keys) {
  Attempts attempts(runtime_, options_);
  Status open;
  while (true) {
    const Status answer = co_await inner().Delete(context, keys);
    if (answer.ok()) co_return answer;
    const StatusCode code = answer.code();
    if (open.ok() && code == StatusCode::kIndeterminate) open = answer;
    const Status told = open.ok() ? answer : open;
    if (code != StatusCode::kUnavailable && code != StatusCode::kIndeterminate) co_return told;
    const bool another = co_await attempts.Another(context);
    if (!another) co_return told.With("attempts", attempts.made());
  }
}

class RetryObjectStore::Upload final : public ObjectUpload {
 public:
  Upload(RetryObjectStore& store, std::string key, PutMode mode, std::unique_ptr<ObjectUpload> inner)
      : store_(store), key_(std::move(key)), mode_(mode), inner_(std::move(inner)) {}

  Task<Status> Append(OpContext context, BufferChain bytes) override {
    ObjectUpload* upload = inner_.get();
    std::function<Task<Status>(OpContext)> call = [upload, bytes](OpContext c) {
      return upload->Append(std::move(c), bytes);
    };
    Task<Status> retry = store_.Retry<Status>(std::move(context), std::move(call));
    LS_CO_TRY(co_await retry);
    crc32c_ = ChainCrc32c(bytes, crc32c_);
    size_ += bytes.size();
    co_return OkStatus();
  }

  Task<Status> Complete(OpContext context) override {
    // Completing again is the only way to repeat it, and an upload that a lost answer ended refuses that:
    // then the look at the object has decided before.
    ObjectUpload* upload = inner_.get();
    const std::uint32_t sum = crc32c_;
    return store_.RetryWrite(std::move(context), key_, size_, [sum] { return sum; }, mode_,
                             [upload](OpContext c) { return upload->Complete(std::move(c)); });
  }

  Task<Status> Abort(OpContext context) override {
    ObjectUpload* upload = inner_.get();
    return store_.Retry<Status>(std::move(context), [upload](OpContext c) { return upload->Abort(std::move(c)); });
  }

 private:
  RetryObjectStore& store_;
  const std::string key_;
  const PutMode mode_;
  const std::unique_ptr<ObjectUpload> inner_;
  std::uint64_t size_ = 0;
  std::uint32_t crc32c_ = 0;
};

Task<Result<std::unique_ptr<ObjectUpload>>> RetryObjectStore::StartUpload(OpContext context, std::string key,
                                                                          PutMode mode) {
  using Started = Result<std::unique_ptr<ObjectUpload>>;
  ObjectStore* store = &inner();
  std::function<Task<Started>(OpContext)> start = [store, key, mode](OpContext c) {
    return store->StartUpload(std::move(c), key, mode);
  };
  Task<Started> retry = Retry<Started>(std::move(context), std::move(start));
  LS_CO_ASSIGN(std::unique_ptr<ObjectUpload> upload, co_await retry);
  std::unique_ptr<ObjectUpload> wrapped =
      std::make_unique<Upload>(*this, std::move(key), mode, std::move(upload));
  co_return wrapped;
}

}  // namespace lakestream
