// The choice of the blocks of a nest.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/nest/methods.hpp"
#include "stages/nest/definition.hpp"

namespace terrace::stages {

/// The sides of the largest blocks that the budgets hold, and that are soon done. @throws JobError if the budgets
/// hold none
std::vector<std::int64_t> choose_nest_sides(const Request& request, const NestDefinition& definition,
                                            const nest::NestMethod& method);

}  // namespace terrace::stages
