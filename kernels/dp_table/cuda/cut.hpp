// The cut of a tile into slabs.
#pragma once

#include <vector>

#include "kernels/dp_table/step_table.hpp"

namespace terrace::dp_table {

/// The shape of slabs, or of the blocks of Algorithm 5.
struct TileCut {
  std::vector<i64> shape;
  std::size_t first = 0;   // the first dimension of which a slab may have several indices
  double nanoseconds = 0;  // of a tile, as the model expects them
};

/// The steps that lead from cells of a slab to other ones.
struct StepComponents {
  std::vector<i64> components;  // in the dimensions of a tile
  bool leaves_tile;             // to another prefix: never within a slab
  // The dimensions of a tile in which one more is a step of the table, by bits, if it is not needed beside that one.
  u64 longer = 0;
};

/// True if the step can lead from one cell of a slab to another one.
bool is_inner(const StepComponents& step, const TileCut& cut);

/// The slabs for which the model of time in cut.cpp gives the least.
/// @param extents of a full tile
/// @param rows_are_single true if a slab must not have several indices of the first dimension
/// @param cell_bytes of shared memory
TileCut choose_cut(const std::vector<i64>& extents, const std::vector<StepComponents>& steps, bool rows_are_single,
                   i64 cell_bytes);

/// True if so few slabs are in a level that they wait for those of the level before: then values are gathered before
/// that level is complete.
bool slabs_wait(i64 slabs, i64 levels);

i64 quotient_up(i64 a, i64 b);
i64 product(const std::vector<i64>& numbers);
/// Number of index vectors within `counts` by their sum.
std::vector<double> levels_of(const std::vector<i64>& counts);
/// Parts of that shape, in each dimension.
std::vector<i64> counts_of(const std::vector<i64>& extents, const std::vector<i64>& shape);

}  // namespace terrace::dp_table
