#include "kernels/recursive/methods.hpp"

#include <algorithm>
#include <string_view>

#include "kernels/device/ceilings.hpp"
#include "kernels/recursive/blas.hpp"
#include "kernels/recursive/measured_rates.hpp"
#include "kernels/recursive/problems.hpp"

namespace terrace::recursive {
namespace {

using device::Backend;
using device::Cost;
using device::Limits;
using Rates = measured::OtherRates;

const measured::UpdateRate& rate_of(ElementType type) {
  return *std::ranges::find_if(measured::update_rates,
                               [&](const measured::UpdateRate& rate) { return !rate.type || *rate.type == type; });
}

Cost at(double per_second) { return {.seconds = 1 / per_second}; }

std::size_t no_bytes(const UpdateSpec&, const Limits&) { return 0; }

std::size_t blas_workspace(const UpdateSpec& spec, const Limits& limits) {
  const auto element = static_cast<std::int64_t>(size_of(spec.tiles.value));
  return static_cast<std::size_t>(limits.processors * blas_bytes(spec.side, element));
}

std::size_t counts_workspace(const UpdateSpec& spec, const Limits& limits) {
  return static_cast<std::size_t>(limits.processors) * counts_cpu_bytes(spec.side);
}

std::unique_ptr<device::BlockKernel> make(const UpdateSpec& spec, device::Context& context, void*) {
  return make_tiles_cpu(spec.tiles, context);
}

constexpr UpdateMethod cpu_methods[] = {
    {.name = "bits",
     .help = "rows of bits, by tables of their combinations",
     .backend = Backend::cpu,
     .schedule = "",
     .automatic = true,
     .unfit = unfit_for_bits,
     .cost = [](const UpdateSpec&, const Limits& limits) { return cost_of_bits(Backend::cpu, limits); },
     .workspace = no_bytes,
     .make = make},
    {.name = "counts",
     .help = "numbers of common bits, by tables of the sums of rows",
     .backend = Backend::cpu,
     .schedule = "",
     .automatic = true,
     .unfit = unfit_for_counts,
     .cost = [](const UpdateSpec&, const Limits& limits) { return cost_of_counts(Backend::cpu, limits); },
     .workspace = counts_workspace,
     .make = make},
    {.name = "paths",
     .help = "distances in vectors, each with its path",
     .backend = Backend::cpu,
     .schedule = "",
     .automatic = true,
     .unfit = unfit_for_paths,
     .cost = [](const UpdateSpec& spec, const Limits& limits) { return cost_of_paths(spec, Backend::cpu, limits); },
     .workspace = no_bytes,
     .make = make},
    {.name = "openblas",
     .help = "sums of products of real numbers, by OpenBLAS",
     .backend = Backend::cpu,
     .schedule = "",
     .automatic = true,
     .unfit = [](const UpdateSpec& spec, const Limits&) -> std::string {
       return has_blas(spec.tiles) ? "" : "it sums products of real numbers";
     },
     .cost = [](const UpdateSpec& spec,
                const Limits& limits) { return cost_of_products(spec, Backend::cpu, limits); },
     .workspace = blas_workspace,
     .make = make},
    {.name = "tiles",
     .help = "parts of tiles in registers, in vectors",
     .backend = Backend::cpu,
     .schedule = "",
     .automatic = true,
     .unfit = unfit_for_updates,
     .cost = [](const UpdateSpec& spec, const Limits& limits) { return cost_of_updates(spec, Backend::cpu, limits); },
     .workspace = no_bytes,
     .make = make}};

constexpr TriangleMethod cpu_triangle_methods[] = {
    {.name = "intervals",
     .help = "parts of tiles by matrix products of their splits, in vectors",
     .backend = Backend::cpu,
     .schedule = "",
     .automatic = true,
     .unfit = device::never_unfit,
     .cost = [](const TriangleSpec& spec,
                const Limits& limits) { return cost_of_splits(spec, Backend::cpu, limits); },
     .workspace = [](const TriangleSpec&, const Limits&) { return std::size_t{0}; },
     .make = [](const TriangleSpec& spec, device::Context& context,
                void*) { return make_intervals_cpu(spec.intervals, context); }}};

}  // namespace

std::span<const UpdateMethod> update_methods() {
  static const auto all = device::joined_methods<UpdateSpec>(update_cuda_methods(), cpu_methods);
  return all;
}

std::span<const TriangleMethod> triangle_methods() {
  static const auto all = device::joined_methods<TriangleSpec>(triangle_cuda_methods(), cpu_triangle_methods);
  return all;
}

std::string unfit_for_bits(const UpdateSpec& spec, const Limits&) {
  return has_bits(spec.tiles.table) ? "" : "it computes tables of bits";
}

std::string unfit_for_counts(const UpdateSpec& spec, const Limits&) {
  return spec.tiles.table == Table::counts ? "" : "it counts common bits";
}

std::string unfit_for_paths(const UpdateSpec& spec, const Limits&) {
  return has_trails(spec.tiles.table) ? "" : "it computes distances with their paths";
}

std::string unfit_for_updates(const UpdateSpec& spec, const Limits&) {
  if (has_bit_factors(spec.tiles.table) || has_trails(spec.tiles.table))
    return "it keeps no paths, and computes no bits";
  return has_blas(spec.tiles) ? "sums of products of real numbers have kernels of their own" : "";
}

double multiply_adds_of(const TileSpec& spec, Backend backend, const Limits& limits) {
  namespace ceilings = device::ceilings;
  const bool wide = size_of(spec.value) > 4;
  if (backend == Backend::cpu) return limits.multiply_adds_per_second / (wide ? 2 : 1);
  // cuBLAS has tensor cores make the products of f64.
  const char* by = cuda_blas_kind().empty() ? ceilings::f64_multiply_add : ceilings::f64_products;
  return device::ceiling_of(limits, wide ? by : ceilings::f32_multiply_add);
}

Cost cost_of_bits(Backend backend, const Limits& limits) {
  return at(backend == Backend::cuda ? Rates::cuda_bits : Rates::cpu_bits * limits.processors);
}

Cost cost_of_counts(Backend backend, const Limits& limits) {
  return at(backend == Backend::cuda ? Rates::cuda_counts : Rates::cpu_counts * limits.processors);
}

Cost cost_of_paths(const UpdateSpec& spec, Backend backend, const Limits& limits) {
  const bool cuda = backend == Backend::cuda;
  // With paths a GPU computes distances of 16 bits in 32.
  const bool wider = cuda && spec.tiles.value == ElementType::i16;
  Cost cost = cost_of_updates(wider ? ElementType::i32 : spec.tiles.value, backend, limits);
  cost.seconds *= cuda ? Rates::cuda_paths_cost : Rates::cpu_paths_cost;
  return cost;
}

Cost cost_of_products(const UpdateSpec& spec, Backend backend, const Limits& limits) {
  using Shares = measured::ProductShares;
  const bool cuda = backend == Backend::cuda;
  const auto side = static_cast<double>(std::max<std::int64_t>(1, spec.side));
  if (cuda && spec.form == Form::elimination) {
    const bool single = spec.tiles.value == ElementType::f32;
    return at((single ? Rates::cuda_elimination_f32 : Rates::cuda_elimination) * side / (side + Shares::cuda_panels));
  }
  const double most = multiply_adds_of(spec.tiles, backend, limits);
  if (most <= 0) return at(rate_of(spec.tiles.value).cpu * limits.processors);
  if (!cuda) return at(Shares::cpu * most);
  const double share = cuda_blas_kind().empty() ? Shares::cuda : Shares::cuda_blas;
  return at(share * most * side / (side + Shares::cuda_begin));
}

Cost cost_of_updates(const UpdateSpec& spec, Backend backend, const Limits& limits) {
  Cost cost = cost_of_updates(spec.tiles.value, backend, limits);
  const bool selects = semirings()[static_cast<std::size_t>(spec.tiles.semiring)].name == std::string_view("max_min");
  if (backend == Backend::cuda && selects) cost.seconds /= measured::cuda_select_share;
  return cost;
}

Cost cost_of_updates(ElementType type, Backend backend, const Limits& limits) {
  return at(backend == Backend::cuda ? rate_of(type).cuda : rate_of(type).cpu * limits.processors);
}

Cost cost_of_splits(const TriangleSpec& spec, Backend backend, const Limits& limits) {
  const ElementType type = spec.intervals.value;
  if (backend == Backend::cpu) {
    Cost cost = cost_of_updates(type, backend, limits);
    cost.seconds /= Rates::cpu_splits;
    return cost;
  }
  const double splits = type == ElementType::i32   ? Rates::cuda_splits_i32
                        : type == ElementType::i16 ? Rates::cuda_splits_i16
                                                   : Rates::cuda_splits;
  return at(std::min(splits, rate_of(type).cuda));
}

}  // namespace terrace::recursive
