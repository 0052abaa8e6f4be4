#pragma once

#include <string>

#include "cli/environment.h"

namespace lakestream {

struct BackupOptions {
  std::string folder;  ///< to be made
  bool json = false;
};

struct RestoreOptions {
  std::string backup;  ///< a folder that backup made
  std::string to;      ///< a deployment's folder or configuration, without metadata
  bool json = false;
};

struct HoldListOptions {
  bool json = false;
};
struct HoldAddOptions {
  std::string name;
  std::string reason;
};
struct HoldReleaseOptions {
  std::string name;
};

int RunBackup(Environment& environment, const BackupOptions& options);
int RunRestore(Environment& environment, const RestoreOptions& options);
int RunHoldList(Environment& environment, const HoldListOptions& options);
int RunHoldAdd(Environment& environment, const HoldAddOptions& options);
int RunHoldRelease(Environment& environment, const HoldReleaseOptions& options);

}  // namespace lakestream
