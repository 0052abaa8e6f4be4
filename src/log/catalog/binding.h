#pragma once

#include <map>
#include <string>
#include <string_view>

#include "lakestream/status.h"
#include "log/catalog/stream_catalog.h"

namespace lakestream {

/// What the payloads of a stream's entries are: anything, or Kafka record batches (specification, "Kafka binding").
enum class Binding { kRaw, kKafka };

/// The property that says it: fixed when the stream is created.
inline constexpr std::string_view kBindingProperty = "lakestream.binding";

std::string_view BindingName(Binding binding);  ///< as the property has it
/// Errors: invalid_argument.
Result<Binding> ParseBinding(std::string_view name);

/// What the footer key entrySerDeType of a compacted file says, and the name of its Avro record (specification,
/// "Compacted object identifiers"). Those of binding raw are this project's own (docs/format/compacted-parquet.md).
std::string_view EntrySerdeType(Binding binding);
std::string_view EntryRecordName(Binding binding);

/// Where the property is absent another program made the stream: kafka where its properties or its name are those of
/// a Kafka topic, else raw. Errors: unimplemented, for a binding that this release does not know.
Result<Binding> BindingOf(const StreamMetadata& stream);

// Names and properties of a Kafka topic's stream (specification, "Stream identity").
inline constexpr std::string_view kLogicalNameProperty = "lakestream.source.logical.name";
inline constexpr std::string_view kTopicNameProperty = "lakestream.kafka.topic.name";
inline constexpr std::string_view kTopicIdProperty = "lakestream.kafka.topic.id";
inline constexpr std::string_view kTopicManagedProperty = "lakestream.kafka.managed";

/// Whether a stream's name is that of a topic: {topic}-topic-id-{22 characters of base64url}.
bool IsTopicStreamName(std::string_view name);
/// Requires: IsTopicStreamName(name).
std::string TopicOfStreamName(std::string_view name);
std::string TopicStreamName(std::string_view topic, std::string_view topic_id);

}  // namespace lakestream
