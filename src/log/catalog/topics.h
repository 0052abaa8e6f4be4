#pragma once

#include <optional>
#include <string>

#include "format/topic_record.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/catalog/catalog_access.h"
#include "log/catalog/log_deletion.h"

namespace lakestream {

/// Streams of Kafka topics: each incarnation of a topic is a stream of its own, {topic}-topic-id-{id}. Which id a topic
/// has now stands in a record of this project (docs/format/topic.md), so that two processes that create one topic make
/// one stream; topics of another program have none and are found by their names.
class Topics {
 public:
  Topics(CatalogAccess access, DrainOptions drain) : access_(access), drain_(drain) {}

  /// The stream that the topic has now, or had last; nothing where it never had any. Errors: precondition_failed where
  /// several streams of another program have the name.
  Task<Result<std::optional<StreamIdentifier>>> Find(OpContext context, StreamIdentifier topic);

  /// The same by the record of this project alone.
  Task<Result<std::optional<StreamIdentifier>>> FindClaimed(OpContext context, StreamIdentifier topic);

  /// As StreamCatalog::CreateStream.
  Task<Result<StreamMetadata>> Create(OpContext context, StreamIdentifier topic, int partitions, StringMap properties);

 private:
  struct Claim {
    TopicRecord record;
    std::int64_t version = 0;
  };
  Task<Result<std::optional<Claim>>> ReadClaim(OpContext context, StreamIdentifier topic);
  Task<Result<std::optional<StreamIdentifier>>> FindByName(OpContext context, StreamIdentifier topic);
  Task<Status> PutClaim(OpContext context, StreamIdentifier topic, std::optional<Claim> before);
  std::string NewTopicId();

  CatalogAccess access_;
  const DrainOptions drain_;
};

}  // namespace lakestream
