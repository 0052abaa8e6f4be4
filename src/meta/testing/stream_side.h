#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "meta/testing/metadata_store_conformance.h"
#include "meta/testing/stream_call.h"

namespace lakestream {

/// What the two sides of a stream agree on. The memory store says first which write made the record that a later
/// write replaced; the other store's creation times are judged by that.
struct StreamTruth {
  std::map<std::string, std::string> creator;  ///< of a write: the write that made its record
  /// Places in the last batch of sequenced puts that the other store answered with unavailable: they were not done, and
  /// the oracle leaves them out. Any other call that is unavailable is a difference.
  std::set<std::size_t> not_done;
};

/// One store that does the calls of a stream and tells its answers as text, in which versions, creation times and
/// sessions have the names of the calls that they come from: so the answers of two stores can be compared.
class StreamSide {
 public:
  /// `partitions`: the names that the partitions of the stream have here. `shards`: for each the number of its shard,
  /// partitions with the same number see each other's records. Without `guards`, guards are left out.
  StreamSide(ConformanceDriver& driver, MetadataBackend& backend, std::vector<std::string> partitions,
             std::vector<int> shards, bool oracle, bool guards);
  ~StreamSide();

  std::string Do(const StreamCall& call, StreamTruth& truth);
  /// Every record of every partition of the stream.
  std::string Everything(StreamTruth& truth);

 private:
  struct Session {
    std::shared_ptr<MetadataSession> session;
    int client = 0;
    bool over = false;  ///< closed, or its client is gone
    bool gone = false;  ///< its client is gone
  };
  struct Written {
    std::string name;  ///< of the write
    std::int64_t created_ms = 0;
  };

  template <class T>
  T Run(Task<T> task) {
    std::optional<T> slot;
    driver_.Run(internal::RunInto(std::move(task), &slot));
    return std::move(*slot);
  }
  MetadataStore& client(int number) { return *clients_[static_cast<std::size_t>(number)]; }
  Partition NamePartition(int index) const;
  int ShardOfPartition(int index) const { return shards_[static_cast<std::size_t>(index)]; }
  Session& SessionAt(int slot) { return sessions_[static_cast<std::size_t>(slot)]; }
  OpContext Context(const StreamCall& call) const;
  WriteGuard Guard(int slot);

  std::string Write(const StreamCall& call, StreamTruth& truth);
  Result<WriteAnswer> SendWrite(const StreamCall& call, const ReadAnswer& before);
  std::string Remove(const StreamCall& call);
  std::string Read(const StreamCall& call, StreamTruth& truth);
  std::string Pages(const StreamCall& call, StreamTruth& truth);
  std::string SequencedPut(const StreamCall& call, StreamTruth& truth);
  /// The partition that part `i` is sent to.
  int BatchPartition(const StreamCall& call, std::size_t i) const;
  std::string OpenSession(const StreamCall& call);
  std::string CloseSession(const StreamCall& call);
  std::string AwaitChange(const StreamCall& call);
  void KillOther();
  std::string Reopen();

  /// Notes what a write answered; its text. `replaced`: the record before, as this store has it.
  std::string Note(int shard, const std::string& name, const WriteAnswer& answer, const ReadAnswer& replaced,
                   StreamTruth& truth);
  /// With the version and the creation time only where the shard is known.
  std::string RecordText(std::optional<int> shard, const MetadataRecord& record, StreamTruth& truth);
  const Written* Find(int shard, std::int64_t version) const;

  ConformanceDriver& driver_;
  MetadataBackend& backend_;
  const std::vector<std::string> partitions_;
  const std::vector<int> shards_;
  const bool oracle_;
  const bool guards_;
  std::vector<std::unique_ptr<MetadataStore>> clients_;
  std::array<Session, kStreamSessions> sessions_;
  std::map<std::string, std::string> session_names_;
  std::map<std::pair<int, std::int64_t>, Written> written_;  ///< by shard and version
  std::map<std::string, std::int64_t> created_;              ///< by the name of the write
  std::map<int, std::int64_t> greatest_version_;             ///< by shard
};

/// The number of the shard of each of StreamPartitions(), as a store shows it: found by asking, on an empty store.
std::vector<int> AskForShards(ConformanceDriver& driver, MetadataBackend& backend);

}  // namespace lakestream
