// The rows that a warp has of a strip, in shared memory: how they come from memory and go there (kernel.cuh).
#pragma once

#include "kernels/device/warp.cuh"
#include "kernels/stencil/cuda/common/chunk.cuh"
#include "kernels/stencil/cuda/common/state_kernel.cuh"
#include "kernels/stencil/cuda/wide/shape.cuh"

namespace terrace::stencil {

using device::u32;

/// The rows from the next one on that follow one another in memory.
template <class T>
struct BoxRun {
  T* next = nullptr;
  i32 left = 0;
};

/// A warp's ring of rows in shared memory. Rows are counted from the first one of the chunk that the warp makes;
/// places are bytes from the ring's begin on.
template <class S>
class BoxRows {
 protected:
  using T = typename S::Value;
  using Chunk = ValueChunk<T>;
  using Task = BoxTask<T>;

  __device__ __forceinline__ explicit BoxRows(const Task& task, i32 warp)
      : task_(task), shared_(device::launch_shared_memory()) {
    const i32 ring = warp * S::ring;
    near_at_ = ring + S::near_place(lane());
    bring_at_ = ring + 16 * S::chunk_at(lane());
    write_at_ = ring + 16 * S::chunk_at(lane() + S::halo_chunks);
    // They are read in every batch, and not to be found again from the lane's number.
    device::forget(near_at_);
    device::forget(bring_at_);
    device::forget(write_at_);
  }

  static __device__ __forceinline__ i32 lane() { return static_cast<i32>(threadIdx.x % 32); }
  __device__ __forceinline__ i32 levels() const { return S::sizes.levels == 1 ? 1 : task_.levels; }
  /// The first row that is brought: a batch of the highest level begins at the chunk's first row.
  __device__ __forceinline__ i32 first_row() const {
    const i32 above = 2 * S::radius * levels();
    return S::radius * levels() - (above + S::rows - 1) / S::rows * S::rows;
  }
  /// A row of the grid as the chunk counts it.
  __device__ __forceinline__ i32 counted(i64 row) const {
    const i64 number = row - begin_;
    return static_cast<i32>(number < -(1 << 30) ? -(1 << 30) : number > 1 << 30 ? 1 << 30 : number);
  }

  static __device__ __forceinline__ i32 wrapped(i32 place) { return place >= S::ring ? place - S::ring : place; }
  /// The place of row `more` after the one at `place`, where a batch begins.
  static __device__ __forceinline__ i32 after(i32 place, i32 more) {
    return more < S::step ? place + more * S::row : wrapped(place + more * S::row);
  }
  __device__ __forceinline__ Chunk* at(i32 place) const { return reinterpret_cast<Chunk*>(shared_ + place); }

  __device__ __forceinline__ unsigned char* ring() const { return shared_ + (bring_at_ - 16 * S::chunk_at(lane())); }
  /// Chunk `number` of those of which this lane makes the sums. @param place of the row
  __device__ __forceinline__ Chunk* own(i32 place, i32 number) const {
    if constexpr (S::by_products) return at(write_at_ + place) + 32 / S::lane_chunks * number;
    else return at(near_at_ + place) + S::chunk_at(number + S::halo_chunks);
  }

  /// Goes to a chunk of a strip.
  __device__ __forceinline__ void place_chunk(i64 tile, i64 begin, i64 rows) {
    begin_ = begin;
    const i64 left = task_.rows.end - begin_;
    count_ = static_cast<i32>(left < rows ? left : rows);
    const i32 side = (S::radius * (levels() - 1) + S::chunk - 1) / S::chunk * S::chunk;
    const i64 useful = tile * task_.chunks.stride, columns = task_.width - useful;
    column_ = useful - side;
    useful_begin_ = side;
    useful_end_ = side + static_cast<i32>(columns < task_.chunks.stride ? columns : task_.chunks.stride);
    if (task_.keeps_rows != 0) low_ = counted(S::radius), high_ = counted(task_.extent - S::radius);
    kept_ = 0;
    if (task_.wraps_columns == 0) {
#pragma unroll
      for (i32 c = 0; c < S::cells; ++c) {
        const i64 column = column_ + S::own_chunk(lane(), c / S::chunk) * S::chunk + c % S::chunk;
        if (column < S::radius || column >= task_.width - S::radius) kept_ |= 1 << c;
      }
    }
    keeps_columns_ = __any_sync(~0u, kept_ != 0);
#pragma unroll
    for (i32 n = 0; n < S::row_turns; ++n) {
      const i64 column = column_there(task_, column_ - S::halo + (lane() + 32 * n) * S::chunk, S::chunk);
      from_[n] = static_cast<u32>(column) * static_cast<u32>(sizeof(T));
    }
    read_ = run_from(task_.from[0], first_row());
    written_ = run_from(task_.to[0], 0);
  }

  /// Begins to bring a batch of rows.
  __device__ __forceinline__ void bring(i32 first, i32 place) {
    if (task_.aligned != 0 && read_.left >= S::rows) {
      read_.left -= S::rows;
#pragma unroll
      for (i32 v = 0; v < S::rows; ++v, read_.next += task_.width) {
        const unsigned char* values = reinterpret_cast<const unsigned char*>(read_.next);
        Chunk* to = at(bring_at_ + after(place, v));
#pragma unroll
        for (i32 n = 0; n < S::row_turns; ++n) {
          if (32 * n + 31 < S::row_chunks || lane() + 32 * n < S::row_chunks) {
            device::begin_copy(to + 32 / S::lane_chunks * n, values + from_[n]);
          }
        }
      }
    } else {
      bring_each(task_, ring(), begin_ + first, column_ - S::halo, place);
      read_ = run_from(task_.from[0], first + S::rows);
    }
    device::commit_copies();
  }
  /// The same of rows that do not follow one another, or do not begin at multiples of 16 bytes. In place of a row
  /// that is not there comes another one, which changes no cell.
  static __device__ __forceinline__ void bring_each(const Task& task, unsigned char* ring, i64 row, i64 column,
                                                    i32 place) {
#pragma unroll 1
    for (i32 v = 0; v < S::rows; ++v, ++row) {
      const T* values = task.from[0].row(task.from[0].nearest(task.row_there(row)), task.width);
      Chunk* to = reinterpret_cast<Chunk*>(ring + wrapped(place + v * S::row));
      if (task.aligned != 0) {
#pragma unroll 1
        for (i32 number = lane(); number < S::row_chunks; number += 32) {
          device::begin_copy(to + S::chunk_at(number),
                             values + column_there(task, column + number * S::chunk, S::chunk));
        }
      } else {
#pragma unroll 1
        for (i32 cell = lane(); cell < S::row_chunks * S::chunk; cell += 32) {
          device::begin_small_copy(&to[S::chunk_at(cell / S::chunk)].values[cell % S::chunk],
                                   values + column_there(task, column + cell, 1));
        }
      }
    }
  }
  /// The column that is read for one that may lie beyond the grid's ends, where `count` columns follow one another.
  static __device__ __forceinline__ i64 column_there(const Task& task, i64 column, i32 count) {
    const i64 width = task.width;
    if (task.wraps_columns == 0) return column < 0 ? 0 : column > width - count ? width - count : column;
    while (column < 0) column += width;
    while (column >= width) column -= width;
    return column;
  }

  /// Writes the rows at `place`, as far as they are the chunk's.
  __device__ __forceinline__ void write(i32 place, i32 made) {
    if (task_.aligned != 0 && made + S::rows <= count_ && written_.left >= S::rows) {
      written_.left -= S::rows;
#pragma unroll
      for (i32 v = 0; v < S::rows; ++v, written_.next += task_.width) {
        const Chunk* from = at(write_at_ + after(place, v));
        Chunk* to = reinterpret_cast<Chunk*>(written_.next + column_) + lane();
#pragma unroll
        for (i32 n = 0; n < S::lane_chunks; ++n) {
          const Chunk some = from[32 / S::lane_chunks * n];
          const i32 cell = (lane() + 32 * n) * S::chunk;
          if (cell >= useful_begin_ && cell < useful_end_) to[32 * n] = some;
        }
      }
    } else {
      const i32 end = count_ - made < S::rows ? count_ - made : S::rows;
      write_each(task_, ring(), begin_ + made, {0, end}, column_, useful_begin_, useful_end_, place);
      written_ = run_from(task_.to[0], made + S::rows);
    }
  }
  /// The same of the rows [rows.begin, rows.end) of a batch, each by itself.
  static __device__ __forceinline__ void write_each(const Task& task, const unsigned char* ring, i64 row,
                                                    RowRange rows, i64 column, i32 begin, i32 end, i32 place) {
#pragma unroll 1
    for (i64 v = rows.begin; v < rows.end; ++v) {
      const auto* from = reinterpret_cast<const Chunk*>(ring + wrapped(place + static_cast<i32>(v) * S::row));
      T* to = task.to[0].row(row + v, task.width) + column;
#pragma unroll 1
      for (i32 cell = begin + lane(); cell < end; cell += 32) {
        to[cell] = from[S::chunk_at(cell / S::chunk + S::halo_chunks)].values[cell % S::chunk];
      }
    }
  }

  const Task& task_;
  unsigned char* shared_;
  i32 near_at_, bring_at_, write_at_;      // places of what this lane makes of, brings and writes of a row
  i64 begin_, column_;                     // the chunk's first row; the first column that is made
  i32 count_;                              // rows of the chunk
  i32 useful_begin_, useful_end_;          // cells of a row that are written, of those that are made
  i32 low_ = -(1 << 30), high_ = 1 << 30;  // rows below `low_` and from `high_` on are kept
  i32 kept_;                               // bit c: cell c of this lane is kept
  bool keeps_columns_;                     // true if any lane's is

 private:
  __device__ __forceinline__ BoxRun<T> run_from(const Lines<T>& lines, i32 number) const {
    const i64 row = begin_ + number;
    if (!lines.has(row)) return {};
    return {lines.row(row, task_.width), counted(lines.rows_of(lines.piece_of(row)).end) - number};
  }

  u32 from_[S::row_turns];    // bytes from a row's begin to the chunks that this lane brings
  BoxRun<T> read_, written_;  // the rows to read and to write next
};

}  // namespace terrace::stencil
