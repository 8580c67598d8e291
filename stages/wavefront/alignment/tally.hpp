// The results of an alignment: the score of the table, the boxes that were swept, and the path.
#pragma once

#include <vector>

#include "stages/wavefront/alignment/plan.hpp"
#include "stages/wavefront/tally.hpp"

namespace terrace::stages {

class AlignmentTally : public WavefrontTally {
 public:
  /// @param plan outlives it
  explicit AlignmentTally(const AlignmentPlan& plan);

  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  /// The box of each level that was swept last.
  const std::vector<KeptBox>& boxes() const { return boxes_; }
  const TracedPath& path() const { return path_; }
  /// Once all phases are folded.
  Alignment alignment() const { return path_.alignment(plan_.problem()); }

 private:
  const AlignmentPlan& plan_;
  std::vector<KeptBox> boxes_;
  TracedPath path_;
};

}  // namespace terrace::stages
