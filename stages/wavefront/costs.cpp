#include "stages/wavefront/costs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "kernels/device/ceilings.hpp"
#include "kernels/wavefront/costs.hpp"
#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/methods.hpp"
#include "kernels/wavefront/tracer.hpp"
#include "kernels/wavefront/window.hpp"
#include "stages/wavefront/measured.hpp"
#include "stages/wavefront/plan.hpp"

namespace terrace::stages {
namespace {

using wavefront::SweepSpec;

using measured::WalkCost;
using wavefront::measured::CellCost;

/// True if sweeps of the problem leave out cells that cannot change the result, as far as they find them.
bool leaves_out(const SweepSpec& spec) {
  if (spec.schedule.work == wavefront::Schedule::Work::all) return false;
  const auto problem = wavefront::description_of(spec);
  return problem->prunes || problem->bits;
}

/// Operations that a cell of 16 bits spares of those of 32 bits: a word of two takes one less than two cells, for
/// affine gaps five, for linear ones three.
constexpr double spared_in_pairs = 0.5;

/// The ceiling of a CUDA device that bounds the operations of a method's cells.
const char* cuda_ceiling(const SweepSpec& spec, std::string_view method) {
  namespace ceilings = device::ceilings;
  const bool wide = size_of(spec.value) > 4, real = is_floating(spec.value);
  if (method == "bits") return ceilings::logic;
  if (method == "pairs") return ceilings::i16x2_add_maximum;
  if (wavefront::description_of(spec)->items == wavefront::Items::grid) {
    if (real) return wide ? ceilings::f64_add : ceilings::f32_add;
    return wide ? ceilings::i64_add : ceilings::i32_add;
  }
  if (real) return wide ? ceilings::f64_minimum : ceilings::f32_minimum;
  return wide ? ceilings::i64_minimum : ceilings::i32_add_maximum;
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
  add_way_back(back, cuda ? measured::cuda_walk : measured::cpu_walk, prediction);
}

void add_bit_way_back(const WayBack& back, bool cuda, run::Prediction& prediction) {
  add_way_back(back, cuda ? measured::cuda_bit_walk : measured::cpu_bit_walk, prediction);
}

double limit_of_operations(const SweepSpec& spec, std::string_view method, const Resources& resources) {
  const CellCost cost = wavefront::cell_cost(spec, resources.backend(), wavefront::form_of(spec));
  if (resources.cuda) {
    const double spared = method == "pairs" ? spared_in_pairs : 0;
    return device::ceiling_of(resources.device, cuda_ceiling(spec, method)) / (cost.operations - spared);
  }
  // The ceiling counts operations on 32 bits; a vector register of the CPU holds twice as many of 16.
  const double lanes = cost.narrows ? 4.0 / static_cast<double>(size_of(spec.value)) : 1;
  return lanes * resources.device.operations_per_second / cost.operations;
}

run::Prediction predict(const SweepSpec& spec, std::int64_t blocks, const TableNeed& need,
                        const Resources& resources) {
  const auto backend = resources.backend();
  const wavefront::SweepMethod& method = wavefront::choose_sweep_method(spec, backend, resources.device);
  run::Prediction p;
  p.blocks = blocks;
  p.unit = "cell";
  p.leaves_out = leaves_out(spec);
  const double cells = static_cast<double>(spec.rows) * static_cast<double>(spec.columns);
  const double tables = static_cast<double>(spec.layers);
  p.operations =
      tables * wavefront::cells_in_window(wavefront::description_of(spec)->window, 0, spec.rows, 0, spec.columns);
  p.operations_per_second = 1 / method.cost(spec, resources.device).seconds;
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
    p.workspace_bytes = method.workspace(spec, resources.device);
  }
  const BlockShape shape{spec.block_rows, spec.block_columns};
  p.block_shape = std::to_string(shape.rows) + " x " + std::to_string(shape.columns);
  p.block_bytes = static_cast<std::size_t>(block_bytes(need, shape));
  p.limit = limit_of_operations(spec, method.name, resources);
  p.limit_kind = "operations";
  const double cell_bytes = static_cast<double>(need.table_bytes + need.grid_bytes);
  const auto bound = [&](double bytes_per_second, double bytes, const char* kind) {
    if (bytes_per_second <= 0 || bytes <= 0) return;
    const double rate = bytes_per_second / bytes;
    if (p.limit <= 0 || rate < p.limit) p.limit = rate, p.limit_kind = kind;
  };
  bound(resources.device.memory_bytes_per_second, cell_bytes, "device memory");
  // The rate was measured elsewhere: this machine is no faster than its limit. A launch of bands waits for the link,
  // and counts as computing; blocks of strips begin when their grid is there.
  const bool in_strips = resources.cuda && method.name == std::string_view("strips");
  if (in_strips && p.limit > 0) p.operations_per_second = std::min(p.operations_per_second, p.limit);
  bound(resources.device.link_bytes_per_second, static_cast<double>(std::max(need.table_bytes, need.grid_bytes)),
        "link");
  if (p.limit <= 0) p.limit_kind = "";
  else if (!in_strips) p.operations_per_second = std::min(p.operations_per_second, p.limit);
  if (in_strips) add_seconds(static_cast<double>(blocks) * measured::strip_block_seconds, p);
  if (need.in_parts) {
    const double parts = std::ceil(static_cast<double>(spec.rows) / static_cast<double>(spec.kept->every)) *
                         std::ceil(static_cast<double>(spec.columns) / static_cast<double>(spec.kept->every));
    add_seconds(parts * measured::kept_part_seconds, p);
  }
  return p;
}

}  // namespace terrace::stages
