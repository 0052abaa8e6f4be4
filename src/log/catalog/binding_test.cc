#include "log/catalog/binding.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

StreamMetadata Stream(const std::string& name, std::map<std::string, std::string> properties) {
  StreamMetadata stream;
  stream.id.name = name;
  stream.properties = std::move(properties);
  return stream;
}

TEST(Binding, ThePropertySaysIt) {
  EXPECT_EQ(*BindingOf(Stream("a", {{"lakestream.binding", "raw"}})), Binding::kRaw);
  EXPECT_EQ(*BindingOf(Stream("a", {{"lakestream.binding", "kafka"}})), Binding::kKafka);
  EXPECT_EQ(*BindingOf(Stream("a-topic-id-DoZSD7MWQRGZSg7TTy1u7w", {{"lakestream.binding", "raw"}})), Binding::kRaw);
  const auto unknown = BindingOf(Stream("a", {{"lakestream.binding", "Kafka"}}));
  EXPECT_EQ(unknown.status().code(), StatusCode::kUnimplemented);
}

TEST(Binding, WithoutThePropertyTheMakerDecides) {
  EXPECT_EQ(*BindingOf(Stream("a", {})), Binding::kRaw);
  EXPECT_EQ(*BindingOf(Stream("a", {{"retention.ms", "1"}})), Binding::kRaw);
  EXPECT_EQ(*BindingOf(Stream("a", {{"lakestream.kafka.topic.name", "a"}})), Binding::kKafka);
  EXPECT_EQ(*BindingOf(Stream("a-topic-id-DoZSD7MWQRGZSg7TTy1u7w", {})), Binding::kKafka);
}

TEST(Binding, TopicNamesAreMatchedWhole) {
  EXPECT_TRUE(IsTopicStreamName("a-topic-id-DoZSD7MWQRGZSg7TTy1u7w"));
  EXPECT_TRUE(IsTopicStreamName("a-topic-id-b-topic-id-DoZSD7MWQRGZSg7TTy1_-w"));
  for (const std::string_view no : {"", "a", "-topic-id-DoZSD7MWQRGZSg7TTy1u7w", "a-topic-id-DoZSD7MWQRGZSg7TTy1u7",
                                    "a-topic-id-DoZSD7MWQRGZSg7TTy1u7wx", "a-topic-id-DoZSD7MWQRGZSg7TTy1u7+",
                                    "a-topic-iD-DoZSD7MWQRGZSg7TTy1u7w"}) {
    EXPECT_FALSE(IsTopicStreamName(no)) << no;
  }
}

}  // namespace
}  // namespace lakestream
