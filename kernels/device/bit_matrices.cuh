// Products of matrices of bits by the tensor cores. All lanes of a warp call these functions together.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::device {

/// Four matrices of 8 rows of 16 bytes from shared memory. Lane n says where row n % 8 of matrix n / 8 begins, at a
/// multiple of 16 bytes (instructions.cuh: shared_address()), and gets word n % 4 of row n / 4 of each matrix.
__device__ __forceinline__ void load_matrices(u32 at, u32 (&words)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(at)
               : "memory");
}

/// Adds to counts of 16 x 8 how many bits rows of `left` (16 rows of 256 bits) and of `right` (8 rows of 256 bits)
/// have in common. With g = n / 4 and t = n % 4, lane n has words t of rows g and g + 8 and words t + 4 of these of
/// the first one, words t and t + 4 of row g of the second one, and counts (g, 2 t), (g, 2 t + 1), (g + 8, 2 t),
/// (g + 8, 2 t + 1).
__device__ __forceinline__ void add_common_bits(i32 (&counts)[4], const u32 (&left)[4], u32 right,
                                                u32 right_further) {
  asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+r"(counts[0]), "+r"(counts[1]), "+r"(counts[2]), "+r"(counts[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right), "r"(right_further));
}

}  // namespace terrace::device
