#include "kernels/wavefront/costs.hpp"

#include <algorithm>
#include <iterator>

#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/tile_sizes.hpp"

namespace terrace::wavefront {

using device::Backend;
using measured::CellCost;

CellCost cell_cost(const SweepSpec& spec, Backend backend, CellForm form) {
  using measured::cell_costs;
  const auto* row = std::ranges::find_if(cell_costs, [&](const auto& cost) {
    return (cost.problem == nullptr || spec.problem == cost.problem) &&
           (cost.variant == nullptr || spec.settings.has(cost.variant));
  });
  const bool cuda = backend == Backend::cuda;
  // Scores of problems with a bit-parallel form are measured in that form.
  const bool table = spec.table || form == CellForm::tiles || (form == CellForm::cells && description_of(spec)->bits);
  CellCost cost = cuda ? (table ? row->cuda_table : row->cuda_score) : table ? row->cpu_table : row->cpu_score;
  if (form == CellForm::tiles) {
    using Rates = measured::TileRates;
    const bool shared = spec.schedule.storage == Schedule::Storage::shared;
    cost.cells_per_second = !cuda ? Rates::cpu : shared ? Rates::cuda_shared : Rates::cuda_cache;
    cost.narrows = false;
  }
  return cost;
}

CellForm form_of(const SweepSpec& spec) {
  if (in_tiles(spec)) return CellForm::tiles;
  return !spec.table && description_of(spec)->bits ? CellForm::bits : CellForm::cells;
}

device::Cost sweep_cost(const SweepSpec& spec, Backend backend, const device::Limits& limits, CellForm form) {
  const double rate = cell_cost(spec, backend, form).cells_per_second;
  return {.seconds = 1 / (backend == Backend::cuda ? rate : rate * limits.processors)};
}

}  // namespace terrace::wavefront
