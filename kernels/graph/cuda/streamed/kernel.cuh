// Several steps of an iteration at once, with rows streamed through registers.
//
// A thread block takes a tile of columns and streams down a chunk of rows. A warp holds a row of the tile of each
// state, consecutive cells a lane, and makes some steps of it, one after another (level.cuh). Every few rows go from
// warp to warp through shared memory. Rows of the states come in for the first warp, and the last one writes its own;
// rows of the constants stay in a ring in shared memory until the last warp has used them, and with them the
// reciprocals of those that the formula divides by.
//
// Each step makes a row and a column less at every side of a tile, unless it ends at the array's end.
#pragma once

#include "kernels/device/instructions.cuh"
#include "kernels/graph/cuda/streamed/level.cuh"

namespace terrace::graph {

/// A thread's share of a launch.
template <class Cell, i32 cells, i32 levels, i32 buffers, i32 rows>
class Streamed {
  using T = typename Cell::T;
  static constexpr i32 states = Cell::results, constants = Cell::constants, tile = 32 * cells;
  static constexpr i32 chunk = 16 / sizeof(T), lane_chunks = cells / chunk, chunks = tile / chunk;
  static constexpr i32 divisors = Cell::divisors;
  static constexpr StreamedLayout of_a_warp{tile, states, constants, divisors, levels, 1, buffers, rows};
  static constexpr i64 most_batches = 0x7FFFFFFF;
  static constexpr i32 ahead = of_a_warp.ahead(), ring_values = of_a_warp.ring_values();
  using Level = StreamedLevel<Cell, cells, rows == 1>;
  using Row = typename Level::Row;
  using Constants = StreamedConstants<Cell, cells>;
  struct alignas(16) Chunk {
    T values[chunk];
  };

 public:
  __device__ __forceinline__ explicit Streamed(const StreamedWork& work)
      : work_(work),
        warp_(device::uniform_warp()),
        lane_(static_cast<i32>(threadIdx.x % 32)),
        layout_{tile, states, constants, divisors, levels, static_cast<i32>(blockDim.x / 32), buffers, rows},
        shared_(reinterpret_cast<T*>(device::launch_shared_memory())) {
    const i64 number = blockIdx.x % work.tiles;
    begin_ = work.rows.begin + blockIdx.x / work.tiles * work.chunk_rows;
    count_ = static_cast<i32>(least(work.chunk_rows, work.rows.end - begin_));
    at_left_ = number == 0;
    at_right_ = number + 1 == work.tiles;
    // The last tile ends at the array's end, and leaves out what the one before makes.
    const i64 first = number * layout_.useful();
    column_ = at_right_ ? work.shape.columns - tile : first;
    useful_begin_ = at_left_ ? 0 : static_cast<i32>(first + layout_.side() - column_);
    useful_end_ = at_right_ ? tile : tile - layout_.side();
    is_aligned_ = work.is_aligned != 0 && column_ % chunk == 0;
    top_ = static_cast<i32>(begin_ - layout_.depth() - work.there.begin);
    find_quick();
    ring_in_ = 0;
    ring_ = wrapped(layout_.ring_rows() - warp_ * levels);
  }

  __device__ __forceinline__ void run() {
    const i32 depth = layout_.depth(), warps = layout_.warps, batches = (count_ + 2 * depth + rows - 1) / rows;
    const bool has_edges = at_left_ || at_right_;
    if constexpr (divisors > 0) {
      bring_constants(0);
      device::commit_copies();
    }
    bring(0);
    if constexpr (divisors > 0) {
      device::wait_for_copies<1>();
      __syncthreads();
      make_reciprocals();
    }
#pragma unroll 1
    for (i32 tick = 0; tick < batches + warps - 1; ++tick) {
      device::wait_for_copies<0>();
      __syncthreads();
      const i32 batch = tick - warp_;
      const bool has_rows = batch >= 0 && batch < batches;
      if constexpr (buffers == 1) {
        if (has_rows) load_batch(taken(batch, tick));
        __syncthreads();
      }
      // After the barriers, for which all warps would wait for those that bring more rows.
      bring(tick + 1);
      if constexpr (divisors > 0) make_reciprocals();
      if (!has_rows) continue;
      if (batch < quick_begin_ || batch >= quick_end_) make<true, true>(batch, tick);
      else if (has_edges) make<true, false>(batch, tick);
      else make<false, false>(batch, tick);
      ring_ = wrapped(ring_ + rows);
    }
  }

 private:
  static __device__ __forceinline__ i64 least(i64 a, i64 b) { return a < b ? a : b; }

  /// The place of a chunk in a row in shared memory: lanes that read chunks of the same number meet in no bank.
  static __device__ __forceinline__ i32 place_of(i32 lane, i32 number) { return (number * 32 + lane) * chunk; }

  /// Finds the batches of which all levels of the warp make a step, and no row that is the array's first or last.
  __device__ __forceinline__ void find_quick() {
    // The first of these rows is batch * rows - above, the last one rows + levels - 2 below it.
    const i64 above = layout_.depth() + (warp_ + 1) * levels - begin_, below = work_.shape.rows + above - levels;
    const i64 begin = above < 0 ? 0 : above / rows + 1, end = below < 0 ? 0 : below / rows;
    quick_begin_ = static_cast<i32>(least(begin, most_batches));
    quick_end_ = (warp_ + 1) * levels <= work_.steps ? static_cast<i32>(least(end, most_batches)) : 0;
  }

  /// The row of the arrays, from the first that is there on, that is read as row `number` of those that come in; rows
  /// outside contribute to nothing.
  __device__ __forceinline__ i32 row_there(i32 number) const {
    const i32 row = top_ + number, last = static_cast<i32>(work_.there.end - work_.there.begin) - 1;
    return row < 0 ? 0 : row < last ? row : last;
  }
  /// A place of the ring, of one that may be beyond its ends.
  __device__ __forceinline__ i32 wrapped(i32 place) const {
    const i32 all = layout_.ring_rows();
    return place < 0 ? place + all : place < all ? place : place - all;
  }
  __device__ __forceinline__ T* ring_row(i32 place) const { return shared_ + wrapped(place) * ring_values; }
  __device__ __forceinline__ T* input(i32 batch) const {
    return shared_ + layout_.input_at() + batch % buffers * layout_.batch_values();
  }
  /// What a warp takes in a tick.
  __device__ __forceinline__ const T* taken(i32 batch, i32 tick) const {
    return warp_ == 0 ? input(batch) : handed_on(warp_ - 1, tick - 1);
  }
  /// What a warp hands on to the next one in a tick.
  __device__ __forceinline__ T* handed_on(i32 warp, i32 tick) const {
    return shared_ + layout_.handed_on_at() + (buffers * warp + tick % buffers) * layout_.batch_values();
  }

  /// Begins to bring a batch of rows of the states, and of constants those above the rows of the batch that is
  /// `ahead` - 1 later: a row of an array for each warp, one after another.
  __device__ __forceinline__ void bring(i32 batch) {
    constexpr i32 arrays = states + constants;
#pragma unroll 1
    for (i32 n = warp_; n < rows * arrays; n += layout_.warps) {
      const i32 row = n / arrays, array = n % arrays, number = batch * rows + row;
      const bool is_state = array < states;
      T* to = is_state ? input(batch) + (row * states + array) * tile
                       : ring_row(ring_in_ + row) + (array - states) * tile;
      bring_row(array, is_state ? number : number - 1 + (ahead - 1) * rows, to);
    }
    ring_in_ = wrapped(ring_in_ + rows);
    device::commit_copies();
  }
  /// Begins to bring the constants of a batch alone.
  __device__ __forceinline__ void bring_constants(i32 batch) {
#pragma unroll 1
    for (i32 n = warp_; n < rows * constants; n += layout_.warps) {
      const i32 row = n / constants, constant = n % constants;
      bring_row(states + constant, batch * rows + row - 1, ring_row(ring_in_ + row) + constant * tile);
    }
    ring_in_ = wrapped(ring_in_ + rows);
  }
  /// Begins to bring row `number` of those that come in. @param array a state, or `states` and a constant
  __device__ __forceinline__ void bring_row(i32 array, i32 number, T* to) const {
    const StreamedRows& all = work_.from[array];
    const T* from =
        static_cast<const T*>(all.first) + static_cast<i64>(row_there(number)) * all.stride + column_ + lane_ * chunk;
    to += place_of(lane_ / lane_chunks, lane_ % lane_chunks);
    constexpr i32 chunks_on = 32 * chunk, places_on = 32 / lane_chunks * chunk;
    if (is_aligned_) {
#pragma unroll
      for (i32 q = 0; q < lane_chunks; ++q) device::begin_copy(to + q * places_on, from + q * chunks_on);
    } else {  // not unrolled: else the compiler issues the instructions of both, with a predicate
#pragma unroll 1
      for (i32 at = 0; at < lane_chunks * chunk; ++at) {
        const i32 q = at / chunk, n = at % chunk;
        device::begin_small_copy(to + q * places_on + n, from + q * chunks_on + n);
      }
    }
  }

  /// Makes the reciprocals of the first batch that may still be on its way when the next one is taken.
  __device__ __forceinline__ void make_reciprocals() const {
#pragma unroll 1
    for (i32 at = static_cast<i32>(threadIdx.x); at < rows * tile; at += static_cast<i32>(blockDim.x)) {
      T* row = ring_row(ring_in_ - ahead * rows + at / tile) + at % tile;
#pragma unroll
      for (i32 n = 0; n < divisors; ++n) {
        row[(constants + n) * tile] = values::reciprocal_of_known(row[Cell::divisor(n) * tile]);
      }
    }
  }

  template <bool edges, bool rims>
  __device__ __forceinline__ void make(i32 batch, i32 tick) {
    const T* from = taken(batch, tick);
    const bool is_last = warp_ + 1 == layout_.warps;
#pragma unroll
    for (i32 turn = 0; turn < rows; ++turn) {
      Row x;
      if constexpr (buffers == 1) copy(batch_[turn], x);
      else load(from + turn * states * tile, x);
      // As rows are counted that come in.
      const i32 number = batch * rows + turn - warp_ * levels;
#pragma unroll
      for (i32 level = 0; level < levels; ++level) {
        Constants values;
        load_constants(ring_ + turn - level, values);
        Level& own = levels_[level];
        own.template take<edges, rims>(
            x, turn, warp_ * levels + level < work_.steps,
            {own.rows[Level::upper(turn)], own.rows[1 - Level::upper(turn)], x, values,
             begin_ - layout_.depth() + number - level - 1, column_ + lane_ * cells, work_.shape,
             edges && at_left_ && lane_ == 0, edges && at_right_ && lane_ == 31});
      }
      if (is_last) write(batch * rows + turn - 2 * layout_.depth(), x);
      else store(handed_on(warp_, tick) + turn * states * tile, x);
    }
  }

  __device__ __forceinline__ void load_batch(const T* from) {
#pragma unroll
    for (i32 turn = 0; turn < rows; ++turn) load(from + turn * states * tile, batch_[turn]);
  }
  static __device__ __forceinline__ void copy(const Row& from, Row& to) {
#pragma unroll
    for (i32 s = 0; s < states; ++s) {
#pragma unroll
      for (i32 c = 0; c < cells; ++c) to[s][c] = from[s][c];
    }
  }
  __device__ __forceinline__ void load(const T* row, Row& x) const {
#pragma unroll
    for (i32 s = 0; s < states; ++s) load_cells(row + s * tile, x[s]);
  }
  __device__ __forceinline__ void load_constants(i32 place, Constants& values) const {
    if constexpr (constants > 0) {
      const T* row = ring_row(place);
#pragma unroll
      for (i32 n = 0; n < constants + divisors; ++n) load_cells(row + n * tile, values[n]);
    }
  }
  __device__ __forceinline__ void load_cells(const T* row, T (&values)[cells]) const {
#pragma unroll
    for (i32 q = 0; q < lane_chunks; ++q) {
      const Chunk part = *reinterpret_cast<const Chunk*>(row + place_of(lane_, q));
#pragma unroll
      for (i32 n = 0; n < chunk; ++n) values[q * chunk + n] = part.values[n];
    }
  }
  __device__ __forceinline__ void store(T* row, const Row& x) const {
#pragma unroll
    for (i32 s = 0; s < states; ++s) {
#pragma unroll
      for (i32 q = 0; q < lane_chunks; ++q) {
        Chunk part;
#pragma unroll
        for (i32 n = 0; n < chunk; ++n) part.values[n] = x[s][q * chunk + n];
        *reinterpret_cast<Chunk*>(row + s * tile + place_of(lane_, q)) = part;
      }
    }
  }
  /// Writes a row of the chunk, if it is one.
  __device__ __forceinline__ void write(i32 number, const Row& x) const {
    if (number < 0 || number >= count_) return;
#pragma unroll
    for (i32 s = 0; s < states; ++s) {
      T* row = work_.to[s].row<T>(begin_ + number) + column_;
#pragma unroll
      for (i32 q = 0; q < lane_chunks; ++q) write_chunk(row, lane_ * cells + q * chunk, x[s] + q * chunk);
    }
  }
  /// What is written of an aligned row begins and ends between chunks.
  __device__ __forceinline__ void write_chunk(T* row, i32 at, const T* values) const {
    if (is_aligned_) {
      Chunk part;
#pragma unroll
      for (i32 n = 0; n < chunk; ++n) part.values[n] = values[n];
      if (at >= useful_begin_ && at < useful_end_) *reinterpret_cast<Chunk*>(row + at) = part;
    } else {
#pragma unroll
      for (i32 n = 0; n < chunk; ++n) {
        if (at + n >= useful_begin_ && at + n < useful_end_) row[at + n] = values[n];
      }
    }
  }

  const StreamedWork& work_;
  i32 warp_, lane_;
  StreamedLayout layout_;
  T* shared_;
  i64 begin_, column_;             // of the chunk and of the tile
  i32 top_;                        // the first row that comes in, from that which is there on
  i32 quick_begin_, quick_end_;    // batches of which no row is a rim and each level makes a step
  i32 useful_begin_, useful_end_;  // columns of the tile that are written
  i32 count_;                      // rows of the chunk
  // The ring has the constants of a row in the place of the next one that comes in: the places of the batch that
  // comes next, and of the warp's first row.
  i32 ring_in_, ring_;
  bool at_left_, at_right_, is_aligned_;
  Level levels_[levels] = {};
  Row batch_[rows];  // with one buffer what the warp has taken
};

/// @tparam cells of a row that a lane has @tparam levels steps that a warp makes @tparam warps of a thread block, at
/// most @tparam buffers of what a warp hands on @tparam rows that it takes between two barriers
/// @tparam beside thread blocks of which a multiprocessor has to hold the registers
template <class Cell, i32 cells, i32 levels, i32 warps, i32 buffers, i32 beside, i32 rows>
__global__ void __launch_bounds__(32 * warps, beside) streamed_kernel(const __grid_constant__ StreamedWork work) {
  if (work.state->usable == 0) return;
  Streamed<Cell, cells, levels, buffers, rows>(work).run();
}

}  // namespace terrace::graph
