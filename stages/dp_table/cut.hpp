// The choice of a table's tiles for the memory that there is.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/dp_table/table.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The cuts of a table from the coarsest to the finest: rows of a dimension are halved until they are single ones,
/// then those of the next.
std::vector<dp_table::Cut> table_cuts(const Extents& extents);

/// Bytes that the largest block of a cut table needs: its tile, the choices of its cells, and what it reads of other
/// tiles.
/// @param choice true if choices are kept
std::int64_t table_block_bytes(const dp_table::Table& table, bool choice);

/// True if the memory holds each block of a cut table, and the block's descriptor what it reads.
/// @param workspace bytes that a device needs for the table with such a cut, in addition
bool holds_table_cut(const dp_table::Table& table, bool choice, const Resources& resources,
                     const std::function<std::int64_t(const dp_table::Table&)>& workspace);

/// Cuts the table: one tile if the memory holds it, else as few as possible.
/// @param workspace bytes that a device needs for the table with such a cut, in addition
/// @throws JobError naming the least budgets if the memory holds no tile
void choose_table_cut(dp_table::Table& table, bool choice, const Resources& resources,
                      const std::function<std::int64_t(const dp_table::Table&)>& workspace);

}  // namespace terrace::stages
