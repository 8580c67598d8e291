#include <algorithm>

#include "kernels/device/memory.hpp"
#include "kernels/stencil/cuda/blocks/blocks.hpp"
#include "kernels/stencil/cuda/formula.hpp"
#include "kernels/stencil/cuda/tiles/tiled.hpp"
#include "kernels/stencil/cut.hpp"
#include "kernels/stencil/visit.hpp"

namespace terrace::stencil {
namespace {

/// Bytes at the start of a workspace for the state that a block's kernels share.
constexpr std::size_t state_bytes = 8192;

static_assert(sizeof(StencilTask) + 64 <= state_bytes && sizeof(StencilTask) % sizeof(device::u64) == 0);

}  // namespace

StencilWorkspace plan_stencil(const StencilSpec& spec) {
  const std::size_t size = size_of(spec.value);
  const std::size_t cells = static_cast<std::size_t>(Cut(spec).most_level_rows(spec.pass_steps) * spec.width());
  StencilWorkspace plan{};
  plan.terms_at = state_bytes;
  plan.drive_at = plan.terms_at + device::aligned_bytes(spec.terms.size() * sizeof(Term<double>));
  plan.sums_at = plan.drive_at + device::aligned_bytes(spec.drive.size() * size);
  plan.bytes = plan.sums_at +
               device::aligned_bytes((static_cast<std::size_t>(spec.extents[0]) / change_group + 1) * sizeof(double));
  for (std::size_t f = 0; f < static_cast<std::size_t>(spec.fields()); ++f) {
    plan.fields_at[f] = plan.bytes;
    plan.bytes += device::aligned_bytes(cells * size);
  }
  return plan;
}

std::size_t stencil_cuda_bytes(const StencilSpec& spec, const device::Limits& limits) {
  return plan_stencil(spec).bytes + tiled_bytes(spec, limits);
}

std::unique_ptr<device::BlockKernel> make_stencil_cuda(const StencilSpec& spec, device::Context& context,
                                                       void* workspace) {
  check_stencil(spec);
  if (is_tiled(spec)) return make_tiled(spec, context, workspace);
  std::unique_ptr<device::BlockKernel> blocks;
  visit_formula(spec, [&]<class F>(F) {
    blocks = spec.value == ElementType::f32 ? CudaFormula<F, float>::make(spec, context, workspace)
                                            : CudaFormula<F, double>::make(spec, context, workspace);
  });
  return blocks;
}

}  // namespace terrace::stencil
