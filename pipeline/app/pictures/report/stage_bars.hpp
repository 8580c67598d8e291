// Predicted and measured times of stages as a picture.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "pipeline/app/pictures/report/stage_sums.hpp"

namespace terrace::app {

/// Writes two bars for each stage that the last attempt computed, in one scale. Nothing if there are none.
/// @param names of the stages
void write_stage_bars(std::ostream& out, const std::vector<std::string>& names, const std::vector<StageSums>& stages);

}  // namespace terrace::app
