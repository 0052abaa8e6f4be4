#include "meta/wrap/metadata_op.h"

namespace lakestream {

std::string_view MetadataOpName(MetadataOp op) {
  switch (op) {
    case MetadataOp::kRead: return "read";
    case MetadataOp::kPut: return "put";
    case MetadataOp::kCreateIfAbsent: return "create_if_absent";
    case MetadataOp::kCreateEphemeral: return "create_ephemeral";
    case MetadataOp::kCompareAndSet: return "compare_and_set";
    case MetadataOp::kDelete: return "delete";
    case MetadataOp::kDeleteRange: return "delete_range";
    case MetadataOp::kList: return "list";
    case MetadataOp::kScan: return "scan";
    case MetadataOp::kSequencedPut: return "sequenced_put";
    case MetadataOp::kOpenSession: return "open_session";
    case MetadataOp::kCloseSession: return "close_session";
    case MetadataOp::kAwaitChange: return "await_change";
  }
  return "unknown";
}

bool ChangesStore(MetadataOp op) {
  switch (op) {
    case MetadataOp::kPut:
    case MetadataOp::kCreateIfAbsent:
    case MetadataOp::kCreateEphemeral:
    case MetadataOp::kCompareAndSet:
    case MetadataOp::kDelete:
    case MetadataOp::kDeleteRange:
    case MetadataOp::kSequencedPut:
    case MetadataOp::kCloseSession: return true;
    case MetadataOp::kRead:
    case MetadataOp::kList:
    case MetadataOp::kScan:
    case MetadataOp::kOpenSession:
    case MetadataOp::kAwaitChange: return false;
  }
  return false;
}

}  // namespace lakestream
