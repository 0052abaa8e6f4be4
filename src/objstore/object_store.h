#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "runtime/op_context.h"

namespace lakestream {

enum class PutMode {
  kCreate,     ///< fails with already_exists where the key has an object
  kOverwrite,  ///< replaces what the key has
};

/// A part of an object: `length` bytes from `offset`, cut at the object's end. Without a length: to the end.
struct ByteRange {
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

struct ObjectInfo {
  std::string key;
  std::uint64_t size = 0;           ///< bytes
  std::optional<std::uint32_t> crc32c;  ///< CRC-32C of the whole object, where the store keeps one
  WallTime modified{};              ///< by the store's own clock
};

struct ListPage {
  std::vector<ObjectInfo> objects;  ///< ascending by key, bytewise
  /// Where the next page starts (as `start_after`); none after the last page.
  std::optional<std::string> next;
};

/// What unfinished writes left, and takes room though no key has it.
struct ObjectLeftovers {
  std::int64_t uploads = 0;
  std::int64_t bytes = 0;
};

/// What a back end may do differently; every other difference is a defect.
struct ObjectStoreCapabilities {
  bool keeps_crc32c = false;   ///< Head gives crc32c, and Get reports a damaged object as corrupt
  bool create_only = false;    ///< PutMode::kOverwrite is refused with unimplemented
  /// A write that fails is never seen later: no answer is indeterminate.
  bool definite_answers = false;
  /// Keys are the paths of files: no part is longer than 255 bytes, a key that others continue after a "/"
  /// cannot have an object itself, and some names are the store's own. Such keys are invalid_argument to write.
  bool keys_are_paths = false;
};

/// An object written in parts. Nothing is visible before Complete returns ok. One caller at a time.
/// Destroying it without Complete leaves at most remains, which RemoveLeftovers finds, never a visible object.
class ObjectUpload {
 public:
  virtual ~ObjectUpload() = default;
  virtual Task<Status> Append(OpContext context, BufferChain bytes) = 0;
  /// Makes the object visible, durably and whole. Errors as ObjectStore::Put.
  virtual Task<Status> Complete(OpContext context) = 0;
  /// Gives up and removes what was written. Repeating it is harmless.
  virtual Task<Status> Abort(OpContext context) = 0;
};

/// Object storage as the specification uses it ("Storage operations"): write once, read, delete. Mirrors an
/// object store, not a file system: no rename, no append, no directories. Thread safety: any thread.
///
/// Keys: 1 to 1024 bytes of UTF-8 in parts joined with "/"; no part is empty, "." or "..", and no control
/// characters. Others are invalid_argument.
///
/// Every call: cancelled or deadline_exceeded when its context ended before anything was done; unavailable
/// when a retry may help. A write that may have been done all the same is indeterminate, and only that.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  /// Writes a whole object; when it returns ok the object is durable, and a reader sees all of it or none.
  /// Errors: already_exists, invalid_argument, resource_exhausted (a full disk), unavailable, indeterminate.
  virtual Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) = 0;

  /// Reads a range. A range that starts at or beyond the end gives an empty buffer.
  /// Errors: not_found, corrupt (names key), unavailable.
  virtual Task<Result<Buffer>> Get(OpContext context, std::string key, ByteRange range) = 0;

  /// Errors: not_found, unavailable.
  virtual Task<Result<ObjectInfo>> Head(OpContext context, std::string key) = 0;

  /// Objects whose key begins with `prefix` and sorts after `start_after`, at most `limit` (1 to 10000).
  /// A listing is no snapshot: what is written or deleted meanwhile may or may not be in it.
  virtual Task<Result<ListPage>> List(OpContext context, std::string prefix, std::string start_after, int limit) = 0;

  /// Deletes each key; a key without an object is no error. After an error some may be deleted.
  virtual Task<Status> Delete(OpContext context, std::vector<std::string> keys) = 0;

  /// Begins a multi-part write. Errors as Put.
  virtual Task<Result<std::unique_ptr<ObjectUpload>>> StartUpload(OpContext context, std::string key, PutMode mode) = 0;

  /// Removes what writes have left that were begun before this time, by the store's own clock, and neither completed nor
  /// aborted, whoever made them; tells what it removed. One that is still under way is ended: its Complete is unavailable,
  /// or, where the store could spare it, as ever. Objects stay. After an error some may be removed.
  virtual Task<Result<ObjectLeftovers>> RemoveLeftovers(OpContext context, WallTime before) = 0;

  virtual ObjectStoreCapabilities capabilities() const = 0;
};

/// ok, or invalid_argument with the key and what is wrong with it.
Status CheckObjectKey(std::string_view key);
/// ok, or invalid_argument for a limit that List does not take.
Status CheckListLimit(int limit);

/// Forwards every call: a wrapper overrides what it changes. Does not own the store it wraps.
class ForwardingObjectStore : public ObjectStore {
 public:
  explicit ForwardingObjectStore(ObjectStore& inner) : inner_(inner) {}
  Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) override;
  Task<Result<Buffer>> Get(OpContext context, std::string key, ByteRange range) override;
  Task<Result<ObjectInfo>> Head(OpContext context, std::string key) override;
  Task<Result<ListPage>> List(OpContext context, std::string prefix, std::string start_after, int limit) override;
  Task<Status> Delete(OpContext context, std::vector<std::string> keys) override;
  Task<Result<std::unique_ptr<ObjectUpload>>> StartUpload(OpContext context, std::string key, PutMode mode) override;
  Task<Result<ObjectLeftovers>> RemoveLeftovers(OpContext context, WallTime before) override;
  ObjectStoreCapabilities capabilities() const override;

 protected:
  ObjectStore& inner() { return inner_; }

 private:
  ObjectStore& inner_;
};

}  // namespace lakestream
