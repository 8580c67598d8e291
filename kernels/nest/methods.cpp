#include "kernels/nest/methods.hpp"

#include "kernels/nest/cpu/cells.hpp"
#include "kernels/nest/measured.hpp"

namespace terrace::nest {
namespace {

device::Cost cost_of_cells(const NestSpec& spec, const device::Limits& limits) {
  double operations = 1;
  for (const Statement& statement : spec.nest->statements) operations += statement.value.operations() + 1;
  return {operations / (measured::defined_operations_per_second * limits.processors), 0, 1};
}

/// Values and borders of a block are taken from the budget of its plan.
std::size_t no_workspace(const NestSpec&, const device::Limits&) { return 0; }

constexpr NestMethod cpu_methods[] = {
    {"cells", "cells one by one as they are defined, tiles of a hyperplane at a time", device::Backend::cpu,
     "hyperplanes", true, device::never_unfit<NestSpec>, cost_of_cells, no_workspace, make_cells_cpu},
};

}  // namespace

std::span<const NestMethod> nest_methods() {
  static const auto all = device::joined_methods<NestSpec>(nest_cuda_methods(), cpu_methods);
  return all;
}

}  // namespace terrace::nest
