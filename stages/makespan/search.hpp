// The search for the least feasible target, several targets at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace terrace::stages {

/// Finds a target T of [LB, UB] that is feasible while the probed target before it is not. A round probes the targets
/// LB + floor(i (UB - LB) / (p + 1)), i = 1..p, equal ones once; the smallest feasible becomes UB, the target before
/// it plus 1 LB. UB itself needs no probe: it is feasible, or a schedule suffices that is known without tables (Li's
/// Algorithm 3, with the cut as it is described here).
class TargetSearch {
 public:
  static constexpr std::int64_t most_probes = 64;

  /// @param probes in [1, most_probes] @param upper - lower at most 2^56
  TargetSearch(std::int64_t lower, std::int64_t upper, std::int64_t probes);

  bool done() const { return lower_ >= upper_; }
  /// The targets of the round, rising and all different; empty once it is done.
  const std::vector<std::int64_t>& targets() const { return targets_; }
  /// Ends the round. @param first_feasible the smallest feasible one of targets(), by its index; their number: none
  void advance(std::int64_t first_feasible);

  std::int64_t lower() const { return lower_; }
  std::int64_t upper() const { return upper_; }
  std::int64_t rounds() const { return rounds_; }
  /// The probe that made upper(): round and index of the target; nullopt if none was feasible.
  struct Probe {
    std::int64_t round, index;
  };
  const std::optional<Probe>& best() const { return best_; }

 private:
  void choose_targets();

  std::int64_t lower_, upper_, probes_;
  std::int64_t rounds_ = 0;
  std::vector<std::int64_t> targets_;
  std::optional<Probe> best_;
};

}  // namespace terrace::stages
