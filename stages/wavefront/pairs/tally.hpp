// Reports of blocks of pairs.
#pragma once

#include <cstdint>
#include <string>

#include "pipeline/run/tally.hpp"
#include "stages/wavefront/pairs/plan.hpp"

namespace terrace::stages {

class AlignedPairsPlan;

/// The first pair whose score is not finite, and the pairs that count (PairsPlan::found()).
class PairsTally : public run::Tally {
 public:
  /// @param plan outlives the tally
  explicit PairsTally(const PairsPlan& plan);

  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;
  std::string fault() const override;

 private:
  void fold_alignments(PairsPhase::Kind kind, bool last, const void* result);

  const PairsPlan& plan_;
  const AlignedPairsPlan* aligned_;      // the plan if it aligns pairs, else null
  std::int64_t row_ = -1, column_ = -1;  // of that pair; -1: there is none
};

}  // namespace terrace::stages
