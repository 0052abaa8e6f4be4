#pragma once

#include <map>
#include <string>
#include <vector>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/catalog/catalog_access.h"

namespace lakestream {

/// The namespaces' records. Calls as StreamCatalog has them.
class Namespaces {
 public:
  explicit Namespaces(CatalogAccess access) : access_(access) {}

  Task<Status> Create(OpContext context, std::string ns, std::map<std::string, std::string> properties);
  Task<Result<std::map<std::string, std::string>>> Load(OpContext context, std::string ns);
  Task<Result<std::vector<std::string>>> List(OpContext context);
  Task<Result<bool>> Drop(OpContext context, std::string ns);

 private:
  Task<Result<bool>> HasStreams(OpContext context, std::string ns);

  CatalogAccess access_;
};

}  // namespace lakestream
