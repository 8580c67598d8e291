// Launches the kernels of marches of nests. Included by the source that the build makes from cuda/march.cu.in.
#pragma once

#include <algorithm>
#include <memory>

#include "kernels/compiled/store.hpp"
#include "kernels/launch/cuda_blocks.cuh"
#include "kernels/launch/launch.cuh"
#include "kernels/nest/cuda/march.hpp"
#include "kernels/nest/cuda/march_shape.hpp"
#include "kernels/nest/cuda/state.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::nest {

class MarchOnCuda final : public device::CudaBlocks<NestTask, NestResult> {
  using Blocks = device::CudaBlocks<NestTask, NestResult>;

 public:
  MarchOnCuda(const NestSpec& spec, device::Context& context, void* workspace)
      : Blocks("nest", context),
        cut_(spec, context.limits()),
        rank_(spec.skew.rank()),
        memory_(static_cast<unsigned char*>(workspace)) {
    if (context.modules() == nullptr) throw DeviceError("nest", "there is no place for kernels of nests");
    modules_ = context.modules()->module(cut_.source(spec), context);
    const auto set = [&](auto& kernel, std::size_t number, const char* name) {
      kernel = {modules_->kernel(number), name};
    };
    set(begin_, 0, "begin_nest_kernel");
    set(rest_, 1, "make_rest_kernel");
    set(prepare_, 2, "prepare_march_kernel");
    set(march_, 3, "march_kernel");
    set(finish_, 4, "finish_march_kernel");
    set(report_, 5, "report_nest_kernel");
    load(begin_, begin_threads);
    load(rest_, rest_threads);
    load(report_, begin_threads);
    most_blocks_ = load(march_, march_threads, cut_.shared_bytes());
    others_ = std::min(load(prepare_, march_threads), load(finish_, march_threads));
  }

 private:
  bool submit(const device::Port& port, device::u64 block, const NestTask& task) override {
    auto* state = reinterpret_cast<NestState*>(memory_);
    device::launch(begin_, shape(1, begin_threads), port, state, block);
    const MarchWork work = cut_.work(task, memory_);
    const bool has_rest =
        std::any_of(task.parts, task.parts + task.part_count, [](const Part& part) { return part.statement < 0; });
    if (has_rest || task.makes_corners != 0)
      device::launch(rest_, shape(64, rest_threads), static_cast<NestState*>(state), work.block);
    if (!CudaMarch::is_empty(task, rank_)) {
      MarchWork first = work;
      std::copy_n(task.before, most_coordinates, first.before);
      device::launch(prepare_, shape(others_, march_threads), static_cast<const NestState*>(state), first,
                     cut_.copies(memory_));
      constexpr i64 warps = march_threads / march_lanes;
      const i64 tickets = work.groups * (work.bands + 1);
      device::launch(march_,
                     shape(std::min((tickets + warps - 1) / warps, most_blocks_), march_threads, cut_.shared_bytes()),
                     state, work, static_cast<const device::u64*>(port.abort));
      device::launch(finish_, shape(others_, march_threads), static_cast<const NestState*>(state), work);
    }
    device::launch(report_, shape(1, begin_threads), port, static_cast<const NestState*>(state), block);
    return true;
  }

  CudaMarch cut_;
  std::size_t rank_;
  unsigned char* memory_;
  i64 most_blocks_ = 1, others_ = 1;
  std::shared_ptr<const compiled::Module> modules_;
  device::Kernel<device::Port, NestState*, device::u64> begin_{};
  device::Kernel<NestState*, TileWork> rest_{};
  device::Kernel<const NestState*, MarchWork, Word*> prepare_{};
  device::Kernel<NestState*, MarchWork, const device::u64*> march_{};
  device::Kernel<const NestState*, MarchWork> finish_{};
  device::Kernel<device::Port, const NestState*, device::u64> report_{};
};

std::unique_ptr<device::BlockKernel> make_march_cuda(const NestSpec& spec, device::Context& context,
                                                     void* workspace) {
  return std::make_unique<MarchOnCuda>(spec, context, workspace);
}

}  // namespace terrace::nest
