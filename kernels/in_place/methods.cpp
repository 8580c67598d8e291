#include "kernels/in_place/methods.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/device/ceilings.hpp"
#include "kernels/in_place/measured.hpp"

namespace terrace::in_place {
namespace {

using device::Backend;
using device::Cost;
using device::Limits;

/// The rates of a problem; a written cell has those of the problem of the list that reads as many neighbours, or less
/// by as much as it has more operations.
measured::SweepRate rate_of(const InPlaceSpec& spec) {
  const std::string problem = !spec.written ? spec.problem : has_corners(spec) ? "" : "sor";
  measured::SweepRate rate = *std::ranges::find_if(measured::sweep_rates, [&](const measured::SweepRate& one) {
    return one.problem == nullptr || problem == one.problem;
  });
  if (!spec.written) return rate;
  const double more = std::max(1.0, spec.written->operations / rate.cuda_operations);
  rate.operations = rate.cuda_operations = spec.written->operations;
  rate.cpu /= more;
  rate.cuda /= more;
  rate.first *= more;
  rate.next *= more;
  return rate;
}

std::string unfit_on_the_cpu(const InPlaceSpec& spec, const Limits&) {
  return spec.written ? "written cells are compiled for CUDA alone" : "";
}

constexpr InPlaceMethod cpu_methods[] = {
    {.name = "bands",
     .help = "threads take bands of rows, and make several sweeps of them behind one another",
     .backend = Backend::cpu,
     .schedule = "",
     .automatic = true,
     .unfit = unfit_on_the_cpu,
     .cost = [](const InPlaceSpec& spec, const Limits& limits) { return cost_of(spec, Backend::cpu, limits); },
     .workspace = [](const InPlaceSpec& spec,
                     const Limits& limits) { return in_place_cpu_bytes(spec, limits.processors); },
     .make = [](const InPlaceSpec& spec, device::Context& context,
                void*) { return make_in_place_cpu(spec, context); }}};

}  // namespace

std::span<const InPlaceMethod> in_place_methods() {
  static const auto all = device::joined_methods<InPlaceSpec>(in_place_cuda_methods(), cpu_methods);
  return all;
}

double limit_of(const InPlaceSpec& spec, Backend backend, const Limits& limits) {
  namespace ceilings = device::ceilings;
  const measured::SweepRate rate = rate_of(spec);
  const auto size = static_cast<double>(size_of(spec.value));
  if (backend == Backend::cpu) return limits.operations_per_second * 4 / size / rate.operations;
  return device::ceiling_of(limits, size > 4 ? ceilings::f64_add : ceilings::f32_add) / rate.cuda_operations;
}

device::Cost cost_of(const InPlaceSpec& spec, Backend backend, const Limits& limits) {
  const measured::SweepRate rate = rate_of(spec);
  const auto size = static_cast<double>(size_of(spec.value));
  const auto sweeps = static_cast<double>(std::max<std::int64_t>(1, spec.pass_sweeps));
  Cost cost{.bytes = 2 * size / sweeps, .steps = sweeps};
  if (backend == Backend::cpu) {
    cost.seconds = size / 4 / (rate.cpu * limits.processors) + cost.bytes / measured::cpu_pass_bytes;
  } else if (spec.pass_sweeps <= measured::CudaInPlace::most_few_sweeps) {
    cost.seconds = size / 4 * (rate.first + (sweeps - 1) * rate.next) / sweeps;
  } else {
    const double warps = static_cast<double>(spec.rows) / measured::warp_rows *
                         std::ceil(sweeps * size / measured::warp_bytes) /
                         (measured::schedulers * std::max(1, limits.processors));
    const double busy =
        measured::one_warp * std::min(1.0, warps) + (1 - measured::one_warp) * std::clamp(warps - 1, 0.0, 1.0);
    cost.seconds = size / 4 / (rate.cuda * std::max(busy, 1e-3));
  }
  return cost;
}

}  // namespace terrace::in_place
