#include "meta/wrap/metrics_metadata_store.h"

#include <gtest/gtest.h>

#include "meta/memory/memory_metadata_store.h"
#include "meta/wrap/fault_metadata_store.h"
#include "runtime/testing/world.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;

struct World {
  explicit World(Runtime& r) : memory(r), plan(r), fault(r, memory, plan), store(r, fault) {}
  MemoryMetadataStore memory;
  MetadataFaultPlan plan;
  FaultMetadataStore fault;
  MetricsMetadataStore store;
};

class MetricsMetadataStoreTest : public WorldTest {
 protected:
  void RunBody(Task<void> (*body)(World&)) {
    World world(runtime());
    Run(body(world));
    Run(world.fault.Stop());
  }
};

void ExpectSessions(const World& w, std::int64_t opened, std::int64_t closed, std::int64_t alive) {
  const SessionMetrics sessions = w.store.Snapshot().sessions;
  EXPECT_EQ(sessions.opened, opened);
  EXPECT_EQ(sessions.closed, closed);
  EXPECT_EQ(sessions.alive, alive);
}

Task<void> CountsSessions(World& w) {
  ExpectSessions(w, 0, 0, 0);
  const auto first = co_await w.store.OpenSession(OpContext(), 10s);
  CO_ASSERT_OK(first);
  auto second = co_await w.store.OpenSession(OpContext(), 10s);
  CO_ASSERT_OK(second);
  ExpectSessions(w, 2, 0, 2);

  w.plan.OnNext(MetadataOp::kCloseSession, "", MetadataFault::FailUnavailable());
  EXPECT_FALSE((co_await (*first)->Close(OpContext())).ok());
  EXPECT_EQ(w.store.Snapshot().sessions.closed, 0);
  CO_ASSERT_OK(co_await (*first)->Close(OpContext()));
  CO_ASSERT_OK(co_await (*first)->Close(OpContext()));
  ExpectSessions(w, 2, 1, 1);

  second = Unavailable("let go without being closed");
  ExpectSessions(w, 2, 1, 0);
  w.plan.OnNext(MetadataOp::kOpenSession, "", MetadataFault::FailUnavailable());
  EXPECT_FALSE((co_await w.store.OpenSession(OpContext(), 10s)).ok());
  ExpectSessions(w, 2, 1, 0);
}
TEST_P(MetricsMetadataStoreTest, CountsSessions) { RunBody(CountsSessions); }

LS_INSTANTIATE_WORLDS(MetricsMetadataStoreTest);

}  // namespace
}  // namespace lakestream
