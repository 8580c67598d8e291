// The row of a tile in its thread: initial values, the state that waits between tiles, and what the row hands on.
#pragma once

#include "kernels/wavefront/cuda/papers/units.cuh"
#include "kernels/wavefront/problem.hpp"
#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {

/// The row that a thread computes of the tiles of a unit. All members are called by all threads, save where said.
template <class P, class V>
class TileRow {
 public:
  using Constants = typename P::template Constants<V>;
  static constexpr int planes = P::row_planes;

  __device__ TileRow(const TileArguments& arguments, const Constants& constants, TileUnit& unit)
      : a_(arguments),
        k_(constants),
        unit_(unit),
        band_(unit.band),
        row_(static_cast<i32>(threadIdx.x)),
        height_(static_cast<i32>(arguments.shape.height)),
        width_(unit.band.width),
        below_(reinterpret_cast<V*>(arguments.rows +
                                    unit.band.block % arguments.sweep.launch.slots * arguments.row_bytes)),
        last_(unit.band.last),
        mine_(row_ < unit.band.rows) {}

 protected:
  __device__ static V item_at(const void* items, i64 index) {
    if constexpr (P::items == Items::letters) {
      return V(static_cast<i64>(device::load_past_l1(static_cast<const device::u8*>(items) + index)));
    } else {
      return device::load_past_l1(static_cast<const V*>(items) + index);
    }
  }
  __device__ void load_row_item() {
    if constexpr (P::items != Items::grid) {
      if (mine_) item_ = item_at(band_.task.rows, band_.first_row + row_);
    }
  }

  /// True if row `row` of the block, from -1 on, lies in the window in its column `column`, from -1 on.
  __device__ __forceinline__ bool inside(i64 row, i64 column) const {
    return in_window(window_of<P, V>(k_), band_.task.row_begin + row, band_.task.column_begin + column);
  }

  __device__ V left_h(i64 row) const {
    if constexpr (has_window<P>) {
      if (!inside(row, -1)) return V(infinity);
    }
    if (band_.task.left) return load_stored<V>(a_.sweep.border, band_.task.left, row + 1);
    if constexpr (has_corner<P, V>) {
      if (band_.task.row_begin + row < 0 && width_ > 0) {
        return P::corner(k_, item_at(band_.task.rows, 0), item_at(band_.task.columns, 0));
      }
    }
    return P::template left<V>(k_, band_.task.row_begin + row).h;
  }
  __device__ void load_left() {
    if (!mine_) return;
    const BlockTask& task = band_.task;
    const i64 row = band_.first_row + row_;
    left_ = left_h(row);
    diagonal_ = left_h(row - 1);
    if constexpr (P::column_planes == 2) {
      e_ = task.left ? load_stored<V>(a_.sweep.border, task.left, task.column_border_stride + row + 1)
                     : P::template left<V>(k_, task.row_begin + row).gap;
    }
  }

  // State that waits in global memory between the tiles of a row, in waves: [6][height] after the storage.

  __device__ V* state() const {
    const u64 band = band_.block % a_.sweep.launch.slots * a_.sweep.bands + band_.index;
    return reinterpret_cast<V*>(a_.states + band * a_.state_bytes) + 2 * planes * height_;
  }
  __device__ void save_state() const {
    if (!mine_) return;
    V* at = state() + row_;
    at[0] = left_;
    at[height_] = diagonal_;
    at[2 * height_] = e_;
    at[3 * height_] = f_;
    at[4 * height_] = best_;
    reinterpret_cast<i32*>(state() + 5 * height_)[row_] = best_column_;
  }
  __device__ void load_state() {
    if (!mine_) return;
    const V* at = state() + row_;
    left_ = device::load_past_l1(at);
    diagonal_ = device::load_past_l1(at + height_);
    e_ = device::load_past_l1(at + 2 * height_);
    f_ = device::load_past_l1(at + 3 * height_);
    best_ = device::load_past_l1(at + 4 * height_);
    best_column_ = device::load_past_l1(reinterpret_cast<const i32*>(state() + 5 * height_) + row_);
  }

  // The best cell, and what is handed on.

  /// Follows the best cell of the row, among cells above 0 or cells that may end an alignment.
  __device__ __forceinline__ void look(i32 column) {
    if constexpr (P::report == Report::best) {
      if (left_ > best_) best_ = left_, best_column_ = column;
    } else {
      const Ends ends = P::ends(k_);
      const bool bottom = band_.task.row_begin + band_.first_row + row_ + 1 == a_.sweep.rows;
      const bool right = band_.task.column_begin + column + 1 == a_.sweep.columns;
      if (!(bottom && (right || ends.last_row)) && !(right && ends.last_column)) return;
      if (best_column_ < 0 || is_better<P>(left_, best_)) best_ = left_, best_column_ = column;
    }
  }

  /// The last row's cell goes to the row of tiles below, or below the block.
  __device__ __forceinline__ void hand_down(i32 column) const {
    const BlockTask& task = band_.task;
    if (!last_) {
      below_[column] = left_;
      if constexpr (planes == 2) below_[a_.row_stride + column] = f_;
    } else if (task.bottom) {
      store_stored(a_.sweep.border, task.bottom, column, left_);
      if constexpr (planes == 2) store_stored(a_.sweep.border, task.bottom, task.row_border_stride + column, f_);
    }
  }

  __device__ void finish_row() {
    store_right();
    if (threadIdx.x == 0) {
      unit_.best = 0;
      unit_.best_row = ~0u;
      unit_.found = Candidate{0, 0, 0, false};
    }
    __syncthreads();
    if constexpr (P::report == Report::last) find_last();
    else find_best();
    __syncthreads();
    if (threadIdx.x < 32) finish_band(a_.sweep, band_, unit_.found, false);
  }

  /// The last column, and before it the corner, which the block's first row of tiles knows.
  __device__ void store_right() const {
    const BlockTask& task = band_.task;
    if (!task.right || !mine_) return;
    const i64 row = band_.first_row + row_;
    if (row == 0) store_stored(a_.sweep.border, task.right, 0, diagonal_);
    store_stored(a_.sweep.border, task.right, row + 1, left_);
    if constexpr (P::column_planes == 2) {
      store_stored(a_.sweep.border, task.right, task.column_border_stride + row + 1, e_);
    }
  }

  /// The largest, of the smallest row; a thread has the smallest column of its row.
  __device__ void find_best() {
    const i64 best = reported(best_);
    const u64 key = static_cast<u64>(best) ^ u64 { 1 } << 63;  // in the order of signed numbers
    const bool any = mine_ && best_column_ >= 0;
    if (any) atomicMax(&unit_.best, key);
    __syncthreads();
    const bool largest = any && key == unit_.best;
    if (largest) atomicMin(&unit_.best_row, static_cast<u32>(row_));
    __syncthreads();
    if (largest && static_cast<u32>(row_) == unit_.best_row) {
      unit_.found = Candidate{best, band_.first_row + row_, best_column_, true};
    }
  }

  /// A block without rows has the border's value.
  __device__ void find_last() {
    if (!band_.last) return;
    const i64 row = band_.first_row + band_.rows - 1;
    if (row_ == band_.rows - 1) unit_.found = Candidate{reported(left_), row, width_ - 1, true};
    if (band_.rows == 0 && row_ == 0) {
      const V above = P::template top<V>(k_, band_.task.column_end - 1).h;
      unit_.found = Candidate{reported(above), row, width_ - 1, true};
    }
  }

  const TileArguments& a_;
  const Constants& k_;
  TileUnit& unit_;
  const KernelBand& band_;
  const i32 row_;                    // of the tile; threads beyond its height have no row
  const i32 height_;                 // of tiles
  const i32 width_;                  // columns of the block
  V* const below_;                   // the row below the last row of tiles, in global memory
  const bool last_;                  // the row of tiles is the block's last
  const bool mine_;                  // the row is one of the block
  V item_ = V(0);                    // the row's
  V left_ = V(0), diagonal_ = V(0);  // H of the last column, and above it
  V e_ = V(0), f_ = V(0);            // E that enters the next column, F below the last one
  V best_ = V(0);
  i32 best_column_ = -1;  // none yet
};

}  // namespace terrace::wavefront
