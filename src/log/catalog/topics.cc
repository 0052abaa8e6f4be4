#include "log/catalog/topics.h"

#include <algorithm>
#include <utility>

#include "base/broken_rule.h"
#include "base/try.h"
#include "codec/base64.h"
#include "log/catalog/binding.h"
#include "log/catalog/stream_creation.h"
#include "log/catalog/stream_lister.h"

namespace lakestream {

namespace {

/// A stream's properties with what says which topic it is.
StringMap WithTopic(StringMap properties, const StreamIdentifier& topic, const std::string& topic_id) {
  properties.emplace_back(kLogicalNameProperty, topic.name);
  properties.emplace_back(kTopicNameProperty, topic.name);
  properties.emplace_back(kTopicIdProperty, topic_id);
  properties.emplace_back(kTopicManagedProperty, "true");
  std::sort(properties.begin(), properties.end());
  return properties;
}

StreamIdentifier StreamOf(const StreamIdentifier& topic, const std::string& topic_id) {
  StreamIdentifier id;
  id.ns = topic.ns;
  id.name = TopicStreamName(topic.name, topic_id);
  return id;
}

Status Exists(const StreamIdentifier& topic, const StreamIdentifier& stream) {
  return AlreadyExists("the stream exists").With("stream", topic.ToString()).With("stored_name", stream.name);
}

}  // namespace

/// As Kafka writes ids: the 16 bytes of a random UUID in base64url without padding; none begins with "-".
std::string Topics::NewTopicId() {
  while (true) {
    std::string digits;
    for (const char c : access_.runtime().random.Uuid()) {
      if (c != '-') digits += c;
    }
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) {
      bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    }
    std::string id = Base64Encode(AsBytes(bytes));
    id.resize(kTopicIdLength);
    std::replace(id.begin(), id.end(), '+', '-');
    std::replace(id.begin(), id.end(), '/', '_');
    if (id.front() != '-') return id;
  }
}

Task<Result<std::optional<Topics::Claim>>> Topics::ReadClaim(OpContext context, StreamIdentifier topic) {
  const std::string key = TopicKey(topic.ns, topic.name);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await access_.meta().Get(std::move(context), CatalogPartition(key), key));
  if (!answer) co_return std::optional<Claim>();
  Claim claim;
  LS_CO_ASSIGN(claim.record, DecodeTopic(answer->value.text(), key));
  claim.version = answer->version;
  co_return std::optional<Claim>(std::move(claim));
}

Task<Result<std::optional<StreamIdentifier>>> Topics::FindClaimed(OpContext context, StreamIdentifier topic) {
  Task<Result<std::optional<Claim>>> read = ReadClaim(std::move(context), topic);
  LS_CO_ASSIGN(const std::optional<Claim> claim, co_await read);
  if (!claim) co_return std::optional<StreamIdentifier>();
  co_return std::optional<StreamIdentifier>(StreamOf(topic, claim->record.topic_id));
}

Task<Result<std::optional<StreamIdentifier>>> Topics::Find(OpContext context, StreamIdentifier topic) {
  Task<Result<std::optional<StreamIdentifier>>> read = FindClaimed(context, topic);
  LS_CO_ASSIGN(std::optional<StreamIdentifier> claimed, co_await read);
  if (claimed) co_return claimed;
  Task<Result<std::optional<StreamIdentifier>>> find = FindByName(std::move(context), std::move(topic));
  co_return co_await find;
}

Task<Result<std::optional<StreamIdentifier>>> Topics::FindByName(OpContext context, StreamIdentifier topic) {
  KeyBounds bounds = StreamConfigKeys(topic.ns);
  bounds.first = StreamConfigKey(topic.ns, TopicStreamName(topic.name, ""));
  bounds.end = bounds.first + "\x7f";
  RecordPages pages(access_.meta(), std::move(bounds));
  std::optional<StreamIdentifier> found;
  while (true) {
    Task<Result<std::optional<std::vector<MetadataRecord>>>> next = pages.Next(context);
    LS_CO_ASSIGN(const std::optional<std::vector<MetadataRecord>> page, co_await next);
    if (!page) co_return found;
    for (const MetadataRecord& record : *page) {
      std::string name = record.key.substr(StreamConfigKey(topic.ns, "").size());
      if (!IsTopicStreamName(name) || TopicOfStreamName(name) != topic.name) continue;
      LS_CO_ASSIGN(const StreamConfigRecord config, DecodeStreamConfig(record.value.text(), record.key));
      if (LifecycleOf(config.state) == LifecycleState::kDeleting) continue;
      if (found) {
        co_return PreconditionFailed("several streams have this topic; name one of them in full")
            .With("stream", found->ToString())
            .With("another", name);
      }
      found = topic;
      found->name = std::move(name);
    }
  }
}

/// A new id for the topic. ok also where another process was faster: the next look finds its id.
Task<Status> Topics::PutClaim(OpContext context, StreamIdentifier topic, std::optional<Claim> before) {
  const std::string key = TopicKey(topic.ns, topic.name);
  TopicRecord record = before ? before->record : TopicRecord();
  record.topic_id = NewTopicId();
  LS_CO_ASSIGN(std::string value, EncodeTopic(record));
  if (Broken(Rule::kTopicIdIsSwapped)) {
    const Buffer bytes = Buffer::CopyOf(value);
    co_return (co_await access_.meta().Put(context, CatalogPartition(key), key, bytes, WriteGuard())).status();
  }
  if (!before) {
    Task<Result<std::string>> put = access_.CreateOrRead(context, CatalogPartition(key), key, std::move(value));
    co_return (co_await put).status();
  }
  Task<Result<SwapOutcome>> swap =
      access_.Swap(context, CatalogPartition(key), key, std::move(value), before->version);
  co_return (co_await swap).status();
}

Task<Result<StreamMetadata>> Topics::Create(OpContext context, StreamIdentifier topic, int partitions,
                                            StringMap properties) {
  LS_CO_TRY(CheckTopicName(topic.name));
  LS_CO_TRY(CheckStreamName(topic.ns, TopicStreamName(topic.name, NewTopicId())));
  // A stream of the plain name would hide the topic. Only a look: whoever makes one meanwhile hides it all the same.
  Task<Result<std::optional<StoredConfig>>> look = access_.ReadConfig(context, topic);
  LS_CO_ASSIGN(const std::optional<StoredConfig> plain, co_await look);
  if (plain) co_return AlreadyExists("the stream exists").With("stream", topic.ToString());
  for (int attempt = 0; attempt < kMaxCatalogAttempts; ++attempt) {
    Task<Status> pause = PauseBefore(access_.runtime(), context, attempt);
    LS_CO_TRY(co_await pause);
    Task<Result<std::optional<Claim>>> read = ReadClaim(context, topic);
    LS_CO_ASSIGN(std::optional<Claim> claim, co_await read);
    if (!claim) {
      Task<Result<std::optional<StreamIdentifier>>> find = FindByName(context, topic);
      LS_CO_ASSIGN(const std::optional<StreamIdentifier> others, co_await find);
      if (others) co_return Exists(topic, *others);
    } else {
      const StreamIdentifier id = StreamOf(topic, claim->record.topic_id);
      StringMap all = WithTopic(properties, topic, claim->record.topic_id);
      StreamCreation creation(access_, id, partitions, std::move(all), drain_);
      Task<Result<StreamMetadata>> run = creation.Run(context);
      Result<StreamMetadata> made = co_await run;
      if (made.status().code() == StatusCode::kAlreadyExists) co_return Exists(topic, id);
      if (made.ok() || made.status().code() != StatusCode::kFenced) co_return made;
    }
    // The topic's last incarnation was dropped, or there was none.
    Task<Status> put = PutClaim(context, topic, std::move(claim));
    LS_CO_TRY(co_await put);
  }
  co_return Unavailable("others kept changing the topic").With("stream", topic.ToString());
}

}  // namespace lakestream
