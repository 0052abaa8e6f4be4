#pragma once

#include <optional>
#include <string>

#include "cli/environment.h"

namespace lakestream {

// What is stored, field by field. Each command prints what can be read even where something is damaged, and then
// ends with the damage's exit code.

struct InspectWalOptions {
  std::string source;  ///< a file, "-" for standard input, or an object's key
  bool json = false;
};

struct InspectIndexOptions {
  std::string source;  ///< a record's key, a file with its value, or "-"; empty where one of the next two is set
  std::optional<std::string> hex;
  std::optional<std::string> base64;
  bool json = false;
};

struct InspectMetaOptions {
  std::string key;    ///< of one record, or the prefix of a listing
  bool keys = false;  ///< list the records whose keys begin with `key`
  bool verify = false;  ///< check all records instead
  bool json = false;
};

int RunInspectWal(Environment& environment, const InspectWalOptions& options);
int RunInspectIndex(Environment& environment, const InspectIndexOptions& options);
int RunInspectMeta(Environment& environment, const InspectMetaOptions& options);

}  // namespace lakestream
