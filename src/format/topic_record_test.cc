#include "format/topic_record.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

constexpr std::string_view kGolden = "{\"topicId\":\"DoZSD7MWQRGZSg7TTy1u7w\"}";

TEST(TopicRecord, Golden) {
  TopicRecord record;
  record.topic_id = "DoZSD7MWQRGZSg7TTy1u7w";
  EXPECT_EQ(*EncodeTopic(record), kGolden);
  EXPECT_EQ(*DecodeTopic(kGolden, "o"), record);
  EXPECT_EQ(TopicKey("default", "orders"), "/lakestream/topics/default/orders");
}

TEST(TopicRecord, UnknownFieldsAreKept) {
  const std::string text = "{\"topicId\":\"DoZSD7MWQRGZSg7TTy1u7w\",\"later\":[1,{\"a\":null}]}";
  EXPECT_EQ(*EncodeTopic(*DecodeTopic(text, "o")), text);
}

TEST(TopicRecord, RefusesWhatIsNone) {
  for (const std::string_view bad :
       {"", "{}", "[]", "{\"topicId\":1}", "{\"topicId\":\"DoZSD7MWQRGZSg7TTy1u7\"}",
        "{\"topicId\":\"DoZSD7MWQRGZSg7TTy1u7ww\"}", "{\"topicId\":\"DoZSD7MWQRGZSg7TTy1u7+\"}"}) {
    const auto record = DecodeTopic(bad, "o");
    EXPECT_EQ(record.status().code(), StatusCode::kCorrupt) << bad;
    EXPECT_NE(record.status().message().find("object=o"), std::string_view::npos) << bad;
  }
  EXPECT_EQ(EncodeTopic(TopicRecord()).status().code(), StatusCode::kInvalidArgument);
  for (std::size_t cut = 0; cut < kGolden.size(); ++cut) EXPECT_FALSE(DecodeTopic(kGolden.substr(0, cut), "o").ok());
}

TEST(TopicRecord, KeysAreMatchedWhole) {
  EXPECT_TRUE(IsTopicKey("/lakestream/topics/default/orders"));
  for (const std::string_view no : {"/lakestream/topics/", "/lakestream/topics/a", "/lakestream/topics/a/",
                                    "/lakestream/topics/a/b/c", "/lakestream/topics/_a/b", "lakestream/topics/a/b"}) {
    EXPECT_FALSE(IsTopicKey(no)) << no;
  }
}

}  // namespace
}  // namespace lakestream
