// Profiles of rows in shared memory: the scores of a lane's rows with each letter of columns, which are bytes, once
// for each of the two pairs in the halves of words (profiles: Rognes and Seeberg 2000).
//
// A lane looks at a letter's words in a bank of its own. Of four rows of both pairs scores are picked from two words;
// to load some of them as bytes that are joined on the pipe that minima and maxima leave free was not faster.
#pragma once

#include "kernels/pairs/cuda/sizes.hpp"
#include "kernels/values/pair.cuh"

namespace terrace::pairs {

/// Scores of a matrix as bytes: of a letter of rows, then one of columns.
struct ByteTable {
  u8 scores[table_letters][table_letters];
};

/// The profiles of a lane's R rows. @tparam R a multiple of 4
template <int R>
class SharedProfile {
 public:
  static constexpr int words = R / 4, letter_bytes = words * 128;
  /// Of the two profiles of a warp.
  static constexpr u32 warp_bytes = 2 * table_letters * letter_bytes;
  static_assert(R % 4 == 0 && table_letters % 4 == 0 && table_letters * letter_bytes < 1 << 16);

  __device__ SharedProfile() : place_(threadIdx.x / 32 * warp_bytes + threadIdx.x % 32 * 4) {}

  /// The number that stands for a column's letter: less than 2^16.
  __device__ static i32 code_of(i32 letter) { return letter * letter_bytes; }

  /// Writes the profile of pair p. @param letters of the lane's rows
  __device__ __forceinline__ void make(int p, const ByteTable& table, const i32 (&letters)[R]) const {
#pragma unroll 1
    for (int column = 0; column < table_letters; column += 4) {
#pragma unroll
      for (int w = 0; w < words; ++w) {
        u32 rows[4];
#pragma unroll
        for (int r = 0; r < 4; ++r) {
          rows[r] = *reinterpret_cast<const u32*>(&table.scores[letters[4 * w + r]][column]);
        }
        const u32 low_01 = __byte_perm(rows[0], rows[1], 0x5140), low_23 = __byte_perm(rows[2], rows[3], 0x5140);
        const u32 high_01 = __byte_perm(rows[0], rows[1], 0x7362), high_23 = __byte_perm(rows[2], rows[3], 0x7362);
        const u32 columns[4] = {__byte_perm(low_01, low_23, 0x5410), __byte_perm(low_01, low_23, 0x7632),
                                __byte_perm(high_01, high_23, 0x5410), __byte_perm(high_01, high_23, 0x7632)};
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          *reinterpret_cast<u32*>(at(p, static_cast<u32>(code_of(column + c)), w)) = columns[c];
        }
      }
    }
  }

  /// Finds the words of a column. @param codes of its letters, in halves
  __device__ __forceinline__ void find(u32 codes) {
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      const u32 code = codes >> 16 * p & 0xFFFFu;
#pragma unroll
      for (int w = 0; w < words; ++w) words_[p][w] = *reinterpret_cast<const u32*>(at(p, code, w));
    }
  }
  /// The scores of row r, in halves.
  __device__ __forceinline__ u32 scores(int r) const {
    // A byte, and its sign, which is none.
    const u32 byte = static_cast<u32>(r % 4);
    return device::pick_bytes(words_[0][r / 4], words_[1][r / 4], (byte | (byte + 8) << 4) * 0x101u + 0x4400u);
  }

 private:
  /// The word of rows [4 w, 4 w + 4) of pair p, with the letter of that code.
  __device__ __forceinline__ u8* at(int p, u32 code, int w) const {
    return device::launch_shared_memory() + (place_ + code) + (p * table_letters * letter_bytes + w * 128);
  }

  u32 place_;
  u32 words_[2][words];
};

/// The profiles of kernels that have them; else nothing.
template <int R, bool has_them>
struct ProfileOf {
  using Type = SharedProfile<R>;
};
template <int R>
struct ProfileOf<R, false> {
  struct Type {};
};

}  // namespace terrace::pairs
