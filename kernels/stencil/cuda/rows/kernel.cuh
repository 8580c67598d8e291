// Several steps in two dimensions, with rows streamed through registers.
//
// A thread block takes a tile of columns and streams down a chunk of rows. A warp holds a row of the tile of each
// field, consecutive cells a lane, and makes some levels of it, one after another. A batch of rows goes from warp to
// warp through shared memory, a tick each. Batches are brought for the first warp some ticks ahead, and those of the
// last one are written, by bulk copies (bulk.cuh), or by one more warp, which makes no levels (mover.cuh). A
// level takes a row and gives the one `radius` above it.
//
// A level of a sum over a star or a box keeps, instead of earlier rows, the partial sums of the cells that the rows
// so far contribute to (level.cuh): a new row completes the sums of the row `radius` above it, adds to those
// between, and begins those of the row `radius` below. Rows arrive in the order of the terms, so every sum has the
// order of its definition. A level of any other formula keeps the rows themselves (rows/formula_level.cuh).
//
// Levels are made `radius` cells less at either side of a tile, unless it ends at the grid's end: there the outermost
// cells keep their values, or are made in another way, as are rows at the grid's ends. A sum that is kept takes its
// own cell's value and no more terms.
#pragma once

#include "kernels/stencil/cuda/common/ticks.cuh"
#include "kernels/stencil/cuda/rows/bulk.cuh"
#include "kernels/stencil/cuda/rows/mover.cuh"
#include "kernels/stencil/cuda/rows/sum_level.cuh"

namespace terrace::stencil {

/// What moves the rows of a kernel.
template <class S, bool by_bulk>
struct MoverOf {
  using Type = StreamMover<S>;
};
template <class S>
struct MoverOf<S, true> {
  using Type = StreamBulk<S>;
};

/// A thread's share of a launch of a kernel with the sizes, the task and the levels of S.
template <class S>
class Stream {
  using T = typename S::Value;
  using Chunk = ValueChunk<T>;
  using Task = typename S::Task;
  using Mover = typename MoverOf<S, S::by_bulk>::Type;

 public:
  __device__ __forceinline__ explicit Stream(const Task& task)
      : task_(task),
        shared_(reinterpret_cast<Chunk*>(device::launch_shared_memory())),
        warp_(device::uniform_warp()),
        mover_(task, shared_, warp_),
        at_left_(false),
        at_right_(false) {
    if (threadIdx.x == 0) {
      place_tile();
      mover_.begin();
    }
    __syncthreads();
    at_left_ = tile().at_left != 0 && lane() == 0;
    at_right_ = tile().at_right != 0 && lane() == 31;
    columns_ = typename S::Columns(task, tile());
  }

  __device__ __forceinline__ void run() {
    if (mover_.run()) return;
    const i32 ticks = device::uniform(tile().batches) + warps() - 1;
    make_ticks(*this, ticks, device::uniform(first_plain_tick()), device::uniform(end_of_plain_ticks()));
    mover_.end();
  }

  // For make_ticks():
  __device__ __forceinline__ bool has_edges() const { return tile().at_left != 0 || tile().at_right != 0; }
  __device__ __forceinline__ i32 end_of_plain_ticks(i32 end) const {
    const i32 end_of_runs = mover_.end_of_runs();
    return end_of_runs < end ? end_of_runs : end;
  }
  /// Lets every warp take its next batch. A warp is a tick behind the one before it.
  template <bool edges, bool rims>
  __device__ __forceinline__ void advance(i32 tick) {
    const i32 batch = tick - warp();
    mover_.template bring<!rims>(tick);
    if (!rims || (batch >= 0 && batch < tile().batches)) make_batch<edges, rims>(batch, tick);
    device::sync_first_threads(32 * warps());
  }

 private:
  static __device__ __forceinline__ i32 lane() { return S::lane(); }
  __device__ __forceinline__ i32 warp() const { return warp_; }
  static __device__ __forceinline__ i32 warps() { return S::level_warps(); }
  static __device__ __forceinline__ i32 halo() { return S::halo(); }
  static __device__ __forceinline__ i32 side() { return S::side(); }
  __device__ __forceinline__ StreamTile& tile() const { return *reinterpret_cast<StreamTile*>(shared_ + S::tile_at); }

  __device__ __forceinline__ void place_tile() {
    StreamTile& tile = this->tile();
    const RowChunk chunk = task_.chunks.chunk(blockIdx.x);
    tile.first_row = task_.rows.begin + chunk.begin - halo();
    tile.count = static_cast<i32>(chunk.count);
    tile.first_written = 2 * halo();
    tile.batches = (tile.count + 2 * halo() + S::rows - 1) / S::rows;
    const bool keeps = task_.keeps_rows != 0;
    tile.low = keeps ? counted(S::radius) : -(1 << 30);
    tile.high = keeps ? counted(task_.extent - S::radius) : 1 << 30;
    place_columns(chunk.tile);
  }
  __device__ __forceinline__ void place_columns(i64 number) {
    StreamTile& tile = this->tile();
    const bool wraps = task_.wraps_columns != 0;
    tile.at_left = !wraps && number == 0;
    tile.at_right = !wraps && number + 1 == task_.chunks.tiles;
    // The last tile ends at the grid's end, and leaves out what the one before has.
    const i64 done = number == 0 ? 0 : number * task_.chunks.stride + (wraps ? 0 : side());
    const i64 begin =
        tile.at_right != 0 ? task_.width - S::tile : number * task_.chunks.stride - (wraps ? side() : 0);
    const i64 columns = task_.width - begin;
    tile.first_column = begin;
    const i64 useful_end = tile.at_right != 0 ? S::tile : S::tile - side();
    const i64 useful = (wraps && useful_end > columns ? columns : useful_end) - (done - begin);
    tile.useful_begin = static_cast<i32>(done - begin);
    tile.useful = static_cast<i32>(useful);
    tile.before = begin < 0 ? static_cast<i32>(-begin) : 0;
    tile.beyond = columns < S::tile ? static_cast<i32>(columns) : S::tile;
  }
  /// A row of the grid as StreamTile counts it.
  __device__ __forceinline__ i32 counted(i64 row) const {
    const i64 number = row - tile().first_row;
    return static_cast<i32>(number < -(1 << 30) ? -(1 << 30) : number > 1 << 30 ? 1 << 30 : number);
  }

  /// Ticks [first_plain_tick(), end_of_plain_ticks()) have rows for every warp, none of which is kept.
  __device__ __forceinline__ i32 first_plain_tick() const {
    if (task_.levels != warps() * S::levels) return 1 << 30;  // some levels are not made
    // Warp w makes rows from batch * rows - (w + 1) * lag on.
    const i32 last = tile().low + halo();
    return warps() - 1 + (last <= 0 ? 0 : (last + S::rows - 1) / S::rows);
  }
  __device__ __forceinline__ i32 end_of_plain_ticks() const {
    // Warp 0 is ahead of all others: a batch begins the sums of rows up to `radius` below it.
    const i32 end = tile().high <= S::radius ? 0 : (tile().high - S::radius) / S::rows;
    return end < tile().batches ? end : tile().batches;
  }

  template <bool edges, bool rims>
  __device__ __forceinline__ void make_batch(i32 batch, i32 tick) {
    const StreamRims kept{at_left_, at_right_, rims ? tile().low : 0, rims ? tile().high : 0};
    const Chunk* from = shared_ + (warp() == 0 ? S::input_at_slot(batch) : S::handed_on_at(warp() - 1, tick - 1));
    const bool is_last = warp() + 1 == warps();
    Chunk* to = shared_ + (is_last ? S::output_at_slot(batch) : S::handed_on_at(warp(), tick));
    if (warp() == 0) mover_.wait_for_batch(batch);
    if (is_last) mover_.wait_for_output(batch);
    // Only plain ticks, of which there are most, are worth the code of all rows.
    constexpr i32 at_once = edges || rims ? S::Level::period : S::rows;
#pragma unroll 1
    for (i32 first = 0; first < S::rows; first += at_once) {
#pragma unroll
      for (i32 turn = 0; turn < at_once; ++turn) {
        const i32 i = first + turn;
        T x[S::fields][S::cells];
#pragma unroll
        for (i32 f = 0; f < S::fields; ++f) load_row(from + S::row_at(f, i), x[f]);
        const i32 row = batch * S::rows + i - warp() * S::lag;
#pragma unroll
        for (i32 level = 0; level < S::levels; ++level) {
          const bool all_kept = rims && warp() * S::levels + level >= task_.levels;
          levels_[level].template take<edges, rims>(
              x, task_, columns_, kept, {row - level * S::radius, turn, warp() * S::levels + level, all_kept});
        }
#pragma unroll
        for (i32 f = 0; f < S::fields; ++f) store_row(to + S::row_at(f, i), is_last, x[f]);
      }
    }
    if (warp() == 0) mover_.let_slot(batch);
    if (is_last) mover_.template hand_on<!rims>(batch);
  }
  __device__ __forceinline__ void load_row(const Chunk* row, T (&x)[S::cells]) const {
#pragma unroll
    for (i32 q = 0; q < S::lane_chunks; ++q) {
      const Chunk chunk = row[place_of_chunk<S>(lane(), q, warp() == 0)];
#pragma unroll
      for (i32 v = 0; v < S::chunk; ++v) x[q * S::chunk + v] = chunk.values[v];
    }
  }
  __device__ __forceinline__ void store_row(Chunk* row, bool is_last, const T (&x)[S::cells]) const {
#pragma unroll
    for (i32 q = 0; q < S::lane_chunks; ++q) {
      Chunk chunk;
#pragma unroll
      for (i32 v = 0; v < S::chunk; ++v) chunk.values[v] = x[q * S::chunk + v];
      row[place_of_chunk<S>(lane(), q, is_last)] = chunk;
    }
  }

  const Task& task_;
  Chunk* shared_;
  i32 warp_;
  Mover mover_;
  bool at_left_, at_right_;  // this lane's first or last cells are within the radius of the grid's end
  typename S::Columns columns_;
  typename S::Level levels_[S::levels] = {};
};

/// The shape of S for rows that bulk copies cannot move.
template <class S>
struct StreamByValues {
  static constexpr measured::StreamSizes sizes() {
    measured::StreamSizes sizes = S::sizes;
    sizes.moving = measured::Moving::values;
    // Their batches take longer to come.
    sizes.slots = sizes.slots < 4 ? 4 : sizes.slots;
    return sizes;
  }
  using Shape = typename S::template Resized<sizes()>;
};

/// Shapes have sizes as StreamLayout, and prepare(), which every warp calls first.
template <class S>
__global__ void __launch_bounds__(32 * (S::warps + (S::by_bulk ? 0 : 1)), S::sizes.blocks)
    stream_kernel(const StencilState* state, const __grid_constant__ typename S::Task task) {
  if (state->begun == 0) return;
  S::prepare();
  Stream<S>(task).run();
}

}  // namespace terrace::stencil
