// The worker of in-place sweeps: slabs on one device.
#pragma once

#include <memory>

#include "kernels/device/memory.hpp"
#include "pipeline/run/worker.hpp"
#include "stages/in_place/plan.hpp"

namespace terrace::stages {

class InPlaceWorker : public run::Worker {
 public:
  InPlaceWorker(const InPlacePlan& plan, device::Context& context);

  void bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase&, const device::Port& port, int) override { sweep_->run(port); }

 private:
  const InPlacePlan& plan_;
  mutable in_place::InPlaceTask bound_{};  // the slab before, if it is of the same launch
  std::unique_ptr<device::Memory> workspace_;
  std::unique_ptr<device::BlockKernel> sweep_;
};

}  // namespace terrace::stages
