#include "stages/stencil/tally.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "io/data_error.hpp"
#include "kernels/stencil/task.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/base/near_name.hpp"
#include "stages/stencil/timeline.hpp"

namespace terrace::stages {

void StencilTally::fold(const run::Phase& phase, std::int64_t index, const void* folded) {
  stencil::StencilResult result;
  std::memcpy(&result, folded, sizeof result);
  const auto value = phase.value.as<StencilPhase>();
  if (value.work == StencilWork::total) add_change(phase, index, result.total);
  else if (value.counts != 0) add_cells(phase, index, result.not_finite);
}

void StencilTally::add_change(const run::Phase& phase, std::int64_t index, double total) {
  total_ = stencil::joined(index == 0 ? 0 : total_, total, check_.norm);
  if (index + 1 < phase.count) return;
  double residual = check_.norm == stencil::Norm::l2 ? std::sqrt(total_) : total_;
  // The sign and the payload of a NaN depend on the device that made it.
  if (std::isnan(residual)) residual = std::numeric_limits<double>::quiet_NaN();
  residuals_.push_back(residual);
  steps_.push_back(phase.value.as<StencilPhase>().step);
  if (check_.is_met_by(residual)) stopped_ = phase.number;
}

void StencilTally::add_cells(const run::Phase& phase, std::int64_t index, const stencil::NotFinite& found) {
  if (index == 0) not_finite_ = {};
  not_finite_.add(found);
  if (index + 1 < phase.count) return;
  const auto value = phase.value.as<StencilPhase>();
  const std::int64_t step = value.step + value.steps;
  if (not_finite_.count == 0) finite_after_ = step;
  else if (!may_be_infinite()) fault_ = fault_after(step);
}

/// "'grid', row 3, column 5 and 11 other cells are not finite after step 40, and all were after step 20: ..."
std::string StencilTally::fault_after(std::int64_t step) const {
  std::int64_t cell = not_finite_.first;
  const std::int64_t cells = volume(cells_.shape);
  const std::string& field = cells_.fields[static_cast<std::size_t>(cell / cells)];
  Extents point = cells_.shape;
  for (int axis = point.rank() - 1; axis >= 0; --axis) {
    point[axis] = cell % cells_.shape[axis];
    cell /= cells_.shape[axis];
  }
  const bool alone = not_finite_.count == 1;
  const bool kept = cells_.first_snapshot >= 0 && cells_.first_snapshot <= finite_after_;
  return io::element_name(field, point) +
         (alone ? " is" : " and " + counted(not_finite_.count - 1, "other cell") + " are") +
         " not finite after step " + std::to_string(step) + ", and " + (alone ? "it was" : "all were") +
         " after step " + std::to_string(finite_after_) +
         ": the steps are not stable, or the cells leave the range of their type; `nan: allow` computes with such "
         "cells" +
         (kept ? "; snapshots up to step " + std::to_string(finite_after_) + " stay in the run's folder" : "");
}

std::string StencilTally::save() const {
  const nlohmann::json all = {{"total", numbers_json({total_})},
                              {"not_finite", not_finite_.count},
                              {"first", not_finite_.first},
                              {"finite_after", finite_after_},
                              {"infinity", read_infinity_ || (cells_.infinity && cells_.infinity->value())},
                              {"fault", fault_},
                              {"stopped", stopped_},
                              {"residuals", numbers_json(residuals_)},
                              {"steps", steps_}};
  return all.dump();
}

void StencilTally::load(const std::string& state) {
  const nlohmann::json all = nlohmann::json::parse(state);
  total_ = numbers_from(all.at("total")).at(0);
  not_finite_.count = all.at("not_finite");
  not_finite_.first = all.at("first");
  finite_after_ = all.at("finite_after");
  read_infinity_ = all.at("infinity");
  fault_ = all.at("fault");
  stopped_ = all.at("stopped");
  residuals_ = numbers_from(all.at("residuals"));
  steps_ = all.at("steps").get<std::vector<std::int64_t>>();
}

}  // namespace terrace::stages
