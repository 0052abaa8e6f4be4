#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"
#include "lakestream/status.h"

namespace lakestream {

inline constexpr std::size_t kTopicIdLength = 22;
/// As Kafka writes ids: the 16 bytes of a UUID in base64url, which are 22 characters.
bool IsTopicId(std::string_view id);

/// Whether Kafka's clients can use a topic of this name: ASCII letters, digits, ".", "_" and "-". How long it may be, and
/// what else no stream may be named, says CheckStreamName. Errors: invalid_argument.
Status CheckTopicName(std::string_view topic);

/// Which incarnation of a Kafka topic is the present one, or was the last one: a record of this project, under
/// TopicKey. Only ever swapped for one with a new id.
struct TopicRecord {
  std::string topic_id;             ///< see IsTopicId
  std::vector<JsonMember> unknown;  ///< fields of later releases; kept and written last
  friend bool operator==(const TopicRecord&, const TopicRecord&) = default;
};

/// /lakestream/topics/{ns}/{topic}, in the partition that it names itself.
std::string TopicKey(std::string_view ns, std::string_view topic);
/// Whether a key is of that form.
bool IsTopicKey(std::string_view key);

/// Errors: invalid_argument for an id of another form.
Result<std::string> EncodeTopic(const TopicRecord& record);
/// Errors: corrupt, naming `object` and the field.
Result<TopicRecord> DecodeTopic(std::string_view value, std::string_view object);

}  // namespace lakestream
