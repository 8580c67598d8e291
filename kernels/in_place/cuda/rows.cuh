// Moves the rows of an in-place band between device memory and the lanes that sweep them, through rings in shared
// memory: a cell's place in a ring is its address modulo the ring's size. Rows are moved 32 bytes at a time, each
// when its lane is at a multiple of that, so that every step moves as many; any lane may move them.
#pragma once

#include "kernels/in_place/cuda/place.cuh"

namespace terrace::in_place {

/// The rows of a band whose lanes make a step at a time. At step t a lane takes column t - lag(row) of a row and
/// gives the one `sweeps` columns before.
template <class T, int slant, bool few>
class InPlaceRows {
 public:
  static constexpr InPlaceShape shape{slant, static_cast<int>(sizeof(T)), few};
  static constexpr int R = InPlaceShape::lane_rows, C = shape.stride(), V = shape.chunk(), P = shape.moved();
  /// Columns from a step's own to those that it requests, at most.
  static constexpr int ahead = shape.waiting();

  struct Memory {
    alignas(128) unsigned char in[R][32][ahead * sizeof(T)];
    unsigned char out[R][32][64];
    const T* rows_in[R][32];
    T* rows_out[R][32];
  };

  __device__ InPlaceRows(Memory& memory, int lane, i32 columns) : m_(memory), lane_(lane), columns_(columns) {}

  /// Columns that row r of the lane is behind row 0 of the first lane.
  __device__ __forceinline__ i32 lag(int r) const { return lag(lane_, r); }

  /// Begins with the rows of a band.
  template <int S>
  __device__ void begin(const InPlaceLines<S>& slab, const InPlaceBand& band) {
    sweeps_ = band.sweeps;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const i64 line = band.first_line + lane_ * R + r;
      const T* from = slab.template row_in<T>(band.group, line);
      T* to = slab.template row_out<T>(band.group, line);
      m_.rows_in[r][lane_] = from;
      m_.rows_out[r][lane_] = to;
      place_in_[r] = low_bits(from) - bytes(lag(r));
      place_out_[r] = low_bits(to) - bytes(lag(r) + sweeps_);
    }
    __syncwarp();
  }

  /// True if columns of several steps are read and written at once.
  __device__ static constexpr bool are_aligned() { return false; }

  /// Value of row r at step t.
  template <bool>
  __device__ __forceinline__ void take(int r, i32 t, T (&value)[C]) const {
    value[0] = *reinterpret_cast<const T*>(m_.in[r][lane_] + (place_in_[r] + bytes(t)) % sizeof m_.in[0][0]);
  }
  template <bool>
  __device__ __forceinline__ void give(int r, i32 t, const T (&value)[C]) {
    *reinterpret_cast<T*>(m_.out[r][lane_] + (place_out_[r] + bytes(t)) % sizeof m_.out[0][0]) = value[0];
  }

  /// Before step t, and with a barrier after it: requests columns of some steps later and stores those
  /// that have been given. @tparam careful some columns may lie outside the rows
  template <bool careful>
  __device__ __forceinline__ void move(i32 t) {
#pragma unroll
    for (int i = 0; i < turns; ++i) ask<careful>(chunk_of(i, t), t);
    device::commit_copies();
#pragma unroll
    for (int i = 0; i < turns; ++i) store<careful>(chunk_of(i, t - sweeps_), t);
  }
  /// Before the barrier after that step: waits for the columns that the next step takes.
  __device__ __forceinline__ void wait() const { device::wait_for_copies<(ahead - P - (V - 1)) / C - 1>(); }

 private:
  struct alignas(16) Chunk {
    T value[V];
  };
  /// A row of a lane, and the number of a chunk of it.
  struct Place {
    int lane, row, chunk;
  };
  /// Distance of lanes that are at a multiple of P; chunks of theirs that each lane of the warp moves.
  static constexpr int lanes_apart = P / C, turns = C * static_cast<int>(sizeof(T)) / 4;
  static_assert(C == 1);

  __device__ __forceinline__ static i32 lag(int lane, int r) { return lane * (C + slant * R) + slant * r; }
  __device__ static u32 low_bits(const void* address) { return static_cast<u32>(reinterpret_cast<u64>(address)); }
  __device__ static u32 bytes(i32 columns) { return static_cast<u32>(columns) * static_cast<u32>(sizeof(T)); }

  /// The i-th chunk that this lane moves, of the rows that are at a multiple of P at step t.
  __device__ __forceinline__ Place chunk_of(int i, i32 t) const {
    const int index = lane_ + 32 * i, r = index / 2 % R;
    // lag(lane, r) is t, modulo P: 5 is its own inverse modulo 8 and 4.
    const i32 first = slant == 0 ? t / C : 5 * (t - r);
    return {(first & (lanes_apart - 1)) + index / (2 * R) * lanes_apart, r, index % 2};
  }

  /// Column of the first value of the chunk at an address; it may lie outside the row.
  __device__ __forceinline__ static i64 first_column(const T* row, u64 at) {
    return static_cast<i64>(at - reinterpret_cast<u64>(row)) / static_cast<i64>(sizeof(T));
  }
  __device__ __forceinline__ bool holds(i64 column) const { return column >= 0 && column < columns_; }

  template <bool careful>
  __device__ __forceinline__ void ask(Place place, i32 t) {
    const T* row = m_.rows_in[place.row][place.lane];
    const i32 from = t - lag(place.lane, place.row) + ahead - P;
    const u64 at = (reinterpret_cast<u64>(row + from) & ~u64{15}) + 16 * static_cast<u32>(place.chunk);
    unsigned char* to = m_.in[place.row][place.lane] + at % sizeof m_.in[0][0];
    if constexpr (careful) {
      const i64 column = first_column(row, at);
      if (column < 0 || column + V > columns_) {
#pragma unroll
        for (int i = 0; i < V; ++i) {
          if (holds(column + i)) device::begin_small_copy(reinterpret_cast<T*>(to) + i, row + column + i);
        }
        return;
      }
    }
    device::begin_copy(to, reinterpret_cast<const void*>(at));
  }

  template <bool careful>
  __device__ __forceinline__ void store(Place place, i32 t) {
    T* row = m_.rows_out[place.row][place.lane];
    const i32 end = t - lag(place.lane, place.row) - sweeps_;
    const u64 at = (reinterpret_cast<u64>(row + end) & ~u64{15}) - 32 + 16 * static_cast<u32>(place.chunk);
    const Chunk chunk = *reinterpret_cast<const Chunk*>(m_.out[place.row][place.lane] + at % sizeof m_.out[0][0]);
    if constexpr (careful) {
      const i64 column = first_column(row, at);
      if (column < 0 || column + V > columns_) {
#pragma unroll
        for (int i = 0; i < V; ++i) {
          if (holds(column + i)) row[column + i] = chunk.value[i];
        }
        return;
      }
    }
    *reinterpret_cast<Chunk*>(at) = chunk;
  }

  Memory& m_;
  const int lane_;
  const i32 columns_;
  i32 sweeps_ = 0;
  u32 place_in_[R], place_out_[R];  // in the rings, at step 0
};

}  // namespace terrace::in_place
