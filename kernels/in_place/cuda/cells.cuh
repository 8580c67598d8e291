// The cells that a lane makes in one step of in-place sweeps: one for each of its rows after each sweep of a group.
//
// Step q of line p after sweep s is the cell of row p - s in column q - s, with corners q - p - s. So its neighbours
// are at the same step or one or two before, in the same line or the line before.
#pragma once

#include "kernels/in_place/problem.hpp"
#include "kernels/in_place/shape.hpp"

namespace terrace::in_place {

/// A value, and the value weighed for its neighbours.
template <class T, bool weighs>
struct InPlaceCell {
  T value, weighed;
};
template <class T>
struct InPlaceCell<T, false> {
  union {
    T value, weighed;
  };
};

/// The cells of a step that may be in the rim, whose values are kept: none; those of one row; those of its columns;
/// or any, when rows may also not be live, or sweeps not made.
enum class InPlaceCare { none, row, columns, all };

/// The place of a lane's cells in the grid. Row r after sweep s is another row of the grid for each r - s.
struct InPlaceRim {
  int begin_row, end_row;  // r - s of the rows inside the rim
  int rim_row;             // of care `row`: r - s of the rim's row
  int column, columns;     // of the lane's first row, before the group's sweeps; of the grid
  int live;                // rows; the others hold the values above them
  int sweeps;              // made by the band

  /// True if row r keeps its value in sweep s.
  template <InPlaceCare care, bool corners>
  __device__ __forceinline__ bool keeps(int r, int s) const {
    if constexpr (care == InPlaceCare::row) return r - s == rim_row;
    const int j = column - (corners ? r : 0) - s;
    const bool beside = j < 1 || j >= columns - 1;
    if constexpr (care == InPlaceCare::columns) return beside;
    return r - s < begin_row || r - s >= end_row || beside;
  }
};

template <class P, class T, int S>
class InPlaceCells {
 public:
  using Constants = typename P::template Constants<T>;
  using Cell = InPlaceCell<T, P::weighs>;
  static constexpr int R = InPlaceShape::lane_rows;

  /// One step. @param above the line above @param in the rows as the group finds them @param out the rows after all
  /// sweeps
  template <InPlaceCare care>
  __device__ __forceinline__ void advance(const Constants& k, const T (&above)[S + 1], const T (&in)[R],
                                          const InPlaceRim& rim, T (&out)[R]) {
    constexpr bool all = care == InPlaceCare::all;
    Cell now[R + 1][S + 1];
#pragma unroll
    for (int s = 0; s <= S; ++s) now[0][s] = cell_of(k, above[s]);
#pragma unroll
    for (int r = 0; r < R; ++r) {
      now[r + 1][0] = cell_of(k, in[r]);
      if (all && r >= rim.live) now[r + 1][0] = up(now, r, 0);
#pragma unroll
      for (int s = 1; s <= S; ++s) {
        const Neighbourhood<T> n = around(now, r, s);
        T made = P::cell(k, n);
        if (care != InPlaceCare::none && rim.keeps<care, P::corners>(r, s)) made = n.self;
        if (all && r >= rim.live) made = up(now, r, s).value;
        now[r + 1][s] = cell_of(k, made);
        if (all ? s == rim.sweeps : s == S) out[r] = made;
      }
    }
#pragma unroll
    for (int r = 0; r <= R; ++r) {
#pragma unroll
      for (int s = 0; s <= S; ++s) {
        if constexpr (P::corners) older_[r][s] = old_[r][s];
        old_[r][s] = now[r][s];
      }
    }
  }

  /// Row r after sweep s of the last step.
  __device__ __forceinline__ T value(int r, int s) const { return old_[r + 1][s].value; }

 private:
  __device__ __forceinline__ static Cell cell_of(const Constants& k, T value) {
    Cell cell;
    cell.value = value;
    if constexpr (P::weighs) cell.weighed = P::weigh(k, value);
    return cell;
  }

  /// The cell above the cell of row r, after as many sweeps.
  __device__ __forceinline__ Cell up(const Cell (&now)[R + 1][S + 1], int r, int s) const {
    return P::corners ? old_[r][s] : now[r][s];
  }

  __device__ __forceinline__ Neighbourhood<T> around(const Cell (&now)[R + 1][S + 1], int r, int s) const {
    Neighbourhood<T> n{};
    if constexpr (P::corners) {
      n.up_left = older_[r][s].weighed;
      n.up = old_[r][s].weighed;
      n.up_right = now[r][s].weighed;
      n.left = old_[r + 1][s].weighed;
      n.self = older_[r][s - 1].value;
      n.right = old_[r][s - 1].weighed;
      n.down_left = older_[r + 1][s - 1].weighed;
      n.down = old_[r + 1][s - 1].weighed;
      n.down_right = now[r + 1][s - 1].weighed;
    } else {
      n.up = now[r][s].weighed;
      n.left = old_[r + 1][s].weighed;
      n.self = old_[r][s - 1].value;
      n.right = now[r][s - 1].weighed;
      n.down = old_[r + 1][s - 1].weighed;
    }
    return n;
  }

  // The step before and the one before that; row 0 is the line above.
  Cell old_[R + 1][S + 1], older_[P::corners ? R + 1 : 1][S + 1];
};

}  // namespace terrace::in_place
