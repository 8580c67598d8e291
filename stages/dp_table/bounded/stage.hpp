// Making a table whose steps are bounded.
#pragma once

#include <memory>

#include "stages/dp_table/definition.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// @param definition a table whose steps are bounded
std::unique_ptr<run::Stage> make_bounded_table(const Request& request, TableDefinition definition);

}  // namespace terrace::stages
