#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "runtime/op_context.h"

namespace lakestream {

/// A unit of atomicity, named by a string (specification, "Metadata store model"). A call with the wrong
/// partition finds nothing, or another partition's records.
class Partition {
 public:
  /// P(L): the decimal log id.
  static Partition OfLog(LogId log) { return Partition(log.ToString()); }
  /// Where a record without a partition key lives: its own key names the partition.
  static Partition OfKey(std::string_view key) { return Partition(std::string(key)); }
  static Partition Named(std::string_view name) { return Partition(std::string(name)); }

  const std::string& name() const { return name_; }
  friend bool operator==(const Partition&, const Partition&) = default;

 private:
  explicit Partition(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

/// Compares keys as the memory and LMDB stores order them: every key without "/" before every key that has one;
/// otherwise bytewise. True when a sorts before b. Callers may rely only on what every store holds: keys without
/// "/" are in byte order and before all others, and keys that differ only behind their last "/" are in byte order.
/// So both bounds of a range lie among keys without "/", or have the same bytes up to the last "/": what is directly
/// below "/a/" is the range from "/a/" to "/a/" and U+FFFF ("/a//" is its end only in Oxia's order).
bool MetadataKeyLess(std::string_view a, std::string_view b);

struct MetadataRecord {
  std::string key;
  Buffer value;
  /// 0 or more; greater than that of every write before it in the partition. Means nothing across partitions.
  std::int64_t version = 0;
  std::int64_t created_ms = 0;  ///< milliseconds since the Unix epoch, by the store; kept by later writes
  bool ephemeral = false;
  std::string session = {};   ///< of an ephemeral record: its owner, as MetadataSession::id
  std::int64_t process = 0;   ///< of an ephemeral record: the owner's process id, where the store knows it
};

enum class KeyComparison {
  kEqual,    ///< Get
  kFloor,    ///< the greatest key at or below
  kCeiling,  ///< the smallest key at or above
  kHigher,   ///< the smallest key above
};

struct ReadRequest {
  Partition partition;
  std::string key;
  KeyComparison comparison = KeyComparison::kEqual;
};

/// The record that answers a ReadRequest, or nothing.
using ReadAnswer = std::optional<MetadataRecord>;

/// What a write left behind.
struct WriteAnswer {
  std::int64_t version = 0;
  std::int64_t created_ms = 0;
};

/// A session with the store. Its ephemeral records exist until it ends (specification, "Sessions"). Letting the
/// object go without Close leaves the session to be lost in the store's own time. Thread safety: any thread.
class MetadataSession {
 public:
  virtual ~MetadataSession() = default;

  /// Names the session in the store; unique in the deployment.
  virtual const std::string& id() const = 0;

  /// True while the session cannot have been ended by anyone: by own arithmetic, without asking. False
  /// means that it may have ended. Once false because it was lost or closed, false for ever. Never blocks; a
  /// sequenced put's `admit` may call it.
  virtual bool ProvablyAlive() const = 0;

  /// Ends the session: its ephemeral records are gone when this returns ok. Repeating it is harmless.
  virtual Task<Status> Close(OpContext context) = 0;
};

/// Conditions that a write made under a lease carries. A store knows a session by its id.
struct WriteGuard {
  // Constructors, because a default argument of an aggregate type is miscompiled like braces (docs/adr/0002).
  WriteGuard() = default;
  WriteGuard(std::shared_ptr<MetadataSession> s) : session(std::move(s)) {}

  /// The write fails with fenced, inside its own atomic step, where this session has ended. Only a store
  /// with the capability `guarded_writes` holds it; others ignore it.
  std::shared_ptr<MetadataSession> session;
};

struct SequencedPutRequest {
  Partition partition;
  std::string prefix;             ///< without "/"; not empty
  std::int64_t first_delta = 0;   ///< greater than 0
  std::int64_t second_delta = 0;  ///< 0 or more
  Buffer value;
  WriteGuard guard;
  /// Asked at the last place where the request can still be dropped (LMDB: inside the write transaction):
  /// once for a request that is done, at most once for one that fails. Any status but ok drops this request,
  /// which then fails with that status. Must not block or call the store. None: always admitted.
  std::function<Status()> admit;
};

struct SequencedPutAnswer {
  std::string key;  ///< prefix-{first:020d}-{second:020d}, the sums with the greatest key before
  std::int64_t version = 0;
  std::int64_t created_ms = 0;
};

/// A page may hold fewer records than asked for, even none: only the absence of `next` ends a scan.
struct ScanPage {
  std::vector<MetadataRecord> records;
  /// Continues the scan where given back as `cursor`; none after the last page.
  std::optional<std::string> next;
};

struct KeyPage {
  std::vector<std::string> keys;
  std::optional<std::string> next;
};

/// What a range call covers. Without a partition: every partition of the store, shard after shard, so keys
/// are in order only within one shard.
struct KeyRange {
  std::optional<Partition> partition;
  std::string from;  ///< inclusive
  std::string to;    ///< exclusive
};

/// What a back end may do differently; every other difference is a defect.
struct MetadataCapabilities {
  bool guarded_writes = false;    ///< WriteGuard is held
  bool definite_answers = false;  ///< no answer is ever indeterminate
};

/// The linearizable key-value store of the specification, "Metadata store model", with its primitives by
/// their names. Each acts atomically on one partition. Thread safety: any thread.
///
/// Keys, and both bounds of a range, are 1 to 500 bytes; values at most 4 MiB. Others, a first delta below 1 and
/// a negative second delta are invalid_argument and never reach the store's writer (meta/checks.h).
///
/// Partitions share shards: a call sees and changes every record of its partition's shard, whichever partition
/// the record was written in (DeleteRange too).
///
/// Every call: cancelled or deadline_exceeded when its context ended before anything was done; unavailable
/// when a retry may help. A write that may have been done all the same is indeterminate, and only that.
class MetadataStore {
 public:
  virtual ~MetadataStore() = default;

  /// Answers each request. Those of one partition are answered in order and from one snapshot; those of
  /// different partitions are independent. The whole call fails, or none of it.
  virtual Task<Result<std::vector<ReadAnswer>>> Read(OpContext context, std::vector<ReadRequest> requests) = 0;

  Task<Result<ReadAnswer>> Get(OpContext context, Partition partition, std::string key);
  Task<Result<ReadAnswer>> Floor(OpContext context, Partition partition, std::string key);
  Task<Result<ReadAnswer>> Ceiling(OpContext context, Partition partition, std::string key);
  Task<Result<ReadAnswer>> Higher(OpContext context, Partition partition, std::string key);

  /// Writes without a condition; a record that exists keeps its creation time. Put and CompareAndSet make an
  /// ephemeral record a lasting one. Creation times never go back, whatever the clock does.
  virtual Task<Result<WriteAnswer>> Put(OpContext context, Partition partition, std::string key, Buffer value,
                                        WriteGuard guard = WriteGuard()) = 0;
  /// Errors: already_exists.
  virtual Task<Result<WriteAnswer>> CreateIfAbsent(OpContext context, Partition partition, std::string key,
                                                   Buffer value, WriteGuard guard = WriteGuard()) = 0;
  /// The record goes when the session ends. Errors: already_exists, fenced (the session has ended).
  virtual Task<Result<WriteAnswer>> CreateEphemeral(OpContext context, Partition partition, std::string key,
                                                    Buffer value, std::shared_ptr<MetadataSession> session) = 0;
  /// Errors: precondition_failed where the record is absent or has another version; invalid_argument where
  /// `version` is negative.
  virtual Task<Result<WriteAnswer>> CompareAndSet(OpContext context, Partition partition, std::string key,
                                                  Buffer value, std::int64_t version,
                                                  WriteGuard guard = WriteGuard()) = 0;
  /// Removing an absent record is ok.
  virtual Task<Status> Delete(OpContext context, Partition partition, std::string key,
                              WriteGuard guard = WriteGuard()) = 0;
  /// Removes the keys from `from` (inclusive) to `to` (exclusive) in one step. A range with from >= to is ok and
  /// is not sent.
  virtual Task<Status> DeleteRange(OpContext context, Partition partition, std::string from, std::string to,
                                   WriteGuard guard = WriteGuard()) = 0;

  /// Keys of a range, at most `limit` (1 to 10000) a page; start with an empty cursor. A cursor of another range
  /// is invalid_argument. A range with from >= to has no keys.
  virtual Task<Result<KeyPage>> List(OpContext context, KeyRange range, std::string cursor, int limit) = 0;
  /// Records of a range. A page is a snapshot of its partition, the whole scan is none.
  virtual Task<Result<ScanPage>> Scan(OpContext context, KeyRange range, std::string cursor, int limit) = 0;

  /// Creates an index record per request under the key that follows from the partition's greatest key with
  /// that prefix (specification, "Offset index keys"). The requests travel together and are no
  /// transaction: each has its own result, and those of one partition are done in order. The only batch of
  /// writes there is, so calls whose order matters cannot be mixed up in one.
  /// A request's errors: invalid_argument (also where a sum leaves std::int64_t), fenced (guard), what `admit`
  /// gave, corrupt (the greatest key with the prefix is not of this form). A request that fails writes nothing.
  virtual Task<std::vector<Result<SequencedPutAnswer>>> SequencedPut(OpContext context,
                                                                     std::vector<SequencedPutRequest> requests) = 0;

  /// Begins a session that is lost when this process dies or, on a remote store, stays silent for `timeout`
  /// (2 s to 300 s; others are invalid_argument).
  virtual Task<Result<std::shared_ptr<MetadataSession>>> OpenSession(OpContext context, Duration timeout) = 0;

  /// A number that changes when a record of the partition may have changed: a hint, which may be late,
  /// change without cause, or miss a change.
  virtual std::uint64_t ChangeHint(const Partition& partition) = 0;
  /// Waits until ChangeHint(partition) differs from `seen`, at most until the context's deadline. ok in
  /// either case: the caller looks again. cancelled when the context was cancelled.
  virtual Task<Status> AwaitChange(OpContext context, Partition partition, std::uint64_t seen) = 0;

  /// A partition of each shard, each shard once, in the order in which a range call without a partition takes them: what
  /// is written in all of them is in every shard. Never blocks.
  virtual std::vector<Partition> ShardPartitions() const = 0;

  virtual MetadataCapabilities capabilities() const = 0;
};

/// Forwards every call: a wrapper overrides what it changes. Does not own the store it wraps.
class ForwardingMetadataStore : public MetadataStore {
 public:
  explicit ForwardingMetadataStore(MetadataStore& inner) : inner_(inner) {}
  Task<Result<std::vector<ReadAnswer>>> Read(OpContext context, std::vector<ReadRequest> requests) override;
  Task<Result<WriteAnswer>> Put(OpContext context, Partition partition, std::string key, Buffer value,
                                WriteGuard guard) override;
  Task<Result<WriteAnswer>> CreateIfAbsent(OpContext context, Partition partition, std::string key, Buffer value,
                                           WriteGuard guard) override;
  Task<Result<WriteAnswer>> CreateEphemeral(OpContext context, Partition partition, std::string key, Buffer value,
                                            std::shared_ptr<MetadataSession> session) override;
  Task<Result<WriteAnswer>> CompareAndSet(OpContext context, Partition partition, std::string key, Buffer value,
                                          std::int64_t version, WriteGuard guard) override;
  Task<Status> Delete(OpContext context, Partition partition, std::string key, WriteGuard guard) override;
  Task<Status> DeleteRange(OpContext context, Partition partition, std::string from, std::string to,
                           WriteGuard guard) override;
  Task<Result<KeyPage>> List(OpContext context, KeyRange range, std::string cursor, int limit) override;
  Task<Result<ScanPage>> Scan(OpContext context, KeyRange range, std::string cursor, int limit) override;
  Task<std::vector<Result<SequencedPutAnswer>>> SequencedPut(OpContext context,
                                                             std::vector<SequencedPutRequest> requests) override;
  Task<Result<std::shared_ptr<MetadataSession>>> OpenSession(OpContext context, Duration timeout) override;
  std::uint64_t ChangeHint(const Partition& partition) override;
  Task<Status> AwaitChange(OpContext context, Partition partition, std::uint64_t seen) override;
  std::vector<Partition> ShardPartitions() const override;
  MetadataCapabilities capabilities() const override;

 protected:
  MetadataStore& inner() { return inner_; }

 private:
  MetadataStore& inner_;
};

}  // namespace lakestream
