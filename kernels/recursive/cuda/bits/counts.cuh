// Makes the updates of counts by tables of bits on CUDA. Included by the source that the build makes from
// cuda/bits.cu.in.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/recursive/cuda/bits/bit_blocks.cuh"
#include "kernels/recursive/cuda/bits/count_kernel.cuh"

namespace terrace::recursive {

class CountsOnCuda final : public BitBlocks {
 public:
  CountsOnCuda(std::int64_t side, device::Context& context, void* workspace) : BitBlocks(side, context, workspace) {}

 private:
  i64 side_of(const TileTask& task) const override { return std::max({task.rows, task.columns, task.depth}); }

  void update(const TileTask& task) override {
    if (task.rows == 0 || task.columns == 0) return;
    const auto view = [](const void* words, i64 stride) {
      return BitView{static_cast<u32*>(const_cast<void*>(words)), stride};
    };
    const CountsView x{static_cast<i32*>(task.x), task.x_stride};
    CountsView before = x;
    if (task.empty != 0) before = {nullptr, 0};
    if (task.input != nullptr) before = {static_cast<i32*>(const_cast<void*>(task.input)), task.input_stride};
    launch_parts(count_, {state(),
                          factors(view(task.u, task.u_stride), view(task.v, task.v_stride), task.rows,
                                  (task.columns + 31) / 32, task.depth),
                          x, before, task.rows, task.columns, is_paired(x) && is_paired(before)});
  }

  static bool is_paired(const CountsView& view) {
    return view.stride % 2 == 0 && reinterpret_cast<std::uintptr_t>(view.counts) % 8 == 0;
  }

  PartKernel<CountBitsTask> count_ =
      load_parts<CountBitsTask>(count_bits_kernel<LargeRing>, count_bits_kernel<SmallRing>, "count_bits_kernel");
};

}  // namespace terrace::recursive
