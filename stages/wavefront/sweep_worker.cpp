#include "stages/wavefront/sweep_worker.hpp"

#include <cstring>

#include "kernels/wavefront/methods.hpp"

namespace terrace::stages {

SweepWorker::SweepWorker(const SweepPlan& plan, device::Context& context) : plan_(plan), context_(context) {
  if (context.shares_host_memory()) return;
  const std::size_t bytes = wavefront::sweep_workspace_bytes(plan.spec(), device::Backend::cuda, context.limits());
  workspace_ = std::make_unique<device::Memory>(context, bytes);
  make_sweep(plan.first_margin());
}

void SweepWorker::make_sweep(std::int64_t margin) {
  wavefront::SweepSpec spec = plan_.spec();
  spec.band = plan_.band(margin);
  spec.limits = plan_.limits(margin);
  sweep_ = wavefront::make_sweep(spec, context_, workspace_ ? workspace_->data() : nullptr);
  margin_ = margin;
}

void SweepWorker::bind(const run::Phase&, const run::BlockView& view, void* descriptor) const {
  wavefront::KeptTask task = plan_.task_of(view.index);
  bind_sweep(view, task);
  static_assert(offsetof(wavefront::KeptTask, block) == 0);
  std::memcpy(descriptor, &task, plan_.task_bytes());
}

void SweepWorker::run(const run::Phase& phase, const device::Port& port, int) {
  const std::int64_t margin = plan_.margin_of(phase);
  if (!sweep_ || margin_ != margin) make_sweep(margin);
  sweep_->run(port);
}

}  // namespace terrace::stages
