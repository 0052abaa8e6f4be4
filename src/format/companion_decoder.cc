#include "format/companion_decoder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/checked.h"
#include "base/try.h"
#include "codec/base64.h"
#include "codec/byte_reader.h"
#include "format/companion_layout.h"
#include "format/json.h"
#include "format/log_records.h"
#include "format/row_metadata.h"

namespace lakestream {

namespace {

constexpr std::size_t kWindowBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxElementBytes = std::size_t{4} << 10;
constexpr std::uint64_t kMaxBytesBesides = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxBytesOfRow = 512;
constexpr std::size_t kLengthBytes = 4;

std::uint64_t MaxBytes(std::size_t max_rows) {
  const std::optional<std::uint64_t> rows = CheckedMul<std::uint64_t>(max_rows, kMaxBytesOfRow);
  const std::optional<std::uint64_t> bytes = rows ? CheckedAdd(*rows, kMaxBytesBesides) : rows;
  return bytes.value_or(std::numeric_limits<std::uint64_t>::max());
}

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// The bytes of the row that `text` begins with, at its brace, or 0 where it does not end there. Whether it is JSON is
/// for the parser to say. `member`: of a member of the map, at its name, up to its comma or the map's end.
std::size_t ExtentOf(std::string_view text, bool member) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (member && depth == 0 && (c == ',' || c == '}' || c == ']')) {
      return i;
    } else if (c == '}' || c == ']') {
      if (--depth == 0 && !member) return i + 1;
    }
  }
  return 0;
}

/// What stands before the next quote.
std::optional<std::string_view> UntilQuote(std::string_view text) {
  const std::size_t at = text.find('"');
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(0, at);
}

struct PlainRow {
  LogEntryHeader header;
  std::size_t bytes = 0;
};

/// A row exactly as our writer and Ursa's make it. Anything else is for the JSON parser, right or wrong.
std::optional<PlainRow> ReadPlainRow(std::string_view text, std::string& bytes) {
  if (!text.starts_with(kRowBegin)) return std::nullopt;
  std::string_view rest = text.substr(kRowBegin.size());
  const std::optional<std::string_view> packed = UntilQuote(rest);
  if (!packed) return std::nullopt;
  rest.remove_prefix(packed->size());
  if (!rest.starts_with(kRowMiddle)) return std::nullopt;
  rest.remove_prefix(kRowMiddle.size());
  const std::optional<std::string_view> offset = UntilQuote(rest);
  if (!offset) return std::nullopt;
  rest.remove_prefix(offset->size());
  if (!rest.starts_with(kRowEnd)) return std::nullopt;
  rest.remove_prefix(kRowEnd.size());
  if (!Base64DecodeInto(*packed, &bytes).ok()) return std::nullopt;
  const Result<RowMetadata> metadata = DecodeRowMetadata(AsBytes(bytes), "");
  if (!metadata.ok() || ParseDecimal(*offset) != metadata->header.offset.value()) return std::nullopt;
  return PlainRow{metadata->header, text.size() - rest.size()};
}

struct PlainMember {
  std::int64_t offset = 0;
  std::int64_t row = 0;
  std::size_t bytes = 0;
};

/// `"2":1`, and behind it a comma or the end of the map. Requires: it begins with a quote.
std::optional<PlainMember> ReadPlainMember(std::string_view text) {
  const std::optional<std::string_view> name = UntilQuote(text.substr(1));
  if (!name) return std::nullopt;
  const std::string_view rest = text.substr(name->size() + 2);
  if (rest.empty() || rest[0] != ':') return std::nullopt;
  const std::size_t end = rest.find_first_of(",}");
  if (end == std::string_view::npos) return std::nullopt;
  const std::optional<std::int64_t> offset = ParseDecimal(*name);
  const std::optional<std::int64_t> row = ParseDecimal(rest.substr(1, end - 1));
  if (!offset || !row) return std::nullopt;
  return PlainMember{*offset, *row, text.size() - rest.size() + end};
}

}  // namespace

CompanionDecoder::CompanionDecoder(std::string_view object, std::size_t max_rows)
    : object_(object), max_rows_(max_rows), max_bytes_(MaxBytes(max_rows)), window_(kWindowBytes) {}

std::string_view CompanionDecoder::field() const {
  if (state_ == State::kLength) return in_map_ ? "map.length" : "block.length";
  return in_map_ ? "map" : "block.rows";
}

Status CompanionDecoder::Fail(std::string_view sentence) const {
  return CorruptAt(sentence, object_, field(), position());
}

Status CompanionDecoder::InElement(const Status& status) const {
  const Status placed = status.With("in", field()).With("element_at", position());
  return in_map_ ? placed : placed.With("row", companion_.rows());
}

std::string_view CompanionDecoder::text() const {
  return AsText(ByteSpan(window_).subspan(begin_, std::min<std::uint64_t>(left_, end_ - begin_)));
}

void CompanionDecoder::Skip(std::size_t bytes) {
  begin_ += bytes;
  left_ -= bytes;
}

Status CompanionDecoder::Feed(ByteSpan bytes) {
  if (status_.ok()) status_ = Take(bytes);
  return status_;
}

Status CompanionDecoder::Take(ByteSpan bytes) {
  for (;;) {
    // What is left is part of one element, and far smaller than the window.
    std::memmove(window_.data(), window_.data() + begin_, end_ - begin_);
    base_ += begin_;
    end_ -= std::exchange(begin_, 0);
    const std::span<std::uint8_t> room = std::span(window_).subspan(end_);
    const Result<std::size_t> made = gzip_.Read(&bytes, room);
    if (!made.ok()) return made.status().With("object", object_).With("field", "gzip").With("offset", base_ + end_);
    end_ += *made;
    if (base_ + end_ > max_bytes_) {
      return ResourceExhausted("companion decompresses to more than is taken")
          .With("object", object_)
          .With("limit", max_bytes_);
    }
    LS_TRY(Parse());
    if (*made < room.size() && bytes.empty()) return OkStatus();
  }
}

Status CompanionDecoder::Parse() {
  for (;;) {
    LS_ASSIGN(const bool more, Step());
    if (!more) return OkStatus();
  }
}

CompanionDecoder::Look CompanionDecoder::LookAtToken(char* token) {
  const std::string_view rest = text();
  const auto at = std::find_if_not(rest.begin(), rest.end(), IsSpace);
  Skip(static_cast<std::size_t>(at - rest.begin()));
  if (left_ == 0) return Look::kEnd;
  if (at == rest.end()) return Look::kMore;
  *token = *at;
  return Look::kByte;
}

Result<bool> CompanionDecoder::Step() {
  if (state_ == State::kLength) return TakeLength();
  if (state_ == State::kEnd) {
    if (begin_ < end_) return Fail("bytes follow the offset map");
    return false;
  }
  char token = 0;
  const Look look = LookAtToken(&token);
  if (look == Look::kMore) return false;
  if (state_ == State::kAfter) {
    if (look == Look::kByte) return Fail("bytes follow the json within its length");
    LS_TRY(EndText());
    return true;
  }
  if (look == Look::kEnd) return Fail("json does not end within its length");
  const bool closes = token == (in_map_ ? '}' : ']');
  switch (state_) {
    case State::kOpen:
      if (token != (in_map_ ? '{' : '[')) return Fail(in_map_ ? "offset map is not an object" : "rows are not an array");
      state_ = State::kFirst;
      break;
    case State::kFirst:
      if (!closes) return TakeElement();
      state_ = State::kAfter;
      break;
    case State::kNext:
      if (token != ',' && !closes) return Fail("json has neither a comma nor its end here");
      state_ = closes ? State::kAfter : State::kElement;
      break;
    default: return TakeElement();
  }
  Skip(1);
  return true;
}

Result<bool> CompanionDecoder::TakeLength() {
  if (end_ - begin_ < kLengthBytes) return false;
  LS_ASSIGN(const std::int32_t length, ByteReader(ByteSpan(window_).subspan(begin_, kLengthBytes), object_).ReadInt32(""));
  if (length == kCompanionSentinel && !in_map_) {
    in_map_ = true;
    named_.resize(companion_.rows());
    begin_ += kLengthBytes;
    return true;
  }
  if (length < 2) return Fail("length is too short for json").With("length", length);
  if (empty_block_ && !in_map_) return Fail("a block without rows is not the last one");
  begin_ += kLengthBytes;
  left_ = static_cast<std::uint64_t>(length);
  elements_ = 0;
  state_ = State::kOpen;
  return true;
}

Status CompanionDecoder::EndText() {
  if (!in_map_) {
    empty_block_ = elements_ == 0;
    state_ = State::kLength;
    return OkStatus();
  }
  if (elements_ < companion_.rows()) {
    return Fail("offset map lacks rows").With("members", elements_).With("rows", companion_.rows());
  }
  state_ = State::kEnd;
  return OkStatus();
}

Result<bool> CompanionDecoder::TakeElement() {
  const std::string_view rest = text();
  const std::string_view reach = rest.substr(0, kMaxElementBytes);
  LS_ASSIGN(const std::size_t used, in_map_ ? TakeMember(reach) : TakeRow(reach));
  if (used == 0) {
    if (rest.size() >= kMaxElementBytes) {
      return Fail(in_map_ ? "member of the offset map is too long" : "row is too long").With("limit", kMaxElementBytes);
    }
    if (rest.size() == left_) return Fail("json does not end within its length");
    return false;
  }
  Skip(used);
  ++elements_;
  state_ = State::kNext;
  return true;
}

Result<std::size_t> CompanionDecoder::TakeRow(std::string_view rest) {
  if (rest[0] != '{') return Fail("row is not an object");
  if (const std::optional<PlainRow> plain = ReadPlainRow(rest, metadata_)) {
    LS_TRY(AddRow(plain->header));
    return plain->bytes;
  }
  const std::size_t bytes = ExtentOf(rest, false);
  if (bytes == 0) return bytes;
  const Result<LogEntryHeader> header = ReadRow(rest.substr(0, bytes));
  if (!header.ok()) return InElement(header.status());
  LS_TRY(AddRow(*header));
  return bytes;
}

Result<LogEntryHeader> CompanionDecoder::ReadRow(std::string_view row) const {
  LS_ASSIGN(JsonFields fields, JsonFields::Parse(row, object_));
  LS_ASSIGN(const std::string packed, fields.TakeString("metadata"));
  LS_ASSIGN(const std::string offset, fields.TakeString("offset"));
  const Result<std::string> bytes = Base64Decode(packed);
  if (!bytes.ok()) return bytes.status().With("object", object_).With("field", "metadata");
  LS_ASSIGN(const RowMetadata metadata, DecodeRowMetadata(AsBytes(*bytes), object_));
  if (ParseDecimal(offset) != metadata.header.offset.value()) {
    return fields.Fail("offset of a row is not that of its metadata", "offset")
        .With("value", offset)
        .With("metadata_offset", metadata.header.offset.value());
  }
  return metadata.header;
}

Status CompanionDecoder::AddRow(const LogEntryHeader& header) {
  if (companion_.rows() == max_rows_) {
    return ResourceExhausted("companion has more rows than are taken").With("object", object_).With("limit", max_rows_);
  }
  const Status added = companion_.Add(header);
  return added.ok() ? added : InElement(added.As(StatusCode::kCorrupt).With("object", object_));
}

Result<std::size_t> CompanionDecoder::TakeMember(std::string_view rest) {
  if (rest[0] != '"') return Fail("member of the offset map has no name");
  if (const std::optional<PlainMember> plain = ReadPlainMember(rest)) {
    LS_TRY(AddMember(plain->offset, plain->row));
    return plain->bytes;
  }
  const std::size_t bytes = ExtentOf(rest, true);
  if (bytes == 0) return bytes;
  Result<JsonFields> fields = JsonFields::Parse("{" + std::string(rest.substr(0, bytes)) + "}", object_);
  if (!fields.ok()) return InElement(fields.status());
  const std::vector<JsonMember> members = fields->TakeRest();
  if (members.size() != 1 || members[0].value.kind != JsonValue::Kind::kInt) {
    return Fail("row in the offset map is not an integer");
  }
  LS_TRY(AddMember(ParseDecimal(members[0].name), members[0].value.integer));
  return bytes;
}

Status CompanionDecoder::AddMember(std::optional<std::int64_t> offset, std::int64_t row) {
  if (!std::in_range<std::size_t>(row) || static_cast<std::size_t>(row) >= companion_.rows()) {
    return Fail("offset map names a row that is not there").With("row", row).With("rows", companion_.rows());
  }
  const auto at = static_cast<std::size_t>(row);
  if (offset != companion_.OffsetOf(at).value()) {
    return Fail("offset map disagrees with its row").With("row", row).With("row_offset", companion_.OffsetOf(at).value());
  }
  if (named_[at]) return Fail("offset map names a row twice").With("row", row);
  named_[at] = true;
  return OkStatus();
}

Result<Companion> CompanionDecoder::Finish() {
  LS_TRY(status_);
  const Status whole = gzip_.CheckEnd();
  if (!whole.ok()) return whole.With("object", object_).With("field", "gzip").With("offset", base_ + end_);
  if (state_ != State::kEnd) return CorruptAt("companion ends too early", object_, field(), base_ + end_);
  companion_.ShrinkToFit();
  return std::move(companion_);
}

Result<Companion> DecodeCompanion(ByteSpan bytes, std::string_view object, std::size_t max_rows) {
  CompanionDecoder decoder(object, max_rows);
  LS_TRY(decoder.Feed(bytes));
  return decoder.Finish();
}

}  // namespace lakestream
