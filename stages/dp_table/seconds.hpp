// The time that a table is expected to take, for the plans of all stages that make tables.
#pragma once

#include "kernels/dp_table/table.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Seconds in which the kernel makes all tiles of a table, one after another.
/// @param choice true if choices are kept
double table_seconds(const dp_table::Table& table, bool choice, const Resources& resources);

}  // namespace terrace::stages
