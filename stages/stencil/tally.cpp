#include "stages/stencil/tally.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/stencil/task.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"
#include "stages/stencil/timeline.hpp"

namespace terrace::stages {

void StencilTally::fold(const run::Phase& phase, std::int64_t index, const void* folded) {
  const auto value = phase.value.as<StencilPhase>();
  if (value.work != StencilWork::total) return;
  stencil::StencilResult result;
  std::memcpy(&result, folded, sizeof result);
  total_ = stencil::joined(index == 0 ? 0 : total_, result.total, check_.norm);
  if (index + 1 < blocks_) return;
  double residual = check_.norm == stencil::Norm::l2 ? std::sqrt(total_) : total_;
  // The sign and the payload of a NaN depend on the device that made it.
  if (std::isnan(residual)) residual = std::numeric_limits<double>::quiet_NaN();
  residuals_.push_back(residual);
  steps_.push_back(value.step);
  if (residual < check_.residual || residual == 0) stopped_ = phase.number;
}

std::string StencilTally::save() const {
  const nlohmann::json all = {{"total", numbers_json({total_})},
                              {"stopped", stopped_},
                              {"residuals", numbers_json(residuals_)},
                              {"steps", steps_}};
  return all.dump();
}

void StencilTally::load(const std::string& state) {
  const nlohmann::json all = nlohmann::json::parse(state);
  total_ = numbers_from(all.at("total")).at(0);
  stopped_ = all.at("stopped");
  residuals_ = numbers_from(all.at("residuals"));
  steps_ = all.at("steps").get<std::vector<std::int64_t>>();
}

}  // namespace terrace::stages
