#include "kernels/pairs/methods.hpp"

#include <algorithm>

#include "kernels/pairs/cpu/lanes.hpp"
#include "kernels/pairs/cpu/measured.hpp"
#include "kernels/pairs/measured.hpp"
#include "kernels/pairs/plain.hpp"
#include "kernels/pairs/sweeps.hpp"
#include "kernels/wavefront/methods.hpp"

namespace terrace::pairs {
namespace {

using device::Backend;
using device::Limits;

std::string unfit_for_any(const PairsSpec& spec, const Limits&) { return fault_of(spec); }

/// The share of a pair's cost in that of one of its cells.
double of_cell(const PairsSpec& spec, double pair) { return spec.pair_cells > 0 ? pair / spec.pair_cells : 0; }

device::Cost plain_cost(const PairsSpec& spec, const Limits& limits) {
  const double pair = of_cell(spec, measured::CpuPlainBeside::pair);
  return {.seconds = (1 / measured::plain_rate + pair) / limits.processors};
}

std::size_t plain_workspace(const PairsSpec& spec, const Limits& limits) {
  const i64 rows = std::clamp<i64>(spec.most_pairs, 1, limits.processors);
  return static_cast<std::size_t>(rows) * plain_bytes(spec.longest_column, description_of(spec)->row_planes);
}

device::Cost lanes_cost(const PairsSpec& spec, const Limits& limits) {
  using Rates = measured::CpuLanes;
  using Beside = measured::CpuLanesBeside;
  const auto problem = description_of(spec);
  const bool warps = problem->items == wavefront::Items::values;
  const double rate = warps ? Rates::warping : problem->bits ? Rates::bits : Rates::alignments;
  const double pair = warps ? Beside::warping : problem->bits ? Beside::bits : Beside::alignment;
  const double block = spec.most_pairs > 0 ? Beside::block / static_cast<double>(spec.most_pairs) : 0;
  return {.seconds = (1 / rate + of_cell(spec, pair)) / limits.processors + of_cell(spec, block)};
}

std::size_t lanes_workspace(const PairsSpec& spec, const Limits& limits) {
  return lanes_bytes(spec, limits.processors);
}

std::string unfit_for_sweeps_on_cpu(const PairsSpec& spec, const Limits&) { return unfit_for_sweeps(spec); }

device::Cost sweeps_cost(const PairsSpec& spec, const Limits& limits) {
  const auto sweep = sweep_of(spec, spec.longest_row, spec.longest_column, Backend::cpu);
  return wavefront::choose_sweep_method(sweep, Backend::cpu, limits).cost(sweep, limits);
}

std::size_t sweeps_workspace(const PairsSpec& spec, const Limits& limits) {
  return sweeps_bytes(spec, limits.processors);
}

constexpr PairsMethod cpu_methods[] = {
    {"lanes", "a pair in each lane of a vector, in the narrowest type that holds it", Backend::cpu, "", true,
     unfit_for_lanes, lanes_cost, lanes_workspace, make_lanes},
    {"plain", "one pair after another, as the problem is defined", Backend::cpu, "", true, unfit_for_any, plain_cost,
     plain_workspace, make_plain},
    {sweeps_name, sweeps_help, Backend::cpu, "", false, unfit_for_sweeps_on_cpu, sweeps_cost, sweeps_workspace,
     make_sweeps}};

}  // namespace

std::span<const PairsMethod> pairs_methods() {
  static const auto all = device::joined_methods<PairsSpec>(pairs_cuda_methods(), cpu_methods);
  return all;
}

const PairsMethod& choose_pairs_method(const PairsSpec& spec, Backend backend, const Limits& limits) {
  return device::chosen_method("pairs of " + spec.problem, pairs_methods(), backend, "auto", spec, limits);
}

}  // namespace terrace::pairs
