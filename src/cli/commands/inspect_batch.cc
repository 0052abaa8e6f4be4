#include "cli/commands/inspect_batch.h"

#include <fmt/format.h>

#include "base/try.h"
#include "cli/byte_source.h"
#include "cli/description_output.h"
#include "cli/exit_code.h"
#include "kafka/records/entry_payload.h"

namespace lakestream {
namespace {

constexpr std::uint64_t kMaxPayloadBytes = std::uint64_t{1} << 30;

JsonValue Describe(const kafka::BatchSummary& batch, std::uint64_t at) {
  const kafka::BatchHeader& header = batch.header;
  JsonValue json = JsonValue::Object();
  json.Add("payload_offset", JsonValue::Int(static_cast<std::int64_t>(at)))
      .Add("size_bytes", JsonValue::Int(static_cast<std::int64_t>(header.size_bytes)))
      .Add("magic", JsonValue::Int(header.magic))
      .Add("record_count", JsonValue::Int(header.record_count))
      .Add("first_record", JsonValue::Int(batch.first_record))
      .Add("codec", JsonValue::String(CompressionName(header.compression)))
      .Add("base_offset", JsonValue::Int(header.base_offset))
      .Add("last_offset", JsonValue::Int(header.base_offset + header.last_offset_delta))
      .Add("timestamp_type", JsonValue::String(kafka::TimestampTypeName(header.timestamp_type)))
      .Add("base_timestamp", JsonValue::Int(header.base_timestamp))
      .Add("max_timestamp", JsonValue::Int(header.max_timestamp))
      .Add("producer_id", JsonValue::Int(header.producer_id))
      .Add("producer_epoch", JsonValue::Int(header.producer_epoch))
      .Add("base_sequence", JsonValue::Int(header.base_sequence))
      .Add("partition_leader_epoch", JsonValue::Int(header.partition_leader_epoch))
      .Add("transactional", JsonValue::Bool(header.transactional))
      .Add("control", JsonValue::Bool(header.control))
      .Add("crc", JsonValue::String(fmt::format("{:08x}", header.crc)));
  return json;
}

Result<Description> Describe(const std::string& file) {
  LS_ASSIGN(const ByteSource source, OpenFileSource(file));
  if (source.size > kMaxPayloadBytes) {
    return InvalidArgument("the file is too long for an entry's payload").With("file", file).With("bytes", source.size);
  }
  LS_ASSIGN(const Buffer payload, source.fetch(0, source.size));
  kafka::BatchSource place;
  place.object = source.name;
  kafka::PayloadSummary summary;
  Description description;
  description.damage = kafka::CheckPayload(payload.span(), place, &summary).status();
  JsonValue batches = JsonValue::Array();
  std::uint64_t at = 0;
  for (const kafka::BatchSummary& batch : summary.batches) {
    batches.Append(Describe(batch, at));
    at += batch.header.size_bytes;
  }
  description.fields.Add("payload_size", JsonValue::Int(static_cast<std::int64_t>(payload.size())))
      .Add("record_count", JsonValue::Int(summary.record_count))
      .Add("batches", std::move(batches));
  return description;
}

}  // namespace

int RunInspectBatch(Environment& environment, const InspectBatchOptions& options) {
  Result<Description> description = Describe(options.file);
  if (description.ok()) return PrintDescription(environment, *std::move(description), options.json);
  PrintError(description.status());
  return ExitCodeFor(description.status().code());
}

}  // namespace lakestream
