#include "stages/in_place/worker.hpp"

#include <cstring>

#include "pipeline/run/slots.hpp"
#include "stages/stage_methods.hpp"

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
  workspace_ = workspace_for(plan.method(), plan.spec(), context);
  sweep_ = make_kernel(plan.method(), plan.spec(), context, workspace_.get());
}

void InPlaceWorker::bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const {
  InPlaceTask task = plan_.task_of(phase.number, view.index);
  run::bind_slots(slots, view, task);
  // Slabs are bound in the order in which a launch takes them; the first of a launch has none before it.
  task.begin_before = bound_.row_begin;
  task.left_before = bound_.row_end == bound_.part_end && bound_.row_end < plan_.spec().rows ? 1 : 0;
  bound_ = task;
  std::memcpy(descriptor, &task, sizeof task);
}

}  // namespace terrace::stages
