// The cells of a march that lie outside of statements' boxes: of nests with ghosts they have the first value of the
// element that they would write, as far as cells read it. Compiled at run time (march_kernel.cuh).
#pragma once

#include "kernels/nest/cuda/march_lane.cuh"

namespace terrace::nest {

/// The cells of a chunk that are outside of a statement's box, and the ghosts among them that cells may read, a bit
/// each.
template <class N>
struct Outside {
  u64 absent[N::statements], ghosts[N::statements];
};

/// Steps of a band.
struct Steps {
  int from, to;
};

template <class N>
class Rim {
  using Shape = MarchShape<N>;
  using Values = typename N::Values;
  static constexpr int last = Shape::last, line = Shape::line, rows = Shape::rows, columns = Shape::columns,
                       levels = Shape::levels, cells = levels * rows * columns;
  /// Rows after those of a lane whose cells read values that the lane brings from the group of levels before.
  static constexpr int rows_after = Shape::levels_before > 0 ? Shape::rows_before : 0;

 public:
  static constexpr int most_cells = 64;
  static_assert(cells <= most_cells);
  __device__ static constexpr u64 bit_of(int level, int row, int column) {
    return u64{1} << ((level * rows + row) * columns + column);
  }

  /// Looks at all rows of a lane.
  __device__ __noinline__ void find(const Lane<N>& lane) {
    low_ = hull_high_ = readers_high_ = lane.begin(last);
    high_ = hull_low_ = readers_low_ = lane.end(last);
    find_rows<0>(lane);
  }
  /// The steps in which a lane of the band has cells that are in a box, or ghosts, or columns that such cells read.
  /// All lanes call it.
  __device__ Steps steps(const Lane<N>& lane) const {
    if constexpr (!N::has_ghosts) return {0, static_cast<int>(lane.work->steps)};
    i64 from = lane.work->steps, to = 0;
    if (readers_low_ < readers_high_) {
      const i64 low = values::larger(lane.begin(last), readers_low_ - Shape::columns_before);
      from = lane.number + (low - lane.begin(last)) / columns;
      to = lane.number + (readers_high_ - lane.begin(last) + columns - 1) / columns;
    }
    for (int distance = 1; distance < march_lanes; distance *= 2) {
      from = values::smaller(from, __shfl_xor_sync(all_lanes, from, distance));
      to = values::larger(to, __shfl_xor_sync(all_lanes, to, distance));
    }
    return {static_cast<int>(values::smaller(from, to)), static_cast<int>(to)};
  }

  /// Finds the cells of a step's chunks that are outside, and makes ghosts. All lanes call it. @param room of the
  /// warp
  __device__ __forceinline__ void look(const Lane<N>& lane, int step, u64* room, Values& ghosts,
                                       Outside<N>& outside) const {
    const i64 first = lane.column_of(step);
    const bool is_out = !lane.is_active(step) || first >= hull_high_ || first + columns <= hull_low_;
#pragma unroll
    for (int s = 0; s < N::statements; ++s) {
      outside.absent[s] = is_out ? ~u64{0} : absent_rows_[s];
      outside.ghosts[s] = 0;
    }
    const unsigned owners = __ballot_sync(all_lanes, !is_out && (first < low_ || first + columns > high_));
    if (owners != 0) make<0>(lane, step, owners, room, ghosts, outside);
  }

 private:
  template <int s>
  __device__ void find_rows(const Lane<N>& lane) {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      absent_rows_[s] = 0;
      for (int level = 0; level < levels; ++level) {
        for (int row = 0; row < rows + rows_after; ++row) {
          const bool is_own = row < rows;
          i64 c[most_coordinates] = {}, first = lane.begin(last), past = first;
          lane.set_row(level, row, c);
          if (lane.is_row(c)) {
            past = lane.end(last);
            S::row(c, first, past);
          }
          if (first < past) {
            widen_hull(first, past, is_own);
            if (is_own) {
              low_ = values::larger(low_, first);
              high_ = values::smaller(high_, past);
            }
          } else if (is_own) {
            for (int column = 0; column < columns; ++column) absent_rows_[s] |= bit_of(level, row, column);
          }
          if constexpr (N::has_ghosts) {
            if (!lane.is_row(c)) continue;
            i64 ghost_first = lane.begin(last), ghost_past = lane.end(last);
            S::ghost_row(c, ghost_first, ghost_past);
            if (ghost_first >= ghost_past) continue;
            widen_hull(ghost_first, ghost_past, is_own);
            if (is_own && first >= past) high_ = low_;
          }
        }
      }
      find_rows<s + 1>(lane);
    }
  }
  __device__ void widen_hull(i64 first, i64 past, bool is_own) {
    readers_low_ = values::smaller(readers_low_, first);
    readers_high_ = values::larger(readers_high_, past);
    if (!is_own) return;
    hull_low_ = values::smaller(hull_low_, first);
    hull_high_ = values::larger(hull_high_, past);
  }

  /// Makes the ghosts of the chunks of some lanes, one lane after another, a cell a lane of the warp.
  template <int s>
  __device__ __noinline__ static void make(Lane<N> lane, int step, unsigned owners, u64* room, Values& ghosts,
                                           Outside<N>& outside) {
    if constexpr (s < N::statements) {
      using T = typename N::template Statement<s>::Type;
      T* made = reinterpret_cast<T*>(room);
      for (unsigned rest = owners; rest != 0; rest &= rest - 1) {
        const int owner = __ffs(static_cast<int>(rest)) - 1;
        u64 absent = 0, is_ghost = 0;
#pragma unroll
        for (int cell = 0; cell < cells; cell += march_lanes) {
          const Kind kind = make_cell<s>(lane, step, owner, cell + lane.number, made);
          absent |= static_cast<u64>(__ballot_sync(all_lanes, kind != Kind::inside)) << cell;
          is_ghost |= static_cast<u64>(__ballot_sync(all_lanes, kind == Kind::ghost)) << cell;
        }
        __syncwarp();
        if (lane.number == owner) {
          outside.absent[s] = absent;
          outside.ghosts[s] = is_ghost;
#pragma unroll
          for (int cell = 0; cell < cells; ++cell)
            N::template Statement<s>::values(
                ghosts)[Shape::index(cell / columns / rows, cell / columns % rows, cell % columns)] = made[cell];
        }
        __syncwarp();
      }
      make<s + 1>(lane, step, owners, room, ghosts, outside);
    }
  }
  enum class Kind { inside, ghost, other };
  template <int s>
  __device__ __forceinline__ static Kind make_cell(const Lane<N>& lane, int step, int owner, int cell,
                                                   typename N::template Statement<s>::Type* made) {
    using S = typename N::template Statement<s>;
    i64 c[most_coordinates] = {};
    c[0] = lane.c[0] + (Shape::has_levels ? cell / columns / rows : 0);
    c[line] = lane.c[line] + (owner - lane.number) * rows + cell / columns % rows;
    const i64 column = lane.begin(last) + static_cast<i64>(step - owner) * columns + cell % columns;
    if (cell >= cells || !lane.is_row(c) || column >= lane.end(last)) return Kind::other;
    i64 first = column, past = column + 1, ghost_first = column, ghost_past = column + 1;
    S::row(c, first, past);
    if (first < past) return Kind::inside;
    S::ghost_row(c, ghost_first, ghost_past);
    if (ghost_first >= ghost_past) return Kind::other;
    i64 y[most_coordinates] = {}, loops[most_coordinates] = {};
    c[last] = column;
    S::locate(c, y);
    S::spread(y, loops);
    made[cell] = S::first_value(lane.work->block, loops);
    return Kind::ghost;
  }

  // Columns of the block in which all cells are in boxes, and no ghosts; those outside of which there are neither
  // cells in boxes nor ghosts; and those outside of which the rows after have none either.
  i64 low_ = 0, high_ = 0, hull_low_ = 0, hull_high_ = 0, readers_low_ = 0, readers_high_ = 0;
  u64 absent_rows_[N::statements] = {};  // that have no cell in the box
};

}  // namespace terrace::nest
