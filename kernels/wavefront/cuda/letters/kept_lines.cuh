// A lane's stores of the rows and columns that a sweep keeps.
#pragma once

#include "kernels/wavefront/cuda/bands/bands.cuh"

namespace terrace::wavefront {

/// The kept rows among a lane's R, and the kept columns that it reaches. @tparam P determines which gaps exist
template <class P, class V, int R>
class LaneLines {
 public:
  /// Before the first column. @param first_row the lane's, in the block @param rows of the band that the lane holds
  __device__ void begin(const SweepArguments& a, const KernelBand& band, i64 first_row, i32 rows) {
    const KeptTask& kept = slot_of(a, band.block)->kept;
    rows_ = load(&kept.rows);
    row_gaps_ = load(&kept.row_gaps);
    columns_ = load(&kept.columns);
    column_gaps_ = load(&kept.column_gaps);
    row_stride_ = device::load_past_l1(&kept.row_stride);
    column_stride_ = device::load_past_l1(&kept.column_stride);
    first_row_ = first_row;
    const i64 row = band.task.row_begin + first_row, origin = band.task.column_begin;
    kept_ = 0;
    for (int r = 0; r < rows; ++r) {
      if ((row + r + 1) % a.every == 0 || row + r + 1 == a.rows) kept_ |= 1u << r;
    }
    row_line_ = row / a.every - band.task.row_begin / a.every;
    column_line_ = 0;
    next_ = minimum((origin / a.every + 1) * a.every, a.columns) - 1 - origin;
  }

  /// Stores the kept values of the cell in row r of the lane: H, E after it and F below it.
  __device__ __forceinline__ void look(const SweepArguments& a, int r, i32 column, V h, V e, V f) const {
    if (kept_ >> r & 1u) {
      const i64 at = (row_line_ + __popc(kept_ & ((1u << r) - 1))) * row_stride_ + column;
      store(a, rows_, at, h);
      if constexpr (P::row_planes == 2) store(a, row_gaps_, at, f);
    }
    if (column == next_) {
      const i64 at = column_line_ * column_stride_ + first_row_ + r;
      store(a, columns_, at, h);
      if constexpr (P::column_planes == 2) store(a, column_gaps_, at, e);
    }
  }

  /// After all of a column's cells.
  __device__ __forceinline__ void pass(const SweepArguments& a, const KernelBand& band, i32 column) {
    if (column != next_) return;
    ++column_line_;
    next_ = minimum(next_ + a.every, a.columns - 1 - band.task.column_begin);
  }

 private:
  __device__ static void* load(void* const* pointer) {
    return reinterpret_cast<void*>(device::load_past_l1(reinterpret_cast<const u64*>(pointer)));
  }
  __device__ static void store(const SweepArguments& a, void* line, i64 at, V value) {
    if (line) store_cell(a.table, line, at, value, a.scale);
  }

  void *rows_ = nullptr, *row_gaps_ = nullptr, *columns_ = nullptr, *column_gaps_ = nullptr;
  i64 row_stride_ = 0, column_stride_ = 0;
  i64 first_row_ = 0, row_line_ = 0, column_line_ = 0;  // lines: of the block's
  i64 next_ = -1;                                       // column of the block that is kept next
  u32 kept_ = 0;                                        // bit r: the lane's row r is kept
};

}  // namespace terrace::wavefront
