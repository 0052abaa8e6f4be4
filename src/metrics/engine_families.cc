#include "metrics/engine_families.h"

#include <string>

namespace lakestream {
namespace {

using Label = prometheus::ClientMetric::Label;
using Labels = FamilyList::Labels;

double Number(std::int64_t value) { return static_cast<double>(value); }
double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

/// Calls that were answered, by their status code; ok also where there was none, so that the series begins at 0.
template <class Answers>
void AddAnswers(const std::string& name, const Answers& answers, const Labels& labels, FamilyList* families) {
  for (std::size_t code = 0; code < answers.size(); ++code) {
    if (code != 0 && answers[code] == 0) continue;
    Labels with_code = labels;
    with_code.push_back(Label{"code", std::string(StatusCodeName(static_cast<StatusCode>(code)))});
    families->Counter(name, "Calls that were answered, by operation and status code", Number(answers[code]), with_code);
  }
}

void AddMetadata(const MetadataStoreMetrics& store, FamilyList* families) {
  const auto labels = [](MetadataOp op) { return Labels{Label{"op", std::string(MetadataOpName(op))}}; };
  for (const MetadataOp op : kMetadataOps) {
    AddAnswers("lakestream_metadata_calls_total", store.of(op).answers, labels(op), families);
  }
  for (const MetadataOp op : kMetadataOps) {
    families->Gauge("lakestream_metadata_calls_in_flight", "Calls under way", Number(store.of(op).in_flight), labels(op));
  }
  for (const MetadataOp op : kMetadataOps) {
    families->Durations("lakestream_metadata_call_duration_seconds", "How long calls took until their answer",
                        store.of(op).latency, labels(op));
  }
}

struct Root {
  const char* name;
  const ObjectStoreMetrics* store;
};

void AddObjects(const DeploymentStats& stats, FamilyList* families) {
  const Root roots[] = {{"wal", &stats.wal}, {"compacted", &stats.compacted}};
  const auto labels = [](const Root& root, ObjectOp op) {
    return Labels{Label{"root", root.name}, Label{"op", std::string(ObjectOpName(op))}};
  };
  const auto each = [&](const auto& add) {
    for (const Root& root : roots) {
      for (const ObjectOp op : kObjectOps) add(root.store->of(op), labels(root, op));
    }
  };
  each([&](const ObjectOpMetrics& of, const Labels& with) {
    AddAnswers("lakestream_objects_calls_total", of.answers, with, families);
  });
  each([&](const ObjectOpMetrics& of, const Labels& with) {
    families->Counter("lakestream_objects_bytes_total", "Bytes of objects written (put, append) and read (get)",
                      Number(of.bytes), with);
  });
  each([&](const ObjectOpMetrics& of, const Labels& with) {
    families->Gauge("lakestream_objects_calls_in_flight", "Calls under way", Number(of.in_flight), with);
  });
  each([&](const ObjectOpMetrics& of, const Labels& with) {
    families->Durations("lakestream_objects_call_duration_seconds", "How long calls took until their answer", of.latency,
                        with);
  });
}

void AddWriter(const WriterStats& writer, const WriterLatency& latency, FamilyList* families) {
  families->Counter("lakestream_writer_entries_total", "Entries that were acknowledged", Number(writer.entries));
  families->Counter("lakestream_writer_bytes_total", "Payload bytes that were acknowledged", Number(writer.bytes));
  families->Counter("lakestream_writer_failed_entries_total", "Entries of flushes that were not acknowledged",
                    Number(writer.failed_entries));
  families->Counter("lakestream_writer_objects_total", "WAL objects written", Number(writer.objects));
  families->Counter("lakestream_writer_object_bytes_total", "Bytes of WAL objects written", Number(writer.object_bytes));
  families->Counter("lakestream_writer_object_retries_total", "Tries of WAL objects beyond the first",
                    Number(writer.object_retries));
  families->Counter("lakestream_writer_index_records_total", "Index records committed", Number(writer.index_puts));
  families->Counter("lakestream_writer_rewritten_sections_total",
                    "Sections that moved to a new object because the old one grew too old",
                    Number(writer.rewritten_sections));
  families->Counter("lakestream_writer_unknown_sections_total", "Index puts whose answer was lost",
                    Number(writer.unknown_sections));
  families->Counter("lakestream_writer_damaged_sections_total", "Sections answered later than half of the grace",
                    Number(writer.damaged_sections));
  families->Gauge("lakestream_writer_parked_logs", "Logs that wait for what became of a lost answer",
                  Number(writer.parked_logs));
  families->Gauge("lakestream_writer_queued_bytes", "Bytes queued and in flight", Number(writer.queued_bytes));
  families->Gauge("lakestream_writer_puts_in_flight", "WAL objects under way", Number(writer.puts_in_flight));
  families->Durations("lakestream_writer_queue_duration_seconds",
                      "From the oldest append of a flush to its start, one for each flush", latency.queue);
  families->Durations("lakestream_writer_put_duration_seconds",
                      "From the start of a flush to its durable object, leases and retries included, one for each object",
                      latency.put);
  families->Durations("lakestream_writer_index_duration_seconds",
                      "From the durable object to the acknowledgement, one for each log of a flush", latency.index);
  families->Durations("lakestream_writer_append_duration_seconds",
                      "From the oldest append of a flush to its acknowledgement, one for each log of a flush",
                      latency.total);
}

void AddReader(const ReaderStats& reader, FamilyList* families) {
  families->Counter("lakestream_reader_reads_total", "Reads that were answered", Number(reader.reads));
  families->Counter("lakestream_reader_failed_reads_total", "Reads that failed", Number(reader.failed));
  families->Counter("lakestream_reader_entries_total", "Entries read", Number(reader.entries));
  families->Counter("lakestream_reader_bytes_total", "Payload bytes read", Number(reader.bytes));
  families->Counter("lakestream_reader_cache_hits_total", "Times that something kept needed no GET", Number(reader.cache_hits));
  families->Gauge("lakestream_reader_cache_bytes", "Bytes that the cache keeps", Number(reader.cache_bytes));
}

void AddSessions(const SessionMetrics& sessions, FamilyList* families) {
  families->Counter("lakestream_sessions_opened_total", "Sessions opened in the metadata store", Number(sessions.opened));
  families->Counter("lakestream_sessions_closed_total", "Sessions that this process closed", Number(sessions.closed));
  families->Gauge("lakestream_sessions_alive", "Sessions that nobody can have ended", Number(sessions.alive));
}

void AddLeases(const LeaseStats& leases, FamilyList* families) {
  families->Gauge("lakestream_leases_held", "Write leases held", Number(leases.held));
  families->Counter("lakestream_leases_taken_total", "Write leases taken", Number(leases.taken));
}

void AddJobs(const UpkeepStats& stats, MonotonicTime now, FamilyList* families) {
  const auto each = [&](const auto& add) {
    for (const UpkeepStats::Job& job : stats.jobs) add(job.stats, Labels{Label{"name", job.name}});
  };
  each([&](const JobStats& job, const Labels& with) {
    Labels done = with;
    done.push_back(Label{"outcome", "done"});
    families->Counter("lakestream_job_passes_total", "Passes of background jobs, by how they ended", Number(job.done.count()),
                      done);
    Labels failed = with;
    failed.push_back(Label{"outcome", "failed"});
    families->Counter("lakestream_job_passes_total", "", Number(job.failed), failed);
  });
  each([&](const JobStats& job, const Labels& with) {
    families->Durations("lakestream_job_pass_duration_seconds", "How long passes took that ended well", job.done, with);
  });
  each([&](const JobStats& job, const Labels& with) {
    families->Gauge("lakestream_job_last_success_age_seconds",
                    "Since the last pass that ended well; before the first, since the start",
                    Seconds(now - job.last_success), with);
  });
}

void AddCompaction(const UpkeepStats& stats, FamilyList* families) {
  const CompactionTotals& totals = stats.compaction.totals;
  families->Counter("lakestream_compaction_ranges_total", "Ranges compacted", Number(totals.compacted));
  families->Counter("lakestream_compaction_hard_trims_total", "Times that trimmed index records were removed first",
                    Number(totals.trimmed));
  families->Counter("lakestream_compaction_failures_total", "Times that the compaction of a log failed",
                    Number(totals.stuck));
  families->Counter("lakestream_compaction_payload_bytes_total", "Payload bytes compacted", Number(totals.payload_bytes));
  families->Counter("lakestream_compaction_files_total", "Parquet files written", Number(stats.compaction.files));
  families->Counter("lakestream_compaction_file_bytes_total", "Bytes of Parquet files and companions written",
                    Number(totals.file_bytes));
  families->Counter("lakestream_compaction_objects_read_total", "WAL objects read", Number(totals.objects_read));
  families->Counter("lakestream_compaction_scratch_bytes_total", "Bytes that did not fit into memory",
                    Number(totals.scratch_bytes));
  families->Gauge("lakestream_compaction_logs", "Logs that the last pass looked at", Number(stats.compacted_logs));
  families->Gauge("lakestream_compaction_failing_logs", "Logs whose last compaction failed", Number(stats.failing_logs));
  families->Gauge("lakestream_compaction_pinned_bytes", "Bytes that failing logs keep from being deleted",
                  Number(stats.pinned_bytes));
}

void AddRetention(const UpkeepStats& stats, FamilyList* families) {
  const RetentionRound& round = stats.retention;
  families->Counter("lakestream_retention_records_total", "Records trimmed", Number(round.records));
  families->Counter("lakestream_retention_bytes_total", "Payload bytes trimmed", Number(round.bytes));
  families->Counter("lakestream_retention_index_records_total", "Index records removed", Number(round.index_records));
  families->Counter("lakestream_retention_files_total", "Compacted files removed", Number(round.files));
  families->Counter("lakestream_retention_reclaimed_bytes_total", "Payload bytes of index records removed",
                    Number(round.reclaimed_bytes));
  families->Counter("lakestream_retention_failures_total", "Times that the retention of a log failed",
                    Number(round.failed));
}

void AddCollection(const UpkeepStats& stats, FamilyList* families) {
  struct OfRoot {
    const char* name;
    const UpkeepStats::Collected* collected;
  };
  const OfRoot roots[] = {{"wal", &stats.wal}, {"compacted", &stats.compacted}};
  struct State {
    const char* name;
    CollectedRoot::Count CollectedRoot::*count;
  };
  constexpr State kStates[] = {{"named", &CollectedRoot::named},     {"young", &CollectedRoot::young},
                               {"waiting", &CollectedRoot::waiting}, {"garbage", &CollectedRoot::garbage},
                               {"foreign", &CollectedRoot::foreign}};
  const auto found = [&](const char* name, const char* help, std::int64_t CollectedRoot::Count::*of) {
    for (const OfRoot& root : roots) {
      for (const State& state : kStates) {
        const CollectedRoot& last = root.collected->last;
        // What the pass deleted is not there any more.
        const std::int64_t gone = state.count == &CollectedRoot::garbage ? last.deleted.*of : 0;
        families->Gauge(name, help, Number((last.*state.count).*of - gone),
                        Labels{Label{"root", root.name}, Label{"state", state.name}});
      }
    }
  };
  for (const OfRoot& root : roots) {
    families->Counter("lakestream_collection_deleted_objects_total", "Objects deleted as garbage",
                      Number(root.collected->deleted.objects), Labels{Label{"root", root.name}});
  }
  for (const OfRoot& root : roots) {
    families->Counter("lakestream_collection_deleted_bytes_total", "Bytes of objects deleted as garbage",
                      Number(root.collected->deleted.bytes), Labels{Label{"root", root.name}});
  }
  found("lakestream_collection_objects", "Objects that the last pass found", &CollectedRoot::Count::objects);
  found("lakestream_collection_bytes", "Bytes of the objects that the last pass found", &CollectedRoot::Count::bytes);
  families->Gauge("lakestream_collection_holds", "Holds that the last pass saw: nothing is deleted while there is one",
                  Number(stats.holds));
}

}  // namespace

void AddDeployment(const DeploymentStats& stats, FamilyList* families) {
  families->Gauge("lakestream_process_age_seconds", "Since the deployment was opened and everything counted was 0",
                  Seconds(stats.age));
  AddMetadata(stats.metadata, families);
  AddObjects(stats, families);
  AddWriter(stats.writer, stats.writer_latency, families);
  AddReader(stats.reader, families);
  AddSessions(stats.metadata.sessions, families);
  AddLeases(stats.leases, families);
}

void AddUpkeep(const UpkeepStats& stats, MonotonicTime now, FamilyList* families) {
  AddJobs(stats, now, families);
  AddCompaction(stats, families);
  AddRetention(stats, families);
  AddCollection(stats, families);
}

}  // namespace lakestream
