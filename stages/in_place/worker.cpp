#include "stages/in_place/worker.hpp"

#include <cstring>

#include "pipeline/run/slots.hpp"

namespace terrace::stages {
namespace {

using in_place::InPlaceTask;
using run::field;

constexpr run::SlotField<InPlaceTask> slots[] = {
    field<&InPlaceTask::rows, &InPlaceTask::stride>(InPlaceSlot::rows, "rows"),
    field<&InPlaceTask::above>(InPlaceSlot::above, "above"),
};

}  // namespace

InPlaceWorker::InPlaceWorker(const InPlacePlan& plan, device::Context& context) : plan_(plan) {
  const in_place::InPlaceSpec& spec = plan.spec();
  if (context.shares_host_memory()) {
    sweep_ = in_place::make_in_place_cpu(spec, context);
  } else {
    const std::size_t bytes = in_place::in_place_cuda_bytes(spec, context.limits());
    workspace_ = std::make_unique<device::Memory>(context, bytes);
    sweep_ = in_place::make_in_place_cuda(spec, context, workspace_->data());
  }
}

void InPlaceWorker::bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const {
  InPlaceTask task = plan_.task_of(phase.number, view.index);
  run::bind_slots(slots, view, task);
  std::memcpy(descriptor, &task, sizeof task);
}

}  // namespace terrace::stages
