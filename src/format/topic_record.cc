#include "format/topic_record.h"

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "format/catalog_records.h"

namespace lakestream {

namespace {

constexpr std::string_view kTopics = "/lakestream/topics/";

}  // namespace

bool IsTopicId(std::string_view id) {
  return id.size() == kTopicIdLength && std::all_of(id.begin(), id.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

Status CheckTopicName(std::string_view topic) {
  const auto is_other = [](char c) {
    return !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '.' && c != '_' &&
           c != '-';
  };
  const auto other = std::find_if(topic.begin(), topic.end(), is_other);
  if (other == topic.end()) return OkStatus();
  return InvalidArgument("a kafka topic's name has other characters than letters, digits, \".\", \"_\" and \"-\"")
      .With("name", topic)
      .With("offset", other - topic.begin());
}

std::string TopicKey(std::string_view ns, std::string_view topic) {
  return std::string(kTopics) + std::string(ns) + "/" + std::string(topic);
}

bool IsTopicKey(std::string_view key) {
  if (!key.starts_with(kTopics)) return false;
  const std::string_view rest = key.substr(kTopics.size());
  const std::size_t slash = rest.find('/');
  return slash != std::string_view::npos && CheckStreamName(rest.substr(0, slash), rest.substr(slash + 1)).ok();
}

Result<std::string> EncodeTopic(const TopicRecord& record) {
  JsonValue json = JsonValue::Object();
  json.Add("topicId", JsonValue::String(record.topic_id));
  for (const JsonMember& member : record.unknown) json.Add(member.name, member.value);
  std::string text = DumpJson(json);
  const Result<TopicRecord> again = DecodeTopic(text, "new record");
  if (!again.ok()) return again.status().As(StatusCode::kInvalidArgument);
  return text;
}

Result<TopicRecord> DecodeTopic(std::string_view value, std::string_view object) {
  LS_ASSIGN(JsonFields fields, JsonFields::Parse(value, object));
  TopicRecord record;
  LS_ASSIGN(record.topic_id, fields.TakeString("topicId"));
  if (!IsTopicId(record.topic_id)) {
    return fields.Fail("a topic id is not 22 characters of base64url", "topicId").With("value", record.topic_id);
  }
  record.unknown = fields.TakeRest();
  return record;
}

}  // namespace lakestream
