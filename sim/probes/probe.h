#pragma once

#include <string_view>
#include <vector>

#include "sim/evidence.h"

namespace lakestream::sim {

/// A rare state that runs must reach now and then: else a simulation quietly shows nothing of it. A static
/// ProbeRegistration adds it to the list.
struct Probe {
  const char* name;
  const char* says;
  bool (*hit)(const Evidence&);
};

/// By name.
const std::vector<Probe>& AllProbes();
const Probe* FindProbe(std::string_view name);

struct ProbeRegistration {
  explicit ProbeRegistration(Probe probe);
};

}  // namespace lakestream::sim
