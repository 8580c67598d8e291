// Products on CUDA: x <- x + u * v of tiles in device memory. Factors are packed first, so that a product reads whole
// panels in the order in which it needs them, and so that x may be u or v. A thread block computes a part of x in
// registers, fed from a ring of stages in shared memory. No host library header: also compiled at run time.
#pragma once

#include "kernels/recursive/tile_state.cuh"
#include "kernels/recursive/words.cuh"

namespace terrace::recursive {

/// Factors and where they are packed to.
template <class S, class T>
struct PackTask {
  const TileState* state;
  const T* u;  // rows x depth
  i64 u_stride;
  const T* v;  // depth x columns
  i64 v_stride;
  i32 rows, columns, depth;
  Word<S, T>* packed_u;
  Word<S, T>* packed_v;
  i32 stages;
};

/// Writes one stage of a panel of u.
template <class S, class T>
__device__ __forceinline__ void pack_u(const PackTask<S, T>& task, i32 panel, i32 stage) {
  using W = Word<S, T>;
  using Tile = ProductTile<W>;
  __shared__ W turned[Tile::depth][Tile::rows + 1];
  const W zero = in_every_lane<S>(zero_value<S, T>());
  for (i32 at = static_cast<i32>(threadIdx.x); at < Tile::depth * Tile::rows; at += product_threads) {
    const i32 row = at / Tile::depth, k = at % Tile::depth;
    const i32 i = panel * Tile::rows + row, from = stage * Tile::depth + k;
    const bool there = i < task.rows && from < task.depth;
    turned[k][row] = there ? in_every_lane<S>(task.u[i * task.u_stride + from]) : zero;
  }
  __syncthreads();
  W* to = task.packed_u + (static_cast<i64>(panel) * task.stages + stage) * (Tile::depth * Tile::rows);
  for (i32 at = static_cast<i32>(threadIdx.x); at < Tile::depth * Tile::rows; at += product_threads) {
    to[at] = turned[at / Tile::rows][at % Tile::rows];
  }
}

/// Writes one stage of a panel of v.
template <class S, class T>
__device__ __forceinline__ void pack_v(const PackTask<S, T>& task, i32 panel, i32 stage) {
  using W = Word<S, T>;
  using Tile = ProductTile<W>;
  constexpr i32 lanes = lanes_of<S, T>;
  W* to = task.packed_v + (static_cast<i64>(panel) * task.stages + stage) * (Tile::depth * Tile::words);
  for (i32 at = static_cast<i32>(threadIdx.x); at < Tile::depth * Tile::words; at += product_threads) {
    const i32 k = stage * Tile::depth + at / Tile::words;
    const i32 first = (panel * Tile::words + at % Tile::words) * lanes;
    T values[lanes];
#pragma unroll
    for (i32 lane = 0; lane < lanes; ++lane) {
      const bool there = k < task.depth && first + lane < task.columns;
      values[lane] = there ? task.v[k * task.v_stride + first + lane] : zero_value<S, T>();
    }
    to[at] = join<S, T>(values);
  }
}

/// A thread block for each stage of each panel, those of u first.
template <class S, class T>
__global__ void __launch_bounds__(product_threads) pack_kernel(PackTask<S, T> task) {
  if (task.state->begun == 0) return;
  using Tile = ProductTile<Word<S, T>>;
  const i32 panel = static_cast<i32>(blockIdx.x) / task.stages, stage = static_cast<i32>(blockIdx.x) % task.stages;
  const i32 u_panels = (task.rows + Tile::rows - 1) / Tile::rows;
  if (panel < u_panels) pack_u(task, panel, stage);
  else pack_v(task, panel - u_panels, stage);
}

/// x and the packed factors.
template <class S, class T>
struct ProductTask {
  const TileState* state;
  T* x;  // rows x columns
  i64 x_stride;
  i32 rows, columns;
  i32 row_tiles, column_tiles;  // thread blocks
  const Word<S, T>* u;
  const Word<S, T>* v;
  i32 stages;
  i32 kept_begin, kept_end;  // rows and columns of x in that range stay as they are
};

/// The part of x that a thread computes: rows and words of it lie in groups of ProductTile::vector.
template <class S, class T>
class ThreadPart {
  using W = Word<S, T>;
  using Tile = ProductTile<W>;
  static constexpr i32 vector = Tile::vector, lanes = lanes_of<S, T>;
  struct alignas(16) Piece {
    W words[vector];
  };

 public:
  __device__ __forceinline__ ThreadPart() {
    const i32 warp = static_cast<i32>(threadIdx.x) / 32, lane = static_cast<i32>(threadIdx.x) % 32;
    row_ = warp / 2 * (4 * Tile::thread_rows) + lane / 8 * vector;
    word_ = warp % 2 * (8 * Tile::thread_words) + lane % 8 * vector;
  }

  /// Adds the products of one column of u and one row of v, both in shared memory.
  __device__ __forceinline__ void update(const W* u, const W* v) {
    W left[Tile::thread_rows], right[Tile::thread_words];
#pragma unroll
    for (i32 i = 0; i < Tile::thread_rows; i += vector) load(u + row_ + i * 4, left + i);
#pragma unroll
    for (i32 j = 0; j < Tile::thread_words; j += vector) load(v + word_ + j * 8, right + j);
#pragma unroll
    for (i32 i = 0; i < Tile::thread_rows; ++i) {
#pragma unroll
      for (i32 j = 0; j < Tile::thread_words; ++j) sum_[i][j] = update_word<S, T>(sum_[i][j], left[i], right[j]);
    }
  }

  /// Takes x, or writes it. @param i0, j0 the thread block's first row and column
  __device__ __forceinline__ void load_x(const ProductTask<S, T>& task, i32 i0, i32 j0) {
    if (in_pieces(task, i0, j0)) {
      each_piece(task, i0, j0, [&](i32 i, i32 j, T* x) { load(reinterpret_cast<const W*>(x), &sum_[i][j]); });
    } else {
      for (auto& row : sum_) {
        for (W& word : row) word = in_every_lane<S>(zero_value<S, T>());
      }
      each_word(task, i0, j0, [&](i32 i, i32 j, T* x, i32 there) {
        T values[lanes];
#pragma unroll
        for (i32 lane = 0; lane < lanes; ++lane) values[lane] = lane < there ? x[lane] : zero_value<S, T>();
        sum_[i][j] = join<S, T>(values);
      });
    }
  }
  __device__ __forceinline__ void store_x(const ProductTask<S, T>& task, i32 i0, i32 j0) const {
    if (in_pieces(task, i0, j0)) {
      each_piece(task, i0, j0, [&](i32 i, i32 j, T* x) {
        Piece piece;
#pragma unroll
        for (i32 e = 0; e < vector; ++e) piece.words[e] = sum_[i][j + e];
        *reinterpret_cast<Piece*>(x) = piece;
      });
    } else {
      each_word(task, i0, j0, [&](i32 i, i32 j, T* x, i32 there) {
        const i32 row = i0 + row_of(i), column = j0 + word_of(j) * lanes;
        if (row >= task.kept_begin && row < task.kept_end) return;
#pragma unroll
        for (i32 lane = 0; lane < lanes; ++lane) {
          const bool kept = column + lane >= task.kept_begin && column + lane < task.kept_end;
          if (lane < there && !kept) x[lane] = lane_value<S, T>(sum_[i][j], lane);
        }
      });
    }
  }

 private:
  static __device__ __forceinline__ void load(const W* from, W* to) {
    const Piece piece = *reinterpret_cast<const Piece*>(from);
#pragma unroll
    for (i32 e = 0; e < vector; ++e) to[e] = piece.words[e];
  }
  __device__ __forceinline__ i32 row_of(i32 i) const { return row_ + i / vector * (4 * vector) + i % vector; }
  __device__ __forceinline__ i32 word_of(i32 j) const { return word_ + j / vector * (8 * vector) + j % vector; }

  /// Whether all of the thread block's part is there, to be written, and can be moved 16 bytes at a time.
  static __device__ __forceinline__ bool in_pieces(const ProductTask<S, T>& task, i32 i0, i32 j0) {
    if constexpr (sizeof(W) == lanes * sizeof(T)) {
      const i32 i1 = i0 + Tile::rows, j1 = j0 + Tile::words * lanes;
      const bool aligned = (reinterpret_cast<u64>(task.x) | static_cast<u64>(task.x_stride) * sizeof(T)) % 16 == 0;
      const bool kept = (i0 < task.kept_end && i1 > task.kept_begin) || (j0 < task.kept_end && j1 > task.kept_begin);
      return aligned && !kept && i1 <= task.rows && j1 <= task.columns;
    } else {
      return false;
    }
  }
  template <class Do>
  __device__ __forceinline__ void each_piece(const ProductTask<S, T>& task, i32 i0, i32 j0, const Do& act) const {
#pragma unroll
    for (i32 i = 0; i < Tile::thread_rows; ++i) {
      T* row = task.x + (i0 + row_of(i)) * task.x_stride + j0;
#pragma unroll
      for (i32 j = 0; j < Tile::thread_words; j += vector) act(i, j, row + word_of(j) * lanes);
    }
  }
  /// act(i, j, x, there) for the words of which some values are there: so many.
  template <class Do>
  __device__ __forceinline__ void each_word(const ProductTask<S, T>& task, i32 i0, i32 j0, const Do& act) const {
#pragma unroll
    for (i32 i = 0; i < Tile::thread_rows; ++i) {
      T* row = task.x + (i0 + row_of(i)) * task.x_stride + j0;
#pragma unroll
      for (i32 j = 0; j < Tile::thread_words; ++j) {
        const i32 there = task.columns - j0 - word_of(j) * lanes;
        if (i0 + row_of(i) < task.rows && there > 0) act(i, j, row + word_of(j) * lanes, there);
      }
    }
  }

  i32 row_, word_;  // the thread's first, in the thread block's part
  W sum_[Tile::thread_rows][Tile::thread_words];
};

/// Begins to copy one stage of both panels into shared memory.
template <class W>
__device__ __forceinline__ void begin_stage(const W* u, const W* v, W* to) {
  using Tile = ProductTile<W>;
  const auto copy = [](const W* from, W* target, i32 words) {
    for (i32 at = static_cast<i32>(threadIdx.x) * Tile::vector; at < words; at += product_threads * Tile::vector) {
      device::begin_copy(target + at, from + at);
    }
  };
  copy(u, to, Tile::depth * Tile::rows);
  copy(v, to + Tile::depth * Tile::rows, Tile::depth * Tile::words);
}

/// Which part of x a thread block computes: eight rows of parts from left to right before the next eight, so that
/// those under way share panels.
struct PartPlace {
  i32 row, column;
};
__device__ __forceinline__ PartPlace part_place(i32 index, i32 row_tiles, i32 column_tiles) {
  constexpr i32 turn = 8;
  const i32 first = index / (turn * column_tiles) * turn;
  const i32 high = row_tiles - first < turn ? row_tiles - first : turn;
  const i32 within = index - first * column_tiles;
  return {first + within % high, within / high};
}

template <class S, class T>
__global__ void __launch_bounds__(product_threads, 2) multiply_kernel(ProductTask<S, T> task) {
  if (task.state->begun == 0) return;
  using W = Word<S, T>;
  using Tile = ProductTile<W>;
  constexpr i32 u_words = Tile::depth * Tile::rows, v_words = Tile::depth * Tile::words;
  const PartPlace place = part_place(static_cast<i32>(blockIdx.x), task.row_tiles, task.column_tiles);
  const i32 i0 = place.row * Tile::rows, j0 = place.column * Tile::words * lanes_of<S, T>;
  const W* u = task.u + static_cast<i64>(place.row) * task.stages * u_words;
  const W* v = task.v + static_cast<i64>(place.column) * task.stages * v_words;
  W* ring = reinterpret_cast<W*>(device::launch_shared_memory());

  i32 begun = 0, free_slot = 0;
  const auto begin_next = [&] {
    if (begun < task.stages) {
      begin_stage(u, v, ring + free_slot * Tile::stage_words);
      u += u_words;
      v += v_words;
      ++begun;
      free_slot = free_slot + 1 == Tile::stages ? 0 : free_slot + 1;
    }
    device::commit_copies();
  };
#pragma unroll
  for (i32 stage = 0; stage + 1 < Tile::stages; ++stage) begin_next();
  ThreadPart<S, T> part;
  part.load_x(task, i0, j0);
  for (i32 stage = 0, slot = 0; stage < task.stages; ++stage, slot = slot + 1 == Tile::stages ? 0 : slot + 1) {
    device::wait_for_copies<Tile::stages - 2>();
    __syncthreads();  // the stage is there, and nobody reads the one before any more
    begin_next();
    const W* left = ring + slot * Tile::stage_words;
    const W* right = left + u_words;
#pragma unroll
    for (i32 k = 0; k < Tile::depth; ++k) part.update(left + k * Tile::rows, right + k * Tile::words);
  }
  part.store_x(task, i0, j0);
}

}  // namespace terrace::recursive
