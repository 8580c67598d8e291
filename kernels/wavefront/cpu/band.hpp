// Shared parts of the vectorised band kernels and of their callers. Included by files that are compiled for newer
// instruction sets than the rest: no host library header, no code that leaves a common symbol.
#pragma once

#include "kernels/device/integers.hpp"
#include "kernels/values/bits.hpp"
#include "kernels/values/vector_bytes.hpp"

namespace terrace::wavefront {

/// A band is rows_per_lane * (last_lane + 1) consecutive rows of a block; lane k of a pack holds rows [k *
/// rows_per_lane, (k + 1) * rows_per_lane) of them. A step computes two columns in every lane: at step s lane k is at
/// columns 2 (s - k) and 2 (s - k) + 1, so that its inputs from the lane above were computed one step before. Steps
/// [0, ceil(columns / 2) + last_lane) compute the whole band.
///
/// Arrays have elements of the value type T and are aligned to 64 bytes; arrays of rows are [rows_per_lane][lanes].
template <class T>
struct BandState {
  static constexpr int most_lanes = 64;  // as many as bytes of the longest vectors: see cpu/letters/local.hpp

  device::i64 rows_per_lane;
  device::i64 last_lane;  // lanes - 1, save in bands with one row a lane
  device::i64 columns;
  device::i64 diagonal;  // of the band's first cell: its row minus its column in the table (problems with a window)
  T* h;                  // H at the column computed last; at first of the left border
  T* e;                  // E that enters the next column
  T* best;               // the largest H since the caller last cleared it; problems that report the best cell
  const T* letters;      // items of the rows
  const device::i8* profile;  // [lane][letter][row of the lane]: scores by a matrix, unscaled; or null

  alignas(64) T corner[most_lanes];  // H above the lane's first row, one column back
  alignas(64) T bottom_h[2][most_lanes];
  alignas(64) T bottom_f[2][most_lanes];
  alignas(64) T column_letters[2][most_lanes];
};

/// A lane's part of a profile has room for so many letters and rows.
inline constexpr device::i64 profile_letters = 32, profile_rows = 32;

/// Columns that steps [first, last) take in and give out; element 2 (s - first) + p belongs to step s.
template <class T>
struct BandStream {
  device::i64 first, last;
  const T* top_h;    // of column 2 s + p: H above the band
  const T* top_f;    // F that enters the band's first row
  const T* letters;  // items of columns
  T* bottom_h;       // of column 2 (s - last_lane) + p: H of the band's last row
  T* bottom_f;       // F that it hands down
  T* kept;           // [step][2][rows_per_lane][lanes]: every H, of columns outside the block something; or null
};

/// Computes the steps of `stream`. `constants` points to P::Constants<i64>.
template <class T>
using AdvanceBand = void (*)(BandState<T>& band, const BandStream<T>& stream, const void* constants);

/// Columns of a chunk.
inline constexpr device::i64 chunk_columns = 64;

/// Words of 64 rows each, every one on a chunk of 64 columns of its own. Arrays have `count` elements, fill whole
/// vectors and are aligned to 64 bytes. What is of columns has the chunk's first in the highest bit.
struct BitWords {
  device::i64 count;
  bool whole;                                     // the last row of every word is its highest bit
  device::u64 *plus, *minus;                      // H(i, j) - H(i-1, j) of the rows, at the column computed last
  const device::u64* letters[values::code_bits];  // planes of the rows' codes
  const device::u64* others;                      // rows with codes above 3
  const device::u64* last;                        // the bit of the word's last row
  device::u64* columns[values::code_bits];        // planes of the columns' codes; shifted out
  device::u64* rare;                              // columns with codes above 3; shifted out
  device::u64* above[2];                          // horizontal differences above the words, +1 and -1; shifted out
  device::u64* below[2];                          // the same of their last rows; shifted in
};

/// Computes the next `columns` columns of all words' chunks.
using AdvanceBits = void (*)(BitWords& words, device::i64 columns, values::BitLetters letters);

/// The kernels of one problem for one instruction set; null if it is not computed in that type, or has no
/// bit-parallel form.
struct BandKernels {
  AdvanceBand<device::i16> advance_i16;
  AdvanceBand<device::i32> advance_i32;
  AdvanceBand<device::i64> advance_i64;
  AdvanceBand<float> advance_f32;
  AdvanceBand<double> advance_f64;
  AdvanceBits advance_bits;
};

/// The kernels of problem number `problem` (problem_list.hpp).
namespace sse2 {
BandKernels band_kernels(int problem);
}  // namespace sse2
namespace avx2 {
BandKernels band_kernels(int problem);
}  // namespace avx2
namespace avx512 {
BandKernels band_kernels(int problem);
}  // namespace avx512

}  // namespace terrace::wavefront
