#include "objstore/memory/memory_object_store.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/try.h"
#include "codec/crc32c.h"

namespace lakestream {

struct MemoryObjectStore::Objects {
  struct Object {
    Buffer bytes;
    std::uint32_t crc32c = 0;
    WallTime modified{};

    ObjectInfo Info(const std::string& key) const {
      ObjectInfo info;
      info.key = key;
      info.size = bytes.size();
      info.crc32c = crc32c;
      info.modified = modified;
      return info;
    }
  };

  explicit Objects(const Clock& c) : clock(c) {}

  Status Store(const std::string& key, Buffer bytes, PutMode mode) {
    Object object;
    object.crc32c = Crc32c(bytes.span());
    object.bytes = std::move(bytes);
    const std::lock_guard lock(mutex);
    if (mode == PutMode::kCreate && objects.contains(key)) {
      return AlreadyExists("the key has an object").With("key", key);
    }
    object.modified = clock.Wall();
    const auto stored = objects.insert_or_assign(key, std::move(object)).first;
    if (observer) observer(key, &stored->second.bytes);
    return OkStatus();
  }

  void Remove(const std::vector<std::string>& keys) {
    const std::lock_guard lock(mutex);
    for (const std::string& key : keys) {
      if (objects.erase(key) > 0 && observer) observer(key, nullptr);
    }
  }

  Result<Object> Find(const std::string& key) const {
    const std::lock_guard lock(mutex);
    const auto found = objects.find(key);
    if (found == objects.end()) return NotFound("no such object").With("key", key);
    return found->second;
  }

  ListPage List(const std::string& prefix, const std::string& start_after, std::size_t limit) const {
    ListPage page;
    const std::lock_guard lock(mutex);
    auto at = start_after < prefix ? objects.lower_bound(prefix) : objects.upper_bound(start_after);
    for (; at != objects.end() && at->first.starts_with(prefix); ++at) {
      if (page.objects.size() == limit) {
        page.next = page.objects.back().key;
        break;
      }
      page.objects.push_back(at->second.Info(at->first));
    }
    return page;
  }

  struct Parts {
    WallTime begun{};
    std::int64_t bytes = 0;
  };

  std::uint64_t Begin() {
    const std::lock_guard lock(mutex);
    uploads[++last_upload].begun = clock.Wall();
    return last_upload;
  }

  /// False where the parts are gone.
  bool Grow(std::uint64_t upload, std::size_t bytes) {
    const std::lock_guard lock(mutex);
    const auto found = uploads.find(upload);
    if (found == uploads.end()) return false;
    found->second.bytes += static_cast<std::int64_t>(bytes);
    return true;
  }

  void End(std::uint64_t upload) {
    const std::lock_guard lock(mutex);
    uploads.erase(upload);
  }

  ObjectLeftovers RemoveLeftovers(WallTime before) {
    const std::lock_guard lock(mutex);
    ObjectLeftovers removed;
    std::erase_if(uploads, [&](const auto& upload) {
      if (upload.second.begun >= before) return false;
      ++removed.uploads;
      removed.bytes += upload.second.bytes;
      return true;
    });
    return removed;
  }

  const Clock& clock;
  mutable std::mutex mutex;
  std::map<std::uint64_t, Parts> uploads;  ///< neither completed nor aborted, also of processes that have died
  std::uint64_t last_upload = 0;
  std::map<std::string, Object, std::less<>> objects;
  std::function<void(const std::string&, const Buffer*)> observer;
};

class MemoryObjectStore::Upload final : public ObjectUpload {
 public:
  Upload(Runtime& runtime, std::shared_ptr<Objects> objects, std::string key, PutMode mode)
      : runtime_(runtime), objects_(std::move(objects)), id_(objects_->Begin()), key_(std::move(key)), mode_(mode) {}

  Task<Status> Append(OpContext context, BufferChain bytes) override {
    co_await Yield(runtime_);
    LS_CO_TRY(context.Check(runtime_.Now()));
    LS_CO_TRY(AppendNow(bytes));
    co_await Yield(runtime_);
    co_return OkStatus();
  }

  Task<Status> Complete(OpContext context) override {
    co_await Yield(runtime_);
    LS_CO_TRY(context.Check(runtime_.Now()));
    const Status stored = CompleteNow();
    co_await Yield(runtime_);
    co_return stored;
  }

  Task<Status> Abort(OpContext context) override {
    co_await Yield(runtime_);
    LS_CO_TRY(context.Check(runtime_.Now()));
    const std::lock_guard lock(mutex_);
    End();
    co_return OkStatus();
  }

 private:
  Status AppendNow(const BufferChain& bytes) {
    const std::lock_guard lock(mutex_);
    if (ended_) return InvalidArgument("the upload has ended").With("key", key_);
    if (!objects_->Grow(id_, bytes.size())) return Gone();
    for (const Buffer& part : bytes.parts()) bytes_.Append(part);
    return OkStatus();
  }

  Status CompleteNow() {
    const std::lock_guard lock(mutex_);
    if (ended_) return InvalidArgument("the upload has ended").With("key", key_);
    if (!objects_->Grow(id_, 0)) return Gone();
    LS_TRY(objects_->Store(key_, bytes_.Flatten(), mode_));
    End();
    return OkStatus();
  }

  Status Gone() const { return Unavailable("the parts of the upload were removed").With("key", key_); }
  void End() {
    ended_ = true;
    bytes_ = BufferChain();
    objects_->End(id_);
  }

  Runtime& runtime_;
  const std::shared_ptr<Objects> objects_;
  const std::uint64_t id_;
  const std::string key_;
  const PutMode mode_;
  std::mutex mutex_;  // a call that a fault wrapper let go on late may meet another
  BufferChain bytes_;
  bool ended_ = false;
};

MemoryObjectStore::MemoryObjectStore(Runtime& runtime)
    : runtime_(runtime), objects_(std::make_shared<Objects>(runtime.clock)) {}
MemoryObjectStore::MemoryObjectStore(Runtime& runtime, const MemoryObjectStore& other)
    : runtime_(runtime), objects_(other.objects_) {}
MemoryObjectStore::~MemoryObjectStore() = default;

Task<Status> MemoryObjectStore::Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) {
  LS_CO_TRY(CheckObjectKey(key));
  co_await Yield(runtime_);
  LS_CO_TRY(context.Check(runtime_.Now()));
  const Status stored = objects_->Store(key, bytes.Flatten(), mode);
  co_await Yield(runtime_);
  co_return stored;
}

Task<Result<Buffer>> MemoryObjectStore::Get(OpContext context, std::string key, ByteRange range) {
  LS_CO_TRY(CheckObjectKey(key));
  co_await Yield(runtime_);
  LS_CO_TRY(context.Check(runtime_.Now()));
  LS_CO_ASSIGN(const Objects::Object object, objects_->Find(key));
  const std::uint64_t size = object.bytes.size();
  const std::uint64_t offset = std::min(range.offset, size);
  const std::uint64_t length = std::min(range.length.value_or(size), size - offset);
  if (Crc32c(object.bytes.span()) != object.crc32c) {
    co_return Corrupt("the object does not match its checksum").With("key", key);
  }
  co_await Yield(runtime_);
  co_return object.bytes.Slice(offset, length);
}

Task<Result<ObjectInfo>> MemoryObjectStore::Head(OpContext context, std::string key) {
  LS_CO_TRY(CheckObjectKey(key));
  co_await Yield(runtime_);
  LS_CO_TRY(context.Check(runtime_.Now()));
  LS_CO_ASSIGN(const Objects::Object object, objects_->Find(key));
  co_await Yield(runtime_);
  co_return object.Info(key);
}

Task<Result<ListPage>> MemoryObjectStore::List(OpContext context, std::string prefix, std::string start_after,
                                               int limit) {
  LS_CO_TRY(CheckListLimit(limit));
  co_await Yield(runtime_);
  LS_CO_TRY(context.Check(runtime_.Now()));
  ListPage page = objects_->List(prefix, start_after, static_cast<std::size_t>(limit));
  co_await Yield(runtime_);
  co_return page;
}

Task<Status> MemoryObjectStore::Delete(OpContext context, std::vector<std::string> keys) {
  for (const std::string& key : keys) LS_CO_TRY(CheckObjectKey(key));
  co_await Yield(runtime_);
  LS_CO_TRY(context.Check(runtime_.Now()));
  objects_->Remove(keys);
  co_await Yield(runtime_);
  co_return OkStatus();
}

Task<Result<std::unique_ptr<ObjectUpload>>> MemoryObjectStore::StartUpload(OpContext context, std::string key,
                                                                           PutMode mode) {
  LS_CO_TRY(CheckObjectKey(key));
  co_await Yield(runtime_);
  LS_CO_TRY(context.Check(runtime_.Now()));
  std::unique_ptr<ObjectUpload> upload = std::make_unique<Upload>(runtime_, objects_, std::move(key), mode);
  co_return upload;
}

Task<Result<ObjectLeftovers>> MemoryObjectStore::RemoveLeftovers(OpContext context, WallTime before) {
  co_await Yield(runtime_);
  LS_CO_TRY(context.Check(runtime_.Now()));
  const ObjectLeftovers removed = objects_->RemoveLeftovers(before);
  co_await Yield(runtime_);
  co_return removed;
}

ObjectStoreCapabilities MemoryObjectStore::capabilities() const {
  ObjectStoreCapabilities capabilities;
  capabilities.keeps_crc32c = true;
  capabilities.definite_answers = true;
  return capabilities;
}

Status MemoryObjectStore::DamageByte(std::string_view key, std::uint64_t offset) {
  const std::lock_guard lock(objects_->mutex);
  const auto found = objects_->objects.find(key);
  if (found == objects_->objects.end()) return NotFound("no such object").With("key", key);
  std::string bytes(found->second.bytes.text());
  if (offset >= bytes.size()) return InvalidArgument("the offset lies beyond the end").With("offset", offset);
  bytes[offset] = static_cast<char>(bytes[offset] ^ 0x40);
  found->second.bytes = Buffer(std::move(bytes));
  return OkStatus();
}

void MemoryObjectStore::Observe(std::function<void(const std::string& key, const Buffer* bytes)> observer) {
  const std::lock_guard lock(objects_->mutex);
  objects_->observer = std::move(observer);
}

std::uint64_t MemoryObjectStore::bytes() const {
  const std::lock_guard lock(objects_->mutex);
  std::uint64_t sum = 0;
  for (const auto& [key, object] : objects_->objects) sum += object.bytes.size();
  return sum;
}

}  // namespace lakestream
