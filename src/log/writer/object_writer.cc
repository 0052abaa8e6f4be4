#include <algorithm>
#include <utility>

#include "base/broken_rule.h"
#include "base/invariant.h"
#include "base/try.h"
#include "format/index_key.h"
#include "log/writer/wal_name.h"
#include "log/writer/writer_parts.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

constexpr Duration kFirstRetryPause = std::chrono::milliseconds(20);
constexpr Duration kLongestRetryPause = std::chrono::seconds(2);
constexpr Duration kLeaseTime = std::chrono::seconds(10);

/// Places the payloads of a section one after the other from `at`.
void LayOut(const SectionPtr& section, std::int64_t& at) {
  section->layout.log = section->log;
  section->layout.entries.clear();
  section->layout.entries.reserve(section->entries.size());
  for (const PendingAppendPtr& append : section->entries) {
    const auto size = static_cast<std::int32_t>(append->request.payload.size());
    section->layout.entries.push_back(WalEntry{static_cast<std::int32_t>(at), size, append->request.records});
    at += size;
  }
}

/// Whether another try of a PUT, under another name, may help.
bool WorthAnotherName(StatusCode code) {
  return code == StatusCode::kUnavailable || code == StatusCode::kIndeterminate ||
         code == StatusCode::kDeadlineExceeded || code == StatusCode::kAlreadyExists;
}

/// The sections of each object: those of isolated logs alone, and the others, if any, together in the first one.
std::vector<std::vector<SectionPtr>> ByObject(std::vector<SectionPtr> sections) {
  std::vector<std::vector<SectionPtr>> objects(1);
  for (SectionPtr& section : sections) {
    if (section->lease.Isolated() && !Broken(Rule::kIsolatedStandAlone)) {
      objects.emplace_back().push_back(std::move(section));
    } else {
      objects.front().push_back(std::move(section));
    }
  }
  if (objects.front().empty() && objects.size() > 1) objects.erase(objects.begin());
  return objects;
}

}  // namespace

Task<Status> LogWriter::Parts::LeaseSection(SectionPtr section) {
  Result<LeaseUse> lease = co_await leases.Acquire(CallContext(kLeaseTime), section->log);
  if (!lease.ok()) co_return lease.status();
  const std::lock_guard lock(mutex);
  section->lease = *std::move(lease);
  co_return OkStatus();
}

Task<Status> LogWriter::Parts::LearnLogEnds(std::vector<SectionPtr> sections) {
  std::vector<ReadRequest> requests;
  std::vector<SectionPtr> unknown;
  {
    const std::lock_guard lock(mutex);
    for (const SectionPtr& section : sections) {
      if (logs[section->log].known_under == section->lease.serial()) continue;
      unknown.push_back(section);
      requests.push_back(
          ReadRequest{Partition::OfLog(section->log), LastIndexKey(section->log), KeyComparison::kFloor});
    }
  }
  if (unknown.empty()) co_return OkStatus();
  LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await meta.Read(CallContext(kLeaseTime), std::move(requests)));
  const std::lock_guard lock(mutex);
  for (std::size_t i = 0; i < unknown.size(); ++i) {
    const LogId log = unknown[i]->log;
    Offset end;
    if (answers[i].has_value() && IsIndexKeyOf(answers[i]->key, log)) {
      const Result<IndexKey> key = IndexKey::Decode(answers[i]->key);
      if (!key.ok()) {
        ApplyLocked(unknown[i], model::SectionEvent::kObjectFailed, key.status());
        continue;
      }
      end = key->end;
    }
    LogState& state = logs[log];
    state.known_end = std::max(state.known_end, end);
    state.known_under = unknown[i]->lease.serial();
  }
  co_return OkStatus();
}

Task<Status> LogWriter::Parts::PutUnderNewNames(std::shared_ptr<WalObject> object, BufferChain bytes) {
  const OpContext all_tries = CallContext(options.put_deadline);
  Duration pause = kFirstRetryPause;
  for (int tries = 1;; ++tries) {
    const model::Moment begun = Now();
    const MonotonicTime started = runtime.Now();
    if (object->name.empty() || !Broken(Rule::kNewNameForEachPut)) {
      object->name = WalObjectName(begun.wall, runtime.random.Uuid(), options.embedded_names);
    }
    // A slow try is given up for another name while there is still time for that one.
    const OpContext one_try = all_tries.WithDeadline(started + options.put_deadline / 3);
    const Status put = co_await wal.Put(one_try, object->name, bytes, PutMode::kCreate);
    const Duration took = runtime.Now() - started;
    {
      const std::lock_guard lock(mutex);
      put_time = put_time == Duration::zero() ? took : (put_time * 7 + took) / 8;
      if (put.ok() || Broken(Rule::kObjectIsDurableBeforeItsPut)) {
        object->begun = Broken(Rule::kAgeCountsFromBeforeThePut) ? Now() : begun;
        ++stats.objects;
        stats.object_bytes += static_cast<std::int64_t>(bytes.size());
        co_return OkStatus();
      }
      ++stats.object_retries;
      // A retry is a PUT like any other; the debt slows the flushes that follow.
      put_tokens.Take(1, runtime.Now());
    }
    // Nothing names the object yet, so whatever became of it, it is an orphan that may be collected.
    if (!WorthAnotherName(put.code())) co_return put;
    const auto jitter = static_cast<std::int64_t>(runtime.random.Below(static_cast<std::uint64_t>(pause.count())));
    const Status slept = co_await SleepFor(runtime, all_tries, Duration(jitter));
    if (!slept.ok()) {
      co_return Unavailable("the WAL object could not be written").With("tries", tries).With("last", put.ToString());
    }
    pause = std::min(pause * 2, kLongestRetryPause);
  }
}

Task<void> LogWriter::Parts::WriteFlush(std::vector<SectionPtr> sections, FlushTimes times) {
  // A1: the leases come before the object.
  std::vector<Task<Status>> taking;
  for (const SectionPtr& section : sections) taking.push_back(LeaseSection(section));
  const std::vector<Status> taken = co_await WhenAll(runtime, std::move(taking));
  std::vector<SectionPtr> leased;
  {
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < sections.size(); ++i) {
      if (sections[i]->ended) continue;
      if (taken[i].ok()) {
        leased.push_back(sections[i]);
      } else {
        ApplyLocked(sections[i], model::SectionEvent::kObjectFailed, taken[i]);
      }
    }
  }
  const Status learned = co_await LearnLogEnds(leased);
  std::erase_if(leased, [](const SectionPtr& section) { return section->ended; });
  std::vector<std::vector<SectionPtr>> objects = ByObject(std::move(leased));
  {
    const std::lock_guard lock(mutex);
    // Those of isolated logs are PUTs like any other; the debt slows the flushes that follow.
    const auto more = static_cast<int>(objects.size()) - 1;
    puts_in_flight += more;
    put_tokens.Take(more, runtime.Now());
    if (!learned.ok()) {
      for (const std::vector<SectionPtr>& of_object : objects) EndPutLocked(nullptr, of_object, learned);
    }
  }
  if (!learned.ok()) co_return;
  // Refused only when the writer has stopped, and given every section up.
  for (std::size_t i = 1; i < objects.size(); ++i) gate.Spawn(WriteObject(std::move(objects[i]), times));
  Task<void> first = WriteObject(std::move(objects.front()), times);
  co_await first;
}

// A2: the object.
Task<void> LogWriter::Parts::WriteObject(std::vector<SectionPtr> sections, FlushTimes times) {
  auto object = std::make_shared<WalObject>();
  object->times = times;
  Status outcome;
  if (!sections.empty()) {
    std::int64_t size = 0;
    std::vector<WalSection> layout;
    for (const SectionPtr& section : sections) {
      LayOut(section, size);
      layout.push_back(section->layout);
    }
    const Result<Buffer> header = EncodeWalHeader(layout);
    outcome = header.status();
    if (outcome.ok()) {
      BufferChain bytes(*header);
      for (const SectionPtr& section : sections) {
        for (const PendingAppendPtr& append : section->entries) bytes.Append(append->request.payload);
      }
      object->payload_bytes = size;
      object->only_section = layout.size() == 1;
      outcome = co_await PutUnderNewNames(object, std::move(bytes));
    }
  }
  const std::lock_guard lock(mutex);
  EndPutLocked(object, sections, outcome);
}

void LogWriter::Parts::EndPutLocked(const std::shared_ptr<WalObject>& object, const std::vector<SectionPtr>& sections,
                                    const Status& outcome) {
  --puts_in_flight;
  if (outcome.ok() && !sections.empty()) {
    object->times.durable = runtime.Now();
    queue_time.Record(object->times.started - object->times.queued);
    put_time_seen.Record(object->times.durable - object->times.started);
  }
  std::vector<LogId> candidates;
  for (const SectionPtr& section : sections) {
    if (section->ended) continue;
    if (outcome.ok()) {
      section->object = object;
      candidates.push_back(section->log);
    } else {
      ApplyLocked(section, model::SectionEvent::kObjectFailed, outcome);
    }
  }
  IssueReadyLocked(candidates);
  KickFlusherLocked();
  std::exchange(progress, std::make_shared<Event>(runtime.executor))->Set();
}

}  // namespace lakestream
