#include "kernels/in_place/cuda/sweep.hpp"

#include <algorithm>

#include "kernels/device/memory.hpp"
#include "kernels/in_place/measured.hpp"
#include "kernels/in_place/methods.hpp"
#include "kernels/in_place/visit.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::in_place {
namespace {

constexpr std::size_t words_bytes = 1024, slot_bytes = 128;

}  // namespace

InPlaceShape in_place_shape(const InPlaceSpec& spec, const InPlaceTrial& trial) {
  const int slant = has_corners(spec) ? 1 : 0, bytes = static_cast<int>(size_of(spec.value));
  const bool few = trial.group != InPlaceTrial::Group::any
                       ? trial.group == InPlaceTrial::Group::few
                       : spec.pass_sweeps <= measured::CudaInPlace::most_few_sweeps;
  return {slant, bytes, few};
}

InPlaceWorkspace plan_in_place(const InPlaceSpec& spec, const InPlaceShape& shape) {
  const bool one_slab = spec.slab_rows >= spec.rows;
  InPlaceWorkspace plan;
  plan.slots = std::clamp<std::int64_t>(spec.slabs(), measured::CudaInPlace::least_under_way,
                                        measured::CudaInPlace::most_under_way);
  plan.groups = ceiling(spec.pass_sweeps, shape.sweeps());
  // In the last slab each group continues until all of its sweeps have reached the last row.
  const std::int64_t lines = (one_slab ? spec.rows : spec.slab_rows) + spec.pass_sweeps;
  plan.group_bands = ceiling(lines, InPlaceShape::rows);
  plan.tickets = (plan.group_bands + plan.groups - 1) * plan.groups;
  plan.group_words = (spec.columns + shape.sweeps() + shape.piece()) * shape.entry_words();
  plan.slots_at = words_bytes;
  plan.progress_at = plan.slots_at + device::aligned_bytes(plan.slots * static_cast<std::int64_t>(slot_bytes));
  plan.states_at = plan.progress_at + device::aligned_bytes(plan.slots * plan.groups * plan.group_bands * 8);
  plan.unused_row_at = plan.states_at + device::aligned_bytes(plan.groups * plan.group_words * 8);
  plan.bytes = plan.unused_row_at + device::aligned_bytes(spec.columns * shape.value_bytes);
  return plan;
}

std::size_t in_place_cuda_bytes(const InPlaceSpec& spec, const device::Limits&, const InPlaceTrial& trial) {
  return plan_in_place(spec, in_place_shape(spec, trial)).bytes;
}

std::unique_ptr<device::BlockKernel> make_in_place_cuda(const InPlaceSpec& spec, device::Context& context,
                                                        void* workspace, const InPlaceTrial& trial) {
  check_in_place(spec);
  if (spec.written) return make_written_in_place_cuda(spec, context, workspace, trial);
  std::unique_ptr<device::BlockKernel> sweep;
  visit_in_place(spec.problem,
                 [&]<class P>(P) { sweep = InPlaceCudaSweeps<P>::make(spec, context, workspace, trial); });
  return sweep;
}

std::span<const InPlaceMethod> in_place_cuda_methods() {
  using device::Limits;
  static constexpr InPlaceMethod methods[] = {
      {.name = "bands",
       .help = "warps take bands of rows, and make several sweeps of them behind one another in registers",
       .backend = device::Backend::cuda,
       .schedule = "",
       .automatic = true,
       .unfit = device::never_unfit,
       .cost = [](const InPlaceSpec& spec,
                  const Limits& limits) { return cost_of(spec, device::Backend::cuda, limits); },
       .workspace = [](const InPlaceSpec& spec,
                       const Limits& limits) { return in_place_cuda_bytes(spec, limits, InPlaceTrial{}); },
       .make = [](const InPlaceSpec& spec, device::Context& context,
                  void* workspace) { return make_in_place_cuda(spec, context, workspace, InPlaceTrial{}); }}};
  return methods;
}

}  // namespace terrace::in_place
