#include "kernels/dp_table/methods.hpp"

#include <algorithm>

#include "kernels/device/ceilings.hpp"
#include "kernels/dp_table/kernels.hpp"
#include "kernels/dp_table/measured_rates.hpp"

namespace terrace::dp_table {
namespace {

using device::Backend;
using device::Limits;

device::Cost cost(const TableSpec& spec, const Limits& limits) {
  const double plain = spec.table.combine == Combine::count ? measured::cpu_count_rate : measured::cpu_rate;
  const double rate = (spec.choice ? measured::cpu_choice_rate : plain) * limits.processors;
  device::Cost cost{.seconds = look_ups_of(spec.table) / rate};
  if (spec.table.order == Order::unordered) return cost;
  const auto cells = static_cast<double>(std::max<std::int64_t>(1, cells_of(spec.table.extents).value_or(1)));
  const auto links = static_cast<double>(longest_chain(spec.table.extents, spec.table.steps));
  cost.seconds = std::max(cost.seconds, measured::cpu_cell_seconds / limits.processors) +
                 links * measured::cpu_link_seconds / cells;
  return cost;
}

std::size_t workspace(const TableSpec&, const Limits&) { return 0; }

std::unique_ptr<device::BlockKernel> make(const TableSpec& spec, device::Context& context, void*) {
  auto kernel = make_tables_cpu(spec.table, context);
  kernel->set_tables({spec.table});
  return kernel;
}

constexpr TableMethod cpu_methods[] = {
    {"parts", "parts of a tile whose cells do not lead to each other, shared by threads", Backend::cpu, "", true,
     unfit_but_for<Order::ordered>, cost, workspace, make},
    {"passes", "one step after another over all tiles, in place", Backend::cpu, "", true,
     unfit_but_for<Order::unordered>, cost, workspace, make},
    {"partitioned", "contiguous blocks by block levels, levels within a block (Li)", Backend::cpu, "partitioned",
     false, unfit_but_for<Order::ordered>, cost, workspace, make},
    {"levels", "all cells tested at every level (Ghalami and Grosu)", Backend::cpu, "levels", false,
     unfit_but_for<Order::ordered>, cost, workspace, make}};

}  // namespace

std::span<const TableMethod> table_methods() {
  static const auto all = device::joined_methods<TableSpec>(table_cuda_methods(), cpu_methods);
  return all;
}

const char* name_of(Schedule schedule) {
  return schedule == Schedule::partitioned ? "partitioned" : schedule == Schedule::levels ? "levels" : "auto";
}

double look_ups_of(const Table& table) { return static_cast<double>(std::max<std::int64_t>(1, table.steps.count())); }

double look_up_limit(ElementType type, device::Backend backend, const device::Limits& limits) {
  if (backend == device::Backend::cpu) return limits.operations_per_second * 4 / static_cast<double>(size_of(type));
  // A lane reads one cell at a time: a word of shared memory, or less, or from farther away.
  return device::ceiling_of(limits, device::ceilings::shared_read) / 4;
}

}  // namespace terrace::dp_table
