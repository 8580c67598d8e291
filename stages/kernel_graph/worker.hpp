// The worker of a graph: a kernel for each of its parts.
#pragma once

#include <memory>
#include <vector>

#include "kernels/device/memory.hpp"
#include "pipeline/run/worker.hpp"
#include "stages/kernel_graph/plan.hpp"

namespace terrace::stages {

/// The kernels share the memory in which they work: launches of a device come one after another. A kernel whose slabs
/// are a decision is made again when its phase begins.
class GraphWorker final : public run::Worker {
 public:
  GraphWorker(const GraphPlan& plan, device::Context& context);

  void bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, const device::Port& port, int attempt) override;

 private:
  /// Makes the kernels of all parts, on several threads. @throws what one of them throws
  void make_kernels();
  void make_kernel(std::size_t part, graph::GraphSpec spec);

  const GraphPlan& plan_;
  std::unique_ptr<device::Memory> workspace_;  // outlives the kernels
  device::Context& context_;
  std::shared_ptr<graph::Rooms> rooms_;  // null: each kernel has its own memory
  std::vector<std::unique_ptr<device::BlockKernel>> kernels_;
  std::vector<graph::GraphSpec> specs_;  // of the kernels
};

}  // namespace terrace::stages
