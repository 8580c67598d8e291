// Verifies the residuals of a stencil: all of the grid is made again from the state that is stored before the step.
#include <algorithm>
#include <cmath>
#include <optional>

#include "stages/stencil/timeline.hpp"
#include "stages/stencil/verify/stored.hpp"

namespace terrace::stages {
namespace {

using stencil::CellBox;
using stencil::Grids;
using stencil::StencilSpec;

template <class T>
class ResidualsCheck {
 public:
  explicit ResidualsCheck(const StoredStencil& stored)
      : stored_(stored), grid_(stencil::whole_grid(stored.spec())), every_(stored.definition.events.check_every) {
    residuals_ = read_all<double>(stored.request, "residual");
    for (std::int64_t check = 0; check < std::ssize(residuals_); ++check) {
      if (is_near((check + 1) * every_)) near_.push_back(check);
    }
  }

  std::vector<Checked> run() {
    std::vector<Checked> found;
    if (!near_.empty() || residuals_.empty()) {
      found.push_back(check_parts(stored_.request, "residual", {"residual", std::ssize(near_), "residuals"},
                                  [&](std::int64_t part) { return check(near_[static_cast<std::size_t>(part)]); }));
    }
    if (const std::size_t far = residuals_.size() - near_.size(); far > 0) {
      found.push_back({"residual",
                       std::to_string(far) + " of " + std::to_string(residuals_.size()) +
                           ": too many steps of the whole grid from the state stored before; --all computes it again",
                       "", false});
    }
    return found;
  }

 private:
  /// The last stored state before a step.
  const StoredState& state_before(std::int64_t step) const {
    auto at = stored_.states.end() - 1;
    while (at != stored_.states.begin() && at->step >= step) --at;
    return *at;
  }

  bool is_near(std::int64_t step) const {
    // The states before and after a step are in memory.
    if (!stored_.holds(2 * grid_.count())) return false;
    const double steps = static_cast<double>(step - state_before(step).step);
    return stored_.operations(static_cast<double>(grid_.count()) * steps) <= VerifyLimits::operations;
  }

  /// Brings the window to the state before a step. Later parts go on from there.
  void advance_to(std::int64_t step) {
    const StoredState& state = state_before(step + 1);
    if (!window_ || state.step > step_) {
      window_ = read_window<T>(stored_, state, grid_);
      step_ = state.step;
    }
    stored_.advance(*window_, grid_, step_, step - step_);
    step_ = step;
  }

  std::string check(std::int64_t number) {
    const double stored = residuals_[static_cast<std::size_t>(number)];
    const double made = grid_.count() == 0 ? 0 : residual_after((number + 1) * every_);
    if (stored == made || (std::isnan(stored) && std::isnan(made))) return "";
    return difference_at({number}, text_of(stored), text_of(made));
  }

  double residual_after(std::int64_t step) {
    advance_to(step - 1);
    const Grids<T> before{window_->values.fields, {}};
    stored_.advance(*window_, grid_, step - 1, 1);
    step_ = step;
    return residual_of(stencil::row_changes(stored_.spec(), before, window_->values));
  }

  /// The residual in the order of StencilTally: blocks of rows, one after another.
  double residual_of(const std::vector<double>& changes) const {
    const stencil::Norm norm = stored_.definition.check.norm;
    double total = 0;
    for (std::int64_t begin = 0; begin < std::ssize(changes); begin += stencil_total_rows) {
      const std::int64_t count = std::min(stencil_total_rows, std::ssize(changes) - begin);
      const double block = stencil::sum_in_order(count, norm, [&](double sum, std::int64_t i) {
        return stencil::joined(sum, changes[static_cast<std::size_t>(begin + i)], norm);
      });
      total = stencil::joined(total, block, norm);
    }
    return norm == stencil::Norm::l2 ? std::sqrt(total) : total;
  }

  const StoredStencil& stored_;
  CellBox grid_;
  std::int64_t every_;
  std::vector<double> residuals_;
  std::vector<std::int64_t> near_;  // numbers of residuals that are not too many steps away
  std::optional<stencil::Window<T>> window_;
  std::int64_t step_ = 0;  // of the window
};

}  // namespace

std::vector<Checked> verify_residuals(const StoredStencil& stored) {
  return stored.spec().value == ElementType::f32 ? ResidualsCheck<float>(stored).run()
                                                 : ResidualsCheck<double>(stored).run();
}

}  // namespace terrace::stages
