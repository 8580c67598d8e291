// Products of pairs of distances and trails on CUDA (trail.hpp): x <- x + u * v. A thread block relaxes a part of x
// that it keeps in shared memory, by copies of the factors that come in stages. For a stage threads find the least
// sums of distances alone, as in a product without trails; only the few pairs whose least sum is no larger than their
// distance are computed again, with their trails.
#pragma once

#include "kernels/recursive/cuda/products/kernel.cuh"
#include "kernels/recursive/measured.hpp"
#include "kernels/recursive/rules/trail.hpp"

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

/// The type in which distances are computed: registers have no halves.
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

/// Takes (d, t) for (distance, trail) if it is smaller. Without branches.
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

/// The part of x that a thread block relaxes: warps of 32 rows, each of four lanes down and eight lanes across. With
/// distances and trails of 32 bits a multiprocessor holds two. @tparam narrow for devices that give a thread block
/// less shared memory: 97 KiB are enough for all types
template <class T, class W, bool narrow>
struct RelaxTile {
  using D = Distance<T>;
  using Sizes = measured::CudaPaths;
  static constexpr i32 vector = 16 / static_cast<i32>(sizeof(D));  // distances that are moved at once
  static constexpr i32 group = vector / 2;  // rows, or columns, of a vector of a factor: each by two pivots
  static constexpr i32 rows = narrow ? Sizes::narrow_rows : Sizes::rows;
  static constexpr i32 columns = Sizes::columns;
  static constexpr i32 thread_rows = Sizes::thread_rows, thread_columns = Sizes::thread_columns;
  static constexpr i32 warp_rows = 4 * thread_rows, warp_columns = 8 * thread_columns;
  static constexpr i32 threads = rows * columns / (thread_rows * thread_columns);
  static constexpr i32 pair_bytes = static_cast<i32>(sizeof(D) + sizeof(W));
  static constexpr i32 blocks = !narrow && pair_bytes == 8 ? 2 : 1;  // of a multiprocessor
  static constexpr i32 depth = narrow && pair_bytes == 16 ? Sizes::narrow_depth : Sizes::depth;  // pivots of a stage
  static constexpr i32 stages = Sizes::stages;                                                   // there at a time
  static constexpr i32 gathered = Sizes::gathered;  // pairs of a warp at a time

  /// Columns of u and rows of v. Distances by two pivots are adjacent (factor_place).
  struct Stage {
    D u[depth / 2][2 * rows], v[depth / 2][2 * columns];
    W u_trails[depth][rows], v_trails[depth][columns];

    __device__ __forceinline__ D u_at(i32 k, i32 row) const { return u[k / 2][2 * row + k % 2]; }
    __device__ __forceinline__ D v_at(i32 k, i32 column) const { return v[k / 2][2 * column + 1 - k % 2]; }
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
  /// With rows for whole stages and columns for whole parts of x; distances lie as factor_place() says.
  PairView<Distance<T>, W> u, v;
  i64 depth;
  i64 kept_begin, kept_end;  // rows and columns of x in that range stay as they are
  i32 one;                   // as in ProductTask
};

/// Place of the distance by pivot k to row, or column, n in a copy of a factor: two pivots are adjacent, in u in this
/// order, in v in the other order, so that an instruction that adds the values of one pivot finds them in different
/// banks of registers. @param turned true if the factor is u
__device__ __forceinline__ i64 factor_place(i64 k, i64 n, i64 stride, bool turned) {
  return k / 2 * (2 * stride) + 2 * n + (turned ? k % 2 : 1 - k % 2);
}

/// The distances that a thread looks after: rows and columns of them lie in groups of RelaxTile::group.
template <class T, class W, bool narrow>
class RelaxPart {
  using Tile = RelaxTile<T, W, narrow>;
  using D = typename Tile::D;
  using Stage = typename Tile::Stage;
  using Shared = typename Tile::Shared;
  static constexpr i32 vector = Tile::vector, group = Tile::group;
  static constexpr i32 thread_rows = Tile::thread_rows, thread_columns = Tile::thread_columns;
  static_assert(thread_rows * thread_columns == 32, "a word has a bit for each");
  struct alignas(16) Vector {
    D values[vector];
  };
  /// The distances of two pivots.
  struct Factors {
    D u[2][thread_rows], v[2][thread_columns];
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
      for (i32 j = 0; j < thread_columns; ++j) {
        distances_[i][j] = shared.distances[row_of(lane_, i)][column_of(lane_, j)];
      }
    }
  }

  /// Relaxes by the pivots of a stage. @tparam quick true if updates by three are right
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
    return warp_row_ + lane / 8 * group + i / group * (4 * group) + i % group;
  }
  __device__ __forceinline__ i32 column_of(i32 lane, i32 j) const {
    return warp_column_ + lane % 8 * group + j / group * (8 * group) + j % group;
  }

  __device__ __forceinline__ void load(const Stage& stage, i32 k, Factors& to) const {
#pragma unroll
    for (i32 i = 0; i < thread_rows; i += group) {
      const Vector from = *reinterpret_cast<const Vector*>(&stage.u[k / 2][2 * row_of(lane_, i)]);
#pragma unroll
      for (i32 e = 0; e < vector; ++e) to.u[e % 2][i + e / 2] = from.values[e];
    }
#pragma unroll
    for (i32 j = 0; j < thread_columns; j += group) {
      const Vector from = *reinterpret_cast<const Vector*>(&stage.v[k / 2][2 * column_of(lane_, j)]);
#pragma unroll
      for (i32 e = 0; e < vector; ++e) to.v[1 - e % 2][j + e / 2] = from.values[e];
    }
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
      Factors by;
      load(stage, k, by);
#pragma unroll
      for (i32 i = 0; i < thread_rows; ++i) {
#pragma unroll
        for (i32 j = 0; j < thread_columns; ++j) {
          D& value = least[i][j];
          if constexpr (quick && has_three<MinPlus, D>) {
            if (by_three<MinPlus, D>(i, j)) {
              value = update_by_three<MinPlus, D>(value, by.u[0][i], by.v[0][j], by.u[1][i], by.v[1][j], one);
              continue;
            }
          }
          value = update_word<MinPlus, D>(value, by.u[0][i], by.v[0][j]);
          value = update_word<MinPlus, D>(value, by.u[1][i], by.v[1][j]);
        }
      }
    }
  }

  /// Relaxes pairs with their trails. Each lane names some of its own pairs: the warp gathers them and deals them
  /// evenly to lanes; if they are most of all pairs, each lane takes all of its own.
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
      D distances[thread_columns];
      W trails[thread_columns];
#pragma unroll
      for (i32 j = 0; j < thread_columns; ++j) {
        distances[j] = shared_.distances[row][column_of(lane_, j)];
        trails[j] = shared_.trails[row][column_of(lane_, j)];
      }
#pragma unroll
      for (i32 k = 0; k < Tile::depth; ++k) {
        const D u = stage.u_at(k, row);
        const W u_trail = stage.u_trails[k][row];
#pragma unroll
        for (i32 j = 0; j < thread_columns; ++j) {
          const i32 column = column_of(lane_, j);
          take_smaller(distances[j], trails[j], MinPlus::times<D>(u, stage.v_at(k, column)),
                       static_cast<W>(u_trail + stage.v_trails[k][column]));
        }
      }
#pragma unroll
      for (i32 j = 0; j < thread_columns; ++j) {
        shared_.distances[row][column_of(lane_, j)] = distances[j];
        shared_.trails[row][column_of(lane_, j)] = trails[j];
      }
    }
    __syncwarp();
  }

  /// Relaxes the first of `count` pairs, each by `lanes` lanes, each of which has its share of the pivots.
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
    const D distance = shared_.distances[row][column];
    D sums[depth], least = distance;
#pragma unroll
    for (i32 k = 0; k < depth; ++k) {
      sums[k] = MinPlus::times<D>(stage.u_at(first + k, row), stage.v_at(first + k, column));
      if (sums[k] < least) least = sums[k];
    }
#pragma unroll
    for (i32 other = 1; other < lanes; other *= 2) {
      const D d = __shfl_xor_sync(~0u, least, other);
      if (d < least) least = d;
    }
    W trail = least < distance ? static_cast<W>(~W(0)) : shared_.trails[row][column];
    u32 pivots = 0;
#pragma unroll
    for (i32 k = 0; k < depth; ++k) {
      if (sums[k] == least) pivots |= 1u << k;
    }
    for (; pivots != 0; pivots &= pivots - 1) {
      const i32 k = first + __ffs(static_cast<i32>(pivots)) - 1;
      const W t = static_cast<W>(stage.u_trails[k][row] + stage.v_trails[k][column]);
      if (t < trail) trail = t;
    }
    __syncwarp();
#pragma unroll
    for (i32 other = 1; other < lanes; other *= 2) {
      const W t = __shfl_xor_sync(~0u, trail, other);
      if (t < trail) trail = t;
    }
    if (!there || lane_ % lanes != 0) return;
    shared_.distances[row][column] = least;
    shared_.trails[row][column] = trail;
  }

  static constexpr i32 most_gathered = measured::CudaPaths::most_gathered;  // of a warp's 1024 pairs

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
template <class T, class W, bool narrow>
__device__ __forceinline__ void fetch_pairs(const RelaxTask<T, W>& task,
                                            typename RelaxTile<T, W, narrow>::Shared& shared, i32 stage, i64 i0,
                                            i64 j0) {
  using Tile = RelaxTile<T, W, narrow>;
  const i64 k0 = static_cast<i64>(stage) * Tile::depth;
  if (k0 < task.depth) {
    const PairView<Distance<T>, W>&u = task.u, &v = task.v;
    typename Tile::Stage& to = shared.ring[stage % Tile::stages];
    begin_rows<Tile::threads>(u.distances + k0 * u.stride + 2 * i0, 2 * u.stride, to.u);
    begin_rows<Tile::threads>(v.distances + k0 * v.stride + 2 * j0, 2 * v.stride, to.v);
    begin_rows<Tile::threads>(u.at(k0, i0).trails, u.stride, to.u_trails);
    begin_rows<Tile::threads>(v.at(k0, j0).trails, v.stride, to.v_trails);
  }
  device::commit_copies();
}

template <bool quick, class T, class W, bool narrow>
__device__ __forceinline__ void relax_stages(const RelaxTask<T, W>& task,
                                             typename RelaxTile<T, W, narrow>::Shared& shared,
                                             RelaxPart<T, W, narrow>& part, i64 i0, i64 j0) {
  using Tile = RelaxTile<T, W, narrow>;
  const auto stages = static_cast<i32>((task.depth + Tile::depth - 1) / Tile::depth);
  for (i32 stage = 0; stage < stages; ++stage) {
    device::wait_for_copies<Tile::stages - 2>();
    __syncthreads();  // the stage is there, and nobody reads the one before any more
    fetch_pairs<T, W, narrow>(task, shared, stage + Tile::stages - 1, i0, j0);
    part.template relax<quick>(shared.ring[stage % Tile::stages], task.one);
  }
}

/// Calls act(row, column, there, place) for all pairs of a thread block's part of x, a row's by threads side by side.
template <class Tile, class T, class W, class Do>
__device__ __forceinline__ void each_pair(const RelaxTask<T, W>& task, i64 i0, i64 j0, const Do& act) {
#pragma unroll 8
  for (i32 at = static_cast<i32>(threadIdx.x); at < Tile::rows * Tile::columns; at += Tile::threads) {
    const i32 row = at / Tile::columns, column = at % Tile::columns;
    act(row, column, i0 + row < task.rows && j0 + column < task.columns, row * task.x.stride + column);
  }
}

/// True if some distance of a part of x is negative, or -0.0.
template <class Tile>
__device__ __forceinline__ bool any_negative(const typename Tile::Shared& shared) {
  bool any = false;
  for (i32 at = static_cast<i32>(threadIdx.x); at < Tile::rows * Tile::columns; at += Tile::threads) {
    any |= has_sign(shared.distances[at / Tile::columns][at % Tile::columns]);
  }
  return any;
}

/// A thread block for each part of x.
template <class T, class W, bool narrow>
__global__ void __launch_bounds__((RelaxTile<T, W, narrow>::threads), (RelaxTile<T, W, narrow>::blocks))
    relax_pairs_kernel(RelaxTask<T, W> task) {
  if (task.state->begun == 0) return;
  using Tile = RelaxTile<T, W, narrow>;
  auto& shared = *reinterpret_cast<typename Tile::Shared*>(device::launch_shared_memory());
  const auto down = static_cast<i32>((task.rows + Tile::rows - 1) / Tile::rows);
  const auto across = static_cast<i32>((task.columns + Tile::columns - 1) / Tile::columns);
  const PartPlace place = part_place(static_cast<i32>(blockIdx.x), down, across);
  const i64 i0 = static_cast<i64>(place.row) * Tile::rows, j0 = static_cast<i64>(place.column) * Tile::columns;
#pragma unroll
  for (i32 stage = 0; stage + 1 < Tile::stages; ++stage) fetch_pairs<T, W, narrow>(task, shared, stage, i0, j0);
  const PairView<T, W> x = task.x.at(i0, j0);
  each_pair<Tile>(task, i0, j0, [&](i32 row, i32 column, bool there, i64 at) {
    shared.distances[row][column] = there ? x.distances[at] : infinity<T>();
    shared.trails[row][column] = there ? x.trails[at] : Trail<W>::none;
  });
  __syncthreads();
  RelaxPart<T, W, narrow> part(shared);
  if constexpr (three_needs_signs<MinPlus, Distance<T>>) {
    const bool signs = task.state->signs != 0 || __syncthreads_or(any_negative<Tile>(shared));
    if (signs) relax_stages<false>(task, shared, part, i0, j0);
    else relax_stages<true>(task, shared, part, i0, j0);
  } else {
    relax_stages<has_three<MinPlus, Distance<T>>>(task, shared, part, i0, j0);
  }
  __syncthreads();
  each_pair<Tile>(task, i0, j0, [&](i32 row, i32 column, bool there, i64 at) {
    const auto kept = [&](i64 n) { return n >= task.kept_begin && n < task.kept_end; };
    if (!there || kept(i0 + row) || kept(j0 + column)) return;
    x.distances[at] = static_cast<T>(shared.distances[row][column]);
    x.trails[at] = shared.trails[row][column];
  });
}

}  // namespace terrace::recursive
