// A table of many dimensions dealt to several devices: its cut, or why one device makes it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/dp_table/table.hpp"
#include "stages/dealing.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// True if a step makes a table that can be dealt, and so large that further devices are worth their opening.
bool is_large_table(const Settings& settings);

/// The places of tiles, for their levels: indices of the dimensions that are cut into single ones, and ranges of the
/// next one. A tile reads tiles of lower levels alone.
std::vector<std::int64_t> tile_places(const dp_table::Table& table);

/// Expected seconds of a cut table on so many devices: of level after level the tiles of the device that has most, of
/// which each takes as long as computing it, or as bringing what it reads from other devices.
/// @param choice true if choices are kept
double dealt_table_seconds(const dp_table::Table& table, bool choice, const Resources& resources,
                           std::int64_t devices);

/// Cuts a table that is to be dealt to several devices, or says why one makes it.
/// @param table in the cut that one device would take
/// @param workspace bytes that a device needs for the table with such a cut, in addition
Dealing deal_table_tiles(dp_table::Table& table, bool choice, const Resources& resources,
                         const std::function<std::int64_t(const dp_table::Table&)>& workspace);

}  // namespace terrace::stages
