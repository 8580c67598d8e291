#include "kernels/pairs/methods.hpp"

#include "kernels/pairs/cuda/lanes.hpp"
#include "kernels/pairs/cuda/plan.hpp"
#include "kernels/pairs/cuda/sweeps.hpp"
#include "kernels/pairs/measured.hpp"
#include "kernels/wavefront/visit.hpp"

namespace terrace::pairs {
namespace {

using device::Backend;
using device::Limits;

device::Cost cost(const PairsSpec& spec, const Limits&) {
  using Rates = measured::CudaPairs;
  const auto problem = description_of(spec);
  const bool warps = problem->items == wavefront::Items::values;
  return {.seconds = 1 / (warps ? Rates::warping : problem->bits ? Rates::bits : Rates::alignments)};
}

std::size_t workspace(const PairsSpec& spec, const Limits& limits) { return CudaPlan(spec, limits).workspace_bytes; }

std::unique_ptr<device::BlockKernel> make(const PairsSpec& spec, device::Context& context, void* memory) {
  std::unique_ptr<device::BlockKernel> made;
  wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (P::items != wavefront::Items::grid) made = CudaPairs<P>::make(spec, context, memory);
  });
  return made;
}

std::string unfit_for_sweeps_on_cuda(const PairsSpec& spec, const Limits&) { return unfit_for_sweeps(spec); }

device::Cost sweeps_cost(const PairsSpec& spec, const Limits& limits) {
  const auto sweep = sweep_of(spec, spec.longest_row, spec.longest_column, Backend::cuda);
  return wavefront::choose_sweep_method(sweep, Backend::cuda, limits).cost(sweep, limits);
}

std::size_t sweeps_workspace(const PairsSpec& spec, const Limits& limits) {
  return SweepsPlan(spec, limits).workspace_bytes;
}

std::unique_ptr<device::BlockKernel> make_sweeps_on_cuda(const PairsSpec& spec, device::Context& context,
                                                         void* memory) {
  std::unique_ptr<device::BlockKernel> made;
  wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (P::items != wavefront::Items::grid) made = CudaPairs<P>::make_sweeps(spec, context, memory);
  });
  return made;
}

constexpr PairsMethod methods[] = {{"lanes", "a few lanes a pair, or a thread; scores in 16 bits where they fit",
                                    Backend::cuda, "", true, unfit_for_cuda, cost, workspace, make},
                                   {sweeps_name, sweeps_help, Backend::cuda, "", false, unfit_for_sweeps_on_cuda,
                                    sweeps_cost, sweeps_workspace, make_sweeps_on_cuda}};

}  // namespace

std::span<const PairsMethod> pairs_cuda_methods() { return methods; }

}  // namespace terrace::pairs
