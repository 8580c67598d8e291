// The last rows of a band, which go to the next band through tagged words in device memory. Compiled at run time
// (march_kernel.cuh).
#pragma once

#include "kernels/launch/wait.cuh"
#include "kernels/nest/cuda/march_lane.cuh"

namespace terrace::nest {

template <class N>
class Border {
  using Shape = MarchShape<N>;
  using Values = typename N::Values;
  static constexpr int rows = Shape::rows, columns = Shape::columns, levels = Shape::levels,
                       levels_before = Shape::levels_before, rows_before = Shape::rows_before;
  static constexpr int chunk_words = Shape::chunk_words, pair = chunk_words % 2 == 0 ? 2 : 1;
  static constexpr bool is_shared = chunk_words > 8;
  static constexpr int units = (chunk_words + pair - 1) / pair;
  static constexpr int asked_words = is_shared         ? (units + march_lanes - 1) / march_lanes * pair
                                     : chunk_words > 0 ? chunk_words
                                                       : 1;

 public:
  /// The words that a lane has asked for: all by lane 0, or if they are many some by each lane.
  struct Asked {
    u64 word[asked_words];
  };

  Border() = default;
  /// @param tag of the band's words; those of the band above are tagged with the number before
  __device__ Border(u64* words, u32 tag, int lane) : words_(words), tag_(tag), lane_(lane) {}

  /// Writes the rows before the block as a band would: a column.
  template <int s = 0>
  __device__ void fill(const MarchWork& work, i64 first_level, i64 column) const {
    if constexpr (s < N::statements) {
      using T = typename N::template Statement<s>::Type;
      constexpr int line = Shape::line, last = Shape::last;
      u64* words = words_ + column * Shape::template words<0>() + Shape::template first_word<s>();
      for (int level = -levels_before; level < levels; ++level) {
        for (int row = -rows_before; row < 0; ++row) {
          i64 c[most_coordinates] = {};
          c[0] = first_level + level;
          c[line] = work.block.begin[line] + row;
          c[last] = work.block.begin[last] + column;
          Halves<T> value{};
          if (c[0] < work.block.end[0] && c[last] < work.block.end[last]) value.value = value_around<N, s>(work, c);
          for (int h = 0; h < Halves<T>::count; ++h)
            device::store_relaxed(words++, static_cast<u64>(tag_) << 32 | value.half[h]);
        }
      }
      fill<s + 1>(work, first_level, column);
    }
  }

  /// Sets the rows above of lane 0 in a chunk, and asks for those of the next one if the band above writes them.
  /// @return false if the launch is over
  template <class Leaves>
  __device__ __forceinline__ bool take(Values& values, int chunk, bool has_next, Asked& asked,
                                       const Leaves& leaves) const {
    const auto is_there = [&] { return __all_sync(all_lanes, is_written(asked)) != 0; };
    const auto ask_again = [&] {
      ask(chunk, asked);
      return is_there();
    };
    if (!is_there() && !device::wait_by_warp<device::backoffs::in_place_above>(ask_again, leaves)) return false;
    set_above<0>(values, asked);
    if (has_next) ask(chunk + 1, asked);
    return true;
  }

  /// Hands on the last rows of lane 31's chunk.
  __device__ __forceinline__ void give(const Values& values, int chunk) const {
    u64 words[chunk_words > 0 ? chunk_words : 1];
    set_words<0>(values, words);
    u64* to = words_ + static_cast<i64>(chunk) * chunk_words;
#pragma unroll
    for (int n = 0; n < chunk_words; n += pair) {
      if constexpr (pair == 2) device::store_relaxed(to + n, words[n], words[n + 1]);
      else device::store_relaxed(to + n, words[n]);
    }
  }

 private:
  __device__ __forceinline__ void ask(int chunk, Asked& asked) const {
    const u64* from = words_ + static_cast<i64>(chunk) * chunk_words;
    if constexpr (is_shared) {
#pragma unroll
      for (int n = 0; n < asked_words; n += pair) {
        const int word = n * march_lanes + lane_ * pair;
        if (word < chunk_words) load_pair(from + word, asked.word + n);
      }
    } else if (lane_ == 0) {
#pragma unroll
      for (int n = 0; n < chunk_words; n += pair) load_pair(from + n, asked.word + n);
    }
  }
  __device__ __forceinline__ static void load_pair(const u64* from, u64* to) {
    if constexpr (pair == 2) device::load_relaxed(from, to[0], to[1]);
    else to[0] = device::load_relaxed(from);
  }
  /// True if the band above has written the words that a lane has asked for.
  __device__ __forceinline__ bool is_written(const Asked& asked) const {
    bool written = true;
#pragma unroll
    for (int n = 0; n < asked_words; ++n) {
      const bool has = is_shared ? (n / pair * march_lanes + lane_) * pair < chunk_words : lane_ == 0;
      written &= !has || static_cast<u32>(asked.word[n] >> 32) == tag_ - 1;
    }
    return written;
  }
  /// Word n of a chunk; in lane 0. All lanes call it.
  __device__ __forceinline__ static u32 word_of(const Asked& asked, int n) {
    if constexpr (!is_shared) return static_cast<u32>(asked.word[n]);
    const int unit = n / pair;
    return __shfl_sync(all_lanes, static_cast<u32>(asked.word[unit / march_lanes * pair + n % pair]),
                       unit % march_lanes);
  }
  template <int s>
  __device__ __forceinline__ void set_above(Values& values, const Asked& asked) const {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      using Value = Halves<typename S::Type>;
#pragma unroll
      for (int column = 0; column < columns; ++column) {
#pragma unroll
        for (int n = 0; n < (levels + levels_before) * rows_before; ++n) {
          Value value;
#pragma unroll
          for (int h = 0; h < Value::count; ++h)
            value.half[h] = word_of(
                asked, column * Shape::template words<0>() + Shape::template first_word<s>() + n * Value::count + h);
          if (lane_ == 0)
            S::values(values)[Shape::index(n / rows_before - levels_before, n % rows_before - rows_before, column)] =
                value.value;
        }
      }
      set_above<s + 1>(values, asked);
    }
  }
  /// Words of the last rows of a lane.
  template <int s>
  __device__ __forceinline__ void set_words(const Values& values,
                                            u64 (&words)[chunk_words > 0 ? chunk_words : 1]) const {
    if constexpr (s < N::statements) {
      using S = typename N::template Statement<s>;
      using Value = Halves<typename S::Type>;
#pragma unroll
      for (int column = 0; column < columns; ++column) {
#pragma unroll
        for (int n = 0; n < (levels + levels_before) * rows_before; ++n) {
          Value value{};
          value.value = S::values(
              values)[Shape::index(n / rows_before - levels_before, rows + n % rows_before - rows_before, column)];
#pragma unroll
          for (int h = 0; h < Value::count; ++h)
            words[column * Shape::template words<0>() + Shape::template first_word<s>() + n * Value::count + h] =
                static_cast<u64>(tag_) << 32 | value.half[h];
        }
      }
      set_words<s + 1>(values, words);
    }
  }

  u64* words_ = nullptr;
  u32 tag_ = 0;
  int lane_ = 0;
};

}  // namespace terrace::nest
