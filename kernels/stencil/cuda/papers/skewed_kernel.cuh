// Several steps of a sum over offsets in two dimensions, by time-skewed tiles: Y. Li, 2020, chapter 7.
//
// At level s tile k of row j of tiles has the cells of its place moved by -s * radius along both axes. So a level of
// a tile needs, beside the tile at the level below, 2 * radius columns of the tile before it and 2 * radius rows of
// the row of tiles above. Columns are kept in shared memory, those of all levels; rows are handed on through device
// memory, in an array a stream (equation 7.1). A thread block is a stream: it makes the rows of tiles that are dealt
// to it (equation 7.2), tile after tile.
//
// Two locks order them. A row makes a tile when the row above has done that tile. And a row hands rows on to the next
// stream's array when the row that was to read it before has ended. Thread blocks that wait leave when the launch is
// aborted, and the block that they compute counts as not begun.
//
// Cells outside the grid, and rows beyond those that come in, hold anything: the rim keeps its values, and no cell
// that is written depends on them.
#pragma once

#include "kernels/launch/wait.cuh"
#include "kernels/stencil/cuda/papers/sum.cuh"

namespace terrace::stencil {

template <class T, i32 columns_, i32 rows_>
struct SkewedShape {
  using Value = T;
  static constexpr i32 columns = columns_, rows = rows_, threads = 1024;
  static constexpr i32 rows_at_once = threads / columns, cells = rows / rows_at_once;
  static constexpr i32 head = 16;  // bytes in front of all others
  static_assert(rows % rows_at_once == 0 && rows >= 2 * most_radius && columns >= 2 * most_radius);

  /// Values of one of the two arrays of a tile with what it needs above and to the left.
  static TERRACE_HOST_DEVICE constexpr i32 area(i32 radius) { return (rows + 2 * radius) * (columns + 2 * radius); }
  static TERRACE_HOST_DEVICE constexpr i32 values(i32 radius, i32 levels) {
    return 2 * area(radius) + levels * rows * 2 * radius;
  }
  static constexpr u64 shared_bytes(i32 radius, i32 levels, i32 terms) {
    const u64 bytes = head + static_cast<u64>(values(radius, levels)) * sizeof(T);
    return (bytes + 15) / 16 * 16 + static_cast<u64>(terms) * sizeof(TileTerm<T>);
  }
};

/// A thread's share of a launch.
template <class S>
class Skewed {
  using T = typename S::Value;

 public:
  __device__ __forceinline__ Skewed(StencilState* state, const SkewedTask<T>& task)
      : state_(state), task_(task), sum_(task.sum), reach_(2 * task.sum.radius), stride_(S::columns + reach_) {
    unsigned char* shared = device::launch_shared_memory();
    goes_on_ = reinterpret_cast<i32*>(shared);
    from_ = reinterpret_cast<T*>(shared + S::head);
    to_ = from_ + S::area(sum_.radius);
    kept_ = to_ + S::area(sum_.radius);
    const u64 bytes = S::head + static_cast<u64>(S::values(sum_.radius, sum_.levels)) * sizeof(T);
    terms_ = reinterpret_cast<TileTerm<T>*>(shared + (bytes + 15) / 16 * 16);
    bring_terms(sum_, stride_, terms_);
  }

  __device__ __forceinline__ void run() {
    if (!is_begun()) return;
    const i64 streams = gridDim.x;
    for (i64 row = (blockIdx.x + streams - task_.offset % streams) % streams; row < task_.rows; row += streams) {
      if (!make_row(row)) return;
    }
  }

 private:
  static __device__ __forceinline__ i32 thread() { return static_cast<i32>(threadIdx.x); }

  /// True if the block is begun: for all threads the same, though others may end it meanwhile.
  __device__ __forceinline__ bool is_begun() {
    constexpr i32 at_begin = 2;
    if (thread() == 0) goes_on_[at_begin] = state_->begun != 0 ? 1 : 0;
    __syncthreads();
    return goes_on_[at_begin] != 0;
  }
  /// Lets the first thread wait until a word is at least `least`. @return false if the launch is over
  /// @param lock 0 or 1: each has a place for the first thread's answer, so that no two waits share one
  __device__ __forceinline__ bool wait_for(i32 lock, const u64* word, i64 least) {
    if (thread() == 0) {
      const bool ready = device::wait_until<device::backoffs::tile_above>(
          [&] { return device::load_acquire(word) >= static_cast<u64>(least); }, [&] { return is_ended(); });
      if (!ready) state_->begun = 0;
      goes_on_[lock] = ready ? 1 : 0;
    }
    __syncthreads();
    return goes_on_[lock] != 0;
  }
  /// True if the launch is over (one thread). The first thread block alone asks the host: reads of its words go over
  /// the bus one after another.
  __device__ __forceinline__ bool is_ended() const {
    if (blockIdx.x == 0) return device::load_system(task_.aborts) != 0;
    return device::load_relaxed(&state_->begun) == 0;
  }
  /// Sets a word when all threads have come here.
  __device__ __forceinline__ void say(u64* word, i64 value) const {
    __syncthreads();
    if (thread() != 0) return;
    __threadfence();
    device::store_release(word, static_cast<u64>(value));
  }

  /// The number of the array that a row of tiles reads.
  __device__ __forceinline__ i64 array_of(i64 row) const { return (row + task_.offset) % task_.arrays; }
  __device__ __forceinline__ bool hands_on(i64 row) const { return row + 1 < task_.rows; }

  __device__ __forceinline__ bool make_row(i64 row) {
    const i64 reader = row + 1 - task_.arrays;  // the row that read the next array before
    if (hands_on(row) && reader >= 0 && !wait_for(0, task_.read + array_of(row + 1), reader + 1)) return false;
    for (i64 tile = 0; tile < task_.tiles; ++tile) {
      if (row > 0 && !wait_for(1, task_.done + row - 1, tile + 1)) return false;
      make_tile(row, tile);
      say(task_.done + row, tile + 1);
    }
    say(task_.read + array_of(row), row + 1);
    return true;
  }

  __device__ __forceinline__ void make_tile(i64 row, i64 tile) {
    const i64 first_row = sum_.input.begin + row * S::rows, first_column = tile * S::columns;
#pragma unroll
    for (i32 c = 0; c < S::cells; ++c) {
      from_[place(line(c), column())] = value_before(sum_, first_row + line(c), first_column + column());
    }
    for (i32 level = 0; level < sum_.levels; ++level) {
      take_over(row, tile, level);
      __syncthreads();
      const i32 shift = (level + 1) * sum_.radius;
      make_level(first_row - shift, first_column - shift);
      leave(row, tile, level);
      __syncthreads();
      T* made = to_;
      to_ = from_;
      from_ = made;
    }
    const i32 shift = sum_.levels * sum_.radius;
#pragma unroll
    for (i32 c = 0; c < S::cells; ++c) {
      write_made(sum_, first_row - shift + line(c), first_column - shift + column(), from_[place(line(c), column())]);
    }
  }

  /// The cells of a thread: one column, some lines.
  static __device__ __forceinline__ i32 column() { return thread() % S::columns; }
  static __device__ __forceinline__ i32 line(i32 cell) { return thread() / S::columns + cell * S::rows_at_once; }
  /// The place of a cell of the tile in either array; lines and columns -2 * radius ... -1 are those before it.
  __device__ __forceinline__ i32 place(i32 line, i32 column) const {
    return (line + reach_) * stride_ + column + reach_;
  }

  /// Fills in the columns of the tile before and the rows of the row of tiles above.
  __device__ __forceinline__ void take_over(i64 row, i64 tile, i32 level) {
    for (i32 i = thread(); i < S::rows * reach_; i += S::threads) {
      const i32 y = i / reach_, x = i % reach_;
      from_[place(y, x - reach_)] = tile == 0 ? T{} : kept_[level * S::rows * reach_ + i];
    }
    const T* above = array(row, level);
    for (i32 i = thread(); i < reach_ * stride_; i += S::threads) {
      const i32 y = i / stride_, x = i % stride_ - reach_;
      const i64 at = tile * S::columns + x;
      const bool is_there = row > 0 && at >= 0;
      from_[place(y - reach_, x)] = is_there ? device::load_past_l1(above + y * span() + at) : T{};
    }
  }
  /// Keeps the last columns for the next tile, and hands the last rows on to the row of tiles below.
  __device__ __forceinline__ void leave(i64 row, i64 tile, i32 level) {
    for (i32 i = thread(); i < S::rows * reach_; i += S::threads) {
      const i32 y = i / reach_, x = i % reach_;
      kept_[level * S::rows * reach_ + i] = from_[place(y, S::columns - reach_ + x)];
    }
    if (!hands_on(row)) return;
    T* below = array(row + 1, level);
    for (i32 i = thread(); i < reach_ * S::columns; i += S::threads) {
      const i32 y = i / S::columns, x = i % S::columns;
      below[y * span() + tile * S::columns + x] = from_[place(S::rows - reach_ + y, x)];
    }
  }
  /// The rows of a level that are handed on to a row of tiles.
  __device__ __forceinline__ T* array(i64 row, i32 level) const {
    return task_.handed_on + (array_of(row) * sum_.levels + level) * reach_ * span();
  }
  /// Cells of a row of tiles.
  __device__ __forceinline__ i64 span() const { return task_.tiles * S::columns; }

  /// Makes the next level of the tile, whose first cell it gives.
  __device__ __forceinline__ void make_level(i64 first_row, i64 first_column) const {
    i32 centre[S::cells];
    T sums[S::cells];
#pragma unroll
    for (i32 c = 0; c < S::cells; ++c) centre[c] = place(line(c) - sum_.radius, column() - sum_.radius);
    sum_terms(terms_, sum_.count, from_, centre, sums);
    const bool keeps_column = is_rim(first_column + column(), sum_.width, sum_.radius);
#pragma unroll
    for (i32 c = 0; c < S::cells; ++c) {
      const bool keeps = keeps_column || is_rim(first_row + line(c), sum_.extent, sum_.radius);
      to_[place(line(c), column())] = keeps ? from_[centre[c]] : sums[c];
    }
  }

  StencilState* state_;
  const SkewedTask<T>& task_;
  const TileTask<T>& sum_;
  i32 reach_, stride_;
  i32* goes_on_;
  T *from_, *to_;  // the two arrays
  T* kept_;        // last columns of the levels of the tile before
  TileTerm<T>* terms_;
};

template <class S>
__global__ void __launch_bounds__(S::threads)
    skewed_kernel(StencilState* state, const __grid_constant__ SkewedTask<typename S::Value> task) {
  Skewed<S>(state, task).run();
}

}  // namespace terrace::stencil
