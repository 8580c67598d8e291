// The line above the rows of a lane, handed from lane to lane and from band to band of in-place sweeps: an entry a
// step, with the line's values after each sweep. Entries go between lanes through shared memory, and between bands
// through device memory, a piece of steps at a time, as tagged words.
#pragma once

#include "kernels/in_place/cuda/place.cuh"
#include "kernels/launch/tagged.cuh"

namespace terrace::in_place {

/// The edges between the lanes of a warp, and those of its band.
template <class T, int slant, bool few>
class InPlaceEdge {
 public:
  static constexpr InPlaceShape shape{slant, static_cast<int>(sizeof(T)), few};
  static constexpr int S = shape.sweeps(), E = shape.entry(), C = shape.stride(), K = shape.piece();
  /// Values of entries that are read at once.
  static constexpr int V = C * E < shape.chunk() ? C * E : shape.chunk();
  static constexpr int piece_words = K * shape.entry_words(), lane_words = (piece_words + 31) / 32;

  struct Memory {
    alignas(16) T between[31][2 * C * E + V];  // of the last two strides; lanes lie an odd number of vectors apart
    alignas(16) T above[2 * K][E];
    alignas(16) T below[K][E];
  };

  __device__ InPlaceEdge(const InPlaceArguments& arguments, Memory& memory, int lane)
      : a_(arguments),
        m_(memory),
        lane_(lane),
        columns_(static_cast<i32>(arguments.columns)),
        above_(lane == 0 ? memory.above[0] : memory.between[lane - 1]),
        below_(lane == 31 ? memory.below[0] : memory.between[lane]),
        above_turn_(lane == 0 ? 2 * K - 1 : 2 * C - 1),
        below_turn_(lane == 31 ? K - 1 : 2 * C - 1) {}

  /// Begins a band and requests the piece that begins with its first step. All lanes call it.
  __device__ void begin(const InPlaceLines<S>& slab, const InPlaceBand& band, i32 t) {
    tag_before_ = band.tag_before;
    state_ = a_.states + band.group * a_.group_words + K * shape.entry_words();
    if (band.takes_over) take_over(slab, band, state_);
    ask(t);
  }

  /// Reads the values above the lane's rows at steps [t, t + C).
  __device__ __forceinline__ void take(i32 t, T (&values)[C][S + 1]) const {
    const T* entry = above_ + ((t + (lane_ > 0 ? C : 0)) & above_turn_) * E;
#pragma unroll
    for (int i = 0; i < C * E; i += V) {
      if (C == 1 && i > S) continue;
      const Vector vector = *reinterpret_cast<const Vector*>(entry + i);
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if ((i + v) % E <= S) values[(i + v) / E][(i + v) % E] = vector.value[v];
      }
    }
  }
  /// Hands down the values of the lane's last row.
  __device__ __forceinline__ void give(i32 t, const T (&values)[C][S + 1]) {
    T* entry = below_ + (t & below_turn_) * E;
#pragma unroll
    for (int i = 0; i < C * E; i += V) {
      if (C == 1 && i > S) continue;
      Vector vector;
#pragma unroll
      for (int v = 0; v < V; ++v) vector.value[v] = values[(i + v) / E][(i + v) % E <= S ? (i + v) % E : S];
      *reinterpret_cast<Vector*>(entry + i) = vector;
    }
  }

  /// Waits for the requested piece of steps from t on, and requests the next one. False when the launch is over. All
  /// lanes call it.
  __device__ __forceinline__ bool take_piece(const InPlaceLines<S>& slab, const InPlaceBand& band, i32 t) {
    if (tag_before_ != 0) {
      device::Tries<device::backoffs::in_place_above> tries;
      while (!__all_sync(~0u, is_fresh())) {
        if (tries.is_time_to_look()) {
          bool leave = false;
          if (lane_ == 0) leave = device::must_leave(a_.launch, band.slab);
          if (__shfl_sync(~0u, leave, 0)) return false;
        }
        tries.pause();
        ask(t);
      }
      T* entries = m_.above[t & (2 * K - 1)];
      if (band.reads_above) {
        read_above(slab, band, t, entries);
      } else {
        u32* to = reinterpret_cast<u32*>(entries);
#pragma unroll
        for (int i = 0; i < lane_words; ++i) {
          if (takes_part(i)) to[lane_ + 32 * i] = static_cast<u32>(word_[i]);
        }
      }
      ask(t + K);
    }
    __syncwarp();
    return true;
  }

  /// Hands down the piece of steps from t on. All lanes call it, after the last of them.
  __device__ __forceinline__ void give_piece(const InPlaceLines<S>& slab, const InPlaceBand& band, i32 t) {
    const u32* from = reinterpret_cast<const u32*>(m_.below[0]) + lane_;
    const i32 first = t - shape.behind() - slant;
    if (band.leaves) leave_below(slab, band, first, m_.below[0]);
    const bool whole = has(first) && has(first + K - 1);
    const u64 tag = static_cast<u64>(band.tag) << 32;
    u64* to = state_ + place(first) + lane_;
#pragma unroll
    for (int i = 0; i < lane_words; ++i) {
      if (takes_part(i) && (whole || has(first, i))) device::store_relaxed(to + 32 * i, tag | from[32 * i]);
    }
  }

  /// The value at a column of the line that the last band of a group has handed down, after `sweep` sweeps.
  __device__ static T handed_down(const InPlaceArguments& arguments, u32 group, int sweep, i32 column) {
    const u64* words = arguments.states + group * arguments.group_words + K * shape.entry_words() +
                       place(column + sweep - slant) + sweep * (static_cast<int>(sizeof(T)) / 4);
    T value;
    u32* to = reinterpret_cast<u32*>(&value);
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof(T)) / 4; ++i) to[i] = static_cast<u32>(words[i]);
    return value;
  }

 private:
  struct alignas(V * sizeof(T)) Vector {
    T value[V];
  };

  /// Index in the state's words of the entry of a step of the first lane.
  __device__ static i64 place(i32 t) { return static_cast<i64>(t) * shape.entry_words(); }
  /// True if the state has an entry of that step: it has entries for all columns after every sweep.
  __device__ bool has(i32 t) const { return t >= -slant && t < columns_ + S - slant; }
  /// The same for this lane's i-th word of the piece from t on.
  __device__ bool has(i32 t, int i) const { return has(t + (lane_ + 32 * i) / shape.entry_words()); }
  __device__ bool takes_part(int i) const { return piece_words % 32 == 0 || lane_ + 32 * i < piece_words; }

  __device__ __forceinline__ void ask(i32 t) {
    if (tag_before_ == 0) return;
    const bool whole = has(t) && has(t + K - 1);
    const u64* from = state_ + place(t) + lane_;
#pragma unroll
    for (int i = 0; i < lane_words; ++i) {
      if (takes_part(i) && (whole || has(t, i))) word_[i] = device::load_relaxed(from + 32 * i);
      else word_[i] = static_cast<u64>(tag_before_) << 32;
    }
  }

  __device__ __forceinline__ bool is_fresh() const {
    bool fresh = true;
#pragma unroll
    for (int i = 0; i < lane_words; ++i) fresh = fresh && static_cast<u32>(word_[i] >> 32) == tag_before_;
    return fresh;
  }

  /// A value of an entry: of the line at a column after a sweep.
  struct Place {
    int sweep;
    i32 column;
  };
  __device__ static Place place_in_piece(i32 t, int index) {
    const int sweep = index % E;
    return {sweep, t + index / E + slant - sweep};
  }

  /// Reads the line above the band at the steps of a piece, from the rows that another launch left. All lanes call
  /// it. Not inlined: the sweep needs the registers.
  __device__ __noinline__ static void read_above(const InPlaceLines<S> slab, const InPlaceBand& band, i32 t,
                                                 T* entries) {
    const i64 above = band.first_line - 1 - static_cast<i64>(band.group) * S;
    for (int i = static_cast<int>(threadIdx.x % 32); i < K * E; i += 32) {
      const Place at = place_in_piece(t, i);
      T value{};
      if (at.sweep <= band.sweeps && at.column >= 0 && at.column < slab.a.columns) {
        value = device::load_past_l1(slab.template row<T>(above - at.sweep) + at.column);
      }
      entries[i] = value;
    }
  }

  /// Writes the last line of a slab at the steps of a piece into the slab's last rows (task.hpp), before a band that
  /// continues in the same launch can store into them. The first and the last of a group's sweeps are there already.
  /// All lanes call it.
  __device__ __noinline__ static void leave_below(const InPlaceLines<S> slab, const InPlaceBand& band, i32 t,
                                                  const T* entries) {
    const i64 below = slab.task.row_end - 1 - static_cast<i64>(band.group) * S;
    for (int i = static_cast<int>(threadIdx.x % 32); i < K * E; i += 32) {
      const Place at = place_in_piece(t, i);
      if (at.sweep < 1 || at.sweep >= band.sweeps || at.column < 0 || at.column >= slab.a.columns) continue;
      slab.template row<T>(below - at.sweep)[at.column] = entries[i];
    }
    __threadfence();
    __syncwarp();
  }

  /// Writes the line above the band into the states, as the band before would have: from the rows that an earlier
  /// launch left. All lanes call it. Not inlined: the sweep needs the registers.
  __device__ __noinline__ static void take_over(const InPlaceLines<S> slab, const InPlaceBand& band, u64* state) {
    constexpr int value_words = static_cast<int>(sizeof(T)) / 4;
    const i32 columns = static_cast<i32>(slab.a.columns);
    const i64 above = band.first_line - 1 - static_cast<i64>(band.group) * S;
    const u64 tag = static_cast<u64>(band.tag_before) << 32;
    for (i32 t = static_cast<i32>(threadIdx.x % 32) - slant; t < columns + S - slant; t += 32) {
      u64* to = state + place(t);
      for (int sweep = 0; sweep < E; ++sweep) {
        const i32 column = t + slant - sweep;
        T value{};
        if (sweep <= band.sweeps && column >= 0 && column < columns) {
          value = device::load_past_l1(slab.template row<T>(above - sweep) + column);
        }
        u32 words[value_words];
        memcpy(words, &value, sizeof value);
        for (int i = 0; i < value_words; ++i) device::store_relaxed(to + sweep * value_words + i, tag | words[i]);
      }
    }
    __syncwarp();
  }

  const InPlaceArguments& a_;
  Memory& m_;
  const int lane_;
  const i32 columns_;
  T *const above_, *const below_;
  const i32 above_turn_, below_turn_;
  u32 tag_before_ = 0;
  u64* state_ = nullptr;
  u64 word_[lane_words];
};

}  // namespace terrace::in_place
