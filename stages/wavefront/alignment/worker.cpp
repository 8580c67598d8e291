#include "stages/wavefront/alignment/worker.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/wavefront/methods.hpp"
#include "pipeline/run/slots.hpp"

namespace terrace::stages {
namespace {

using run::field;
using wavefront::TraceTask;
using Slot = WavefrontSlot;

constexpr run::SlotField<TraceTask> box_slots[] = {
    field<&TraceTask::rows>(Slot::rows, "rows"),
    field<&TraceTask::columns>(Slot::columns, "columns"),
    field<&TraceTask::top>(Slot::top, "top"),
    field<&TraceTask::left>(Slot::left, "left"),
    field<&TraceTask::row_borders>(Slot::row_borders, "row borders"),
    field<&TraceTask::column_borders>(Slot::column_borders, "column borders"),
};

/// The sweep over a box of a level, of `rows` x `columns` cells. It has no bound for the table outside the box, so it
/// leaves nothing out.
wavefront::SweepSpec box_sweep(wavefront::SweepSpec spec, const AlignmentLevel& level, std::int64_t rows,
                               std::int64_t columns) {
  spec.rows = rows;
  spec.columns = columns;
  spec.block_rows = level.block_rows;
  spec.block_columns = level.block_columns;
  spec.cell_rows = spec.cell_columns = 0;
  spec.by_strips = false;
  spec.schedule = wavefront::with_all_work(spec.schedule);
  return spec;
}

wavefront::TraceSpec trace_spec(const wavefront::SweepSpec& spec, const AlignmentLevels& levels) {
  const AlignmentLevel& last = levels.back();
  return {spec.problem, spec.settings, spec.value, spec.border, last.cell_rows, last.cell_columns};
}

}  // namespace

AlignmentWorkspace alignment_workspace(const wavefront::SweepSpec& spec, const AlignmentLevels& levels,
                                       const device::Limits& limits) {
  AlignmentWorkspace workspace;
  workspace.sweep = wavefront::sweep_workspace_bytes(table_sweep(spec, levels), device::Backend::cuda, limits);
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const AlignmentLevel& level = levels[i];
    if (level.kept_rows() + level.kept_columns() == 0) continue;
    const wavefront::SweepSpec box = box_sweep(spec, level, level.rows, level.columns);
    workspace.sweep = std::max(workspace.sweep, wavefront::sweep_workspace_bytes(box, device::Backend::cuda, limits));
  }
  workspace.walk = wavefront::cuda_trace_bytes(trace_spec(spec, levels));
  return workspace;
}

AlignmentWorker::AlignmentWorker(const AlignmentPlan& plan, device::Context& context)
    : plan_(plan), context_(context) {
  const wavefront::SweepSpec& spec = plan.spec();
  const wavefront::TraceSpec walk = trace_spec(spec, plan.levels());
  if (context.shares_host_memory()) {
    table_ = wavefront::make_sweep(spec, context, nullptr);
    tracer_ = wavefront::make_cpu_tracer(walk);
  } else {
    const AlignmentWorkspace bytes = alignment_workspace(spec, plan.levels(), context.limits());
    sweep_workspace_ = std::make_unique<device::Memory>(context, bytes.sweep);
    walk_workspace_ = std::make_unique<device::Memory>(context, bytes.walk);
    table_ = wavefront::make_sweep(spec, context, sweep_workspace_->data());
    tracer_ = wavefront::make_cuda_tracer(walk, context, walk_workspace_->data());
  }
}

void AlignmentWorker::bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const {
  const auto what = phase.value.as<AlignmentPhase>();
  if (plan_.takes_box(what)) {
    TraceTask task = plan_.box_task(what);
    run::bind_slots(box_slots, view, task);
    std::memcpy(descriptor, &task, sizeof task);
  } else {
    wavefront::KeptTask task = plan_.sweep_task(what, view.index);
    bind_sweep(view, task);
    std::memcpy(descriptor, &task.block, sizeof task.block);
  }
}

void AlignmentWorker::run(const run::Phase& phase, const device::Port& port, int) {
  const auto what = phase.value.as<AlignmentPhase>();
  if (what.walks != 0) return tracer_->run(port);
  if (what.level == 0) return table_->run(port);
  const AlignmentLevel& level = plan_.levels()[what.box_level()];
  const std::int64_t rows = what.row_end - what.row_begin, columns = what.column_end - what.column_begin;
  if (context_.shares_host_memory()) {
    box_ = wavefront::make_cpu_box_sweep(box_sweep(plan_.spec(), level, rows, columns), context_);
  } else {
    // Its blocks are no smaller than the level's, so that the size of their workspace is known. It uses the workspace
    // of the table's sweep, which has ended.
    const wavefront::SweepSpec box =
        box_sweep(plan_.spec(), level, std::max(rows, level.block_rows), std::max(columns, level.block_columns));
    box_ = wavefront::make_sweep(box, context_, sweep_workspace_->data());
  }
  box_->run(port);
}

}  // namespace terrace::stages
