#pragma once

#include <cstdint>
#include <functional>

#include "objstore/object_store.h"
#include "runtime/random.h"

namespace lakestream::sim {

/// Flips a bit of the header or the index region of a WAL object in what a Get answers, now and then: never one that
/// the format cannot notice. Payloads have no checksum, and nothing else says where in the payload region an entry
/// begins.
class DamagedReads final : public ForwardingObjectStore {
 public:
  /// `inner`, and `whole`, which gives objects as they are, outlive this. `damaged` is told of each flip.
  DamagedReads(ObjectStore& inner, ObjectStore& whole, std::function<void()> damaged);
  /// In 10 000 Gets; null or 0 for none.
  void Trouble(Random* random, int rate);

  Task<Result<Buffer>> Get(OpContext context, std::string key, ByteRange range) override;

 private:
  ObjectStore& whole_;
  const std::function<void()> damaged_;
  Random* random_ = nullptr;
  int rate_ = 0;
};

}  // namespace lakestream::sim
