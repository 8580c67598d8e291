// Distances on CUDA in differences, a bit a row: a thread has words of a pair's rows in registers. As on the CPU
// (cpu/bits.cpp), strips of words go over the columns one after another; with a limit over those alone that paths of
// at most that cost meet.
#pragma once

#include "kernels/pairs/cuda/order_kernel.cuh"
#include "kernels/values/bits.hpp"
#include "kernels/wavefront/problem_list.hpp"

namespace terrace::pairs {

inline constexpr u32 bits_threads = 128;
/// Words of rows that a thread has.
inline constexpr int thread_words = 8;
inline constexpr i32 thread_rows = 32 * thread_words;

struct BitsLaunch {
  PairsTask task;
  const i32* order;
  u32* edges;      // of each word of columns its planes of all threads: differences along the row above a strip
  i64 edge_words;  // of columns; 0: there is one strip
  i64 at_most;     // a larger distance is reported as this and one more
  i32 wide;        // not 0: scores are of 64 bits
};

/// Letters of an item from a place on, one after another. Threads of a warp read different items, so that a load
/// takes as long as 32: words of four letters are loaded.
class LetterStream {
 public:
  /// @param letters of a buffer that begins at a multiple of 4 @param end behind the item's last letter
  __device__ LetterStream(const u8* letters, const u8* end) : end_(end) {
    const auto ahead = static_cast<u32>(reinterpret_cast<u64>(letters) & 3u);
    next_ = letters - ahead;
    word_ = load();
    skip(ahead);
  }
  /// The next letter; behind the end any.
  __device__ __forceinline__ u32 take() {
    if (left_ == 0) word_ = load();
    const u32 letter = word_ & 255u;
    skip(1);
    return letter;
  }

 private:
  __device__ __forceinline__ void skip(u32 letters) {
    word_ >>= 8 * letters;
    left_ -= static_cast<i32>(letters);
  }
  /// The next word; letters behind the end are 0 and not read.
  __device__ __forceinline__ u32 load() {
    const u8* from = next_;
    next_ += 4;
    left_ = 4;
    if (next_ <= end_) return *reinterpret_cast<const u32*>(from);
    u32 word = 0;
    for (int n = 0; from + n < end_; ++n) word |= static_cast<u32>(from[n]) << 8 * n;
    return word;
  }

  const u8 *next_, *end_;
  u32 word_ = 0;
  i32 left_ = 0;
};

/// A thread's pair. @tparam planes bits of codes that are compared
template <class P, int planes>
class BitsPair {
  using Bits = typename P::Bits;
  static constexpr bool counts_pairs = Bits::counts_pairs;

 public:
  __device__ BitsPair(const BitsLaunch& work, u32 differ, i64 thread, i64 threads)
      : work_(work), differ_(differ), edges_(work.edges + thread), threads_(threads) {}

  __device__ void compute(i64 number) {
    const Pair pair = pair_of(work_.task, number);
    row_letters_ = static_cast<const u8*>(work_.task.rows) + work_.task.row_begin[pair.row];
    column_letters_ = static_cast<const u8*>(work_.task.columns) + work_.task.column_begin[pair.column];
    rows_ = static_cast<i32>(length_of(work_.task.row_begin, pair.row));
    columns_ = static_cast<i32>(length_of(work_.task.column_begin, pair.column));
    i64 score = counts_pairs ? 0 : values::maximum(rows_, columns_);
    const i64 apart = rows_ < columns_ ? columns_ - rows_ : rows_ - columns_;
    const i64 spare = values::minimum(work_.at_most, i64{rows_} + columns_) - apart;
    if (rows_ > 0 && columns_ > 0) score = spare < 0 ? work_.at_most + 1 : sweep(spare / 2);
    score = values::minimum(score, work_.at_most + 1);
    if (work_.wide != 0) static_cast<i64*>(work_.task.scores)[number] = score;
    else static_cast<i32*>(work_.task.scores)[number] = static_cast<i32>(score);
    if (work_.task.ends != nullptr) work_.task.ends[number] = {rows_, columns_};
  }

 private:
  /// @param spare steps beside the shortest way that paths may take to either side
  __device__ i64 sweep(i64 spare) {
    const i64 shift = columns_ - rows_;
    low_ = values::minimum(i64{0}, shift) - spare;
    high_ = values::maximum(i64{0}, shift) + spare;
    known_ = 0;
    i64 corner = 0;
    for (row_ = 0;; row_ += thread_rows) {
      corner = make_strip(corner);
      if (row_ + thread_rows >= rows_) return corner;
    }
  }

  /// The first word of columns of a strip that begins at a row, and the one after the last.
  __device__ i32 first_word(i32 row) const {
    const i64 column = values::maximum(i64{0}, row + low_);
    return static_cast<i32>(values::minimum(column, i64{columns_})) / 32;
  }
  __device__ i32 end_word(i32 row) const {
    const i64 column = values::minimum(row + thread_rows + high_, i64{columns_});
    return static_cast<i32>((column + 31) / 32);
  }

  /// @param corner the value at the strip's upper left end @return that of the next strip; of the last strip the
  /// score
  __device__ i64 make_strip(i64 corner) {
    load_rows();
    const bool is_last = row_ + thread_rows >= rows_;
    const i32 begin = first_word(row_), next = is_last ? -1 : first_word(row_ + thread_rows);
    const i32 end = values::maximum(next, end_word(row_));
    i64 top = corner, found = next == 0 ? (counts_pairs ? 0 : row_ + thread_rows) : 0;
    LetterStream letters(column_letters_ + values::minimum(32 * begin, columns_), column_letters_ + columns_);
    for (i32 word = begin; word < end; ++word) {
      if (word == next && next > 0) found = top + down(row_ + thread_rows);
      make_word(word, letters, is_last, top);
    }
    if (end == next && next > 0) found = top + down(row_ + thread_rows);
    known_ = values::maximum(known_, end);
    return is_last ? top + down(rows_) : found;
  }

  __device__ void load_rows() {
    for (int w = 0; w < thread_words; ++w) {
      for (int p = 0; p < planes; ++p) letters_[w][p] = 0;
      state_[w] = Bits::template rows<u32>(counts_pairs ? 0 : ~0u, 0);
    }
    LetterStream letters(row_letters_ + row_, row_letters_ + rows_);
#pragma unroll
    for (int w = 0; w < thread_words; ++w) {
      const i32 count = values::minimum(rows_ - row_ - 32 * w, 32);
      for (i32 bit = 0; bit < count; ++bit) {
        const u32 code = packed(letters.take());
        for (int p = 0; p < planes; ++p) letters_[w][p] |= (code >> p & 1u) << bit;
      }
    }
  }

  /// The bits of a letter's code that differ, side by side.
  __device__ u32 packed(u32 letter) const {
    if constexpr (planes == values::code_bits) return letter;
    u32 bits = 0;
    int to = 0;
    for (int bit = 0; bit < values::code_bits; ++bit) {
      if ((differ_ >> bit & 1u) != 0) bits |= (letter >> bit & 1u) << to++;
    }
    return bits;
  }

  /// The difference from the row above the strip to row `end`, in the column that was made last.
  __device__ i64 down(i32 end) const {
    i64 sum = 0;
#pragma unroll
    for (int w = 0; w < thread_words; ++w) {
      const i32 count = end - row_ - 32 * w;
      const u32 mask = count >= 32 ? ~0u : count <= 0 ? 0u : (1u << count) - 1;
      sum += __popc(Bits::template plus<u32>(state_[w]) & mask) - __popc(Bits::template minus<u32>(state_[w]) & mask);
    }
    return sum;
  }

  __device__ u32& edge(i32 word, int plane) const { return edges_[(static_cast<i64>(word) * 2 + plane) * threads_]; }

  /// 32 columns. @param letters of them and the next ones
  /// @param top the value above the strip, before them and then behind them
  __device__ void make_word(i32 word, LetterStream& letters, bool is_last, i64& top) {
    const i32 first = 32 * word, count = values::minimum(columns_ - first, 32);
    u32 above[2] = {counts_pairs ? 0 : ~0u, 0}, below[2] = {0, 0};
    if (row_ > 0 && word < known_) {
      for (int p = 0; p < Bits::planes; ++p) above[p] = edge(word, p);
    }
    const u32 real = count == 32 ? ~0u : (1u << count) - 1;
    top += __popc(above[0] & real) - __popc(above[1] & real);
    for (i32 at = 0; at < count; ++at) {
      const u32 code = packed(letters.take());
      u32 bits[Bits::planes], horizontal[Bits::planes], spread[planes];
      for (int p = 0; p < planes; ++p) spread[p] = 0u - (code >> p & 1u);
      for (int p = 0; p < Bits::planes; ++p) bits[p] = above[p] >> at & 1u;
#pragma unroll
      for (int w = 0; w < thread_words; ++w) {
        if (row_ + 32 * w >= rows_) break;
        u32 differs = letters_[w][0] ^ spread[0];
        for (int p = 1; p < planes; ++p) differs |= letters_[w][p] ^ spread[p];
        Bits::template column<u32>(state_[w], differs, bits, horizontal);
      }
      for (int p = 0; p < Bits::planes; ++p) below[p] |= bits[p] << at;
    }
    if (is_last) return;
    for (int p = 0; p < Bits::planes; ++p) edge(word, p) = below[p];
  }

  const BitsLaunch& work_;
  u32 differ_;
  u32* edges_;
  i64 threads_;
  const u8 *row_letters_, *column_letters_;
  i32 rows_, columns_, row_;
  i32 known_;  // words of columns whose edges earlier strips have written
  i64 low_, high_;
  typename Bits::template Rows<u32> state_[thread_words];
  u32 letters_[thread_words][planes];
};

template <class P, int planes>
__device__ void compute_bits(const device::Port& port, PairsState* state, const BitsLaunch& work, u32 differ) {
  const i64 thread = static_cast<i64>(blockIdx.x) * bits_threads + threadIdx.x;
  BitsPair<P, planes> pair(work, differ, thread, static_cast<i64>(gridDim.x) * bits_threads);
  i64 first = 0;
  while (take_places(port, state, 32, first)) {
    const i64 place = first + threadIdx.x % 32;
    const i32 number = place < work.task.count ? work.order[place] : -1;
    if (number >= 0) pair.compute(number);
    __syncwarp();
  }
}

template <class P>
__global__ void __launch_bounds__(bits_threads, 4)
    bits_kernel(const __grid_constant__ device::Port port, PairsState* state,
                const __grid_constant__ BitsLaunch work) {
  if (state->begun == 0) return;
  const u32 differ = state->ones & state->zeros & 255u;
  const int planes = __popc(differ);
  if (planes <= 2) compute_bits<P, 2>(port, state, work, differ);
  else if (planes <= 3) compute_bits<P, 3>(port, state, work, differ);
  else if (planes <= 5) compute_bits<P, 5>(port, state, work, differ);
  else compute_bits<P, values::code_bits>(port, state, work, differ);
}

}  // namespace terrace::pairs
