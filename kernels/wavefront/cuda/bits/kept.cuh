// Lines in differences that a band of a sweep stores (bit_lines.hpp).
#pragma once

#include "kernels/wavefront/cuda/bands/bands.cuh"
#include "kernels/wavefront/cuda/bands/table_piece.cuh"

namespace terrace::wavefront {

/// Pieces that the first lane is ahead of the last, if each lane is `step` columns behind the lane before.
__host__ __device__ constexpr int pieces_between_lanes(int step) { return (31 * step + piece - 1) / piece; }

/// The lines that a band keeps; a lane of its warp has W words of 32 rows of them.
/// @tparam step columns by which a lane follows the lane before, and columns that it takes at a time
template <class P, int W, int step>
class BandLines {
 public:
  static constexpr int planes = P::Bits::planes;

  /// @param band_rows of a full band
  __device__ void begin(const SweepArguments& a, const KernelBand& band, i64 band_rows) {
    const KeptTask& kept = slot_of(a, band.block)->kept;
    u32* rows = load(&kept.rows);
    const i64 row_end = band.first_row + band_rows;
    ends_line_ = rows != nullptr && band.rows == band_rows && row_end % a.lines.rows == 0;
    row_plane_ = 2 * device::load_past_l1(&kept.row_stride);
    if (ends_line_) row_ = rows + (row_end / a.lines.rows - 1) * planes * row_plane_;
    first_word_ = band.start / piece;
    u32* columns = load(&kept.columns);
    if (columns == nullptr) return;
    const i64 line = band.start / a.lines.columns;
    column_plane_ = 2 * device::load_past_l1(&kept.column_stride);
    columns_ = columns + line * planes * column_plane_ + band.first_row / 32 + lane_index() * W;
    rows_ = band.rows - lane_index() * W * 32;
    width_ = band.width;
    period_ = static_cast<i32>(a.lines.columns);
    first_ = static_cast<i32>((line + 1) * a.lines.columns - band.start);
    next_ = first_ <= width_ ? first_ : no_column;
  }

  /// True if some lane may pass a kept column while the first lane passes piece p. Pieces come in turn.
  __device__ __forceinline__ bool comes_to_column(i32 p) {
    // The last lane has passed it.
    if (p > (first_ - 1) / piece + pieces_between_lanes(step)) first_ += period_;
    return (p + 1) * piece >= first_;
  }
  /// The first piece after p for which that is so.
  __device__ __forceinline__ i32 next_piece() const { return (first_ - 1) / piece; }

  /// Stores the lane's differences if `column`, the band's column that the lane computes next, follows a kept one.
  template <class Differences>
  __device__ __forceinline__ void pass(i32 column, const Differences (&differences)[W]) {
    if (column != next_) return;
#pragma unroll
    for (int w = 0; w < W; ++w) {
      if (32 * w >= rows_) continue;
      columns_[w] = P::Bits::template plus<u32>(differences[w]);
      if constexpr (planes > 1) columns_[column_plane_ + w] = P::Bits::template minus<u32>(differences[w]);
    }
    columns_ += planes * column_plane_;
    next_ = next_ <= width_ - period_ ? next_ + period_ : no_column;
  }

  /// True if the band's last row is kept.
  __device__ bool ends_line() const { return ends_line_; }
  /// Stores the row below piece p of the band, by one lane. The first of two pieces is the higher half of a word.
  __device__ __forceinline__ void store_row(i32 p, u32 plus, u32 minus) const {
    const i64 at = (first_word_ + p) ^ 1;
    row_[at] = plus;
    if constexpr (planes > 1) row_[row_plane_ + at] = minus;
  }

 private:
  static constexpr i32 no_column = 0x7fffffff;
  __device__ static u32* load(void* const* pointer) {
    return reinterpret_cast<u32*>(device::load_past_l1(reinterpret_cast<const u64*>(pointer)));
  }

  u32 *row_ = nullptr, *columns_ = nullptr;  // of plane 0: the band's line, the lane's words of the next kept column
  i64 row_plane_ = 0, column_plane_ = 0;     // words of 32 cells from plane to plane
  i64 first_word_ = 0;                       // of the band's first column
  i32 width_ = 0, period_ = 0;               // columns of the band, and from line to line
  i32 next_ = no_column;                     // columns of the band up to the lane's next line,
  i32 first_ = no_column;                    // and up to the column of the lane furthest behind
  i32 rows_ = 0;                             // of the band from the lane's first on
  bool ends_line_ = false;
};

}  // namespace terrace::wavefront
