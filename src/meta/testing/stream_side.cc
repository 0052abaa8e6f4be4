#include "meta/testing/stream_side.h"

#include <algorithm>
#include <stop_token>

#include "base/testing/op_stream.h"

namespace lakestream {
namespace {

constexpr int kMaxPages = 1000;

std::string CodeText(const Status& status) { return std::string(StatusCodeName(status.code())); }

/// Waits, as the fixture's Run.
template <class T>
T RunOn(ConformanceDriver& driver, Task<T> task) {
  std::optional<T> slot;
  driver.Run(internal::RunInto(std::move(task), &slot));
  return std::move(*slot);
}

}  // namespace

std::vector<int> AskForShards(ConformanceDriver& driver, MetadataBackend& backend) {
  const std::unique_ptr<MetadataStore> store = backend.OpenClient(driver.runtime());
  const int count = static_cast<int>(StreamPartitions().size());
  std::vector<ReadRequest> requests;
  for (const std::string& name : StreamPartitions()) requests.push_back(ReadRequest{Partition::Named(name), "probe"});
  std::vector<int> shards(static_cast<std::size_t>(count), -1);
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (shards[at] >= 0) continue;
    const Partition partition = Partition::Named(StreamPartitions()[at]);
    EXPECT_TRUE(RunOn(driver, store->Put(OpContext(), partition, "probe", Buffer(), WriteGuard())).ok());
    const Result<std::vector<ReadAnswer>> answers = RunOn(driver, store->Read(OpContext(), requests));
    EXPECT_TRUE(answers.ok() && answers->size() == requests.size()) << answers.status().ToString();
    for (std::size_t j = at; answers.ok() && j < answers->size(); ++j) {
      if ((*answers)[j] && shards[j] < 0) shards[j] = i;
    }
    EXPECT_EQ(shards[at], i);
    shards[at] = i;
  }
  return shards;
}

StreamSide::StreamSide(ConformanceDriver& driver, MetadataBackend& backend, std::vector<std::string> partitions,
                       std::vector<int> shards, bool oracle, bool guards)
    : driver_(driver),
      backend_(backend),
      partitions_(std::move(partitions)),
      shards_(std::move(shards)),
      oracle_(oracle),
      guards_(guards) {
  for (int i = 0; i < 2; ++i) clients_.push_back(backend_.OpenClient(driver_.runtime()));
}

StreamSide::~StreamSide() {
  for (Session& session : sessions_) session.session.reset();
  clients_.clear();
}

Partition StreamSide::NamePartition(int index) const {
  return Partition::Named(partitions_[static_cast<std::size_t>(index)]);
}

OpContext StreamSide::Context(const StreamCall& call) const {
  if (call.context == StreamContext::kExpired) return OpContext().WithDeadline(driver_.runtime().Now());
  if (call.context == StreamContext::kUsual) return OpContext();
  std::stop_source source;
  source.request_stop();
  return OpContext().WithCancel(source.get_token());
}

WriteGuard StreamSide::Guard(int slot) {
  if (slot < 0 || !guards_) return WriteGuard();
  return WriteGuard(SessionAt(slot).session);
}

std::string StreamSide::Do(const StreamCall& call, StreamTruth& truth) {
  switch (call.op) {
    case StreamOp::kPut:
    case StreamOp::kCreateIfAbsent:
    case StreamOp::kCreateEphemeral:
    case StreamOp::kCompareAndSet: return Write(call, truth);
    case StreamOp::kDelete:
    case StreamOp::kDeleteRange: return Remove(call);
    case StreamOp::kRead: return Read(call, truth);
    case StreamOp::kList:
    case StreamOp::kScan: return Pages(call, truth);
    case StreamOp::kSequencedPut: return SequencedPut(call, truth);
    case StreamOp::kOpenSession: return OpenSession(call);
    case StreamOp::kCloseSession: return CloseSession(call);
    case StreamOp::kKillOther: KillOther(); return "done";
    case StreamOp::kReopen: return Reopen();
    case StreamOp::kAwaitChange: return AwaitChange(call);
  }
  return "unknown call";
}

Result<WriteAnswer> StreamSide::SendWrite(const StreamCall& call, const ReadAnswer& before) {
  const Partition partition = NamePartition(call.partition);
  Buffer value(StreamValue(call, 0));
  MetadataStore& store = client(call.client);
  switch (call.op) {
    case StreamOp::kPut:
      return Run(store.Put(Context(call), partition, call.key, std::move(value), Guard(call.session)));
    case StreamOp::kCreateIfAbsent:
      return Run(store.CreateIfAbsent(Context(call), partition, call.key, std::move(value), Guard(call.session)));
    case StreamOp::kCreateEphemeral: {
      const Session& owner = SessionAt(call.session);
      // A session belongs to its client; that of a dead one is tried by another. No session is a fault of its own.
      MetadataStore& its = owner.session && !owner.gone ? client(owner.client) : store;
      OpContext context = owner.session ? Context(call) : OpContext();
      return Run(its.CreateEphemeral(std::move(context), partition, call.key, std::move(value), owner.session));
    }
    default: break;
  }
  std::int64_t version = before ? before->version : 7;
  if (call.version == StreamVersion::kOther) ++version;
  if (call.version == StreamVersion::kNegative) version = -1;
  return Run(store.CompareAndSet(Context(call), partition, call.key, std::move(value), version, Guard(call.session)));
}

std::string StreamSide::Write(const StreamCall& call, StreamTruth& truth) {
  const Result<ReadAnswer> before = Run(client(call.client).Get(OpContext(), NamePartition(call.partition), call.key));
  const Result<WriteAnswer> answer = SendWrite(call, before.ok() ? *before : ReadAnswer());
  if (!answer.ok()) return CodeText(answer.status());
  if (!before.ok()) return "ok, but it could not be read before: " + CodeText(before.status());
  return Note(ShardOfPartition(call.partition), "#" + std::to_string(call.id), *answer, *before, truth);
}

std::string StreamSide::Note(int shard, const std::string& name, const WriteAnswer& answer,
                             const ReadAnswer& replaced, StreamTruth& truth) {
  std::string text = "ok";
  const auto greatest = greatest_version_.find(shard);
  if (answer.version < 0) text += " with a negative version";
  if (greatest != greatest_version_.end() && answer.version <= greatest->second) text += " with a version gone back";
  greatest_version_[shard] = answer.version;
  written_[{shard, answer.version}] = Written{name, answer.created_ms};
  created_[name] = answer.created_ms;
  if (oracle_) {
    const Written* const before = replaced ? Find(shard, replaced->version) : nullptr;
    truth.creator[name] = before ? truth.creator[before->name] : name;
  }
  const auto made = created_.find(truth.creator[name]);
  if (made == created_.end() || made->second != answer.created_ms) return text + " created at another time";
  return text + " created by " + truth.creator[name];
}

const StreamSide::Written* StreamSide::Find(int shard, std::int64_t version) const {
  const auto found = written_.find({shard, version});
  return found == written_.end() ? nullptr : &found->second;
}

std::string StreamSide::RecordText(std::optional<int> shard, const MetadataRecord& record, StreamTruth& truth) {
  std::string text = StreamText(record.key) + "=" + StreamText(record.value.text());
  if (record.ephemeral || !record.session.empty()) {
    const auto session = session_names_.find(record.session);
    text += std::string(record.ephemeral ? " ephemeral" : " lasting") + " of ";
    text += session == session_names_.end() ? "an unknown session" : session->second;
  }
  if (!shard) return text;
  const Written* const written = Find(*shard, record.version);
  if (written == nullptr) return text + " of a version that no write gave";
  text += " by " + written->name;
  if (record.created_ms != written->created_ms) return text + " created at another time";
  return text + " created by " + truth.creator[written->name];
}

std::string StreamSide::Remove(const StreamCall& call) {
  const Partition partition = NamePartition(call.partition);
  MetadataStore& store = client(call.client);
  if (call.op == StreamOp::kDelete) {
    return CodeText(Run(store.Delete(Context(call), partition, call.key, Guard(call.session))));
  }
  return CodeText(Run(store.DeleteRange(Context(call), partition, call.key, call.to, Guard(call.session))));
}

std::string StreamSide::Read(const StreamCall& call, StreamTruth& truth) {
  std::vector<ReadRequest> requests;
  for (const StreamPart& part : call.parts) {
    requests.push_back(ReadRequest{NamePartition(part.partition), part.key, part.comparison});
  }
  const Result<std::vector<ReadAnswer>> answers = Run(client(call.client).Read(Context(call), std::move(requests)));
  if (!answers.ok()) return CodeText(answers.status());
  if (answers->size() != call.parts.size()) return std::to_string(answers->size()) + " answers";
  std::string text;
  for (std::size_t i = 0; i < answers->size(); ++i) {
    const ReadAnswer& answer = (*answers)[i];
    text += answer ? RecordText(ShardOfPartition(call.parts[i].partition), *answer, truth) : "none";
    text += "; ";
  }
  return text;
}

std::string StreamSide::Pages(const StreamCall& call, StreamTruth& truth) {
  KeyRange range{std::nullopt, call.key, call.to};
  std::optional<int> shard;
  if (call.partition >= 0) {
    range.partition = NamePartition(call.partition);
    shard = ShardOfPartition(call.partition);
  }
  MetadataStore& store = client(call.client);
  std::vector<std::string> lines;
  std::optional<std::string> cursor = call.cursor;
  for (int page = 0; cursor; ++page) {
    if (page == kMaxPages) return "pages without end";
    std::size_t count = 0;
    if (call.op == StreamOp::kList) {
      Result<KeyPage> keys = Run(store.List(Context(call), range, *cursor, call.limit));
      if (!keys.ok()) return CodeText(keys.status());
      for (const std::string& key : keys->keys) lines.push_back(StreamText(key));
      count = keys->keys.size();
      cursor = std::move(keys->next);
    } else {
      Result<ScanPage> records = Run(store.Scan(Context(call), range, *cursor, call.limit));
      if (!records.ok()) return CodeText(records.status());
      for (const MetadataRecord& record : records->records) lines.push_back(RecordText(shard, record, truth));
      count = records->records.size();
      cursor = std::move(records->next);
    }
    if (std::cmp_greater(count, call.limit)) return "a page of " + std::to_string(count);
  }
  // Shards come in an order of the store's own.
  if (!shard) std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + "; ";
  return text;
}

int StreamSide::BatchPartition(const StreamCall& call, std::size_t i) const {
  // The order of requests of different partitions is open, and in one shard it would be seen.
  const int shard = ShardOfPartition(call.parts[i].partition);
  for (const StreamPart& part : call.parts) {
    if (ShardOfPartition(part.partition) == shard) return part.partition;
  }
  return call.parts[i].partition;
}

std::string StreamSide::SequencedPut(const StreamCall& call, StreamTruth& truth) {
  if (!oracle_) truth.not_done.clear();
  std::vector<SequencedPutRequest> requests;
  std::vector<std::size_t> places;
  const auto asked = std::make_shared<std::vector<int>>(call.parts.size());
  for (std::size_t i = 0; i < call.parts.size(); ++i) {
    const StreamPart& part = call.parts[i];
    if (truth.not_done.contains(i)) continue;
    places.push_back(i);
    auto admit = [asked, i, refused = part.refused] {
      ++(*asked)[i];
      return refused ? PreconditionFailed("refused by the stream") : OkStatus();
    };
    requests.push_back(SequencedPutRequest{NamePartition(BatchPartition(call, i)), part.key, part.first_delta,
                                           part.second_delta, Buffer(StreamValue(call, i)), Guard(part.guard),
                                           std::move(admit)});
  }
  const std::vector<Result<SequencedPutAnswer>> answers =
      Run(client(call.client).SequencedPut(Context(call), std::move(requests)));
  if (answers.size() != places.size()) return std::to_string(answers.size()) + " answers";
  std::string text;
  for (std::size_t at = 0; at < answers.size(); ++at) {
    const Result<SequencedPutAnswer>& answer = answers[at];
    const std::size_t i = places[at];
    if (!answer.ok() && answer.status().code() == StatusCode::kUnavailable) {
      truth.not_done.insert(i);
      continue;
    }
    const std::string name = "#" + std::to_string(call.id) + "." + std::to_string(i);
    text += "; " + name + " ";
    const bool as_often = answer.ok() ? (*asked)[i] == 1 : (*asked)[i] <= 1;
    if (!as_often) text += "was admitted " + std::to_string((*asked)[i]) + " times ";
    if (!answer.ok()) {
      text += CodeText(answer.status());
      continue;
    }
    const WriteAnswer write{answer->version, answer->created_ms};
    truth.creator[name] = name;
    text += StreamText(answer->key) + " ";
    text += Note(ShardOfPartition(call.parts[i].partition), name, write, std::nullopt, truth);
  }
  return text;
}

std::string StreamSide::OpenSession(const StreamCall& call) {
  Session& slot = SessionAt(call.session);
  if (slot.session && !slot.over) return "the slot is taken";
  Result<std::shared_ptr<MetadataSession>> opened =
      Run(client(call.client).OpenSession(Context(call), std::chrono::seconds(10)));
  if (!opened.ok()) return CodeText(opened.status());
  slot = Session{*std::move(opened), call.client, false, false};
  const bool fresh = session_names_.emplace(slot.session->id(), "session #" + std::to_string(call.id)).second;
  return fresh ? "ok" : "the id of an older session";
}

std::string StreamSide::CloseSession(const StreamCall& call) {
  Session& slot = SessionAt(call.session);
  if (!slot.session || slot.gone) return "the slot is empty";
  // A closed session may be found closed without a look at the context.
  const Status closed = Run(slot.session->Close(slot.over ? OpContext() : Context(call)));
  if (!closed.ok()) return CodeText(closed);
  slot.over = true;
  return slot.session->ProvablyAlive() ? "ok, and alive" : "ok";
}

std::string StreamSide::AwaitChange(const StreamCall& call) {
  // A hint may do nearly anything. Only contexts that have ended, and a hint that differs, have one answer.
  const Partition partition = NamePartition(call.partition);
  MetadataStore& store = client(call.client);
  const std::uint64_t seen = store.ChangeHint(partition) ^ (call.context == StreamContext::kUsual ? 1u << 31 : 0u);
  return CodeText(Run(store.AwaitChange(Context(call), partition, seen)));
}

void StreamSide::KillOther() {
  std::unique_ptr<MetadataStore> client = std::move(clients_.back());
  clients_.pop_back();
  backend_.KillClient(std::move(client));
  for (Session& slot : sessions_) {
    if (slot.session && slot.client == 1) slot.over = slot.gone = true;
  }
  clients_.push_back(backend_.OpenClient(driver_.runtime()));
}

std::string StreamSide::Reopen() {
  // What becomes of open sessions is the store's own; so there are none.
  std::string text;
  for (Session& slot : sessions_) {
    if (!slot.session || slot.gone) continue;
    text += CodeText(Run(slot.session->Close(OpContext()))) + "; ";
    slot.over = slot.gone = true;
  }
  clients_.clear();
  for (int i = 0; i < 2; ++i) clients_.push_back(backend_.OpenClient(driver_.runtime()));
  return text;
}

std::string StreamSide::Everything(StreamTruth& truth) {
  std::string text;
  StreamCall call;
  call.op = StreamOp::kScan;
  call.key = FirstStreamKey();
  call.to = EndOfStreamKeys();
  for (int i = 0; i < static_cast<int>(partitions_.size()); ++i) {
    if (ShardOfPartition(i) != i) continue;
    call.partition = i;
    text += "partition " + StreamPartitions()[static_cast<std::size_t>(i)] + ": " + Pages(call, truth) + "\n    ";
  }
  return text;
}

}  // namespace lakestream
