// Launches the kernels of nests. Included by the source that the build makes from cuda/cells.cu.in.
#pragma once

#include <algorithm>
#include <memory>

#include "kernels/compiled/store.hpp"
#include "kernels/launch/cuda_blocks.cuh"
#include "kernels/launch/launch.cuh"
#include "kernels/nest/cuda/cells.hpp"
#include "kernels/nest/cuda/state.hpp"
#include "kernels/nest/cuda/tiles.hpp"
#include "kernels/nest/written/work.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::nest {

class CellsOnCuda final : public device::CudaBlocks<NestTask, NestResult> {
  using Blocks = device::CudaBlocks<NestTask, NestResult>;

 public:
  CellsOnCuda(const NestSpec& spec, device::Context& context, void* workspace)
      : Blocks("nest", context), cut_(spec, context.limits()), memory_(static_cast<unsigned char*>(workspace)) {
    if (context.modules() == nullptr) throw DeviceError("nest", "there is no place for kernels of nests");
    modules_ = context.modules()->module(cut_.source(spec), context);
    const auto set = [&](auto& kernel, std::size_t number, const char* name) {
      kernel = {modules_->kernel(number), name};
    };
    set(begin_, 0, "begin_nest_kernel");
    set(rest_, 1, "make_rest_kernel");
    set(tiles_, 2, "make_tiles_kernel");
    set(report_, 3, "report_nest_kernel");
    load(begin_, begin_threads);
    load(rest_, rest_threads);
    load(report_, begin_threads);
    most_blocks_ =
        std::min<i64>(load(tiles_, static_cast<unsigned>(cut_.threads()), cut_.shared_bytes()), cut_.rooms());
  }

 private:
  bool submit(const device::Port& port, device::u64 block, const NestTask& task) override {
    auto* state = reinterpret_cast<NestState*>(memory_);
    const TileWork work = cut_.tiling().work(task, memory_ + cut_.faces_at());
    device::launch(begin_, shape(1, begin_threads), port, state, block);
    const bool has_rest =
        std::any_of(task.parts, task.parts + task.part_count, [](const Part& part) { return part.statement < 0; });
    if (has_rest || task.makes_corners != 0) device::launch(rest_, shape(64, rest_threads), state, work);
    const std::size_t rank = cut_.tiling().rank(), last = rank - 1;
    i64 sums = 1, between = 1;
    for (std::size_t n = 0; n < rank; ++n) {
      if (work.tiles[n] == 0) sums = 0;  // the block has no iterations
    }
    for (std::size_t n = 0; n < rank && sums > 0; ++n) sums += work.tiles[n] - 1;
    for (std::size_t n = 1; n < last; ++n) between *= work.tiles[n];
    i64 others = 0;  // the largest sum of all numbers but the first
    for (std::size_t n = 1; n < rank; ++n) others += work.tiles[n] - 1;
    for (i64 sum = 0; sum < sums; ++sum) {
      const i64 first = last > 0 ? std::max<i64>(0, sum - others) : 0;
      const i64 count = last > 0 ? (std::min(sum, work.tiles[0] - 1) - first + 1) * between : 1;
      device::launch(tiles_,
                     shape(std::min(count, most_blocks_), static_cast<unsigned>(cut_.threads()), cut_.shared_bytes()),
                     state, work, sum, first, count, cut_.is_in_shared_memory() ? nullptr : memory_ + cut_.rooms_at(),
                     port.abort);
    }
    device::launch(report_, shape(1, begin_threads), port, static_cast<const NestState*>(state), block);
    return true;
  }

  CudaTiles cut_;
  unsigned char* memory_;
  i64 most_blocks_ = 1;
  std::shared_ptr<const compiled::Module> modules_;
  device::Kernel<device::Port, NestState*, device::u64> begin_{};
  device::Kernel<NestState*, TileWork> rest_{};
  device::Kernel<NestState*, TileWork, i64, i64, i64, unsigned char*, const device::u64*> tiles_{};
  device::Kernel<device::Port, const NestState*, device::u64> report_{};
};

std::unique_ptr<device::BlockKernel> make_cells_cuda(const NestSpec& spec, device::Context& context,
                                                     void* workspace) {
  return std::make_unique<CellsOnCuda>(spec, context, workspace);
}

}  // namespace terrace::nest
