// A tile of a sub-pass: a few steps of a column of the grid, row after row, in cache.
//
// A tile is a range of cells of axes 1 and 2, with a halo of radius * depth around it. It streams along axis 0: when
// row t of the input is there, level q makes its row t - q * radius from 2 * radius + 1 rows of level q - 1, which
// lie in a ring. The last level is written to the output. On periodic axes a tile goes on beyond the ends of the
// grid.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/stencil/cpu/blocks.hpp"
#include "kernels/stencil/cpu/points.hpp"
#include "kernels/stencil/cpu/rows.hpp"
#include "kernels/stencil/cpu/sizes.hpp"
#include "kernels/stencil/cpu/written_rows.hpp"
#include "kernels/values/aligned_array.hpp"

namespace terrace::stencil {

/// The part of a stencil that all blocks share.
template <class T>
struct CpuPlan {
  StencilSpec spec;
  TileSizes sizes;
  Axis axis;
  int fields, radius, middle;  // middle: the radius along axis 1, 0 if the grid does not have it
  bool own_faces;
  RowKernelsOf<T> kernels;
  BlockKernelsOf<T> block_kernels;
  std::vector<std::byte> constants;
  Additions<T> additions;
  std::size_t terms;
  std::shared_ptr<const WrittenPlan<T>> written;  // of formulas that a job writes
  std::shared_ptr<const CpuPoints<T>> points;     // null: none

  /// The rows of a thread, null unless a job writes the formulas.
  std::unique_ptr<WrittenRows<T>> written_rows() const {
    return written ? std::make_unique<WrittenRows<T>>(*written) : nullptr;
  }
  i64 rows_of_ring() const { return sizes.ring_rows(radius, spec.rank); }
};

/// The rows that a sub-pass reads: those of the slab, and those that the slab above handed on.
struct InputRows {
  Rows own;
  const void* carried = nullptr;  // row carried_begin
  i64 carried_begin = 0, own_begin = 0;
  i64 modulo = 0;  // not 0: rows are counted modulo this number

  template <class T>
  const T* row(i64 index, i64 width) const {
    if (modulo != 0) return own.row<T>((index % modulo + modulo) % modulo, width);
    if (index < own_begin) return static_cast<const T*>(carried) + (index - carried_begin) * width;
    return own.row<T>(index, width);
  }
  /// Rows from `index` on that lie one after another in memory.
  i64 run(i64 index) const {
    if (modulo == 0 && index < own_begin) return own_begin - index;
    return run_of(own, modulo == 0 ? index : (index % modulo + modulo) % modulo);
  }
  static i64 run_of(const Rows& rows, i64 index) {
    i32 piece = 0;
    while (piece + 1 < rows.pieces && rows.begin[piece + 1] <= index) ++piece;
    return (piece + 1 < rows.pieces ? rows.begin[piece + 1] : rows.end) - index;
  }
};

/// One sub-pass of a block, as all of its tiles see it.
struct SubPass {
  i64 depth;
  i64 step;  // steps made before
  InputRows input[most_fields];
  Rows output[most_fields];
  const Rows* arrays;
  i64 modulo;     // as in InputRows, for arrays
  RowRange rows;  // to make
  bool counts;    // true: cells of the output that are not finite are counted
  i64 pass_step;  // steps made before the pass
  RowRange part;  // rows whose receivers are recorded
  void* traces;   // values of receivers (StencilTask)
};

/// Half-open ranges of cells of a tile: rows, axis 1, axis 2.
struct TileRange {
  RowRange rows, middle, last;
};

/// A worker with the memory of one thread.
template <class T>
class TileWorker {
 public:
  explicit TileWorker(const CpuPlan<T>& plan);

  /// Makes a tile of a sub-pass. @param leave true if the worker must give up @return false if it left early
  bool make(const SubPass& pass, const TileRange& tile, const std::function<bool()>& leave);
  /// The cells that were counted since the last call.
  NotFinite take_not_finite() { return std::exchange(not_finite_, {}); }
  static std::int64_t values_of_rings(const StencilSpec& spec, const TileSizes& sizes);

 private:
  void begin(const SubPass& pass, const TileRange& tile);
  void take_row(i64 row);
  void make_level(i64 level, i64 first_row);
  void make_lines(i64 level, i64 row, i64 y, i64 count);
  void make_block(i64 level, i64 row, i64 y, i64 count, RowRange cells);
  void make_ends(i64 level, i64 row, i64 y, RowRange cells, RowRange inner);
  void make_line(i64 level, i64 row, i64 y, RowRange cells);
  void make_points(i64 level, i64 row, i64 y, RowRange cells);
  void count_line(i64 row, i64 y);
  void set_blocks_sources(i64 level, i64 row, i64 y, i64 count);
  /// The row of a level that stands for a row along axes 0 and 1, perhaps outside the grid, as a pointer to index 0.
  const T* source(i64 level, int field, i64 row, i64 y);
  T* target(i64 level, int field, i64 row, i64 y);
  const T* array_row(std::size_t array, i64 row, i64 y) const;
  T* ring_row(i64 level, int field, i64 slot, i64 y);
  i64 slot_of(i64 row) const;
  RowRange grown(RowRange range, i64 levels, int axis) const;
  /// The cells of a row that blocks may make, of all that a level makes.
  RowRange inner_cells(RowRange cells) const;
  bool is_plain(i64 index, std::size_t axis) const;

  const CpuPlan<T>& plan_;
  values::AlignedArray<T> rings_;
  values::AlignedArray<T> outside_;
  std::vector<const T*> around_, arrays_, taken_, block_around_, block_arrays_;
  std::vector<T*> block_made_;
  std::vector<const T*> terms_;
  std::unique_ptr<WrittenRows<T>> written_;
  const SubPass* pass_ = nullptr;
  TileRange tile_{}, halo_{};
  bool copies_ = false;  // the input's rows are copied into a ring of their own
  i64 pitch_ = 0, height_ = 0, ring_rows_ = 0, row_begin_ = 0;
  RowWork<T> work_{};
  BlockWork<T> block_{};
  NotFinite not_finite_;
};

extern template class TileWorker<float>;
extern template class TileWorker<double>;

}  // namespace terrace::stencil
