// The stage `wavefront` once its plan is made.
#pragma once

#include <memory>
#include <string>

#include "kernels/wavefront/methods.hpp"
#include "stages/wavefront/blocks.hpp"
#include "stages/wavefront/plan.hpp"
#include "stages/wavefront/tally.hpp"

namespace terrace::stages {

/// The sizes from which the shape of blocks is chosen, for this sweep.
TableNeed table_need(const wavefront::SweepSpec& spec, bool cuda);

/// Its score, or its table.
class WavefrontStage : public run::Stage {
 public:
  WavefrontStage(const Request& request, std::unique_ptr<WavefrontPlan> plan, std::unique_ptr<WavefrontTally> tally);

  const run::Plan& plan() const override { return *plan_; }
  run::Tally& tally() override { return *tally_; }
  io::DatasetSpec dataset(int array) const override;
  std::vector<io::SmallDataset> small() const override;
  std::vector<io::Attribute> attributes() const override { return {}; }
  run::Prediction prediction() const override;
  double whole() const override;
  std::vector<std::string> warnings() const override;
  std::vector<run::StageMethod> methods() const override;
  nlohmann::json choices() const override;

 protected:
  const std::string& name() const { return name_; }
  const wavefront::SweepSpec& spec() const { return plan_->spec(); }
  const wavefront::Description& problem() const { return plan_->problem(); }
  const WavefrontTally& folded() const { return *tally_; }

 private:
  /// The method that sweeps the table.
  const wavefront::SweepMethod& method() const;
  /// A warning of sums of whole numbers that f32 may not hold; empty if it holds them, or they are of another type.
  std::string warning_of_f32() const;

  std::string name_;
  Place type_place_, alphabet_place_;  // places of the settings in the job, else of the stage
  Resources resources_;
  TableNeed need_;
  std::unique_ptr<WavefrontPlan> plan_;
  std::unique_ptr<WavefrontTally> tally_;
};

}  // namespace terrace::stages
