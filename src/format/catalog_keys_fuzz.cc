#include "format/catalog_records.h"

#include <algorithm>

#include "fuzz/fuzz_target.h"

// The input is a key, and also a namespace and a stream's name with "/" between them.

namespace lakestream {
namespace {

bool Inside(const KeyBounds& bounds, const std::string& key) { return bounds.first <= key && key < bounds.end; }

void CheckNames(std::string_view ns, std::string_view name) {
  for (const std::string_view text : {ns, name}) {
    LS_INVARIANT(!text.empty() && text.size() <= 200 && text != "." && text != "..", "names are short and real");
    const bool plain = std::none_of(text.begin(), text.end(), [](char c) {
      return c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    LS_INVARIANT(plain && text.find(".parquet") == std::string_view::npos, "names are plain");
  }
  const std::optional<PartitionName> back = ParsePartitionKey(PartitionKeyOf(ns, name, 2147483647));
  LS_INVARIANT(back && back->ns == ns && back->name == name && back->partition == 2147483647, "names come back");
  LS_INVARIANT(Inside(NamespaceKeys(), NamespaceKey(ns)), "listings of namespaces see it");
  LS_INVARIANT(Inside(StreamConfigKeys(ns), StreamConfigKey(ns, name)), "listings of streams see it");
  LS_INVARIANT(!Inside(StreamConfigKeys(ns), StreamTombstoneKey(ns, name)), "a tombstone is no stream");
}

}  // namespace

void FuzzOne(ByteSpan input) {
  const std::string_view text = AsText(input);
  const std::optional<PartitionName> name = ParsePartitionKey(text);
  if (FuzzAnswer("partition key", name.has_value())) {
    LS_INVARIANT(PartitionKeyOf(name->ns, name->name, name->partition) == text, "there is one form of a key");
    CheckNames(name->ns, name->name);
  }
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view ns = text.substr(0, slash);
  const std::string_view stream = slash < text.size() ? text.substr(slash + 1) : "";
  (void)FuzzAnswer("namespace", CheckNamespaceName(ns), {StatusCode::kInvalidArgument}, {"field=namespace"});
  if (FuzzAnswer("stream", CheckStreamName(ns, stream), {StatusCode::kInvalidArgument}, {"field="})) CheckNames(ns, stream);
}

}  // namespace lakestream
