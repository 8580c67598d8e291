// The method of a table and the time that it is expected to take, for the plans of all stages that make tables.
#pragma once

#include "kernels/dp_table/methods.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The method that makes a table. @throws DeviceError if there is none
const dp_table::TableMethod& table_method(const dp_table::TableSpec& spec, device::Backend backend,
                                          const device::Limits& limits);

/// Seconds in which the kernel makes all tiles of a table, one after another.
/// @param choice true if choices are kept
double table_seconds(const dp_table::Table& table, bool choice, const Resources& resources);

}  // namespace terrace::stages
