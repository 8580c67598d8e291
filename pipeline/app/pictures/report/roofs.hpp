// The rooflines of a result: rates of its stages at each level of memory, and the limits of those.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/results/reader.hpp"
#include "pipeline/app/pictures/report/roofline.hpp"
#include "pipeline/app/pictures/report/stage_sums.hpp"

namespace terrace::app {

/// A roofline for each unit of operations, by the unit, with the stages that count in it and moved bytes. Roofs are
/// the limits of the stages, the disk at the highest rate that a stage measured while it moved, and the link to the
/// host.
/// @param names of the stages @throws IoError
std::map<std::string, Roofline> rooflines_of(const io::ResultReader& result, const std::vector<std::string>& names,
                                             const std::vector<StageSums>& stages);

}  // namespace terrace::app
