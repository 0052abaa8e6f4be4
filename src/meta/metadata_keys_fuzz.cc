#include <limits>
#include <string>

#include "fuzz/fuzz_target.h"
#include "meta/page_cursor.h"
#include "meta/sequence.h"

// The input is a page's cursor, and the key that a sequenced put finds. The keys of a store may be foreign.

namespace lakestream {
namespace {

constexpr std::string_view kPrefix = "00000000000000000007";

void TryCursor(const std::string& cursor, int only_shard) {
  KeyRange range;
  range.from = "b";
  range.to = "y";
  const Result<PagePosition> position = DecodePageCursor(range, only_shard, 4, cursor);
  if (!FuzzAnswer("cursor", position.status(), {StatusCode::kInvalidArgument})) return;
  LS_INVARIANT(position->shard >= 0 && position->shard < 4, "the shard exists");
  LS_INVARIANT(only_shard < 0 || position->shard == only_shard, "and is the one that is asked for");
  LS_INVARIANT(!MetadataKeyLess(position->key, range.from) && MetadataKeyLess(position->key, range.to), "in the range");
  if (cursor.empty()) return;
  const Result<PagePosition> back =
      DecodePageCursor(range, only_shard, 4, EncodePageCursor(position->shard, position->key));
  LS_INVARIANT(back.ok() && back->shard == position->shard && back->key == position->key, "a cursor comes back");
}

void TrySequence(const std::string& greatest, std::int64_t first, std::int64_t second) {
  const Result<std::string> key = NextSequencedKey(kPrefix, greatest, first, second);
  if (!FuzzAnswer("sequence", key.status(), {StatusCode::kInvalidArgument, StatusCode::kCorrupt})) return;
  LS_INVARIANT(key->size() == 62 && key->starts_with(kPrefix), "a key of the sequence");
  LS_INVARIANT(*key < SequenceUpperBound(kPrefix), "below the bound that the next put looks under");
  const bool continues = greatest.starts_with(std::string(kPrefix) + "-");
  LS_INVARIANT(!continues || first == 0 || greatest < *key, "the sequence goes up");
}

}  // namespace

void FuzzOne(ByteSpan input) {
  const std::string text(AsText(input));
  for (const int only_shard : {-1, 2}) TryCursor(text, only_shard);
  TrySequence(text, 1, 5);
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  TrySequence(text, kMax, kMax);
}

}  // namespace lakestream
