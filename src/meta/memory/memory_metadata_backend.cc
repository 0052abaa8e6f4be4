#include "meta/memory/memory_metadata_backend.h"

#include <algorithm>
#include <utility>

#include "base/invariant.h"
#include "base/try.h"
#include "meta/page_cursor.h"
#include "meta/sequence.h"
#include "meta/shard.h"

namespace lakestream {

class MemoryMetadataBackend::Step {
 public:
  explicit Step(MemoryMetadataBackend& backend) : backend_(backend), lock_(backend.mutex_) {}
  ~Step() {
    lock_.unlock();
    for (const std::shared_ptr<Event>& event : wake_) event->Set();
  }
  void Touch(const std::string& partition) {
    Watched& watched = backend_.watched_[partition];
    ++watched.hint;
    std::move(watched.waiters.begin(), watched.waiters.end(), std::back_inserter(wake_));
    watched.waiters.clear();
  }

 private:
  MemoryMetadataBackend& backend_;
  std::unique_lock<std::mutex> lock_;
  std::vector<std::shared_ptr<Event>> wake_;
};

MemoryMetadataBackend::MemoryMetadataBackend(MemoryMetadataOptions options) {
  LS_INVARIANT(options.shards >= 1 && options.shards <= 256, "the number of shards is 1 to 256");
  shards_.resize(static_cast<std::size_t>(options.shards));
}

MetadataRecord MemoryMetadataBackend::ToRecord(const Shard::value_type& entry) {
  const Stored& stored = entry.second;
  return MetadataRecord{entry.first, stored.value, stored.version, stored.created_ms, !stored.session.empty(),
                        stored.session};
}

void MemoryMetadataBackend::Observe(std::function<void(const MetadataChange&)> observer) {
  const std::lock_guard lock(mutex_);
  observer_ = std::move(observer);
}

void MemoryMetadataBackend::Tell(const Shard::value_type& entry, bool removed) const {
  if (observer_) observer_(MetadataChange{entry.second.partition, ToRecord(entry), removed});
}

const MemoryMetadataBackend::Shard& MemoryMetadataBackend::ShardFor(const Partition& partition) const {
  return shards_[static_cast<std::size_t>(ShardOf(partition, shards()))];
}

Status MemoryMetadataBackend::CheckGuard(const std::string& session) const {
  if (session.empty() || sessions_.contains(session)) return OkStatus();
  return Fenced("the session of a write has ended").With("session", session);
}

std::vector<ReadAnswer> MemoryMetadataBackend::Read(const std::vector<ReadRequest>& requests) const {
  const std::lock_guard lock(mutex_);
  std::vector<ReadAnswer> answers;
  answers.reserve(requests.size());
  for (const ReadRequest& request : requests) {
    const Shard& shard = ShardFor(request.partition);
    auto at = shard.end();
    switch (request.comparison) {
      case KeyComparison::kEqual:
        at = shard.find(request.key);
        break;
      case KeyComparison::kFloor:
        at = shard.upper_bound(request.key);
        at = at == shard.begin() ? shard.end() : std::prev(at);
        break;
      case KeyComparison::kCeiling:
        at = shard.lower_bound(request.key);
        break;
      case KeyComparison::kHigher:
        at = shard.upper_bound(request.key);
        break;
    }
    answers.push_back(at == shard.end() ? ReadAnswer() : ReadAnswer(ToRecord(*at)));
  }
  return answers;
}

WriteAnswer MemoryMetadataBackend::Store(Step& step, std::int64_t now_ms, const Write& write) {
  const int number = ShardOf(write.partition, shards());
  Shard& shard = shards_[static_cast<std::size_t>(number)];
  const auto [at, created] = shard.try_emplace(write.key);
  Stored& stored = at->second;
  if (created) {
    last_created_ms_ = std::max(last_created_ms_, now_ms);
    stored.created_ms = last_created_ms_;
  } else {
    if (!stored.session.empty()) sessions_[stored.session].keys.erase({number, write.key});
    if (stored.partition != write.partition.name()) step.Touch(stored.partition);
  }
  stored.partition = write.partition.name();
  stored.value = write.value;
  stored.version = next_version_++;
  stored.session = write.owner_session;
  if (!stored.session.empty()) sessions_[stored.session].keys.emplace(number, write.key);
  step.Touch(stored.partition);
  Tell(*at, false);
  return WriteAnswer{stored.version, stored.created_ms};
}

Result<WriteAnswer> MemoryMetadataBackend::Apply(std::int64_t now_ms, const Write& write) {
  Step step(*this);
  LS_TRY(CheckGuard(write.guard_session));
  LS_TRY(CheckGuard(write.owner_session));
  const Shard& shard = ShardFor(write.partition);
  const auto found = shard.find(write.key);
  if (write.condition == Condition::kAbsent && found != shard.end()) {
    return AlreadyExists("the record exists").With("key", write.key);
  }
  if (write.condition == Condition::kVersion) {
    if (found == shard.end()) return PreconditionFailed("the record is absent").With("key", write.key);
    if (found->second.version != write.version) {
      return PreconditionFailed("the record has another version")
          .With("key", write.key)
          .With("expected", write.version)
          .With("version", found->second.version);
    }
  }
  return Store(step, now_ms, write);
}

MemoryMetadataBackend::Shard::iterator MemoryMetadataBackend::Erase(Step& step, int shard, Shard::iterator at) {
  step.Touch(at->second.partition);
  Tell(*at, true);
  if (!at->second.session.empty()) sessions_[at->second.session].keys.erase({shard, at->first});
  return shards_[static_cast<std::size_t>(shard)].erase(at);
}

Status MemoryMetadataBackend::Delete(const Partition& partition, const std::string& key,
                                     const std::string& guard_session) {
  Step step(*this);
  LS_TRY(CheckGuard(guard_session));
  const int number = ShardOf(partition, shards());
  Shard& shard = shards_[static_cast<std::size_t>(number)];
  const auto found = shard.find(key);
  if (found != shard.end()) Erase(step, number, found);
  return OkStatus();
}

Status MemoryMetadataBackend::DeleteRange(const Partition& partition, const std::string& from, const std::string& to,
                                          const std::string& guard_session) {
  Step step(*this);
  LS_TRY(CheckGuard(guard_session));
  const int number = ShardOf(partition, shards());
  Shard& shard = shards_[static_cast<std::size_t>(number)];
  auto at = shard.lower_bound(from);
  while (at != shard.end() && MetadataKeyLess(at->first, to)) at = Erase(step, number, at);
  return OkStatus();
}

Result<ScanPage> MemoryMetadataBackend::Scan(const KeyRange& range, const std::string& cursor, int limit) const {
  const std::lock_guard lock(mutex_);
  const int only_shard = range.partition ? ShardOf(*range.partition, shards()) : -1;
  LS_ASSIGN(PagePosition position, DecodePageCursor(range, only_shard, shards(), cursor));
  const int end_shard = range.partition ? only_shard + 1 : shards();
  ScanPage page;
  for (int number = position.shard; number < end_shard; ++number) {
    const Shard& shard = shards_[static_cast<std::size_t>(number)];
    auto at = position.exclusive ? shard.upper_bound(position.key) : shard.lower_bound(position.key);
    for (; at != shard.end() && MetadataKeyLess(at->first, range.to); ++at) {
      page.records.push_back(ToRecord(*at));
      if (std::cmp_equal(page.records.size(), limit)) {
        page.next = EncodePageCursor(number, at->first);
        return page;
      }
    }
    position.key = range.from;
    position.exclusive = false;
  }
  return page;
}

Result<SequencedPutAnswer> MemoryMetadataBackend::SequencedPut(std::int64_t now_ms,
                                                               const SequencedPutRequest& request) {
  Step step(*this);
  if (request.guard.session) LS_TRY(CheckGuard(request.guard.session->id()));
  const Shard& shard = ShardFor(request.partition);
  const auto bound = shard.lower_bound(SequenceUpperBound(request.prefix));
  std::optional<std::string_view> greatest;
  if (bound != shard.begin()) greatest = std::prev(bound)->first;
  LS_ASSIGN(std::string key,
            NextSequencedKey(request.prefix, greatest, request.first_delta, request.second_delta));
  if (request.admit) LS_TRY(request.admit());
  const Write write{request.partition, key, request.value};
  const WriteAnswer answer = Store(step, now_ms, write);
  return SequencedPutAnswer{std::move(key), answer.version, answer.created_ms};
}

std::uint64_t MemoryMetadataBackend::NewClient() {
  const std::lock_guard lock(mutex_);
  return next_client_++;
}

std::string MemoryMetadataBackend::OpenSession(std::uint64_t client) {
  const std::lock_guard lock(mutex_);
  std::string id = "memory-session-" + std::to_string(next_session_++);
  sessions_[id].client = client;
  const std::lock_guard alive_lock(alive_mutex_);
  alive_.insert(id);
  return id;
}

bool MemoryMetadataBackend::SessionAlive(const std::string& id) const {
  const std::lock_guard lock(alive_mutex_);
  return alive_.contains(id);
}

void MemoryMetadataBackend::EndSession(Step& step, const std::string& id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  {
    const std::lock_guard alive_lock(alive_mutex_);
    alive_.erase(id);
  }
  for (const auto& [number, key] : found->second.keys) {
    Shard& shard = shards_[static_cast<std::size_t>(number)];
    const auto at = shard.find(key);
    LS_INVARIANT(at != shard.end() && at->second.session == id, "a session lists the records that it has");
    step.Touch(at->second.partition);
    Tell(*at, true);
    shard.erase(at);
  }
  sessions_.erase(found);
}

bool MemoryMetadataBackend::ExpireSession(const std::string& id) {
  Step step(*this);
  if (!sessions_.contains(id)) return false;
  EndSession(step, id);
  return true;
}

void MemoryMetadataBackend::ExpireClient(std::uint64_t client) {
  Step step(*this);
  std::vector<std::string> lost;
  for (const auto& [id, session] : sessions_) {
    if (session.client == client) lost.push_back(id);
  }
  for (const std::string& id : lost) EndSession(step, id);
}

std::vector<std::string> MemoryMetadataBackend::SessionIds() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> ids;
  for (const auto& [id, session] : sessions_) ids.push_back(id);
  return ids;
}

std::vector<MetadataRecord> MemoryMetadataBackend::Dump() const {
  const std::lock_guard lock(mutex_);
  std::vector<MetadataRecord> records;
  for (const Shard& shard : shards_) {
    for (const auto& entry : shard) records.push_back(ToRecord(entry));
  }
  return records;
}

std::uint64_t MemoryMetadataBackend::ChangeHint(const Partition& partition) const {
  const std::lock_guard lock(mutex_);
  const auto found = watched_.find(partition.name());
  return found == watched_.end() ? 0 : found->second.hint;
}

void MemoryMetadataBackend::Watch(const Partition& partition, std::uint64_t seen, std::shared_ptr<Event> event) {
  {
    const std::lock_guard lock(mutex_);
    Watched& watched = watched_[partition.name()];
    if (watched.hint == seen) {
      watched.waiters.push_back(std::move(event));
      return;
    }
  }
  event->Set();
}

void MemoryMetadataBackend::Unwatch(const Partition& partition, const std::shared_ptr<Event>& event) {
  const std::lock_guard lock(mutex_);
  std::erase(watched_[partition.name()].waiters, event);
}

}  // namespace lakestream
