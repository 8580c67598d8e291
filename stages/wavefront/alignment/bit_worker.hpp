// The worker of alignments by bands of diagonals: sweeps and walks on one device.
#pragma once

#include <memory>

#include "stages/wavefront/alignment/bit_plan.hpp"
#include "stages/wavefront/sweep_worker.hpp"

namespace terrace::stages {

/// Bytes that walks allocate, in the memory of the device.
std::size_t bit_walk_bytes(const wavefront::SweepSpec& spec, const BitAlignmentCut& cut, bool cuda);

class BitAlignmentWorker : public run::Worker {
 public:
  BitAlignmentWorker(const BitAlignmentPlan& plan, device::Context& context);

  void bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, const device::Port& port, int attempt) override;

 private:
  const BitAlignmentPlan& plan_;
  SweepWorker sweeps_;
  std::unique_ptr<device::Memory> walk_workspace_;
  std::unique_ptr<device::BlockKernel> tracer_;
};

}  // namespace terrace::stages
