// Shared parts of the blocks of the recursive family on CUDA: they are taken from the port one after another, and
// each is begun, computed and reported by kernels of one stream.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/launch/cuda_blocks.cuh"
#include "kernels/launch/launch.cuh"
#include "kernels/recursive/cuda/tile_state.cuh"
#include "kernels/recursive/measured.hpp"
#include "kernels/recursive/tiles.hpp"

namespace terrace::recursive {

/// Bytes at the start of a workspace for the state that a block's kernels share.
inline constexpr std::size_t state_bytes = 256;

static_assert(sizeof(TileState) <= state_bytes && sizeof(TileResult) % sizeof(u64) == 0);

/// Blocks with descriptors of type Task and results of type Result.
template <class Task, class Result>
class BlocksOnCuda : public device::CudaBlocks<Task, Result> {
  using Blocks = device::CudaBlocks<Task, Result>;

 protected:
  /// @param side the most rows, columns and pivots of a block that the workspace is for
  BlocksOnCuda(std::int64_t side, device::Context& context, void* workspace)
      : Blocks("updates of tiles", context), side_(side), state_(static_cast<TileState*>(workspace)) {
    load(begin_block_, 1);
  }

  using Blocks::load;
  using Blocks::shape;
  using Blocks::stream;

  /// The largest number of rows, columns or pivots of a block's data in the workspace.
  virtual i64 side_of(const Task& task) const = 0;
  /// Submits the kernels of a block, which do nothing unless state()->begun.
  virtual void update(const Task& task) = 0;
  /// True if some of these kernels do not check state()->begun: then submitted blocks are begun, even after a stop.
  virtual bool begins_always() const { return false; }
  /// Submits the kernel that writes a block's result and says that it is done.
  virtual void report(const device::Port& port, u64 block, const Task& task) = 0;

  TileState* state() const { return state_; }

 private:
  bool submit(const device::Port& port, u64 block, const Task& task) final {
    check(task);
    const bool always = begins_always();
    if (always && Blocks::is_stopped(port, block)) return false;
    device::launch(begin_block_, shape(1, 1), port, state_, block, always);
    update(task);
    report(port, block, task);
    return true;
  }

  void check(const Task& task) const {
    if (side_of(task) <= side_) return;
    throw DeviceError("updates of tiles", "a block of tiles of " + std::to_string(side_of(task)) +
                                              " is larger than the workspace, of tiles of " + std::to_string(side_));
  }

  device::Kernel<device::Port, TileState*, u64, bool> begin_block_ =
      device::make_kernel(begin_block_kernel<Task>, "begin_block_kernel");
  std::int64_t side_;
  TileState* state_;
};

/// Updates of tiles of values of type T, with the extremes found in them.
template <class T>
class TilesOfValues : public BlocksOnCuda<TileTask, TileResult> {
 protected:
  static constexpr unsigned row_threads = measured::CudaRows::threads;

  TilesOfValues(std::int64_t side, device::Context& context, void* workspace)
      : BlocksOnCuda(side, context, workspace) {
    load(report_block_, 1);
    rows_at_a_time_ = load(begin_tile_, row_threads);
    load(end_tile_, row_threads);
  }

  i64 side_of(const TileTask& task) const override { return std::max({task.rows, task.columns, task.depth}); }
  void report(const device::Port& port, u64 block, const TileTask&) override {
    device::launch(report_block_, shape(1, 1), port, state(), block);
  }

  /// The shape of kernels whose thread blocks take rows of x in turn.
  device::LaunchShape shape_of_rows(const TileTask& task) const {
    return shape(std::min<i64>(rows_at_a_time_, task.rows), row_threads);
  }
  static TileValues<T> values_of(const TileTask& task, T zero) {
    return {static_cast<T*>(task.x),
            task.x_stride,
            static_cast<const T*>(task.input),
            task.input_stride,
            zero,
            static_cast<i32>(task.rows),
            static_cast<i32>(task.columns)};
  }
  /// Copies the input into x, or fills it with zeros, and looks at the input.
  void begin_tile(const TileTask& task, T zero) {
    device::launch(begin_tile_, shape_of_rows(task), state(), values_of(task, zero));
  }
  /// Looks at x. @param clamp as end_tile_kernel() takes it
  void end_tile(const TileTask& task, i32 clamp) {
    device::launch(end_tile_, shape_of_rows(task), state(), values_of(task, T{}), clamp);
  }

 private:
  device::Kernel<device::Port, const TileState*, u64> report_block_ =
      device::make_kernel(report_block_kernel<T>, "report_block_kernel");
  device::Kernel<TileState*, TileValues<T>> begin_tile_ =
      device::make_kernel(begin_tile_kernel<T>, "begin_tile_kernel");
  device::Kernel<TileState*, TileValues<T>, i32> end_tile_ =
      device::make_kernel(end_tile_kernel<T>, "end_tile_kernel");
  unsigned rows_at_a_time_ = 1;
};

}  // namespace terrace::recursive
