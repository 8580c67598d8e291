// Products of pairs of distances and trails on CUDA (trail.hpp): x <- x + u * v. A thread block relaxes a part of x
// that it keeps in shared memory, by copies of the factors that come in stages. For a stage threads find the least
// sums of distances alone, as in a product without trails; only the pairs whose least sum is no larger than their
// distance, which are few, are looked at again, with their trails. No host library header: also compiled at run time.
#pragma once

#include "kernels/recursive/product_kernel.cuh"
#include "kernels/recursive/trail.hpp"

namespace terrace::recursive {

using device::u16;

/// Distances and trails, in a tile or in a copy of a factor.
template <class T, class W>
struct PairView {
  T* distances;
  W* trails;
  i64 stride;

  __device__ __forceinline__ PairView at(i64 i, i64 j) const {
    return {distances + i * stride + j, trails + i * stride + j, stride};
  }
};

/// What distances are computed in: registers have no halves.
template <class T>
struct DistanceOf {
  using Type = T;
};
template <>
struct DistanceOf<i16> {
  using Type = i32;
};
template <class T>
using Distance = typename DistanceOf<T>::Type;

/// Takes (d, t) for (distance, trail) where it is smaller. Without branches.
template <class T, class W>
__device__ __forceinline__ void take_smaller(T& distance, W& trail, T d, W t) {
  const bool better = (d < distance) | ((d == distance) & (t < trail));
  distance = better ? d : distance;
  trail = better ? t : trail;
}

/// Larger than every sum, or no number.
template <class D>
__device__ __forceinline__ D beyond_all() {
  if constexpr (same_type<D, float>) return __int_as_float(0x7FFFFFFF);
  else if constexpr (same_type<D, double>) return __longlong_as_double(largest_key);
  else return static_cast<D>(largest_key >> (64 - 8 * sizeof(D)));
}

/// The part of x that a thread block relaxes: warps of 32 rows, each of four lanes above one another and eight side
/// by side. Of distances and trails of 32 bits two fit a multiprocessor.
template <class T, class W>
struct RelaxTile {
  using D = Distance<T>;
  static constexpr i32 vector = 16 / static_cast<i32>(sizeof(D));  // distances that are moved at once
  static constexpr i32 rows = 128;
  static constexpr i32 columns = 64;
  static constexpr i32 thread_rows = 8, thread_columns = 4;
  static constexpr i32 warp_rows = 4 * thread_rows, warp_columns = 8 * thread_columns;
  static constexpr i32 threads = rows * columns / (thread_rows * thread_columns);
  static constexpr i32 blocks = sizeof(D) + sizeof(W) == 8 ? 2 : 1;  // of a multiprocessor
  static constexpr i32 depth = 16;                                   // pivots of a stage
  static constexpr i32 stages = 2;                                   // there at a time
  static constexpr i32 gathered = 64;                                // pairs of a warp at a time

  /// Columns of u and rows of v.
  struct Stage {
    D u[depth][rows], v[depth][columns];
    W u_trails[depth][rows], v_trails[depth][columns];
  };
  struct Shared {
    D distances[rows][columns];
    W trails[rows][columns];
    Stage ring[stages];
    u16 near[threads / 32][gathered];  // of each warp: places of pairs to look at
  };
};

/// x <- x + u * v by copies of u, turned over, and of v with trails without nodes.
template <class T, class W>
struct RelaxTask {
  const TileState* state;
  PairView<T, W> x;
  i64 rows, columns;
  PairView<Distance<T>, W> u, v;  // with rows for whole stages and columns for whole parts of x
  i64 depth;
  i64 kept_begin, kept_end;  // rows and columns of x in that range stay as they are
  i32 one;                   // as in ProductTask
};

/// The distances that a thread looks after: rows and columns of them lie in groups of RelaxTile::vector.
template <class T, class W>
class RelaxPart {
  using Tile = RelaxTile<T, W>;
  using D = typename Tile::D;
  using Stage = typename Tile::Stage;
  using Shared = typename Tile::Shared;
  static constexpr i32 vector = Tile::vector, thread_rows = Tile::thread_rows, thread_columns = Tile::thread_columns;
  static_assert(thread_rows * thread_columns == 32, "a word has a bit for each");
  struct alignas(16) Piece {
    D values[vector];
  };

 public:
  /// Takes the distances.
  __device__ __forceinline__ explicit RelaxPart(Shared& shared) : shared_(shared) {
    constexpr i32 across = Tile::columns / Tile::warp_columns;
    const i32 warp = static_cast<i32>(threadIdx.x) / 32;
    lane_ = static_cast<i32>(threadIdx.x) % 32;
    warp_row_ = warp / across * Tile::warp_rows;
    warp_column_ = warp % across * Tile::warp_columns;
#pragma unroll
    for (i32 i = 0; i < thread_rows; ++i) {
#pragma unroll
      for (i32 j = 0; j < thread_columns; j += vector) {
        load(&shared.distances[row_of(lane_, i)][column_of(lane_, j)], &distances_[i][j]);
      }
    }
  }

  /// Relaxes by the pivots of a stage. @tparam quick whether updates by three are right
  template <bool quick>
  __device__ __forceinline__ void relax(const Stage& stage, i32 one) {
    D least[thread_rows][thread_columns];
    add<quick>(stage, one, least);
    u32 near = 0;
#pragma unroll
    for (i32 i = 0; i < thread_rows; ++i) {
#pragma unroll
      for (i32 j = 0; j < thread_columns; ++j) {
        if (!(least[i][j] <= distances_[i][j])) continue;
        near |= 1u << (i * thread_columns + j);
        distances_[i][j] = least[i][j];
      }
    }
    relax_near(stage, near);
  }

 private:
  __device__ __forceinline__ i32 row_of(i32 lane, i32 i) const {
    return warp_row_ + lane / 8 * vector + i / vector * (4 * vector) + i % vector;
  }
  __device__ __forceinline__ i32 column_of(i32 lane, i32 j) const {
    return warp_column_ + lane % 8 * vector + j / vector * (8 * vector) + j % vector;
  }
  static __device__ __forceinline__ void load(const D* from, D* to) {
    const Piece piece = *reinterpret_cast<const Piece*>(from);
#pragma unroll
    for (i32 e = 0; e < vector; ++e) to[e] = piece.values[e];
  }

  /// The least sums by way of a stage's pivots.
  template <bool quick>
  __device__ __forceinline__ void add(const Stage& stage, i32 one, D (&least)[thread_rows][thread_columns]) const {
#pragma unroll
    for (i32 i = 0; i < thread_rows; ++i) {
#pragma unroll
      for (D& value : least[i]) value = beyond_all<D>();
    }
#pragma unroll
    for (i32 k = 0; k < Tile::depth; k += 2) {
      D left[2][thread_rows];
#pragma unroll
      for (i32 i = 0; i < thread_rows; i += vector) {
        load(&stage.u[k][row_of(lane_, i)], left[0] + i);
        load(&stage.u[k + 1][row_of(lane_, i)], left[1] + i);
      }
#pragma unroll
      for (i32 j = 0; j < thread_columns; j += vector) {
        D right[2][vector];
        load(&stage.v[k][column_of(lane_, j)], right[0]);
        load(&stage.v[k + 1][column_of(lane_, j)], right[1]);
#pragma unroll
        for (i32 i = 0; i < thread_rows; ++i) {
#pragma unroll
          for (i32 e = 0; e < vector; ++e) {
            const D u0 = left[0][i], v0 = right[0][e], u1 = left[1][i], v1 = right[1][e];
            D& value = least[i][j + e];
            if constexpr (quick && has_three<MinPlus, D>) {
              if (by_three<MinPlus, D>(i, e)) value = update_by_three<MinPlus, D>(value, u0, v0, u1, v1, one);
              else value = update_word<MinPlus, D>(update_word<MinPlus, D>(value, u0, v0), u1, v1);
            } else {
              value = update_word<MinPlus, D>(update_word<MinPlus, D>(value, u0, v0), u1, v1);
            }
          }
        }
      }
    }
  }

  /// Relaxes pairs, trails and all, of which each lane says which of its own: the warp gathers them, so that each
  /// lane has as many to look at; where they are most of all, each lane takes all of its own.
  /// @param near bit i * thread_columns + j: pair (i, j)
  __device__ __forceinline__ void relax_near(const Stage& stage, u32 near) {
    u16* gathered = shared_.near[threadIdx.x / 32];
    i32 count = 0;
    do {
      const i32 own = __popc(near);
      i32 end = own;  // of the lane's, among the warp's
#pragma unroll
      for (i32 distance = 1; distance < 32; distance *= 2) {
        const i32 lower = __shfl_up_sync(~0u, end, static_cast<u32>(distance));
        if (lane_ >= distance) end += lower;
      }
      count = __shfl_sync(~0u, end, 31);
      if (count == 0) return;
      if (count > most_gathered) return relax_all(stage);
      for (i32 at = end - own; near != 0 && at < Tile::gathered; ++at) {
        gathered[at] = static_cast<u16>((__ffs(static_cast<i32>(near)) - 1) * 32 + lane_);
        near &= near - 1;
      }
      __syncwarp();
      if (count <= 8) {
        relax_gathered<4>(stage, gathered, count);
      } else if (count <= 16) {
        relax_gathered<2>(stage, gathered, count);
      } else {
        const i32 here = count < Tile::gathered ? count : Tile::gathered;
        for (i32 at = 0; at < here; at += 32) relax_gathered<1>(stage, gathered + at, here - at);
      }
      __syncwarp();
    } while (count > Tile::gathered);
  }

  /// Relaxes all of the lane's pairs.
  __device__ __forceinline__ void relax_all(const Stage& stage) {
#pragma unroll 1
    for (i32 i = 0; i < thread_rows; ++i) {
      const i32 row = row_of(lane_, i);
#pragma unroll 1
      for (i32 j = 0; j < thread_columns; j += vector) {
        const i32 column = column_of(lane_, j);
        D distances[vector];
        W trails[vector];
#pragma unroll
        for (i32 e = 0; e < vector; ++e) {
          distances[e] = shared_.distances[row][column + e];
          trails[e] = shared_.trails[row][column + e];
        }
#pragma unroll
        for (i32 k = 0; k < Tile::depth; ++k) {
          const D u = stage.u[k][row];
          const W u_trail = stage.u_trails[k][row];
#pragma unroll
          for (i32 e = 0; e < vector; ++e) {
            take_smaller(distances[e], trails[e], MinPlus::times<D>(u, stage.v[k][column + e]),
                         static_cast<W>(u_trail + stage.v_trails[k][column + e]));
          }
        }
#pragma unroll
        for (i32 e = 0; e < vector; ++e) {
          shared_.distances[row][column + e] = distances[e];
          shared_.trails[row][column + e] = trails[e];
        }
      }
    }
    __syncwarp();
  }

  /// Relaxes the first of `count` pairs, each by as many lanes, each of which has its share of the pivots.
  /// @param gathered their places: 32 times a bit, and the lane
  template <i32 lanes>
  __device__ __forceinline__ void relax_gathered(const Stage& stage, const u16* gathered, i32 count) {
    const i32 at = lane_ / lanes;
    const bool there = at < count;
    const i32 place = gathered[there ? at : 0];
    const i32 row = row_of(place % 32, place / 32 / thread_columns);
    const i32 column = column_of(place % 32, place / 32 % thread_columns);
    constexpr i32 depth = Tile::depth / lanes;
    const i32 first = lane_ % lanes * depth;
    const auto through = [&](i32 k) {
      return MinPlus::times<D>(stage.u[first + k][row], stage.v[first + k][column]);
    };
    D distance = shared_.distances[row][column];
    W trail = shared_.trails[row][column];
    u32 pivots = 0;
#pragma unroll
    for (i32 k = 0; k < depth; ++k) {
      if (through(k) <= distance) pivots |= 1u << k;
    }
    for (; pivots != 0; pivots &= pivots - 1) {
      const i32 k = __ffs(static_cast<i32>(pivots)) - 1;
      take_smaller(distance, trail, through(k),
                   static_cast<W>(stage.u_trails[first + k][row] + stage.v_trails[first + k][column]));
    }
    __syncwarp();
#pragma unroll
    for (i32 other = 1; other < lanes; other *= 2) {
      const D d = __shfl_xor_sync(~0u, distance, other);
      const W t = __shfl_xor_sync(~0u, trail, other);
      take_smaller(distance, trail, d, t);
    }
    if (!there || lane_ % lanes != 0) return;
    shared_.distances[row][column] = distance;
    shared_.trails[row][column] = trail;
  }

  static constexpr i32 most_gathered = 512;  // of a warp's 1024 pairs: from about there on taking all is faster

  Shared& shared_;
  i32 lane_, warp_row_, warp_column_;
  D distances_[thread_rows][thread_columns];
};

/// Begins to copy rows of `width` values into shared memory.
template <i32 threads, i32 depth, i32 width, class V>
__device__ __forceinline__ void begin_rows(const V* from, i64 stride, V (&to)[depth][width]) {
  constexpr i32 vector = 16 / static_cast<i32>(sizeof(V)), across = width / vector, down = threads / across;
  static_assert(threads % across == 0 && depth % down == 0, "all threads copy alike");
  const i32 k = static_cast<i32>(threadIdx.x) / across, n = static_cast<i32>(threadIdx.x) % across * vector;
  from += k * stride + n;
#pragma unroll
  for (i32 turn = 0; turn < depth; turn += down) device::begin_copy(&to[k + turn][n], from + turn * stride);
}

/// Begins to fetch stage `stage` for the part of x at (i0, j0), if there is such a stage. There is a group of copies
/// for every stage, beyond the last one, too.
template <class T, class W>
__device__ __forceinline__ void fetch_pairs(const RelaxTask<T, W>& task, typename RelaxTile<T, W>::Shared& shared,
                                            i32 stage, i64 i0, i64 j0) {
  using Tile = RelaxTile<T, W>;
  const i64 k0 = static_cast<i64>(stage) * Tile::depth;
  if (k0 < task.depth) {
    const PairView<Distance<T>, W> u = task.u.at(k0, i0), v = task.v.at(k0, j0);
    typename Tile::Stage& to = shared.ring[stage % Tile::stages];
    begin_rows<Tile::threads>(u.distances, u.stride, to.u);
    begin_rows<Tile::threads>(v.distances, v.stride, to.v);
    begin_rows<Tile::threads>(u.trails, u.stride, to.u_trails);
    begin_rows<Tile::threads>(v.trails, v.stride, to.v_trails);
  }
  device::commit_copies();
}

template <bool quick, class T, class W>
__device__ __forceinline__ void relax_stages(const RelaxTask<T, W>& task, typename RelaxTile<T, W>::Shared& shared,
                                             RelaxPart<T, W>& part, i64 i0, i64 j0) {
  using Tile = RelaxTile<T, W>;
  const auto stages = static_cast<i32>((task.depth + Tile::depth - 1) / Tile::depth);
  for (i32 stage = 0; stage < stages; ++stage) {
    device::wait_for_copies<Tile::stages - 2>();
    __syncthreads();  // the stage is there, and nobody reads the one before any more
    fetch_pairs(task, shared, stage + Tile::stages - 1, i0, j0);
    part.template relax<quick>(shared.ring[stage % Tile::stages], task.one);
  }
}

/// Calls act(row, column, there, place) for all pairs of a thread block's part of x, a row's by threads side by side.
template <class T, class W, class Do>
__device__ __forceinline__ void each_pair(const RelaxTask<T, W>& task, i64 i0, i64 j0, const Do& act) {
  using Tile = RelaxTile<T, W>;
#pragma unroll 8
  for (i32 at = static_cast<i32>(threadIdx.x); at < Tile::rows * Tile::columns; at += Tile::threads) {
    const i32 row = at / Tile::columns, column = at % Tile::columns;
    act(row, column, i0 + row < task.rows && j0 + column < task.columns, row * task.x.stride + column);
  }
}

/// Whether some distance of a part of x is negative, or -0.0.
template <class T, class W>
__device__ __forceinline__ bool any_negative(const typename RelaxTile<T, W>::Shared& shared) {
  using Tile = RelaxTile<T, W>;
  bool any = false;
  for (i32 at = static_cast<i32>(threadIdx.x); at < Tile::rows * Tile::columns; at += Tile::threads) {
    any |= has_sign(shared.distances[at / Tile::columns][at % Tile::columns]);
  }
  return any;
}

/// A thread block for each part of x.
template <class T, class W>
__global__ void __launch_bounds__((RelaxTile<T, W>::threads), (RelaxTile<T, W>::blocks))
    relax_pairs_kernel(RelaxTask<T, W> task) {
  if (task.state->begun == 0) return;
  using Tile = RelaxTile<T, W>;
  auto& shared = *reinterpret_cast<typename Tile::Shared*>(device::launch_shared_memory());
  const auto down = static_cast<i32>((task.rows + Tile::rows - 1) / Tile::rows);
  const auto across = static_cast<i32>((task.columns + Tile::columns - 1) / Tile::columns);
  const PartPlace place = part_place(static_cast<i32>(blockIdx.x), down, across);
  const i64 i0 = static_cast<i64>(place.row) * Tile::rows, j0 = static_cast<i64>(place.column) * Tile::columns;
#pragma unroll
  for (i32 stage = 0; stage + 1 < Tile::stages; ++stage) fetch_pairs(task, shared, stage, i0, j0);
  const PairView<T, W> x = task.x.at(i0, j0);
  each_pair(task, i0, j0, [&](i32 row, i32 column, bool there, i64 at) {
    shared.distances[row][column] = there ? x.distances[at] : infinity<T>();
    shared.trails[row][column] = there ? x.trails[at] : Trail<W>::none;
  });
  __syncthreads();
  RelaxPart<T, W> part(shared);
  if constexpr (three_needs_signs<MinPlus, Distance<T>>) {
    const bool signs = task.state->signs != 0 || __syncthreads_or(any_negative<T, W>(shared));
    if (signs) relax_stages<false>(task, shared, part, i0, j0);
    else relax_stages<true>(task, shared, part, i0, j0);
  } else {
    relax_stages<has_three<MinPlus, Distance<T>>>(task, shared, part, i0, j0);
  }
  __syncthreads();
  each_pair(task, i0, j0, [&](i32 row, i32 column, bool there, i64 at) {
    const auto kept = [&](i64 n) { return n >= task.kept_begin && n < task.kept_end; };
    if (!there || kept(i0 + row) || kept(j0 + column)) return;
    x.distances[at] = static_cast<T>(shared.distances[row][column]);
    x.trails[at] = shared.trails[row][column];
  });
}

}  // namespace terrace::recursive
