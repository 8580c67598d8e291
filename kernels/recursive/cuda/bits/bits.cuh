// Makes the updates of tiles of bits on CUDA. Included by the source that the build makes from cuda/bits.cu.in.
#pragma once

#include <algorithm>

#include "kernels/recursive/cuda/bits/kernel.cuh"
#include "kernels/recursive/cuda/blocks.cuh"
#include "kernels/recursive/cuda/tiles.hpp"

namespace terrace::recursive {

class BitsOnCuda final : public BlocksOnCuda<TileTask, TileResult> {
 public:
  static std::size_t workspace(std::int64_t side) {
    return state_bytes + (u_words(side) + v_words(side)) * sizeof(u32);
  }

  BitsOnCuda(bool packed, std::int64_t side, device::Context& context, void* workspace)
      : BlocksOnCuda(padded(side, bit_depth), context, workspace), packed_(packed) {
    u_ = reinterpret_cast<u32*>(static_cast<unsigned char*>(workspace) + state_bytes);
    v_ = u_ + u_words(side);
    load(report_block_, 1);
    at_a_time_ = load(copy_, bit_threads);
    load(begin_, bit_threads);
    load(end_, bit_threads);
    load(or_, bit_threads);
    load(close_, bit_pivots);
  }

 private:
  static constexpr i64 padded(i64 count, i64 to) { return (count + to - 1) / to * to; }
  static constexpr i64 depth_of(i64 side) { return padded(std::max<i64>(side, bit_pivots), bit_depth); }
  static constexpr std::size_t u_words(i64 side) {
    return static_cast<std::size_t>(padded(side, bit_rows) * (depth_of(side) / 32));
  }
  static constexpr std::size_t v_words(i64 side) {
    return static_cast<std::size_t>(depth_of(side) * padded((side + 31) / 32, bit_columns));
  }

  i64 side_of(const TileTask& task) const override { return std::max({task.rows, 32 * task.columns, task.depth}); }
  void report(const device::Port& port, u64 block, const TileTask&) override {
    device::launch(report_block_, shape(1, 1), port, state(), block);
  }

  void update(const TileTask& task) override {
    if (task.rows == 0 || task.columns == 0) return;
    const BitView x{static_cast<u32*>(task.x), task.x_stride};
    const BitTile tile{x,
                       task.rows,
                       task.columns,
                       static_cast<const u32*>(task.input),
                       task.input_stride,
                       static_cast<u8*>(task.output),
                       task.output_columns,
                       task.output_stride,
                       packed_};
    const device::LaunchShape rows = shape(std::min<i64>(at_a_time_, task.rows), bit_threads);
    if (task.input != nullptr) device::launch(begin_, rows, state(), tile);
    if (task.function == Function::a) {
      close(x, task.rows, task.columns);
    } else {
      const auto factor = [&](const void* words, i64 stride) {
        return words == nullptr ? x : BitView{static_cast<u32*>(const_cast<void*>(words)), stride};
      };
      multiply(x, factor(task.u, task.u_stride), factor(task.v, task.v_stride), task.rows, task.columns, task.depth);
    }
    if (task.last != 0) device::launch(end_, rows, state(), tile);
  }

  BitView copy(const BitView& from, i64 rows, i64 words, u32* to, i64 copied_rows, i64 copied_words) {
    const CopyBitsTask task{state(), from, {to, copied_words}, rows, words, copied_rows, copied_words};
    const i64 blocks = (copied_rows * copied_words + bit_threads - 1) / bit_threads;
    device::launch(copy_, shape(std::min<i64>(at_a_time_, blocks), bit_threads), task);
    return task.to;
  }

  /// x <- x or (u and v); u and v may be x.
  void multiply(const BitView& x, const BitView& u, const BitView& v, i64 rows, i64 words, i64 depth) {
    const i64 deep = padded(depth, bit_depth), high = padded(rows, bit_rows), wide = padded(words, bit_columns);
    const BitView left = copy(u, rows, deep / 32, u_, high, deep / 32);
    const BitView right = copy(v, depth, words, v_, deep, wide);
    const OrBitsTask task{state(), x, rows, words, left, right, deep};
    device::launch(or_, shape(high / bit_rows * (wide / bit_columns), bit_threads), task);
  }

  /// Pivots after pivots close their own square, their rows and their columns with it, and all else with these.
  void close(const BitView& x, i64 size, i64 words) {
    for (i64 k = 0; k < size; k += bit_pivots) {
      const i64 pivots = std::min<i64>(bit_pivots, size - k), word = k / 32;
      const i64 wide = std::min<i64>(bit_pivots / 32, words - word);
      const BitView rows{x.words + k * x.stride, x.stride}, columns{x.words + word, x.stride};
      const BitView square{rows.words + word, x.stride};
      device::launch(close_, shape(1, bit_pivots), state(), square, static_cast<i32>(pivots), static_cast<i32>(wide));
      if (size <= bit_pivots) return;
      multiply(rows, square, rows, pivots, words, pivots);
      multiply(columns, columns, square, size, wide, pivots);
      multiply(x, columns, rows, size, words, pivots);
    }
  }

  device::Kernel<device::Port, const TileState*, u64> report_block_ =
      device::make_kernel(report_block_kernel<u32>, "report_block_kernel");
  device::Kernel<const TileState*, BitTile> begin_ = device::make_kernel(begin_bits_kernel<u32>, "begin_bits_kernel");
  device::Kernel<const TileState*, BitTile> end_ = device::make_kernel(end_bits_kernel<u32>, "end_bits_kernel");
  device::Kernel<CopyBitsTask> copy_ = device::make_kernel(copy_bits_kernel<u32>, "copy_bits_kernel");
  device::Kernel<OrBitsTask> or_ = device::make_kernel(or_bits_kernel<u32>, "or_bits_kernel");
  device::Kernel<const TileState*, BitView, i32, i32> close_ =
      device::make_kernel(close_bits_kernel<u32>, "close_bits_kernel");
  bool packed_;
  u32* u_;  // copies of factors
  u32* v_;
  unsigned at_a_time_ = 1;
};

}  // namespace terrace::recursive
