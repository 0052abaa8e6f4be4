#include "metrics/engine_families.h"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <map>
#include <string>

namespace lakestream {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using Samples = std::map<std::string, std::string>;

/// Value by name and labels, without buckets and without what is 0.
Samples SamplesOf(FamilyList families) {
  const std::string text = prometheus::TextSerializer().Serialize(families.Take());
  Samples samples;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t space = line.rfind(' ');
    const std::string name = line.substr(0, space);
    if (line[0] == '#' || name.find("_bucket{") != std::string::npos || line.substr(space + 1) == "0") continue;
    EXPECT_TRUE(samples.emplace(name, line.substr(space + 1)).second) << "twice: " << name;
  }
  return samples;
}

HistogramSnapshot Took(Duration duration) {
  Histogram histogram;
  histogram.Record(duration);
  return histogram.Snapshot();
}

// Each number is another one, so none can stand in for another.

TEST(EngineFamilies, ADeploymentTellsEachNumberUnderItsName) {
  DeploymentStats stats;
  stats.age = milliseconds(1500);
  stats.metadata.sessions = {12, 11, 1};
  MetadataOpMetrics& cas = stats.metadata.ops[static_cast<std::size_t>(MetadataOp::kCompareAndSet)];
  cas.answers[static_cast<std::size_t>(StatusCode::kOk)] = 21;
  cas.answers[static_cast<std::size_t>(StatusCode::kPreconditionFailed)] = 22;
  cas.in_flight = 23;
  cas.latency = Took(milliseconds(250));
  ObjectOpMetrics& get = stats.compacted.ops[static_cast<std::size_t>(ObjectOp::kGet)];
  get.answers[static_cast<std::size_t>(StatusCode::kOk)] = 31;
  get.bytes = 32;
  get.in_flight = 33;
  get.latency = Took(milliseconds(500));
  stats.writer.entries = 41;
  stats.writer.bytes = 42;
  stats.writer.failed_entries = 43;
  stats.writer.objects = 44;
  stats.writer.object_bytes = 45;
  stats.writer.object_retries = 46;
  stats.writer.index_puts = 47;
  stats.writer.rewritten_sections = 48;
  stats.writer.unknown_sections = 49;
  stats.writer.damaged_sections = 50;
  stats.writer.parked_logs = 51;
  stats.writer.queued_bytes = 52;
  stats.writer.puts_in_flight = 53;
  stats.writer_latency.queue = Took(seconds(1));
  stats.writer_latency.put = Took(seconds(2));
  stats.writer_latency.index = Took(seconds(4));
  stats.writer_latency.total = Took(seconds(7));
  stats.reader = {61, 62, 63, 64, 65, 66};
  stats.leases = {71, 72};
  FamilyList families;
  AddDeployment(stats, &families);
  const Samples expected = {
      {"lakestream_process_age_seconds", "1.5"},
      {"lakestream_sessions_opened_total", "12"},
      {"lakestream_sessions_closed_total", "11"},
      {"lakestream_sessions_alive", "1"},
      {"lakestream_metadata_calls_total{op=\"compare_and_set\",code=\"ok\"}", "21"},
      {"lakestream_metadata_calls_total{op=\"compare_and_set\",code=\"precondition_failed\"}", "22"},
      {"lakestream_metadata_calls_in_flight{op=\"compare_and_set\"}", "23"},
      {"lakestream_metadata_call_duration_seconds_count{op=\"compare_and_set\"}", "1"},
      {"lakestream_metadata_call_duration_seconds_sum{op=\"compare_and_set\"}", "0.25"},
      {"lakestream_objects_calls_total{root=\"compacted\",op=\"get\",code=\"ok\"}", "31"},
      {"lakestream_objects_bytes_total{root=\"compacted\",op=\"get\"}", "32"},
      {"lakestream_objects_calls_in_flight{root=\"compacted\",op=\"get\"}", "33"},
      {"lakestream_objects_call_duration_seconds_count{root=\"compacted\",op=\"get\"}", "1"},
      {"lakestream_objects_call_duration_seconds_sum{root=\"compacted\",op=\"get\"}", "0.5"},
      {"lakestream_writer_entries_total", "41"},
      {"lakestream_writer_bytes_total", "42"},
      {"lakestream_writer_failed_entries_total", "43"},
      {"lakestream_writer_objects_total", "44"},
      {"lakestream_writer_object_bytes_total", "45"},
      {"lakestream_writer_object_retries_total", "46"},
      {"lakestream_writer_index_records_total", "47"},
      {"lakestream_writer_rewritten_sections_total", "48"},
      {"lakestream_writer_unknown_sections_total", "49"},
      {"lakestream_writer_damaged_sections_total", "50"},
      {"lakestream_writer_parked_logs", "51"},
      {"lakestream_writer_queued_bytes", "52"},
      {"lakestream_writer_puts_in_flight", "53"},
      {"lakestream_writer_queue_duration_seconds_count", "1"},
      {"lakestream_writer_queue_duration_seconds_sum", "1"},
      {"lakestream_writer_put_duration_seconds_count", "1"},
      {"lakestream_writer_put_duration_seconds_sum", "2"},
      {"lakestream_writer_index_duration_seconds_count", "1"},
      {"lakestream_writer_index_duration_seconds_sum", "4"},
      {"lakestream_writer_append_duration_seconds_count", "1"},
      {"lakestream_writer_append_duration_seconds_sum", "7"},
      {"lakestream_reader_reads_total", "61"},
      {"lakestream_reader_failed_reads_total", "62"},
      {"lakestream_reader_entries_total", "63"},
      {"lakestream_reader_bytes_total", "64"},
      {"lakestream_reader_cache_hits_total", "65"},
      {"lakestream_reader_cache_bytes", "66"},
      {"lakestream_leases_held", "71"},
      {"lakestream_leases_taken_total", "72"},
  };
  EXPECT_EQ(SamplesOf(std::move(families)), expected);
}

TEST(EngineFamilies, JobsTellEachNumberUnderItsName) {
  UpkeepStats stats;
  UpkeepStats::Job job;
  job.name = "retention";
  job.stats.failed = 3;
  job.stats.done = Took(seconds(2));
  job.stats.last_success = MonotonicTime(seconds(100));
  stats.jobs.push_back(job);
  stats.compaction.totals.compacted = 11;
  stats.compaction.totals.trimmed = 12;
  stats.compaction.totals.stuck = 13;
  stats.compaction.totals.payload_bytes = 14;
  stats.compaction.files = 15;
  stats.compaction.totals.file_bytes = 16;
  stats.compaction.totals.objects_read = 17;
  stats.compaction.totals.scratch_bytes = 18;
  stats.compacted_logs = 19;
  stats.failing_logs = 20;
  stats.pinned_bytes = 21;
  stats.retention.records = 31;
  stats.retention.bytes = 32;
  stats.retention.index_records = 33;
  stats.retention.files = 34;
  stats.retention.reclaimed_bytes = 35;
  stats.retention.failed = 36;
  stats.wal.deleted = {41, 42};
  stats.wal.last.named = {43, 44};
  stats.wal.last.young = {45, 46};
  stats.wal.last.waiting = {47, 48};
  stats.wal.last.garbage = {149, 150};
  stats.wal.last.deleted = {100, 100};
  stats.wal.last.foreign = {51, 52};
  stats.compacted.deleted = {61, 62};
  stats.compacted.last.waiting = {63, 64};
  stats.holds = 71;
  FamilyList families;
  AddUpkeep(stats, MonotonicTime(seconds(107)), &families);
  const auto found = [](const char* unit, const char* root, const char* state) {
    return "lakestream_collection_" + std::string(unit) + "{root=\"" + root + "\",state=\"" + state + "\"}";
  };
  const Samples expected = {
      {"lakestream_job_passes_total{name=\"retention\",outcome=\"done\"}", "1"},
      {"lakestream_job_passes_total{name=\"retention\",outcome=\"failed\"}", "3"},
      {"lakestream_job_pass_duration_seconds_count{name=\"retention\"}", "1"},
      {"lakestream_job_pass_duration_seconds_sum{name=\"retention\"}", "2"},
      {"lakestream_job_last_success_age_seconds{name=\"retention\"}", "7"},
      {"lakestream_compaction_ranges_total", "11"},
      {"lakestream_compaction_hard_trims_total", "12"},
      {"lakestream_compaction_failures_total", "13"},
      {"lakestream_compaction_payload_bytes_total", "14"},
      {"lakestream_compaction_files_total", "15"},
      {"lakestream_compaction_file_bytes_total", "16"},
      {"lakestream_compaction_objects_read_total", "17"},
      {"lakestream_compaction_scratch_bytes_total", "18"},
      {"lakestream_compaction_logs", "19"},
      {"lakestream_compaction_failing_logs", "20"},
      {"lakestream_compaction_pinned_bytes", "21"},
      {"lakestream_retention_records_total", "31"},
      {"lakestream_retention_bytes_total", "32"},
      {"lakestream_retention_index_records_total", "33"},
      {"lakestream_retention_files_total", "34"},
      {"lakestream_retention_reclaimed_bytes_total", "35"},
      {"lakestream_retention_failures_total", "36"},
      {"lakestream_collection_deleted_objects_total{root=\"wal\"}", "41"},
      {"lakestream_collection_deleted_bytes_total{root=\"wal\"}", "42"},
      {found("objects", "wal", "named"), "43"},
      {found("bytes", "wal", "named"), "44"},
      {found("objects", "wal", "young"), "45"},
      {found("bytes", "wal", "young"), "46"},
      {found("objects", "wal", "waiting"), "47"},
      {found("bytes", "wal", "waiting"), "48"},
      {found("objects", "wal", "garbage"), "49"},
      {found("bytes", "wal", "garbage"), "50"},
      {found("objects", "wal", "foreign"), "51"},
      {found("bytes", "wal", "foreign"), "52"},
      {"lakestream_collection_deleted_objects_total{root=\"compacted\"}", "61"},
      {"lakestream_collection_deleted_bytes_total{root=\"compacted\"}", "62"},
      {found("objects", "compacted", "waiting"), "63"},
      {found("bytes", "compacted", "waiting"), "64"},
      {"lakestream_collection_holds", "71"},
  };
  EXPECT_EQ(SamplesOf(std::move(families)), expected);
}

/// Prometheus gives these two to each series itself, and renames what had them before.
TEST(EngineFamilies, NoLabelIsOneOfThoseOfPrometheus) {
  UpkeepStats stats;
  stats.jobs.push_back(UpkeepStats::Job());
  FamilyList families;
  AddDeployment(DeploymentStats(), &families);
  AddUpkeep(stats, MonotonicTime(), &families);
  for (const prometheus::MetricFamily& family : families.Take()) {
    for (const prometheus::ClientMetric& metric : family.metric) {
      for (const prometheus::ClientMetric::Label& label : metric.label) {
        EXPECT_NE(label.name, "job") << family.name;
        EXPECT_NE(label.name, "instance") << family.name;
      }
    }
  }
}

}  // namespace
}  // namespace lakestream
