// Moves the rows of an in-place band whose lanes make several steps at once, in the way of rows.cuh.
// Bands wait for the first steps of the bands above them, so that it costs little to move cells outside a row.
#pragma once

#include "kernels/in_place/cuda/place.cuh"

namespace terrace::in_place {

/// The rows of a band. At step t a lane takes column t - lag(row) of a row and gives the one `sweeps` columns before.
template <class T, int slant, bool few>
class InPlaceStrides {
 public:
  static constexpr InPlaceShape shape{slant, static_cast<int>(sizeof(T)), few};
  static constexpr int R = InPlaceShape::lane_rows, C = shape.stride(), V = shape.chunk(), P = shape.moved();
  /// Columns from a step's own to those that it requests, at most.
  static constexpr int ahead = shape.waiting();

  struct Memory {
    alignas(128) unsigned char in[R][32][ahead * sizeof(T)];
    unsigned char out[R][32][2 * P * sizeof(T)];
    u64 from[R][32], to[R][32];  // addresses of the cells taken and given at step 0
  };

  __device__ InPlaceStrides(Memory& memory, int lane, i32 columns)
      : m_(memory),
        lane_(lane),
        columns_(columns),
        chunk_(lane % chunks),
        row_(lane / chunks % R),
        group_(lane / (chunks * R) * lanes_apart) {}

  /// Columns that row r of the lane is behind row 0 of the first lane.
  __device__ __forceinline__ i32 lag(int r) const { return lag(lane_, r); }

  /// Begins with the rows of a band.
  template <int S>
  __device__ void begin(const InPlaceLines<S>& slab, const InPlaceBand& band) {
    sweeps_ = band.sweeps;
    bool aligned = S == 1 && sweeps_ == 1;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const i64 line = band.first_line + lane_ * R + r;
      const u64 from = reinterpret_cast<u64>(slab.template row_in<T>(band.group, line)) - bytes(lag(r));
      const u64 to = reinterpret_cast<u64>(slab.template row_out<T>(band.group, line)) - bytes(lag(r) + sweeps_);
      m_.from[r][lane_] = from;
      m_.to[r][lane_] = to;
      place_in_[r] = static_cast<u32>(from);
      place_out_[r] = static_cast<u32>(to);
      aligned = aligned && (place_in_[r] | (place_out_[r] + bytes(1))) % sizeof(Columns) == 0;
    }
    aligned_ = __all_sync(~0u, aligned);
    __syncwarp();
  }
  /// True if the alignment of all rows lets the columns of a stride be read and written at once.
  __device__ __forceinline__ bool are_aligned() const { return aligned_; }

  /// Values of row r at steps [t, t + C).
  template <bool aligned>
  __device__ __forceinline__ void take(int r, i32 t, T (&values)[C]) const {
    const unsigned char* ring = m_.in[r][lane_];
    const u32 place = place_in_[r] + bytes(t);
    if constexpr (aligned) {
      const Columns columns = *reinterpret_cast<const Columns*>(ring + place % sizeof m_.in[0][0]);
#pragma unroll
      for (int c = 0; c < C; ++c) values[c] = columns.value[c];
    } else {
#pragma unroll
      for (int c = 0; c < C; ++c) {
        values[c] = *reinterpret_cast<const T*>(ring + (place + bytes(c)) % sizeof m_.in[0][0]);
      }
    }
  }
  /// If rows are aligned, all values but the first wait for the next stride.
  template <bool aligned>
  __device__ __forceinline__ void give(int r, i32 t, const T (&values)[C]) {
    unsigned char* ring = m_.out[r][lane_];
    const u32 place = place_out_[r] + bytes(t);
    if constexpr (aligned) {
      Columns columns;
#pragma unroll
      for (int c = 0; c < C; ++c) columns.value[c] = c < C - 1 ? late_[r][c] : values[0];
#pragma unroll
      for (int c = 0; c < C - 1; ++c) late_[r][c] = values[c + 1];
      *reinterpret_cast<Columns*>(ring + (place - bytes(C - 1)) % sizeof m_.out[0][0]) = columns;
    } else {
#pragma unroll
      for (int c = 0; c < C; ++c) {
        *reinterpret_cast<T*>(ring + (place + bytes(c)) % sizeof m_.out[0][0]) = values[c];
      }
    }
  }

  /// At steps [t, t + C), after their take(), and with a barrier after them: requests columns of some steps later and
  /// stores those that have been given. @tparam careful some columns may lie outside the rows
  template <bool careful>
  __device__ __forceinline__ void move(i32 t) {
    const int in = group_ + phase(t), out = group_ + phase(t - sweeps());
    const i32 ask_at = t + ahead - P + V * chunk_, store_at = t - P + V * chunk_;
    u64 to[turns];
    Chunk chunk[turns];
#pragma unroll
    for (int i = 0; i < turns; ++i) {
      to[i] = chunk_at(m_.to[row_][out + i * turn_lanes], store_at);
      chunk[i] = *reinterpret_cast<const Chunk*>(m_.out[row_][out + i * turn_lanes] +
                                                 static_cast<u32>(to[i]) % sizeof m_.out[0][0]);
    }
#pragma unroll
    for (int i = 0; i < turns; ++i) ask<careful>(in + i * turn_lanes, ask_at);
    device::commit_copies();
#pragma unroll
    for (int i = 0; i < turns; ++i) store<careful>(to[i], out + i * turn_lanes, store_at, chunk[i]);
  }
  /// Before the barrier after those steps: waits for the columns that the next steps take.
  __device__ __forceinline__ void wait() const { device::wait_for_copies<(ahead - P - (V - 1)) / C - 1>(); }

 private:
  struct alignas(16) Chunk {
    T value[V];
  };
  struct alignas(C * sizeof(T)) Columns {
    T value[C];
  };
  /// Chunks of a row that are moved at once; distance of lanes whose rows are moved at the same step; chunks that
  /// each lane moves, and the distance of the lanes of their rows.
  static constexpr int chunks = P / V, lanes_apart = P / C, turns = C * static_cast<int>(sizeof(T)) / 4,
                       turn_lanes = 32 / (chunks * R) * lanes_apart;
  static_assert(C == 2 && slant == 0 && 32 % (chunks * R) == 0 && turns * turn_lanes == 32);

  __device__ __forceinline__ static i32 lag(int lane, int r) { return lane * (C + slant * R) + slant * r; }
  __device__ static u32 bytes(i32 columns) { return static_cast<u32>(columns) * static_cast<u32>(sizeof(T)); }
  __device__ __forceinline__ i32 sweeps() const { return shape.sweeps() == 1 ? 1 : sweeps_; }

  /// The first of the lanes with a row that this lane moves when it is at a multiple of P at step t.
  __device__ __forceinline__ int phase(i32 t) const { return (t >> 1) & (lanes_apart - 1); }
  /// Address of the chunk with the cell of step t. @param first address of the cell of step 0
  __device__ __forceinline__ static u64 chunk_at(u64 first, i32 t) {
    return (first + static_cast<i64>(t) * static_cast<i64>(sizeof(T))) & ~u64{15};
  }
  /// The index of the cell in that chunk.
  __device__ __forceinline__ static i32 place_in_chunk(u64 first, i32 t) {
    return static_cast<i32>((static_cast<u32>(first) + bytes(t)) % 16 / sizeof(T));
  }

  __device__ __forceinline__ bool holds(i32 column) const { return column >= 0 && column < columns_; }

  /// Requests the chunk with the cell that row_ of `lane` takes at step t; careful: for a chunk outside the row, one
  /// inside it.
  template <bool careful>
  __device__ __forceinline__ void ask(int lane, i32 t) {
    const u64 first = m_.from[row_][lane], at = chunk_at(first, t);
    unsigned char* to = m_.in[row_][lane] + static_cast<u32>(at) % sizeof m_.in[0][0];
    if constexpr (careful) {
      const i32 begin = lag(lane, row_), last = begin + columns_ - 1;
      const i32 inside = t < begin ? begin : t > last ? last : t;
      const T* chunk = reinterpret_cast<const T*>(chunk_at(first, inside));
      const i32 column = inside - begin - place_in_chunk(first, inside);
      if (column >= 0 && column + V <= columns_) return device::begin_copy(to, chunk);
#pragma unroll
      for (int i = 0; i < V; ++i) {
        if (holds(column + i)) device::begin_small_copy(reinterpret_cast<T*>(to) + i, chunk + i);
      }
    } else {
      device::begin_copy(to, reinterpret_cast<const void*>(at));
    }
  }

  /// Stores the chunk at `at` with the cell that row_ of `lane` gives at step t; careful: as far as it is in the row.
  template <bool careful>
  __device__ __forceinline__ void store(u64 at, int lane, i32 t, const Chunk& chunk) {
    if constexpr (careful) {
      const i32 column = t - lag(lane, row_) - sweeps() - place_in_chunk(m_.to[row_][lane], t);
      if (column < 0 || column + V > columns_) {
#pragma unroll
        for (int i = 0; i < V; ++i) {
          if (holds(column + i)) reinterpret_cast<T*>(at)[i] = chunk.value[i];
        }
        return;
      }
    }
    *reinterpret_cast<Chunk*>(at) = chunk;
  }

  Memory& m_;
  const int lane_;
  const i32 columns_;
  const int chunk_, row_, group_;  // moved by this lane: chunk of the row, row of its lane, first such lane
  i32 sweeps_ = 0;
  bool aligned_ = false;
  u32 place_in_[R], place_out_[R];  // low bits of the addresses of the cells taken and given at step 0
  T late_[R][C];                    // given in the last stride
};

}  // namespace terrace::in_place
