#pragma once

#include <array>
#include <string_view>

namespace lakestream {

/// The requests that an ObjectStore and its uploads serve.
enum class ObjectOp { kPut, kGet, kHead, kList, kDelete, kStartUpload, kAppend, kComplete, kAbort, kRemoveLeftovers };

inline constexpr std::array<ObjectOp, 10> kObjectOps = {
    ObjectOp::kPut,         ObjectOp::kGet,    ObjectOp::kHead,     ObjectOp::kList,  ObjectOp::kDelete,
    ObjectOp::kStartUpload, ObjectOp::kAppend, ObjectOp::kComplete, ObjectOp::kAbort,
    ObjectOp::kRemoveLeftovers,
};

/// For example "start_upload".
std::string_view ObjectOpName(ObjectOp op);

/// True where a lost answer leaves open whether the store changed. An upload that nobody knows of is no
/// change that a reader can see, so starting one is not among them.
bool ChangesStore(ObjectOp op);

}  // namespace lakestream
