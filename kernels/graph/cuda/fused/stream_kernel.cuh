// Rows of a cluster, streamed: a warp goes down a strip of columns, and keeps of each value the rows that others
// still read in registers. Makes the cells that depend on nothing outside of the arrays.
//
// A cluster is a struct that the host prints (fused/source.hpp):
//   Value                        the type of values
//   columns                      of a lane; a warp has 32 times as many
//   beside                       columns at either end of a warp that others make: a multiple of `columns`
//   ahead                        rows that are read before those before them are computed
//   blocks                       thread blocks that a multiprocessor should have
//   first, last                  steps from the first row that is made to the first step, and from the end on
//   made, made_lag(n)            number of values that are left in memory, and rows by which one is behind the step
//   Coming                       a row of each value that is read, as it is stored
//   read(work, step, column, to) reads the rows of a step
//   check(work, step, column, from)   looks through rows that may have NaN
//   Rows                         of all values
//   step(place, rows, coming, numbers, made)   makes the next row of all values
//   rim(...)                     fused/rim_kernel.cuh
#pragma once

#include "kernels/graph/cuda/fused/member.cuh"
#include "kernels/graph/cuda/fused/work.hpp"
#include "kernels/graph/stored.hpp"

namespace terrace::graph {

/// Columns of a lane in memory.
template <class T, i32 columns>
struct alignas(sizeof(T) * columns) LaneColumns {
  T values[columns];
};

TERRACE_HOST_DEVICE constexpr i32 clamped(i32 at, i32 first, i32 end) {
  return at < first ? first : at < end ? at : end - 1;
}

/// Row i of an array of at most most_extent rows and columns.
template <class T>
__device__ __forceinline__ T* row_of(const RowsInMemory& memory, i32 i) {
  return static_cast<T*>(memory.data) + i64{i - static_cast<i32>(memory.first)} * static_cast<i32>(memory.stride);
}

/// Row i, or the nearest one that is there.
__device__ __forceinline__ i32 row_there(const ClusterRead& from, i32 i) {
  const Range& rows = from.pieces[0].rows;
  return clamped(i, static_cast<i32>(rows.begin), static_cast<i32>(rows.end));
}

/// Reads the columns of a lane from column j on. Beyond the array, and in rows that are not there, it reads others.
template <class Stored, i32 columns>
__device__ __forceinline__ void read_columns(const ClusterWork& work, const ClusterRead& from, i32 i, i32 j,
                                             LaneColumns<Stored, columns>& row) {
  const auto extent = static_cast<i32>(work.shape.columns);
  const auto* at = row_of<const Stored>(from.pieces[0].memory, row_there(from, i));
  if (from.is_aligned != 0) {
    row = *reinterpret_cast<const LaneColumns<Stored, columns>*>(at + clamped(j, 0, extent - columns + 1));
  } else {
#pragma unroll
    for (i32 c = 0; c < columns; ++c) row.values[c] = at[clamped(j + c, 0, extent)];
  }
}

/// Values as they are computed of values as they are stored.
template <class T, class Stored, i32 columns>
__device__ __forceinline__ void load_columns(const LaneColumns<Stored, columns>& from, T (&row)[columns]) {
#pragma unroll
  for (i32 c = 0; c < columns; ++c) row[c] = loaded<T>(from.values[c]);
}

/// Records elements that are NaN, of those that read_columns() has read.
template <class T, i32 columns>
__device__ __forceinline__ void look_at(const ClusterWork& work, const ClusterRead& from, i32 i, i32 j,
                                        const T (&row)[columns]) {
  bool is_nan = false;
#pragma unroll
  for (i32 c = 0; c < columns; ++c) is_nan |= row[c] != row[c];
  if (!is_nan || from.input < 0) return;
  const auto extent = static_cast<i32>(work.shape.columns);
  if (from.is_aligned != 0) j = clamped(j, 0, extent - columns + 1);
#pragma unroll
  for (i32 c = 0; c < columns; ++c) {
    if (row[c] == row[c]) continue;
    atomicMin(&work.state->nan[from.input], number_of_element(row_there(from, i), clamped(j + c, 0, extent)));
  }
}

/// Writes the columns of a lane, without those that are not in `range`.
template <class T, i32 columns>
__device__ __forceinline__ void write_columns(const ClusterMade& to, const Range& range, i32 i, i32 j,
                                              const T (&row)[columns]) {
  const auto begin = static_cast<i32>(range.begin), end = static_cast<i32>(range.end);
  T* at = row_of<T>(to.memory, i) + j;
  if (to.is_aligned != 0 && j >= begin && j + columns <= end) {
    LaneColumns<T, columns> all;
#pragma unroll
    for (i32 c = 0; c < columns; ++c) all.values[c] = row[c];
    *reinterpret_cast<LaneColumns<T, columns>*>(at) = all;
  } else {
#pragma unroll
    for (i32 c = 0; c < columns; ++c) {
      if (j + c >= begin && j + c < end) at[c] = row[c];
    }
  }
}

template <class Cluster>
__global__ void __launch_bounds__(stream_threads, Cluster::blocks)
    stream_cluster_kernel(const __grid_constant__ ClusterWork work) {
  using T = typename Cluster::Value;
  constexpr i32 columns = Cluster::columns, ahead = Cluster::ahead;
  constexpr i32 width = 32 * columns - 2 * Cluster::beside;
  const u32 warp = blockIdx.x * stream_warps + threadIdx.x / 32;
  const auto lane = static_cast<i32>(threadIdx.x % 32);
  if (work.state->usable == 0 || warp / work.across >= work.strips) return;
  const auto begin = static_cast<i32>(work.rows.begin) + static_cast<i32>(warp / work.across) * work.strip_rows;
  const i32 most = static_cast<i32>(work.rows.end),
            end = most - begin > work.strip_rows ? begin + work.strip_rows : most;
  const i32 j = static_cast<i32>(warp % work.across) * width - Cluster::beside + lane * columns;
  const bool writes = lane >= Cluster::beside / columns && lane < 32 - Cluster::beside / columns;

  typename Cluster::Coming next[ahead];
  const auto read = [&](i32 step) {
#pragma unroll
    for (i32 a = 0; a < ahead; ++a) Cluster::read(work, step + a, j, next[a]);
  };
  typename Cluster::Rows rows{};
  const i32 last = end + Cluster::last;
  i32 step = begin + Cluster::first;
  read(step);
#pragma unroll 1
  for (; step < last; step += ahead) {
    typename Cluster::Coming now[ahead];
#pragma unroll
    for (i32 a = 0; a < ahead; ++a) now[a] = next[a];
    if (step + ahead < last) read(step + ahead);
#pragma unroll
    for (i32 a = 0; a < ahead; ++a) {
      Cluster::check(work, step + a, j, now[a]);
      T made[Cluster::made][columns];
      Cluster::step({step + a, j, work.shape}, rows, now[a], work.numbers, made);
#pragma unroll
      for (i32 n = 0; n < Cluster::made; ++n) {
        const i32 i = step + a - Cluster::made_lag(n);
        const ClusterMade& to = work.made[n];
        const bool is_wanted = i >= static_cast<i32>(to.rows.begin) && i < static_cast<i32>(to.rows.end);
        if (writes && is_wanted && i >= begin && i < end) write_columns(to, work.columns, i, j, made[n]);
      }
    }
  }
}

}  // namespace terrace::graph
