#include "cli/commands/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/try.h"
#include "cli/byte_source.h"
#include "cli/description_output.h"
#include "cli/exit_code.h"
#include "cli/tree_text.h"
#include "codec/base64.h"
#include "codec/crc32c.h"
#include "codec/utf8.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/metadata_record.h"
#include "format/wal_object.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{8} << 20;
constexpr std::uint64_t kMaxValueBytes = std::uint64_t{16} << 20;
constexpr int kRecordsPerPage = 1000;
constexpr std::string_view kAfterAll = "\xf4\x8f\xbf\xbf";  // U+10FFFF: after every name in UTF-8

int Failed(const Status& status) {
  PrintError(status);
  return ExitCodeFor(status.code());
}

Result<ByteSource> OpenWal(Environment& environment, const std::string& source) {
  if (MeansFile(environment, source)) return OpenFileSource(source);
  Result<Deployment*> deployment = environment.Open(false);
  if (!deployment.ok()) {
    const bool absent = deployment.status().code() == StatusCode::kNotFound;
    if (environment.deployment_named() || !absent) return deployment.status();
    return NotFound("there is no such file; for an object's key name the deployment with --deployment")
        .With("source", source);
  }
  Result<ByteSource> object = OpenObjectSource(**deployment, source);
  if (object.status().code() == StatusCode::kNotFound) {
    return NotFound("there is no such object").With("key", source);
  }
  return object;
}

std::string Hex32(std::uint32_t value) { return fmt::format("{:08x}", value); }

Result<Description> DescribeWal(const ByteSource& source) {
  LS_ASSIGN(Buffer prefix, source.fetch(0, 8));
  const Result<std::uint64_t> header_size = WalHeaderSize(prefix.span(), source.size, source.name);
  if (header_size.ok()) {
    LS_ASSIGN(prefix, source.fetch(0, *header_size));
  }
  Description description = DescribeWalObject(prefix.span(), source.size, source.name);
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0; at < source.size; at += kPieceBytes) {
    LS_ASSIGN(const Buffer piece, source.fetch(at, kPieceBytes));
    crc = Crc32c(piece.span(), crc);
  }
  description.fields.Add("crc32c", JsonValue::String(Hex32(crc)));
  if (source.stored_crc32c) {
    description.fields.Add("stored_crc32c", JsonValue::String(Hex32(*source.stored_crc32c)));
    if (description.damage.ok() && crc != *source.stored_crc32c) {
      description.damage = Corrupt("the object does not match its checksum").With("object", source.name);
    }
  }
  return description;
}

/// Every record whose key lies in the range, in the store's order.
Status ScanRange(MetadataStore& meta, std::string from, std::string to,
                 const std::function<void(const MetadataRecord&)>& on_record) {
  KeyRange range;
  range.from = std::move(from);
  range.to = std::move(to);
  std::optional<std::string> cursor = "";
  while (cursor) {
    LS_ASSIGN(ScanPage page, Wait(meta.Scan(OpContext(), range, *cursor, kRecordsPerPage)));
    for (const MetadataRecord& record : page.records) on_record(record);
    cursor = std::move(page.next);
  }
  return OkStatus();
}

/// The record of a key, in whichever partition it is.
Result<MetadataRecord> FindRecord(MetadataStore& meta, const std::string& key) {
  std::vector<MetadataRecord> found;
  LS_TRY(ScanRange(meta, key, key + std::string(1, '\0'),
                   [&found](const MetadataRecord& record) { found.push_back(record); }));
  for (MetadataRecord& record : found) {
    if (record.key == key) return std::move(record);
  }
  return NotFound("there is no record with this key; list keys with \"lakestream inspect meta --keys PREFIX\"")
      .With("key", key);
}

JsonValue RecordHead(const MetadataRecord& record) {
  const KnownKey known = ClassifyKey(record.key);
  JsonValue head = JsonValue::Object();
  head.AddBytes("key", record.key).Add("kind", JsonValue::String(RecordKindName(known.kind)));
  if (known.kind != RecordKind::kUnknown) head.AddBytes("partition", known.partition);
  head.Add("version", JsonValue::Int(record.version)).Add("created_ms", JsonValue::Int(record.created_ms));
  if (record.ephemeral) {
    head.Add("session", JsonValue::String(record.session));
    if (record.process != 0) head.Add("process", JsonValue::Int(record.process));
  }
  head.Add("value_size", JsonValue::Int(static_cast<std::int64_t>(record.value.size())));
  return head;
}

Description DescribeWhole(const MetadataRecord& record) {
  Description value = DescribeRecord(record.key, record.value.span());
  Description whole;
  whole.fields = RecordHead(record);
  whole.damage = value.damage;
  if (const Result<IndexKey> key = IndexKey::Decode(record.key); key.ok()) {
    const JsonValue* const records = value.fields.Find("message_count");
    whole.fields.Add("log_id", JsonValue::Int(key->log.value()));
    if (records != nullptr) whole.fields.Add("start_offset", JsonValue::Int(key->end.value() - records->integer));
    whole.fields.Add("end_offset", JsonValue::Int(key->end.value()))
        .Add("cumulative_size", JsonValue::Int(key->cumulative_size));
  }
  whole.fields.Add("value", std::move(value.fields));
  return whole;
}

Result<std::string> DecodeHex(std::string_view text) {
  std::string bytes;
  int high = -1;
  for (const char c : text) {
    if (c == ' ' || c == '\n') continue;
    const std::string_view digits = "0123456789abcdef";
    const std::size_t digit = digits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
    if (digit == std::string_view::npos) return InvalidArgument("--hex takes hexadecimal digits").With("got", text);
    if (high < 0) {
      high = static_cast<int>(digit);
    } else {
      bytes += static_cast<char>(high << 4 | static_cast<int>(digit));
      high = -1;
    }
  }
  if (high >= 0) return InvalidArgument("--hex takes two digits a byte; one is missing");
  return bytes;
}

Result<std::string> IndexValueBytes(const InspectIndexOptions& options) {
  if (options.hex) return DecodeHex(*options.hex);
  if (options.base64) {
    Result<std::string> bytes = Base64Decode(*options.base64);
    if (!bytes.ok()) return InvalidArgument("--base64 takes Base64 with its padding").With("got", *options.base64);
    return bytes;
  }
  LS_ASSIGN(const ByteSource file, OpenFileSource(options.source));
  if (file.size > kMaxValueBytes) {
    return InvalidArgument("the file is too long for an index record's value")
        .With("file", options.source)
        .With("bytes", file.size);
  }
  LS_ASSIGN(const Buffer bytes, file.fetch(0, file.size));
  return std::string(bytes.text());
}

Result<Description> DescribeIndex(Environment& environment, const InspectIndexOptions& options) {
  if (options.hex || options.base64 || MeansFile(environment, options.source)) {
    LS_ASSIGN(const std::string bytes, IndexValueBytes(options));
    return DescribeEntryIndex(AsBytes(bytes), options.source.empty() ? "value" : options.source);
  }
  if (ClassifyKey(options.source).kind != RecordKind::kIndexRecord) {
    return NotFound("there is no such file, and an index record's key is three numbers of 20 digits joined by \"-\"")
        .With("source", options.source);
  }
  LS_ASSIGN(Deployment * deployment, environment.OpenUnchecked());
  LS_ASSIGN(const MetadataRecord record, FindRecord(deployment->metadata(), options.source));
  return DescribeWhole(record);
}

Status ListRecords(Environment& environment, MetadataStore& meta, const InspectMetaOptions& options) {
  Output& out = environment.out();
  std::int64_t count = 0;
  const auto print = [&](const MetadataRecord& record) {
    if (!record.key.starts_with(options.key) || out.closed()) return;
    if (options.json) {
      out.Write(DumpJson(RecordHead(record)) + "\n");
    } else {
      constexpr const char* kRow = "{:<17} {:>10} {:>6}  {:<24}  {}\n";
      if (count == 0) out.Write(fmt::format(kRow, "KIND", "VERSION", "BYTES", "CREATED", "KEY"));
      const KnownKey known = ClassifyKey(record.key);
      out.Write(fmt::format(kRow, RecordKindName(known.kind), record.version, record.value.size(),
                            UtcText(record.created_ms), Printable(record.key)));
    }
    ++count;
  };
  if (options.key.empty()) {
    LS_TRY(ScanRange(meta, std::string(1, '\0'), std::string(kAfterAll), print));
    LS_TRY(ScanRange(meta, "/", "/" + std::string(kAfterAll), print));
  } else {
    LS_TRY(ScanRange(meta, options.key, options.key + std::string(kAfterAll), print));
  }
  if (count == 0 && !environment.quiet()) PrintNote("no key begins so");
  return OkStatus();
}

int VerifyAll(Environment& environment, Deployment& deployment, bool json) {
  const Result<std::uint64_t> records = Wait(deployment.VerifyMetadata(OpContext()));
  if (!records.ok()) return Failed(records.status());
  Description whole;
  whole.fields.Add("verified_records", JsonValue::Int(static_cast<std::int64_t>(*records)));
  return PrintDescription(environment, std::move(whole), json);
}

}  // namespace

int RunInspectWal(Environment& environment, const InspectWalOptions& options) {
  const Result<ByteSource> source = OpenWal(environment, options.source);
  if (!source.ok()) return Failed(source.status());
  Result<Description> description = DescribeWal(*source);
  if (!description.ok()) return Failed(description.status());
  return PrintDescription(environment, *std::move(description), options.json);
}

int RunInspectIndex(Environment& environment, const InspectIndexOptions& options) {
  Result<Description> description = DescribeIndex(environment, options);
  if (!description.ok()) return Failed(description.status());
  return PrintDescription(environment, *std::move(description), options.json);
}

int RunInspectMeta(Environment& environment, const InspectMetaOptions& options) {
  const Result<Deployment*> deployment = environment.OpenUnchecked();
  if (!deployment.ok()) return Failed(deployment.status());
  if (options.verify) return VerifyAll(environment, **deployment, options.json);
  MetadataStore& meta = (*deployment)->metadata();
  if (options.keys || options.key.empty()) {
    const Status listed = ListRecords(environment, meta, options);
    return listed.ok() ? static_cast<int>(kExitOk) : Failed(listed);
  }
  const Result<MetadataRecord> record = FindRecord(meta, options.key);
  if (!record.ok()) return Failed(record.status());
  return PrintDescription(environment, DescribeWhole(*record), options.json);
}

}  // namespace lakestream
