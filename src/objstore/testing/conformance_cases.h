#pragma once

#include <vector>

#include "objstore/testing/object_store_conformance.h"

namespace lakestream::internal {

void AddObjectCases(std::vector<ObjectStoreCase>& cases);
void AddListCases(std::vector<ObjectStoreCase>& cases);
void AddKeyCases(std::vector<ObjectStoreCase>& cases);
void AddUploadCases(std::vector<ObjectStoreCase>& cases);
void AddStreamCases(std::vector<ObjectStoreCase>& cases);

}  // namespace lakestream::internal
