#include "kernels/dp_table/methods.hpp"

#include <algorithm>

#include "kernels/dp_table/kernels.hpp"
#include "kernels/dp_table/measured_rates.hpp"

namespace terrace::dp_table {
namespace {

using device::Backend;
using device::Limits;

/// By the model of the kernel's slabs, where it has one.
device::Cost cost(const TableSpec& spec, const Limits&) {
  const double tile = tile_cuda_seconds(spec.table);
  if (tile <= 0) return {.seconds = look_ups_of(spec.table) / measured::cuda_rate};
  const auto cells = static_cast<double>(std::max<std::int64_t>(1, cells_of(spec.table.extents).value_or(1)));
  return {.seconds = tile * static_cast<double>(Tiles(spec.table).count()) / cells};
}

std::size_t workspace(const TableSpec& spec, const Limits&) { return tables_cuda_bytes({spec.table}); }

std::unique_ptr<device::BlockKernel> make(const TableSpec& spec, device::Context& context, void* memory) {
  auto kernel = make_tables_cuda(spec.table, context, memory, tables_cuda_bytes({spec.table}));
  kernel->set_tables({spec.table});
  return kernel;
}

constexpr TableMethod methods[] = {
    {"slabs", "slabs of adjacent cells by levels, in shared memory", Backend::cuda, "", true,
     unfit_but_for<Order::ordered>, cost, workspace, make},
    {"passes", "one step after another over all tiles, in place", Backend::cuda, "", true,
     unfit_but_for<Order::unordered>, cost, workspace, make},
    {"partitioned", "contiguous blocks by block levels, levels within a block (Li)", Backend::cuda, "partitioned",
     false, unfit_but_for<Order::ordered>, cost, workspace, make}};

}  // namespace

std::span<const TableMethod> table_cuda_methods() { return methods; }

}  // namespace terrace::dp_table
