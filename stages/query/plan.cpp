#include "stages/query/plan.hpp"

#include <algorithm>

#include "kernels/recursive/tiles.hpp"
#include "pipeline/run/slots.hpp"
#include "stages/kernel_worker.hpp"
#include "stages/recursive/histogram.hpp"

namespace terrace::stages {

using recursive::ReductionTask;

namespace {

enum class Slot { rows, histogram };

constexpr run::SlotField<ReductionTask> slots[] = {
    run::field<&ReductionTask::data, &ReductionTask::stride>(Slot::rows, "rows"),
    run::field<&ReductionTask::histogram>(Slot::histogram, "histogram"),
};

}  // namespace

QueryPlan::QueryPlan(QueryCut cut, std::shared_ptr<io::Source> matrix) : cut_(std::move(cut)) {
  run::ArraySpec input;
  input.name = "matrix";
  input.role = run::Role::input;
  input.type = cut_.value;
  input.shape = {cut_.from, cut_.nodes};
  input.tile = {cut_.rows, std::max<std::int64_t>(1, cut_.nodes)};
  input.source = std::move(matrix);
  arrays_.push_back(std::move(input));
  if (cut_.bins) arrays_.push_back(histogram_array(*cut_.bins, blocks()));
}

std::int64_t QueryPlan::blocks() const {
  if (!cut_.totals) return 0;
  return std::max<std::int64_t>(cut_.bins ? 1 : 0, (cut_.from + cut_.rows - 1) / cut_.rows);
}

Box QueryPlan::rows(std::int64_t index) const {
  const std::int64_t first = index * cut_.rows;
  return {{first, 0}, {std::min(cut_.from, first + cut_.rows), cut_.nodes}};
}

std::optional<run::Phase> QueryPlan::phase(std::int64_t number, const run::Tally&) const {
  if (number > 0 || blocks() == 0) return std::nullopt;
  return run::Phase{number, blocks(), cut_.bins ? run::Order::in_turn : run::Order::any};
}

run::Block QueryPlan::block(const run::Phase&, std::int64_t index) const {
  const Box box = rows(index);
  run::Block block{{{Slot::rows, 0, 0, box, run::Mode::read}}, static_cast<double>(box.volume())};
  if (cut_.bins) {
    block.accesses.push_back(histogram_access(Slot::histogram, histogram_, arrays_[histogram_], index));
  }
  return block;
}

ReductionTask QueryPlan::task(const run::Phase&, const run::BlockView& view) const {
  const Box box = rows(view.index);
  ReductionTask task{};
  task.rows = box.shape()[0];
  task.columns = box.shape()[1];
  for (std::int64_t row = 0; row < task.rows; ++row) {
    const std::int64_t at = box.begin[0] + row;
    task.self[row] = static_cast<device::i32>(cut_.sources ? (*cut_.sources)[static_cast<std::size_t>(at)] : at);
  }
  if (cut_.bins) task.bins = *cut_.bins;
  task.makes_histogram = view.index == 0 ? 1 : 0;
  run::bind_slots(slots, view, task);
  return task;
}

std::unique_ptr<run::Worker> QueryPlan::make_worker(device::Context& context) const {
  using Worker = KernelWorker<QueryPlan>;
  if (context.shares_host_memory()) {
    return std::make_unique<Worker>(*this, recursive::make_reduction_cpu(cut_.value, context));
  }
  auto workspace = std::make_unique<device::Memory>(context, recursive::reduction_cuda_bytes());
  auto kernel = recursive::make_reduction_cuda(cut_.value, context, workspace->data());
  return std::make_unique<Worker>(*this, std::move(kernel), std::move(workspace));
}

}  // namespace terrace::stages
