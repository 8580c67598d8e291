// The kernel of the papers' schedules: kernel tiles in global or shared memory, square or along the anti-diagonals.
//
// A thread is a row of a tile; the threads of a thread block compute one anti-diagonal after another, with a barrier
// of the thread block between them, and read the row above's values of the step before from the tile's storage
// (storage.cuh). One row of H and F below each row of tiles is in global memory, in place: a tile reads its columns
// before it writes its last row there. E and H before a row stay in registers while a thread block walks over a row
// of tiles; in waves they wait in global memory for the thread block that takes the next tile.
#pragma once

#include "kernels/wavefront/cuda/papers/storage.cuh"
#include "kernels/wavefront/cuda/papers/tile_row.cuh"
#include "kernels/wavefront/measured.hpp"

namespace terrace::wavefront {

/// The most threads of a thread block, and the most rows of a tile.
inline constexpr int most_tile_threads = static_cast<int>(measured::CudaTiles::most_height);

/// True if cells of type V have fractions.
template <class V>
inline constexpr bool has_real_cells = V(0.5) != V(0);
template <>
inline constexpr bool has_real_cells<Word> = false;
template <class T>
inline constexpr bool has_real_cells<Real<T>> = true;

/// Anti-diagonals of a tile in global memory that wait in shared memory for their places in the table, where one is
/// kept: a thread a row would write to as many cache lines as it has rows.
template <class V>
inline constexpr i32 kept_steps = measured::CudaTiles::kept_bytes / static_cast<i32>(sizeof(V));
/// Values from row to row of them; odd.
template <class V>
inline constexpr i32 kept_stride = kept_steps<V> + 1;

/// Arrays of a thread block in shared memory, after TileUnit.
template <class V>
struct TileMemory {
  V* top;    // [row planes][width]: above the tile's columns
  V* items;  // [item_mask + 1]: of columns, at column & item_mask
  V* kept;   // [height][kept_stride]: H of the last steps
};

/// A unit of work on its way through a thread block. All members are called by all threads, save where said.
template <class P, class V, class Storage>
class TileSweep : TileRow<P, V> {
 public:
  using Row = TileRow<P, V>;
  using Row::planes;
  using typename Row::Constants;

  __device__ TileSweep(const TileArguments& arguments, const Constants& constants, TileUnit& unit,
                       const TileMemory<V>& memory, const Storage& storage)
      : Row(arguments, constants, unit),
        memory_(memory),
        storage_(storage),
        tile_width_(static_cast<i32>(arguments.shape.width)),
        rows_(unit.band.rows),
        across_(tiles_across(arguments, unit)),
        table_(unit.band.task.table) {}

  /// Sweeps the unit's tiles; false when the launch is over before that.
  __device__ bool run() {
    this->load_row_item();
    if (unit_.first_tile == 0) this->load_left();
    else this->load_state();
    const bool in_waves = a_.order == TileOrder::waves;
    for (i64 tile = unit_.first_tile; tile < unit_.end_tile; ++tile) {
      if (!in_waves && !wait_above(tile)) return false;
      sweep_tile(tile);
      if (failed_) atomicExch(&slot_of(a_.sweep, band_.block)->failed, 1u);
      if (!in_waves && threadIdx.x == 0) signal_tile(a_, unit_, tile);
    }
    if (unit_.end_tile < across_) this->save_state();
    else this->finish_row();
    __syncthreads();
    if (in_waves && threadIdx.x == 0) signal_tile(a_, unit_, unit_.first_tile);
    return true;
  }

 private:
  using Row::a_, Row::k_, Row::unit_, Row::band_, Row::row_, Row::height_, Row::width_, Row::below_, Row::mine_;
  using Row::item_, Row::left_, Row::diagonal_, Row::e_, Row::f_;
  using Row::item_at, Row::inside;

  __device__ bool wait_above(i64 tile) {
    return __syncthreads_or(threadIdx.x == 0 && wait_for_above(a_, unit_, tile)) != 0;
  }

  // One tile.

  __device__ void sweep_tile(i64 tile) {
    const i32 first = static_cast<i32>(tile * tile_width_);
    load_items(tile, first);
    load_top(first);
    if constexpr (P::items == Items::grid && Storage::holds_tile) load_grid(first);
    if (row_ < height_) put(-1);
    __syncthreads();
    // The threads beyond the tile's rows only help to move it.
    if (row_ < height_) steps(first);
    __syncthreads();
    if constexpr (Storage::holds_tile) {
      if (table_) store_tile(first);
      __syncthreads();
    }
  }

  /// Items of the tile's columns; of the unit's first tile those before them as well, where its lower rows are.
  __device__ void load_items(i64 tile, i32 first) {
    if constexpr (P::items != Items::grid) {
      const i32 lag = static_cast<i32>(a_.shape.skew) * (height_ - 1);
      i32 begin = tile == unit_.first_tile ? first - lag : first;
      if (begin < 0) begin = 0;
      const i32 end = first + tile_width_ < width_ ? first + tile_width_ : width_;
      for (i32 column = begin + row_; column < end; column += static_cast<i32>(blockDim.x)) {
        memory_.items[static_cast<u32>(column) & a_.item_mask] = item_at(band_.task.columns, column);
      }
    }
  }

  __device__ void load_top(i32 first) {
    const BlockTask& task = band_.task;
    const i32 end = first + tile_width_ < width_ ? first + tile_width_ : width_;
    for (i32 column = first + row_; column < end; column += static_cast<i32>(blockDim.x)) {
      Border<V> top{};
      if (band_.index > 0) {
        top.h = device::load_past_l1(below_ + column);
        if constexpr (planes == 2) top.gap = device::load_past_l1(below_ + a_.row_stride + column);
      } else if (task.top) {
        top.h = load_stored<V>(a_.sweep.border, task.top, column);
        if constexpr (planes == 2)
          top.gap = load_stored<V>(a_.sweep.border, task.top, task.row_border_stride + column);
      } else {
        top = P::template top<V>(k_, task.column_begin + column);
      }
      if constexpr (has_window<P>) {
        if (!inside(band_.first_row - 1, column)) top.h = V(infinity);
      }
      memory_.top[column - first] = top.h;
      if constexpr (planes == 2) memory_.top[tile_width_ + column - first] = top.gap;
    }
  }

  /// Calls call(row, step, column) for the tile's cells inside the block, columns side by side by the lanes of a
  /// warp.
  template <class Call>
  __device__ __forceinline__ void for_each_cell(i32 first, const Call& call) {
    for (i32 row = row_ / 32; row < rows_; row += static_cast<i32>(blockDim.x) / 32) {
      const i32 begin = first - static_cast<i32>(a_.shape.skew) * row;
      for (i32 step = row_ % 32; step < tile_width_; step += 32) {
        if (begin + step >= 0 && begin + step < width_) call(row, step, begin + step);
      }
    }
  }

  __device__ __forceinline__ V grid_at(i32 row, i32 column) const {
    V value = V(0);
    const i64 index = (band_.first_row + row) * band_.task.grid_stride + column;
    dispatch_stored(a_.sweep.grid, [&]<class G>(G) {
      value = static_cast<V>(device::load_past_l1(static_cast<const G*>(band_.task.grid) + index));
    });
    return value;
  }

  /// The grid's values lie where H will be.
  __device__ void load_grid(i32 first) {
    for_each_cell(first, [&](i32 row, i32 step, i32 column) { storage_.put_h(row, step, grid_at(row, column)); });
  }
  __device__ void store_tile(i32 first) {
    for_each_cell(first,
                  [&](i32 row, i32 step, i32 column) { store_to_table(row, column, storage_.h_at(row, step)); });
  }
  __device__ __forceinline__ void store_to_table(i32 row, i32 column, V h) const {
    const i64 index = (band_.first_row + row) * band_.task.table_stride + column;
    if constexpr (P::items == Items::grid && has_real_cells<V>) {
      store_stored(a_.sweep.table, table_, index, h);
    } else {
      if constexpr (sizeof(V) == sizeof(Word)) {
        if (a_.sweep.table == own_type<V>) {
          static_cast<V*>(table_)[index] = h;
          return;
        }
      }
      store_cell(a_.sweep.table, table_, index, h, a_.sweep.scale);
    }
  }

  __device__ __forceinline__ void put(i32 step) const {
    storage_.put_h(row_, step, left_);
    if constexpr (planes == 2) storage_.put_f(row_, step, f_);
  }

  /// The tile's anti-diagonals, by the threads of its rows.
  __device__ void steps(i32 first) {
    const bool skewed = a_.shape.skew != 0;
    const i32 begin = skewed ? 0 : first;
    const i32 end = skewed || first + tile_width_ > width_ ? width_ : first + tile_width_;
    const i32 columns = end - first;  // left of the row's end, from the first row on
    i32 count = columns + rows_ - 1;
    if (skewed && count > tile_width_) count = tile_width_;
    for (i32 step = 0; step < count; ++step) {
      const i32 column = first + step - row_;
      cell_of_step(step, column, mine_ && column >= begin && column < end);
      sync_rows();
      if constexpr (!Storage::holds_tile) {
        if (!table_ || ((step + 1) % kept_steps<V> != 0 && step + 1 < count)) continue;
        store_kept(first, step, begin, end);
        sync_rows();
      }
    }
  }
  __device__ __forceinline__ void sync_rows() const { device::sync_first_threads(height_); }

  /// Moves the steps up to `step` that wait to the table; the tile has columns [begin, end).
  __device__ __forceinline__ void store_kept(i32 first, i32 step, i32 begin, i32 end) {
    const i32 from = step - step % kept_steps<V>;
    for (i32 at = row_; at < rows_ * kept_steps<V>; at += height_) {
      const i32 row = at / kept_steps<V>, i = at % kept_steps<V>, column = first + from + i - row;
      if (from + i > step || column < begin || column >= end) continue;
      store_to_table(row, column, memory_.kept[row * kept_stride<V> + i]);
    }
  }

  __device__ __forceinline__ void cell_of_step(i32 step, i32 column, bool active) {
    V up = diagonal_, f = V(0);
    if (row_ > 0) {
      up = storage_.h_at(row_ - 1, step - 1);
      if constexpr (planes == 2) f = storage_.f_at(row_ - 1, step - 1);
    } else if (active) {
      up = memory_.top[step];
      if constexpr (planes == 2) f = memory_.top[tile_width_ + step];
    }
    if (active) {
      const Around<V> around{diagonal_, up, left_, e_, f};
      const V score = score_at(step, column);
      Cell<V> cell = P::template cell<V>(k_, around, score);
      if constexpr (has_window<P>) {
        if (!inside(band_.first_row + row_, column)) cell.h = V(infinity);
      }
      if constexpr (P::items == Items::grid && !has_real_cells<V>) check_sums(around, score, cell);
      left_ = cell.h;
      e_ = cell.e;
      f_ = cell.f;
      if constexpr (P::report != Report::last) this->look(column);
      if constexpr (!Storage::holds_tile) {
        if (table_) memory_.kept[row_ * kept_stride<V> + step % kept_steps<V>] = left_;
      }
      if (row_ == rows_ - 1) this->hand_down(column);
    }
    diagonal_ = up;
    put(step);
  }

  __device__ __forceinline__ V score_at(i32 step, i32 column) const {
    if constexpr (by_matrix<P>) {
      const V item = memory_.items[static_cast<u32>(column) & a_.item_mask];
      return V(static_cast<i64>(k_.scale) * unit_.matrix.scores[static_cast<i64>(item_)][static_cast<i64>(item)]);
    } else if constexpr (P::items != Items::grid) {
      return P::template score<V>(k_, item_, memory_.items[static_cast<u32>(column) & a_.item_mask]);
    } else if constexpr (Storage::holds_tile) {
      return storage_.h_at(row_, step);
    } else {
      return grid_at(row_, column);
    }
  }

  /// Notes a sum that its type does not hold. One that left 64 bits is far from the same in f64.
  __device__ __forceinline__ void check_sums(const Around<V>& n, V score, const Cell<V>& cell) {
    if (!a_.sweep.check) return;
    if (a_.sweep.value == Stored::i32) {
      failed_ = failed_ || cell.h != static_cast<i32>(cell.h);
      return;
    }
    const auto real = [](V value) { return static_cast<double>(value); };
    const Cell<double> rounded =
        P::template cell<double>(P::template constants_as<double>(k_),
                                 {real(n.diagonal), real(n.up), real(n.left), real(n.e), real(n.f)}, real(score));
    constexpr double far = 4611686018427387904.0;  // 2^62
    const double h = rounded.h - real(cell.h), e = rounded.e - real(cell.e);
    failed_ = failed_ || h > far || h < -far || e > far || e < -far;
  }

  const TileMemory<V> memory_;
  const Storage storage_;
  const i32 tile_width_;
  const i32 rows_;    // of the band
  const i64 across_;  // tiles of the row of tiles
  void* const table_;
  bool failed_ = false;  // a sum left its type
};

/// The arrays of a thread block, one after another in dynamic shared memory.
template <class P, class V>
struct TileMemoryPlan {
  u32 top_at, items_at, storage_at, bytes;

  /// @param storage_bytes of a tile that is kept there
  TERRACE_HOST_DEVICE static TileMemoryPlan of(const TileShape& shape, u32 item_mask, u32 storage_bytes) {
    TileMemoryPlan plan{};
    plan.top_at = (static_cast<u32>(sizeof(TileUnit)) + 15) / 16 * 16;
    plan.items_at = plan.top_at + static_cast<u32>(P::row_planes * shape.width * static_cast<i64>(sizeof(V)));
    const u32 items = P::items == Items::grid ? 0 : item_mask + 1;
    plan.storage_at = plan.items_at + items * static_cast<u32>(sizeof(V));
    plan.bytes = plan.storage_at + storage_bytes;
    return plan;
  }
};

/// Place of the tile of a unit.
template <class P, class V>
__device__ CachedTile<V> storage_for(const TileArguments& a, const KernelBand& band, V*, CachedTile<V>*) {
  const u64 at = band.block % a.sweep.launch.slots * a.sweep.bands + band.index;
  V* h = reinterpret_cast<V*>(a.states + at * a.state_bytes);
  const i32 height = static_cast<i32>(a.shape.height);
  return {h, h + 2 * height, height};
}
template <class P, class V>
__device__ SharedTile<V> storage_for(const TileArguments& a, const KernelBand&, V* shared, SharedTile<V>*) {
  const i32 height = static_cast<i32>(a.shape.height);
  const i32 stride = SharedTile<V>::stride_for(static_cast<i32>(a.shape.width));
  return {shared, shared + height * stride, height, stride};
}

/// Sweeps tiles until there are none left. @param constants the problem's, in i64
template <class P, class V, class Storage>
__global__ void __launch_bounds__(most_tile_threads, 1)
    sweep_tiles_kernel(const __grid_constant__ TileArguments arguments,
                       const __grid_constant__ typename P::template Constants<i64> constants) {
  unsigned char* shared_memory = device::launch_shared_memory();
  TileUnit& unit = *reinterpret_cast<TileUnit*>(shared_memory);
  const auto plan = TileMemoryPlan<P, V>::of(arguments.shape, arguments.item_mask, 0);
  const TileMemory<V> memory{reinterpret_cast<V*>(shared_memory + plan.top_at),
                             reinterpret_cast<V*>(shared_memory + plan.items_at),
                             reinterpret_cast<V*>(shared_memory + plan.storage_at)};
  const auto k = P::template constants_as<V>(constants);
  if (threadIdx.x == 0) {
    unit.placed = ~u64{0};
    if constexpr (by_matrix<P>) unit.matrix = arguments.sweep.matrix;
  }
  for (;;) {
    bool taken = false;
    if (threadIdx.x < 32) {
      __syncwarp();
      taken = take_unit(arguments, unit);
    }
    if (__syncthreads_or(taken) == 0) return;
    // compute-sanitizer's racecheck orders the unit's writes and reads by this barrier, not by the one above.
    __syncthreads();
    V* shared = reinterpret_cast<V*>(shared_memory + plan.storage_at);
    const Storage storage = storage_for<P, V>(arguments, unit.band, shared, static_cast<Storage*>(nullptr));
    if (!TileSweep<P, V, Storage>(arguments, k, unit, memory, storage).run()) return;
    __syncthreads();
  }
}

}  // namespace terrace::wavefront
