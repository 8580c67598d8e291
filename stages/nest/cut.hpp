// The choice of the blocks of a nest.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/nest/methods.hpp"
#include "stages/dealing.hpp"
#include "stages/nest/definition.hpp"
#include "stages/nest/plan.hpp"

namespace terrace::stages {

/// The sides of the largest blocks that the budgets hold, and that are soon done. @throws JobError if the budgets
/// hold none
std::vector<std::int64_t> choose_nest_sides(const Request& request, const NestDefinition& definition,
                                            const nest::NestMethod& method);

/// Expected seconds of a plan on so many devices: of level after level the blocks of the device that has most.
double dealt_nest_seconds(const NestPlan& plan, const Resources& resources, std::int64_t devices);

/// Cuts a nest that is to be dealt to several devices into smaller blocks, or says why one device makes it.
/// @param sides that one device would take
Dealing deal_nest(const Resources& resources, const NestDefinition& definition, const nest::NestMethod& method,
                  std::vector<std::int64_t>& sides);

}  // namespace terrace::stages
