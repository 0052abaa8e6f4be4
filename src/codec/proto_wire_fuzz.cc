#include "codec/proto_wire.h"

#include <string>

#include "fuzz/fuzz_target.h"

namespace lakestream {
namespace {

constexpr std::uint64_t kBase = 1000;

void CheckField(const WireField& field, ByteSpan read, std::uint64_t offset) {
  LS_INVARIANT(field.offset == offset && field.number > 0 && field.number < (1u << 29), "the tag is where it began");
  std::string again;
  if (field.type == WireType::kVarint) {
    AppendVarintField(again, field.number, static_cast<std::int64_t>(field.varint));
  } else if (field.type == WireType::kBytes) {
    LS_INVARIANT(field.bytes.data() + field.bytes.size() == read.data() + read.size(), "the bytes end the field");
    LS_INVARIANT(field.bytes_at + field.bytes.size() == offset + read.size(), "bytes_at is where they begin");
    AppendBytesField(again, field.number, AsText(field.bytes));
  } else {
    return;
  }
  LS_INVARIANT(again.size() <= read.size(), "the shortest form is written");
  LS_INVARIANT(again.size() < read.size() || AsText(read) == again, "the shortest form is the one that was read");
}

}  // namespace

void FuzzOne(ByteSpan input) {
  ByteReader reader(input, "o", kBase);
  while (!reader.done()) {
    const std::uint64_t offset = reader.offset();
    const Result<WireField> field = ReadWireField(reader);
    if (!FuzzAnswer("field", field.status(), {StatusCode::kCorrupt}, {"object=o", "field=", "offset="})) return;
    LS_INVARIANT(reader.offset() > offset, "a field has bytes");
    CheckField(*field, input.subspan(offset - kBase, reader.offset() - offset), offset);
  }
  FuzzAnswer("message", true);
}

}  // namespace lakestream
