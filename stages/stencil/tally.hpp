// The folded results of a stencil's blocks: the residuals of its checks, and the cells that are not finite.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/stencil/finite.hpp"
#include "kernels/stencil/stencil.hpp"
#include "pipeline/base/box.hpp"
#include "pipeline/run/tally.hpp"
#include "stages/stencil/numbers.hpp"

namespace terrace::stages {

/// The check of `until`.
struct StencilCheck {
  stencil::Norm norm = stencil::Norm::none;
  double residual = 0;  // the stage ends when a check finds less, or no change, or NaN

  bool is_met_by(double found) const { return found < residual || found == 0 || std::isnan(found); }
};

/// The cells of a grid, for errors about some that are not finite.
struct StencilCells {
  std::vector<std::string> fields;
  Extents shape;
  std::shared_ptr<const FoundInfinity> infinity;  // in what was read; null: cells need not be finite
  std::int64_t first_snapshot = -1;               // its step; -1: there are none
};

class StencilTally : public run::Tally {
 public:
  StencilTally(StencilCheck check, StencilCells cells) : check_(check), cells_(std::move(cells)) {}

  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;
  /// Cells that are not finite, unless an infinity was read or they need not be.
  std::string fault() const override { return fault_; }

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
  /// Cells of all fields that are not finite, as last counted.
  std::int64_t not_finite() const { return not_finite_.count; }

 private:
  void add_change(const run::Phase& phase, std::int64_t index, double total);
  void add_cells(const run::Phase& phase, std::int64_t index, const stencil::NotFinite& found);
  bool may_be_infinite() const { return !cells_.infinity || read_infinity_ || cells_.infinity->value(); }
  std::string fault_after(std::int64_t step) const;

  StencilCheck check_;
  StencilCells cells_;
  double total_ = 0;
  stencil::NotFinite not_finite_;
  std::int64_t finite_after_ = 0;  // the last step after which all cells were found finite
  bool read_infinity_ = false;     // by an earlier attempt
  std::string fault_;
  std::int64_t stopped_ = -1;
  std::vector<double> residuals_;
  std::vector<std::int64_t> steps_;
};

}  // namespace terrace::stages
