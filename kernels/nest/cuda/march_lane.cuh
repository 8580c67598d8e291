// The rows of a lane of a march, and what is kept of them. Compiled at run time (march_kernel.cuh).
#pragma once

#include "kernels/nest/cuda/march_window.cuh"

namespace terrace::nest {

inline constexpr unsigned all_lanes = ~0u;

/// The rows of a lane: `rows` rows of `levels` levels from one on.
template <class N>
struct Lane {
  using Shape = MarchShape<N>;

  const MarchWork* work;
  int number;               // in the warp
  i64 c[most_coordinates];  // the first level and row

  __device__ i64 begin(int n) const { return work->block.begin[n]; }
  __device__ i64 end(int n) const { return work->block.end[n]; }
  /// The first column of the chunk of a step.
  __device__ i64 column_of(int step) const {
    return begin(Shape::last) + static_cast<i64>(step - number) * Shape::columns;
  }
  __device__ bool is_active(int step) const { return step >= number && step - number < work->chunks; }
  __device__ void set_row(int level, int row, i64 (&at)[most_coordinates]) const {
    at[0] = c[0] + (Shape::has_levels ? level : 0);
    at[Shape::line] = c[Shape::line] + row;
  }
  /// True if the block has a row.
  __device__ bool is_row(const i64 (&at)[most_coordinates]) const {
    return at[0] < end(0) && at[Shape::line] < end(Shape::line);
  }
};

/// Intersects the ranges of all lanes.
__device__ inline void intersect(i64& low, i64& high) {
  for (int distance = 1; distance < march_lanes; distance *= 2) {
    low = values::larger(low, __shfl_xor_sync(all_lanes, low, distance));
    high = values::smaller(high, __shfl_xor_sync(all_lanes, high, distance));
  }
}

/// The rows of a lane of which all columns of a range are kept, and where: level and row are numbers of bits.
template <class N>
class RowStores {
  using Shape = MarchShape<N>;
  static constexpr int last = Shape::last, line = Shape::line, rows = Shape::rows, columns = Shape::columns,
                       levels = Shape::levels;

 public:
  /// Finds them, and clips the range to the next columns at which all rows are kept in one part, or not at all. All
  /// lanes call it.
  /// @return false if that is not all that is kept
  __device__ __noinline__ bool find(const NestTask& task, const Lane<N>& lane, i64& low, i64& high) {
    bool is_all = true;
    for (int n = 0; n < last; ++n) {
      if (lane.work->block.after[n] != nullptr && lane.c[n] + (n == line ? rows : levels) > lane.end(n) - N::halo(n))
        is_all = false;
    }
    is_whole_ = true;
    set<0>(task, lane, low, high, is_all);
    intersect(low, high);
    is_whole_ = __all_sync(all_lanes, is_whole_) != 0;
    return __all_sync(all_lanes, is_all) != 0;
  }

  /// Stores the first `count` columns of the chunk at a column of the block.
  template <int s = 0>
  __device__ __forceinline__ void store(const typename N::Values& values, i64 column, int count) const {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      using T = typename S::Type;
      using Piece = Pieces<T, columns>;
      const T* own = S::values(values);
      const bool by_pieces = is_whole_ && count >= columns;
#pragma unroll
      for (int level = 0; level < levels; ++level) {
#pragma unroll
        for (int row = 0; row < rows; ++row) {
          if ((rows_[s] >> (level * rows + row) & 1) == 0) continue;
          unsigned char* data = data_[s] + level * level_bytes_[s] + row * row_bytes_[s] + column * column_bytes_[s];
#pragma unroll
          for (int n = 0; n < Piece::count; ++n) {
            if (by_pieces) {
              Piece piece;
#pragma unroll
              for (int k = 0; k < Piece::size; ++k)
                piece.value[k] = own[Shape::index(level, row, n * Piece::size + k)];
              reinterpret_cast<Piece*>(data)[n] = piece;
            } else {
#pragma unroll
              for (int k = 0; k < Piece::size; ++k) {
                if (n * Piece::size + k >= count) continue;
                *reinterpret_cast<T*>(data + (n * Piece::size + k) * column_bytes_[s]) =
                    own[Shape::index(level, row, n * Piece::size + k)];
              }
            }
          }
        }
      }
      store<s + 1>(values, column, count);
    }
  }

 private:
  /// The rows of a lane of which a part keeps columns from one on, and the columns that it keeps of all of these.
  struct PartRows {
    u64 rows;
    i64 least, low, high;  // the first column of any row
  };
  template <int s>
  __device__ void set(const NestTask& task, const Lane<N>& lane, i64& low, i64& high, bool& is_all) {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      if (S::best != 0) is_all = false;
      const i64 from = low;
      PartRows chosen{};
      for (int n = 0; n < task.part_count; ++n) {
        const Part& part = task.parts[n];
        if (part.statement != s) continue;
        const PartRows kept = rows_of<s>(lane, part, from);
        if (kept.rows == 0 || (chosen.rows != 0 && chosen.high <= kept.least)) continue;
        if (chosen.rows != 0 && kept.high > chosen.least) is_all = false;
        chosen = kept;
        set_place<s>(lane, part);
      }
      rows_[s] = chosen.rows;
      if (chosen.rows != 0) {
        low = values::larger(low, chosen.low);
        high = values::smaller(high, chosen.high);
      }
      if constexpr (S::has_corner) leave_corner<s>(lane, from, high);
      set<s + 1>(task, lane, low, high, is_all);
    }
  }
  /// The columns of a row that are kept and whose elements lie in [begin_of(axis), end_of(axis)) along all axes; none
  /// of a row outside the block.
  template <int s, class Begin, class End>
  __device__ static void columns_in(const Lane<N>& lane, int level, int row, const Begin& begin_of, const End& end_of,
                                    i64& first, i64& past) {
    using S = typename N::template Statement<s>;
    i64 c[most_coordinates] = {}, base[most_coordinates] = {};
    lane.set_row(level, row, c);
    if (!lane.is_row(c)) return;
    first = lane.begin(last);
    past = lane.end(last);
    S::kept_row(c, first, past);
    S::set_base(c, base);
    for (int axis = 0; axis < S::axes; ++axis)
      clip(begin_of(axis), end_of(axis), base[axis], S::slope(axis), first, past);
  }
  /// @param from the first column that counts
  template <int s>
  __device__ static PartRows rows_of(const Lane<N>& lane, const Part& part, i64 from) {
    PartRows kept{0, lane.end(last), lane.begin(last), lane.end(last)};
    for (int level = 0; level < levels; ++level) {
      for (int row = 0; row < rows; ++row) {
        i64 first = 0, past = 0;
        columns_in<s>(
            lane, level, row, [&](int axis) { return part.begin[axis]; }, [&](int axis) { return part.end[axis]; },
            first, past);
        if (first >= past || past <= from) continue;
        kept.rows |= u64{1} << (level * rows + row);
        kept.least = values::smaller(kept.least, first);
        kept.low = values::larger(kept.low, first);
        kept.high = values::smaller(kept.high, past);
      }
    }
    return kept;
  }
  template <int s>
  __device__ static i64 index_in_part(const Lane<N>& lane, const Part& part, int level, int row) {
    using S = typename N::template Statement<s>;
    i64 c[most_coordinates] = {}, base[most_coordinates] = {}, index = 0;
    lane.set_row(level, row, c);
    S::set_base(c, base);
    for (int axis = 0; axis < S::axes; ++axis)
      index += (base[axis] + S::slope(axis) * lane.begin(last) - part.begin[axis]) * part.stride[axis];
    return index;
  }
  template <int s>
  __device__ void set_place(const Lane<N>& lane, const Part& part) {
    using S = typename N::template Statement<s>;
    constexpr i64 size = sizeof(typename S::Type), piece = sizeof(Pieces<typename S::Type, columns>);
    const i64 index = index_in_part<s>(lane, part, 0, 0);
    i64 step = 0;
    for (int axis = 0; axis < S::axes; ++axis) step += S::slope(axis) * part.stride[axis];
    data_[s] = static_cast<unsigned char*>(part.data) + index * size;
    level_bytes_[s] = (index_in_part<s>(lane, part, 1, 0) - index) * size;
    row_bytes_[s] = (index_in_part<s>(lane, part, 0, 1) - index) * size;
    column_bytes_[s] = step * size;
    is_whole_ &= step == 1 && reinterpret_cast<u64>(data_[s]) % piece == 0 &&
                 (!Shape::has_levels || level_bytes_[s] % piece == 0) && (rows == 1 || row_bytes_[s] % piece == 0);
  }
  /// Ends the range before a corner that lies at a column from one on.
  template <int s>
  __device__ static void leave_corner(const Lane<N>& lane, i64 from, i64& high) {
    using S = typename N::template Statement<s>;
    for (int level = 0; level < levels; ++level) {
      for (int row = 0; row < rows; ++row) {
        i64 first = 0, past = 0;
        columns_in<s>(
            lane, level, row, [](int axis) { return S::last(axis); }, [](int axis) { return S::last(axis) + 1; },
            first, past);
        if (first < past && first >= from) high = values::smaller(high, first);
      }
    }
  }

  bool is_whole_ = false;  // pieces lie at multiples of their size
  u64 rows_[N::statements] = {};
  unsigned char* data_[N::statements] = {};  // of the first level and row, the block's first column
  i64 level_bytes_[N::statements] = {}, row_bytes_[N::statements] = {}, column_bytes_[N::statements] = {};
};

}  // namespace terrace::nest
