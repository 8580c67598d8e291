// The folded results of a stencil's blocks: the residuals of its checks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/stencil/stencil.hpp"
#include "pipeline/run/tally.hpp"

namespace terrace::stages {

/// The check of `until`.
struct StencilCheck {
  stencil::Norm norm = stencil::Norm::none;
  double residual = 0;  // the stage ends when a check finds less
};

class StencilTally : public run::Tally {
 public:
  /// @param blocks of a phase that adds up changes
  StencilTally(StencilCheck check, std::int64_t blocks) : check_(check), blocks_(blocks) {}

  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  /// Ends the stage at the check after so many steps, which finds no change.
  void stop_at(std::int64_t step) {
    stopped_ = 0;
    residuals_ = {0};
    steps_ = {step};
  }
  /// The phase whose check ended the stage; -1: none.
  std::int64_t stopped() const { return stopped_; }
  /// Residuals of the checks so far, and their steps.
  const std::vector<double>& residuals() const { return residuals_; }
  const std::vector<std::int64_t>& steps() const { return steps_; }

 private:
  StencilCheck check_;
  std::int64_t blocks_;
  double total_ = 0;
  std::int64_t stopped_ = -1;
  std::vector<double> residuals_;
  std::vector<std::int64_t> steps_;
};

}  // namespace terrace::stages
