#pragma once

#include <array>
#include <string_view>

namespace lakestream {

/// The calls that a MetadataStore and its sessions serve.
enum class MetadataOp {
  kRead,
  kPut,
  kCreateIfAbsent,
  kCreateEphemeral,
  kCompareAndSet,
  kDelete,
  kDeleteRange,
  kList,
  kScan,
  kSequencedPut,
  kOpenSession,
  kCloseSession,
  kAwaitChange,
};

inline constexpr std::array<MetadataOp, 13> kMetadataOps = {
    MetadataOp::kRead,          MetadataOp::kPut,    MetadataOp::kCreateIfAbsent, MetadataOp::kCreateEphemeral,
    MetadataOp::kCompareAndSet, MetadataOp::kDelete, MetadataOp::kDeleteRange,    MetadataOp::kList,
    MetadataOp::kScan,          MetadataOp::kSequencedPut, MetadataOp::kOpenSession,
    MetadataOp::kCloseSession,  MetadataOp::kAwaitChange,
};

/// For example "compare_and_set".
std::string_view MetadataOpName(MetadataOp op);

/// True where a lost answer leaves open whether the store changed. A session that nobody knows of is no change
/// that a reader can see, so opening one is not among them.
bool ChangesStore(MetadataOp op);

}  // namespace lakestream
