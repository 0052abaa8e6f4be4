#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace lakestream::models {

/// Visits every state that can be reached, nearest first, so that the first way to a bad one is a shortest one.
/// State: bytes alone, without padding. Memory: its size and 14 to 22 bytes for each state, and 8 for each edge kept.
template <class State>
class Explorer {
 public:
  static_assert(std::has_unique_object_representations_v<State>);

  /// Calls `step(state)` for each state, which calls Reach() for each that follows; stops at `most` states, or when it
  /// is bad in the way `until`. Returns whether all were visited. `keep_edges`: for CannotReach.
  template <class StepFunction>
  bool Run(const State& first, std::size_t most, const std::string& until, bool keep_edges, StepFunction step) {
    keep_edges_ = keep_edges;
    table_.assign(std::size_t{1} << 12, 0);
    at_ = kNone;
    Reach(first, 0);
    for (at_ = 0; at_ < states_.size(); ++at_) {
      if (states_.size() >= most || bad_.contains(until)) return false;
      const State state = states_[at_];
      step(state);
    }
    return true;
  }

  /// From the state that `step` looks at, by a step with this label. Returns the number of the state.
  std::uint32_t Reach(const State& state, std::uint16_t label) {
    if (states_.size() * 2 > table_.size()) Grow();
    std::size_t slot = HashOf(state) & (table_.size() - 1);
    while (table_[slot] != 0 && std::memcmp(&states_[table_[slot] - 1], &state, sizeof(State)) != 0)
      slot = (slot + 1) & (table_.size() - 1);
    if (table_[slot] == 0) {
      states_.push_back(state);
      parents_.push_back(at_);
      labels_.push_back(label);
      table_[slot] = static_cast<std::uint32_t>(states_.size());
    }
    const std::uint32_t reached = table_[slot] - 1;
    if (keep_edges_ && at_ != kNone) edges_.push_back(Edge{at_, reached});
    return reached;
  }

  /// The state that `step` looks at is bad in this way, or the one that was just reached. The first one is kept.
  void Bad(const std::string& how) { bad_.emplace(how, at_); }
  void BadAt(const std::string& how, std::uint32_t state) { bad_.emplace(how, state); }
  const std::map<std::string, std::uint32_t>& bad() const { return bad_; }

  /// The labels on the way to a state.
  std::vector<std::uint16_t> WayTo(std::uint32_t state) const {
    std::vector<std::uint16_t> way;
    for (; parents_[state] != kNone; state = parents_[state]) way.insert(way.begin(), labels_[state]);
    return way;
  }

  /// The states from which none that is `good` can be reached. Requires: Run with `keep_edges` visited all.
  std::vector<std::uint32_t> CannotReach(const std::function<bool(const State&)>& good) const {
    std::vector<std::uint32_t> begin(states_.size() + 2, 0);
    for (const Edge& edge : edges_) ++begin[edge.to + 2];
    for (std::size_t i = 2; i < begin.size(); ++i) begin[i] += begin[i - 1];
    std::vector<std::uint32_t> from(edges_.size());
    for (const Edge& edge : edges_) from[begin[edge.to + 1]++] = edge.from;
    std::vector<bool> reaches(states_.size(), false);
    std::vector<std::uint32_t> left;
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
      if (good(states_[i])) left.push_back(i);
    }
    for (const std::uint32_t i : left) reaches[i] = true;
    while (!left.empty()) {
      const std::uint32_t state = left.back();
      left.pop_back();
      for (std::uint32_t i = begin[state]; i < begin[state + 1]; ++i) {
        if (reaches[from[i]]) continue;
        reaches[from[i]] = true;
        left.push_back(from[i]);
      }
    }
    std::vector<std::uint32_t> stuck;
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
      if (!reaches[i]) stuck.push_back(i);
    }
    return stuck;
  }

  std::size_t size() const { return states_.size(); }

 private:
  struct Edge {
    std::uint32_t from;
    std::uint32_t to;
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  static std::size_t HashOf(const State& state) {
    std::uint64_t hash = 1469598103934665603u;
    const auto* bytes = reinterpret_cast<const unsigned char*>(&state);
    for (std::size_t i = 0; i < sizeof(State); ++i) hash = (hash ^ bytes[i]) * 1099511628211u;
    return static_cast<std::size_t>(hash ^ (hash >> 29));
  }

  void Grow() {
    std::vector<std::uint32_t> table(table_.size() * 2, 0);
    for (std::uint32_t i = 0; i < states_.size(); ++i) {
      std::size_t slot = HashOf(states_[i]) & (table.size() - 1);
      while (table[slot] != 0) slot = (slot + 1) & (table.size() - 1);
      table[slot] = i + 1;
    }
    table_ = std::move(table);
  }

  bool keep_edges_ = false;
  std::uint32_t at_ = kNone;
  std::vector<State> states_;
  std::vector<std::uint32_t> parents_;
  std::vector<std::uint16_t> labels_;
  std::vector<std::uint32_t> table_;  ///< open addressing; state number + 1
  std::vector<Edge> edges_;
  std::map<std::string, std::uint32_t> bad_;
};

}  // namespace lakestream::models
