// The worker of alignments: sweeps and walks on one device.
#pragma once

#include <memory>

#include "kernels/device/memory.hpp"
#include "pipeline/run/worker.hpp"
#include "stages/wavefront/alignment/plan.hpp"

namespace terrace::stages {

/// Device memory that sweeps and walks need in addition to their blocks, on CUDA.
struct AlignmentWorkspace {
  std::size_t sweep = 0, walk = 0;
};
AlignmentWorkspace alignment_workspace(const wavefront::SweepSpec& spec, const AlignmentLevels& levels,
                                       const device::Limits& limits);

class AlignmentWorker : public run::Worker {
 public:
  AlignmentWorker(const AlignmentPlan& plan, device::Context& context);

  void bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, const device::Port& port, int attempt) override;

 private:
  const AlignmentPlan& plan_;
  device::Context& context_;
  std::unique_ptr<device::Memory> sweep_workspace_, walk_workspace_;
  std::unique_ptr<device::BlockKernel> table_, box_;  // of the table, and of the box that is swept now
  std::unique_ptr<device::BlockKernel> tracer_;
};

}  // namespace terrace::stages
