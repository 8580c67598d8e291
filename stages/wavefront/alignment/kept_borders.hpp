// The borders that the sweeps of an alignment keep, as arrays.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/run/access.hpp"
#include "pipeline/run/array.hpp"
#include "stages/wavefront/alignment/levels.hpp"
#include "stages/wavefront/plan.hpp"

namespace terrace::stages {

/// A box of a level, and the generations of the level's arrays that hold the borders kept inside it.
struct KeptBox {
  Box cells;
  std::int64_t row_generation = 0, column_generation = 0;
};

/// Rows and columns are those of the table. Borders of the first level have one tile per block of its sweep, with
/// one piece per cell; the boxes of each further level share one tile of rows and one of columns, made anew for
/// each box. A column border consists of pieces of a cell's rows, each after its corner. Its accesses have no slot
/// yet.
class KeptBorders {
 public:
  KeptBorders(const AlignmentLevels& levels, BorderPlanes planes, ElementType type, std::int64_t rows,
              std::int64_t columns);

  /// The arrays, to be added to a plan's; their numbers count from `first`.
  std::vector<run::ArraySpec> arrays(int first);

  /// The borders that the block of a sweep over `box` writes: below its rows of cells and right of its columns of
  /// cells, one after another; nullopt if none lies inside the box.
  std::optional<run::Access> below(std::size_t level, const KeptBox& box, const Box& block) const;
  std::optional<run::Access> right_of(std::size_t level, const KeptBox& box, const Box& block) const;
  /// The borders that cells begin with, if a box of the level keeps them: above their first row, and before their
  /// first column.
  std::optional<run::Access> above(std::size_t level, const KeptBox& box, const Box& cells) const;
  std::optional<run::Access> before(std::size_t level, const KeptBox& box, const Box& cells) const;
  /// The box of `level` that the cells lie in, which lie in a box of a further level; its end is left open.
  Box around(std::size_t level, const Box& cells) const;
  /// The innermost level above `level` in whose box cells of a box of `level` do not begin with the first row
  /// (dimension 0) or column (1), so that the box keeps the border that they begin with; nothing at the table's own.
  std::optional<std::size_t> level_around(std::size_t level, const Box& cells, int dimension) const;
  /// All borders inside a box of a level below the first.
  std::optional<run::Access> rows_inside(std::size_t level, const KeptBox& box, run::Mode mode) const;
  std::optional<run::Access> columns_inside(std::size_t level, const KeptBox& box, run::Mode mode) const;

  /// Number of borders inside a box.
  std::int64_t rows_kept(std::size_t level, const Box& box) const;
  std::int64_t columns_kept(std::size_t level, const Box& box) const;
  /// Elements from plane to plane, of every level.
  std::int64_t row_plane() const { return pieces_.row; }
  std::int64_t column_plane() const { return pieces_.column; }
  /// Elements from one border inside a box to the next, below the first level.
  std::int64_t row_stride() const { return planes_.row * pieces_.row; }
  std::int64_t column_stride() const { return planes_.column * pieces_.column; }

 private:
  struct Arrays {
    int rows = -1, columns = -1;
  };
  run::Access rows_part(std::size_t level, const KeptBox& box, std::int64_t first_kept, std::int64_t count,
                        const Box& cells, run::Mode mode) const;
  run::Access columns_part(std::size_t level, const KeptBox& box, std::int64_t first_kept, std::int64_t count,
                           const Box& cells, run::Mode mode) const;
  std::int64_t block_of(std::int64_t row, std::int64_t column) const;

  AlignmentLevels levels_;
  BorderPlanes planes_;
  ElementType type_;
  std::int64_t rows_, columns_;
  BorderPieces pieces_;
  std::vector<Arrays> numbers_;  // of the arrays of each level
};

}  // namespace terrace::stages
