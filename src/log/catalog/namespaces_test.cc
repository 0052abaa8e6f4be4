#include "log/catalog/namespaces.h"

#include <gtest/gtest.h>

#include "log/catalog/testing/catalog_world.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

TEST(Namespaces, CreateLoadListDrop) {
  CatalogWorld world;
  StreamCatalog& catalog = world.catalog;
  EXPECT_TRUE(world.sim.Run(catalog.ListNamespaces(OpContext()))->empty());
  ASSERT_TRUE(world.sim.Run(catalog.CreateNamespace(OpContext(), "shop", {{"a", "b"}})).ok());
  EXPECT_EQ(world.Records()["/admin/streams/_namespaces/shop"], "{\"properties\":{\"a\":\"b\"}}");
  EXPECT_EQ(world.sim.Run(catalog.CreateNamespace(OpContext(), "shop", {})).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(world.sim.Run(catalog.CreateNamespace(OpContext(), "_a", {})).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(world.Create("default/x", 1).ok());
  EXPECT_EQ(*world.sim.Run(catalog.ListNamespaces(OpContext())), (std::vector<std::string>{"default", "shop"}));
  EXPECT_EQ(world.sim.Run(catalog.LoadNamespace(OpContext(), "shop"))->at("a"), "b");
  EXPECT_EQ(world.sim.Run(catalog.DropNamespace(OpContext(), "default")).status().code(),
            StatusCode::kPreconditionFailed);
  EXPECT_TRUE(*world.sim.Run(catalog.DropNamespace(OpContext(), "shop")));
  EXPECT_FALSE(*world.sim.Run(catalog.DropNamespace(OpContext(), "shop")));
  EXPECT_EQ(world.sim.Run(catalog.LoadNamespace(OpContext(), "shop")).status().code(), StatusCode::kNotFound);
}

/// Before the namespace goes a stream comes that has seen it; then the answer is lost.
class CrossedStore final : public ForwardingMetadataStore {
 public:
  explicit CrossedStore(CatalogWorld& world) : ForwardingMetadataStore(world.meta), world_(world) {}
  Task<Status> Delete(OpContext context, Partition partition, std::string key, WriteGuard guard) override {
    const StreamIdentifier id = *StreamIdentifier::Parse("shop/s");
    std::map<std::string, std::string> none;
    Task<Result<StreamMetadata>> create = world_.catalog.CreateStream(OpContext(), id, 1, none);
    const auto created = co_await create;
    EXPECT_TRUE(created.ok());
    const Status deleted = co_await inner().Delete(context, partition, key, guard);
    EXPECT_TRUE(deleted.ok());
    co_return Indeterminate("the answer was lost");
  }

 private:
  CatalogWorld& world_;
};

TEST(Namespaces, ALostAnswerHidesNoStream) {
  CatalogWorld world;
  ASSERT_TRUE(world.sim.Run(world.catalog.CreateNamespace(OpContext(), "shop", {{"a", "b"}})).ok());
  CrossedStore crossed(world);
  StreamCatalog catalog(world.sim.runtime(), crossed);
  const auto dropped = world.sim.Run(catalog.DropNamespace(OpContext(), "shop"));
  EXPECT_EQ(dropped.status().code(), StatusCode::kIndeterminate) << dropped.status().ToString();
  ASSERT_EQ(world.List()->size(), 1u);
  EXPECT_EQ(world.sim.Run(catalog.LoadNamespace(OpContext(), "shop"))->at("a"), "b");
}

TEST(CatalogRace, ANamespaceThatIsDroppedWhileAStreamComes) {
  int dropped = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CatalogWorld world(seed);
    ASSERT_TRUE(world.sim.Run(world.catalog.CreateNamespace(OpContext(), "shop", {})).ok());
    std::vector<Task<Status>> tasks;
    const auto create = [&]() -> Task<Status> {
      const StreamIdentifier id = *StreamIdentifier::Parse("shop/s");
      std::map<std::string, std::string> none;
      Task<Result<StreamMetadata>> creating = world.catalog.CreateStream(OpContext(), id, 1, none);
      co_return (co_await creating).status();
    };
    const auto drop = [&]() -> Task<Status> {
      Task<Result<bool>> dropping = world.catalog.DropNamespace(OpContext(), "shop");
      co_return (co_await dropping).status();
    };
    tasks.push_back(create());
    tasks.push_back(drop());
    const auto results = world.sim.RunUntilDone(WhenAll(world.sim.runtime(), std::move(tasks)));
    ASSERT_TRUE(results);
    EXPECT_TRUE((*results)[0].ok()) << (*results)[0].ToString();
    dropped += (*results)[1].ok() ? 1 : 0;
    const auto listed = world.List();
    ASSERT_TRUE(listed.ok());
    EXPECT_EQ(listed->size(), 1u) << "seed " << seed << ": " << (*results)[1].ToString();
  }
  EXPECT_GT(dropped, 0);
}

}  // namespace
}  // namespace lakestream
