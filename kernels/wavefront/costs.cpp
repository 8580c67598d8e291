#include "kernels/wavefront/costs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/measured.hpp"
#include "kernels/wavefront/tile_sizes.hpp"

namespace terrace::wavefront {
namespace {

/// Rows whose bands follow one another without a pause.
std::int64_t rows_in_flow(const SweepSpec& spec) {
  return spec.by_strips || spec.block_rows == 0 ? spec.rows : spec.block_rows;
}

}  // namespace

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
    const double step = shared ? Rates::cuda_shared_step : Rates::cuda_cache_step;
    const auto rows = static_cast<double>(spec.rows), columns = static_cast<double>(spec.columns);
    // An empty table has no cell that the rate is of.
    const double by_way = std::max(1.0, rows * columns) / (std::max(1.0, rows + columns) * step);
    cost.cells_per_second = !cuda ? Rates::cpu : std::min(cost.cells_per_second, by_way);
    cost.narrows = false;
  }
  return cost;
}

CellForm form_of(const SweepSpec& spec) {
  if (in_tiles(spec)) return CellForm::tiles;
  return !spec.table && description_of(spec)->bits ? CellForm::bits : CellForm::cells;
}

double filled_share(const SweepSpec& spec, const device::Limits& limits) {
  using Rates = measured::BandRates;
  using Launches = measured::CudaLaunches;
  constexpr double many = 32.0 * measured::CudaLetters::many_rows, few = 32.0 * measured::CudaLetters::few_rows;
  const double processors = std::max(1, limits.processors);
  const auto rows = static_cast<double>(std::max<std::int64_t>(1, rows_in_flow(spec)));
  if (rows < processors * Launches::warps_of_processor / Launches::filling_share * many) {
    return Rates::one_warp * std::min(1.0, std::ceil(rows / few) / (processors * Rates::schedulers));
  }
  // The last bands leave warps without one.
  const double bands = std::ceil(rows / many), warps = processors * Rates::warps;
  return bands / (std::ceil(bands / warps) * warps);
}

device::Cost sweep_cost(const SweepSpec& spec, Backend backend, const device::Limits& limits, CellForm form) {
  using Rates = measured::BandRates;
  const auto description = description_of(spec);
  const double rate = cell_cost(spec, backend, form).cells_per_second;
  const bool wide = size_of(spec.value) > 4, grid = description->items == Items::grid;
  if (backend == Backend::cpu) {
    const bool halves = form == CellForm::cells && is_floating(spec.value) && wide && !grid;
    const double table = spec.table ? static_cast<double>(size_of(*spec.table)) : 0;
    return {.seconds = (halves ? 2 : 1) / (rate * limits.processors) + table / measured::cpu_table_bytes};
  }
  if (form == CellForm::bits) {
    constexpr double band_rows = 2048;
    const double bands = std::ceil(static_cast<double>(std::max<std::int64_t>(1, rows_in_flow(spec))) / band_rows);
    // A step of a band makes a word of cells where one of cells makes a few: it is never slower. Plans of alignments
    // in differences rely on it.
    const double by_cells = sweep_cost(spec, backend, limits, CellForm::cells).seconds;
    return {.seconds = std::min(1 / std::min(rate, bands * Rates::bits), 0.99 * by_cells)};
  }
  if (form == CellForm::tiles || spec.table || grid) return {.seconds = 1 / rate};
  device::Cost cost{.seconds = 1 / (rate * (wide ? Rates::wide : filled_share(spec, limits)))};
  if (description->window < std::max(spec.rows, spec.columns)) {
    constexpr double band_rows = 32.0 * measured::CudaLetters::few_rows;
    const double cells = cells_in_window(description->window, 0, spec.rows, 0, spec.columns);
    if (cells > 0) cost.seconds += static_cast<double>(spec.rows) / band_rows * Rates::window_step / cells;
  }
  return cost;
}

}  // namespace terrace::wavefront
