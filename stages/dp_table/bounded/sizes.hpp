// The sizes of the blocks of a table whose steps are bounded.
#pragma once

#include <cstdint>

#include "kernels/dp_table/bounded_methods.hpp"
#include "stages/dp_table/bounded/way.hpp"
#include "stages/dp_table/definition.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Tiles of so many elements take so many passes a block.
struct BoundedSizes {
  std::int64_t elements = 0;  // whole words of cells, or all elements
  std::int64_t passes = 1;
  dp_table::Cut cut;  // of the table that is kept
  WaySizes way;       // of the solution that is kept

  std::int64_t tiles(const dp_table::BoundedTable& table) const;
  /// Blocks' numbers of passes.
  std::int64_t groups(const dp_table::BoundedTable& table) const;
  /// The most elements before a tile that a block reads.
  std::int64_t most_reach(const dp_table::BoundedTable& table) const;
};

/// Tiles that have a slot in scratch at a time.
struct BoundedSlots {
  std::int64_t taken = 0;  // bits of what passes took
  std::int64_t saved = 0;  // elements that are stored for the way back
};

BoundedSlots slots_in_scratch(const dp_table::BoundedTable& table, const BoundedSizes& sizes);

/// Bytes of scratch for the bits of all cells and passes.
std::int64_t all_bits_bytes(const dp_table::BoundedTable& table, const BoundedSizes& sizes);

/// Bytes of the largest block.
std::int64_t bounded_block_bytes(const dp_table::BoundedTable& table, const BoundedSizes& sizes,
                                 const TableDefinition& kept);

/// The largest sizes that the memory holds. Of those, if the solution is kept, the ones with the fewest levels of the
/// way back that the scratch space holds; if it holds none, those that need the least.
/// @throws JobError naming the least budgets if it holds none
BoundedSizes choose_bounded_sizes(const dp_table::BoundedTable& table, const TableDefinition& kept,
                                  const Resources& resources);

/// The method of a table. @throws DeviceError if there is none
const dp_table::BoundedMethod& bounded_method(const dp_table::BoundedSpec& spec, const Resources& resources);

}  // namespace terrace::stages
