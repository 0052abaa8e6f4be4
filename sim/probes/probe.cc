#include "sim/probes/probe.h"

#include <algorithm>

namespace lakestream::sim {
namespace {

std::vector<Probe>& Registered() {
  static std::vector<Probe> probes;
  return probes;
}

}  // namespace

ProbeRegistration::ProbeRegistration(Probe probe) { Registered().push_back(probe); }

const std::vector<Probe>& AllProbes() {
  std::vector<Probe>& probes = Registered();
  std::sort(probes.begin(), probes.end(),
            [](const Probe& a, const Probe& b) { return std::string_view(a.name) < b.name; });
  return probes;
}

const Probe* FindProbe(std::string_view name) {
  for (const Probe& probe : AllProbes()) {
    if (name == probe.name) return &probe;
  }
  return nullptr;
}

}  // namespace lakestream::sim
