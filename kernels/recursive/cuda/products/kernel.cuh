// Products on CUDA: x <- x + u * v of tiles in device memory. Factors are packed first, so that a product reads whole
// panels in the order in which it needs them, and so that x may be u or v. A thread block computes a part of x in
// registers, fed from a ring of stages in shared memory.
#pragma once

#include "kernels/recursive/cuda/part_place.cuh"
#include "kernels/recursive/cuda/products/words.cuh"
#include "kernels/recursive/cuda/tile_state.cuh"

namespace terrace::recursive {

/// Factors, and the places of their packed copies.
template <class S, class T>
struct PackTask {
  TileState* state;
  const T* u;  // rows x depth
  i64 u_stride;
  const T* v;  // depth x columns
  i64 v_stride;
  i32 rows, columns, depth;
  Word<S, T>* packed_u;
  Word<S, T>* packed_v;
  i32 stages;
};

/// Writes one stage of a panel of u. @returns true if the thread met a value with a sign, where that
/// matters
template <class S, class T>
__device__ __forceinline__ bool pack_u(const PackTask<S, T>& task, i32 panel, i32 stage) {
  using W = Word<S, T>;
  using Tile = ProductTile<W>;
  __shared__ W turned[Tile::depth][Tile::rows + 1];
  bool sign = false;
  for (i32 at = static_cast<i32>(threadIdx.x); at < Tile::depth * Tile::rows; at += pack_threads) {
    const i32 row = at / Tile::depth, k = at % Tile::depth;
    const i32 i = panel * Tile::rows + row, from = stage * Tile::depth + k;
    const bool there = i < task.rows && from < task.depth;
    const T value = there ? task.u[i * task.u_stride + from] : zero_value<S, T>();
    if constexpr (three_needs_signs<S, T>) sign |= has_sign(value);
    turned[k][row] = in_every_lane<S>(packed_left<S>(value));
  }
  __syncthreads();
  W* to = task.packed_u + (static_cast<i64>(panel) * task.stages + stage) * (Tile::depth * Tile::rows);
  for (i32 at = static_cast<i32>(threadIdx.x); at < Tile::depth * Tile::rows; at += pack_threads) {
    const auto place = Tile::u_place(at);
    to[at] = turned[place.pivot][place.n];
  }
  return sign;
}

/// The same of v.
template <class S, class T>
__device__ __forceinline__ bool pack_v(const PackTask<S, T>& task, i32 panel, i32 stage) {
  using W = Word<S, T>;
  using Tile = ProductTile<W>;
  constexpr i32 lanes = lanes_of<S, T>;
  bool sign = false;
  W* to = task.packed_v + (static_cast<i64>(panel) * task.stages + stage) * (Tile::depth * Tile::words);
  for (i32 at = static_cast<i32>(threadIdx.x); at < Tile::depth * Tile::words; at += pack_threads) {
    const auto place = Tile::v_place(at);
    const i32 k = stage * Tile::depth + place.pivot;
    const i32 first = (panel * Tile::words + place.n) * lanes;
    T values[lanes];
#pragma unroll
    for (i32 lane = 0; lane < lanes; ++lane) {
      const bool there = k < task.depth && first + lane < task.columns;
      values[lane] = there ? task.v[k * task.v_stride + first + lane] : zero_value<S, T>();
      if constexpr (three_needs_signs<S, T>) sign |= has_sign(values[lane]);
    }
    to[at] = join<S, T>(values);
  }
  return sign;
}

/// A thread block for each stage of each panel, panels of u first.
template <class S, class T>
__global__ void __launch_bounds__(pack_threads) pack_kernel(PackTask<S, T> task) {
  if (task.state->begun == 0) return;
  using Tile = ProductTile<Word<S, T>>;
  const i32 panel = static_cast<i32>(blockIdx.x) / task.stages, stage = static_cast<i32>(blockIdx.x) % task.stages;
  const i32 u_panels = (task.rows + Tile::rows - 1) / Tile::rows;
  const bool sign = panel < u_panels ? pack_u(task, panel, stage) : pack_v(task, panel - u_panels, stage);
  if constexpr (three_needs_signs<S, T>) {
    if (__any_sync(~0u, sign) && threadIdx.x % 32 == 0) task.state->signs = 1;
  }
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
  i32 one;                   // 1
};

/// The part of x that a thread computes: rows and words of it lie in groups of ProductTile::group.
template <class S, class T>
class ThreadPart {
 protected:
  using W = Word<S, T>;
  using Tile = ProductTile<W>;
  static constexpr i32 vector = Tile::vector, group = Tile::group, lanes = lanes_of<S, T>;
  struct alignas(16) Vector {
    W words[vector];
  };
  struct alignas(group * sizeof(W)) Piece {
    W words[group];
  };

 public:
  /// The factors of a thread's part, for ProductTile::pair pivots.
  struct Factors {
    W left[Tile::pair][Tile::thread_rows], right[Tile::pair][Tile::thread_words];
  };

  __device__ __forceinline__ ThreadPart() {
    const i32 warp = static_cast<i32>(threadIdx.x) / 32, lane = static_cast<i32>(threadIdx.x) % 32;
    row_ = warp / Tile::warps_across * (4 * Tile::thread_rows) + lane / 8 * group;
    word_ = warp % Tile::warps_across * (8 * Tile::thread_words) + lane % 8 * group;
  }

  /// Takes factors from shared memory. @param u, v where those pivots' begin
  __device__ __forceinline__ void load(const W* u, const W* v, Factors& to) const {
#pragma unroll
    for (i32 i = 0; i < Tile::thread_rows; i += group) {
      const Vector from = *reinterpret_cast<const Vector*>(u + Tile::pair * row_of(i));
#pragma unroll
      for (i32 e = 0; e < vector; ++e) to.left[e % Tile::pair][i + e / Tile::pair] = from.words[e];
    }
#pragma unroll
    for (i32 j = 0; j < Tile::thread_words; j += group) {
      const Vector from = *reinterpret_cast<const Vector*>(v + Tile::pair * word_of(j));
#pragma unroll
      for (i32 e = 0; e < vector; ++e) to.right[Tile::pair - 1 - e % Tile::pair][j + e / Tile::pair] = from.words[e];
    }
  }

  /// Adds the products of the factors. @tparam quick true if updates by three are right
  template <bool quick>
  __device__ __forceinline__ void update(const Factors& by, i32 one) {
#pragma unroll
    for (i32 i = 0; i < Tile::thread_rows; ++i) {
#pragma unroll
      for (i32 j = 0; j < Tile::thread_words; ++j) {
        W& sum = sum_[i][j];
        if constexpr (quick && has_three<S, T>) {
          if (by_three<S, T>(i, j)) {
            sum = update_by_three<S, T>(sum, by.left[0][i], by.right[0][j], by.left[1][i], by.right[1][j], one);
            continue;
          }
        }
#pragma unroll
        for (i32 k = 0; k < Tile::pair; ++k) sum = update_word<S, T>(sum, by.left[k][i], by.right[k][j]);
      }
    }
  }

  /// True if some word of x is negative.
  __device__ __forceinline__ bool any_negative() const {
    bool any = false;
#pragma unroll
    for (i32 i = 0; i < Tile::thread_rows; ++i) {
#pragma unroll
      for (i32 j = 0; j < Tile::thread_words; ++j) any |= has_sign(sum_[i][j]);
    }
    return any;
  }

  /// Takes x, or writes it. @param i0, j0 the thread block's first row and column
  __device__ __forceinline__ void load_x(const ProductTask<S, T>& task, i32 i0, i32 j0) {
    if (in_pieces(task, i0, j0)) {
      each_piece(task, i0, j0, [&](i32 i, i32 j, const T* x) {
        const Piece piece = *reinterpret_cast<const Piece*>(x);
#pragma unroll
        for (i32 e = 0; e < group; ++e) sum_[i][j + e] = piece.words[e];
      });
    } else {
      each_word(task, i0, j0, [&](i32 i, i32 j, const T* x, i32 there) {
        W word = in_every_lane<S>(zero_value<S, T>());
#pragma unroll 1
        for (i32 lane = 0; lane < lanes && lane < there; ++lane) word = with_lane<S, T>(word, lane, x[lane]);
        sum_[i][j] = word;
      });
    }
  }
  __device__ __forceinline__ void store_x(const ProductTask<S, T>& task, i32 i0, i32 j0) const {
    if (in_pieces(task, i0, j0)) {
      each_piece(task, i0, j0, [&](i32 i, i32 j, T* x) {
        Piece piece;
#pragma unroll
        for (i32 e = 0; e < group; ++e) piece.words[e] = sum_[i][j + e];
        *reinterpret_cast<Piece*>(x) = piece;
      });
    } else {
      each_word(task, i0, j0, [&](i32 i, i32 j, T* x, i32 there) {
        const i32 row = i0 + row_of(i), column = j0 + word_of(j) * lanes;
        if (row >= task.kept_begin && row < task.kept_end) return;
#pragma unroll 1
        for (i32 lane = 0; lane < lanes && lane < there; ++lane) {
          const bool kept = column + lane >= task.kept_begin && column + lane < task.kept_end;
          if (!kept) x[lane] = lane_value<S, T>(sum_[i][j], lane);
        }
      });
    }
  }

 protected:
  __device__ __forceinline__ i32 row_of(i32 i) const { return row_ + i / group * (4 * group) + i % group; }
  __device__ __forceinline__ i32 word_of(i32 j) const { return word_ + j / group * (8 * group) + j % group; }

  /// True if the thread block's part lies fully inside x, may be written, and can be moved a piece at a time.
  static __device__ __forceinline__ bool in_pieces(const ProductTask<S, T>& task, i32 i0, i32 j0) {
    if constexpr (sizeof(W) == lanes * sizeof(T)) {
      const i32 i1 = i0 + Tile::rows, j1 = j0 + Tile::words * lanes;
      const bool aligned =
          (reinterpret_cast<u64>(task.x) | static_cast<u64>(task.x_stride) * sizeof(T)) % sizeof(Piece) == 0;
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
      for (i32 j = 0; j < Tile::thread_words; j += group) act(i, j, row + word_of(j) * lanes);
    }
  }
  /// act(i, j, x, there) for each word, of which the first `there` values exist, or none if it is not above 0.
  template <class Do>
  __device__ __forceinline__ void each_word(const ProductTask<S, T>& task, i32 i0, i32 j0, const Do& act) const {
#pragma unroll
    for (i32 i = 0; i < Tile::thread_rows; ++i) {
      T* row = task.x + (i0 + row_of(i)) * task.x_stride + j0;
#pragma unroll
      for (i32 j = 0; j < Tile::thread_words; ++j) {
        const i32 there = i0 + row_of(i) < task.rows ? task.columns - j0 - word_of(j) * lanes : 0;
        act(i, j, row + word_of(j) * lanes, there);
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
  constexpr i32 step = Tile::threads * Tile::vector, u_words = Tile::depth * Tile::rows;
  constexpr i32 v_words = Tile::depth * Tile::words;
  static_assert(u_words % step == 0 && v_words % step == 0, "all threads copy alike");
  const i32 first = static_cast<i32>(threadIdx.x) * Tile::vector;
#pragma unroll
  for (i32 at = 0; at < u_words; at += step) device::begin_copy(to + first + at, u + first + at);
#pragma unroll
  for (i32 at = 0; at < v_words; at += step) device::begin_copy(to + u_words + first + at, v + first + at);
}

/// Begins to fetch stage `stage` of the panels for a part of x, if there is such a stage, into its slot of the ring
/// in shared memory. There is a group of copies for every stage, beyond the last one, too.
template <class S, class T>
__device__ __forceinline__ void fetch_stage(const ProductTask<S, T>& task, const PartPlace& place, i32 stage) {
  using W = Word<S, T>;
  using Tile = ProductTile<W>;
  if (stage < task.stages) {
    const W* u = task.u + static_cast<i64>(place.row * task.stages + stage) * (Tile::depth * Tile::rows);
    const W* v = task.v + static_cast<i64>(place.column * task.stages + stage) * (Tile::depth * Tile::words);
    W* ring = reinterpret_cast<W*>(device::launch_shared_memory());
    begin_stage(u, v, ring + stage % Tile::stages * Tile::stage_words);
  }
  device::commit_copies();
}

/// Adds all stages to a thread's part.
template <bool quick, class S, class T>
__device__ __forceinline__ void add_stages(const ProductTask<S, T>& task, const PartPlace& place,
                                           ThreadPart<S, T>& part) {
  using W = Word<S, T>;
  using Tile = ProductTile<W>;
  for (i32 stage = 0; stage < task.stages; ++stage) {
    device::wait_for_copies<Tile::stages - 2>();
    __syncthreads();  // the stage is there, and nobody reads the one before any more
    fetch_stage(task, place, stage + Tile::stages - 1);
    const W* u = reinterpret_cast<W*>(device::launch_shared_memory()) + stage % Tile::stages * Tile::stage_words;
    const W* v = u + Tile::depth * Tile::rows;
    const auto load = [&](i32 k, typename ThreadPart<S, T>::Factors& to) {
      part.load(u + k * Tile::rows, v + k * Tile::words, to);
    };
    typename ThreadPart<S, T>::Factors factors[Tile::ahead + 1];
    if constexpr (Tile::ahead == 1) load(0, factors[0]);
#pragma unroll
    for (i32 turn = 0; turn < Tile::depth / Tile::pair; ++turn) {
      const i32 next = (turn + Tile::ahead) * Tile::pair;
      if (next < Tile::depth) load(next, factors[(turn + Tile::ahead) % (Tile::ahead + 1)]);
      part.template update<quick>(factors[turn % (Tile::ahead + 1)], task.one);
    }
  }
}

template <class S, class T>
__global__ void __launch_bounds__((ProductTile<Word<S, T>>::threads), (ProductTile<Word<S, T>>::blocks))
    multiply_kernel(ProductTask<S, T> task) {
  if (task.state->begun == 0) return;
  using Tile = ProductTile<Word<S, T>>;
  const PartPlace place = part_place(static_cast<i32>(blockIdx.x), task.row_tiles, task.column_tiles);
  i32 i0 = place.row * Tile::rows, j0 = place.column * Tile::words * lanes_of<S, T>;
  if (i0 >= task.kept_begin && i0 + Tile::rows <= task.kept_end) return;
#pragma unroll
  for (i32 stage = 0; stage + 1 < Tile::stages; ++stage) fetch_stage(task, place, stage);
  ThreadPart<S, T> part;
  part.load_x(task, i0, j0);
  if constexpr (three_needs_signs<S, T>) {
    const bool signs = task.state->signs != 0 || __syncthreads_or(part.any_negative());
    if (signs) add_stages<false>(task, place, part);
    else add_stages<true>(task, place, part);
  } else {
    add_stages<has_three<S, T>>(task, place, part);
  }
  device::forget(i0);  // and with it the addresses of x
  device::forget(j0);
  part.store_x(task, i0, j0);
}

}  // namespace terrace::recursive
