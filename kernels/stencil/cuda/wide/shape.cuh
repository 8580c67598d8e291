// The sizes of a kernel of large boxes, and the places of values in its shared memory (kernel.cuh).
#pragma once

#include "kernels/stencil/cuda/wide/task.hpp"

namespace terrace::stencil {

/// The greatest common divisor of two positive numbers.
constexpr i32 common_divisor(i32 a, i32 b) { return b == 0 ? a : common_divisor(b, a % b); }

/// A kernel's sizes as constants.
template <class T, i32 radius_, measured::BoxSums sums_ = measured::BoxSums::terms,
          measured::BoxSizes sizes_ = measured::CudaBox::sizes(sums_, radius_, sizeof(T))>
struct BoxShape {
  using Value = T;
  static constexpr i32 radius = radius_;
  static constexpr measured::BoxSums sums = sums_;
  static constexpr measured::BoxSizes sizes = sizes_;
  static constexpr i32 cells = sizes.cells, rows = sizes.rows;
  static constexpr bool by_products = sums == measured::BoxSums::products;
  static constexpr i32 span = 2 * radius + 1;

  // Rows in shared memory, in chunks of 16 bytes. The chunks whose numbers are equal modulo `lane_chunks` lie side by
  // side in a plane. Lanes that take chunks of their own meet in no bank, nor do lanes that take a chunk each. With
  // an odd plane lanes that read the values of a matrix meet in none; then lanes that take a chunk each meet in
  // pairs.
  static constexpr i32 chunk = 16 / sizeof(T), lane_chunks = cells / chunk;
  static constexpr i32 halo_chunks = (radius + chunk - 1) / chunk, halo = halo_chunks * chunk;
  static constexpr i32 near_chunks = lane_chunks + 2 * halo_chunks;  // that the cells of a lane need of a row
  static constexpr i32 row_chunks = 32 * lane_chunks + 2 * halo_chunks;
  static constexpr i32 row_turns = (row_chunks + 31) / 32;  // in which a warp brings a row
  static constexpr i32 least_plane = (row_chunks + lane_chunks - 1) / lane_chunks;
  static constexpr i32 plane =
      by_products ? least_plane / 2 * 2 + 1 : (least_plane + 7 - 8 / lane_chunks) / 8 * 8 + 8 / lane_chunks;
  static constexpr i32 row = 16 * lane_chunks * plane;  // bytes
  static constexpr i32 step =
      common_divisor(2 * radius, rows);  // rows that follow one another wherever a batch begins
  static constexpr i32 ring = (2 * radius * sizes.levels + 2 * rows) * row;  // bytes
  static constexpr i32 block_warps = BoxTask<T>::block_warps;

  // Coefficients: for products (products.cuh) in rows of a band, with zeros before and behind.
  static constexpr i32 products = (8 + radius + halo + 3) / 4;  // of a row of coefficients with a row of cells
  static constexpr i32 coefficient_row = by_products ? 4 * products + 8 : BoxTask<T>::row_of(span);
  static constexpr i32 first_coefficient = by_products ? 7 + halo - radius : 0;  // its column
  static constexpr bool in_shared = by_products || sizes.in_shared;
  static constexpr i32 coefficients_at = ring * block_warps;  // in shared memory
  static constexpr i32 shared_bytes =
      coefficients_at + (in_shared ? span * coefficient_row * static_cast<i32>(sizeof(T)) : 0);

  static constexpr i32 near_values = by_products ? 2 * products : near_chunks * chunk;  // that a lane takes of a row

  /// The number in a row's memory of a chunk of it. That of the chunk 32 further on is 32 / lane_chunks further on.
  TERRACE_HOST_DEVICE static constexpr i32 chunk_at(i32 number) {
    return number % lane_chunks * plane + number / lane_chunks;
  }
  /// The number of a chunk of those of which a lane makes the sums: they lie side by side, or as products leave them.
  TERRACE_HOST_DEVICE static constexpr i32 own_chunk(i32 lane, i32 number) {
    return by_products ? lane + 32 * number : lane * lane_chunks + number;
  }
  /// The place in a row of the first value that a lane reads, in bytes.
  TERRACE_HOST_DEVICE static constexpr i32 near_place(i32 lane) {
    if (!by_products) return 16 * lane;
    return 16 * (lane % 4 / 2 * plane + lane / 4 * 2) + lane % 2 * 8;
  }

  /// The first coefficient that a lane takes, of the first row: of products element (t, g) of the first one's band in
  /// lane 4 g + t.
  TERRACE_HOST_DEVICE static constexpr i32 coefficient_of(i32 lane) {
    return by_products ? 7 + lane % 4 - lane / 4 : 0;
  }

  static_assert(cells % chunk == 0 && 8 % lane_chunks == 0 && plane >= row_chunks / lane_chunks);
  static_assert(!by_products || (sizeof(T) == 8 && lane_chunks == 2));
};

}  // namespace terrace::stencil
