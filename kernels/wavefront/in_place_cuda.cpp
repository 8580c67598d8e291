#include "kernels/wavefront/in_place_cuda.hpp"

#include <algorithm>

#include "kernels/wavefront/in_place_problems.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::wavefront {
namespace {

constexpr std::int64_t segment_passes = 8, row_piece = 32, slabs_under_way = 4, group_turn = 8;
constexpr std::size_t words_bytes = 1024, slot_bytes = 128;

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::size_t align(std::int64_t bytes) { return static_cast<std::size_t>(ceiling(bytes, 256) * 256); }

}  // namespace

int in_place_lanes(const InPlaceSpec& spec, const InPlaceTrial& trial) {
  if (trial.lanes != 0) return trial.lanes;
  // Few sweeps leave most lanes of a group of 32 idle.
  return spec.pass_sweeps <= 8 ? 4 : 32;
}

InPlaceWorkspace plan_in_place(const InPlaceSpec& spec, int lanes) {
  const std::int64_t lag = find_in_place(spec.problem)->corners ? 2 : 1;
  const std::int64_t passes = 32 / lanes * segment_passes;
  const bool one_slab = spec.slab_rows >= spec.rows;
  InPlaceWorkspace plan;
  plan.slots = std::clamp<std::int64_t>(spec.slabs(), 1, slabs_under_way);
  plan.groups = ceiling(spec.pass_sweeps, lanes);
  // In the last slab each group goes on until all of its lanes are at the last row.
  const std::int64_t rows = one_slab ? spec.rows + lanes : spec.slab_rows + spec.pass_sweeps + lanes;
  plan.group_bands = ceiling(rows, passes);
  plan.tickets = (ceiling(plan.group_bands, group_turn) + plan.groups - 1) * plan.groups * group_turn;
  plan.margin = lag * (passes + 1);
  const std::int64_t steps = spec.columns + lag * lanes + 2 * plan.margin + 2 * row_piece;
  plan.group_words = steps * lanes * (spec.value == ElementType::f64 ? 2 : 1);
  plan.slots_at = words_bytes;
  plan.progress_at = plan.slots_at + align(plan.slots * static_cast<std::int64_t>(slot_bytes));
  plan.states_at = plan.progress_at + align(plan.slots * plan.groups * plan.group_bands * 8);
  plan.bytes = plan.states_at + align(plan.groups * plan.group_words * 8);
  return plan;
}

std::size_t in_place_cuda_bytes(const InPlaceSpec& spec, const device::Limits&, const InPlaceTrial& trial) {
  return plan_in_place(spec, in_place_lanes(spec, trial)).bytes;
}

std::size_t in_place_cuda_bytes(const InPlaceSpec& spec, const device::Limits& limits) {
  return in_place_cuda_bytes(spec, limits, InPlaceTrial{});
}

std::unique_ptr<Sweep> make_in_place_cuda(const InPlaceSpec& spec, device::Context& context, void* workspace,
                                          const InPlaceTrial& trial) {
  check_in_place(spec);
  std::unique_ptr<Sweep> sweep;
  visit_in_place(spec.problem,
                 [&]<class P>(P) { sweep = InPlaceCudaSweeps<P>::make(spec, context, workspace, trial); });
  return sweep;
}

std::unique_ptr<Sweep> make_in_place_cuda(const InPlaceSpec& spec, device::Context& context, void* workspace) {
  return make_in_place_cuda(spec, context, workspace, InPlaceTrial{});
}

}  // namespace terrace::wavefront
