// The part of a band of diagonals in which alignments of at most a known distance lie, by exact matches of seeds.
//
// The rows are cut into seeds of k letters. An alignment pairs all letters of a seed without a difference only on a
// diagonal on which the seed occurs in the columns; everywhere else the seed costs at least 1. A step from diagonal
// to diagonal costs 1, too (seed heuristic and gap costs: Groot Koerkamp and Ivanov 2024, A*PA; Ukkonen 1985). Both
// together bound the distance from the first cell to a diagonal, and from there to the last cell: where the sum
// exceeds the known distance no such alignment leads.
//
// Bounds are kept of groups of m seeds, and of buckets of q = m / r diagonals. Let F(g, b) be a lower bound on the
// cost from the first cell to the rows before group g, on a diagonal of bucket b, with |F(g, b) - F(g, b+1)| <= q. A
// path through the group costs at least m, or visits fewer than m diagonals. Then it stays within r buckets of the
// one that it ends in, and only seeds of the group that occur there are free:
//
//   F(g+1, b) = min over |b' - b| <= r + 1 of F(g, b'), + seeds of the group that do not occur in [b-r, b+r]
//
// is a lower bound: a path of cost c >= m that comes from more than r + 1 buckets away has c >= q (|b' - b| - 1) + 1.
// The bound B from the end is made in the same way. A path through a diagonal of b in group g that is at x when it
// enters the group, and at y when it leaves it, costs at least F(g, x) + |b - x| + |b - y| + B(g+1, y), which is not
// less than F(g, b) + B(g+1, b) - 2q.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/wavefront/rules/diagonals.hpp"

namespace terrace::wavefront {

/// A band of diagonals whose edges change from group to group of rows. The columns of later rows never begin or end
/// before those of earlier rows.
class BandLimits {
 public:
  /// @param group_rows rows of each group, but the last, which has the rest
  /// @param bands of the groups, each with a diagonal in common with the next
  BandLimits(i64 group_rows, const std::vector<DiagonalBand>& bands);

  /// Columns that rows [row_begin, row_end) have in the band; not cut at the table's edges.
  ColumnRange columns(i64 row_begin, i64 row_end) const;
  /// Cells of rows [row_begin, row_end) and columns [column_begin, column_end) in the band, about.
  double cells(i64 row_begin, i64 row_end, i64 column_begin, i64 column_end) const;
  /// Diagonals of a group, on average.
  i64 width() const { return width_; }

 private:
  struct Group {
    DiagonalBand band;
    i64 begin_after;  // the least first column of the groups after this one
    i64 end_before;   // the largest end of the groups before this one
  };
  std::size_t group_of(i64 row) const;

  i64 group_rows_, width_ = 0;
  std::vector<Group> groups_;
};

/// The limits of all alignments of `rows` and `columns` with at most `distance` differences (or letters without a
/// partner). Null where seeds are too few, or cannot tell.
/// @param rows, columns codes of letters: equal codes are equal letters
/// @param distance of some alignment
std::shared_ptr<const BandLimits> seed_limits(std::span<const std::uint8_t> rows,
                                              std::span<const std::uint8_t> columns, i64 distance);

/// Bytes of memory that seed_limits() takes, at most.
std::size_t seed_limits_bytes(i64 rows, i64 columns);

}  // namespace terrace::wavefront
