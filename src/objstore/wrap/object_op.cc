#include "objstore/wrap/object_op.h"

namespace lakestream {

std::string_view ObjectOpName(ObjectOp op) {
  switch (op) {
    case ObjectOp::kPut: return "put";
    case ObjectOp::kGet: return "get";
    case ObjectOp::kHead: return "head";
    case ObjectOp::kList: return "list";
    case ObjectOp::kDelete: return "delete";
    case ObjectOp::kStartUpload: return "start_upload";
    case ObjectOp::kAppend: return "append";
    case ObjectOp::kComplete: return "complete";
    case ObjectOp::kAbort: return "abort";
    case ObjectOp::kRemoveLeftovers: return "remove_leftovers";
  }
  return "unknown";
}

bool ChangesStore(ObjectOp op) {
  switch (op) {
    case ObjectOp::kPut:
    case ObjectOp::kDelete:
    case ObjectOp::kAppend:
    case ObjectOp::kComplete:
    case ObjectOp::kAbort:
    case ObjectOp::kRemoveLeftovers: return true;
    case ObjectOp::kGet:
    case ObjectOp::kHead:
    case ObjectOp::kList:
    case ObjectOp::kStartUpload: return false;
  }
  return false;
}

}  // namespace lakestream
