#include "kernels/nest/methods.hpp"

#include <algorithm>
#include <string_view>

#include "kernels/nest/cpu/cells.hpp"
#include "kernels/nest/cpu/compiled.hpp"
#include "kernels/nest/measured.hpp"

namespace terrace::nest {
namespace {

double operations_of(const NestSpec& spec) {
  double operations = 1;
  for (const Statement& statement : spec.nest->statements) operations += statement.value.operations() + 1;
  return operations;
}

device::Cost cost_of_cells(const NestSpec& spec, const device::Limits& limits) {
  return {operations_of(spec) / (measured::defined_operations_per_second * limits.processors), 0, 1};
}

device::Cost cost_of_compiled(const NestSpec& spec, const device::Limits& limits) {
  const double cell = operations_of(spec) / (measured::compiled_operations_per_second * limits.processors);
  return {cell + measured::compile_seconds / std::max(1.0, spec.nest->cells()), 0, 1};
}

/// All values of the largest block, and its borders.
std::size_t cells_bytes(const NestSpec& spec, const device::Limits&) {
  const Sweep sweep(spec);
  Ranges largest = sweep.space();
  for (std::size_t n = 0; n < largest.size() && n < spec.block.size(); ++n)
    largest[n] = {0, std::min(spec.block[n], std::max<i64>(1, largest[n].size()))};
  return static_cast<std::size_t>(sweep.block_words(largest)) * sizeof(Word);
}

std::string unfit_without_compiler(const NestSpec& spec, const device::Limits&) {
  return spec.compiler.command.empty() ? spec.compiler.why_none : "";
}

constexpr NestMethod cpu_methods[] = {
    {"compiled", "rows of tiles of a hyperplane at a time, by the compiler of C++ of this machine",
     device::Backend::cpu, "hyperplanes", true, unfit_without_compiler, cost_of_compiled, compiled_cpu_bytes,
     make_compiled_cpu},
    {"cells", "cells one by one as they are defined, tiles of a hyperplane at a time", device::Backend::cpu,
     "hyperplanes", true, device::never_unfit<NestSpec>, cost_of_cells, cells_bytes, make_cells_cpu},
};

}  // namespace

std::span<const NestMethod> nest_methods() {
  static const auto all = device::joined_methods<NestSpec>(nest_cuda_methods(), cpu_methods);
  return all;
}

const NestMethod* method_instead(const NestMethod& method) {
  const bool is_compiled = method.backend == device::Backend::cpu && std::string_view(method.name) == "compiled";
  return is_compiled ? device::find_method(nest_methods(), device::Backend::cpu, "cells") : nullptr;
}

}  // namespace terrace::nest
