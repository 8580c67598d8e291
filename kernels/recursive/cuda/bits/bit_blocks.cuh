// Shared parts of the blocks on CUDA whose factors are tables of bits: the copies that kernels read, and their
// launches.
#pragma once

#include <algorithm>

#include "kernels/recursive/cuda/bits/common_bits.cuh"
#include "kernels/recursive/cuda/blocks.cuh"

namespace terrace::recursive {

class BitBlocks : public BlocksOnCuda<TileTask, TileResult> {
 public:
  static std::size_t workspace(std::int64_t side) {
    return state_bytes + (rows_words(side) + columns_words(side)) * sizeof(u32);
  }

 protected:
  BitBlocks(std::int64_t side, device::Context& context, void* workspace)
      : BlocksOnCuda(padded(side, bit_depth), context, workspace),
        large_(BitRing<LargeRing>::bytes <= context.limits().block_shared_bytes) {
    rows_ = reinterpret_cast<u32*>(static_cast<unsigned char*>(workspace) + state_bytes);
    columns_ = rows_ + rows_words(side);
    load(report_block_, 1);
    copies_at_a_time_ = load(copy_, copy_threads);
    turns_at_a_time_ = load(turn_, copy_threads);
  }

  /// A kernel that computes parts of x, for the ring that the device has shared memory for.
  template <class Task>
  struct PartKernel {
    device::Kernel<Task> kernel;
    std::size_t ring_bytes;
    unsigned at_a_time;
  };
  template <class Task>
  PartKernel<Task> load_parts(void (*large)(Task), void (*small)(Task), const char* name) const {
    const std::size_t ring = large_ ? BitRing<LargeRing>::bytes : BitRing<SmallRing>::bytes;
    PartKernel<Task> parts{device::make_kernel(large_ ? large : small, name), ring, 1};
    parts.at_a_time = load(parts.kernel, bit_threads, parts.ring_bytes);
    return parts;
  }
  template <class Task>
  void launch_parts(const PartKernel<Task>& parts, const Task& task) const {
    const i64 count = static_cast<i64>(task.factors.row_parts) * task.factors.column_parts;
    device::launch(parts.kernel, shape(std::min<i64>(parts.at_a_time, count), bit_threads, parts.ring_bytes), task);
  }

  /// Copies u, rows x depth cells, and turns v, depth rows of `words` words.
  BitFactors factors(const BitView& u, const BitView& v, i64 rows, i64 words, i64 depth) const {
    const i64 deep = padded(std::max<i64>(1, depth), bit_depth), high = padded(rows, bit_side);
    const BitView left = copy(u, rows, (depth + 31) / 32, high, deep / 32);
    const BitView right = turn(v, depth, words, padded_columns(words), deep / 32);
    return {left, right, static_cast<i32>(high / bit_side), static_cast<i32>(padded(32 * words, bit_side) / bit_side),
            static_cast<i32>(deep)};
  }

  /// The shape of kernels whose thread blocks take rows of x in turn.
  device::LaunchShape shape_of_rows(i64 rows) const {
    return shape(std::min<i64>(copies_at_a_time_, rows), copy_threads);
  }

 private:
  static constexpr i64 bit_depth = LargeRing::depth;
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

  void report(const device::Port& port, u64 block, const TileTask&) override {
    device::launch(report_block_, shape(1, 1), port, state(), block);
  }

  BitView copy(const BitView& from, i64 rows, i64 words, i64 copied_rows, i64 copied_words) const {
    const CopyBitsTask task{state(), from, {rows_, copied_words}, rows, words, copied_rows, copied_words};
    const i64 blocks = (copied_rows * copied_words + copy_threads - 1) / copy_threads;
    device::launch(copy_, shape(std::min<i64>(copies_at_a_time_, blocks), copy_threads), task);
    return task.to;
  }
  /// The same with columns in place of rows.
  BitView turn(const BitView& from, i64 rows, i64 words, i64 copied_rows, i64 copied_words) const {
    const CopyBitsTask task{state(), from, {columns_, copied_words}, rows, words, copied_rows, copied_words};
    const i64 blocks = copied_rows / copy_threads * (copied_words / turned_words);
    device::launch(turn_, shape(std::min<i64>(turns_at_a_time_, blocks), copy_threads), task);
    return task.to;
  }

  device::Kernel<device::Port, const TileState*, u64> report_block_ =
      device::make_kernel(report_block_kernel<u32>, "report_block_kernel");
  device::Kernel<CopyBitsTask> copy_ = device::make_kernel(copy_bits_kernel<u32>, "copy_bits_kernel");
  device::Kernel<CopyBitsTask> turn_ = device::make_kernel(turn_bits_kernel<u32>, "turn_bits_kernel");
  bool large_;
  u32* rows_;  // copies of factors: of u, and of v turned
  u32* columns_;
  unsigned copies_at_a_time_ = 1, turns_at_a_time_ = 1;
};

}  // namespace terrace::recursive
