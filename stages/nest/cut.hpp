// The choice of the blocks of a nest.
#pragma once

#include <cstdint>
#include <vector>

#include "stages/nest/definition.hpp"

namespace terrace::stages {

/// The sides of the largest blocks that the budgets hold. @throws JobError if they hold none
std::vector<std::int64_t> choose_nest_sides(const Request& request, const NestDefinition& definition);

}  // namespace terrace::stages
