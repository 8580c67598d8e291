// Makes the updates of tiles of bits on CUDA. Included by the source that the build makes from cuda/bits.cu.in.
#pragma once

#include <algorithm>

#include "kernels/recursive/cuda/bits/bit_blocks.cuh"
#include "kernels/recursive/cuda/bits/or_kernel.cuh"
#include "kernels/recursive/cuda/bits/tile_kernel.cuh"

namespace terrace::recursive {

class BitsOnCuda final : public BitBlocks {
 public:
  BitsOnCuda(bool packed, std::int64_t side, device::Context& context, void* workspace)
      : BitBlocks(side, context, workspace), packed_(packed) {
    load(begin_, copy_threads);
    load(end_, copy_threads);
  }

 private:
  static constexpr i64 pivots_at_a_time = measured::CudaBits::pivots;

  i64 side_of(const TileTask& task) const override { return std::max({task.rows, 32 * task.columns, task.depth}); }

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
    const device::LaunchShape rows = shape_of_rows(task.rows);
    if (task.input != nullptr || task.empty != 0) device::launch(begin_, rows, state(), tile);
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

  /// x <- x or (u and v); u and v may be x.
  void multiply(const BitView& x, const BitView& u, const BitView& v, i64 rows, i64 words, i64 depth) {
    if (depth == 0) return;
    launch_parts(or_, {state(), factors(u, v, rows, words, depth), x, rows, words});
  }

  /// Pivots after pivots close their own square, their rows and their columns with it, and all else with these.
  void close(const BitView& x, i64 size, i64 words) {
    for (i64 k = 0; k < size; k += pivots_at_a_time) {
      const i64 pivots = std::min(pivots_at_a_time, size - k), word = k / 32;
      const i64 wide = std::min(pivots_at_a_time / 32, words - word);
      const BitView rows{x.words + k * x.stride, x.stride}, columns{x.words + word, x.stride};
      const BitView square{rows.words + word, x.stride};
      close_square(square, pivots, wide);
      if (size <= pivots_at_a_time) return;
      multiply(rows, square, rows, pivots, words, pivots);
      multiply(columns, columns, square, size, wide, pivots);
      multiply(x, columns, rows, size, words, pivots);
    }
  }
  /// A square has all ways of up to so many edges; multiplied with itself, those of up to twice as many.
  void close_square(const BitView& square, i64 pivots, i64 words) {
    for (i64 edges = 1; edges < pivots; edges *= 2) multiply(square, square, square, pivots, words, pivots);
  }

  device::Kernel<const TileState*, BitTile> begin_ = device::make_kernel(begin_bits_kernel<u32>, "begin_bits_kernel");
  device::Kernel<const TileState*, BitTile> end_ = device::make_kernel(end_bits_kernel<u32>, "end_bits_kernel");
  PartKernel<OrBitsTask> or_ =
      load_parts<OrBitsTask>(or_bits_kernel<LargeRing>, or_bits_kernel<SmallRing>, "or_bits_kernel");
  bool packed_;
};

}  // namespace terrace::recursive
