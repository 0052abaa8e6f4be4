#include "log/catalog/binding.h"

#include "format/topic_record.h"

namespace lakestream {

namespace {

constexpr std::string_view kRaw = "raw";
constexpr std::string_view kKafka = "kafka";
constexpr std::string_view kTopicMark = "-topic-id-";

}  // namespace

std::string_view BindingName(Binding binding) { return binding == Binding::kKafka ? kKafka : kRaw; }

Result<Binding> ParseBinding(std::string_view name) {
  if (name == kRaw) return Binding::kRaw;
  if (name == kKafka) return Binding::kKafka;
  return InvalidArgument("a binding that this release does not know").With("binding", name);
}

std::string_view EntrySerdeType(Binding binding) {
  return binding == Binding::kKafka ? "KAFKA_BATCHED_RAW_PARQUET" : "LAKESTREAM_RAW_PARQUET";
}

std::string_view EntryRecordName(Binding binding) {
  return binding == Binding::kKafka ? "KafkaMessage" : "LakestreamEntry";
}

bool IsTopicStreamName(std::string_view name) {
  if (name.size() <= kTopicMark.size() + kTopicIdLength) return false;
  return name.substr(0, name.size() - kTopicIdLength).ends_with(kTopicMark) &&
         IsTopicId(name.substr(name.size() - kTopicIdLength));
}

std::string TopicOfStreamName(std::string_view name) {
  return std::string(name.substr(0, name.size() - kTopicIdLength - kTopicMark.size()));
}

std::string TopicStreamName(std::string_view topic, std::string_view topic_id) {
  return std::string(topic) + std::string(kTopicMark) + std::string(topic_id);
}

Result<Binding> BindingOf(const StreamMetadata& stream) {
  const auto named = stream.properties.find(std::string(kBindingProperty));
  if (named != stream.properties.end()) {
    const Result<Binding> binding = ParseBinding(named->second);
    if (binding.ok()) return binding;
    return binding.status().As(StatusCode::kUnimplemented).With("stream", stream.id.ToString());
  }
  const bool topic = stream.properties.contains(std::string(kTopicNameProperty)) || IsTopicStreamName(stream.id.name);
  return topic ? Binding::kKafka : Binding::kRaw;
}

}  // namespace lakestream
