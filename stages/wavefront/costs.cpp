#include "stages/wavefront/costs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "kernels/wavefront/problems.hpp"
#include "kernels/wavefront/pruning.hpp"
#include "kernels/wavefront/tracer.hpp"
#include "kernels/wavefront/window.hpp"
#include "stages/wavefront/plan.hpp"

namespace terrace::stages {
namespace {

using wavefront::SweepSpec;

/// The cost of a cell.
struct Cost {
  /// Operations of 32 bits that it needs at least, tracking of the best cell included: on a GPU those on the narrow
  /// pipe (min, max, fused add-max, logic; of the best cell none, since few pieces can have it), on the CPU all on
  /// vectors (compare, select, add, max).
  double operations;
  double cells_per_second;  // for predictions: measured if in tests/benchmarks/RESULTS.md, else of a similar cell
  bool narrows = true;      // a vector of the CPU takes twice as many cells of 16 bits
};

/// Scores alone in differences, a bit a row.
constexpr Cost in_bits(double operations_a_word, double cells_per_second) {
  return {operations_a_word / 32, cells_per_second, false};
}

struct CellCost {
  const char* problem;          // null: any
  const char* variant;          // the parameter that picks it; null: any
  Cost cpu_table, cpu_score;    // of one core with AVX2, if the table is kept, and if it is not
  Cost cuda_table, cuda_score;  // of an H200
};

constexpr CellCost cell_costs[] = {
    {"smith_waterman", "gap_open", {10, 5e9}, {10, 5e9}, {4, 1.5e12}, {3, 2.7e12}},
    {"smith_waterman", nullptr, {7, 5e9}, {7, 5e9}, {3, 1.5e11}, {2, 4e12}},
    {"needleman_wunsch", "gap_open", {10, 5e9}, {10, 5e9}, {3, 1.5e12}, {3, 1.5e12}},
    {"needleman_wunsch", nullptr, {6, 5e9}, {6, 5e9}, {2, 1.7e12}, {2, 1.7e12}},
    {"edit_distance", nullptr, {4, 1e10}, in_bits(9, 3.5e10), {3, 1.6e11}, in_bits(9, 2.25e13)},
    {"lcs", nullptr, {4, 1e10}, in_bits(6, 6e10), {3, 2.8e12}, in_bits(4, 2.6e13)},
    {"dtw", nullptr, {5, 4e9}, {5, 4e9}, {2, 8e11}, {2, 1.3e12}},
    {"summed_area", nullptr, {2, 1e9}, {2, 1e9}, {2, 4.1e11}, {2, 4.1e11}},
    {"integral_histogram", nullptr, {3, 1e9}, {3, 1e9}, {3, 1.9e11}, {3, 1.9e11}},
    {nullptr, nullptr, {4, 5e9}, {4, 5e9}, {3, 1.5e12}, {3, 1.5e12}},  // any other
};

/// Kernel tiles in memory compute cell by cell, whether the table is kept or not: large tables of any problem.
Cost in_tiles(const wavefront::Schedule& schedule, Cost cost, bool cuda) {
  const bool shared = schedule.storage == wavefront::Schedule::Storage::shared;
  cost.cells_per_second = !cuda ? 3e8 : shared ? 5e10 : 2e10;
  cost.narrows = false;
  return cost;
}

Cost cost_of(const SweepSpec& spec, bool cuda) {
  const CellCost* found = std::find_if(std::begin(cell_costs), std::end(cell_costs), [&](const CellCost& cost) {
    return (cost.problem == nullptr || spec.problem == cost.problem) &&
           (cost.variant == nullptr || spec.settings.has(cost.variant));
  });
  if (spec.schedule.storage != wavefront::Schedule::Storage::registers) {
    return in_tiles(spec.schedule, cuda ? found->cuda_table : found->cpu_table, cuda);
  }
  if (cuda) return spec.table ? found->cuda_table : found->cuda_score;
  return spec.table ? found->cpu_table : found->cpu_score;
}

/// The cost of a way back: of a walk cell by cell, and of each block in addition to its cells.
struct WalkCost {
  double cells_per_second, block_seconds;
};
constexpr WalkCost cpu_walk{1.5e8, 1.3e-4};    // as measured on two threads
constexpr WalkCost bit_walk{1e10, 1.3e-4};     // in differences, by one thread
constexpr WalkCost cuda_walk{1e11, 2e-4};      // of large boxes, by the length of their chain of steps; not measured
constexpr WalkCost cuda_bit_walk{8e10, 1e-3};  // of cells side by side, with the host's time between launches
constexpr double kept_part_seconds = 2e-6;     // of the CPU, as measured: of a block between kept lines

/// True if sweeps of the problem leave out cells that they find unable to change the result.
bool leaves_out(const SweepSpec& spec) {
  if (spec.schedule.work == wavefront::Schedule::Work::all) return false;
  bool prunes = false;
  wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) { prunes = wavefront::can_prune<P>; });
  return prunes || wavefront::has_bits(spec.problem, spec.settings);
}

/// Adds time in which no cell is counted.
void add_seconds(double seconds, run::Prediction& p) {
  if (p.operations <= 0 || p.operations_per_second <= 0) return;
  p.operations_per_second = p.operations / (p.operations / p.operations_per_second + seconds);
}

}  // namespace

namespace {

void add_way_back(const WayBack& back, const WalkCost& cost, run::Prediction& prediction) {
  prediction.operations += back.swept;
  prediction.blocks += back.blocks;
  add_seconds(back.walked / cost.cells_per_second + static_cast<double>(back.blocks) * cost.block_seconds,
              prediction);
}

}  // namespace

void add_way_back(const WayBack& back, bool cuda, run::Prediction& prediction) {
  add_way_back(back, cuda ? cuda_walk : cpu_walk, prediction);
}

void add_bit_way_back(const WayBack& back, bool cuda, run::Prediction& prediction) {
  add_way_back(back, cuda ? cuda_bit_walk : bit_walk, prediction);
}

run::Prediction predict(const SweepSpec& spec, std::int64_t blocks, const TableNeed& need,
                        const Resources& resources) {
  const Cost cost = cost_of(spec, resources.cuda);
  run::Prediction p;
  p.blocks = blocks;
  p.unit = "cell";
  p.leaves_out = leaves_out(spec);
  const double cells = static_cast<double>(spec.rows) * static_cast<double>(spec.columns);
  const double tables = static_cast<double>(spec.layers);
  p.operations = tables * wavefront::cells_in_window(half_width(spec), 0, spec.rows, 0, spec.columns);
  p.operations_per_second = cost.cells_per_second * (resources.cuda ? 1 : resources.device.processors);
  p.bytes_written = tables * cells * static_cast<double>(need.table_bytes);
  if (spec.kept) {
    const auto lines = [&](std::int64_t across, std::int64_t along) {
      return static_cast<double>(spec.kept->count(across, across)) * static_cast<double>(along);
    };
    p.bytes_written =
        (lines(spec.rows, spec.columns) + lines(spec.columns, spec.rows)) * static_cast<double>(need.kept_bytes);
  }
  p.bytes_read = need.grid_bytes > 0 ? cells * static_cast<double>(need.grid_bytes)
                                     : static_cast<double>((spec.rows + spec.columns) * need.item_bytes);
  if (resources.cuda) {
    p.bytes_up = p.bytes_read;
    p.bytes_down = p.bytes_written;
    p.workspace_bytes = wavefront::cuda_workspace_bytes(spec, resources.device);
  }
  const BlockShape shape{spec.block_rows, spec.block_columns};
  p.block_shape = std::to_string(shape.rows) + " x " + std::to_string(shape.columns);
  p.block_bytes = static_cast<std::size_t>(block_bytes(need, shape));
  // The ceiling counts operations on 32 bits; a vector register of the CPU holds twice as many of 16.
  const double lanes = resources.cuda || !cost.narrows ? 1 : 4.0 / static_cast<double>(size_of(spec.value));
  p.limit = lanes * resources.device.operations_per_second / cost.operations;
  p.limit_kind = "operations";
  const double cell_bytes = static_cast<double>(need.table_bytes + need.grid_bytes);
  const auto bound = [&](double bytes_per_second, double bytes, const char* kind) {
    if (bytes_per_second <= 0 || bytes <= 0) return;
    const double rate = bytes_per_second / bytes;
    if (p.limit <= 0 || rate < p.limit) p.limit = rate, p.limit_kind = kind;
  };
  bound(resources.device.memory_bytes_per_second, cell_bytes, "device memory");
  bound(resources.device.link_bytes_per_second, static_cast<double>(std::max(need.table_bytes, need.grid_bytes)),
        "link");
  if (p.limit <= 0) p.limit_kind = "";
  // The rate was measured elsewhere: this machine is no faster than its limit.
  else p.operations_per_second = std::min(p.operations_per_second, p.limit);
  if (need.in_parts) {
    const double parts = std::ceil(static_cast<double>(spec.rows) / static_cast<double>(spec.kept->every)) *
                         std::ceil(static_cast<double>(spec.columns) / static_cast<double>(spec.kept->every));
    add_seconds(parts * kept_part_seconds, p);
  }
  return p;
}

}  // namespace terrace::stages
