#include "format/wal_object.h"

#include "fuzz/fuzz_target.h"

// The input is a whole object, and also the beginning of one that is far larger.

namespace lakestream {
namespace {

void CheckHeader(const WalHeader& header, ByteSpan object, std::uint64_t object_size) {
  LS_INVARIANT(header.header_size <= object.size() && header.header_size + header.payload_size == object_size,
               "header and payload make the object");
  std::size_t entries = 0;
  bool writable = !header.index.sections.empty();
  for (const WalSection& section : header.index.sections) {
    LS_INVARIANT(header.index.Find(section.log) == &section, "each section is found by its log");
    writable = writable && CheckWalSection(section).ok();
    entries += section.entries.size();
    for (const WalEntry& entry : section.entries) {
      LS_INVARIANT(entry.payload_offset >= 0 && entry.payload_size >= 0 && entry.record_count >= 1, "in range");
      LS_INVARIANT(static_cast<std::uint64_t>(entry.payload_offset) + static_cast<std::uint64_t>(entry.payload_size) <=
                       header.payload_size,
                   "each payload lies in the region");
    }
  }
  LS_INVARIANT(3 * entries <= header.header_size, "each entry has its bytes");
  const Result<Buffer> again = EncodeWalHeader(header.index.sections);
  LS_INVARIANT(again.ok() == writable, "what the encoder refuses is what CheckWalSection refuses");
  if (!writable) return;
  LS_INVARIANT(again->size() <= header.header_size, "the shortest form is written");
  LS_INVARIANT(again->size() < header.header_size || again->text() == AsText(object.first(header.header_size)),
               "the shortest form is the one that was read");
  const Result<WalHeader> back = DecodeWalHeader(again->span(), again->size() + header.payload_size, "o");
  LS_INVARIANT(back.ok() && back->index.sections == header.index.sections, "what is encoded comes back");
}

void Try(const char* decoder, ByteSpan object, std::uint64_t object_size) {
  const Result<WalHeader> header = DecodeWalHeader(object, object_size, "o");
  // A large one takes most of the time there is.
  if (object.size() < 200) {
    const Description shown = DescribeWalObject(object, object_size, "o");
    LS_INVARIANT(ParseJson(DumpJson(shown.fields), "o").ok(), "inspection shows what there is");
    LS_INVARIANT(header.ok() || !shown.damage.ok(), "and says that it is damaged");
  }
  if (!FuzzAnswer(decoder, header.status(), {StatusCode::kCorrupt}, {"object=o", "field=", "offset="})) return;
  const Result<std::uint64_t> size = WalHeaderSize(object.first(4), object_size, "o");
  LS_INVARIANT(size.ok() && *size == header->header_size, "four bytes tell the header's size");
  CheckHeader(*header, object, object_size);
}

}  // namespace

void FuzzOne(ByteSpan input) {
  Try("whole object", input, input.size());
  Try("beginning", input, input.size() + (std::uint64_t{1} << 33));
}

}  // namespace lakestream
