// The worker of a plan whose blocks are computed by one kernel.
#pragma once

#include <cstring>
#include <memory>
#include <utility>

#include "kernels/device/memory.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "pipeline/run/worker.hpp"

namespace terrace::stages {

/// A kernel with its workspace. The plan makes the descriptors: P::task(phase, view) returns the one of a block.
template <class P>
class KernelWorker final : public run::Worker {
 public:
  /// @param workspace memory in which the kernel works; null: it needs none
  KernelWorker(const P& plan, std::unique_ptr<device::BlockKernel> kernel,
               std::unique_ptr<device::Memory> workspace = nullptr)
      : plan_(plan), workspace_(std::move(workspace)), kernel_(std::move(kernel)) {}

  void bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override {
    const auto task = plan_.task(phase, view);
    std::memcpy(descriptor, &task, sizeof task);
  }
  void run(const run::Phase&, const device::Port& port, int) override { kernel_->run(port); }

 private:
  const P& plan_;
  std::unique_ptr<device::Memory> workspace_;  // outlives the kernel
  std::unique_ptr<device::BlockKernel> kernel_;
};

}  // namespace terrace::stages
