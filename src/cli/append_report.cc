#include "cli/append_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "cli/counted.h"
#include "format/json.h"

namespace lakestream {
namespace {

std::int64_t Micros(Duration duration) {
  return std::chrono::floor<std::chrono::microseconds>(duration).count();
}

double Seconds(Duration duration) { return std::chrono::duration<double>(std::max(duration, Duration(1))).count(); }

std::int64_t PerSecond(std::int64_t count, Duration duration) {
  return static_cast<std::int64_t>(static_cast<double>(count) / Seconds(duration));
}

// Partitions beyond this many are left to --json.
constexpr std::size_t kMaxRangeLines = 16;

}  // namespace

std::string ShortDuration(Duration duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.0f} us", seconds * 1e6);
}

std::string ShortBytes(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  static constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

void AppendReport::Count(const EndedAppend& ended) {
  if (ended.result.ok()) {
    latency_.Record(ended.latency);
    acknowledged_ += ended.records;
    ++acknowledged_entries_;
    acknowledged_bytes_ += ended.bytes;
    Range& range = ranges_[ended.partition];
    if (range.records == 0) range.first = ended.result->offset;
    range.end = ended.result->end();
    range.records += ended.records;
    return;
  }
  const Status status = ended.result.status();
  (status.code() == StatusCode::kIndeterminate ? unknown_ : not_appended_) += ended.records;
  if (first_failure_.ok() || ended.line < first_failed_line_) {
    first_failed_line_ = ended.line;
    first_failure_ = status;
  }
}

Status AppendReport::Failure() const {
  return first_failure_.With("first_failed_line", first_failed_line_)
      .With("acknowledged", acknowledged_)
      .With("not_appended", not_appended_)
      .With("unknown", unknown_);
}

std::string AppendReport::Text(const Circumstances& circumstances) const {
  std::string text;
  const auto out = std::back_inserter(text);
  const std::string what =
      circumstances.in_batches
          ? fmt::format("{} in {}", Counted(acknowledged_, "record"), Counted(acknowledged_entries_, "batch", "batches"))
          : Counted(acknowledged_, "entry", "entries");
  fmt::format_to(out, "appended {}, {} in {} ({} {}/s, {}/s)\n", what, ShortBytes(acknowledged_bytes_),
                 ShortDuration(circumstances.elapsed), PerSecond(acknowledged_, circumstances.elapsed),
                 circumstances.in_batches ? "records" : "entries",
                 ShortBytes(PerSecond(acknowledged_bytes_, circumstances.elapsed)));
  if (acknowledged_ == 0) return text;
  const HistogramSnapshot latency = latency_.Snapshot();
  fmt::format_to(out, "acknowledged after: p50 {}, p99 {}, max {}; {} written\n",
                 ShortDuration(latency.p50()), ShortDuration(latency.p99()), ShortDuration(latency.max()),
                 Counted(circumstances.objects, "object"));
  std::size_t lines = 0;
  for (const auto& [partition, range] : ranges_) {
    if (++lines > kMaxRangeLines) {
      fmt::format_to(out, "... and {} (--json shows all)\n", Counted(ranges_.size() - kMaxRangeLines, "more partition"));
      break;
    }
    fmt::format_to(out, "partition {}: offsets {} to {}\n", partition, range.first.value(), range.end.value() - 1);
  }
  if (!circumstances.ended_in_lf) {
    text += circumstances.several_partitions
                ? "the last line had no LF\n"
                : "the last line had no LF: read --no-final-lf leaves it out again\n";
  }
  return text;
}

std::string AppendReport::Json(const Circumstances& circumstances) const {
  const HistogramSnapshot latency = latency_.Snapshot();
  JsonValue json = JsonValue::Object();
  json.Add("stream", JsonValue::String(circumstances.stream));
  json.Add("acknowledged", JsonValue::Int(acknowledged_));
  json.Add("entries", JsonValue::Int(acknowledged_entries_));
  json.Add("bytes", JsonValue::Int(acknowledged_bytes_));
  json.Add("not_appended", JsonValue::Int(not_appended_));
  json.Add("unknown", JsonValue::Int(unknown_));
  json.Add("elapsed_us", JsonValue::Int(Micros(circumstances.elapsed)));
  json.Add("records_per_second", JsonValue::Int(PerSecond(acknowledged_, circumstances.elapsed)));
  json.Add("bytes_per_second", JsonValue::Int(PerSecond(acknowledged_bytes_, circumstances.elapsed)));
  json.Add("latency_p50_us", JsonValue::Int(Micros(latency.p50())));
  json.Add("latency_p99_us", JsonValue::Int(Micros(latency.p99())));
  json.Add("latency_max_us", JsonValue::Int(Micros(latency.max())));
  json.Add("objects", JsonValue::Int(circumstances.objects));
  json.Add("ended_in_lf", JsonValue::Bool(circumstances.ended_in_lf));
  JsonValue partitions = JsonValue::Array();
  for (const auto& [partition, range] : ranges_) {
    JsonValue item = JsonValue::Object();
    item.Add("partition", JsonValue::Int(partition));
    item.Add("records", JsonValue::Int(range.records));
    item.Add("first_offset", JsonValue::Int(range.first.value()));
    item.Add("last_offset", JsonValue::Int(range.end.value() - 1));
    partitions.Append(std::move(item));
  }
  json.Add("partitions", std::move(partitions));
  const bool complete = !failed() && circumstances.input.ok();
  json.Add("complete", JsonValue::Bool(complete));
  if (failed()) json.Add("first_failed_line", JsonValue::Int(first_failed_line_));
  if (!complete) {
    json.Add("error", JsonValue::String((failed() ? first_failure_ : circumstances.input).ToString()));
  }
  return DumpJson(json) + "\n";
}

}  // namespace lakestream
