// The cut of steps of an iteration into tiles whose rows stream through a ring in the cache of a core.
#pragma once

#include "kernels/graph/carry.hpp"
#include "kernels/graph/iteration.hpp"

namespace terrace::graph {

/// Sizes of tiles, in rows and columns.
struct RingCut {
  i64 steps = 1;    // that are made at a time
  i64 front = 1;    // rows that are loaded at a time
  i64 slots = 1;    // rows of the ring
  i64 columns = 1;  // of a piece, whose results are wanted
  i64 halo = 0;     // columns beside a piece that are loaded
  i64 pitch = 0;    // elements of a row of one array in the ring
};

/// The cut for so many steps, with the widest pieces that the cache has room for. @param size of a value in bytes
/// @param threads that each have a piece, where an array is cut into pieces at all
RingCut cut_of_steps(const Iteration& iteration, std::size_t size, i64 steps, i64 threads = 1);

/// The cut for a pass of so many steps; if these do not stay in the cache, for the first of some passes.
RingCut ring_cut(const Iteration& iteration, std::size_t size, i64 most_steps, i64 threads = 1);

/// Bytes of a ring.
i64 ring_bytes(const RingCut& cut, const Iteration& iteration, std::size_t size);

/// The number of tiles into which rows are cut, each of all pieces of columns.
i64 tiles_of(const RingCut& cut, i64 pieces, i64 rows, i64 threads);

/// A tile: rows and columns of the last step, and those of the steps before that they are made from; or, in a slab
/// that hands rows on, those that no slab before has made.
struct RingTile {
  const RingCut& cut;
  const Iteration& iteration;
  Range rows, piece;
  const PassRows* handed = nullptr;  // of passes of one step; null: the slab hands nothing on
  i64 before = 0;                    // steps before those of the tile, where it does

  /// The rows that a step makes; of step 0 those that are read.
  Range rows_after(i64 step) const;
  /// The rows after a step, above those that it makes, from which the next step makes rows: the slab above has made
  /// them.
  Range rows_above(i64 step) const;
  /// Columns begin and end with a cache line, but for those of the last step and the ends of the array.
  Range columns_after(i64 step) const;
};

}  // namespace terrace::graph
