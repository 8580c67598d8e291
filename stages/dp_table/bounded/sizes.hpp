// The sizes of the blocks of a table whose steps are bounded.
#pragma once

#include <cstdint>

#include "kernels/dp_table/bounded_methods.hpp"
#include "stages/dp_table/definition.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Tiles of so many elements take so many passes a block.
struct BoundedSizes {
  std::int64_t elements = 0;  // whole words of cells, or all elements
  std::int64_t passes = 1;
  dp_table::Cut cut;  // of the table that is kept

  std::int64_t tiles(const dp_table::BoundedTable& table) const;
  /// The most elements before a tile that a block reads.
  std::int64_t most_reach(const dp_table::BoundedTable& table) const;
};

/// Bytes of the largest block.
std::int64_t bounded_block_bytes(const dp_table::BoundedTable& table, const BoundedSizes& sizes,
                                 const TableDefinition& kept);

/// The largest sizes that the memory holds.
/// @throws JobError naming the least budgets if it holds none
BoundedSizes choose_bounded_sizes(const dp_table::BoundedTable& table, const TableDefinition& kept,
                                  const Resources& resources);

/// The method of a table. @throws DeviceError if there is none
const dp_table::BoundedMethod& bounded_method(const dp_table::BoundedSpec& spec, const Resources& resources);

}  // namespace terrace::stages
