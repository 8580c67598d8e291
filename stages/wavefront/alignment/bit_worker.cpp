#include "stages/wavefront/alignment/bit_worker.hpp"

#include <cstring>

#include "pipeline/run/slots.hpp"

namespace terrace::stages {
namespace {

using run::field;
using wavefront::BitTraceTask;
using Slot = WavefrontSlot;

constexpr run::SlotField<BitTraceTask> walk_slots[] = {
    field<&BitTraceTask::rows>(Slot::rows, "rows"),
    field<&BitTraceTask::columns>(Slot::columns, "columns"),
    field<&BitTraceTask::row_lines, &BitTraceTask::row_plane, 2>(Slot::row_lines, "row lines"),
    field<&BitTraceTask::column_lines, &BitTraceTask::column_plane, 2>(Slot::column_lines, "column lines"),
    field<&BitTraceTask::above>(Slot::above, "above"),
    field<&BitTraceTask::before>(Slot::before, "before"),
};

/// @param spec as bit_sweep gives it
wavefront::TraceSpec trace_spec(const wavefront::SweepSpec& spec) {
  return {spec.problem,
          spec.settings,
          spec.value,
          spec.border,
          spec.bit_lines->rows,
          spec.bit_lines->columns,
          cells_of_walk(spec.bit_lines->columns)};
}

}  // namespace

std::size_t bit_walk_bytes(const wavefront::SweepSpec& spec, const BitAlignmentCut& cut, bool cuda) {
  const wavefront::TraceSpec walk = trace_spec(bit_sweep(spec, cut));
  return cuda ? wavefront::cuda_trace_bytes(walk) : wavefront::cpu_bit_trace_bytes(walk);
}

BitAlignmentWorker::BitAlignmentWorker(const BitAlignmentPlan& plan, device::Context& context)
    : plan_(plan), sweeps_(plan, context) {
  const wavefront::TraceSpec walk = trace_spec(plan.spec());
  if (context.shares_host_memory()) {
    tracer_ = wavefront::make_cpu_bit_tracer(walk);
  } else {
    walk_workspace_ = std::make_unique<device::Memory>(context, wavefront::cuda_trace_bytes(walk));
    tracer_ = wavefront::make_cuda_bit_tracer(walk, context, walk_workspace_->data());
  }
}

void BitAlignmentWorker::bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const {
  const auto what = phase.value.as<BitAlignmentPhase>();
  if (what.walks == 0) return sweeps_.bind(phase, view, descriptor);
  BitTraceTask task = plan_.walk_task(what);
  run::bind_slots(walk_slots, view, task);
  std::memcpy(descriptor, &task, sizeof task);
}

void BitAlignmentWorker::run(const run::Phase& phase, const device::Port& port, int attempt) {
  if (phase.value.as<BitAlignmentPhase>().walks != 0) tracer_->run(port);
  else sweeps_.run(phase, port, attempt);
}

}  // namespace terrace::stages
