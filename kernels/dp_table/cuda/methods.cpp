#include "kernels/dp_table/methods.hpp"

#include <algorithm>

#include "kernels/dp_table/kernels.hpp"
#include "kernels/dp_table/measured_rates.hpp"

namespace terrace::dp_table {
namespace {

using device::Backend;
using device::Limits;

double cells_in(const Table& table) {
  return static_cast<double>(std::max<std::int64_t>(1, cells_of(table.extents).value_or(1)));
}

/// By the model of the kernel's slabs, which knows look-ups and not what reading and writing few cells takes.
device::Cost cost_of_slabs(const TableSpec& spec, const Limits&) {
  const double tiles = tile_cuda_seconds(spec.table) * static_cast<double>(Tiles(spec.table).count());
  const double least = measured::cuda_cell_seconds + (spec.choice ? measured::cuda_choice_seconds : 0);
  const double modulo = spec.table.modulus > 0 ? look_ups_of(spec.table) * measured::cuda_modulo_seconds : 0;
  return {.seconds = std::max(tiles / cells_in(spec.table), least) + modulo};
}

device::Cost cost_of_partitions(const TableSpec& spec, const Limits&) {
  return {.seconds = look_ups_of(spec.table) / measured::cuda_partitioned_rate};
}

/// Cells that a step leads through one after another bound a pass. The cost is of a cell in all passes.
device::Cost cost_of_passes(const TableSpec& spec, const Limits&) {
  const StepSet& steps = spec.table.steps;
  double links = 0;
  for (std::int64_t s = 0; s < steps.count(); ++s) {
    double longest = 0;
    for (int d = 0; d < steps.dimensions; ++d) {
      const auto step = static_cast<double>(steps.step(s)[d]), extent = static_cast<double>(spec.table.extents[d]);
      if (step > 0) longest = longest == 0 ? extent / step : std::min(longest, extent / step);
    }
    links += longest;
  }
  const double passes = look_ups_of(spec.table);
  return {.seconds = passes / measured::cuda_rate + links * measured::cuda_link_seconds / cells_in(spec.table)};
}

std::size_t workspace(const TableSpec& spec, const Limits&) { return tables_cuda_bytes({spec.table}); }

std::unique_ptr<device::BlockKernel> make(const TableSpec& spec, device::Context& context, void* memory) {
  auto kernel = make_tables_cuda(spec.table, context, memory, tables_cuda_bytes({spec.table}));
  kernel->set_tables({spec.table});
  return kernel;
}

constexpr TableMethod methods[] = {
    {"slabs", "slabs of adjacent cells by levels, in shared memory", Backend::cuda, "", true,
     unfit_but_for<Order::ordered>, cost_of_slabs, workspace, make},
    {"passes", "one step after another over all tiles, in place", Backend::cuda, "", true,
     unfit_but_for<Order::unordered>, cost_of_passes, workspace, make},
    {"partitioned", "contiguous blocks by block levels, levels within a block (Li)", Backend::cuda, "partitioned",
     false, unfit_but_for<Order::ordered>, cost_of_partitions, workspace, make}};

}  // namespace

std::span<const TableMethod> table_cuda_methods() { return methods; }

}  // namespace terrace::dp_table
