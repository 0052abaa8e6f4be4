#include "bindings/entry_binding.h"

#include "bindings/kafka/kafka_binding.h"
#include "bindings/raw/raw_binding.h"

namespace lakestream {

const EntryBinding& EntryBindingFor(Binding binding) {
  static const RawBinding raw;
  static const KafkaBinding kafka;
  if (binding == Binding::kKafka) return kafka;
  return raw;
}

}  // namespace lakestream
