// The sizes of kernels of pairs on CUDA, of their shared memory and of what they keep. No host library header: also
// compiled at run time.
#pragma once

#include "kernels/pairs/task.hpp"
#include "kernels/wavefront/substitution.hpp"

namespace terrace::pairs {

/// Rows that the lanes of a pair hold in registers.
struct AlignShape {
  int lanes, rows_of_lane;
  constexpr i64 rows() const { return i64{lanes} * rows_of_lane; }
};
/// Shapes for items of few rows, of more, and of any number, of which the last one makes strips; the second list is
/// of kernels that keep two words a row.
inline constexpr AlignShape align_shapes[] = {{8, 20}, {16, 20}, {32, 16}},
                            light_shapes[] = {{4, 40}, {8, 40}, {32, 32}};
/// Shapes of kernels with profiles, which all make strips: for items of columns whose strips' borders stay in L2, and
/// of any length. Fewer lanes leave less to compute before an item's first row and its first column.
inline constexpr AlignShape profile_shapes[] = {{8, 16}, {16, 16}};
inline constexpr i64 most_near_columns = 2048;
/// Rows of a lane, of series; of 32 bits the second one where there are more than the first one's.
inline constexpr int series_rows = 16, long_series_rows = 32;

/// Threads of a block, and rows of a strip of words (bits_kernel.cuh).
inline constexpr u64 cuda_threads = 128;
inline constexpr i64 bits_strip_rows = 256;
/// Letters of a matrix with one more, of rows and columns beyond an item's ends.
inline constexpr int table_letters = wavefront::matrix_size + 1;
/// Kernels with profiles: thread blocks of a multiprocessor, and shared memory of each, a byte for each letter, row
/// of a lane and pair.
inline constexpr int profile_blocks = 2;
inline constexpr u64 profile_bytes = cuda_threads * 2 * table_letters * profile_shapes[0].rows_of_lane;
/// Added to values of local alignments with profiles: no less than the cost of a gap's first letter, which with a
/// score is a byte.
inline constexpr i64 profile_raise = 128;
/// Bounds of values of alignments in 16 bits, local and global, and in 32 (align_values.cuh).
inline constexpr i64 most_local_half = 32767, most_global_half = (1 << 14) - 1, most_single = (1 << 30) - 1;
/// Bytes of what lies in the workspace.
inline constexpr u64 state_bytes = 64, table_bytes = 4096, bucket_bytes = 4096 * 4;

}  // namespace terrace::pairs
