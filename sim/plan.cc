#include "sim/plan.h"

#include <algorithm>
#include <limits>

#include "sim/payload.h"

namespace lakestream::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

std::vector<Scenario>& Registered() {
  static std::vector<Scenario> scenarios;
  return scenarios;
}

bool OneIn(Random& random, std::uint64_t n) { return random.Below(n) == 0; }

/// A number between the two, small ones as likely as large ones.
std::int64_t Spread(Random& random, std::int64_t low, std::int64_t high) {
  std::int64_t span = high - low;
  while (span > 1 && OneIn(random, 2)) span /= 4;
  return low + static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(std::max<std::int64_t>(span, 0)) + 1));
}

Duration Spread(Random& random, Duration low, Duration high) {
  return milliseconds(Spread(random, ToMillis(low), ToMillis(high)));
}

/// Keeps a rate, changes it, or drops it: each seed has another mix.
template <class N>
void Swarm(Random& random, N& rate, bool allowed) {
  const std::uint64_t drawn = random.Below(4);
  if (!allowed || drawn == 0) rate = 0;
  if (drawn == 1) rate = rate * 4;
}

void DrawNasty(Plan& plan, Random& random) {
  WriterOptions& writer = plan.writer;
  if (OneIn(random, 2)) writer.target_object_bytes = Spread(random, 1, 4096);
  if (OneIn(random, 2)) writer.max_queued_bytes = Spread(random, 1, 8192);
  if (OneIn(random, 2)) writer.max_puts_in_flight = static_cast<int>(Spread(random, 1, 16));
  if (OneIn(random, 2)) writer.put_budget_per_second = static_cast<double>(Spread(random, 4, 1000));
  if (OneIn(random, 2)) writer.index_put_budget_per_second = static_cast<double>(Spread(random, 1, 1000));
  if (OneIn(random, 2)) writer.put_budget_burst_seconds = static_cast<double>(Spread(random, 1, 3000)) / 1000;
  if (OneIn(random, 2)) writer.linger_max = Spread(random, milliseconds(1), seconds(5));
  if (OneIn(random, 2)) writer.linger_max_busy = Spread(random, Duration(0), seconds(5));
  if (OneIn(random, 2)) writer.linger_behind_put = Spread(random, Duration(0), milliseconds(100));
  if (OneIn(random, 4)) writer.max_entry_bytes = Spread(random, static_cast<std::int64_t>(kSmallestPayload), 4096);
  writer.embedded_names = OneIn(random, 2);
  if (OneIn(random, 2)) writer.times.publish_deadline = Spread(random, milliseconds(10), seconds(30));
  if (OneIn(random, 2)) writer.times.index_deadline = Spread(random, milliseconds(5), seconds(30));
  if (OneIn(random, 2)) writer.settle_time = Spread(random, milliseconds(10), seconds(60));
  if (OneIn(random, 2)) writer.put_deadline = Spread(random, milliseconds(20), seconds(30));
  if (OneIn(random, 2)) writer.lease_idle = Spread(random, milliseconds(1), seconds(60));
  if (OneIn(random, 2)) writer.fence_poll = Spread(random, milliseconds(50), seconds(2));
  if (OneIn(random, 2)) writer.session_timeout = Spread(random, seconds(2), seconds(15));
  const Duration least = 10 * (writer.times.publish_deadline + writer.times.index_deadline);
  if (OneIn(random, 2)) writer.times.grace = Spread(random, least, 2 * least);
  writer.times.grace = std::max(least, writer.times.grace);
  writer.linger_max = std::max<Duration>(
      writer.linger_max, seconds(1 + static_cast<int>(1 / writer.put_budget_per_second)));
  ReaderOptions& reader = plan.reader;
  if (OneIn(random, 2)) reader.whole_object_bytes = Spread(random, 0, 4096);
  if (OneIn(random, 2)) reader.first_fetch_bytes = Spread(random, 4, 65536);
  // Longer ones are a scenario's: nothing but hints wakes its tails.
  if (OneIn(random, 2) && reader.tail_poll < seconds(30)) reader.tail_poll = Spread(random, milliseconds(5), seconds(30));
  if (OneIn(random, 2)) reader.cache_bytes = Spread(random, 0, 4096);
  if (OneIn(random, 2)) reader.index_cache_age = Spread(random, Duration(0), seconds(10));
  if (OneIn(random, 2)) plan.shards = static_cast<int>(Spread(random, 1, 16));
  if (OneIn(random, 3)) plan.max_payload = Spread(random, 20, 20'000);
}

void SwarmCompaction(Plan& plan, Random& random, unsigned troubles) {
  FaultRates& rates = plan.compacted;
  rates.max_burst = 1 + static_cast<int>(random.Below(30));
  for (int* rate : {&rates.fail, &rates.throttle, &rates.lose_answer, &rates.apply_late, &rates.delay}) {
    Swarm(random, *rate, troubles & kObjects);
  }
  plan.compactor.plan.settle_time = plan.writer.settle_time;
}

/// What DrawNasty made of the times would leave no time to collect anything.
void FitCollection(Plan& plan) {
  DeploymentTimes& times = plan.writer.times;
  times.publish_deadline = std::min<Duration>(times.publish_deadline, plan.collector.grace / 20);
  times.index_deadline = std::min<Duration>(times.index_deadline, plan.collector.grace / 20);
  times.grace = plan.collector.grace;
  plan.reader.index_cache_age = std::min<Duration>(plan.reader.index_cache_age, times.grace / 3);
  if (plan.guarded) {
    plan.collector.boot_id = "boot";
    return;
  }
  // Creation times are a server's there, and nothing stops what stood still on its way to it.
  plan.chaos.clocks = plan.chaos.suspends = 0;
}

}  // namespace

void DrawCollection(Plan& plan, Random& random) {
  Duration& grace = plan.collector.grace;
  grace = plan.guarded ? Spread(random, seconds(15), seconds(40)) : Spread(random, seconds(180), seconds(240));
  plan.writer.times = DeploymentTimes{grace / 25, grace / 25, grace};
  plan.collector.deletes_at_once = static_cast<int>(Spread(random, 1, 20));
  plan.collector.deletes_per_second = static_cast<int>(Spread(random, 10, 200));
  plan.collects = true;
  plan.collection_pause = grace * static_cast<int>(1 + random.Below(4)) / 2;
  plan.compaction_pause = grace / 8;
  plan.pause = grace / 4;
  plan.time = grace * 20;
  plan.writer.settle_time = Spread(random, milliseconds(200), grace / 10);
}

void DrawDay(Plan& plan, Random& random) {
  constexpr std::int64_t kScale = 256;
  plan.is_day = true;
  plan.nasty = false;
  plan.guarded = OneIn(random, 2);
  plan.time = std::chrono::hours(24);
  plan.rest = std::chrono::hours(3);
  plan.trouble_step = seconds(5);
  plan.operations = std::numeric_limits<int>::max();
  plan.logs = 5;
  plan.uneven = true;
  plan.readers = 0;
  plan.window = 8;
  plan.pause = seconds(120);
  plan.max_payload = 40'000;
  // A PUT every two minutes by each process: what is appended meanwhile shares an object.
  plan.writer.put_budget_per_second = 1.0 / 120;
  plan.writer.linger_max = plan.writer.linger_max_busy = seconds(121);
  plan.writer.target_object_bytes /= kScale;
  plan.writer.fence_poll = seconds(10);
  plan.writer.lease_idle = minutes(10);
  plan.compactors = 1;
  plan.compaction_pause = seconds(120);
  model::CompactionOptions& ranges = plan.compactor.plan;
  ranges.target_bytes /= kScale;
  ranges.decent_bytes /= kScale;
  ranges.files.bytes /= kScale;
  ranges.small_range_cost = model::kSmallRangeCostOnDisk / kScale;
  // Payloads of a run are easily compressed, and objects are not compressed at all: what waits would weigh too much.
  plan.compactor.compression = Compression::kNone;
  plan.retainers = 1;
  plan.retention.ms = ToMillis(std::chrono::hours(10));
  plan.collects = true;
  plan.collector.grace = minutes(30);
  plan.collection_pause = 2 * plan.collector.grace / 5;  // all together every tenth, in the mean
  plan.chaos = ChaosRates{0.002, 0.002, 0.002, 0, 0.002, 0.002, 0.002, 0.002};
  // A compaction asks for each object once here, without trying again, and begins anew where one of them fails.
  plan.objects.fail = plan.objects.lose_answer = plan.compacted.fail = plan.compacted.lose_answer = 2;
  plan.metadata.fail = plan.metadata.lose_answer = 2;
  plan.objects.delay = plan.compacted.delay = plan.metadata.delay = 100;
}

void DrawCompaction(Plan& plan, Random& random) {
  CompactorOptions& options = plan.compactor;
  options.plan.target_bytes = Spread(random, 200, 4000);
  options.plan.decent_bytes = Spread(random, 1, options.plan.target_bytes);
  options.plan.old_after = Spread(random, milliseconds(100), seconds(30));
  options.plan.max_index_records = Spread(random, 4, 40);
  options.plan.max_files = Spread(random, 1, 8);
  options.plan.files.bytes = Spread(random, 1, 2000);
  options.plan.files.entries = Spread(random, 1, 20);
  options.plan.idle_close = Spread(random, milliseconds(100), seconds(20));
  options.plan.small_range_cost = OneIn(random, 2) ? 0 : Spread(random, 1, 1'000'000);
  options.memory_bytes = Spread(random, 1, 8000);
  options.open_files = static_cast<int>(Spread(random, 1, 4));
  options.objects_ahead = static_cast<int>(Spread(random, 1, 8));
  options.part_bytes = OneIn(random, 3) ? Spread(random, 1, 2000) : std::int64_t{8} << 20;
  options.group_bytes = Spread(random, 1, 20'000);
  options.group_records = Spread(random, 1, 100);
  options.work_deadline = Spread(random, milliseconds(500), seconds(30));
  options.session_timeout = Spread(random, seconds(2), seconds(15));
  options.retry_first = Spread(random, milliseconds(10), seconds(5));
  options.retry_most = options.retry_first * 4;
}

ScenarioRegistration::ScenarioRegistration(Scenario scenario) { Registered().push_back(scenario); }

const std::vector<Scenario>& AllScenarios() {
  std::vector<Scenario>& scenarios = Registered();
  std::sort(scenarios.begin(), scenarios.end(),
            [](const Scenario& a, const Scenario& b) { return std::string_view(a.name) < b.name; });
  return scenarios;
}

const Scenario* FindScenario(std::string_view name) {
  for (const Scenario& scenario : AllScenarios()) {
    if (name == scenario.name) return &scenario;
  }
  return nullptr;
}

Plan MakePlan(const Scenario& scenario, Random& random, unsigned troubles) {
  Plan plan;
  plan.writer.times.grace = std::chrono::hours(1);
  scenario.fill(plan, random);
  Swarm(random, plan.chaos.kills, troubles & kKills);
  Swarm(random, plan.chaos.freezes, troubles & kFreezes);
  Swarm(random, plan.chaos.suspends, troubles & kSuspends);
  Swarm(random, plan.chaos.clocks, troubles & kClocks);
  Swarm(random, plan.chaos.cuts, troubles & kCuts);
  Swarm(random, plan.chaos.sessions, troubles & kSessions);
  Swarm(random, plan.chaos.locks, troubles & kLocks);
  Swarm(random, plan.chaos.restarts, troubles & kRestarts);
  if (!plan.guarded) plan.chaos.locks = 0;
  FaultRates& objects = plan.objects;
  objects.max_burst = 1 + static_cast<int>(random.Below(30));
  for (int* rate : {&objects.fail, &objects.throttle, &objects.lose_answer, &objects.apply_late, &objects.delay,
                    &objects.short_body, &objects.flip_byte, &objects.cut_list, &objects.short_page,
                    &objects.stale_list}) {
    Swarm(random, *rate, troubles & kObjects);
  }
  MetadataFaultRates& metadata = plan.metadata;
  for (int* rate : {&metadata.fail, &metadata.lose_answer, &metadata.apply_late, &metadata.delay, &metadata.short_page,
                    &metadata.cut_pages, &metadata.watch_late, &metadata.watch_missed, &metadata.tear_scan,
                    &metadata.watch_twice}) {
    Swarm(random, *rate, troubles & kMetadata);
  }
  Swarm(random, metadata.lose_sessions, troubles & kSessions);
  // A store that holds guards is a local one: what it gave up has not happened and never will.
  if (plan.guarded) metadata.apply_late = 0;
  if ((troubles & kNasty) != 0 && plan.nasty && !OneIn(random, 3)) DrawNasty(plan, random);
  // Last, so that what compacts nothing is as it was.
  if (plan.collects) FitCollection(plan);
  if (plan.compactors > 0 || plan.collects) SwarmCompaction(plan, random, troubles);
  return plan;
}

}  // namespace lakestream::sim
