// The kernel of summed-area tables.
//
// Sums of integers are associative, so a warp needs no skew: it walks over a band of R rows in pieces of 128 columns,
// four a lane, adds up each row by shuffles and each column down the rows, and only then waits for the row above,
// which comes tagged from the band above (tagged.cuh). Floating point keeps the order of the recurrence, so that no
// cut and no back end changes a bit: there each lane adds up a row alone, through shared memory.
#pragma once

#include "kernels/wavefront/cuda/bands/bands.cuh"
#include "kernels/wavefront/measured.hpp"

namespace terrace::wavefront {

/// Columns that a lane holds of a piece.
inline constexpr int lane_columns = measured::CudaOrderedSums::lane_columns;
inline constexpr int sum_piece = 32 * lane_columns;

template <class T>
inline constexpr bool has_fractions = T(0.5) != T(0);

/// Four neighbouring elements, moved at once.
template <class T>
struct alignas(sizeof(T) * lane_columns < 16 ? sizeof(T) * lane_columns : 16) Four {
  T items[lane_columns];
};

template <class T>
__device__ __forceinline__ Four<T> load_four(const T* address) {
  constexpr int bytes = sizeof(Four<T>);
  union {
    u32 word;
    u64 words[bytes < 8 ? 1 : bytes / 8];
    Four<T> four;
  } bits;
  if constexpr (bytes == 4) bits.word = device::load_past_l1(reinterpret_cast<const u32*>(address));
  else if constexpr (bytes == 8) bits.words[0] = device::load_past_l1(reinterpret_cast<const u64*>(address));
  else {
#pragma unroll
    for (int w = 0; w < bytes / 8; w += 2) {
      device::load_past_l1(reinterpret_cast<const u64*>(address) + w, bits.words[w], bits.words[w + 1]);
    }
  }
  return bits.four;
}

/// Columns that are added up in order at a time, and room for them of all rows of a band.
inline constexpr int ordered_columns = measured::CudaOrderedSums::ordered_columns;
template <class V>
struct OrderedRows {
  V at[32][ordered_columns + 1];  // padded by one column to avoid bank conflicts
};

/// One band of a summed-area table. Sums are made in V; in i64 an overflow is noticed.
template <class V, int R>
class SumSweep {
 public:
  static_assert(R <= 32);
  using Tagged = TaggedCell<V, 1>;
  using Pair = TaggedColumns<V>;

  /// @param rows shared memory of the warp, for floating-point sums (else null)
  __device__ SumSweep(const SweepArguments& arguments, const KernelBand& band, OrderedRows<V>* rows)
      : a_(arguments), band_(band), lane_(lane_index()), rows_(rows) {}

  /// Sweeps the band and writes its borders; false when the launch is over before that.
  __device__ bool run(Candidate& found, bool& failed) {
    load_left();
    for (i32 first = 0; first < band_.width; first += sum_piece) {
      column_ = first + lane_ * lane_columns;
      load_grid();
      if constexpr (has_fractions<V>) add_along_rows_in_order();
      else add_along_rows();
      if constexpr (!has_fractions<V>) add_down_columns();
      if (!take_top()) return false;
      if constexpr (!has_fractions<V>) add_top();
      else add_top_in_order();
      give_bottom();
      dispatch_stored(a_.table, [&]<class T>(T) {
        if constexpr (holds_cells<T>) store_table<T>();
      });
      store_right_sums();
    }
    store_right();
    found = {score_of(last_), band_.first_row + band_.rows - 1, band_.width - 1, band_.last};
    found.score = __shfl_sync(~0u, found.score, last_lane());
    failed = a_.check && __any_sync(~0u, overflow_ < 0);
    return true;
  }

 private:
  /// For floating-point sums, the bits of the value as f64.
  __device__ static i64 score_of(V value) {
    if constexpr (has_fractions<V>) return __double_as_longlong(static_cast<double>(value));
    else return static_cast<i64>(value);
  }
  __device__ int last_lane() const { return band_.width > 0 ? (band_.width - 1) % sum_piece / lane_columns : 0; }

  /// a + b; a sum that leaves 64 bits makes overflow_ negative.
  __device__ __forceinline__ V sum(V a, V b) {
    if constexpr (sizeof(V) == 8 && !has_fractions<V>) {
      const V total = static_cast<V>(static_cast<u64>(a) + static_cast<u64>(b));
      overflow_ |= static_cast<i32>(((a ^ total) & (b ^ total)) >> 32);
      return total;
    } else if constexpr (has_fractions<V>) {
      return a + b;
    } else {
      return static_cast<V>(static_cast<u32>(a) + static_cast<u32>(b));
    }
  }

  /// Notes a sum that `type` cannot hold.
  __device__ __forceinline__ void check_fits(V value, Stored type) {
    if constexpr (sizeof(V) == 8 && !has_fractions<V>) {
      if (type == Stored::i32 && value != static_cast<i32>(value)) overflow_ = -1;
    }
  }

  /// Lane r keeps the sum of row r.
  __device__ void load_left() {
    const BlockTask& task = band_.task;
    if (!task.left) return;
    if (lane_ < band_.rows) {
      carry_ = load_stored<V>(a_.border, task.left, task.column_border_stride + band_.first_row + lane_ + 1);
    }
    if (band_.index == 0) corner_ = load_stored<V>(a_.border, task.left, 0);
  }

  /// The grid's values of this piece; 0 outside the block.
  __device__ __forceinline__ void load_grid() {
    dispatch_stored(a_.grid, [&]<class G>(G) {
      const G* grid = static_cast<const G*>(band_.task.grid) + band_.first_row * band_.task.grid_stride + column_;
      const bool aligned =
          reinterpret_cast<u64>(grid) % sizeof(Four<G>) == 0 && band_.task.grid_stride % lane_columns == 0;
      if (__all_sync(~0u, aligned && column_ + lane_columns <= band_.width) && band_.rows == R) {
        Four<G> fours[R];
#pragma unroll
        for (int r = 0; r < R; ++r) fours[r] = load_four(grid + r * band_.task.grid_stride);
#pragma unroll
        for (int r = 0; r < R; ++r) {
#pragma unroll
          for (int c = 0; c < lane_columns; ++c) sums_[r][c] = static_cast<V>(fours[r].items[c]);
        }
        return;
      }
#pragma unroll
      for (int r = 0; r < R; ++r) {
#pragma unroll
        for (int c = 0; c < lane_columns; ++c) {
          const bool inside = r < band_.rows && column_ + c < band_.width;
          sums_[r][c] = inside ? static_cast<V>(device::load_past_l1(grid + r * band_.task.grid_stride + c)) : V(0);
        }
      }
    });
  }

  /// Turns values into sums from the block's row begin, carry included.
  __device__ __forceinline__ void add_along_rows() {
#pragma unroll
    for (int r = 0; r < R; ++r) {
#pragma unroll
      for (int c = 1; c < lane_columns; ++c) sums_[r][c] = sum(sums_[r][c], sums_[r][c - 1]);
      V before = sums_[r][lane_columns - 1];
#pragma unroll
      for (int distance = 1; distance < 32; distance *= 2) {
        const V other = __shfl_up_sync(~0u, before, distance);
        if (lane_ >= distance) before = sum(before, other);
      }
      const V carry = __shfl_sync(~0u, carry_, r);
      const V through = sum(before, carry);
      before = __shfl_up_sync(~0u, through, 1);
      if (lane_ == 0) before = carry;
#pragma unroll
      for (int c = 0; c < lane_columns; ++c) sums_[r][c] = sum(sums_[r][c], before);
      const V carried = __shfl_sync(~0u, through, 31);
      if (lane_ == r) carry_ = carried;
    }
  }

  /// The same one column after another, as the recurrence says: lane r adds up row r.
  __device__ __forceinline__ void add_along_rows_in_order() {
    constexpr int lanes = ordered_columns / lane_columns;
    for (int part = 0; part < sum_piece / ordered_columns; ++part) {
      const bool mine = lane_ / lanes == part;
      const int first = lane_ % lanes * lane_columns;
      if (mine) {
#pragma unroll
        for (int r = 0; r < R; ++r) {
#pragma unroll
          for (int c = 0; c < lane_columns; ++c) rows_->at[r][first + c] = sums_[r][c];
        }
      }
      __syncwarp();
      if (lane_ < R) {
        for (int c = 0; c < ordered_columns; ++c) rows_->at[lane_][c] = carry_ = sum(carry_, rows_->at[lane_][c]);
      }
      __syncwarp();
      if (mine) {
#pragma unroll
        for (int r = 0; r < R; ++r) {
#pragma unroll
          for (int c = 0; c < lane_columns; ++c) sums_[r][c] = rows_->at[r][first + c];
        }
      }
      __syncwarp();
    }
  }

  __device__ __forceinline__ void add_down_columns() {
#pragma unroll
    for (int r = 1; r < R; ++r) {
#pragma unroll
      for (int c = 0; c < lane_columns; ++c) sums_[r][c] = sum(sums_[r][c], sums_[r - 1][c]);
    }
  }
  __device__ __forceinline__ void add_top() {
#pragma unroll
    for (int r = 0; r < R; ++r) {
#pragma unroll
      for (int c = 0; c < lane_columns; ++c) sums_[r][c] = sum(sums_[r][c], top_[c]);
    }
  }
  /// Floating point keeps the order of the recurrence down the columns.
  __device__ __forceinline__ void add_top_in_order() {
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) sums_[0][c] = sum(top_[c], sums_[0][c]);
#pragma unroll
    for (int r = 1; r < R; ++r) {
#pragma unroll
      for (int c = 0; c < lane_columns; ++c) sums_[r][c] = sum(sums_[r - 1][c], sums_[r][c]);
    }
  }

  /// The row above, once it is there. In the block's first band the right border begins with its last value.
  __device__ __forceinline__ bool take_top() {
    if (top_is_tagged(band_)) {
      while (!__all_sync(~0u, load_tagged())) {
        if (!wait_for_piece()) return false;
      }
    } else {
#pragma unroll
      for (int c = 0; c < lane_columns; ++c) {
        const bool inside = column_ + c < band_.width && band_.task.top != nullptr;
        top_[c] = inside ? load_stored<V>(a_.border, band_.task.top, column_ + c) : V(0);
      }
    }
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      if (column_ + c == band_.width - 1) corner_ = top_[c];
    }
    return true;
  }

  /// Reads this lane's part of the row above, 0 outside the block; whether it has been written. (The row has room
  /// beyond the block.)
  __device__ __forceinline__ bool load_tagged() {
    const u64* row = border_row(a_, band_);
    bool fresh = true;
#pragma unroll
    for (int c = 0; c < lane_columns; c += Pair::columns) {
      V values[Pair::columns];
      u32 written = 0;
      if (column_ + c < band_.width) written = Pair::load(row, column_ + c, tag_of(band_.ticket - 1), values);
#pragma unroll
      for (int i = 0; i < Pair::columns; ++i) {
        const bool inside = column_ + c + i < band_.width;
        top_[c + i] = inside ? values[i] : V(0);
        fresh = fresh && (!inside || (written >> i & 1) != 0);
      }
    }
    return fresh;
  }

  /// Waits until the last column of the piece has been written: only one lane polls, so that waiting warps do not
  /// fill the cache's bandwidth. False when the launch is over.
  __device__ bool wait_for_piece() {
    const i32 end = column_ - lane_ * lane_columns + sum_piece;
    const i32 last = (end < band_.width ? end : band_.width) - 1;
    bool waits = column_ <= last && last < column_ + lane_columns;
    const auto is_written = [&] {
      if (!__any_sync(~0u, waits)) return true;
      V values[1];
      if (waits && Tagged::load(border_row(a_, band_), last, tag_of(band_.ticket - 1), values)) waits = false;
      return false;
    };
    return device::wait_by_warp<device::backoffs::sums_above>(
        is_written, [&] { return device::must_leave(a_.launch, band_.block); });
  }

  __device__ __forceinline__ void give_bottom() {
    device::random_delay(a_.launch, band_.ticket + static_cast<u32>(column_));
    if (!band_.last || a_.across == 1) {
      u64* row = border_row(a_, band_);
#pragma unroll
      for (int c = 0; c < lane_columns; c += Pair::columns) {
        V values[Pair::columns];
#pragma unroll
        for (int i = 0; i < Pair::columns; ++i) values[i] = bottom(c + i);
        if (column_ + c < band_.width) Pair::store(row, column_ + c, tag_of(band_.ticket), values);
      }
    }
    if (!band_.last || !band_.task.bottom) return;
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      if (column_ + c < band_.width) store_stored(a_.border, band_.task.bottom, column_ + c, bottom(c));
    }
  }
  /// Rows below the band's last add nothing (floating point and integers alike): the lowest row is the last's.
  __device__ __forceinline__ V bottom(int c) const { return sums_[R - 1][c]; }

  template <class T>
  __device__ __forceinline__ void store_table() {
    T* table = static_cast<T*>(band_.task.table);
    if (!table) return check_piece();
    table += band_.first_row * band_.task.table_stride + column_;
    const bool aligned =
        reinterpret_cast<u64>(table) % alignof(Four<T>) == 0 && band_.task.table_stride % lane_columns == 0;
    const bool whole = aligned && column_ + lane_columns <= band_.width;
    check_piece();
#pragma unroll
    for (int r = 0; r < R; ++r) {
      if (r >= band_.rows) break;
      T* at = table + r * band_.task.table_stride;
      Four<T> four;
#pragma unroll
      for (int c = 0; c < lane_columns; ++c) four.items[c] = static_cast<T>(sums_[r][c]);
      if (whole) {
        *reinterpret_cast<Four<T>*>(at) = four;
        continue;
      }
#pragma unroll
      for (int c = 0; c < lane_columns; ++c) {
        if (column_ + c < band_.width) at[c] = four.items[c];
      }
    }
  }
  __device__ __forceinline__ void check_piece() {
    if (!a_.check) return;
#pragma unroll
    for (int r = 0; r < R; ++r) {
#pragma unroll
      for (int c = 0; c < lane_columns; ++c) check_fits(sums_[r][c], a_.value);
    }
  }

  /// H of the block's last column, if it is in this piece.
  __device__ __forceinline__ void store_right_sums() {
    const i32 c_last = band_.width - 1 - column_;
    if (c_last < 0 || c_last >= lane_columns) return;
#pragma unroll
    for (int c = 0; c < lane_columns; ++c) {
      if (c == c_last) last_ = bottom(c);
    }
    if (!band_.task.right) return;
#pragma unroll
    for (int r = 0; r < R; ++r) {
#pragma unroll
      for (int c = 0; c < lane_columns; ++c) {
        if (c == c_last && r < band_.rows) {
          store_stored(a_.border, band_.task.right, band_.first_row + r + 1, sums_[r][c]);
        }
      }
    }
    if (band_.index == 0) store_stored(a_.border, band_.task.right, 0, corner_);
  }

  /// Stores the sums of rows, with which the next block begins: the values outside the block were 0.
  __device__ __forceinline__ void store_right() {
    const BlockTask& task = band_.task;
    if (!task.right) return;
    if (band_.width == 0 && band_.index == 0 && lane_ == 0) store_stored(a_.border, task.right, 0, corner_);
    if (lane_ >= band_.rows) return;
    if (a_.check) check_fits(carry_, a_.border);
    store_stored(a_.border, task.right, task.column_border_stride + band_.first_row + lane_ + 1, carry_);
  }

  const SweepArguments& a_;
  const KernelBand& band_;
  const int lane_;
  OrderedRows<V>* rows_;
  i32 column_ = 0;           // this lane's first of the piece
  V sums_[R][lane_columns];  // values, sums of rows, then sums of areas
  V carry_{};                // lane r: the sum of row r up to the piece
  V top_[lane_columns];      // the row above
  V corner_{};               // H above the last column
  V last_{};                 // H of the lowest row's last column
  i32 overflow_ = 0;         // negative: a sum did not fit
};

/// Threads of a thread block: one warp.
inline constexpr int sum_threads = 32;

template <class V, int R>
__global__ void __launch_bounds__(sum_threads, measured::CudaOrderedSums::blocks)
    sum_areas_kernel(const __grid_constant__ SweepArguments arguments) {
  __shared__ KernelBand band;
  OrderedRows<V>* rows = nullptr;
  if constexpr (has_fractions<V>) {
    __shared__ OrderedRows<V> room;
    rows = &room;
  }
  while (take_band(arguments, band)) {
    Candidate found;
    bool failed = false;
    if (!SumSweep<V, R>(arguments, band, rows).run(found, failed)) return;
    finish_band(arguments, band, found, failed);
  }
}

}  // namespace terrace::wavefront
