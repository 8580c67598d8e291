// The worker of sweeps over a wavefront table, on one device.
#pragma once

#include <memory>

#include "kernels/device/memory.hpp"
#include "pipeline/run/worker.hpp"
#include "stages/wavefront/sweep_plan.hpp"

namespace terrace::stages {

class SweepWorker : public run::Worker {
 public:
  SweepWorker(const SweepPlan& plan, device::Context& context);

  void bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, const device::Port& port, int attempt) override;

 private:
  void make_sweep(std::int64_t margin);

  const SweepPlan& plan_;
  device::Context& context_;
  std::unique_ptr<device::Memory> workspace_;
  std::unique_ptr<device::BlockKernel> sweep_;  // of the band of margin_
  std::int64_t margin_ = Widening::whole;
};

}  // namespace terrace::stages
