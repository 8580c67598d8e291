#include "kernels/stencil/costs.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "kernels/device/ceilings.hpp"
#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/separable.hpp"
#include "kernels/stencil/written.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::stencil {
namespace {

using device::Backend;
using measured::OperatorRates;
using measured::RadiusRate;

/// Operations of a cell of the operator of a row.
double operations_of_named(std::string_view name, int radius) {
  const double span = 2 * radius + 1;
  if (name == "separable") return 2 * span;
  const OperatorInfo* info = find_operator(name);
  if (!info->linear) return info->operations;
  return info->shape == Shape::box ? std::pow(span, info->rank) : 1 + 2.0 * radius * info->rank;
}

/// The name under which tables have the stencil's rates.
std::string_view row_name(const StencilSpec& spec) {
  if (spec.separable) return "separable";
  static constexpr const char* stars[] = {"star1d", "star2d", "star3d"};
  static constexpr const char* boxes[] = {"star1d", "box2d", "box3d"};
  const auto rank = static_cast<std::size_t>(spec.rank - 1);
  if (spec.terms.empty()) return spec.name;
  return has_shape(spec, Shape::star) ? stars[rank] : has_shape(spec, Shape::box) ? boxes[rank] : "";
}

/// Multiply-adds a second by the table: between two radii in proportion, beyond them those of the nearest.
double measured_operations(std::span<const OperatorRates> rates, const StencilSpec& spec) {
  const std::string_view name = row_name(spec);
  auto row = std::ranges::find_if(rates, [&](const OperatorRates& r) { return name == r.name; });
  if (row == rates.end()) row = rates.end() - 1;
  const auto rate = [&](const RadiusRate& at) {
    const double cells = spec.value == ElementType::f32 ? at.f32 : at.f64 > 0 ? at.f64 : at.f32 / 2;
    return 1e9 * cells * (*row->name == '\0' ? 1 : operations_of_named(row->name, at.radius));
  };
  const RadiusRate *below = nullptr, *above = nullptr;
  for (const RadiusRate& at : row->at) {
    if (at.radius == 0) break;
    if (at.radius <= spec.radius) below = &at;
    if (at.radius >= spec.radius && above == nullptr) above = &at;
  }
  if (below == nullptr) return rate(*above);
  if (above == nullptr || above == below) return rate(*below);
  const double part = static_cast<double>(spec.radius - below->radius) / (above->radius - below->radius);
  return (1 - part) * rate(*below) + part * rate(*above);
}

/// The cost of formulas that a job writes by the operations a second of the machine of the rates.
device::Cost cost_of_operations(const StencilSpec& spec, const device::Limits& limits, const Visits& visits,
                                const measured::StripRate& rate) {
  const double given = multiply_adds_of(Backend::cpu, limits);
  const double machine = given > 0 ? given / measured::cpu_multiply_adds : 1;
  device::Cost cost;
  cost.steps = visits.steps;
  cost.bytes = (2.0 * spec.fields() + spec.arrays) * static_cast<double>(size_of(spec.value)) / visits.steps;
  cost.seconds = operations_of(spec) / (1e9 * (spec.value == ElementType::f32 ? rate.f32 : rate.f64) * machine);
  if (const double memory = limits.memory_bytes_per_second; memory > 0) {
    cost.seconds = std::max(cost.seconds, cost.bytes / memory);
  }
  return cost;
}

}  // namespace

double operations_of(const StencilSpec& spec) {
  if (spec.written) return std::max(1, spec.written->cells.operations());
  return spec.terms.empty() ? find_operator(spec.name)->operations : static_cast<double>(spec.terms.size());
}

double multiply_adds_of(Backend backend, const device::Limits& limits) {
  if (backend == Backend::cuda) return 2 * limits.operations_per_second;
  return limits.multiply_adds_per_second > 0 ? limits.multiply_adds_per_second : limits.operations_per_second;
}

double limit_of(const device::Method<StencilSpec>& method, const StencilSpec& spec, const device::Limits& limits) {
  namespace ceilings = device::ceilings;
  const bool wide = spec.value == ElementType::f64;
  const double each = operations_of(spec);
  if (method.backend == Backend::cpu) return multiply_adds_of(Backend::cpu, limits) / (wide ? 2 : 1) / each;
  if (method.name == std::string_view("box_products")) {
    // Tensor cores multiply all cells around eight cells of a row, four at a time, by each row of coefficients.
    const int around = rounded_up(8 + 2 * spec.radius, 4);
    return device::ceiling_of(limits, ceilings::f64_products) / ((2 * spec.radius + 1) * around);
  }
  return device::ceiling_of(limits, wide ? ceilings::f64_multiply_add : ceilings::f32_multiply_add) / each;
}

device::Cost cost_by(std::span<const OperatorRates> rates, Backend backend, const StencilSpec& spec,
                     const device::Limits& limits, const Visits& visits) {
  const auto size = static_cast<double>(size_of(spec.value));
  const double usual = backend == Backend::cuda ? measured::cuda_multiply_adds : measured::cpu_multiply_adds;
  const double given = multiply_adds_of(backend, limits), machine = given > 0 ? given / usual : 1;
  device::Cost cost;
  cost.steps = visits.steps;
  cost.bytes = (2.0 * spec.fields() + spec.arrays) * size / visits.steps;
  cost.seconds = operations_of(spec) / (measured_operations(rates, spec) * machine);
  cost.seconds += visits.more_seconds / machine;
  if (visits.array_bytes > 0) {
    // The rate of a formula that requires an array is with that array.
    const int more = spec.arrays - (find_operator(spec.name)->own_array == OwnArray::required ? 1 : 0);
    cost.seconds += more * size / (visits.array_bytes * machine);
  }
  if (const double memory = limits.memory_bytes_per_second; memory > 0) {
    cost.seconds = std::max(cost.seconds, cost.bytes / memory);
  }
  return cost;
}

device::Cost cost_of_strips(const StencilSpec& spec, const device::Limits& limits, const Visits& visits) {
  return cost_of_operations(spec, limits, visits,
                            spec.rank == 3 ? measured::cpu_strip_rate_of_volumes : measured::cpu_strip_rate);
}

device::Cost cost_of_compiled(const StencilSpec& spec, const device::Limits& limits, const Visits& visits) {
  device::Cost cost = cost_of_operations(
      spec, limits, visits, spec.rank == 3 ? measured::cpu_compiled_rate_of_volumes : measured::cpu_compiled_rate);
  const double cells = static_cast<double>(spec.extents[0]) * static_cast<double>(spec.width());
  cost.seconds +=
      measured::cpu_compile_seconds / std::max(1.0, cells * static_cast<double>(spec.written->series_steps));
  return cost;
}

}  // namespace terrace::stencil
