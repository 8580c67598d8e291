#include "kernels/wavefront/methods.hpp"

#include <algorithm>

#include "kernels/wavefront/costs.hpp"
#include "kernels/wavefront/cuda/sweep.hpp"
#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/tile_sizes.hpp"
#include "kernels/wavefront/visit.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::wavefront {
namespace {

using device::Backend;
using device::Limits;

template <SweepWay way>
std::string unfit(const SweepSpec& spec, const Limits&) {
  std::string why;
  visit_problem(spec.problem, spec.settings, [&]<class P>(P) { why = CudaSweeps<P>::unfit(way, spec); });
  return why;
}

std::string unfit_for_tiles(const SweepSpec& spec, const Limits&) {
  if (spec.by_strips) return "its blocks are not dealt in strips";
  if (!description_of(spec)->in_tiles) return "the papers' schedules compute letters, values and sums";
  return spec.kept ? "rows and columns are kept by cells in registers" : "";
}

template <SweepWay way>
device::Cost cost(const SweepSpec& spec, const Limits& limits) {
  constexpr CellForm form = way == SweepWay::bits    ? CellForm::bits
                            : way == SweepWay::tiles ? CellForm::tiles
                                                     : CellForm::cells;
  device::Cost cost = sweep_cost(spec, Backend::cuda, limits, form);
  if constexpr (way == SweepWay::pairs) {
    using Rates = measured::PairRates;
    bool fills = false;
    visit_problem(spec.problem, spec.settings,
                  [&]<class P>(P) { fills = CudaSweeps<P>::fills_in_pairs(spec, limits); });
    cost.seconds /= fills ? Rates::filled : Rates::in_chain;
  }
  return cost;
}

template <SweepWay way>
std::size_t workspace(const SweepSpec& spec, const Limits& limits) {
  return cuda_workspace_bytes(way, spec, limits, CudaTrial{});
}

template <SweepWay way>
std::unique_ptr<device::BlockKernel> make(const SweepSpec& spec, device::Context& context, void* memory) {
  return make_cuda_sweep(way, spec, context, memory, CudaTrial{});
}

template <SweepWay way>
constexpr SweepMethod method_of(const char* name, const char* help) {
  return {name, help, Backend::cuda, "", true, unfit<way>, cost<way>, workspace<way>, make<way>};
}

constexpr SweepMethod in_tiles_of(const char* schedule, const char* help) {
  constexpr SweepWay way = SweepWay::tiles;
  return {schedule, help, Backend::cuda, schedule, false, unfit_for_tiles, cost<way>, workspace<way>, make<way>};
}

constexpr SweepMethod methods[] = {
    method_of<SweepWay::bits>("bits", "differences of cells, a bit a row"),
    method_of<SweepWay::pairs>("pairs", "cells of 16 bits, two to a word"),
    method_of<SweepWay::cells>("cells", "cells in registers, bands of rows behind one another"),
    method_of<SweepWay::strips>("strips", "sums of whole numbers, strips of columns side by side"),
    method_of<SweepWay::sums>("sums", "sums that keep an order, row after row"),
    in_tiles_of("square_barrier", "square tiles, a barrier between their anti-diagonals"),
    in_tiles_of("hyperplane_barrier", "tiles along the anti-diagonals, a barrier"),
    in_tiles_of("peer_square", "square tiles, flags between neighbours (PeerWave)"),
    in_tiles_of("peer_hyperplane", "tiles along the anti-diagonals, flags (PeerWave)"),
    in_tiles_of("peer_flexible", "the same, as wide as PeerWave's model says"),
    in_tiles_of("shared_hyperplane", "tiles along the anti-diagonals in shared memory, counters (Li)")};

constexpr SweepWay ways[] = {SweepWay::bits, SweepWay::pairs, SweepWay::cells, SweepWay::strips, SweepWay::sums};

bool fits(SweepWay way, const SweepSpec& spec) {
  return methods[static_cast<std::size_t>(way)].unfit(spec, Limits{}).empty();
}

}  // namespace

std::span<const SweepMethod> wavefront_cuda_methods() { return methods; }

SweepWay way_of(const SweepSpec& spec, const Limits& limits, const CudaTrial& trial) {
  if (in_tiles(spec)) return SweepWay::tiles;
  if (trial.pairs && fits(SweepWay::pairs, spec)) return SweepWay::pairs;
  const bool in_bits = fits(SweepWay::bits, spec) && !trial.cells;
  if (trial.cells || trial.lane_rows > 0) {
    if (fits(SweepWay::cells, spec)) return in_bits ? SweepWay::bits : SweepWay::cells;
  }
  const std::string name = choose_sweep_method(spec, Backend::cuda, limits).name;
  return *std::ranges::find_if(ways,
                               [&](SweepWay way) { return name == methods[static_cast<std::size_t>(way)].name; });
}

}  // namespace terrace::wavefront
