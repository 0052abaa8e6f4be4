#include "log/catalog/catalog_homes.h"

#include <gtest/gtest.h>

#include "log/catalog/testing/catalog_world.h"

namespace lakestream {
namespace {

struct Homes {
  Result<LogHome> Find(LogId log) { return world.sim.Run(homes.Find(OpContext(), log)); }
  CatalogWorld world;
  CatalogHomes homes{world.meta};
};

TEST(CatalogHomes, TheStreamAndItsBindingSayIt) {
  Homes test;
  const LogId raw = test.world.Create("shop/orders", 2)->logs[1];
  const auto topic = test.world.Create("clicks", 1, {{"lakestream.binding", "kafka"}});
  ASSERT_TRUE(topic.ok());

  const auto home = test.Find(raw);
  ASSERT_TRUE(home.ok()) << home.status().ToString();
  EXPECT_EQ(home->directory, "shop/orders");
  EXPECT_EQ(home->entry_serde_type, "LAKESTREAM_RAW_PARQUET");
  EXPECT_EQ(home->record_name, "LakestreamEntry");
  const auto of_topic = test.Find(topic->logs[0]);
  ASSERT_TRUE(of_topic.ok()) << of_topic.status().ToString();
  EXPECT_EQ(of_topic->directory, "default/" + topic->id.name);
  EXPECT_TRUE(of_topic->directory.starts_with("default/clicks-topic-id-"));
  EXPECT_EQ(of_topic->entry_serde_type, "KAFKA_BATCHED_RAW_PARQUET");
  EXPECT_EQ(of_topic->record_name, "KafkaMessage");
}

TEST(CatalogHomes, AnswersAreKept) {
  Homes test;
  const LogId log = test.world.Create("orders", 1)->logs[0];
  ASSERT_TRUE(test.Find(log).ok());
  test.world.Put(LogRegistrationKey(log), "damaged");
  EXPECT_TRUE(test.Find(log).ok());
}

TEST(CatalogHomes, ALogWithoutAStreamHasNone) {
  Homes test;
  EXPECT_EQ(test.Find(LogId(7)).status().code(), StatusCode::kNotFound);
  test.world.Put(LogRegistrationKey(LogId(7)), "{}");
  EXPECT_EQ(test.Find(LogId(7)).status().code(), StatusCode::kNotFound);
  test.world.Put(LogRegistrationKey(LogId(7)), "{\"key\":\"lakestream-native/../../etc/partition-1\"}");
  EXPECT_EQ(test.Find(LogId(7)).status().code(), StatusCode::kNotFound);
  test.world.Put(LogRegistrationKey(LogId(7)), "{\"key\":\"lakestream-native/default/gone/partition-1\"}");
  EXPECT_EQ(test.Find(LogId(7)).status().code(), StatusCode::kNotFound);
}

TEST(CatalogHomes, AnUnknownBindingIsNotGuessed) {
  Homes test;
  const LogId log = test.world.Create("orders", 1)->logs[0];
  const std::string key = StreamConfigKey("default", "orders");
  std::string config = test.world.Records()[key];
  const std::string raw = "\"lakestream.binding\":\"raw\"";
  ASSERT_NE(config.find(raw), std::string::npos);
  config.replace(config.find(raw), raw.size(), "\"lakestream.binding\":\"avro\"");
  test.world.Put(key, config);
  const auto home = test.Find(log);
  EXPECT_EQ(home.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(home.status().ToString().find("binding=avro"), std::string::npos) << home.status().ToString();
}

}  // namespace
}  // namespace lakestream
