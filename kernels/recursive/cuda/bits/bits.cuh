// Makes the updates of tiles of bits on CUDA. Included by the source that the build makes from cuda/bits.cu.in.
#pragma once

#include <algorithm>

#include "kernels/recursive/cuda/bits/or_kernel.cuh"
#include "kernels/recursive/cuda/bits/tile_kernel.cuh"
#include "kernels/recursive/cuda/blocks.cuh"
#include "kernels/recursive/cuda/tiles.hpp"

namespace terrace::recursive {

class BitsOnCuda final : public BlocksOnCuda<TileTask, TileResult> {
 public:
  static std::size_t workspace(std::int64_t side) {
    return state_bytes + (rows_words(side) + columns_words(side)) * sizeof(u32);
  }

  BitsOnCuda(bool packed, std::int64_t side, device::Context& context, void* workspace)
      : BlocksOnCuda(padded(side, bit_depth), context, workspace), packed_(packed) {
    rows_ = reinterpret_cast<u32*>(static_cast<unsigned char*>(workspace) + state_bytes);
    columns_ = rows_ + rows_words(side);
    load(report_block_, 1);
    load(begin_, copy_threads);
    load(end_, copy_threads);
    copies_at_a_time_ = load(copy_, copy_threads);
    turns_at_a_time_ = load(turn_, copy_threads);
    if (BitRing<LargeRing>::bytes > context.limits().block_shared_bytes) take_ring<SmallRing>();
    else take_ring<LargeRing>();
  }

 private:
  static constexpr i64 pivots_at_a_time = measured::CudaBits::pivots, bit_depth = LargeRing::depth;
  static_assert(bit_depth % SmallRing::depth == 0);

  static constexpr i64 padded(i64 count, i64 to) { return (count + to - 1) / to * to; }
  /// Columns are turned in whole squares, which are whole parts.
  static constexpr i64 padded_columns(i64 words) { return padded(32 * words, copy_threads); }
  static_assert(copy_threads % bit_side == 0 && bit_depth % (32 * turned_words) == 0);
  static std::size_t rows_words(i64 side) {
    return static_cast<std::size_t>(padded(side, bit_side) * (padded(side, bit_depth) / 32));
  }
  static std::size_t columns_words(i64 side) {
    return static_cast<std::size_t>(padded_columns((side + 31) / 32) * (padded(side, bit_depth) / 32));
  }

  template <class Ring>
  void take_ring() {
    or_ = device::make_kernel(or_bits_kernel<Ring>, "or_bits_kernel");
    ring_bytes_ = BitRing<Ring>::bytes;
    parts_at_a_time_ = load(or_, bit_threads, ring_bytes_);
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
    const device::LaunchShape rows = shape(std::min<i64>(copies_at_a_time_, task.rows), copy_threads);
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

  BitView copy(const BitView& from, i64 rows, i64 words, i64 copied_rows, i64 copied_words) {
    const CopyBitsTask task{state(), from, {rows_, copied_words}, rows, words, copied_rows, copied_words};
    const i64 blocks = (copied_rows * copied_words + copy_threads - 1) / copy_threads;
    device::launch(copy_, shape(std::min<i64>(copies_at_a_time_, blocks), copy_threads), task);
    return task.to;
  }
  /// The same with columns in place of rows.
  BitView turn(const BitView& from, i64 rows, i64 words, i64 copied_rows, i64 copied_words) {
    const CopyBitsTask task{state(), from, {columns_, copied_words}, rows, words, copied_rows, copied_words};
    const i64 blocks = copied_rows / copy_threads * (copied_words / turned_words);
    device::launch(turn_, shape(std::min<i64>(turns_at_a_time_, blocks), copy_threads), task);
    return task.to;
  }

  /// x <- x or (u and v); u and v may be x.
  void multiply(const BitView& x, const BitView& u, const BitView& v, i64 rows, i64 words, i64 depth) {
    if (depth == 0) return;
    const i64 deep = padded(depth, bit_depth), high = padded(rows, bit_side), wide = padded_columns(words);
    const BitView left = copy(u, rows, (depth + 31) / 32, high, deep / 32);
    const BitView right = turn(v, depth, words, wide, deep / 32);
    const i64 down = high / bit_side, across = padded(32 * words, bit_side) / bit_side;
    const OrBitsTask task{state(),
                          x,
                          rows,
                          words,
                          left,
                          right,
                          static_cast<i32>(down),
                          static_cast<i32>(across),
                          static_cast<i32>(deep)};
    device::launch(or_, shape(std::min<i64>(parts_at_a_time_, down * across), bit_threads, ring_bytes_), task);
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

  device::Kernel<device::Port, const TileState*, u64> report_block_ =
      device::make_kernel(report_block_kernel<u32>, "report_block_kernel");
  device::Kernel<const TileState*, BitTile> begin_ = device::make_kernel(begin_bits_kernel<u32>, "begin_bits_kernel");
  device::Kernel<const TileState*, BitTile> end_ = device::make_kernel(end_bits_kernel<u32>, "end_bits_kernel");
  device::Kernel<CopyBitsTask> copy_ = device::make_kernel(copy_bits_kernel<u32>, "copy_bits_kernel");
  device::Kernel<CopyBitsTask> turn_ = device::make_kernel(turn_bits_kernel<u32>, "turn_bits_kernel");
  device::Kernel<OrBitsTask> or_;
  std::size_t ring_bytes_ = 0;
  bool packed_;
  u32* rows_;  // copies of factors: of u, and of v turned
  u32* columns_;
  unsigned copies_at_a_time_ = 1, turns_at_a_time_ = 1, parts_at_a_time_ = 1;
};

}  // namespace terrace::recursive
